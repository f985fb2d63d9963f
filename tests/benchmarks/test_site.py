"""The load test of a site, with a few visitors at a site in this process."""

import asyncio
import os
from gc import collect
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra [web] is not installed")

from almunia.server.settings import Settings
from benchmarks.load_client import Tally
from benchmarks.site import Crowd, Load, Site, main, measure_site

from ..serving import served, settled
from ..waiting import TIMEOUT

pytestmark = [
    pytest.mark.exhaustive,  # it measures, for some seconds
    pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="no /proc here"),
]


class CutShort:
    """A coroutine that is cancelled at the n-th time that it waits."""

    def __init__(self, work, n):
        self._work, self._n = work, n

    def __await__(self):
        steps = self._work.__await__()
        for number in count(1):
            try:
                waits = next(steps) if number != self._n else steps.throw(asyncio.CancelledError())
            except StopIteration as end:
                return end.value
            yield waits
        return None


@pytest.mark.parametrize("bot", ["", "easy"])
def test_visitors_act_and_all_others_follow(bot, tmp_path):
    class Ready(Site):
        """A site that never reports a compilation, although other tests may compile meanwhile."""

        def is_compiling(self):
            return False

    quick = {"idle_seconds": 0.2, "max_idle_load": 10.0, "max_solo_acts": 10}
    load = Load(tables=3, streams=9, rate=8, seconds=TIMEOUT, max_acts=16, bot=bot, **quick)
    tally = Tally()
    with served(Settings(tmp_path, compiled=False, posts="10000/minute")) as port:
        site = Ready([os.getpid()], [port])
        found = {figure.what: figure for figure in settled(measure_site("orchard", load, site, tally))}
    assert found["acts refused"].value == 0
    assert len(tally.acts) == 16
    assert found["views per act"].value > 1  # the visitor who acts, and those who watch: a view may show several acts
    assert found["bytes per act"].value > 1000
    assert all(figure.value > 0 for what, figure in found.items() if "refused" not in what)


def test_cancelling_the_opening_of_a_table_closes_its_connections(tmp_path):
    """The test cancels at each response for which the coroutine waits."""

    async def cancel_everywhere(crowd):
        for n in range(1, 1000):
            try:
                people = await CutShort(crowd.new_table(), n)
            except asyncio.CancelledError:
                continue
            break
        crowd.dismiss(people)
        collect()
        return n

    with served(Settings(tmp_path, compiled=False, posts="10000/minute")) as port:
        assert settled(cancel_everywhere(Crowd("orchard", Load(tables=1, streams=2), [port]))) > 8


def test_the_arguments_are_checked_before_a_site_starts(capsys) -> None:
    assert main(["orchard", "--bot", "genius"]) == 2
    assert "--bot takes a level, beginner, easy, medium, hard, expert, not 'genius'." in capsys.readouterr().err
    assert main(["chess"]) == 2
    assert "There is no game called 'chess'" in capsys.readouterr().err
    assert main(["orchard", "--processes", "2"]) == 2
    assert "With SQLite one process serves a site." in capsys.readouterr().err
