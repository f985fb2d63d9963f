"""Processes that draw beside the one that serves: what they give back, and what happens where they do not."""

import os
import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from threading import Event

import pytest

from almunia.engine.pool import cores
from almunia.errors import SetupError
from almunia.library import game
from almunia.play import panels
from almunia.play.play import Observation
from almunia.play.serialization import compat_key
from almunia.server.app import create_app
from almunia.server.background import run_tasks
from almunia.server.rendering import pool
from almunia.server.rendering.pool import MAX_RESTART_SECONDS, RenderPool, RenderWorker, WorkerDied
from almunia.server.rendering.worker import RenderJob, RenderResult
from almunia.server.settings import DEFAULT_RENDER_WORKERS, Settings
from almunia.server.tables import rendering

from ..serving import in_event_loop
from ..tiers import games, rest
from ..waiting import wait_until
from .conftest import ORIGIN, Visitor

pytestmark = pytest.mark.slow  # an artist is a process, which takes a second to begin

NAMES = "Ana", "مریم", "<b>", "D", "E"
LONG = 60.0  # seconds
OFTEN = 0.1  # seconds between two looks at whether an artist is missing
MOMENTS = 12  # of a play
# An artist that answers whatever it is asked with something else.
SAYS = """import pickle, sys
sys.stdout.buffer.write(pickle.dumps("ready"))
sys.stdout.flush()
sys.stdin.buffer.read(1)
sys.stdout.buffer.write(sys.argv[1].encode())
sys.stdout.flush()
sys.stdin.buffer.read()
"""


@pytest.fixture
def timeouts() -> dict[str, float]:
    """Return the timeouts of an artist; tests may parametrize them."""
    return {}


@contextmanager
def started(some: RenderPool) -> Iterator[RenderPool]:
    """Start a pool, and close it at the end of the block."""
    some.task.trigger()
    with in_event_loop(run_tasks(some.task)):
        yield some
    some.close()


@pytest.fixture
def one(timeouts: dict[str, float]) -> Iterator[RenderPool]:
    """One artist, who is there."""
    with started(RenderPool(1, make=partial(RenderWorker, **timeouts), check_seconds=OFTEN)) as found:
        wait_until(lambda: found.live_count, "the artist is there")
        yield found


