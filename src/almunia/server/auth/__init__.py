"""Accounts and signing in: passwords, passkeys, links, sessions and API tokens.

A guest who makes an account keeps the id, so the guest's games belong to the account. `accounts` stores accounts, and
`sessions` stores the sessions of signed-in browsers. `services` makes the services.
"""
