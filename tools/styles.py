"""How bots play, for docs/results.md: where their points come from, and what they hold at the end."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from almunia import bots
from almunia.core.game import Game

BOTS = {"greedy": 100, "search:500": 10}  # plays of each
SEATS = (2, 3)


def style(this: Game, seats: int, spec: str, plays: int) -> dict[str, float]:
    """Return the means of a bot that plays itself, for each seat: points by source, then what the seat holds."""
    total: dict[str, float] = defaultdict(float)
    for seed in range(plays):
        play, players = this.new(seats, seed=seed), [bots.make(spec, this, seats * seed + p) for p in range(seats)]
        while not play.over:
            play.apply(players[play.turn].choose(play.observe(play.turn)))
        for source in this.text.sources(play.state):
            total[f"{source.name}, points"] += sum(source.points)
        for seat in range(seats):
            for label, value in this.text.facts(play.state, seat):
                with suppress(ValueError):  # not a number
                    total[label] += float(value)
    return {name: value / (plays * seats) for name, value in total.items()}


def styles(games: list[Game]) -> Iterator[str]:
    """Write a table for each game: a row for each source and holding, a column for each bot and number of seats."""
    for this in games:
        tried = [(seats, spec) for seats in SEATS for spec in BOTS]
        found: list[dict[str, Any]] = [style(this, seats, spec, BOTS[spec]) for seats, spec in tried]
        yield f"### {this.name}, how bots play\n"
        yield f"| mean for each seat | {' | '.join(f'{spec}, {seats} seats' for seats, spec in tried)} |"
        yield "| --- |" + " --- |" * len(tried)
        for name in found[0]:
            yield f"| {name} | {' | '.join(f'{each[name]:.1f}' for each in found)} |"
        yield ""
