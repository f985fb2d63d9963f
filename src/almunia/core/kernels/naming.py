"""What the code of an action names, for a game whose codes mean the same thing in every position."""


def action_key(s, action):
    """The code itself."""
    return action
