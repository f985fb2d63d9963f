"""Sharing a game: a line with its result, and a card, a picture of a position with the names of the players."""

from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ...core.contract import SPECTATOR
from ...core.english import capitalize, number, position_name
from ...play.play import Observation
from ..hashes import short_hash
from ..tables.service import TableService, check_position, require_finished
from ..tables.state import TableState
from .routing import Router
from .static_files import check_theme, picture_response, render_picture
from .templating import public_url

router = Router()
WIDTH, HEIGHT = 1200, 630  # of a card: what sites that preview links expect
MARGIN, BOARD_WIDTH, LEFT, ROW = 40, 720, 800, 46  # units of the card: `LEFT` of the words, and height of a row
MAX_NAME_LENGTH = 19  # characters of a name; longer ones are cut
TITLE_SIZE, TITLE_CHARACTERS = 54, 12  # a longer title is smaller
CARD = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
    'data-theme="{theme}" role="img"><title>{line}</title><rect width="{width}" height="{height}" fill="var(--wall)"/>'
    '{board}<g fill="var(--ink)" style="font-family: var(--sans)" font-size="28">'
    '<text x="{left}" y="100" font-size="{size}" font-weight="800" style="font-family: var(--serif)">{title}</text>'
    '{rows}<text x="{left}" y="540" font-size="24" fill="var(--soft)">{moment}</text>'
    '<text x="{left}" y="590" font-size="34" font-weight="800" fill="var(--tile)" style="font-family: var(--serif)">'
    "Almunia</text></g></svg>"
)
TABLE_ROW = Markup(
    '<text x="{left}" y="{y}"{weight}>{name}</text><text x="{right}" y="{y}" text-anchor="end"{weight}>{points}</text>'
)
BOLD = Markup(' font-weight="700"')


class Card(NamedTuple):
    """What other sites and messages show of a page."""

    title: str
    line: str
    url: str  # of the page
    image: str = ""  # the address of a picture of WIDTH by HEIGHT; empty for the site's icon


def card_of(request: Request, state: TableState, at: int | None = None) -> Card:
    """Return the card of a table, or of a position `at` of its replay."""
    origin, table, asked = public_url(request), f"/table/{state.table.id}", "" if at is None else f"?at={at}"
    page = table if at is None else f"{table}/replay{asked}"
    return Card(state.play.game.meta.title, share_line(state), origin + page, f"{origin}{table}/card.svg{asked}")


def share_line(state: TableState) -> str:
    """Return one line about a game: its title and players, with the result of a finished game."""
    players = ", ".join(f"{name} ({points})" if points else name for _, name, points in standings(state))
    return f"{state.play.game.meta.title}: {players}"


def standings(state: TableState) -> list[tuple[bool, str, str]]:
    """Return for each player whether they have won, their name and points, the best first; no points before the end.

    Open seats are left out.
    """
    table, outcome = state.table, state.play.outcome
    points = [""] * len(table.seats) if table.result is None else [number(one) for one in table.result]
    names = [seat.name for seat in table.seats]
    if outcome is None:
        return [(False, names[seat], points[seat]) for seat in range(len(names)) if seat not in table.open_seats]
    order = sorted(range(len(names)), key=lambda seat: outcome.ranks[seat])
    return [(len(names) > 1 and outcome.ranks[seat] == 1, names[seat], points[seat]) for seat in order]


@router.get("/table/{table_id}/card.svg")
def table_card(
    request: Request, tables: TableService, table_id: str, at: int | None = None, theme: str = "light"
) -> Response:
    """Return the card of a table as a spectator sees it now, or of a position `at` of a finished game."""
    check_theme(theme)
    state = tables.get(table_id)
    body = draw_card(state, view_of_all(state, at), at, theme)
    return picture_response(request, short_hash(body.encode()), lambda: body)


def view_of_all(state: TableState, at: int | None) -> Observation:
    """Return what every spectator may see: the present, or a position `at` of a finished game.

    Raise Forbidden for a position of a running game, and NotFound if there is no position `at`.
    """
    if at is None:
        return state.for_viewer(SPECTATOR).view
    check_position(len(require_finished(state).play.actions), at)
    return state.play_at(at).observe(SPECTATOR)


def draw_card(state: TableState, view: Observation, at: int | None, theme: str) -> str:
    """Return the card of a position as SVG. The rows have the final points, and the winners in bold."""
    title, last, facts = state.play.game.meta.title, len(state.play.actions), dict[str, Any]()
    place = f'<svg x="{MARGIN}" y="{MARGIN}" width="{BOARD_WIDTH}" height="{HEIGHT - 2 * MARGIN}"'
    board = render_picture(view, theme).replace("<svg", place, 1)
    rows = [
        TABLE_ROW.format(
            left=LEFT,
            right=WIDTH - MARGIN,
            y=170 + ROW * row,
            weight=BOLD if won else "",
            name=name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 1]}…",
            points=points,
        )
        for row, (won, name, points) in enumerate(standings(state))
    ]
    facts |= {"width": WIDTH, "height": HEIGHT, "left": LEFT, "theme": theme, "line": share_line(state)}
    facts |= {"board": Markup(board), "rows": Markup().join(rows), "title": title}  # noqa: S704 - drawn by the game
    facts["size"] = min(TITLE_SIZE, TITLE_SIZE * TITLE_CHARACTERS // len(title))
    facts["moment"] = "" if at in (None, last) else f"{capitalize(position_name(at))} of {last}"
    return CARD.format(**facts)
