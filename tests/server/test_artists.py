"""Processes that draw beside the one that serves: what they give back, and what happens where they do not."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from operator import countOf
from pathlib import Path
from typing import Any

import pytest

from almunia.engine.pool import cores
from almunia.errors import SetupError
from almunia.library import game
from almunia.play import panels
from almunia.play.play import Observation
from almunia.server.app import create_app
from almunia.server.rendering import pool
from almunia.server.rendering.pool import MAX_RESTART_SECONDS, RenderPool, RenderWorkers
from almunia.server.settings import DEFAULT_RENDER_WORKERS, Settings
from almunia.server.tables import rendering

from ..tiers import games
from ..waiting import wait_until
from .conftest import ORIGIN, Visitor

pytestmark = pytest.mark.slow  # an artist is a process, which takes a second to begin

NAMES = "Ana", "مریم", "<b>", "D", "E"
LONG = 60.0  # seconds
OFTEN = 0.1  # seconds between two looks at whether an artist is missing
MOMENTS = 12  # of a play


class ThreadWorkers(ThreadPoolExecutor):
    """Workers in threads of this process, for tests of the pool alone."""

    are_ready, closed = False, False

    def start(self) -> None:
        """Start at once."""
        self.are_ready = True

    def close(self) -> None:
        """Stop."""
        self.closed = True
        self.shutdown(wait=False)


@pytest.fixture
def timeouts() -> dict[str, float]:
    """Return the timeouts of an artist; tests may parametrize them."""
    return {}


@pytest.fixture
def one(timeouts: dict[str, float]) -> Iterator[RenderPool]:
    """One artist, who is there."""
    found = RenderPool(1, check_seconds=OFTEN, **timeouts)
    found.start()
    wait_until(lambda: found.live_count, "the artist is there")
    yield found
    found.close()


@pytest.fixture
def drawn_here(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What this process draws itself."""
    seen, draw = [], panels.panels
    monkeypatch.setattr(panels, "panels", lambda view, *given: seen.append(view) or draw(view, *given))
    return seen


def process_of(some: RenderPool) -> int:
    """The number of the process of the only artist."""
    (process,) = some._workers._processes
    return process


def replaced(some: RenderPool, before: int) -> bool:
    """Whether another artist is there."""
    return bool(some.live_count) and process_of(some) != before


def view_of(seed: int = 1) -> Observation:
    """What is to be drawn."""
    return game("orchard").new(seed=seed).observe(0)


def ghosts(view: Observation) -> list[str]:
    """What the site itself draws."""
    return rendering.move_previews(view, view.legal_actions[:2])


def ask(some: RenderPool, view: Observation) -> list[str] | None:
    """What an artist draws; None if none does."""
    return some._ask(rendering.move_previews, view, view.legal_actions[:2])


def asked_together(some: RenderPool, views: list[Observation]) -> list[Future[Any]]:
    """Ask in threads of their own, until the pool knows of all; its artist may be stopped."""
    crowd = ThreadPoolExecutor(len(views))
    found = [crowd.submit(ask, some, view) for view in views]
    wait_until(lambda: len(some._pending) == len(views), "the pool knows of all")
    crowd.shutdown(wait=False)
    return found


@pytest.mark.parametrize("name", games())
def test_an_artist_draws_what_the_site_would(name, one):
    play = game(name).new(seed=3)
    while not play.over and len(play.actions) < MOMENTS:
        for seat in (*range(play.seats), -1):
            view = play.observe(seat)
            given = view.legal_actions, NAMES, True
            assert one._ask(rendering.render_all, view, *given) == rendering.render_all(view, *given)
        view = play.observe(play.turn)
        assert ask(one, view) == ghosts(view) == one.previews(view, view.legal_actions[:2])
        play.apply(view.legal_actions[-1])


