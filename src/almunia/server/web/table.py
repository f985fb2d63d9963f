"""Routes of a table: its page, its moves, and the stream that tells a page when to fetch again."""

import asyncio
import re
from collections.abc import Callable, Collection

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ..bots.hints import HintService
from ..bots.runner import BotDispatch
from ..clock import Clock
from ..daily.service import DailyDealService
from ..errors import BadRequest, ConfirmationRequired, Conflict, Forbidden, NotFound, RequestError
from ..jobs.hint_queue import HintQueue
from ..lobby.service import LobbyService
from ..networks import HiddenNetworks
from ..rendering.pool import RenderPool
from ..settings import IN_WORKERS, Settings
from ..streams import Streams, respond
from ..tables.builds import GameBuilds
from ..tables.moves import MoveOptions
from ..tables.presence import Presence, visible_tab_topic
from ..tables.seats import SeatService
from ..tables.service import TableService, check_dealt, check_version
from ..tables.state import TableState
from ..tables.viewer import Viewer, viewer_of
from ..tables.viewer_history import ViewerHistory
from ..threads import Threads
from ..users.visitors import current_visitor, reveal_screen, shared_screen_seat
from .forms import SEE_OTHER, FormFields
from .routing import Router
from .score_sheet import scoring_page
from .table_notices import NoticeServices, TableNotices, topics
from .table_page import TablePage
from .table_renderer import TableRenderer, view_of
from .templating import is_partial

router = Router(prefix="/table/{table_id}")
CACHE_HOUR = "private, max-age=3600"
MAX_PREVIEWS = 32  # in one response
MAX_COURSE_ACTIONS = 32  # chosen as one
PART_PREFIX, MAX_PART_LENGTH = (
    "part-",
    60,
)  # characters
COORDINATE = re.compile(r"-?[0-9]{1,6}(\.[0-9]{1,4})?")


# --- the page ------------------------------------------------------------------------------------


@router.get("")
def table(
    request: Request,
    tables: TableService,
    presence: Presence,
    open_tables: LobbyService,
    bot_dispatch: BotDispatch,
    table_renderer: TableRenderer,
    table_id: str,
    at: int | None = None,
    first: int | None = None,
    scoring: int | None = None,
) -> Response:
    """Render the table for the guest, now or at a step of a replay since `first`; or one of its scorings."""
    snapshot = tables.get_cached(table_id) if is_partial(request) else tables.get(table_id)
    if scoring is not None:
        reader = viewer_of(snapshot, current_visitor(request).id, shared_screen_seat(request, table_id))
        return scoring_page(request, snapshot, reader, scoring)
    guest = current_visitor(request).id
    if snapshot.table.seats_of(guest):
        presence.touch(table_id, guest)
    bot_dispatch.call(snapshot.table)
    open_tables.record_visit(snapshot.table, guest)
    moment = None if at is None else (at, at if first is None else first)
    return table_renderer.show(request, snapshot, at=moment)


# --- moves ---------------------------------------------------------------------------------------


@router.post("/act")
def act(
    request: Request, tables: TableService, table_renderer: TableRenderer, form: FormFields, table_id: str
) -> Response:
    """Play an action, or several in a row.

    The page asks for confirmation if the guest wants that, unless `sure` is 1 or the choice that was confirmed.
    """
    guest = current_visitor(request)
    sure = form.text("sure") in ("1", form.text("course" if form.has("course") else "action"))
    options = MoveOptions(guest.confirm, sure, guest.forced == "skip")

    def choose(reader: Viewer) -> TableState:
        action, *then = parse_actions(form)
        return tables.move(table_id, reader.seat, action, form.number("seen"), then, options)

    try:
        return perform(request, tables, table_renderer, form, table_id, choose)
    except ConfirmationRequired as unsure:
        snapshot = tables.get(table_id)
        return table_renderer.show(request, snapshot, str(unsure), sure=",".join(map(str, parse_actions(form))))


