"""Acting for people who share one screen, without looking at it."""

from collections.abc import Callable, Sequence
from random import Random

from almunia.server.acting import done
from almunia.server.tables import Tables


def play_on(
    tables: Tables, table: str, acts: int, choose: Callable[[Sequence[int]], int] = lambda legal: legal[0]
) -> None:
    """Do so many acts for whoever is to move at the table of an address, or fewer if the play is over before."""
    name = table.rpartition("/")[2]
    for _ in range(acts):
        now = tables.snapshot(name)
        if now.table.finished:
            return
        seat = now.play.turn
        tables.act(name, seat, choose(now.play.legal), now.diary(seat).seen)


def play_for_others(tables: Tables, table: str) -> None:
    """Play until the first seat is to move, or all is over."""
    name = table.rpartition("/")[2]
    while not (now := tables.snapshot(name)).table.finished and now.play.turn:
        play_on(tables, table, 1)


def play_out(tables: Tables, table: str) -> None:
    """Play the table of an address to its end at random, written at once."""
    now = tables.snapshot(table.rpartition("/")[2])
    play, rng, entries = now.play.copy(), Random(1), []
    while not play.over:
        entries.append(done(play, rng.choice(play.legal), follows=False))
    tables.write(now, tuple(entries), play)