def test_pages_are_drawn_beside_the_site_and_the_same(tmp_path, drawn_here):
    def pages(count: str, folder: Path) -> list[str]:
        app = create_app(Settings(data=folder, render_workers=count, compiled=False))
        with Visitor(app, headers={"Origin": ORIGIN}) as visitor:
            wait_until(lambda: app.state.site.render_pool.live_count == int(count), "the artists are there")
            table = visitor.open("orchard", **{"seat-0": "me", "seed": "5"})
            drawn_here.clear()  # the game itself has been tried
            found = [visitor.get(table).text]
            for _ in range(4):
                visitor.act(table)
                found.append(visitor.get(table).text)
            return [page.replace(table, "/table/here") for page in found]

    plain, here = pages("0", tmp_path / "a"), len(drawn_here)
    beside, there = pages("1", tmp_path / "b"), len(drawn_here)
    assert here > 0
    assert there == 0
    assert [page.partition('<main id="table"')[2] for page in plain] == [
        page.partition('<main id="table"')[2] for page in beside
    ]


def test_one_who_is_killed_is_replaced_and_nobody_notices(one, caplog):
    view, before = view_of(), process_of(one)
    os.kill(before, signal.SIGKILL)
    assert one.previews(view, view.legal_actions[:2]) == ghosts(view)
    wait_until(lambda: replaced(one, before), "another artist is there")
    assert "the next check starts others" in caplog.text
    assert ask(one, view) == ghosts(view)


@pytest.mark.exhaustive
def test_one_who_has_gone_is_replaced_if_nobody_asks(one):
    before = process_of(one)
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: replaced(one, before), "another artist is there")


@pytest.mark.parametrize("timeouts", [{"lost_seconds": 0.2}])
def test_one_who_draws_for_ever_is_replaced(one):
    """As rules of another author may, without ever letting another thread of the process run."""
    view, before = view_of(), process_of(one)
    assert one._ask(partial(countOf, range(10**18)), view) is None
    assert one.previews(view, view.legal_actions[:2]) == ghosts(view)
    wait_until(lambda: replaced(one, before), "another artist is there")
    assert ask(one, view) == ghosts(view)


@pytest.mark.parametrize("timeouts", [{"late_seconds": LONG}])
def test_each_gets_what_it_has_asked_for(one):
    views = [view_of(seed) for seed in (1, 2, 3)]
    os.kill(process_of(one), signal.SIGSTOP)
    found = asked_together(one, views)
    os.kill(process_of(one), signal.SIGCONT)
    wanted = [ghosts(view) for view in views]
    assert [each.result(LONG) for each in found] == wanted
    assert len({*map(tuple, wanted)}) == len(wanted)


@pytest.mark.parametrize("timeouts", [{"late_seconds": 0.05}])
def test_nobody_waits_long_for_one_who_is_busy(one):
    view = view_of()
    os.kill(process_of(one), signal.SIGSTOP)
    assert one.previews(view, view.legal_actions[:2]) == ghosts(view)
    assert len(one._pending) == 1, "it is still to answer"
    assert ask(one, view) is None
    assert len(one._pending) == 1, "it was not even asked"
    os.kill(process_of(one), signal.SIGCONT)
    wait_until(lambda: not one._pending, "the answer that nobody wants any more has come")
    wait_until(lambda: ask(one, view) == ghosts(view), "it goes on")


@pytest.mark.exhaustive
@pytest.mark.parametrize("timeouts", [{"late_seconds": LONG}])
def test_all_who_wait_for_one_who_is_killed_draw_by_themselves(one):
    before = process_of(one)
    os.kill(before, signal.SIGSTOP)
    found = asked_together(one, [view_of(seed) for seed in (1, 2, 3)])
    os.kill(before, signal.SIGKILL)
    assert [each.result(LONG) for each in found] == [None] * 3
    wait_until(lambda: replaced(one, before), "another artist is there")


