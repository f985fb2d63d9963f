"""Accounts: guests whom the site knows again anywhere, by a passkey or by mail address and password.

An account has the id of the guest who made it, so everything of that guest is the account's. `people` keeps accounts,
`sessions` where they are signed in, `links` what holds once, `passwords` and `passkeys` what proves who somebody is,
and `post` the mails. `known` says of every request who sends it, `gate` keeps a closed site closed by the rules of
`access`, `entering` signs people in. `belongings` lists all that the site keeps of somebody, so that it can be moved,
exported and deleted, and `exports` writes exported files. Pages are in `pages`, `security`, `passkey_pages`,
`link_pages` and `privacy`.
"""
