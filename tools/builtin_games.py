"""The games that come with Almunia."""

import almunia
from almunia import catalog
from almunia.core.contract import Meta


def builtin_games() -> list[Meta]:
    """Return the facts on all games except plug-ins."""
    return [meta for meta in almunia.all_games() if catalog.package_of(meta.name).startswith("almunia.games.")]
