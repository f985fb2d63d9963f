"""Hidden information changes no byte of a response: neither in a page nor in a header, for all requests."""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import product
from json import dumps
from random import Random
from urllib.parse import urlencode

import pytest

from almunia import catalog
from almunia.conformance.rules import state_without_rng
from almunia.core.contract import SPECTATOR
from almunia.core.options import published_options
from almunia.library import game
from almunia.play.play import Play
from almunia.server.api.app import PREFIX
from almunia.server.tables.viewer_history import ViewerHistory
from almunia.server.web.templating import FRAGMENTS_HEADER

from .conftest import Round
from .target import cookie_of, token_of
from .wire import Request, dial
from .worlds import SEEDS, Case, guest_in, two_worlds

STEPS = 2  # actions after which the two sites are compared again
DEEP = 60  # actions before the comparison begins, at most
MOST = 3  # seats, at most
UNSURE = 3  # actions that are chosen but not confirmed
POINTS = ((120, 90), (300.5, 210))
REFUSED = 403
CLOSED = ("/record", "/record?form=json")  # refused while a game runs
BOARD = "/try/0/7/start"
PAST = ("/replay", "/replay?at=0", "/replay?at=9", "/replay?at=0&seat=0", BOARD, f"{BOARD}/text", "/try/1/0/start")
OPEN = ("", "/text", "/stream", "/record?form=odd", "/chat", *PAST)
LOBBY = ("/lobby", "/lobby/chat", "/lobby/stream", "/invitations/stream", "/my/games?page=2")
PARTS = ("/", "/my/games", "/lobby", "/lobby/chat")  # pages that can be requested in part
HOST = b"here"
EVENTS = f"{PREFIX}/events".encode()
CALLS = (
    "/position",
    "/position?include=data&include=legal&include=text&include=tensor",
    "/position?view=spectator&include=data&include=text&include=tensor",
    "/log",
    "/log?view=spectator",
    "/record",
)


def begun(name: str, rng: Random) -> Play:
    """Return a play after a random number of actions, which is not over."""
    this = game(name, "plain")
    low, high = this.meta.seats
    options = {
        option.name: rng.choice(option.choices)
        for option in published_options(this.meta.options)
        if hasattr(option, "choices")
    }
    play = this.new(rng.randint(max(low, 2), min(high, MOST)), rng.randrange(10**6), **options)
    for _ in range(rng.randrange(DEEP)):
        before = play.copy()
        play.apply(rng.choice(play.legal_actions))
        if play.over:
            return before
    return play


def requests(case: Case) -> Iterator[Request]:
    """Yield requests of the viewer about a table, valid or not, that change nothing for other players."""
    state = case.states()[0]
    cookie = cookie_of(case.targets[0].site, guest_in(case.viewer), confirm="always").encode()
    own = ((b"Host", HOST), (b"Cookie", cookie), (b"Connection", b"close"))
    table, seen = f"/table/{case.table}", state.history(case.viewer).version
    differing = sorted(set(state.play.legal_actions) ^ set(case.states()[1].play.legal_actions))
    ghosts = [f"/previews/{action}" for action in (*differing[:2], *differing[-1:], state.play.legal_actions[0])]
    for path in ("/", "/my/games", *LOBBY, *(table + more for more in (*OPEN, *CLOSED, *ghosts))):
        yield Request(b"GET", path.encode(), own)
    for path in PARTS:
        yield Request(b"GET", path.encode(), (*own, (b"HX-Request", b"true")))
    for panel, (x, y), chosen in product(state.history(case.viewer).panels, POINTS, ({}, *parts(case))):
        asked = {"panel": panel.name, "x": x, "y": y, "seen": seen} | chosen
        yield Request(b"GET", f"{table}/explain?{urlencode(asked)}".encode(), own)
    for tag in tags(case):
        yield Request(b"GET", table.encode(), (*own, (b"HX-Request", b"true"), *tag))
    for step in state.history(case.viewer).steps:
        for more in (f"at={step.version}", f"at={step.version}&first={step.version - 1}", f"scoring={step.version}"):
            yield Request(b"GET", f"{table}?{more}".encode(), own)
    for deed, fields in (
        ("move", {"action": differing[0] if differing else 0, "seat": state.play.turn, "seen": seen + 1}),
        ("move", {"action": 10**6, "seat": case.viewer, "seen": seen}),
        ("move", {"course": f"{state.play.legal_actions[0]},{10**6}", "seat": case.viewer, "seen": seen}),
        *(
            ("move", {"action": action, "seat": case.viewer, "seen": seen})
            for action in state.play.legal_actions[:UNSURE]
        ),
        *(("move", {"course": course, "seat": case.viewer, "seen": seen}) for course in courses(case)),
        ("hint", {"seat": state.play.turn, "seen": seen + 1}),
        ("hint", {"seat": state.play.turn, "seen": seen}),
        ("lesson", {"seat": state.play.turn, "seen": seen}),
        ("undo", {"seat": case.viewer, "seen": seen + 1}),
        ("reveal", {"seat": (case.viewer + 1) % 2}),
        ("bot", {"seat": (case.viewer + 1) % 2, "spec": "easy"}),
        ("rematch", {"how": "same"}),
        ("fork", {"at": 0, "seat": case.viewer, "spec": "easy"}),
        ("chat", {"words": "Hello"}),
        ("chat/mute", {"said": 99}),
        ("chat/report", {"said": 1}),
        ("reserve", {"seat": (case.viewer + 1) % 2, "who": "Ann"}),
        ("listing", {"offered": 1, "watched": 1, "open_chat": case.viewer % 2}),
        ("invite", {"seat": (case.viewer + 1) % 2, "to": "ann@example.org"}),
        ("accept", {}),
        ("decline", {"seat": case.viewer}),
        ("claim", {"seat": (case.viewer + 1) % 2, "spec": "easy"}),
        ("claim-win", {"seat": (case.viewer + 1) % 2}),
        ("remove-player", {"seat": (case.viewer + 1) % 2}),
    ):
        body = urlencode(fields).encode()
        more = ((b"Origin", b"http://here"), (b"Content-Type", b"application/x-www-form-urlencoded"))
        length = ((b"Content-Length", b"%d" % len(body)), (b"HX-Request", b"true"))
        yield Request(b"POST", f"{table}/{deed}".encode(), (*own, *more, *length), body)


