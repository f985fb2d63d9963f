"""Personal data: how it is exported, moved to another account, and erased.

`registry` lists every database table that holds personal data; each entry is a `PersonalData` of `personal_data`.
"""
