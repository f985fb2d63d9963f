"""Ids of environments: "almunia/oregon-v1", with the version of the rules."""

from ..catalog import meta


def env_id(name: str) -> str:
    """Return the id of a game's environments. Raise SetupError if there is no such game."""
    return f"almunia/{name}-v{meta(name).rules_version}"
