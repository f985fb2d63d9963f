"""Statistics on how bots play, for docs/results.md: the sources of their points, and their holdings at the end."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from almunia import bots
from almunia.library import Game

BOTS = {"greedy": 100, "search:500": 10}  # plays of each
SEATS = (2, 3)


def mean_style(this: Game, seats: int, spec: str, plays: int) -> dict[str, float]:
    """Return the means per seat of a bot that plays itself: points by source, then the seat's holdings."""
    totals: dict[str, float] = defaultdict(float)
    for seed in range(plays):
        play, players = this.new(seats, seed=seed), [bots.make(spec, this, seats * seed + p) for p in range(seats)]
        while not play.over:
            play.apply(players[play.turn].choose(play.observe(play.turn)))
        for source in this.text.score_breakdown(play.state):
            totals[f"{source.name}, points"] += sum(source.points)
        for seat in range(seats):
            for label, value in this.text.seat_facts(play.state, seat):
                with suppress(ValueError):  # not a number
                    totals[label] += float(value)
    return {name: value / (plays * seats) for name, value in totals.items()}


def style_tables(games: list[Game]) -> Iterator[str]:
    """Yield a table for each game: rows for sources and holdings, columns for bots and numbers of seats."""
    for this in games:
        settings = [(seats, spec) for seats in SEATS for spec in BOTS]
        means: list[dict[str, Any]] = [mean_style(this, seats, spec, BOTS[spec]) for seats, spec in settings]
        yield f"### {this.name}, how bots play\n"
        yield f"| mean for each seat | {' | '.join(f'{spec}, {seats} seats' for seats, spec in settings)} |"
        yield "| --- |" + " --- |" * len(settings)
        for name in means[0]:
            yield f"| {name} | {' | '.join(f'{mean[name]:.1f}' for mean in means)} |"
        yield ""
