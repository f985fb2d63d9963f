"""What games are called where environments have ids: "almunia/oregon-v1", with the version of their rules."""

from ..catalog import meta


def id_of(name: str) -> str:
    """The id of a game's environments; SetupError if there is no such game."""
    return f"almunia/{name}-v{meta(name).rules_version}"
