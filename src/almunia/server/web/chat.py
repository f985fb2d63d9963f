"""Pages of the chat at a table and in the lobby. Scripts fetch only the messages."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..chat.service import LOBBY_ROOM, MAX_LENGTH, PHRASES, Chat, ChatHistory
from ..errors import BadRequest, Forbidden, NotFound, TooManyRequests
from ..lobby.listings import Listing
from ..lobby.service import MIN_PLAYERS, LobbyService
from ..tables.model import Table
from ..tables.service import TableService
from ..users.visitors import Visitor, current_visitor, ensure_visitor
from .forms import SEE_OTHER, FormFields
from .routing import Router
from .templating import is_partial, render

router = Router()
TABLE_CHAT, LOBBY_CHAT = "/table/{table_id}/chat", "/lobby/chat"


@dataclass(frozen=True)
class Room:
    """A chat room as a guest finds it."""

    name: str
    back: str  # address of its page
    may_read: bool
    speaker_name: str  # the guest's name there; empty if the guest may not write

    @property
    def url(self) -> str:
        """The address at which it is read and written."""
        return f"{self.back}/chat"


def table_room(table: Table, guest: str, listing: Listing) -> Room | None:
    """Return the chat of a table; None if no other person plays there.

    Players write. Others may read it when the game is over, or before if the listing says so.
    """
    players = {table.seats[p].player for p in table.human_seats}
    if len(players) < MIN_PLAYERS and not table.open_seats:
        return None
    held = table.seats_of(guest) if guest else ()
    may_read = bool(held) or table.finished or listing.open_chat
    return Room(table.id, f"/table/{table.id}", may_read, table.seats[held[0]].name if held else "")


def find_room(tables: TableService, open_tables: LobbyService, table_id: str, guest: str) -> Room | None:
    """Return the chat of a table by its id; None if no other person plays there."""
    return table_room(tables.get(table_id).table, guest, open_tables.listings.get(table_id))


def lobby_room(guest: Visitor) -> Room:
    """Return the chat of the lobby, where all visitors may write."""
    return Room(LOBBY_ROOM, "/lobby", True, guest.name)


def require_room(tables: TableService, open_tables: LobbyService, table_id: str, guest: str) -> Room:
    """Return the chat of a table that the guest may read; RequestError if there is none."""
    room = find_room(tables, open_tables, table_id, guest)
    if room is None:
        raise NotFound("There is no other player to talk to at this table.")
    if not room.may_read:
        raise Forbidden("What the players say can be read when the game is over.")
    return room


def chat_context(room: Room, talk: ChatHistory, guest: str) -> dict[str, Any]:
    """Return the template context of a chat."""
    return {"room": room, "talk": talk, "guest": guest, "phrases": PHRASES, "longest": MAX_LENGTH}


def render_chat(
    request: Request, chat: Chat, room: Room, words: str = "", wrong: str = "", status: int = 200, done: str = ""
) -> Response:
    """Render a chat as a page, or only its messages if the page itself asks for them."""
    guest = current_visitor(request).id
    facts = chat_context(room, chat.history(room.name, guest), guest)
    if is_partial(request):
        return render(request, "_chat_messages.html", **facts)
    return render(request, "chat.html", status, words=words, wrong=wrong, done=done, **facts)


def post_message(request: Request, chat: Chat, form: FormFields, room: Room, guest: Visitor) -> Response:
    """Post the message of a form."""
    if not room.speaker_name:
        raise Forbidden("Only players can write here.")
    words = parse_phrase(form) if form.text("phrase") else form.text("words")
    try:
        chat.post_message(request, room.name, guest.id, room.speaker_name, words)
    except (Forbidden, BadRequest, TooManyRequests) as error:
        if is_partial(request):
            raise
        return render_chat(request, chat, room, words, str(error), error.status)
    return respond(request, chat, room)


def parse_phrase(form: FormFields) -> str:
    """Return the phrase in a form; BadRequest if its number is unknown."""
    number = form.number("phrase")
    if number not in range(1, len(PHRASES) + 1):
        raise BadRequest(f"There is no phrase {number}; they are 1 to {len(PHRASES)}.")
    return PHRASES[number - 1]


def respond(request: Request, chat: Chat, room: Room) -> Response:
    """Return the messages to a page that asks for them, or redirect to the page of the room."""
    if is_partial(request):
        return render_chat(request, chat, room)
    return RedirectResponse(room.url, SEE_OTHER)


def set_muted(request: Request, chat: Chat, form: FormFields, room: Room, guest: Visitor) -> Response:
    """Mute the author of a message, or unmute a guest."""
    if form.text("muted"):
        chat.unmute(room.name, form.text("muted"), guest.id)
    else:
        chat.mute(room.name, form.number("said"), guest.id)
    return respond(request, chat, room)


def report_message(request: Request, chat: Chat, form: FormFields, room: Room, guest: Visitor) -> Response:
    """Report a message to the administrator."""
    chat.rate_limit.consume(request)
    chat.report(room.name, form.number("said"), guest.id)
    if is_partial(request):
        return render_chat(request, chat, room)
    return render_chat(request, chat, room, done="Thank you. The administrator of this site will see your report.")


# --- at a table ----------------------------------------------------------------------------------


@router.get(TABLE_CHAT)
def show_table_chat(
    request: Request, tables: TableService, open_tables: LobbyService, chat: Chat, table_id: str
) -> Response:
    """Render the chat of a table."""
    return render_chat(request, chat, require_room(tables, open_tables, table_id, current_visitor(request).id))


@router.post(TABLE_CHAT)
def post_at_table(
    request: Request, tables: TableService, open_tables: LobbyService, chat: Chat, form: FormFields, table_id: str
) -> Response:
    """Post a message."""
    guest = current_visitor(request)
    return post_message(request, chat, form, require_room(tables, open_tables, table_id, guest.id), guest)


@router.post(TABLE_CHAT + "/mute")
def mute_at_table(
    request: Request, tables: TableService, open_tables: LobbyService, chat: Chat, form: FormFields, table_id: str
) -> Response:
    """Mute or unmute a guest."""
    guest = ensure_visitor(request)
    return set_muted(request, chat, form, require_room(tables, open_tables, table_id, guest.id), guest)


@router.post(TABLE_CHAT + "/report")
def report_at_table(
    request: Request, tables: TableService, open_tables: LobbyService, chat: Chat, form: FormFields, table_id: str
) -> Response:
    """Report a message."""
    guest = ensure_visitor(request)
    return report_message(request, chat, form, require_room(tables, open_tables, table_id, guest.id), guest)


# --- in the lobby --------------------------------------------------------------------------------


@router.get(LOBBY_CHAT)
def show_lobby_chat(request: Request, chat: Chat) -> Response:
    """Render the chat of the lobby."""
    return render_chat(request, chat, lobby_room(current_visitor(request)))


@router.post(LOBBY_CHAT)
def post_in_lobby(request: Request, chat: Chat, form: FormFields) -> Response:
    """Post a message."""
    guest = ensure_visitor(request)
    return post_message(request, chat, form, lobby_room(guest), guest)


@router.post(LOBBY_CHAT + "/mute")
def mute_in_lobby(request: Request, chat: Chat, form: FormFields) -> Response:
    """Mute or unmute a guest."""
    guest = ensure_visitor(request)
    return set_muted(request, chat, form, lobby_room(guest), guest)


@router.post(LOBBY_CHAT + "/report")
def report_in_lobby(request: Request, chat: Chat, form: FormFields) -> Response:
    """Report a message."""
    guest = ensure_visitor(request)
    return report_message(request, chat, form, lobby_room(guest), guest)
