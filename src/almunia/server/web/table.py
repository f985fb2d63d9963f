"""Routes of a table: its page, its moves, and the stream that tells a page when to fetch again."""

import asyncio
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ...play.panels import preview
from ..bots.hints import HintService
from ..bots.runner import BotDispatch
from ..clock import Clock
from ..daily.service import DailyDealService
from ..errors import BadRequest, ConfirmationRequired, Forbidden, NotFound, RequestError
from ..jobs.hint_queue import HintQueue
from ..lobby.service import LobbyService
from ..networks import HiddenNetworks
from ..settings import IN_WORKERS, Settings
from ..streams import Streams, respond
from ..tables.builds import GameBuilds
from ..tables.moves import MoveOptions
from ..tables.presence import Presence, visible_tab_topic
from ..tables.service import TableService, check_version
from ..tables.state import TableState
from ..tables.viewer import Viewer, viewer_of
from ..tables.viewer_history import ViewerHistory
from ..threads import Threads
from ..users.visitors import Visitor, current_visitor, reveal_screen, shared_screen_seat
from .forms import FormFields, redirect_to_table
from .routing import FromRequest, Router
from .table_notices import NoticeServices, TableNotices, topics
from .table_page import TablePage
from .table_renderer import TableRenderer, render_scoring
from .templating import is_partial

router = Router(prefix="/table/{table_id}")
CACHE_HOUR = "private, max-age=3600"
MAX_ACTIONS = 32  # in a course, and in a request for previews
ACTION_CODES = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")
PART_PREFIX = "part-"  # of the fields with the parts of an action
MAX_PART_LENGTH = 60  # characters
COORDINATE = re.compile(r"-?[0-9]{1,6}(\.[0-9]{1,4})?")


@dataclass(frozen=True)
class TableRequest(FromRequest):
    """A request for a table."""

    request: Request
    tables: TableService
    renderer: TableRenderer
    table_id: str

    def viewer(self, state: TableState) -> Viewer:
        return viewer_of(state, current_visitor(self.request).id, shared_screen_seat(self.request, self.table_id))

    def view(self, state: TableState) -> TablePage:
        return self.renderer.view(state, self.viewer(state))


@dataclass(frozen=True)
class MoveForm(TableRequest):
    """A form about a seat, sent from a version of a table's page."""

    fields: FormFields

    @property
    def seen(self) -> int:
        """The version of the page that sends the form."""
        return self.fields.number("seen")

    @property
    def guest(self) -> str:
        return current_visitor(self.request).id

    def shown_seat(self, state: TableState) -> int:
        """Return the form's seat; RequestError if it is to move, and a shared screen hides its view."""
        seat, table = self.fields.number("seat"), state.table
        if self.viewer(state).is_hidden and seat == table.turn:
            check_version(state, seat, self.seen)
            raise Forbidden(f"It's {table.seats[seat].name}'s turn. Nothing was changed.")
        return seat

    def perform(self, move: Callable[[int], TableState]) -> Response:
        """Make a move in the form's seat, and render the table, redirect to it, or render the error."""
        try:
            after = move(self.shown_seat(self.tables.get_cached(self.table_id)))
        except RequestError as error:
            return self.show_error(error)
        return self.renderer.show(self.request, after) if is_partial(self.request) else redirect_to_table(self.table_id)

    def show_error(self, error: RequestError) -> Response:
        return self.renderer.show(self.request, self.tables.get(self.table_id), str(error), error.status)

    def hint_question(self) -> ViewerHistory:
        """Return the history of the seat that asks for a hint; RequestError if the seat may not ask."""
        seat = self.shown_seat(self.tables.get(self.table_id))
        return self.tables.get_for_hint(self.table_id, seat, self.seen, guest=self.guest).history(seat)


@router.get("")
def show_table(
    asked: TableRequest,
    presence: Presence,
    lobby: LobbyService,
    bot_dispatch: BotDispatch,
    at: int | None = None,
    first: int | None = None,
    scoring: int | None = None,
) -> Response:
    """Render the table for the guest, now or at a step of a replay since `first`; or a scoring."""
    request, tables, table_id = asked.request, asked.tables, asked.table_id
    state = tables.get_cached(table_id) if is_partial(request) else tables.get(table_id)
    if scoring is not None:
        return render_scoring(request, state, asked.viewer(state), scoring)
    guest = current_visitor(request).id
    if state.table.seats_of(guest):
        presence.touch(table_id, guest)
    bot_dispatch.call(state.table)
    lobby.record_visit(state.table, guest)
    return asked.renderer.show(request, state, at=None if at is None else (at, at if first is None else first))


