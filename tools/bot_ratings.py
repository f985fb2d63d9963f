"""Writes the ratings of the bots, as the site takes them for fixed points, from the ladder in docs/results.md.

    python -m tools.bot_ratings          write src/almunia/server/rating/bot_ratings.json anew
    python -m tools.bot_ratings --check  write nothing; the exit code is 1 if the file is out of date

A level's rating follows from its share of wins against the next weaker one, two at a table: the usual level has the
rating of somebody new, and the difference between two is the one at which openskill's model expects that share. A share
of all is taken for one win fewer, shared. Every game's part names the fingerprint of its bots, as the ladder does.
"""

import argparse
import json
import re
import sys
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

from almunia.bots.levels import LEVELS, USUAL
from almunia.server.rating.ratings import BETA, MIDDLE
from tools.builtin_games import ours
from tools.results_page import read

FILE = Path(__file__).parents[1] / "src" / "almunia" / "server" / "rating" / "bot_ratings.json"
MARK = re.compile(r"The bots are `(\w+)`")
SPREAD = sqrt(2) * BETA  # of a game between two whose ratings are sure
SURE = 1.96  # deviations to either end of an interval of 95%
ROW = (
    r"\| `almunia match {game} --seats 2 --bot {bot} --against {other} [^|]*\| "
    r"([\d,]+) \| ([\d.]+)% \| ([\d.]+)% to ([\d.]+)%"
)


class Step(NamedTuple):
    """How much stronger a level is than the one below."""

    ahead: float
    deviation: float


def step(text: str, game: str, bot: str, other: str) -> Step | None:
    """The step between two levels; None if the ladder has none."""
    found = re.search(ROW.format(game=game, bot=bot, other=other), text)
    if found is None:
        return None
    plays = int(found[1].replace(",", ""))
    wins, low, high = (ahead(float(share) / 100, plays) for share in found.groups()[1:])
    return Step(wins, (high - low) / 2 / SURE)


def ahead(share: float, plays: int) -> float:
    """The difference of ratings at which such a share of wins is expected."""
    least = 1 / (2 * plays)
    share = min(max(share, least), 1 - least)
    return SPREAD * log(share / (1 - share))


def levels(text: str, game: str) -> dict[str, list[float]]:
    """The ratings of a game's levels, as mu and sigma; those that no row leads to are left out."""
    names, found = list(LEVELS), {USUAL: [MIDDLE, 0.0]}
    usual = names.index(USUAL)
    for names_on, sign in ((names[usual:], 1), (names[usual::-1], -1)):
        for known, other in pairwise(names_on):
            between = step(text, game, *((other, known) if sign > 0 else (known, other)))
            if between and known in found:
                mu, sigma = found[known]
                found[other] = [mu + sign * between.ahead, sqrt(sigma**2 + between.deviation**2)]
    least = min(sigma for _, sigma in found.values() if sigma) if len(found) > 1 else 1.0
    return {name: [round(found[name][0], 2), round(found[name][1] or least, 2)] for name in names if name in found}


def made() -> str:
    """What the file should hold."""
    parts = read()
    texts = {meta.name: parts.get(f"Ladder: {meta.name}", "") for meta in ours()}
    found = {
        game: {"bots": mark[1], "levels": levels(text, game)}
        for game, text in texts.items()
        if (mark := MARK.search(text))
    }
    return json.dumps(found, indent=2) + "\n"


def main() -> None:
    """Write the file, or look whether it is as it should be."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true", help="write nothing; fail if the file is out of date")
    if not options.parse_args().check:
        FILE.write_text(made(), "utf-8")
    elif FILE.read_text("utf-8") != made():
        sys.exit(f"Out of date: {FILE.name}. Run python -m tools.bot_ratings.")


if __name__ == "__main__":
    main()
