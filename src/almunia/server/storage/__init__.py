"""The database of a site.

`schema` defines the tables, `database` opens and migrates the database (`migrations`), and `health` checks it.
`rate_limits` and `secret_key` hold what all processes of a site share. With PostgreSQL, processes notify each other by
`bus` and exclude each other by `locks`; with SQLite, `single_instance` admits one process.
"""
