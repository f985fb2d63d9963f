"""Odd requests to all routes: some are valid, and most are not."""

import re
from functools import cache
from json import dumps
from pathlib import Path
from random import Random
from time import time
from typing import Any
from urllib.parse import quote, urlencode

from starlette.routing import BaseRoute, Mount

import almunia
import almunia.server
from almunia import bots, catalog
from almunia.server.daily.service import current_deal
from almunia.server.puzzles.service import find_puzzle

from .target import Call, Target, token_of
from .wire import Request

SERVER = Path(almunia.server.__file__).parent
FIELD = re.compile(r'(?:form|fields)\.(?:has|text|number|upload)\("([a-z-]+)"')
NUMBERS = ("", " ", "-1", "0", "1", "7", "99", "9" * 19, "9" * 40, "9" * 5000, "1e9", "0x1", "+1", "1_0", "٣")
ODD = (*NUMBERS, ".", "..", "null", "[]", "a\0b", "\r\nX-Odd: 1", "é", "\U0001d518", "\ud800", "a\u202eb", "<b>", "'--")
ODD += ("%s", "{0}", "x" * 300, "/", "//a")
TAILS = (b"", b"/", b"/..", b"/%2e%2e/%2e%2e/session.key", b"//", b"%00", b"\x00", b"\xff", b"%ff", b"#x", b";x", b"?")
TAILS += (b"/" + b"a" * 3000, b"/" + b"a" * 70_000, "é".encode(), b"%c3%28", b" ", b"\\", b"%0d%0aX:%20y", b"?a=%ff&a")
METHODS = (
    b"PUT",
    b"PATCH",
    b"DELETE",
    b"OPTIONS",
    b"TRACE",
    b"CONNECT",
    b"get",
    b"QUERY",
    b"P\xd6ST",
    b"GET GET",
    b"\0",
)
FORM, JSON = b"application/x-www-form-urlencoded", b"application/json"
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0.5,
    10**30,
    "",
    "x",
    "\ud800",
    "a\0b",
    "9" * 400,
    [],
    ["x"],
    [[]],
    {},
    {"a": {}},
)
PUZZLE = "orchard-1"
RECORD = str(almunia.game("orchard", "plain").new(seed=5).record())
REVOKED = "f" * 16  # this token is often revoked
KINDS = (FORM, FORM, FORM + b"; charset=utf-16", FORM + b"; charset=nonsense", b"multipart/form-data", b"text/plain")
KINDS += (
    b"multipart/form-data; boundary=x",
    b"multipart/form-data; boundary=" + b"x" * 300,
    b"application/json",
    b"\xff",
)
LENGTHS = (b"", b"-1", b"99999999999", b"+5", b"0x5", b"5, 5", b"\xb2")
ORIGINS = (b"null", b"http://elsewhere.example", b"http://[", b"", b"\xff", b"http://127.0.0.1")
HOSTS = (b"elsewhere.example", b"", b"[::1", b"a b", b"127.0.0.1:99999", b"\xff.example", b"x" * 300)
MORE = (
    (b"If-None-Match", (b"*", b'W/"', b"\xff", b'"' + b"x" * 5000)),
    (
        b"Range",
        (b"bytes=0-3", b"bytes=-1", b"bytes=9-1", b"bytes=99999999-", b"bytes=0-1,3-4", b"lines=1", b"bytes=" * 9),
    ),
    (b"If-Range", (b"*", b"yesterday")),
    (b"Accept-Encoding", (b"gzip", b"gzip;q=x", b"\xff", b"br")),
    (b"HX-Request", (b"true", b"false")),
    (b"X-Forwarded-For", (b"10.0.0.1", b"\xff", b"a,b,,", b"[::")),
    (b"X-Forwarded-Proto", (b"https", b"gopher", b"")),
    (b"Sec-Fetch-Site", (b"same-origin", b"cross-site")),
    (b"Expect", (b"100-continue", b"miracles")),
    (b"Cookie", (b"almunia=", b"almunia=e30=.x.y", b"=;=;;", b"\xff=\xfe", b"a=" + b"b" * 5000, b'almunia="\\377"')),
)


