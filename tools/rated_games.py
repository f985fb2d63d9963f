"""Plays 2,000 games between bots, rates them as the site rates people, and compares the order with the ladder's.

    python -m tools.rated_games                             2,000 games of Orchard for two, between its quick levels
    python -m tools.rated_games orchard oregon --write      of two titles, and writes the part of docs/results.md
    python -m tools.rated_games oregon --games 500 --bots random easy medium hard

Every game pairs two bots at random. No bot is a fixed point here: all begin as somebody new does, and their ratings
move by the code that moves those of people. The exit code is 1 unless the order of the ratings is that of the bots as
they are named, from the weakest on, which is the ladder's.
"""

import argparse
import sys
from collections import Counter
from random import Random

from almunia import bots, game
from almunia.core.play import Play
from almunia.server.rating.ratings import Rating, rated
from tools.results_page import write

LADDER = ("random", "easy", "medium", "hard")  # from the weakest on, as docs/results.md has them


HEAD = """\
`{command}`: games for two between bots paired at random, rated as the site rates people; no bot is a fixed point. A
rating with what it may be off by in 95 of 100 cases.

| game | bot | rating | games |
| --- | --- | --- | --- |
"""


def main() -> None:
    """Play, rate, and say whether the orders agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("titles", nargs="*", metavar="GAME", default=["orchard"])
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bots", nargs="+", default=LADDER, help="from the weakest on")
    parser.add_argument("--write", action="store_true", help="write the part Ratings of docs/results.md")
    asked = parser.parse_args()
    rows, wrong = [], []
    for title in asked.titles:
        known, counted = tournament(title, asked.games, asked.seed, asked.bots)
        order = sorted(known, key=lambda name: known[name].mu)
        rows += [f"| {title} | {name} | {known[name]} | {counted[name]} |" for name in reversed(order)]
        if order != [*asked.bots]:
            wrong.append(f"{title}: {', '.join(order)}")
    if asked.write:
        head = HEAD.format(command=" ".join(["python -m tools.rated_games", *sys.argv[1:]]))
        write("Ratings", head + "\n".join(rows))
    print(*rows, sep="\n")
    if wrong:
        sys.exit(f"The ladder's order is {', '.join(asked.bots)}; the ratings' is another: {'; '.join(wrong)}.")
    print("The order is that of the ladder.")


def tournament(name: str, games: int, seed: int, specs: list[str]) -> tuple[dict[str, Rating], Counter[str]]:
    """The ratings after so many games for two, and how many each bot has played."""
    this, rng = game(name), Random(seed)
    players = {spec: bots.make(spec, this, seed) for spec in specs}
    known, counted = dict.fromkeys(specs, Rating()), Counter[str]()
    for number in range(games):
        pair = rng.sample(specs, 2)
        play = played(this.new(2, seed=seed + number), [players[spec] for spec in pair])
        after = rated([known[spec] for spec in pair], play.ranks())
        known.update(zip(pair, after, strict=True))
        counted.update(pair)
    return known, counted


def played(play: Play, sitters: list[bots.NamedBot]) -> Play:
    """A game that these bots have played to its end."""
    while not play.over:
        play.apply(sitters[play.turn].choose(play.observe(play.turn)))
    return play


if __name__ == "__main__":
    main()