def calls(case: Case) -> Iterator[Request]:
    """Yield requests of a program in the viewer's seat, valid or not, that change nothing."""
    tokens = {token_of(target.site, guest_in(case.viewer)) for target in case.targets}
    own = ((b"Host", HOST), (b"Authorization", b"Bearer " + tokens.pop().encode()), (b"Connection", b"close"))
    assert not tokens
    states = case.states()
    table, seen = f"{PREFIX}/tables/{case.table}", states[0].history(case.viewer).version
    for address in (f"{PREFIX}/tables", f"{PREFIX}/open-tables", table, *(table + more for more in CALLS)):
        yield Request(b"GET", address.encode(), own)
    sent = [("move", {"actions": [10**6], "seen": seen}), ("undo", {"seen": seen + 1}), ("leave", {"seat": 99})]
    sent += [("claim", {"seat": (case.viewer + 1) % 2 + 1}), ("propose", {"what": "back", "seat": 99})]
    for state in states:
        mine = state.play.turn == case.viewer
        tried = [[action] for action in state.play.legal_actions[:UNSURE]]
        tried += [[*course.actions] for course in state.history(state.play.turn).macro_labels[:UNSURE]]
        sent += [("move", {"actions": actions, "seen": seen + mine}) for actions in tried]
    for deed, fields in sent:
        body = dumps(fields).encode()
        more = ((b"Content-Type", b"application/json"), (b"Content-Length", b"%d" % len(body)))
        yield Request(b"POST", f"{table}/{deed}".encode(), (*own, *more), body)


def streams(case: Case) -> list[bytes]:
    """Return the first events of both sites to a program in the viewer's seat, up to `ready`."""
    said = []
    for target in case.targets:
        token = token_of(target.site, guest_in(case.viewer)).encode()
        wanted = Request(b"GET", EVENTS, ((b"Host", HOST), (b"Authorization", b"Bearer " + token)))
        with dial(target.port, wanted.sent) as connection, connection.makefile("rb") as lines:
            found = [line for line in iter(lines.readline, b"event: ready\n") if not line.startswith(b"date:")]
        said.append(b"".join(found))
    return said


def movers(case: Case) -> list[ViewerHistory]:
    """Return the histories of the seats to move at both sites."""
    return [state.history(state.play.turn) for state in case.states()]


def parts(case: Case) -> Iterator[dict[str, str]]:
    """Yield fields with a part of an action that is legal at one of the sites."""
    for history in movers(case):
        yield {f"part-{name}": value for name, value in history.action_labels[-1].parts[:1]}


def courses(case: Case) -> set[str]:
    """Return the codes of the sequences that are suggested at one of the sites."""
    return {course.code for history in movers(case) for course in history.macro_labels[:UNSURE]}


def tags(case: Case) -> Iterator[tuple[tuple[bytes, bytes], ...]]:
    """Yield headers with the fragments of a page: none, or the pictures of the seat to move at one of the sites."""
    yield ()
    for history in movers(case):
        yield (
            (FRAGMENTS_HEADER.encode(), " ".join(f"{panel.name}={panel.digest}" for panel in history.panels).encode()),
        )


def look(case: Case) -> None:
    """Check that both sites respond alike to all requests."""
    for request in (*requests(case), *calls(case)):
        first, second = case.answers(request)
        assert first == second, f"seat {case.viewer} of {case.states()[0].play}: {request.sent!r}"
        assert str(SEEDS)[:-3] not in first.text
        if request.target.decode().endswith(CLOSED):
            assert first.status == REFUSED
    one, other = streams(case)
    assert one == other, f"seat {case.viewer} of {case.states()[0].play}: the stream of events"
    assert (case.table.encode() in one) == (case.viewer != SPECTATOR)


@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [["oregon"], pytest.param(catalog.game_packages(), marks=pytest.mark.exhaustive)], ids=["oregon", "all"]
)
def test_responses_do_not_depend_on_hidden_information(
    rounds: Iterator[Round], names: Collection[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for rng, folder in rounds:
        found: Counter[str] = Counter()
        with two_worlds(folder, monkeypatch) as worlds:
            for name in names:
                play = begun(name, rng)
                for viewer in (SPECTATOR, *range(play.seats)):
                    other = play.observe(viewer).determinize(rng.randrange(10**6))
                    found["other"] += state_without_rng(other) != state_without_rng(play)
                    case = worlds.case(viewer, (play, other))
                    look(case)
                    for _ in range(STEPS):
                        if not case.act(rng):
                            break
                        found["step"] += 1
                        case.hint()
                        look(case)
        assert found["other"] > len(names)
        assert found["step"] > 0
