"""The table: its page, what is done there, and the stream that says when to look again."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import suppress
from threading import Lock
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ... import bots
from .. import streams
from ..context import Site
from ..errors import Conflict, Forbidden, Malformed, Missing, RequestError, TooMany, Unsure
from ..forms import SEE_OTHER, Form
from ..people import new_table
from ..people.chat import LONGEST, PHRASES
from ..people.guests import PACES, guest_of, look, looking
from ..play.acting import Manner
from ..play.diary import Diary
from ..play.presence import screen
from ..play.reader import Reader, reader_of
from ..play.snapshot import Snapshot
from ..play.tables import check_dealt, check_seen
from ..routing import Routes
from ..settings import ELSEWHERE
from ..templating import KEPT, VARY, asks_itself, kept_panels, page
from . import chat as chat_pages
from .ending import ending_of
from .news import News, topics
from .rulebook import is_short
from .scoring import scoring_page
from .table_page import TablePage

router = Routes(prefix="/table/{table_id}")
AN_HOUR = "private, max-age=3600"
MOST_GHOSTS = 32  # in one answer
MOST_TOGETHER = 32  # actions that are chosen as one
PART, LONGEST_VALUE = "part-", 60  # before the names of parts in an address, and the characters of their values
UNITS = re.compile(r"-?[0-9]{1,6}(\.[0-9]{1,4})?")
DRAWING = Lock()  # pages are drawn one at a time: threads beside would only hand the interpreter to and fro


# --- the page ------------------------------------------------------------------------------------


@router.get("")
def table(
    request: Request,
    site: Site,
    table_id: str,
    at: int | None = None,
    first: int | None = None,
    scoring: int | None = None,
) -> Response:
    """The table as whoever asks may see it, now or at a moment since `first` that is over; or one of its scorings."""
    snapshot = site.tables.current(table_id) if asks_itself(request) else site.tables.snapshot(table_id)
    if scoring is not None:
        reader = reader_of(snapshot, guest_of(request).id, looking(request, table_id))
        return scoring_page(request, snapshot, reader, scoring)
    guest = guest_of(request).id
    if snapshot.table.held_by(guest):
        site.presence.note(table_id, guest)
    site.call_bots(snapshot.table)
    site.open_tables.fetched(snapshot.table, guest)
    moment = None if at is None else (at, at if first is None else first)
    return show(request, site, snapshot, at=moment)


def show(
    request: Request,
    site: Site,
    snapshot: Snapshot,
    notice: str = "",
    status: int = 200,
    at: tuple[int, int] | None = None,
    sure: str = "",
    typed: tuple[int, str] | None = None,
) -> Response:
    """The whole page, or the part of it that changes if the page itself asks for it.

    `sure` is what was chosen and is to be confirmed: an action, or several with commas between them. `typed` is the
    address to which an invitation to a seat could not be sent.
    """
    guest = guest_of(request)
    offered = bool(snapshot.table.open_seats) and site.open_tables.listings.of(snapshot.table.id).offered
    view = view_of(site, snapshot, guest.id, looking(request, snapshot.table.id), at, offered=offered)
    part = asks_itself(request)
    # After the last moment a page goes on to how the table stands. That comes along: one request for an act of others.
    is_last = part and view.following is not None and view.following.after is None
    then = view_of(site, snapshot, guest.id, looking(request, snapshot.table.id)) if is_last else None
    challenge = challenge_facts(site, snapshot, guest.id)
    meeting = meeting_facts(request, site, view, part)
    had = request.headers.get(KEPT, "")
    shown = str(part), str(request.base_url), str(challenge), then.mark if then else ""
    tag = view.tag(*guest[1:], *shown, *map(str, meeting.values()), had)
    headers = {"Vary": VARY}
    if not notice:
        headers["ETag"] = tag
        if tag in request.headers.get("if-none-match", "") and request.method in ("GET", "HEAD"):
            return Response(status_code=304, headers=headers)
    facts = {
        "view": view,
        "table": snapshot.table,
        "game": snapshot.play.game.meta,
        "notice": notice,
        "part": part,
        "kept": kept_panels(request),
        "invitations": invitations(request, site, view),
        "bots": bots.LEVELS,
        "usual_bot": bots.DEFAULT_LEVEL,
        "challenge": challenge,
        "moved": site.profiles.moved_by(snapshot.table.id, guest.id) if is_moved(view) else None,
        "sealed": site.dailies.is_running(snapshot.table),
        **meeting,
        "phrases": PHRASES,
        "longest": LONGEST,
        "guest": guest.id,
        "sure": sure,
        "typed": typed,
        "pace": PACES[guest.pace],
        "short": is_short(snapshot.table.game),
        "ending": None if view.following else ending_if_over(view),
        "then": then,
        "ending_then": then and ending_if_over(then),
    }
    for one in (view, then):
        if one and one.draws:
            site.artists.prepare(one.diary)
    with DRAWING:
        return page(request, "_table.html" if part else "table.html", status, headers, **facts)


def view_of(
    site: Site,
    snapshot: Snapshot,
    guest: str,
    shown: int | None,
    at: tuple[int, int] | None = None,
    *,
    offered: bool = False,
) -> TablePage:
    """A table as a guest sees it, who has uncovered the screen for a seat of several if it is `shown`.

    Where it is `offered` in the lobby, its free seats wait for anybody.
    """
    reader = reader_of(snapshot, guest, shown)
    attendance = site.seating.attendance(snapshot.table, reader.held)
    return TablePage(snapshot, reader, at, attendance, now=site.clock.now(), offered=offered)


def ending_if_over(view: TablePage) -> Any:
    """Return the sentence of a page about the end; None if the game goes on, or has no move yet."""
    return ending_of(view) if view.table.finished and view.play.actions else None


def is_moved(view: TablePage) -> bool:
    """May a game have moved the rating of whoever reads its page?"""
    return view.table.finished and view.table.rated and bool(view.reader.held)


def meeting_facts(request: Request, site: Site, view: TablePage, part: bool) -> dict[str, Any]:
    """What the page says of how people meet: who may come, the game that comes after this one, and the chat."""
    table, guest = view.table, guest_of(request).id
    listing = site.open_tables.listings.of(table.id)
    room = chat_pages.room_of(table, guest, listing)
    return {
        "listing": listing,
        "rematch": site.rematches.after(table, guest) if table.finished and view.reader.held else None,
        "room": room,
        "talk": site.chat.talk(room.name, guest) if room and room.may_read and not part else None,
        "watch_link": f"{place_of(request, site)}/table/{table.id}",
        "mails": site.mailer.on,
    }


def place_of(request: Request, site: Site) -> str:
    """Where people reach the site."""
    return site.settings.address or str(request.base_url).rstrip("/")


def invitations(request: Request, site: Site, view: TablePage) -> dict[int, str]:
    """The links to the open seats, for whoever sits at the table."""
    if not view.reader.held:
        return {}
    address = place_of(request, site)
    return {i: f"{address}/join/{site.invitations.write(view.table.id, i)}" for i in view.table.open_seats}


def challenge_facts(site: Site, snapshot: Snapshot, guest: str) -> dict[str, Any] | None:
    """The challenge that is tried at a table, if it is one that is still known, and how the campaign goes on."""
    table = snapshot.table
    if not table.challenge:
        return None
    try:
        found = new_table.challenge_of(snapshot.play.game, table.challenge)
    except Missing:
        return None
    facts = {"title": found.title, "target": found.target, "best": found.best, "next": "", "words": ""}
    if not table.finished or not table.held_by(guest):
        return facts
    done = new_table.attempts(site.own.attempts(guest, table.game))
    campaign = new_table.challenges_of(table.game).campaign(done)
    facts["words"] = campaign.words
    if campaign.next:
        title = new_table.challenge_of(snapshot.play.game, campaign.next).title
        again = campaign.next == table.challenge
        facts |= {"next": campaign.next, "label": f"Try {title} again" if again else f"Next: {title}"}
    return facts


# --- what is done --------------------------------------------------------------------------------


@router.post("/act")
def act(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Choose an action, or a course of several.

    The page asks again where the guest confirms moves, unless `sure` is 1, or what the page has asked about before.
    """
    guest = guest_of(request)
    sure = form.text("sure") in ("1", form.text("course" if form.has("course") else "action"))
    manner = Manner(guest.confirm, sure, guest.forced == "skip")

    def choose(reader: Reader) -> Snapshot:
        action, *then = chosen(form)
        return site.tables.act(table_id, reader.seat, action, form.number("seen"), then, manner)

    try:
        return do(request, site, form, table_id, choose)
    except Unsure as unsure:
        snapshot = site.tables.snapshot(table_id)
        return show(request, site, snapshot, str(unsure), sure=",".join(map(str, chosen(form))))


