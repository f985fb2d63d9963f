"""The database of a site.

`schema` defines its tables, `database` opens it and migrates it (`migrations`), and `health` says whether it answers.
`rate_limits` and `secret_key` hold what all processes of a site share. With PostgreSQL, processes notify each other by
`bus` and exclude each other by `locks`; with SQLite, `single_instance` admits one process.
"""
