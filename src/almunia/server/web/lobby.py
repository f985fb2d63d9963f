"""The lobby: tables that are open to everybody, those to watch, and a word with whoever is there."""

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ... import catalog
from ..broker import Broker
from ..chat.service import LOBBY_ROOM, Chat, topic_of
from ..errors import Conflict
from ..lobby.new_table import checked_time_control
from ..lobby.service import LOBBY, PAIR, LobbyService
from ..networks import HiddenNetworks
from ..streams import Changes, Streams, respond
from ..tables import clocks
from ..tables.builds import GameBuilds
from ..tables.model import Table
from ..tables.presence import Presence
from ..users.visitors import guest_of, welcome
from . import chat as chat_pages
from .forms import SEE_OTHER, FormFields
from .routing import Router
from .templating import VARY, is_partial, render

router = Router(prefix="/lobby")
MAX_INTERVAL_SECONDS = 5.0  # the longest time between two looks at who is there
MIN_INTERVAL_SECONDS = 1.0  # the shortest one, however much happens: each look counts for all streams of the lobby
PACES = {name: control for name, (_, control) in clocks.TIME_CONTROLS.items()}


@router.get("")
def lobby(request: Request, open_tables: LobbyService, chat: Chat) -> Response:
    """The lobby, or the part of it that changes if the page itself asks for it."""
    return show(request, open_tables, chat)


def show(request: Request, open_tables: LobbyService, chat: Chat, notice: str = "", status: int = 200) -> Response:
    """The lobby, and what is wrong with what was asked of it."""
    guest = guest_of(request)
    now = open_tables.now()
    facts: dict[str, Any] = {"lobby": now, "guest": guest.id, "titles": titles(), "notice": notice}
    if is_partial(request):
        return render(request, "_open_tables.html", status, {"Vary": VARY}, **facts)
    room = chat_pages.lobby_room(guest)
    facts |= chat_pages.facts_of(room, chat.talk(room.name, guest.id), guest.id)
    games = [meta for meta in catalog.all_games() if meta.seats[1] >= PAIR]
    return render(
        request, "lobby.html", status, None, games=games, paces=PACES, usual=clocks.DEFAULT_TIME_CONTROL, **facts
    )


def titles() -> dict[str, str]:
    """What the games are called, by their names in addresses."""
    return {meta.name: meta.title for meta in catalog.all_games()}


@router.post("/sit")
def sit(request: Request, open_tables: LobbyService, chat: Chat, form: FormFields) -> Response:
    """Sit down at an open table."""
    try:
        guest = welcome(request)
        return go_to(open_tables.sit(form.text("offer"), guest.id, guest.name, guest.hours))
    except Conflict as error:
        if is_partial(request):
            raise
        return show(request, open_tables, chat, str(error), error.status)


@router.post("/play")
def play(
    request: Request, builds: GameBuilds, open_tables: LobbyService, networks: HiddenNetworks, form: FormFields
) -> Response:
    """Play somebody now: at the first open table that fits, or at a new one that is open to others."""
    game, pace = builds.find(form.text("game")), checked_time_control(form.text("clock"))
    return go_to(open_tables.play_somebody(game, pace, welcome(request), networks.hash_of(request)))


def go_to(table: Table) -> Response:
    """On to a table."""
    return RedirectResponse(f"/table/{table.id}", SEE_OTHER)


@router.get("/stream")
async def stream(
    request: Request, streams: Streams, notifier: Broker, presence: Presence, open_tables: LobbyService, chat: Chat
) -> Response:
    """Stream the marks of the lobby and of its chat whenever they change."""
    guest = guest_of(request).id
    streams.check_capacity(request, guest)
    looked, messages = LobbyStream(open_tables, chat, guest), Changes(notifier, topic_of(LOBBY_ROOM))

    async def marks(_at_beat: bool) -> list[str]:
        return await run_in_threadpool(looked.again, is_chat_new=messages.poll())

    events = streams.listen(
        request,
        guest,
        [LOBBY, topic_of(LOBBY_ROOM)],
        marks,
        contexts=[presence.connect(LOBBY, guest)],
        max_interval_seconds=MAX_INTERVAL_SECONDS,
        min_interval_seconds=MIN_INTERVAL_SECONDS,
    )
    return respond(request, events)


class LobbyStream:
    """What one guest was told of the lobby."""

    def __init__(self, open_tables: LobbyService, chat: Chat, guest: str) -> None:
        self._open_tables, self._chat, self._guest = open_tables, chat, guest
        self._shown = self._said = ""

    def again(self, *, is_chat_new: bool) -> list[str]:
        """Return the events since the last call; the chat is read only if there may be something new."""
        events = []
        shown = self._open_tables.mark()
        if shown != self._shown:
            self._shown = shown
            events.append(f"data: {shown}\n\n")
        said = self._chat.mark(LOBBY_ROOM, self._guest) if is_chat_new else self._said
        if said != self._said:
            self._said = said
            events.append(f"event: chat\ndata: {said}\n\n")
        return events
