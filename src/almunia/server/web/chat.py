"""What is said at a table and in the lobby: read, written, muted and reported. Scripts fetch the lines alone."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..chat.service import LOBBY_ROOM, LONGEST, PHRASES, Chat, ChatHistory
from ..errors import BadRequest, Forbidden, NotFound, TooManyRequests
from ..lobby.listings import Listing
from ..lobby.service import PAIR, LobbyService
from ..tables.model import Table
from ..tables.service import TableService
from ..users.visitors import Visitor, guest_of, welcome
from .forms import SEE_OTHER, FormFields
from .routing import Router
from .templating import is_partial, render

router = Router()
TABLE, LOBBY = "/table/{table_id}/chat", "/lobby/chat"


@dataclass(frozen=True)
class Room:
    """Where something is said, as one guest finds it."""

    name: str
    back: str  # the page that it belongs to
    may_read: bool
    speaker: str  # what the guest is called there; empty for those who only listen

    @property
    def address(self) -> str:
        """Where it is read and written."""
        return f"{self.back}/chat"


def room_of(table: Table, guest: str, listing: Listing) -> Room | None:
    """The chat of a table; None where there is nobody to talk to.

    Those talk who sit there. Others read it when the game is over, or before that if the table says so.
    """
    players = {table.seats[p].player for p in table.human_seats}
    if len(players) < PAIR and not table.open_seats:
        return None
    held = table.seats_of(guest) if guest else ()
    may_read = bool(held) or table.finished or listing.open_chat
    return Room(table.id, f"/table/{table.id}", may_read, table.seats[held[0]].name if held else "")


def room_at(tables: TableService, open_tables: LobbyService, table_id: str, guest: str) -> Room | None:
    """Return the chat of a table; None if there is nobody to talk to."""
    return room_of(tables.get(table_id).table, guest, open_tables.listings.of(table_id))


def lobby_room(guest: Visitor) -> Room:
    """The chat of the lobby, where everybody may talk."""
    return Room(LOBBY_ROOM, "/lobby", True, guest.name)


def needed(tables: TableService, open_tables: LobbyService, table_id: str, guest: str) -> Room:
    """Return the chat of a table that the guest may read; RequestError if there is none."""
    room = room_at(tables, open_tables, table_id, guest)
    if room is None:
        raise NotFound("There is nobody to talk to at this table.")
    if not room.may_read:
        raise Forbidden("What the players say can be read when the game is over.")
    return room


def facts_of(room: Room, talk: ChatHistory, guest: str) -> dict[str, Any]:
    """What templates need to show a chat."""
    return {"room": room, "talk": talk, "guest": guest, "phrases": PHRASES, "longest": LONGEST}


def show(
    request: Request, chat: Chat, room: Room, words: str = "", wrong: str = "", status: int = 200, done: str = ""
) -> Response:
    """Render a chat as a page, or only its lines for a page that shows it already."""
    guest = guest_of(request).id
    facts = facts_of(room, chat.talk(room.name, guest), guest)
    if is_partial(request):
        return render(request, "_chat_messages.html", **facts)
    return render(request, "chat.html", status, words=words, wrong=wrong, done=done, **facts)


def say(request: Request, chat: Chat, form: FormFields, room: Room, guest: Visitor) -> Response:
    """Post the message of a form."""
    if not room.speaker:
        raise Forbidden("Only those who play can talk here.")
    words = phrase(form) if form.text("phrase") else form.text("words")
    try:
        chat.say(request, room.name, guest.id, room.speaker, words)
    except (Forbidden, BadRequest, TooManyRequests) as error:
        if is_partial(request):
            raise
        return show(request, chat, room, words, str(error), error.status)
    return done_in(request, chat, room)


def phrase(form: FormFields) -> str:
    """The ready-made phrase that a form names."""
    number = form.number("phrase")
    if number not in range(1, len(PHRASES) + 1):
        raise BadRequest(f"There is no phrase {number}; they are 1 to {len(PHRASES)}.")
    return PHRASES[number - 1]


def done_in(request: Request, chat: Chat, room: Room) -> Response:
    """Return the lines to a page that asks for them, or redirect to the page of a room."""
    if is_partial(request):
        return show(request, chat, room)
    return RedirectResponse(room.address, SEE_OTHER)


def mute(request: Request, chat: Chat, form: FormFields, room: Room, guest: Visitor) -> Response:
    """Mute the author of a message, or unmute a guest."""
    if form.text("muted"):
        chat.unmute(room.name, form.text("muted"), guest.id)
    else:
        chat.mute(room.name, form.number("said"), guest.id)
    return done_in(request, chat, room)


def report(request: Request, chat: Chat, form: FormFields, room: Room, guest: Visitor) -> Response:
    """Report a message to the administrator."""
    chat.rate.hit(request)
    chat.report(room.name, form.number("said"), guest.id)
    if is_partial(request):
        return show(request, chat, room)
    return show(request, chat, room, done="Thank you. Whoever runs this site will see your report.")


# --- at a table ----------------------------------------------------------------------------------


@router.get(TABLE)
def read_at_table(
    request: Request, tables: TableService, open_tables: LobbyService, chat: Chat, table_id: str
) -> Response:
    """Render the chat of a table."""
    return show(request, chat, needed(tables, open_tables, table_id, guest_of(request).id))


@router.post(TABLE)
def say_at_table(
    request: Request, tables: TableService, open_tables: LobbyService, chat: Chat, form: FormFields, table_id: str
) -> Response:
    """Post a message."""
    guest = guest_of(request)
    return say(request, chat, form, needed(tables, open_tables, table_id, guest.id), guest)


@router.post(TABLE + "/mute")
def mute_at_table(
    request: Request, tables: TableService, open_tables: LobbyService, chat: Chat, form: FormFields, table_id: str
) -> Response:
    """Mute or unmute a guest."""
    guest = welcome(request)
    return mute(request, chat, form, needed(tables, open_tables, table_id, guest.id), guest)


@router.post(TABLE + "/report")
def report_at_table(
    request: Request, tables: TableService, open_tables: LobbyService, chat: Chat, form: FormFields, table_id: str
) -> Response:
    """Report a message."""
    guest = welcome(request)
    return report(request, chat, form, needed(tables, open_tables, table_id, guest.id), guest)


# --- in the lobby --------------------------------------------------------------------------------


@router.get(LOBBY)
def read_in_lobby(request: Request, chat: Chat) -> Response:
    """Render the chat of the lobby."""
    return show(request, chat, lobby_room(guest_of(request)))


@router.post(LOBBY)
def say_in_lobby(request: Request, chat: Chat, form: FormFields) -> Response:
    """Post a message."""
    guest = welcome(request)
    return say(request, chat, form, lobby_room(guest), guest)


@router.post(LOBBY + "/mute")
def mute_in_lobby(request: Request, chat: Chat, form: FormFields) -> Response:
    """Mute or unmute a guest."""
    guest = welcome(request)
    return mute(request, chat, form, lobby_room(guest), guest)


@router.post(LOBBY + "/report")
def report_in_lobby(request: Request, chat: Chat, form: FormFields) -> Response:
    """Report a message."""
    guest = welcome(request)
    return report(request, chat, form, lobby_room(guest), guest)
