"""Defaults for the optional parts of `rules.py` and `observe.py`.

These functions use none of a game's modules. So the hash of the rules, which names the folder of cached machine code,
does not depend on `bots`.
"""

INEXACT_FIELDS = ()


def action_key(s, action):
    return action


def legal_is_public(s):
    return False
