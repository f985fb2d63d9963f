"""What a site bears, measured with a few visitors at a site of this process."""

import asyncio
import os
from gc import collect
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra [web] is not installed")

from almunia.arena.bench.site import Crowd, Load, Served, measured
from almunia.arena.bench.visitors import Tally
from almunia.server.settings import Settings

from ..serving import served, settled
from ..waiting import TIMEOUT

pytestmark = [
    pytest.mark.exhaustive,  # it measures, for some seconds
    pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="no /proc here"),
]


class CutShort:
    """A coroutine that is cancelled when it waits for the so manieth time; whole if it does not wait as often."""

    def __init__(self, work, place):
        self._work, self._place = work, place

    def __await__(self):
        steps = self._work.__await__()
        for number in count(1):
            try:
                waits = next(steps) if number != self._place else steps.throw(asyncio.CancelledError())
            except StopIteration as end:
                return end.value
            yield waits
        return None


@pytest.mark.parametrize("bot", ["", "easy"])
def test_visitors_act_and_all_others_follow(bot, tmp_path):
    class Ready(Served):
        """A site that compiles nothing: other tests have programs of their own running here."""

        def compiles(self):
            return False

    restful = {"rest_seconds": 0.2, "max_rest_load": 10.0, "max_alone_acts": 10}
    load = Load(tables=3, streams=9, rate=8, seconds=TIMEOUT, max_acts=16, bot=bot, **restful)
    tally = Tally()
    with served(Settings(tmp_path, compiled=False, posts="10000/minute")) as port:
        site = Ready([os.getpid()], [port])
        found = {figure.what: figure for figure in settled(measured("orchard", load, site, tally))}
    assert found["acts refused"].value == 0
    assert len(tally.acts) == 16
    assert found["views per act"].value > 1  # the one who acts, and whoever watches: several acts may come in one view
    assert found["bytes per act"].value > 1000
    assert all(figure.value > 0 for what, figure in found.items() if "refused" not in what)


def test_whoever_is_called_away_while_opening_a_table_hangs_up(tmp_path):
    """Wherever they wait for an answer."""

    async def called_away(crowd):
        for place in range(1, 1000):
            try:
                people = await CutShort(crowd.table(), place)
            except asyncio.CancelledError:
                continue
            break
        crowd.dismiss(people)
        collect()
        return place

    with served(Settings(tmp_path, compiled=False, posts="10000/minute")) as port:
        assert settled(called_away(Crowd("orchard", Load(tables=1, streams=2), [port]))) > 8