def test_what_an_artist_cannot_do_the_site_does_and_says_so(one, monkeypatch, caplog):
    other = {"game": "orchard", "rules": "another", "components": "another"}
    monkeypatch.setattr(pool, "compat_key", lambda _: other)
    view = view_of()
    assert one.previews(view, view.legal_actions[:2]) == ghosts(view)
    assert "A worker could not render Orchard: RecordError: " in caplog.text
    monkeypatch.undo()
    caplog.clear()
    assert one._ask(lambda _: "what cannot be sent", view) is None
    assert "A worker could not render Orchard: " in caplog.text
    assert ask(one, view), "it goes on"


@pytest.mark.parametrize("error", [OSError("no room for a process"), BrokenProcessPool()])
def test_those_that_do_not_begin_are_started_again_after_a_growing_delay(error, caplog):
    starts: list[int] = []

    def failing(_: int) -> ThreadWorkers:
        starts.append(now)
        raise error

    some = RenderPool(1, make=failing, check_seconds=30, timer=lambda: now)
    for now in range(0, 3600, 30):  # noqa: B007 - the pool's clock
        some.respawn()
    assert starts == [0, 30, 90, 210, 450, 930, 930 + MAX_RESTART_SECONDS, 930 + 2 * MAX_RESTART_SECONDS]
    assert "have not started" in caplog.text
    assert some.previews(view_of(), view_of().legal_actions[:2]) == ghosts(view_of())


def test_the_delay_is_short_again_once_something_was_drawn():
    starts: list[int] = []

    def workers(_: int) -> ThreadWorkers:
        starts.append(now)
        return ThreadWorkers(1)

    now, some = 0, RenderPool(1, make=workers, check_seconds=30, timer=lambda: now)
    for now in range(0, 300, 30):
        some.respawn()
        if now > 200:
            assert ask(some, view_of()) == ghosts(view_of())
        if some._workers:
            some._workers.shutdown()  # as if they had died
        assert some.previews(view_of(), view_of().legal_actions[:2]) == ghosts(view_of())
        assert not some.live_count
    assert starts == [0, 30, 90, 210, 240, 270]


def test_artists_end_with_the_site():
    workers = RenderWorkers(1)
    workers.start()
    (process,) = workers._processes.values()
    workers._site_end.close()  # as the system does when the site ends
    process.join(LONG)
    assert process.exitcode == 0


def test_those_who_still_begin_when_the_site_ends_are_let_go(caplog):
    class Late(ThreadWorkers):
        def start(self) -> None:
            some.close()
            assert self.closed
            raise BrokenProcessPool

    made: list[ThreadWorkers] = []
    some = RenderPool(1, make=lambda _: made.append(Late(1)) or made[-1])
    some.respawn()
    some = RenderPool(1, make=lambda _: made.append(ThreadWorkers(1)) or made[-1])
    some.close()
    some.respawn()
    assert [(one.closed, one.are_ready) for one in made] == [(True, False)] * 2
    assert not some.live_count
    assert not caplog.text


@pytest.mark.exhaustive
def test_what_a_game_prints_is_no_answer(one):
    view = view_of()
    assert one._ask(print, view) is None  # nothing is wrong, and nothing came of it
    assert ask(one, view)


@pytest.mark.parametrize("count", ["-1", "many", "65", "1.5", "²"])
def test_how_many_is_a_number(count, monkeypatch, tmp_path):
    monkeypatch.setenv("ALMUNIA_RENDER_WORKERS", count)
    with pytest.raises(SetupError, match=r"ALMUNIA_RENDER_WORKERS cannot be .*from 0 to 64\."):
        Settings.from_environment(tmp_path).check()


def test_one_for_every_core_but_one_unless_somebody_says_otherwise(monkeypatch, tmp_path):
    monkeypatch.delenv("ALMUNIA_RENDER_WORKERS", raising=False)
    assert Settings.from_environment(tmp_path).render_workers == str(min(cores() - 1, DEFAULT_RENDER_WORKERS))
    monkeypatch.setattr("almunia.server.settings.cores", lambda: 1)
    assert Settings.from_environment(tmp_path).render_workers == "0"
    monkeypatch.setenv("ALMUNIA_RENDER_WORKERS", "2")
    assert Settings.from_environment(tmp_path).render_workers == "2"
