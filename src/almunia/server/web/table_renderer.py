"""Renders the page of a table, whole or the part that changes."""

from dataclasses import dataclass
from threading import Lock
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ... import bots
from ..chat.service import MAX_LENGTH, PHRASES, Chat
from ..clock import Clock
from ..daily.service import DailyDealService
from ..errors import NotFound
from ..lobby import new_table
from ..lobby.invitations import Invitations
from ..lobby.rematches import Rematches
from ..lobby.service import LobbyService
from ..mail import Mailer
from ..rendering.pool import RenderPool
from ..settings import Settings
from ..tables.seats import SeatService
from ..tables.state import TableState
from ..tables.viewer import viewer_of
from ..users.own_tables import OwnTables
from ..users.profiles import Profiles
from ..users.visitors import PACES, current_visitor, shared_screen_seat
from . import chat as chat_pages
from .game_summary import summarize
from .rulebook import has_summary
from .table_page import TablePage
from .templating import PANELS_HEADER, VARY, client_panel_hashes, is_partial, render

RENDER_LOCK = Lock()  # one page at a time: under the GIL, parallel rendering only adds switches


@dataclass(frozen=True)
class TableRenderer:
    """Renders the page of a table."""

    settings: Settings
    clock: Clock
    seats: SeatService
    render_pool: RenderPool
    invitations: Invitations
    lobby: LobbyService
    own_tables: OwnTables
    rematches: Rematches
    chat: Chat
    mailer: Mailer
    profiles: Profiles
    daily_deals: DailyDealService

    def show(
        self,
        request: Request,
        snapshot: TableState,
        notice: str = "",
        status: int = 200,
        at: tuple[int, int] | None = None,
        sure: str = "",
        typed: tuple[int, str] | None = None,
    ) -> Response:
        """Render the whole page, or the part of it that changes if the page itself asks for it.

        Args:
            request: the request.
            snapshot: the table.
            notice: a message on top, such as why a move was refused.
            status: the status of the response.
            at: the versions of the step to show and of the first step of its replay.
            sure: a choice to be confirmed: an action, or several with commas between them.
            typed: the seat and the address of an invitation that could not be sent.
        """
        guest = current_visitor(request)
        offered = bool(snapshot.table.open_seats) and self.lobby.listings.get(snapshot.table.id).offered
        view = view_of(
            self.clock,
            self.seats,
            snapshot,
            guest.id,
            shared_screen_seat(request, snapshot.table.id),
            at,
            offered=offered,
        )
        part = is_partial(request)
        # After the last step a page shows the present. It is sent along, so a move of others costs one request.
        is_last = part and view.replay_step is not None and view.replay_step.next is None
        then = (
            view_of(self.clock, self.seats, snapshot, guest.id, shared_screen_seat(request, snapshot.table.id))
            if is_last
            else None
        )
        challenge = self._challenge_facts(snapshot, guest.id)
        meeting = self._meeting_facts(request, view, part)
        had = request.headers.get(PANELS_HEADER, "")
        facts_in_tag = str(part), str(request.base_url), str(challenge), then.version if then else ""
        tag = view.entity_tag(*guest[1:], *facts_in_tag, *map(str, meeting.values()), had)
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
            "kept": client_panel_hashes(request),
            "invitations": self._invitation_links(request, view),
            "bots": bots.LEVELS,
            "usual_bot": bots.DEFAULT_LEVEL,
            "challenge": challenge,
            "moved": self.profiles.rating_change(snapshot.table.id, guest.id)
            if may_have_changed_rating(view)
            else None,
            "sealed": self.daily_deals.is_running(snapshot.table),
            **meeting,
            "phrases": PHRASES,
            "longest": MAX_LENGTH,
            "guest": guest.id,
            "sure": sure,
            "typed": typed,
            "pace": PACES[guest.pace],
            "short": has_summary(snapshot.table.game),
            "ending": None if view.replay_step else summary_if_over(view),
            "then": then,
            "ending_then": then and summary_if_over(then),
        }
        for one in (view, then):
            if one and one.shows_own_view:
                self.render_pool.fill_view(one.diary)
        with RENDER_LOCK:
            return render(request, "_table.html" if part else "table.html", status, headers, **facts)

    def public_url(self, request: Request) -> str:
        """Return the address at which visitors reach the site."""
        return self.settings.address or str(request.base_url).rstrip("/")

    def _meeting_facts(self, request: Request, view: TablePage, part: bool) -> dict[str, Any]:
        """Return what the page shows of other people: the listing, the next game, and the chat."""
        table, guest = view.table, current_visitor(request).id
        listing = self.lobby.listings.get(table.id)
        room = chat_pages.table_room(table, guest, listing)
        return {
            "listing": listing,
            "rematch": self.rematches.next_game(table, guest) if table.finished and view.reader.seats else None,
            "room": room,
            "talk": self.chat.history(room.name, guest) if room and room.may_read and not part else None,
            "watch_link": f"{self.public_url(request)}/table/{table.id}",
            "mails": self.mailer.is_enabled,
        }

    def _invitation_links(self, request: Request, view: TablePage) -> dict[int, str]:
        """Return the links to the open seats, for players of the table."""
        if not view.reader.seats:
            return {}
        address = self.public_url(request)
        return {i: f"{address}/join/{self.invitations.create(view.table.id, i)}" for i in view.table.open_seats}

    def _challenge_facts(self, snapshot: TableState, guest: str) -> dict[str, Any] | None:
        """Return the challenge of a table and the next of its campaign; None without a known challenge."""
        table = snapshot.table
        if not table.challenge:
            return None
        try:
            found = new_table.find_challenge(snapshot.play.game, table.challenge)
        except NotFound:
            return None
        facts = {"title": found.title, "target": found.target, "best": found.best, "next": "", "words": ""}
        if not table.finished or not table.seats_of(guest):
            return facts
        done = new_table.challenge_attempts(self.own_tables.challenge_attempts(guest, table.game))
        campaign = new_table.load_challenges(table.game).campaign(done)
        facts["words"] = campaign.words
        if campaign.next:
            title = new_table.find_challenge(snapshot.play.game, campaign.next).title
            again = campaign.next == table.challenge
            facts |= {"next": campaign.next, "label": f"Try {title} again" if again else f"Next: {title}"}
        return facts


def view_of(
    clock: Clock,
    seating: SeatService,
    snapshot: TableState,
    guest: str,
    shown: int | None,
    at: tuple[int, int] | None = None,
    *,
    offered: bool = False,
) -> TablePage:
    """Return a table as a guest sees it.

    Args:
        clock: the clock of the site.
        seating: the service that knows who is present.
        snapshot: the table.
        guest: the id of the viewer.
        shown: the seat that the guest has revealed on a shared screen.
        at: the versions of the step to show and of the first step of its replay.
        offered: whether the lobby lists its open seats.
    """
    reader = viewer_of(snapshot, guest, shown)
    attendance = seating.presence_summary(snapshot.table, reader.seats)
    return TablePage(snapshot, reader, at, attendance, now=clock.now(), offered=offered)


def summary_if_over(view: TablePage) -> Any:
    """Return the summary of a finished game; None if the game goes on, or has no move."""
    return summarize(view) if view.table.finished and view.play.actions else None


def may_have_changed_rating(view: TablePage) -> bool:
    """Return whether a game may have changed the viewer's rating."""
    return view.table.finished and view.table.rated and bool(view.reader.seats)