@router.post("/move")
def make_move(form: MoveForm, visitor: Visitor) -> Response:
    """Play an action, or several in a row.

    `sure` is the choice itself if it was confirmed after a notice, or 1 if it was pressed twice. The page asks for
    confirmation if the guest wants that, unless `sure` is one of these; and if the game warns of the choice, unless its
    notice was confirmed. For a guest who wants to wait, the script of the page confirms when the time to take the move
    back is over.
    """
    fields, tables = form.fields, form.tables
    sure, choice = fields.text("sure"), fields.text("course" if fields.has("course") else "action")
    options = MoveOptions(visitor.confirm, sure in ("1", choice), visitor.forced == "skip", sure != choice)

    def choose(seat: int) -> TableState:
        action, *then = parse_actions(fields)
        return tables.move(form.table_id, seat, action, form.seen, then, options, guest=visitor.id)

    try:
        return form.perform(choose)
    except ConfirmationRequired as unsure:
        found = ",".join(map(str, parse_actions(fields)))
        state, waits = tables.get(form.table_id), unsure.can_wait and is_partial(form.request)
        return form.renderer.show(form.request, state, "" if waits else str(unsure), sure=found, waits=waits)


def parse_actions(fields: FormFields) -> list[int]:
    """Return the action in a form, or the actions of its course; BadRequest if they are invalid."""
    if not fields.has("course"):
        return [fields.number("action")]
    error = BadRequest(f"A move can have 1 to {MAX_ACTIONS} actions, as numbers separated by commas.")
    return parse_codes(fields.text("course"), error)


def parse_codes(codes: str, error: RequestError, limit: int = MAX_ACTIONS) -> list[int]:
    """Return comma-separated codes of actions; raise the error unless there are 1 to `limit` codes."""
    if not ACTION_CODES.fullmatch(codes) or codes.count(",") >= limit:
        raise error
    return [int(code) for code in codes.split(",")]


@router.post("/undo")
def undo(form: MoveForm) -> Response:
    """Undo the last choice and all that followed, or the whole turn."""
    whole_turn = bool(form.fields.text("turn"))
    return form.perform(lambda seat: form.tables.undo(form.table_id, seat, form.seen, whole_turn, guest=form.guest))


@router.post("/hint")
async def give_hint(
    form: MoveForm,
    settings: Settings,
    builds: GameBuilds,
    hints: HintService,
    queue: HintQueue,
    threads: Threads,
    networks: HiddenNetworks,
) -> Response:
    """Show a hint at the table. Compute it outside of the request threads, if there is none yet."""
    request, table_id = form.request, form.table_id
    guest, network = form.guest, networks.hash_of(request)
    try:
        asked = await threads.run(request, form.hint_question)
        hint = asked.hint
        if hint is None and settings.bots == IN_WORKERS:
            hint = await queue.get_hint(table_id, asked.viewer, asked.version, guest, network)
        if hint is None:
            found = hints.request(guest, network, builds.get(asked.view.game.name), asked)
            hint = await asyncio.wrap_future(found)
    except RequestError as error:
        return await threads.run(request, form.show_error, error)

    def record(seat: int) -> TableState:
        return form.tables.record_hint(table_id, seat, form.seen, hint, guest=guest)

    return await threads.run(request, form.perform, record)


@router.post("/lesson")
def leave_lesson(form: MoveForm) -> Response:
    return form.perform(lambda seat: form.tables.leave_lesson(form.table_id, seat, form.seen, guest=form.guest))


@router.post("/reveal")
def reveal(request: Request, tables: TableService, visitor: Visitor, form: FormFields, table_id: str) -> Response:
    """Reveal the view of a seat on a screen that several players share."""
    state, seat = tables.get(table_id), form.number("seat")
    if seat not in state.table.seats_of(visitor.id):
        raise Forbidden("This is not your seat, so its view stays hidden.")
    reveal_screen(request, table_id, seat)
    return redirect_to_table(table_id)


@router.get("/previews/{actions}")
def show_previews(asked: TableRequest, actions: str, mark: str = "") -> Response:
    """Return previews of actions in the main picture; 204 for a page that is out of date."""
    wanted = parse_previews(actions)
    cached = asked.tables.get_if_cached(asked.table_id)
    view = asked.view(cached) if cached else None
    if view is None or mark != view.version:  # the page may be newer than this process's cache
        view = asked.view(asked.tables.get(asked.table_id))
    if mark not in ("", view.version):
        return Response(status_code=204, headers={"Cache-Control": "no-store"})
    return render_previews(asked.request, view, wanted)


def parse_previews(codes: str) -> list[int]:
    """Return the actions in an address of previews; NotFound if they are invalid."""
    return parse_codes(codes, NotFound(f"This request takes 1 to {MAX_ACTIONS} actions, as numbers with commas."))


def render_previews(request: Request, view: TablePage, actions: Sequence[int]) -> Response:
    """Return the previews of legal actions as SVG; NotFound if one is not legal."""
    for action in actions:
        if action not in view.legal_actions:
            raise NotFound(f"Action {action} is not possible now.")
    tag = view.entity_tag("ghosts", *map(str, actions))
    headers = {"ETag": tag, "Vary": "Cookie", "Cache-Control": CACHE_HOUR}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    drawn = "".join(f'<g data-ghost="{action}">{preview(view.observation, action)}</g>' for action in actions)
    body = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{drawn}</svg>'
    return Response(body, headers=headers, media_type="image/svg+xml")


