"""Measure the weakest level against a player who takes the choice with the largest printed gain.

    python -m tools.printed_gain                          all titles, 200 deals each, both seats in turn
    python -m tools.printed_gain caylus --bot greedy      one title, another bot
    python -m tools.printed_gain orchard --deals 100 --seed 2

The player is a person in the first game after the lesson: the page prints the points of a choice, and the player takes
most of them, at random among equals. The level is right if the player wins about half the games of two.
"""

import argparse
from random import Random

from almunia import Agent, Match, bots, game
from almunia.arena.match import run
from almunia.arena.standings import standings
from almunia.core.rich_text import own_points
from almunia.play.play import Observation
from tools.builtin_games import builtin_games


class PrintedGainBot:
    """A bot that takes the action with the most points in its effect, as pages print them."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    def choose(self, observation: Observation, /) -> int:
        """Return an action with the largest printed gain, at random among equals."""
        effect = observation.game.text.effect_text
        gains = {action: own_points(effect(observation.state, action)) for action in observation.legal_actions}
        most = max(gains.values())
        return self._rng.choice([action for action, gain in gains.items() if gain == most])


def measure(title: str, bot: str, deals: int, seed: int) -> str:
    """Return a line with the player's share of wins at two seats."""
    player = Agent(PrintedGainBot(seed), "printed-gain", str(seed))
    rows = run(Match(game(title), [player], seats=2, deals=deals, against=bot, seed=seed))
    (found,) = standings(rows)
    share, ahead = found.share, found.lead_over_mean
    return (
        f"{title}: wins {share.value:.1%} against {bot}, {share.low:.1%} to {share.high:.1%} "
        f"({found.plays} plays), {ahead.value:+.1f} points ahead"
    )


def main() -> None:
    """Measure, and print a line for each title."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("titles", nargs="*", metavar="GAME", default=[meta.name for meta in builtin_games()])
    parser.add_argument("--bot", default=next(iter(bots.LEVELS)), help="the opponent (default: the weakest level)")
    parser.add_argument("--deals", type=int, default=200, help="each is played twice, with the seats exchanged")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for title in options.titles:
        print(measure(title, options.bot, options.deals, options.seed), flush=True)


if __name__ == "__main__":
    main()
