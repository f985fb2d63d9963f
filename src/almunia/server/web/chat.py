"""Pages of the chat at a table and in the lobby. Scripts fetch only the messages."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..chat.service import LOBBY_ROOM, MAX_LENGTH, PHRASES, Chat, ChatHistory, room_topic
from ..errors import BadRequest, Forbidden, NotFound, TooManyRequests
from ..friends.service import FriendService
from ..lobby.repository import Listing
from ..lobby.service import MIN_PLAYERS, LobbyService
from ..tables.model import Table
from ..tables.service import TableService
from ..users.visitors import Visitor, current_visitor, ensure_visitor
from .forms import FormFields, redirect
from .routing import TABLE_PARAMETER, FromRequest, Router
from .templating import is_partial, render

router = Router()
TABLE_CHAT, LOBBY_CHAT = "/table/{table_id}/chat", "/lobby/chat"


@dataclass(frozen=True)
class Room:
    """A chat room, and what a guest may do there."""

    name: str
    back: str  # address of its page
    may_read: bool
    speaker_name: str  # the guest's name there; empty if the guest may not write

    @property
    def url(self) -> str:
        return f"{self.back}/chat"


def table_room(table: Table, guest: str, listing: Listing) -> Room | None:
    """Return the chat of a table; None if the table has neither two people nor an open seat.

    Players can write. Others can read the chat when the game is over, or before if the listing says so.
    """
    players = {table.seats[p].player for p in table.human_seats}
    if len(players) < MIN_PLAYERS and not table.open_seats:
        return None
    held = table.seats_of(guest) if guest else ()
    may_read = bool(held) or table.finished or listing.open_chat
    return Room(table.id, f"/table/{table.id}", may_read, table.seats[held[0]].name if held else "")


def find_room(tables: TableService, lobby: LobbyService, table_id: str, guest: str) -> Room | None:
    """Return the chat of a table by its id; None as in `table_room`, NotFound without the table."""
    return table_room(tables.get(table_id).table, guest, lobby.listings.get(table_id))


def lobby_room(guest: Visitor) -> Room:
    return Room(LOBBY_ROOM, "/lobby", True, guest.name)


def chat_context(room: Room, history: ChatHistory, guest: str) -> dict[str, Any]:
    return {"room": room, "chat": history, "guest": guest, "phrases": PHRASES, "longest": MAX_LENGTH}


@dataclass(frozen=True)
class ChatPage(FromRequest):
    """The chat of the table in the address, or else of the lobby."""

    request: Request
    chat: Chat
    tables: TableService
    lobby: LobbyService

    @cached_property
    def room(self) -> Room:
        """The room; RequestError if there is no room, or the guest may not read it."""
        visitor, table_id = current_visitor(self.request), self.request.path_params.get(TABLE_PARAMETER)
        if table_id is None:
            return lobby_room(visitor)
        room = find_room(self.tables, self.lobby, table_id, visitor.id)
        if room is None:
            raise NotFound("There is no other player at this table to talk to.")
        if not room.may_read:
            raise Forbidden("You can read the players' chat when the game is over.")
        return room

    def render(self, status: int = 200, **facts: str) -> Response:
        """Render the chat as a page, or only its messages if the page itself asks for them."""
        guest = current_visitor(self.request).id
        context = chat_context(self.room, self.chat.history(self.room.name, guest), guest)
        if is_partial(self.request):
            return render(self.request, "_chat_messages.html", **context)
        context |= {"words": "", "wrong": "", "done": "", **facts}
        return render(self.request, "chat.html", status, **context)

    def respond(self) -> Response:
        """Return the messages to a page that asks for them, or redirect to the page of the chat."""
        return self.render() if is_partial(self.request) else redirect(self.room.url)


@router.get(TABLE_CHAT)
@router.get(LOBBY_CHAT)
def show_chat(page: ChatPage) -> Response:
    return page.render()


@router.post(TABLE_CHAT)
@router.post(LOBBY_CHAT)
def post_message(page: ChatPage, form: FormFields) -> Response:
    room = page.room
    if not room.speaker_name:
        raise Forbidden("Only players can write here.")
    words = parse_phrase(form) if form.text("phrase") else form.text("words")
    try:
        page.chat.post_message(page.request, room.name, ensure_visitor(page.request).id, room.speaker_name, words)
    except (Forbidden, BadRequest, TooManyRequests) as error:
        if is_partial(page.request):
            raise
        return page.render(error.status, words=words, wrong=str(error))
    return page.respond()


def parse_phrase(form: FormFields) -> str:
    """Return the phrase in a form; BadRequest if its number is unknown."""
    number = form.number("phrase")
    if number not in range(1, len(PHRASES) + 1):
        raise BadRequest(f"There is no phrase {number}; choose one from 1 to {len(PHRASES)}.")
    return PHRASES[number - 1]


@router.post(TABLE_CHAT + "/mute")
@router.post(LOBBY_CHAT + "/mute")
def set_muted(page: ChatPage, friends: FriendService, form: FormFields) -> Response:
    """Mute or block the author of a message, or end that."""
    guest = ensure_visitor(page.request).id
    if form.text("muted"):
        friends.unblock(guest, form.text("muted"))
    elif form.text("block"):
        friends.block(page.request, guest, *page.chat.author(page.room.name, form.number("said")))
    else:
        page.chat.mute(page.room.name, form.number("said"), guest)
    page.tables.broker.publish(room_topic(page.room.name))
    return page.respond()


@router.post(TABLE_CHAT + "/report")
@router.post(LOBBY_CHAT + "/report")
def report_message(page: ChatPage, form: FormFields) -> Response:
    guest, room = ensure_visitor(page.request).id, page.room
    page.chat.rate_limit.consume(page.request)
    page.chat.report(room.name, form.number("said"), guest)
    return page.render(done="Thank you. The site's administrator will see your report.")
