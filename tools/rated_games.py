"""Play 2,000 games between bots, rate them as the site rates people, and compare the order with the ladder's.

    python -m tools.rated_games                             2,000 two-player games of Orchard between its fast levels
    python -m tools.rated_games orchard oregon --write      two titles; also writes the section of docs/results.md
    python -m tools.rated_games oregon --games 500 --bots random easy medium hard

Each game pairs two bots at random. No bot has a fixed rating here: all start like a new player, and their ratings move
by the code that moves the ratings of people. The exit code is 1 unless the ratings order the bots as --bots does, from
the weakest, as the ladder does.
"""

import argparse
import sys
from collections import Counter
from random import Random

from almunia import bots, game
from almunia.play.play import Play
from almunia.server.ratings.ratings import Rating, rate
from tools.results_page import write

LADDER = ("random", "easy", "medium", "hard")  # from the weakest, as in docs/results.md


HEAD = """\
`{command}`: two-player games between bots paired at random, rated as the site rates people; no
bot has a fixed rating. Ratings are given with their 95% interval.

| game | bot | rating | games |
| --- | --- | --- | --- |
"""


def main() -> None:
    """Play, rate, and compare the orders."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("titles", nargs="*", metavar="GAME", default=["orchard"])
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bots", nargs="+", default=LADDER, help="from the weakest to the strongest")
    parser.add_argument("--write", action="store_true", help="write the section Ratings of docs/results.md")
    options = parser.parse_args()
    rows, mismatches = [], []
    for title in options.titles:
        ratings, counts = tournament(title, options.games, options.seed, options.bots)
        order = sorted(ratings, key=lambda name: ratings[name].mu)
        rows += [f"| {title} | {name} | {ratings[name]} | {counts[name]} |" for name in reversed(order)]
        if order != [*options.bots]:
            mismatches.append(f"{title}: {', '.join(order)}")
    if options.write:
        head = HEAD.format(command=" ".join(["python -m tools.rated_games", *sys.argv[1:]]))
        write("Ratings", head + "\n".join(rows))
    print(*rows, sep="\n")
    if mismatches:
        sys.exit(f"The ladder's order is {', '.join(options.bots)}, but the ratings' is: {'; '.join(mismatches)}.")
    print("The order is the ladder's.")


def tournament(name: str, games: int, seed: int, specs: list[str]) -> tuple[dict[str, Rating], Counter[str]]:
    """Return the ratings after these two-player games, and the number of games of each bot."""
    this, rng = game(name), Random(seed)
    players = {spec: bots.make(spec, this, seed) for spec in specs}
    ratings, counts = dict.fromkeys(specs, Rating()), Counter[str]()
    for number in range(games):
        pair = rng.sample(specs, 2)
        play = play_to_end(this.new(2, seed=seed + number), [players[spec] for spec in pair])
        after = rate([ratings[spec] for spec in pair], play.ranks())
        ratings.update(zip(pair, after, strict=True))
        counts.update(pair)
    return ratings, counts


def play_to_end(play: Play, players: list[bots.NamedBot]) -> Play:
    """Play a game to its end with these bots, and return it."""
    while not play.over:
        play.apply(players[play.turn].choose(play.observe(play.turn)))
    return play


if __name__ == "__main__":
    main()