def parse_actions(form: FormFields) -> list[int]:
    """Return the action in a form, or the actions of its course; BadRequest if it has neither."""
    if not form.has("course"):
        return [form.number("action")]
    words = form.text("course").split(",")
    if len(words) > MAX_COURSE_ACTIONS or not all(map(is_code, words)):
        raise BadRequest(f"A course is 1 to {MAX_COURSE_ACTIONS} actions, as numbers separated by commas.")
    return [int(word) for word in words]


@router.post("/undo")
def undo(
    request: Request, tables: TableService, table_renderer: TableRenderer, form: FormFields, table_id: str
) -> Response:
    """Undo the last choice and all that followed, or the whole turn."""

    def take_back(reader: Viewer) -> TableState:
        return tables.undo(table_id, reader.seat, form.number("seen"), bool(form.text("turn")))

    return perform(request, tables, table_renderer, form, table_id, take_back)


def perform(
    request: Request,
    tables: TableService,
    table_renderer: TableRenderer,
    form: FormFields,
    table_id: str,
    deed: Callable[[Viewer], TableState],
) -> Response:
    """Perform a move in the viewer's seat, and render the result, or why it was refused."""
    before = tables.get_cached(table_id)
    try:
        reader = viewer_of(before, current_visitor(request).id, shared_screen_seat(request, table_id))
        check_seat(before, reader, form)
        after = deed(reader)
    except RequestError as error:
        return table_renderer.show(request, tables.get(table_id), str(error), error.status)
    if is_partial(request):
        return table_renderer.show(request, after)
    return RedirectResponse(f"/table/{table_id}", SEE_OTHER)


def check_seat(snapshot: TableState, reader: Viewer, form: FormFields) -> None:
    """Raise Forbidden unless the guest holds the seat in the form and views it; Conflict if the seat cannot move."""
    seat = form.number("seat")
    if not reader.seats:
        raise Forbidden("You are watching this game, not playing. Nothing was changed.")
    if seat not in reader.seats:
        raise Forbidden("This is not your seat, so nothing was changed.")
    if snapshot.table.finished:
        raise Conflict("This game is over, so no more moves are possible.")
    if snapshot.table.seats[seat].substitute_bot:
        raise Conflict("A bot plays for you. Take your seat back first, then choose a move.")
    if seat != reader.seat:
        check_dealt(snapshot.table)
        check_version(snapshot, seat, form.number("seen"))
        name = snapshot.table.seats[snapshot.table.turn].name
        raise Forbidden(f"It is not this seat's turn but {name}'s. Nothing was changed.")


@router.post("/hint")
async def hint(
    request: Request,
    settings: Settings,
    tables: TableService,
    builds: GameBuilds,
    hinter: HintService,
    questions: HintQueue,
    threads: Threads,
    networks: HiddenNetworks,
    table_renderer: TableRenderer,
    form: FormFields,
    table_id: str,
) -> Response:
    """Compute the expert's hint, outside of the request threads, and store it at the table."""
    try:
        asked = await threads.run(request, hint_question, request, tables, form, table_id)
        given, network = asked.hint, networks.hash_of(request)
        if given is None and settings.bots == IN_WORKERS:
            given = await questions.get_hint(
                table_id, asked.viewer, asked.version, current_visitor(request).id, network
            )
        if given is None:
            found = hinter.request(current_visitor(request).id, network, builds.get(asked.view.game.name), asked)
            given = await asyncio.wrap_future(found)
    except RequestError as error:
        snapshot = await threads.run(request, tables.get, table_id)
        return await threads.run(request, table_renderer.show, request, snapshot, str(error), error.status)

    def keep(reader: Viewer) -> TableState:
        return tables.record_hint(table_id, reader.seat, form.number("seen"), given)

    return await threads.run(request, perform, request, tables, table_renderer, form, table_id, keep)


def hint_question(request: Request, tables: TableService, form: FormFields, table_id: str) -> ViewerHistory:
    """Return the history of the seat that asks for a hint; RequestError if it may not."""
    before = tables.get(table_id)
    reader = viewer_of(before, current_visitor(request).id, shared_screen_seat(request, table_id))
    check_seat(before, reader, form)
    return tables.get_for_hint(table_id, reader.seat, form.number("seen")).history(reader.seat)


