"""The page of the lobby: tables to join or watch, and a chat."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from ..broker import Broker
from ..chat.service import LOBBY_ROOM, Chat, room_topic
from ..errors import Conflict
from ..lobby.new_table import parse_time_control
from ..lobby.rematches import Rematches, invitations_topic
from ..lobby.service import LOBBY_TOPIC, MIN_PLAYERS, LobbyService
from ..networks import HiddenNetworks
from ..streams import Changes, Streams, respond
from ..tables import clocks
from ..tables.builds import GameBuilds
from ..tables.presence import Presence
from ..tables.service import waiting_topic
from ..users.game_lists import GameLists
from ..users.visitors import current_visitor, ensure_visitor
from .chat import chat_context, lobby_room
from .forms import FormFields, redirect_to_table
from .routing import FromRequest, Router
from .templating import VARY, is_partial, render
from .waiting_count import WaitingCount

router = Router(prefix="/lobby")
MAX_INTERVAL_SECONDS = 5.0  # between two reads of the presence
MIN_INTERVAL_SECONDS = 1.0  # between two reads, even if there are many changes
PACES = {name: control for name, (_, control) in clocks.TIME_CONTROLS.items()}


@dataclass(frozen=True)
class LobbyPage(FromRequest):
    request: Request
    lobby: LobbyService
    chat: Chat

    def render(self, notice: str = "", status: int = 200) -> Response:
        """Render the page with a notice, or only its tables if the page itself asks for them."""
        guest, metas = current_visitor(self.request), catalog.all_games()
        titles = {meta.name: meta.title for meta in metas}
        facts: dict[str, Any] = {
            "lobby": self.lobby.current(guest.id),
            "guest": guest.id,
            "titles": titles,
            "notice": notice,
        }
        if is_partial(self.request):
            return render(self.request, "_open_tables.html", status, {"Vary": VARY}, **facts)
        room = lobby_room(guest)
        facts |= chat_context(room, self.chat.history(room.name, guest.id), guest.id)
        facts |= {"games": [meta for meta in metas if meta.seats[1] >= MIN_PLAYERS]}
        return render(self.request, "lobby.html", status, paces=PACES, usual=clocks.DEFAULT_TIME_CONTROL, **facts)


@router.get("")
def show_lobby(page: LobbyPage) -> Response:
    return page.render()


@router.post("/join")
def join_table(page: LobbyPage, form: FormFields) -> Response:
    try:
        guest = ensure_visitor(page.request)
        return redirect_to_table(page.lobby.join(form.text("offer"), guest.id, guest.name, guest.hours).id)
    except Conflict as error:
        if is_partial(page.request):
            raise
        return page.render(str(error), error.status)


@router.post("/play")
def quick_match(
    request: Request, builds: GameBuilds, lobby: LobbyService, networks: HiddenNetworks, form: FormFields
) -> Response:
    game, pace = builds.find(form.text("game")), parse_time_control(form.text("clock"))
    return redirect_to_table(lobby.quick_match(game, pace, ensure_visitor(request), networks.hash_of(request)).id)


@router.get("/stream")
async def stream(
    request: Request,
    streams: Streams,
    broker: Broker,
    presence: Presence,
    lobby: LobbyService,
    chat: Chat,
    rematches: Rematches,
    game_lists: GameLists,
) -> Response:
    """Stream versions (of the lobby, its chat, invitations) and the number of waiting games whenever they change."""
    guest = current_visitor(request).id
    streams.check_capacity(request, guest)
    versions, messages = LobbyStream(lobby, chat, rematches, guest), Changes(broker, room_topic(LOBBY_ROOM))
    invitations, waiting = Changes(broker, invitations_topic(guest)), WaitingCount(broker, game_lists, guest)

    async def events(_at_beat: bool) -> list[str]:
        is_new = {"is_chat_new": messages.poll(), "is_invited_new": invitations.poll()}
        return await run_in_threadpool(partial(versions.poll, **is_new)) + await waiting.poll()

    found = streams.listen(
        request,
        guest,
        [LOBBY_TOPIC, room_topic(LOBBY_ROOM), invitations_topic(guest), waiting_topic(guest)],
        events,
        contexts=[presence.connect(LOBBY_TOPIC, guest)],
        max_interval_seconds=MAX_INTERVAL_SECONDS,
        min_interval_seconds=MIN_INTERVAL_SECONDS,
    )
    return respond(request, found)


class LobbyStream:
    """The versions that a stream has sent to a guest."""

    def __init__(self, lobby: LobbyService, chat: Chat, rematches: Rematches, guest: str) -> None:
        self._lobby, self._chat, self._rematches, self._guest = lobby, chat, rematches, guest
        self._sent = self._sent_chat = self._sent_invitations = ""
        self._apart: set[str] = set()  # guests whom a block keeps apart from this one

    def poll(self, *, is_chat_new: bool, is_invited_new: bool) -> list[str]:
        """Return the events since the last call; read the chat, or blocks and invitations, only if they are new."""
        events, before, before_chat, before_invitations = [], self._sent, self._sent_chat, self._sent_invitations
        if is_invited_new and self._guest:
            self._apart = self._lobby.apart_from(self._guest)
            self._sent_invitations = self._rematches.invitations_version(self._guest)
        self._sent = self._lobby.version(self._apart)
        if self._sent != before:
            events.append(f"data: {self._sent}\n\n")
        if is_chat_new:
            self._sent_chat = self._chat.version(LOBBY_ROOM, self._guest)
        if self._sent_chat != before_chat:
            events.append(f"event: chat\ndata: {self._sent_chat}\n\n")
        if self._sent_invitations != before_invitations:
            events.append(f"event: invited\ndata: {self._sent_invitations}\n\n")
        return events
