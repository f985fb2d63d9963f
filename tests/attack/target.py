"""The site under attack, the statuses of its responses, and checks of its database."""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from itsdangerous import TimestampSigner
from sqlalchemy import delete, insert, text
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from almunia.core.contract import NONE, SPECTATOR
from almunia.library import Game
from almunia.server.api.app import PREFIX
from almunia.server.app import create_app
from almunia.server.auth.api_tokens import hash_secret
from almunia.server.background import PeriodicTask
from almunia.server.clock import SYSTEM_CLOCK, Clock
from almunia.server.http_server import make_protocol
from almunia.server.limits import DEFAULT_LIMITS, Limits
from almunia.server.settings import Settings
from almunia.server.site import Site
from almunia.server.storage import schema
from almunia.server.tables.log import PLAYER, Piece
from almunia.server.tables.model import Table
from almunia.server.tables.state import TableState
from almunia.server.tables.viewer_history import Hint, ViewerHistory
from almunia.server.tokens import new_table_id
from almunia.server.users.visitors import COOKIE_NAME

from ..serving import answering
from ..waiting import wait_until

SUCCESS = 400  # statuses below this one
UNLIMITED = "1000000/minute"


class Noted:
    """A site's application that counts its responses, by endpoint, method and success."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.answers: Counter[tuple[Any, str, bool]] = Counter()  # by endpoint, method and success

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.answers[scope.get("endpoint"), scope["method"], message["status"] < SUCCESS] += 1
            await send(message)

        await self._app(scope, receive, noting if scope["type"] == "http" else send)


# Requests that seldom succeed, because they need a long absence, a flag or a proposal.
RARE = (
    "/bot",
    "/claim",
    "/claim-win",
    "/host",
    "/close",
    "/abort",
    "/ready",
    "/propose",
    "/answer-proposal",
    "/leave",
    "/return",
    "/vacation",
    "/remove-player",
)
RARE += ("/accept", "/decline", "/invite", "/reserve", "/listing", "/join", "/mute", "/report", "/revoke")
# Requests that need a player who waits in a slow game, or the key of an answer.
RARE += tuple(f"/plan/{{line}}{rest}" for rest in ("", "/move", "/save", "/previews/{actions}", "/explain", "/text"))
RARE += ("/answers",)
# Requests that need an account, a mail server or a passkey, or would end the attack.
RARE += (
    "/sign-up",
    "/sign-in",
    "/reset",
    "/link/{link}",
    "/unlock",
    "/confirm-identity",
    "/password",
    "/mail",
    "/device",
)
RARE += ("/account/invitation", "/end", "/add", "/rename", "/remove", "/delete", "/players/{person}")
# Requests that need a secret, an external address or a lesson.
RARE += ("/push", "/webhook", "/choose", "/test", "/confirm/{signed}", "/stop/{signed}", "/lesson")
RARE += ("/friends", "/friends/challenge", "/invite-friend", "/player", "/contact")  # need other players
RARE += ("/undo",)  # after thousands of requests the last action is seldom one that can be undone


def quick_hint(_: Game, history: ViewerHistory) -> Hint:
    """Return a hint that takes no search."""
    return Hint(history.view.legal_actions[0], "Expert: the first one.")


class Target:
    """The site under attack."""

    def __init__(
        self,
        folder: Path,
        seeds: Callable[[], int],
        clock: Clock = SYSTEM_CLOCK,
        limits: Limits = DEFAULT_LIMITS,
        tokens: Callable[[], str] = new_table_id,
    ) -> None:
        settings = Settings(data=folder, compiled=False, posts=UNLIMITED, chat=UNLIMITED, argon2_memory_kib=8)
        app = create_app(settings, clock=clock, seeds=seeds, tokens=tokens, limits=limits)
        self.folder, self.app, self.noted, self.protocol = folder, app, Noted(app), make_protocol(limits)
        self.site: Site = app.state.site
        self.site.bot_runner.pause()  # only the attack changes tables
        self.site.tournaments.task = PeriodicTask(lambda: None, 3600, "")
        self.site.hints.compute, self.site.hints.needs_compiled = quick_hint, False
        self.port = 0

    @contextmanager
    def served(self) -> Iterator["Target"]:
        """Serve the site, and yield this object."""
        with answering(self.noted, http=self.protocol, ws="none") as self.port:
            yield self

    @property
    def ends(self) -> dict[Any, BaseRoute]:
        """The route of each endpoint."""
        pages = [route for route in routes_in(self.app.routes) if getattr(route, "app", None) is not self.app.state.api]
        return {getattr(route, "endpoint", getattr(route, "app", None)): route for route in (*pages, *self.calls)}

    @cached_property
    def calls(self) -> list["Call"]:
        """The routes of the API."""
        return [Call(route) for route in routes_in(self.app.state.api.routes)]

    def wanted(self) -> list[tuple[BaseRoute, str]]:
        """Return all routes, with each of their methods."""
        return [(route, method) for route in self.ends.values() for method in sorted(methods_of(route))]

    def missing(self) -> list[tuple[BaseRoute, str]]:
        """Return the routes and methods that have not succeeded, or have a parameter and were never refused.

        RARE routes need not succeed.
        """
        answers, ends = self.noted.answers, {id(route): end for end, route in self.ends.items()}
        found = []
        for route, method in self.wanted():
            done, refused = (answers[ends[id(route)], method, success] for success in (True, False))
            path: str = route.path  # type: ignore[attr-defined]
            if not (done or path.endswith(RARE)) or (not refused and "{" in path):
                found.append((route, method))
        return found

    def state(self) -> tuple[Any, ...]:
        """Return counts that show whether a request has changed the database."""
        counted = (
            "SELECT count(*), total(version) FROM game_table UNION ALL SELECT count(*), max(rowid) FROM table_event"
        )
        for name in ("seat_reservation", "message", "mute", "report"):
            counted += f" UNION ALL SELECT count(*), max(rowid) FROM {name}"  # noqa: S608 - constant names
        counted += " UNION ALL SELECT count(*), total(offered + 2 * watched + 4 * open_chat) FROM listing"
        with self.site.tables.store._engine.connect() as db:
            return tuple(map(tuple, db.execute(text(counted))))

    def offers(self) -> list[str]:
        """Return the handles of the tables in the lobby."""
        return [one.listing.handle for one in self.site.lobby.current().joinable]

    def people(self) -> list[str]:
        """Return the handles of the public profiles."""
        with self.site.tables.store._engine.connect() as db:
            return [*db.execute(text("SELECT handle FROM profile WHERE show_page")).scalars()]

    def tournaments(self) -> list[str]:
        with self.site.tables.store._engine.connect() as db:
            return [*db.execute(text("SELECT id FROM tournament ORDER BY created_at")).scalars()]

    def connections(self) -> int:
        """Return the number of open connections."""
        return sum(self.protocol.connections_by_network.values())


class Call:
    """A route of the API, with its whole path."""

    def __init__(self, route: Any) -> None:
        self.path, self.methods, self.endpoint = PREFIX + route.path, route.methods, route.endpoint
        shown = getattr(route, "dependant", None)
        self.asked = [field.alias for field in shown.query_params] if shown else []
        self.sent = shown.body_params[0].field_info.annotation if shown and shown.body_params else None


def token_of(site: Site, guest: str, number: str = "0123456789abcdef") -> str:
    """Create a token of a guest, which is the same at every site, and return it."""
    secret = (guest * 43)[:43]
    row = {
        "id": number,
        "hash": hash_secret(secret),
        "player": guest,
        "display_name": guest.capitalize(),
        "label": "Program",
    }
    with site.tables.store._engine.begin() as db:
        db.execute(delete(schema.api_token).where(schema.api_token.c.id == number))
        db.execute(insert(schema.api_token), {**row, "created_at": 0.0})
    return f"alm_{number}_{secret}"


def cookie_of(site: Site, guest: str, **preferences: str) -> str:
    """Return a signed cookie of a guest."""
    session = b64encode(json.dumps({"guest": guest, "name": guest.capitalize(), **preferences}).encode())
    return f"{COOKIE_NAME}={TimestampSigner(site.secret_key).sign(session).decode()}"


def routes_in(routes: Any) -> Iterator[BaseRoute]:
    """Yield all routes, also those of included routers."""
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is None:
            yield route
        else:
            yield from routes_in(included.routes)


def methods_of(route: BaseRoute) -> set[str]:
    """Return the methods of a route."""
    return {"GET", "HEAD"} if isinstance(route, Mount) else set(route.methods)  # type: ignore[attr-defined]


def check_whole(site: Site) -> int:
    """Check that the events of each table are numbered without a gap and replay to its state.

    Return the number of events.
    """
    store, total = site.tables.store, 0
    with store._engine.connect() as db:
        ids = set(db.execute(text("SELECT id FROM game_table")).scalars())
        assert ids >= set(db.execute(text('SELECT DISTINCT "table" FROM table_event')).scalars())
    for name in ids:
        table, numbers, kept = at_rest(site, name)
        assert numbers == list(range(1, table.version + 1))
        again = TableState.from_events(table, store.events(table), site.builds.get(table.game))
        assert kept.play.to_state() == again.play.to_state()
        assert kept.play.actions == again.play.actions
        over = again.play.over or table.end_reason != ""  # it may have ended early
        turn = NONE if table.rated and table.open_seats else again.play.turn  # the cards are not dealt yet
        assert (table.turn, table.finished) == (turn, over)
        assert table.result == (again.play.points if over else None)
        for viewer in (SPECTATOR, 0):
            assert log_of(kept, viewer) == log_of(again, viewer)
        total += table.version
    return total


def at_rest(site: Site, name: str) -> tuple[Table, list[int], TableState]:
    """Return a table, the numbers of its events and its state, all of the same moment although bots may move."""
    store, numbers = site.tables.store, text('SELECT number FROM table_event WHERE "table" = :name ORDER BY 1')

    def moment() -> tuple[Table, list[int], TableState] | None:
        table = store.find(name)
        with store._engine.connect() as db:
            found = list(db.execute(numbers, {"name": name}).scalars())
        kept = site.tables.get(name)
        return (table, found, kept) if store.find(name).version == table.version else None

    return wait_until(moment, "nobody acts at the table while it is read")


def nameless(piece: Piece) -> Piece:
    """Return a piece of a log line, without its words if it names a player."""
    return piece._replace(words="") if piece.kind == PLAYER else piece


def log_of(state: TableState, viewer: int) -> tuple[Any, ...]:
    """Return the version and the log of a viewer, without the names of players."""
    history = state.history(viewer)
    told = [
        (one.action_count, one.seat, [[nameless(piece) for piece in line] for line in one.lines], one.survives_undo)
        for one in history.log_entries
    ]
    return history.version, told
