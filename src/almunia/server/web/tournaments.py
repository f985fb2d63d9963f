"""Pages of tournaments: the list with a form for a new one, and each tournament with its standings and games.

The page of a tournament follows a stream of its versions, as the lobby does.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from ..broker import Broker
from ..clock import Clock
from ..errors import BadRequest, RequestError
from ..hashes import short_hash
from ..lobby.new_table import parse_time_control
from ..lobby.rematches import Rematches, invitations_topic
from ..lobby.service import MIN_PLAYERS
from ..streams import Changes, Streams, respond
from ..tables import clocks
from ..tables.builds import GameBuilds
from ..tables.presence import SITE_PLACE, Presence
from ..tables.service import waiting_topic
from ..tournaments import service
from ..tournaments.service import BOTS, KINDS, TournamentService, TournamentState, topic_of
from ..tournaments.stages import ARENA, GROUPS, SWISS, Plan, Stage
from ..tournaments.standings import Game, Standing
from ..users.game_lists import GameLists
from ..users.visitors import current_visitor, ensure_visitor
from .forms import FormFields, redirect
from .lobby import PACES
from .routing import FromRequest, Router
from .templating import VARY, is_partial, render
from .waiting_count import WaitingCount

router = Router(prefix="/tournaments")
TIMED_PACES = {name: control for name, control in PACES.items() if control}
DEFAULT_FIELDS = {"clock": clocks.DEFAULT_TIME_CONTROL, "bot": "easy", "seats": "3", "places": "12", "rounds": "4"}
DEFAULT_FIELDS |= {"minutes": "60", "groups": "2", "finalists": "2"}
FIELDS_BY_KIND = {SWISS: ("rounds",), GROUPS: ("groups", "finalists"), ARENA: ("minutes",)}  # of a plan, besides others
MIN_INTERVAL_SECONDS = 1.0  # between two reads of a stream, even if there are many changes


@dataclass(frozen=True)
class TournamentsPage(FromRequest):
    """The list of tournaments, with a form for a new one."""

    request: Request
    tournaments: TournamentService
    builds: GameBuilds
    form: FormFields

    def render(self, wrong: str = "", status: int = 200) -> Response:
        games = [meta for meta in catalog.all_games() if meta.seats[1] >= MIN_PLAYERS]
        facts: dict[str, Any] = {"games": games, "titles": game_titles(), "kinds": KINDS, "bots": BOTS, "wrong": wrong}
        facts |= {"paces": TIMED_PACES, "most": max(meta.seats[1] for meta in games), "limits": service}
        facts |= {"filled": DEFAULT_FIELDS | self.form.named("")}
        facts["tournaments"] = self.tournaments.listed(current_visitor(self.request).id)
        return render(self.request, "tournaments.html", status, **facts)

    def create(self) -> Response:
        form, kind = self.form, self.form.text("kind")
        more = {name: form.number(name) for name in FIELDS_BY_KIND.get(kind, ())}
        self.tournaments.create_limit.consume(self.request)
        tournament = self.tournaments.create(
            ensure_visitor(self.request),
            form.text("name"),
            self.builds.find(form.text("game")),
            Plan(kind, form.number("seats"), form.number("places"), **more),
            control=parse_time_control(form.text("clock")),
            bot=form.text("bot"),
            is_public=form.text("private") != "1",
        )
        return redirect(f"/tournaments/{tournament.id}")


@router.get("")
def show_tournaments(page: TournamentsPage) -> Response:
    return page.render()


@router.post("")
def create_tournament(page: TournamentsPage) -> Response:
    """Create a tournament and redirect to it, or render the form with an error."""
    try:
        return page.create()
    except RequestError as error:
        return page.render(str(error), error.status)


class StagePart(NamedTuple):
    """A stage, as the page shows it."""

    stage: Stage
    standings: list[Standing]
    rounds: dict[int, list[Game]]  # games by round; empty for an arena
    counts: dict[int, int]  # games of each player
    last: dict[int, Game]  # the last game of each player


@dataclass(frozen=True)
class TournamentPage(FromRequest):
    """A tournament with its standings and games."""

    request: Request
    tournaments: TournamentService
    game_lists: GameLists
    clock: Clock
    tournament: str

    def render(self, wrong: str = "", status: int = 200) -> Response:
        """Render the page with an error, or only the tournament if the page itself asks for it."""
        state, guest = self.tournaments.get(self.tournament), current_visitor(self.request).id
        one, own = state.tournament, state.entrant_of(guest)
        waiting = waiting_games(self.game_lists, state, guest)
        facts: dict[str, Any] = {
            "tournament": one,
            "entrants": state.entrants,
            "title": game_titles().get(one.game, one.game),
        }
        facts |= {
            "parts": stage_parts(state),
            "kind": KINDS[one.kind],
            "wrong": wrong,
            "version": version_of(state, waiting),
        }
        facts |= {"own": own, "is_host": bool(guest) and one.host == guest, "due": waiting}
        facts |= {"is_arena": one.kind == ARENA, "is_open": self.clock.now() < one.ends_at}
        facts |= {"is_full": service.is_full(one, state.entrants)}
        facts |= {"playing": [game for game in state.games if own and own.number in game.players and not game.scores]}
        if is_partial(self.request):
            return render(self.request, "_tournament.html", status, {"Vary": VARY}, **facts)
        return render(self.request, "tournament.html", status, **facts)


def stage_parts(state: TournamentState) -> list[StagePart]:
    """Return the stages of a tournament, with a final first."""
    parts = []
    for stage in state.stages:
        games = stage.games(state.games)
        counts = Counter(player for game in games for player in game.players)
        rounds: dict[int, list[Game]] = {}
        for game in games if state.tournament.kind != ARENA else ():
            rounds.setdefault(game.round, []).append(game)
        last = {player: game for game in games for player in game.players}
        parts.append(StagePart(stage, stage.standings(state.games), rounds, counts, last))
    return parts


def waiting_games(game_lists: GameLists, state: TournamentState, guest: str) -> list[str]:
    """Return the tables of a tournament's games that wait for a guest's move."""
    tables = {game.table for game in state.games if not game.scores}
    return [table for table in game_lists.waiting_tables(guest, "latest") if table in tables]


def version_of(state: TournamentState, waiting: list[str]) -> str:
    """Return the version of a tournament's page for a guest for whose move some games wait."""
    return short_hash(repr((state, waiting)).encode())