@router.post("/lesson")
def leave_lesson(
    request: Request, tables: TableService, table_renderer: TableRenderer, form: FormFields, table_id: str
) -> Response:
    """Leave the lesson, and play on."""

    def play_on(reader: Viewer) -> TableState:
        return tables.leave_lesson(table_id, reader.seat, form.number("seen"))

    return perform(request, tables, table_renderer, form, table_id, play_on)


@router.post("/look")
def reveal(request: Request, tables: TableService, form: FormFields, table_id: str) -> Response:
    """Reveal the view of a seat on a screen that several players share."""
    snapshot = tables.get(table_id)
    seat = form.number("seat")
    if seat not in snapshot.table.seats_of(current_visitor(request).id):
        raise Forbidden("This is not your seat, so its view stays hidden.")
    reveal_screen(request, table_id, seat)
    return RedirectResponse(f"/table/{table_id}", SEE_OTHER)


# --- previews, streams, records------------------------------------------------------------------


@router.get("/ghosts/{actions}")
def ghosts(
    request: Request,
    tables: TableService,
    artists: RenderPool,
    clock: Clock,
    seating: SeatService,
    table_id: str,
    actions: str,
    mark: str = "",
) -> Response:
    """Return previews of actions in the main picture; 204 for a page that is out of date."""

    def seen(snapshot: TableState) -> TablePage:
        return view_of(clock, seating, snapshot, current_visitor(request).id, shared_screen_seat(request, table_id))

    known, wanted = tables.get_if_cached(table_id), parse_codes(actions)
    view = seen(known) if known else None
    if view is None or mark != view.version:  # the page may be newer than this process's cache
        view = seen(tables.get(table_id))
    if mark not in ("", view.version):
        return Response(status_code=204, headers={"Cache-Control": "no-store"})
    for action in wanted:
        if action not in view.legal_actions:
            raise NotFound(f"Action {action} is not possible now.")
    tag = view.entity_tag("ghosts", actions)
    headers = {"ETag": tag, "Vary": "Cookie", "Cache-Control": CACHE_HOUR}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    found = zip(wanted, artists.previews(view.observation, wanted), strict=True)
    drawn = "".join(f'<g data-ghost="{action}">{ghost}</g>' for action, ghost in found)
    body = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{drawn}</svg>'
    return Response(body, headers=headers, media_type="image/svg+xml")


def parse_codes(actions: str) -> list[int]:
    """Return comma-separated action codes; NotFound unless they are codes, and not too many."""
    wanted = actions.split(",")
    if len(wanted) > MAX_PREVIEWS or not all(map(is_code, wanted)):
        raise NotFound(f"This takes 1 to {MAX_PREVIEWS} actions, as numbers separated by commas.")
    return [int(word) for word in wanted]


def is_code(word: str) -> bool:
    """Return whether a word can be the code of an action."""
    return word.isascii() and word.isdigit() and len(word) < 10


@router.get("/why")
def why(
    request: Request,
    clock: Clock,
    tables: TableService,
    table_id: str,
    panel: str = "",
    x: str = "",
    y: str = "",
    seen: int | None = None,
) -> Response:
    """Return why the viewer cannot choose what is at a point of a picture; 204 without a reason or for an old page.

    The point is in the picture's own units. Fields `part-NAME` hold the parts chosen so far.
    """
    point, snapshot = (parse_coordinate(x), parse_coordinate(y)), tables.get(table_id)
    reader = viewer_of(snapshot, current_visitor(request).id, shared_screen_seat(request, table_id))
    view = TablePage(snapshot, reader, now=clock.now())
    parts = parse_parts(request, [part.name for part in view.game.view.PARTS])
    if panel not in [drawn.name for drawn in view.panels]:
        raise NotFound(f"This game shows no picture called {panel[:40]!r}.")
    refusal = view.explain_illegal(panel, *point, parts) if seen == view.diary.version else None
    headers = {"Vary": "Cookie", "Cache-Control": "no-store"}
    return HTMLResponse(refusal, 200, headers) if refusal else Response(status_code=204, headers=headers)


