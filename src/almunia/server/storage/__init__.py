"""The database of a site.

`schema` defines its tables, `database` opens it and migrates it (`migrations`), and `health` says whether it answers.
`rate_limits` and `secret_key` store what all processes of a site share.
"""