@pytest.fixture
def drawn_here(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What this process draws itself."""
    seen, draw = [], panels.draw_picture
    monkeypatch.setattr(panels, "draw_picture", lambda panel: seen.append(panel) or draw(panel))
    return seen


def process_of(some: RenderPool) -> int:
    """The number of the process of the only artist."""
    (artist,) = some._workers
    return artist._process.pid


@pytest.mark.parametrize("name", games())
def test_an_artist_draws_what_the_site_would(name, one):
    play = game(name).new(seed=3)
    while not play.over and len(play.actions) < MOMENTS:
        for seat in (*range(play.seats), -1):
            view = play.observe(seat)
            given = view.legal_actions, NAMES, True, [panel.name for panel in panels.describe_panels(view)]
            assert one._ask(rendering.render_all, view, *given) == rendering.render_all(view, *given)
        view = play.observe(play.turn)
        some = view.legal_actions[:3]
        assert (
            one._ask(rendering.move_previews, view, some)
            == rendering.move_previews(view, some)
            == one.previews(view, some)
        )
        play.apply(view.legal_actions[-1])


def test_pages_are_drawn_beside_the_site_and_the_same(tmp_path, drawn_here):
    def pages(count: str, folder: Path) -> list[str]:
        app = create_app(Settings(data=folder, render_workers=count, compiled=False))
        with Visitor(app, headers={"Origin": ORIGIN}) as visitor:
            wait_until(lambda: app.state.site.render_pool.live_count == int(count), "the artists are there")
            table = visitor.open("orchard", **{"seat-0": "me", "seed": "5"})
            drawn_here.clear()  # the game itself has been tried
            panels.PICTURES.clear()
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
    view, before = game("orchard").new(seed=1).observe(0), process_of(one)
    wanted = rendering.move_previews(view, view.legal_actions[:2])
    os.kill(before, signal.SIGKILL)
    assert one.previews(view, view.legal_actions[:2]) == wanted
    assert "the next check starts another" in caplog.text
    wait_until(lambda: one.live_count, "another artist is there")
    assert process_of(one) != before
    assert one._ask(rendering.move_previews, view, view.legal_actions[:2]) == wanted


@pytest.mark.parametrize("answer", rest(["cno_such_module\nname\n.", "cos\nno_such_name\n.", "I1\n.", "?"], "?"))
def test_one_whose_answer_cannot_be_read_is_replaced(answer):
    """As of another version of the site, which was installed meanwhile."""
    commands = chain([(sys.executable, "-c", SAYS, answer)], repeat(pool.WORKER_COMMAND))
    some = RenderPool(1, make=lambda: RenderWorker(next(commands)), check_seconds=OFTEN)
    with started(some):
        wait_until(lambda: some.live_count, "the artist is there")
        before = process_of(some)
        view = game("orchard").new(seed=1).observe(0)
        assert some.previews(view, view.legal_actions[:2]) == rendering.move_previews(view, view.legal_actions[:2])
        wait_until(lambda: some.live_count, "the artist is there")
        assert process_of(some) != before


def test_one_that_has_said_something_else_is_asked_no_more():
    artist = RenderWorker((sys.executable, "-c", SAYS, "I1\n."))
    wait_until(lambda: artist.is_ready, "the artist is there")
    for _ in range(2):
        with pytest.raises(WorkerDied):
            artist.render(b"anything")
    assert artist._process.poll() is None, "it is there"
    assert artist._has_ended, "and it is not waited for"
    artist.stop()


@pytest.mark.exhaustive
def test_one_who_has_been_gone_for_long_is_replaced(one):
    view, before = game("orchard").new(seed=1).observe(0), process_of(one)
    (artist,) = one._workers
    artist._process.kill()
    artist._process.wait()
    assert one.previews(view, view.legal_actions[:2]) == rendering.move_previews(view, view.legal_actions[:2])
    wait_until(lambda: one.live_count, "another artist is there")
    assert process_of(one) != before


@pytest.mark.exhaustive
@pytest.mark.parametrize("timeouts", [{"lost_seconds": 0.2}])
def test_one_who_does_not_answer_is_replaced(one):
    view, before = game("orchard").new(seed=1).observe(0), process_of(one)
    os.kill(before, signal.SIGSTOP)
    assert one.previews(view, view.legal_actions[:2]) == rendering.move_previews(view, view.legal_actions[:2])
    wait_until(lambda: one.live_count, "another artist is there")
    assert process_of(one) != before
    with pytest.raises(ProcessLookupError):
        os.kill(before, 0)


def task_of(view: Observation, actions: Sequence[int]) -> bytes:
    """What an artist is sent who is asked for ghosts."""
    return pickle.dumps(
        RenderJob(
            rendering.move_previews, view.game.name, compat_key(view.game), view.to_state(), view.seat, (actions,)
        )
    )


def asked_together(
    one: RenderPool, questions: list[tuple[Observation, Sequence[int]]]
) -> list[Future[RenderResult | None]]:
    """Ask for ghosts in threads of their own, one after the other, until the artist knows of all; it may be stopped."""
    (artist,) = one._workers
    crowd = ThreadPoolExecutor(len(questions))
    found = []
    for number, (view, actions) in enumerate(questions, 1):
        found.append(crowd.submit(artist.render, task_of(view, actions)))
        wait_until(lambda count=number: artist.load == count, "the artist knows of all")
    crowd.shutdown(wait=False)
    return found


@pytest.mark.parametrize("timeouts", [{"late_seconds": LONG}])
def test_those_who_ask_at_once_are_answered_in_turn(one):
    views = [game("orchard").new(seed=seed).observe(0) for seed in (1, 2, 3)]
    os.kill(process_of(one), signal.SIGSTOP)
    found = asked_together(one, [(view, view.legal_actions[:2]) for view in views])
    os.kill(process_of(one), signal.SIGCONT)
    wanted = [rendering.move_previews(view, view.legal_actions[:2]) for view in views]
    assert [each.result(LONG).value for each in found] == wanted, "each gets what it has asked for"
    assert len({*map(tuple, wanted)}) == len(wanted)


@pytest.mark.parametrize("timeouts", [{"late_seconds": 0.05}])
def test_nobody_waits_long_for_one_who_is_busy(one):
    views = [game("orchard").new(seed=seed).observe(0) for seed in (1, 2)]
    os.kill(process_of(one), signal.SIGSTOP)
    first, second = asked_together(one, [(view, view.legal_actions[:1]) for view in views])
    assert second.result(LONG) is None, "it stood behind another"
    assert one._ask(rendering.move_previews, views[1], views[1].legal_actions[:1]) is None
    assert next(iter(one._workers)).load == 1, "it is not even asked"
    assert one.previews(views[1], views[1].legal_actions[:1]) == rendering.move_previews(
        views[1], views[1].legal_actions[:1]
    )
    assert not first.done()
    os.kill(process_of(one), signal.SIGCONT)
    assert first.result(LONG).value == rendering.move_previews(views[0], views[0].legal_actions[:1])
    assert not next(iter(one._workers)).load
    assert one._ask(rendering.move_previews, views[1], views[1].legal_actions[:1]), "it goes on"


@pytest.mark.exhaustive
@pytest.mark.parametrize("timeouts", [{"late_seconds": LONG, "lost_seconds": 10 * LONG}])
def test_all_who_wait_for_one_who_is_killed_draw_by_themselves(one):
    views = [game("orchard").new(seed=seed).observe(0) for seed in (1, 2, 3)]
    os.kill(process_of(one), signal.SIGSTOP)
    found = asked_together(one, [(view, view.legal_actions[:2]) for view in views])
    os.kill(process_of(one), signal.SIGKILL)
    for each in found:
        with pytest.raises(WorkerDied):
            each.result(LONG)
    assert one.previews(views[0], views[0].legal_actions[:2]) == rendering.move_previews(
        views[0], views[0].legal_actions[:2]
    )
    wait_until(lambda: one.live_count, "another artist is there")


@pytest.mark.exhaustive
def test_whoever_has_least_to_do_is_asked():
    with started(RenderPool(2)) as some, ThreadPoolExecutor(1) as crowd:
        wait_until(lambda: some.live_count == 2, "both artists are there")
        busy = some._least_busy()
        os.kill(busy._process.pid, signal.SIGSTOP)
        view = game("orchard").new(seed=1).observe(0)
        crowd.submit(busy.render, task_of(view, view.legal_actions[:1]))
        wait_until(lambda: busy.load, "the artist has been asked")
        assert some._least_busy() is not busy
        some.close()


def test_what_an_artist_cannot_do_the_site_does_and_says_so(one, monkeypatch, caplog):
    other = {"game": "orchard", "rules": "another", "components": "another"}
    monkeypatch.setattr(pool, "compat_key", lambda _: other)
    view = game("orchard").new(seed=1).observe(0)
    assert one.previews(view, view.legal_actions[:1]) == rendering.move_previews(view, view.legal_actions[:1])
    assert "A worker could not render Orchard: RecordError: " in caplog.text
    monkeypatch.undo()
    assert one._ask(rendering.move_previews, view, view.legal_actions[:1]), "it goes on"


@pytest.mark.parametrize("command", rest([("-c", "raise SystemExit(1)"), None], None))
def test_one_that_does_not_begin_leaves_the_site_as_it_is_and_comes_later(command, caplog):
    """The system may have no room for a process more for a while, and nobody wants a traceback of it."""
    failing, room = (sys.executable, *command) if command else (str(Path("no", "such")),), Event()
    some = RenderPool(1, make=lambda: RenderWorker() if room.is_set() else RenderWorker(failing), check_seconds=OFTEN)
    with started(some):
        wait_until(lambda: "has not started" in caplog.text, "the log says so")
        assert "Traceback" not in caplog.text
        assert not some.live_count
        view = game("orchard").new(seed=1).observe(0)
        assert some.previews(view, view.legal_actions[:1]) == rendering.move_previews(view, view.legal_actions[:1])
        room.set()
        wait_until(lambda: some.live_count, "the artist is there")


def test_those_that_do_not_begin_are_started_again_after_a_growing_delay():
    starts: list[int] = []

    def failing() -> RenderWorker:
        starts.append(now)
        raise OSError("no room for a process")

    some = RenderPool(1, make=failing, check_seconds=30, timer=lambda: now)
    for now in range(0, 3600, 30):  # noqa: B007 - the pool's clock
        some.respawn_missing()
    assert starts == [0, 30, 90, 210, 450, 930, 930 + MAX_RESTART_SECONDS, 930 + 2 * MAX_RESTART_SECONDS]


def test_the_delay_is_short_again_once_all_have_lived_for_a_while():
    starts: list[int] = []

    class Artist:
        """One that is gone at once; later on, it lives for two minutes."""

        is_ready = True

        def __init__(self) -> None:
            starts.append(now)

        @property
        def is_lost(self) -> bool:
            return now < 200 or now >= starts[-1] + 120

        def stop(self) -> None:
            """End."""

    some = RenderPool(1, make=Artist, check_seconds=30, timer=lambda: now)
    for now in range(0, 600, 30):  # noqa: B007 - the pool's clock
        some.respawn_missing()
    assert starts == [0, 30, 90, 210, 330, 450, 570]


def test_artists_end_with_the_site():
    artist = RenderWorker()
    wait_until(lambda: artist.is_ready, "the artist is there")
    artist._job_pipe.close()
    assert artist._process.wait(LONG) == 0, "nobody is left to ask"
    view = game("orchard").new(seed=1).observe(0)
    with pytest.raises(WorkerDied):
        artist.render(pickle.dumps(RenderJob(rendering.move_previews, "orchard", {}, view.to_state(), 0, ((),))))
    artist.stop()


@pytest.mark.exhaustive
def test_what_a_game_prints_is_no_answer(one):
    view = game("orchard").new(seed=1).observe(0)
    assert one._ask(print, view) is None  # nothing is wrong, and nothing came of it
    assert one._ask(rendering.move_previews, view, view.legal_actions[:1])


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
