"""Games as environments of research frameworks. Each framework has a module and an extra."""

from ..catalog import meta


def env_id(name: str) -> str:
    """Return the id of a game's environments, with the version of its rules. Raise SetupError for an unknown game."""
    return f"almunia/{name}-v{meta(name).rules_version}"
