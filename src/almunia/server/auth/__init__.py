"""Accounts and signing in: passwords, passkeys, links, sessions and API tokens.

A guest who makes an account keeps the id, so all that was the guest's is the account's. `accounts` stores accounts,
`sessions` the sessions of signed-in browsers. `services` joins the parts.
"""
