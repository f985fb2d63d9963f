"""Write the fixed ratings of the bots, which the site uses, from the ladder in docs/results.md.

    python -m tools.bot_ratings          write src/almunia/server/ratings/bot_ratings.json
    python -m tools.bot_ratings --check  write nothing; the exit code is 1 if the file is out of date

A level's rating follows from its share of wins against the next weaker level, two at a table. The default level has the
rating of a new player. The difference between two levels is the one at which openskill's model expects that share. A
share of 100% counts as half a win less. Each game's entry names the fingerprint of its bots, as the ladder does.
"""

import argparse
import json
import re
import sys
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

from almunia.bots.levels import DEFAULT_LEVEL, LEVELS
from almunia.server.ratings.ratings import BETA, INITIAL_MU
from tools.builtin_games import builtin_games
from tools.results_page import read

FILE = Path(__file__).parents[1] / "src" / "almunia" / "server" / "ratings" / "bot_ratings.json"
FINGERPRINT = re.compile(r"The bots are `(\w+)`")
SCALE = sqrt(2) * BETA  # deviation of a two-player game between certain ratings
Z_95 = 1.96  # deviations from the mean to the end of a 95% interval
ROW_PATTERN = (
    r"\| `almunia match {game} --seats 2 --bot {bot} --against {other} [^|]*\| "
    r"([\d,]+) \| ([\d.]+)% \| ([\d.]+)% to ([\d.]+)%"
)


class Step(NamedTuple):
    """The difference of ratings between a level and the next weaker one."""

    ahead: float
    deviation: float


def step(text: str, game: str, bot: str, other: str) -> Step | None:
    """Return the step between two levels, or None if the ladder has no such row."""
    match = re.search(ROW_PATTERN.format(game=game, bot=bot, other=other), text)
    if match is None:
        return None
    plays = int(match[1].replace(",", ""))
    wins, low, high = (ahead(float(share) / 100, plays) for share in match.groups()[1:])
    return Step(wins, (high - low) / 2 / Z_95)


def ahead(share: float, plays: int) -> float:
    """Return the difference of ratings at which this share of wins is expected."""
    min_share = 1 / (2 * plays)
    share = min(max(share, min_share), 1 - min_share)
    return SCALE * log(share / (1 - share))


def levels(text: str, game: str) -> dict[str, list[float]]:
    """Return mu and sigma of a game's levels. Levels that no row connects with the default level are left out."""
    names, ratings = list(LEVELS), {DEFAULT_LEVEL: [INITIAL_MU, 0.0]}
    start = names.index(DEFAULT_LEVEL)
    for chain, sign in ((names[start:], 1), (names[start::-1], -1)):
        for rated, other in pairwise(chain):
            difference = step(text, game, *((other, rated) if sign > 0 else (rated, other)))
            if difference and rated in ratings:
                mu, sigma = ratings[rated]
                ratings[other] = [mu + sign * difference.ahead, sqrt(sigma**2 + difference.deviation**2)]
    min_sigma = min(sigma for _, sigma in ratings.values() if sigma) if len(ratings) > 1 else 1.0
    return {
        name: [round(ratings[name][0], 2), round(ratings[name][1] or min_sigma, 2)] for name in names if name in ratings
    }


def render() -> str:
    """Return the content of the file."""
    parts = read()
    texts = {meta.name: parts.get(f"Ladder: {meta.name}", "") for meta in builtin_games()}
    ratings = {
        game: {"bots": match[1], "levels": levels(text, game)}
        for game, text in texts.items()
        if (match := FINGERPRINT.search(text))
    }
    return json.dumps(ratings, indent=2) + "\n"


def main() -> None:
    """Write the file, or check it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true", help="write nothing; fail if the file is out of date")
    if not options.parse_args().check:
        FILE.write_text(render(), "utf-8")
    elif FILE.read_text("utf-8") != render():
        sys.exit(f"Out of date: {FILE.name}. Run python -m tools.bot_ratings.")


if __name__ == "__main__":
    main()
