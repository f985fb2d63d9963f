"""Personal data: export, merge into another account, and erasure.

`registry` lists every database table that holds personal data; each entry is a `PersonalData` of `personal_data`.
"""