def parse_coordinate(word: str) -> float:
    """Return a coordinate; BadRequest if it is none."""
    if not COORDINATE.fullmatch(word):
        raise BadRequest(f"A coordinate is a number such as 120.5, not {word[:40]!r}.")
    return float(word)


def parse_parts(request: Request, names: Collection[str]) -> dict[str, str]:
    """Return the parts chosen so far, by name; BadRequest for unknown parts or long values."""
    fields = [
        (key.removeprefix(PART_PREFIX), value)
        for key, value in request.query_params.items()
        if key.startswith(PART_PREFIX)
    ]
    for name, value in fields:
        if name not in names or len(value) > MAX_PART_LENGTH:
            raise BadRequest(
                f"This game has no part {name[:40]!r}, or its value has more than {MAX_PART_LENGTH} characters."
            )
    return dict(fields)


@router.get("/words")
def words(request: Request, clock: Clock, tables: TableService, table_id: str) -> Response:
    """Return the position as text, as the viewer sees it."""
    snapshot = tables.get(table_id)
    reader = viewer_of(snapshot, current_visitor(request).id, shared_screen_seat(request, table_id))
    view = TablePage(snapshot, reader, now=clock.now())
    headers = {"Vary": "Cookie", "Cache-Control": "private, no-cache"}
    return Response(view.observation.board(), headers=headers, media_type="text/plain")


@router.get("/stream")
async def stream(
    request: Request,
    streams: Streams,
    threads: Threads,
    clock: Clock,
    tables: TableService,
    seating: SeatService,
    presence: Presence,
    bot_dispatch: BotDispatch,
    notice_services: NoticeServices,
    table_id: str,
    hidden: str = "",
) -> Response:
    """Stream the version of this viewer's page, the chat and the next game, whenever one of them changes."""
    guest, shown = current_visitor(request).id, shared_screen_seat(request, table_id)

    def read(known: TableState | None) -> tuple[str, bool]:
        snapshot = known or tables.get(table_id)
        return view_of(clock, seating, snapshot, guest, shown).version, snapshot.table.finished

    streams.check_capacity(request, guest)
    await threads.run(request, read, None)  # raises if the guest may not view the table
    notices, version = TableNotices(notice_services, table_id, guest), ""

    async def events(_at_beat: bool) -> list[str]:
        nonlocal version
        # A writer caches the state, then notifies.
        before, known = version, tables.get_if_cached(table_id)
        if known and not before:
            bot_dispatch.call(known.table)  # at a table that its players left to bots, they wait for a viewer
        is_quick = known and known.has_history(viewer_of(known, guest, shown).seat)
        version, finished = read(known) if is_quick else await run_in_threadpool(read, known)
        found = [f"data: {version}\n\n"] if version != before else []
        if not before:
            found.append(f"event: time\ndata: {clock.now():.0f}\n\n")
        return [*found, *await notices.poll(finished=finished)]

    # A hidden tab holds no notification back.
    place = table_id if hidden == "1" else visible_tab_topic(table_id)
    here = [presence.connect(table_id, guest), presence.connect(place, guest)]
    return respond(request, streams.listen(request, guest, topics(table_id), events, contexts=here))


@router.get("/record")
def record(
    request: Request, tables: TableService, dailies: DailyDealService, table_id: str, form: str = "text"
) -> Response:
    """Return the record of a finished game."""
    snapshot = tables.get(table_id)
    dailies.check_record(snapshot.table)
    written = snapshot.record
    if form not in ("text", "json"):
        raise BadRequest(f"A record is available as text or json, not {form[:40]!r}.")
    body, kind = (written.to_json(), "application/json") if form == "json" else (str(written), "text/plain")
    ending = "json" if form == "json" else "txt"
    name = f"{snapshot.table.game}-{snapshot.table.id}.{ending}"
    return Response(body, headers={"Content-Disposition": f'attachment; filename="{name}"'}, media_type=kind)
