"""The page of the lobby: tables to join or watch, and a chat."""

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ... import catalog
from ..broker import Broker
from ..chat.service import LOBBY_ROOM, Chat, room_topic
from ..errors import Conflict
from ..lobby.new_table import parse_time_control
from ..lobby.service import LOBBY_TOPIC, MIN_PLAYERS, LobbyService
from ..networks import HiddenNetworks
from ..streams import Changes, Streams, respond
from ..tables import clocks
from ..tables.builds import GameBuilds
from ..tables.model import Table
from ..tables.presence import Presence
from ..users.visitors import current_visitor, ensure_visitor
from .chat import chat_context, lobby_room
from .forms import SEE_OTHER, FormFields
from .routing import Router
from .templating import VARY, is_partial, render

router = Router(prefix="/lobby")
MAX_INTERVAL_SECONDS = 5.0  # between two reads of who is present
MIN_INTERVAL_SECONDS = 1.0  # between two reads, also under many changes
PACES = {name: control for name, (_, control) in clocks.TIME_CONTROLS.items()}


@router.get("")
def show_lobby(request: Request, open_tables: LobbyService, chat: Chat) -> Response:
    """Render the lobby, or only its tables if the page itself asks for them."""
    return render_lobby(request, open_tables, chat)


def render_lobby(
    request: Request, open_tables: LobbyService, chat: Chat, notice: str = "", status: int = 200
) -> Response:
    """Render the lobby, with an error."""
    guest = current_visitor(request)
    now = open_tables.current()
    facts: dict[str, Any] = {"lobby": now, "guest": guest.id, "titles": game_titles(), "notice": notice}
    if is_partial(request):
        return render(request, "_open_tables.html", status, {"Vary": VARY}, **facts)
    room = lobby_room(guest)
    facts |= chat_context(room, chat.history(room.name, guest.id), guest.id)
    games = [meta for meta in catalog.all_games() if meta.seats[1] >= MIN_PLAYERS]
    return render(
        request, "lobby.html", status, None, games=games, paces=PACES, usual=clocks.DEFAULT_TIME_CONTROL, **facts
    )


def game_titles() -> dict[str, str]:
    """Return the titles of the games, by name."""
    return {meta.name: meta.title for meta in catalog.all_games()}


@router.post("/sit")
def join_table(request: Request, open_tables: LobbyService, chat: Chat, form: FormFields) -> Response:
    """Join an open table."""
    try:
        guest = ensure_visitor(request)
        return redirect_to(open_tables.join(form.text("offer"), guest.id, guest.name, guest.hours))
    except Conflict as error:
        if is_partial(request):
            raise
        return render_lobby(request, open_tables, chat, str(error), error.status)


@router.post("/play")
def quick_match(
    request: Request, builds: GameBuilds, open_tables: LobbyService, networks: HiddenNetworks, form: FormFields
) -> Response:
    """Join the first open table that fits, or open one."""
    game, pace = builds.find(form.text("game")), parse_time_control(form.text("clock"))
    return redirect_to(open_tables.quick_match(game, pace, ensure_visitor(request), networks.hash_of(request)))


def redirect_to(table: Table) -> Response:
    """Redirect to a table."""
    return RedirectResponse(f"/table/{table.id}", SEE_OTHER)


@router.get("/stream")
async def stream(
    request: Request, streams: Streams, notifier: Broker, presence: Presence, open_tables: LobbyService, chat: Chat
) -> Response:
    """Stream the versions of the lobby and of its chat whenever they change."""
    guest = current_visitor(request).id
    streams.check_capacity(request, guest)
    looked, messages = LobbyStream(open_tables, chat, guest), Changes(notifier, room_topic(LOBBY_ROOM))

    async def marks(_at_beat: bool) -> list[str]:
        return await run_in_threadpool(looked.poll, is_chat_new=messages.poll())

    events = streams.listen(
        request,
        guest,
        [LOBBY_TOPIC, room_topic(LOBBY_ROOM)],
        marks,
        contexts=[presence.connect(LOBBY_TOPIC, guest)],
        max_interval_seconds=MAX_INTERVAL_SECONDS,
        min_interval_seconds=MIN_INTERVAL_SECONDS,
    )
    return respond(request, events)


class LobbyStream:
    """The versions that a stream has sent to a guest."""

    def __init__(self, open_tables: LobbyService, chat: Chat, guest: str) -> None:
        self._open_tables, self._chat, self._guest = open_tables, chat, guest
        self._shown = self._said = ""

    def poll(self, *, is_chat_new: bool) -> list[str]:
        """Return the events since the last call; the chat is read only if there may be something new."""
        events = []
        shown = self._open_tables.version()
        if shown != self._shown:
            self._shown = shown
            events.append(f"data: {shown}\n\n")
        said = self._chat.version(LOBBY_ROOM, self._guest) if is_chat_new else self._said
        if said != self._said:
            self._said = said
            events.append(f"event: chat\ndata: {said}\n\n")
        return events
