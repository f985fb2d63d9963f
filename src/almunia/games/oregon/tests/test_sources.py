"""Tests of the sources of points in Oregon. Docstrings cite RULES.md."""

from collections import Counter
from pathlib import Path

import pytest

from almunia.games.oregon.components import BUILT, Sort
from almunia.games.oregon.text import position
from almunia.games.oregon.text.log import pays
from almunia.games.oregon.text.words import BUILDINGS, earned, values
from almunia.library import new_from_record
from almunia.play.record import Record

RECORDS = Path(__file__).parent / "records"


@pytest.mark.parametrize("name", ["two_greedy", "four_greedy"])
def test_sources_of_points_equal_the_points_earned(name):
    """[8.3-8.7, 9.1, 10.1, 13.4]"""
    record = Record.parse((RECORDS / f"{name}.txt").read_text("utf-8"))
    play, won = new_from_record(record, "plain"), Counter()
    for _, said in record.actions:
        before = play.state.copy()
        play.apply(play.string_to_action(said))
        if sum(before.discard) < sum(play.state.discard) and before.last != play.state.last:
            won += earned_by_kind(before, play.state)
    seats = range(play.seats)
    told = {source.name: source.points for source in position.score_breakdown(play.state)}
    for kind in ("post office", "harbor", "warehouse", "train station"):
        assert told.pop(f"{kind}s".capitalize()) == tuple(won[kind, p] for p in seats)
    assert told.pop("Churches and groups") == tuple(won["church", p] + won["a group", p] for p in seats)
    assert told == {sort.name.capitalize(): tuple(sum(values(play.state, p, sort)) for p in seats) for sort in Sort}
    assert all(any(points) for points in told.values())


def earned_by_kind(before, after):
    """Return the points of one placement by source and seat, as the log reports them."""
    piece, found = after.space[after.last], Counter()
    if piece < BUILT:
        for pay in pays(before, after, before.turn):
            found[pay.what, before.turn] += pay.points
        return found
    return Counter({(BUILDINGS[piece - BUILT], p): earned(before, after, p) for p in range(after.seats)})