class Attacker:
    """Makes random requests to a site, with its guests, tokens and tables."""

    def __init__(self, target: Target, rng: Random, guests: dict[str, bytes]) -> None:
        self.target, self.rng = target, rng
        self.guests = guests  # cookies, by the guests' ids
        self.tokens = {
            guest: token_of(target.site, guest, f"{number:016x}").encode() for number, guest in enumerate(guests)
        }
        token_of(target.site, next(iter(guests)), REVOKED)
        self.tables: list[str] = []  # ids, newest last
        self.tags: list[bytes] = []  # entity tags of earlier responses
        self.fitting: dict[str, Any] = {}  # valid values of fields for the current request
        self.wanted = target.wanted() + 2 * [(route, method) for route, method in target.wanted() if method == "POST"]

    def request(self, late: bool) -> Request:
        """Return a random request. Late requests are mostly valid, so that each route succeeds once."""
        due = self.target.missing()
        route, method = self.rng.choice(due if due and self.rng.random() < (0.7 if late else 0.3) else self.wanted)
        sane = self.rng.random() < (0.9 if late else 0.5)
        table = self.table(sane, undoing=getattr(route, "path", "").endswith("/undo"))
        self.fitting = self.offered(table)
        target = self.address(route, sane)
        if isinstance(route, Call):
            return self.call(route, target, method, table, sane)
        headers = [(b"Host", self.own_host), (b"Cookie", self.cookie(table, sane)), (b"Connection", b"close")]
        body = b""
        if method == "POST":
            body, kind = self.body(sane)
            headers += [(b"Origin", b"http://" + self.own_host), (b"Content-Type", kind)]
            headers += [(b"Content-Length", b"%d" % len(body))]
        if sane:
            return Request(method.encode(), target, tuple(headers), body)
        odd = self.rng.choice(METHODS) if self.rng.random() < 0.1 else method.encode()
        return Request(odd, target, self.spoilt(headers), body)

    def call(self, route: Call, target: bytes, method: str, table: str, sane: bool) -> Request:
        """Return a request to the API."""
        token = (b"Authorization", b"Bearer " + self.token(table, sane))
        headers, body = [(b"Host", self.own_host), token, (b"Connection", b"close")], b""
        if method == "POST":
            body = self.json(route, table, sane)
            kind = JSON if sane else self.rng.choice((JSON, JSON, *KINDS))
            headers += [(b"Content-Type", kind), (b"Content-Length", b"%d" % len(body))]
        if sane:
            return Request(method.encode(), target, tuple(headers), body)
        odd = self.rng.choice(METHODS) if self.rng.random() < 0.1 else method.encode()
        return Request(odd, target, self.spoilt(headers, secret=b"Authorization"), body)

    def token(self, table: str, sane: bool) -> bytes:
        """Return the token of a guest. A valid request gets that of the player to move, if there is one."""
        state = self.target.site.tables.get(table)
        holder = state.table.seats[state.table.turn].player
        return self.tokens.get(holder if sane else "") or self.rng.choice(list(self.tokens.values()))

    def json(self, route: Call, table: str, sane: bool) -> bytes:
        """Return the body of a request to the API, which may be odd unless `sane`."""
        state = self.target.site.tables.get(table)
        turn, legal = state.play.turn, state.play.legal_actions or (0,)
        free = [i for i, seat in enumerate(state.table.seats) if seat.kind == "open"] or [0]
        fitting = {
            "action": find_puzzle(PUZZLE).puzzle.solution.action,
            "actions": [self.rng.choice(legal)],
            "seen": state.history(turn).version,
            "turn": self.rng.random() < 0.5,
            "game": self.rng.choice(("orchard", "oregon")),
            "seats": ["me", self.rng.choice(("open", "easy"))],
            "invitation": self.target.site.invitations.create(table, self.rng.choice(free)),
            "name": "Robot",
            "bot": "easy",
            "seat": turn + 1,
        }
        names = route.sent.model_fields if route.sent else {}
        fields = {name: fitting[name] for name in names if name in fitting}
        if not sane:
            for name in [name for name in names if self.rng.random() < 0.3]:
                fields[name] = self.rng.choice(VALUES)
        whole = dumps(fields).encode()
        if sane or self.rng.random() < 0.7:
            return whole
        return self.rng.choice(
            (whole[:-1], b"", b"[" * 3000, b"null", b'{"seen": ' + b"9" * 5000 + b"}", b"\xff", whole * 2)
        )

    def table(self, sane: bool, undoing: bool) -> str:
        """Return the id of a table, for a valid undo one at which an undo is possible, if there is one."""
        able = [table for table in self.tables if self.can_undo(table)] if sane and undoing else []
        return self.rng.choice(able or self.tables)

    def can_undo(self, table: str) -> bool:
        return self.target.site.tables.get(table).play.can_undo

    # --- addresses ----------------------------------------------------------------------

    def address(self, route: BaseRoute, sane: bool) -> bytes:
        """Return an address of a route with parameters, which may be odd unless `sane`."""
        path = route.path + "/{path:path}" if isinstance(route, Mount) else route.path  # type: ignore[attr-defined]
        made = re.sub(
            r"{(\w+)(?::\w+)?}", lambda found: quote(self.value(found[1], sane), safe="", errors="replace"), path
        )
        asked = route.asked if isinstance(route, Call) else getattr(getattr(route, "endpoint", None), "asked", ["v"])
        pairs = [(name, self.value(name, sane)) for name in asked if self.rng.random() < 0.5]
        query = urlencode(pairs, errors="replace").encode()
        tail = b"" if sane else self.rng.choice(TAILS) if self.rng.random() < 0.3 else b""
        return made.encode() + tail + (b"?" + query if query else b"")

    def value(self, name: str, sane: bool) -> str:
        """Return a value for a field or a parameter. A new name must be added to `offered`."""
        key = next((key for key in self.fitting if fits(key, name)), None)
        assert key, f"nothing is offered for {name!r}"
        found = str(self.rng.choice(self.fitting[key]))
        if sane or self.rng.random() < 0.6:
            return found
        return self.rng.choice(NUMBERS if found.isdigit() else ODD)

    def offered(self, table: str) -> dict[str, Any]:
        """Return the fitting values by patterns of names."""
        state = self.target.site.tables.get(table)
        turn, legal = state.play.turn, state.play.legal_actions or (0,)
        invite = self.target.site.invitations.create
        solution = find_puzzle(PUZZLE).puzzle.solution.action
        return {
            "table_id": [table],
            "token_id": [REVOKED],
            "label": ["A program"],
            "link": ["0" * 16 + "-" + "a" * 43],
            "passkey_id|session_id": ["f" * 16],
            "mail": ["ann@example.org"],
            "password|twice": ["a long password"],
            "credential": ["{}"],
            "everything": ["no"],
            "make|came|left|rated|saved": [0, 1],
            "done": ["out", "made"],
            "include": ["data", "legal", "text", "tensor"],
            "tensor": ["list", "base64"],
            "view": ["seat", "spectator"],
            "page|start": [1, 2],
            "path": ["site.css", "table.js", "icon.svg"],
            "action": [*legal[:3], solution],
            "course": [*legal[:3], ",".join(map(str, legal[:2]))],
            "panel": ["board", "orchard", "hand"],
            "x|y": ["0", "120.5", "-3"],
            "hints": ["1"],
            "scoring": range(3),
            "actions": [",".join(map(str, legal[:3])), str(solution)],
            "invitation": [invite(table, seat) for seat in range(len(state.table.seats))],
            "seat": [turn] * 6 + [0, 1],
            "seen": [state.history(turn).version],
            "sure|lasts": [0, 1],
            "line": [state.history(turn).version, f"{state.history(turn).version}-{legal[0]}", "7-1"],
            "answer|key": ["0" * 12],
            "seats": [2, 3],
            "block": [0, 1],
            "do": ["follow", "unfollow", "block", "unblock", "enter", "leave", "start"],
            "puzzle|puzzle_id": [PUZZLE, PUZZLE, "daily"],
            "solution": [0, 1],
            "move": [solution],
            "tournament": self.target.tournaments() or ["gone"],
            "kind": ["swiss", "round-robin", "groups", "arena"],
            "places|rounds|groups|finalists": [2, 3],
            "minutes": [10, 60],
            "bot": ["", "easy"],
            "first": [state.history(turn).version],
            "pace|confirm": ["fast", "never"],
            "turn|quick": ["1"],
            "at": range(3),
            "form": ["text", "json"],
            "record|file": [RECORD, RECORD[:-9], ""],
            "guess": range(3),
            "tried": ["start", "start", str(legal[0])],
            "mark": ["0.0.0"],
            "spec": list(bots.LEVELS),
            "how": ["new", "same", "sequel-0"],
            "clock": ["", "live-5", "slow-24"],
            "zero": ["claim", "bot", "nothing"],
            "absence_timeout": [300, 0],
            "agree|begin": [0, 1],
            "offered|watched|open_chat": [0, 1, 1],
            "offer|handle": self.target.offers() or ["gone"],
            "order": ["chosen", "random"],
            "state": ["", "waiting", "over", "hidden"],
            "company": ["", "people", "bots"],
            "outcome": ["", "won", "lost"],
            "after": [table],
            "person|friend|player": self.target.people() or ["gone"],
            "deal": [current_deal(name, time()).name for name in ("orchard", "oregon")],
            "better|hidden|ready_check|unrated": [0, 1],
            "delete": ["no"],  # the tables and people must not vanish during the attack
            "game": [*catalog.game_packages()],
            "words": ["Hello", "Good game & thanks"],
            "phrase": ["", 1, 2],
            "said": [1, 2, 3],
            "muted": ["", "nobody"],
            "who": ["Ann", "Ben"],
            "to": ["ann@example.org", "https://127.0.0.1/"],  # no address outside of this machine
            "endpoint": ["https://127.0.0.1/push", "https://[::1]/"],
            "p256dh|auth": ["AA", "B" * 87],
            "live|slow|reminders|private": [1, 0],
            "channel": ["0" * 16],
            "signed": ["x", "IngiLmFiYw"],
            "what": ["end", "back"],
            "hours-first": [0, 8],
            "hours-last": [22, 24],
            "hours-weekends": ["1"],
            "hours-zone": ["UTC", "Europe/Berlin"],
            "theme": ["dark", "light", "auto"],
            "back": ["/my/games", "/"],
            "v": ["1"],
            "challenge": ["", "first"],
            "seed": ["", "5"],
            r"seat-\d": ["me", "here", "friend", "nobody", "bot-easy"],
            r"name-\d": ["Bea", ""],
            r"option-.*": ["first", "second", "hands hidden", ""],
            # names of games and of people
            "name": [*catalog.game_packages(), "Ana"],
        }

    # --- forms and headers --------------------------------------------------------------

    def body(self, sane: bool) -> tuple[bytes, bytes]:
        """Return the body of a form and its content type."""
        names = [name for name in sorted(fields_read()) if self.rng.random() < (0.9 if sane else 0.6)]
        names += [f"seat-{i}" for i in range(3)] + [f"name-{i}" for i in range(2)] + ["option-half"]
        if self.rng.random() < 0.5:
            names = [name for name in names if name not in ("challenge", "quick")]
        if not sane and self.rng.random() < 0.2:
            names = names * 2 if self.rng.random() < 0.8 else names * 120
        pairs = [(name, self.value(name, sane)) for name in names]
        if sane or self.rng.random() < 0.6:
            return urlencode(pairs, errors="replace").encode(), FORM
        parts = [f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in pairs]
        whole = ("".join(parts) + "--x--\r\n").encode(errors="replace")
        return self.rng.choice((whole, whole[:-9], bytes(self.rng.randbytes(200)), b"")), self.rng.choice(KINDS)

    @property
    def own_host(self) -> bytes:
        """The host of the site."""
        return b"127.0.0.1:%d" % self.target.port

    def cookie(self, table: str, sane: bool) -> bytes:
        """Return the cookie of a guest. A valid request gets that of the player to move, if there is one."""
        state = self.target.site.tables.get(table)
        holder = state.table.seats[state.table.turn].player
        return self.guests.get(holder if sane else "") or self.rng.choice(list(self.guests.values()))

    def spoilt(self, headers: list[tuple[bytes, bytes]], secret: bytes = b"Cookie") -> tuple[tuple[bytes, bytes], ...]:
        """Return the headers with random errors and additions."""
        found = dict(headers)
        for name, values in ((b"Host", HOSTS), (b"Origin", ORIGINS), (b"Content-Length", LENGTHS)):
            if name in found and self.rng.random() < 0.1:
                found[name] = self.rng.choice(values)
        if self.rng.random() < 0.2:
            cookie = bytearray(found[secret])
            cookie[self.rng.randrange(len(cookie))] = self.rng.choice(b'.=;"aA0-')
            found[secret] = bytes(cookie)
        if self.rng.random() < 0.1:
            del found[self.rng.choice(list(found))]
        pairs = list(found.items())
        for name, values in MORE:
            if self.rng.random() < 0.15:
                tags = tuple(self.tags[-5:]) if name == b"If-None-Match" else ()
                pairs.append((name, self.rng.choice(values + tags)))
        return tuple(pairs)


@cache
def fits(pattern: str, name: str) -> bool:
    return re.fullmatch(pattern, name) is not None


@cache
def fields_read() -> set[str]:
    """Return the names of all form fields that the site reads."""
    return {name for path in SERVER.rglob("*.py") for name in FIELD.findall(path.read_text("utf-8"))}
