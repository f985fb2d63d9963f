"""Renders the page of a table, whole or the part that changes, and its scorings.

The page is made of fragments: the templates `_people`, `_question`, `_seats`, `_log`, `_moves` and `_chat`, and a panel
for each picture. Each can be rendered alone from the facts of the page.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ... import bots
from ..chat.service import MAX_LENGTH, PHRASES, Chat
from ..clock import Clock
from ..daily.service import DailyDealService
from ..errors import NotFound
from ..friends.repository import FriendRepository
from ..lobby import new_table
from ..lobby.invitations import Invitations
from ..lobby.rematches import Rematches
from ..lobby.repository import Listing
from ..lobby.service import LobbyService
from ..mail import Mailer
from ..tables.planning import PlanService
from ..tables.plans import Line, RepeatedAnswer, is_alive, key_of, position_of
from ..tables.seats import SeatService
from ..tables.state import TableState
from ..tables.table_view import name_for
from ..tables.viewer import Viewer, viewer_of
from ..users.game_lists import GameLists
from ..users.profiles import Profiles
from ..users.visitors import PACES, Visitor, current_visitor, shared_screen_seat
from .chat import table_room
from .fragments import SentPictures, ShownFragments
from .game_summary import summarize
from .rulebook import has_summary
from .seat_cards import SeatFragment, SeatMenu, seat_fragment
from .sharing import card_of
from .table_page import TablePage
from .templating import FRAGMENTS_HEADER, VARY, fragment, is_partial, public_url, render


class ShownPlans(NamedTuple):
    """The plans of a viewer, as the page of the table shows them."""

    lines: tuple[tuple[str, Line], ...]  # that are possible, with their keys
    answers: tuple[RepeatedAnswer, ...]
    has_ended: bool  # whether there were lines, and the game has left all of them


RENDER_LOCK = Lock()  # one page at a time: under the GIL, parallel rendering only adds switches


@dataclass(frozen=True)
class TableRenderer:
    """Renders the page of a table."""

    clock: Clock
    seats: SeatService
    invitations: Invitations
    lobby: LobbyService
    game_lists: GameLists
    rematches: Rematches
    chat: Chat
    mailer: Mailer
    profiles: Profiles
    contacts: FriendRepository
    daily_deals: DailyDealService
    pictures: SentPictures
    plans: PlanService

    def view(
        self, state: TableState, viewer: Viewer, at: tuple[int, int] | None = None, *, offered: bool = False
    ) -> TablePage:
        """Return a table as a viewer sees it, now or `at` a step of a replay, like `show`.

        The names of open seats depend on whether they are `offered` in the lobby.
        """
        attendance = self.seats.presence_summary(state.table, viewer.seats, state.proposal)
        return TablePage(state, viewer, at, attendance, now=self.clock.now(), offered=offered)

    def show(
        self,
        request: Request,
        state: TableState,
        notice: str = "",
        status: int = 200,
        at: tuple[int, int] | None = None,
        sure: str = "",
        waits: bool = False,
        typed: tuple[int, str] | None = None,
    ) -> Response:
        """Render the whole page, or the part of it that changes if the page itself asks for it.

        `notice` is a message on top, such as why a move was refused. `at` is the versions of the step to show and of
        the first step of its replay. `sure` is a choice to be confirmed: an action, or several with commas between
        them. If the page `waits`, its script confirms the choice unless the player takes it back. `typed` is the seat
        and the address of an invitation that could not be sent.
        """
        table, guest, part = state.table, current_visitor(request), is_partial(request)
        viewer = viewer_of(state, guest.id, shared_screen_seat(request, table.id))
        listing = self.lobby.listings.get(table.id)
        offered = bool(table.open_seats) and listing.offered
        view = self.view(state, viewer, at, offered=offered)
        # After the last step a page shows the present. It is sent along, so a move of others costs one request.
        is_last = part and view.replay_step is not None and view.replay_step.next is None
        then = self.view(state, viewer, offered=offered) if is_last else None
        others = self._facts_of_others(request, view, listing)
        headers = {"Vary": VARY}
        if not (notice or sure):
            then_version, had = then.version if then else "", request.headers.get(FRAGMENTS_HEADER, "")
            page = (str(part), str(request.base_url), then_version, *map(str, others.values()), had)
            headers["ETag"] = tag = view.entity_tag(*guest[1:], *page)
            if tag in request.headers.get("if-none-match", "") and request.method in ("GET", "HEAD"):
                return Response(status_code=304, headers=headers)
        facts = others | self._facts_of_question(view, guest)
        facts |= {"table": table, "game": view.game.meta, "guest": guest.id, "pace": PACES[guest.pace]}
        facts |= {
            "address": f"/table/{table.id}",
            "several": len(table.seats) > 1,
            "short": has_summary(table.game),
            "usual_bot": bots.DEFAULT_LEVEL,
        }
        facts |= {"card": card_of(request, state), "notice": notice, "sure": sure, "waits": waits, "part": part}
        facts["invitations"] = self._invitations(request, view)
        pictures = self.pictures if part and guest.id else None
        kept = ShownFragments.of(request, pictures, (table.id, guest.id, viewer.seat))
        facts |= {"view": view, "seats": self._seats(view, facts, typed), "kept": kept}
        facts |= {"ending": None if view.replay_step else summary_if_over(view), "then": None}
        if then:
            seats = self._seats(then, facts, typed)
            kept_then = kept.after(page_hashes(view, facts["seats"]))
            facts["then"] = {"view": then, "seats": seats, "kept": kept_then, "ending": summary_if_over(then)}
        with RENDER_LOCK:
            return render(request, "_table.html" if part else "table.html", status, headers, **facts)

    def _facts_of_others(self, request: Request, view: TablePage, listing: Listing) -> dict[str, Any]:
        table, guest = view.table, current_visitor(request).id
        room = table_room(table, guest, listing)
        reads_chat = room and room.may_read and not is_partial(request)
        return {
            "waiting": 0 if is_partial(request) else self.game_lists.count_waiting(guest, table.id),
            "listing": listing,
            "rematch": self.rematches.next_game(table, guest) if table.finished and view.viewer.seats else None,
            "room": room,
            "chat": self.chat.history(room.name, guest) if room and reads_chat else None,
            "phrases": PHRASES,
            "longest": MAX_LENGTH,
            "challenge": self._challenge_facts(view, guest),
            "watch_link": f"{public_url(request)}/table/{table.id}",
            "mails": self.mailer.is_enabled,
            "plans": self._plans(view, guest),
            "friends": self._friends(guest) if table.open_seats and view.viewer.seats else (),
        }

    def _plans(self, view: TablePage, guest: str) -> ShownPlans | None:
        """Return the plans of the viewer's seat; None without a single seat in a running game."""
        if view.table.finished or len(view.viewer.seats) != 1:
            return None
        plan = self.plans.of_player(view.table, guest, view.viewer.seat)
        now = position_of(view.history.view) if plan.lines else ""
        alive = tuple((key_of(line), line) for line in plan.lines if is_alive(line, now))
        return ShownPlans(alive, plan.answers, has_ended=bool(plan.lines) and not alive)

    def _friends(self, guest: str) -> tuple[tuple[str, str], ...]:
        """Return the handles and names of the viewer's friends, who can be invited to open seats."""
        return tuple((one.handle, one.name) for one in self.contacts.following(guest) if one.is_friend)

    def _invitations(self, request: Request, view: TablePage) -> dict[int, str]:
        address, open_seats = public_url(request), view.table.open_seats if view.viewer.seats else ()
        return {i: f"{address}/join/{self.invitations.create(view.table.id, i)}" for i in open_seats}

    def _seats(self, view: TablePage, facts: Mapping[str, Any], typed: tuple[int, str] | None) -> list[SeatFragment]:
        table, links, found = view.table, facts["invitations"], []
        several = len(table.seats) > 1 and not table.end_reason
        for card in view.seats:
            menu = SeatMenu(
                seat=card.seat,
                name=card.name,
                kind=card.kind,
                is_own=card.is_own,
                actions=frozenset(view.seat_actions(card.seat)),
                invitation="" if table.finished else links.get(card.seat, ""),
                address=facts["address"],
                occupant=table.seats[card.seat].name,
                mails=facts["mails"],
                friends=facts["friends"],
                typed=typed[1] if typed and typed[0] == card.seat else "",
                is_flagged=view.opponent_flagged,
                is_rated=table.rated,
                has_open_seats=bool(links),
                listing=facts["listing"],
                watch_link=facts["watch_link"],
                rating_warning=view.rating_warning,
                terms=view.terms,
                resigning=view.resigning(card.seat),
            )
            menu_html = fragment("_seat_actions.html", menu=menu) if menu.actions or menu.invitation else Markup()
            found.append(seat_fragment(card, view.icons, view.panels, several, menu_html))
        return found

    def _facts_of_question(self, view: TablePage, guest: Visitor) -> dict[str, Any]:
        table = view.table
        may_have_changed_rating = table.finished and table.rated and view.viewer.seats
        return {
            "rating_change": self.profiles.rating_change(table.id, guest.id) if may_have_changed_rating else None,
            "is_running_deal": self.daily_deals.is_running(table),
            "offers_hints": guest.hints == "on",
        }

    def _challenge_facts(self, view: TablePage, guest: str) -> dict[str, Any] | None:
        table = view.table
        if not table.challenge:
            return None
        try:
            found = new_table.find_challenge(view.game, table.challenge)
        except NotFound:
            return None
        facts = {"title": found.title, "target": found.target, "best": found.best, "next": "", "words": ""}
        if not table.finished or not table.seats_of(guest):
            return facts
        done = self.game_lists.challenge_attempts(guest, table.game)
        campaign = view.game.text.campaign(done)
        facts["words"] = campaign.words
        if campaign.next:
            title, again = new_table.find_challenge(view.game, campaign.next).title, campaign.next == table.challenge
            facts |= {"next": campaign.next, "label": f"Try {title} again" if again else f"Next: {title}"}
        return facts


def page_hashes(view: TablePage, seats: Iterable[SeatFragment]) -> dict[str, str]:
    return view.hashes | {seat.name: seat.hash for seat in seats}


def summary_if_over(view: TablePage) -> Any:
    """Return the summary of a finished game; None if the game goes on, or has no move."""
    return summarize(view) if view.table.finished and view.play.actions else None


def render_scoring(request: Request, state: TableState, viewer: Viewer, seen: int) -> Response:
    """Render the scoring at a version of the viewer's page; NotFound if the version has none."""
    sheet = state.history(viewer.seat).score_sheet(seen)
    if sheet is None:
        raise NotFound("This scoring doesn't exist. Its move may have been undone.")
    table, part = state.table, is_partial(request)
    facts: dict[str, Any] = {"sheet": sheet, "viewer": viewer, "table": table, "game": state.play.game.meta}
    facts |= {"part": part, "name": lambda seat: name_for(table, viewer, seat)}
    return render(request, "_score_sheet.html" if part else "score_sheet.html", headers={"Vary": VARY}, **facts)
