"""The counters of the visitors who measure a site."""

import asyncio
import os
from pathlib import Path

import pytest

pytest.importorskip("h11", reason="the extra [web] is not installed")

from benchmarks import site
from benchmarks.load_client import OK, Response, Tally, Visitor

CONFLICT = 409


class Offline(Visitor):
    """A visitor without a site: its acts get these statuses as responses, and it reads no pages."""

    def __init__(self, tally, *statuses):
        super().__init__(0, tally)
        self.table, self._statuses = "/table/1", list(statuses)

    async def post(self, _target, _form, **_headers):
        return Response(self._statuses.pop(0), {}, b"")

    async def get(self, _target, **_headers):
        return Response(OK, {}, b"")

    def _read(self, _response):
        self.actions = []
        return ""

    def try_act(self):
        self.actions = [1]
        asyncio.run(self.act(min))


def test_a_refused_move_is_not_counted_as_sent():
    tally = Tally()
    player, late = Offline(tally, OK), Offline(tally, CONFLICT, CONFLICT)
    player.try_act()
    sent = dict(tally.sent)
    assert (len(sent), tally.seen) == (1, [])
    late.try_act()
    assert tally.sent == sent
    assert len(tally.seen) == 1  # the act of the other player, which the page shows after the refusal
    late.try_act()
    assert (len(tally.acts), tally.refused, len(tally.seen)) == (1, 2, 1)


@pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="no /proc here")
def test_a_child_process_that_has_just_ended_has_no_memory(monkeypatch):
    own = site.Site([os.getpid()], [])
    monkeypatch.setattr(site, "children_of", lambda _: [])
    alone = own.megabytes()
    monkeypatch.setattr(site, "children_of", lambda _: [2**22 + 1])  # above the highest process id
    assert alone > 1
    assert own.megabytes() > 1