@router.get("/explain")
def explain_illegal(
    asked: TableRequest, panel: str = "", x: str = "", y: str = "", seen: int | None = None
) -> Response:
    """Return why the viewer cannot choose a point of a picture; 204 without a reason or for an old page.

    The point is in the picture's own units. Fields `part-NAME` hold the parts chosen so far.
    """
    return render_explanation(asked.request, asked.view(asked.tables.get(asked.table_id)), panel, x, y, seen)


def render_explanation(request: Request, view: TablePage, panel: str, x: str, y: str, seen: int | None) -> Response:
    """Return why the viewer cannot choose a point, as `explain_illegal` does."""
    point = parse_coordinate(x), parse_coordinate(y)
    parts = parse_parts(request, [part.name for part in view.game.view.PARTS])
    if panel not in [drawn.name for drawn in view.panels]:
        raise NotFound(f"This game shows no picture called {panel[:40]!r}.")
    refusal = view.explain_illegal(panel, *point, parts) if seen == view.history.version else None
    headers = {"Vary": "Cookie", "Cache-Control": "no-store"}
    return HTMLResponse(refusal, 200, headers) if refusal else Response(status_code=204, headers=headers)


def parse_coordinate(word: str) -> float:
    """Return a coordinate; BadRequest if the text is no coordinate."""
    if not COORDINATE.fullmatch(word):
        raise BadRequest(f"A coordinate is a number such as 120.5, not {word[:40]!r}.")
    return float(word)


def parse_parts(request: Request, names: Collection[str]) -> dict[str, str]:
    """Return the parts chosen so far, by name; BadRequest for unknown parts or long values."""
    fields = request.query_params.items()
    parts = {key.removeprefix(PART_PREFIX): value for key, value in fields if key.startswith(PART_PREFIX)}
    for name, value in parts.items():
        if name not in names or len(value) > MAX_PART_LENGTH:
            limit = f"its value has more than {MAX_PART_LENGTH} characters"
            raise BadRequest(f"This game has no part {name[:40]!r}, or {limit}.")
    return parts


@router.get("/text")
def show_text(asked: TableRequest) -> Response:
    """Return the position as text, as the viewer sees it."""
    return render_text(asked.view(asked.tables.get(asked.table_id)))


def render_text(view: TablePage) -> Response:
    """Return the position of a page as text."""
    headers = {"Vary": "Cookie", "Cache-Control": "private, no-cache"}
    return Response(view.observation.board(), headers=headers, media_type="text/plain")


@router.get("/stream")
async def stream(
    request: Request,
    streams: Streams,
    threads: Threads,
    clock: Clock,
    tables: TableService,
    table_renderer: TableRenderer,
    presence: Presence,
    bot_dispatch: BotDispatch,
    notice_services: NoticeServices,
    table_id: str,
    hidden: str = "",
) -> Response:
    """Stream the version of this viewer's page, the chat and the next game, whenever one of them changes."""
    guest, shown = current_visitor(request).id, shared_screen_seat(request, table_id)

    def read(known: TableState | None) -> tuple[TableState, str]:
        state = known or tables.get(table_id)
        return state, table_renderer.view(state, viewer_of(state, guest, shown)).version

    streams.check_capacity(request, guest)
    await threads.run(request, read, None)  # raises if the guest may not view the table
    notices, version = TableNotices(notice_services, table_id, guest), ""

    async def events(_at_beat: bool) -> list[str]:
        nonlocal version
        # A writer caches the state, then notifies.
        before, known = version, tables.get_if_cached(table_id)
        is_ready = known and known.is_view_ready(viewer_of(known, guest, shown).seat)
        state, version = read(known) if is_ready else await run_in_threadpool(read, known)
        found = [f"data: {version}\n\n"] if version != before else []
        if not before:
            bot_dispatch.call(state.table)  # bots at a table without active players wait for a viewer
            found.append(f"event: time\ndata: {clock.now():.0f}\n\n")
        return [*found, *await notices.poll(finished=state.table.finished)]

    # A hidden tab does not delay notifications.
    topic = table_id if hidden == "1" else visible_tab_topic(table_id)
    contexts = [presence.connect(table_id, guest), presence.connect(topic, guest)]
    return respond(request, streams.listen(request, guest, topics(table_id, guest), events, contexts=contexts))


@router.get("/record")
def download_record(tables: TableService, dailies: DailyDealService, table_id: str, form: str = "text") -> Response:
    """Return the record of a finished game."""
    state = tables.get(table_id)
    dailies.check_record(state.table)
    record = state.record
    if form not in ("text", "json"):
        raise BadRequest(f"A record is available as text or json, not {form[:40]!r}.")
    body, kind, ending = (
        (record.to_json(), "application/json", "json") if form == "json" else (str(record), "text/plain", "txt")
    )
    headers = {"Content-Disposition": f'attachment; filename="{state.table.game}-{state.table.id}.{ending}"'}
    return Response(body, headers=headers, media_type=kind)
