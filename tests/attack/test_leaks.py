"""What a reader may not know changes no byte of any answer: neither page nor header, whatever is asked for."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from urllib.parse import urlencode

import pytest

from almunia.conformance.rules import without_luck
from almunia.core import registry
from almunia.core.contract import SPECTATOR
from almunia.core.game import game
from almunia.core.play import Play

from .conftest import Round
from .target import cookie_of
from .wire import Request
from .worlds import SEEDS, Case, guest_in, two_worlds

STEPS = 2  # actions after which a case is looked at again
DEEP = 60  # actions before a case begins, at most
REFUSED = 403
CLOSED = ("/record", "/record?form=json", "/replay", "/replay?at=0&seat=0")  # while a play runs
OPEN = ("", "/words", "/stream", "/record?form=odd")
HOST = b"here"


def begun(name: str, rng: Random) -> Play:
    """A play of a game, somewhere on its way."""
    this = game(name, "plain")
    low, high = this.meta.seats
    play = this.new(rng.randint(max(low, 2), min(high, 3)), rng.randrange(10**6))
    for _ in range(rng.randrange(DEEP)):
        before = play.copy()
        play.apply(rng.choice(play.legal))
        if play.over:
            return before
    return play


def requests(case: Case) -> Iterator[Request]:
    """Whatever the reader can ask for at a table, rightly or wrongly, that changes nothing there."""
    snapshot = case.snapshots()[0]
    cookie = cookie_of(case.targets[0].site, guest_in(case.reader)).encode()
    own = ((b"Host", HOST), (b"Cookie", cookie), (b"Connection", b"close"))
    table, seen = f"/table/{case.table}", snapshot.diary(case.reader).seen
    differing = sorted(set(snapshot.play.legal) ^ set(case.snapshots()[1].play.legal))
    ghosts = [f"/ghosts/{action}" for action in (*differing[:2], *differing[-1:], snapshot.play.legal[0])]
    for path in ("/", "/tables", *(table + more for more in (*OPEN, *CLOSED, *ghosts))):
        yield Request(b"GET", path.encode(), own)
    for x, y in ((0, 0), (120, 90), (300.5, 210), (420, 380)):
        panel = snapshot.diary(case.reader).panels[0].name
        yield Request(b"GET", f"{table}/why?panel={panel}&x={x}&y={y}&seen={seen}".encode(), own)
    yield Request(b"GET", table.encode(), (*own, (b"HX-Request", b"true")))
    for deed, fields in (
        ("act", {"action": differing[0] if differing else 0, "seat": snapshot.play.turn, "seen": seen + 1}),
        ("act", {"action": 10**6, "seat": case.reader, "seen": seen}),
        ("act", {"course": f"{snapshot.play.legal[0]},{10**6}", "seat": case.reader, "seen": seen}),
        ("hint", {"seat": snapshot.play.turn, "seen": seen + 1}),
        ("undo", {"seat": case.reader, "seen": seen + 1}),
        ("look", {"seat": (case.reader + 1) % 2}),
        ("bot", {"seat": (case.reader + 1) % 2, "spec": "easy"}),
        ("again", {"how": "same"}),
    ):
        body = urlencode(fields).encode()
        more = ((b"Origin", b"http://here"), (b"Content-Type", b"application/x-www-form-urlencoded"))
        length = ((b"Content-Length", b"%d" % len(body)), (b"HX-Request", b"true"))
        yield Request(b"POST", f"{table}/{deed}".encode(), (*own, *more, *length), body)


def look(case: Case) -> None:
    """Ask both sites for everything."""
    for request in requests(case):
        first, second = case.answers(request)
        assert first == second, f"seat {case.reader} of {case.snapshots()[0].play}: {request.sent!r}"
        assert str(SEEDS)[:-3] not in first.text
        if request.target.decode().endswith(CLOSED):
            assert first.status == REFUSED


@pytest.mark.slow
@pytest.mark.usefixtures("no_bots")
def test_two_worlds_look_the_same(rounds: Iterator[Round], monkeypatch: pytest.MonkeyPatch) -> None:
    for rng, folder in rounds:
        found: Counter[str] = Counter()
        with two_worlds(folder, monkeypatch) as worlds:
            for name in registry.packages():
                play = begun(name, rng)
                for reader in (SPECTATOR, *range(play.seats)):
                    other = play.observe(reader).redeal(rng.randrange(10**6))
                    found["other"] += without_luck(other) != without_luck(play)
                    case = worlds.case(reader, (play, other))
                    look(case)
                    for _ in range(STEPS):
                        if not case.act(rng):
                            break
                        found["step"] += 1
                        look(case)
        assert found["other"] > len(registry.packages())
        assert found["step"] > 0