def chosen(form: Form) -> list[int]:
    """The action that a form sends, or the actions of its course; Malformed if it sends neither."""
    if not form.has("course"):
        return [form.number("action")]
    words = form.text("course").split(",")
    if len(words) > MOST_TOGETHER or not all(map(is_code, words)):
        raise Malformed(f"A course is 1 to {MOST_TOGETHER} actions, as numbers separated by commas.")
    return [int(word) for word in words]


@router.post("/undo")
def undo(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Take the last choice back with all that followed on it, or the whole turn."""

    def take_back(reader: Reader) -> Snapshot:
        return site.tables.undo(table_id, reader.seat, form.number("seen"), bool(form.text("turn")))

    return do(request, site, form, table_id, take_back)


def do(request: Request, site: Site, form: Form, table_id: str, deed: Callable[[Reader], Snapshot]) -> Response:
    """Do something in the reader's seat, and show what came of it, or why it could not be."""
    before = site.tables.current(table_id)
    try:
        reader = reader_of(before, guest_of(request).id, looking(request, table_id))
        check_seat(before, reader, form)
        after = deed(reader)
    except RequestError as error:
        return show(request, site, site.tables.snapshot(table_id), str(error), error.status)
    if asks_itself(request):
        return show(request, site, after)
    return RedirectResponse(f"/table/{table_id}", SEE_OTHER)


def check_seat(snapshot: Snapshot, reader: Reader, form: Form) -> None:
    """Forbidden unless the guest sits where the form says, and looks at that seat's view."""
    seat = form.number("seat")
    if not reader.held:
        raise Forbidden("You are watching this game, not playing. Nothing was changed.")
    if seat not in reader.held:
        raise Forbidden("This is not your seat, so nothing was changed.")
    if snapshot.table.finished:
        raise Conflict("This game is over, so no more moves are possible.")
    if snapshot.table.seats[seat].stand_in:
        raise Conflict("A bot plays for you. Take your seat back first, then choose a move.")
    if seat != reader.seat:
        check_dealt(snapshot.table)
        check_seen(snapshot, seat, form.number("seen"))
        name = snapshot.table.seats[snapshot.table.turn].name
        raise Forbidden(f"It is not this seat's turn but {name}'s. Nothing was changed.")


@router.post("/hint")
async def hint(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """What the expert would do, and why: found beside all other requests, and then kept at the table."""
    try:
        asked = await site.threads.run(request, question_of, request, site, form, table_id)
        given, network = asked.hint, site.network_of(request)
        if given is None and site.settings.think == ELSEWHERE:
            given = await site.questions.answer(table_id, asked.reader, asked.seen, guest_of(request).id, network)
        if given is None:
            found = site.hinter.ask(guest_of(request).id, network, site.builds.of(asked.view.game.name), asked)
            given = await asyncio.wrap_future(found)
    except RequestError as error:
        snapshot = await site.threads.run(request, site.tables.snapshot, table_id)
        return await site.threads.run(request, show, request, site, snapshot, str(error), error.status)

    def keep(reader: Reader) -> Snapshot:
        return site.tables.hint(table_id, reader.seat, form.number("seen"), given)

    return await site.threads.run(request, do, request, site, form, table_id, keep)


def question_of(request: Request, site: Site, form: Form, table_id: str) -> Diary:
    """The diary of the seat that asks for a hint; RequestError if it may not."""
    before = site.tables.snapshot(table_id)
    reader = reader_of(before, guest_of(request).id, looking(request, table_id))
    check_seat(before, reader, form)
    return site.tables.asked(table_id, reader.seat, form.number("seen")).diary(reader.seat)


@router.post("/lesson")
def leave_lesson(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Play on without what is left of the lesson."""

    def play_on(reader: Reader) -> Snapshot:
        return site.tables.leave_lesson(table_id, reader.seat, form.number("seen"))

    return do(request, site, form, table_id, play_on)


@router.post("/look")
def uncover(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Where people share a screen: the next one has come."""
    snapshot = site.tables.snapshot(table_id)
    seat = form.number("seat")
    if seat not in snapshot.table.held_by(guest_of(request).id):
        raise Forbidden("This is not your seat, so its view stays hidden.")
    look(request, table_id, seat)
    return RedirectResponse(f"/table/{table_id}", SEE_OTHER)


# --- ghosts, streams, records --------------------------------------------------------------------


@router.get("/ghosts/{actions}")
def ghosts(request: Request, site: Site, table_id: str, actions: str, mark: str = "") -> Response:
    """What the main picture would gain by each of some actions; nothing for a page that has been overtaken."""

    def seen(snapshot: Snapshot) -> TablePage:
        return view_of(site, snapshot, guest_of(request).id, looking(request, table_id))

    known, wanted = site.tables.latest(table_id), numbers_of(actions)
    view = seen(known) if known else None
    if view is None or mark != view.mark:  # the page may be newer than what this process knows
        view = seen(site.tables.snapshot(table_id))
    if mark not in ("", view.mark):
        return Response(status_code=204, headers={"Cache-Control": "no-store"})
    for action in wanted:
        if action not in view.legal:
            raise Missing(f"Action {action} is not possible now.")
    tag = view.tag("ghosts", actions)
    headers = {"ETag": tag, "Vary": "Cookie", "Cache-Control": AN_HOUR}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    found = zip(wanted, site.artists.ghosts(view.observation, wanted), strict=True)
    drawn = "".join(f'<g data-ghost="{action}">{ghost}</g>' for action, ghost in found)
    body = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{drawn}</svg>'
    return Response(body, headers=headers, media_type="image/svg+xml")


def numbers_of(actions: str) -> list[int]:
    """Action codes with commas between them; Missing unless they are some, and not too many."""
    wanted = actions.split(",")
    if len(wanted) > MOST_GHOSTS or not all(map(is_code, wanted)):
        raise Missing(f"This takes 1 to {MOST_GHOSTS} actions, as numbers separated by commas.")
    return [int(word) for word in wanted]


def is_code(word: str) -> bool:
    """Can this be the code of an action?"""
    return word.isascii() and word.isdigit() and len(word) < 10


@router.get("/why")
def why(
    request: Request, site: Site, table_id: str, panel: str = "", x: str = "", y: str = "", seen: int | None = None
) -> Response:
    """Why nothing can be chosen at a point of a picture, as a sentence; nothing for a page that has been overtaken.

    The point is in the picture's own units; fields `part-NAME` say which parts have been chosen so far.
    """
    point, snapshot = (unit_of(x), unit_of(y)), site.tables.snapshot(table_id)
    reader = reader_of(snapshot, guest_of(request).id, looking(request, table_id))
    view = TablePage(snapshot, reader, now=site.clock.now())
    parts = picked(request, [part.name for part in view.game.view.PARTS])
    if panel not in [drawn.name for drawn in view.panels]:
        raise Missing(f"This game shows no picture called {panel[:40]!r}.")
    refusal = view.refusal(panel, *point, parts) if seen == view.diary.seen else None
    headers = {"Vary": "Cookie", "Cache-Control": "no-store"}
    return HTMLResponse(refusal, 200, headers) if refusal else Response(status_code=204, headers=headers)


def unit_of(word: str) -> float:
    """A coordinate; Malformed if it is none."""
    if not UNITS.fullmatch(word):
        raise Malformed(f"A coordinate is a number such as 120.5, not {word[:40]!r}.")
    return float(word)


def picked(request: Request, names: Collection[str]) -> dict[str, str]:
    """The parts that have been chosen so far, by their names; Malformed if there are no such parts or values."""
    fields = [(key.removeprefix(PART), value) for key, value in request.query_params.items() if key.startswith(PART)]
    for name, value in fields:
        if name not in names or len(value) > LONGEST_VALUE:
            raise Malformed(f"Nothing that is chosen here is called {name[:40]!r}, with a value of so many characters.")
    return dict(fields)


@router.get("/words")
def words(request: Request, site: Site, table_id: str) -> Response:
    """Position as text, as the reader sees it."""
    snapshot = site.tables.snapshot(table_id)
    reader = reader_of(snapshot, guest_of(request).id, looking(request, table_id))
    view = TablePage(snapshot, reader, now=site.clock.now())
    headers = {"Vary": "Cookie", "Cache-Control": "private, no-cache"}
    return Response(view.observation.board(), headers=headers, media_type="text/plain")


@router.get("/stream")
async def stream(request: Request, site: Site, table_id: str, hidden: str = "") -> Response:
    """Server-sent events: what this reader has seen, whenever that changes, and signs of life by the clock alone."""
    guest, shown = guest_of(request), looking(request, table_id)

    def look(known: Snapshot | None) -> tuple[str, bool]:
        snapshot = known or site.tables.snapshot(table_id)
        return view_of(site, snapshot, guest.id, shown).mark, snapshot.table.finished

    if not site.notifier.is_free(guest.id):
        raise TooMany("You have too many games open at once. Close some of them.")
    first, _ = await site.threads.run(request, look, None)

    async def marks() -> AsyncIterator[str]:
        latest, loop = first, asyncio.get_running_loop()
        beat = loop.time() + site.limits.ping_seconds  # an event that says nothing to this reader must not shift it
        if not site.notifier.is_free(guest.id):
            return  # others were asked for at the same moment
        watching = site.notifier.watching(*topics(table_id), guest=guest.id)
        place = table_id if hidden == "1" else screen(table_id)  # an open tab that nobody sees keeps no alert back
        with watching as changed, site.presence.at(table_id, guest.id), site.presence.at(place, guest.id):
            news = News(site, table_id, guest.id)
            if opened := site.tables.latest(table_id):
                site.call_bots(opened.table)  # its people may have left it to them, and then they wait for a watcher
            yield f"data: {latest}\n\n"
            yield f"event: time\ndata: {site.clock.now():.0f}\n\n"
            while not site.notifier.closed:
                known = site.tables.latest(table_id)  # whoever notifies here has left in memory what there is to know
                try:
                    is_quick = known and known.has_diary(reader_of(known, guest.id, shown).seat)
                    now, finished = look(known) if is_quick else await run_in_threadpool(look, known)
                    told = await news.since(finished=finished)
                except Missing:
                    return  # its only player has deleted it
                if now != latest:
                    latest = now
                    yield f"data: {latest}\n\n"
                for event in told:
                    yield event
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(beat):
                        await changed.wait()
                if loop.time() >= beat:
                    beat += site.limits.ping_seconds
                    yield "event: alive\ndata:\n\n"
                    if site.lookout.is_due:
                        await run_in_threadpool(site.lookout.look)
                changed.clear()

    return streams.answered(request, marks(), site.limits, stranger=not guest.id)


@router.get("/record")
def record(request: Request, site: Site, table_id: str, form: str = "text") -> Response:
    """The record, once the play is over."""
    snapshot = site.tables.snapshot(table_id)
    site.dailies.check_record(snapshot.table)
    written = snapshot.record
    if form not in ("text", "json"):
        raise Malformed(f"A record is available as text or json, not {form[:40]!r}.")
    body, kind = (written.to_json(), "application/json") if form == "json" else (str(written), "text/plain")
    ending = "json" if form == "json" else "txt"
    name = f"{snapshot.table.game}-{snapshot.table.id}.{ending}"
    return Response(body, headers={"Content-Disposition": f'attachment; filename="{name}"'}, media_type=kind)