@router.get("/{tournament}")
def show_tournament(page: TournamentPage) -> Response:
    return page.render()


@router.post("/{tournament}")
def change_tournament(page: TournamentPage, form: FormFields) -> Response:
    """Enter, leave, start or cancel a tournament, as the form says."""
    guest, deed, tournaments = ensure_visitor(page.request), form.text("do"), page.tournaments
    others = {"leave": tournaments.leave, "start": tournaments.start, "cancel": tournaments.cancel}
    try:
        if deed == "enter":
            tournaments.enter(page.tournament, guest.id, guest.name, guest.hours)
        elif deed in others:
            others[deed](page.tournament, guest.id)
        else:
            raise BadRequest(f"{deed[:40]!r} is not possible; choose one of: enter, {', '.join(others)}.")
    except RequestError as error:
        return page.render(str(error), error.status)
    return redirect(f"/tournaments/{page.tournament}")


@router.get("/{tournament}/stream")
async def stream(
    page: TournamentPage, streams: Streams, broker: Broker, presence: Presence, rematches: Rematches
) -> Response:
    """Stream versions (of the tournament, of invitations) and the number of waiting games whenever they change."""
    guest = current_visitor(page.request).id
    streams.check_capacity(page.request, guest)
    topics = [topic_of(page.tournament), invitations_topic(guest), waiting_topic(guest)]
    changes, invitations = Changes(broker, topics[0], topics[2]), Changes(broker, topics[1])
    waiting, sent = WaitingCount(broker, page.game_lists, guest), {"message": "", "invited": ""}

    def version() -> str:
        state = page.tournaments.get(page.tournament)
        return version_of(state, waiting_games(page.game_lists, state, guest))

    async def events(_at_beat: bool) -> list[str]:
        before = dict(sent)
        if changes.poll():
            sent["message"] = await run_in_threadpool(version)
        if guest and invitations.poll():
            sent["invited"] = await run_in_threadpool(rematches.invitations_version, guest)
        found = [f"event: {name}\ndata: {value}\n\n" for name, value in sent.items() if value != before[name]]
        return found + await waiting.poll()

    await run_in_threadpool(page.tournaments.get, page.tournament)  # NotFound without a tournament
    found = streams.listen(
        page.request,
        guest,
        topics,
        events,
        contexts=[presence.connect(SITE_PLACE, guest)] if guest else (),
        min_interval_seconds=MIN_INTERVAL_SECONDS,
    )
    return respond(page.request, found)


def game_titles() -> dict[str, str]:
    return {meta.name: meta.title for meta in catalog.all_games()}
