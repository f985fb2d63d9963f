"""Plays 2,000 games between bots, rates them as the site rates people, and compares the order with the ladder's.

    python -m tools.rated_games                       2,000 games of Orchard for two, between its quick levels
    python -m tools.rated_games --game oregon --games 500 --bots random easy medium hard

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

LADDER = ("random", "easy", "medium", "hard")  # from the weakest on, as docs/results.md has them


def main() -> None:
    """Play, rate, and say whether the orders agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="orchard")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bots", nargs="+", default=LADDER, help="from the weakest on")
    asked = parser.parse_args()
    known, counted = tournament(asked.game, asked.games, asked.seed, asked.bots)
    for name in sorted(known, key=lambda name: -known[name].mu):
        print(f"{name:8} {known[name]}  {counted[name]} games")
    order = sorted(known, key=lambda name: known[name].mu)
    if order != [*asked.bots]:
        sys.exit(f"The ladder's order is {', '.join(asked.bots)}; the ratings' is {', '.join(order)}.")
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
