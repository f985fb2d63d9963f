"""The games that come with Almunia."""

import almunia
from almunia.core import registry
from almunia.core.contract import Meta


def ours() -> list[Meta]:
    """Those of `almunia.all_games()` that are no plug-ins."""
    return [meta for meta in almunia.all_games() if registry.package_of(meta.name).startswith("almunia.games.")]
