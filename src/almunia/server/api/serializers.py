"""Games and tables as the models of `schemas`."""

from collections.abc import Mapping
from typing import Any, Literal

from ... import catalog
from ...core.contract import SPECTATOR, Meta
from ...core.options import Choice, Option, published_options
from ...library import Game
from ..lobby.invitations import Invitations
from ..lobby.service import LobbyEntry
from ..tables.model import OPEN
from ..tables.proposals import Proposal
from ..tables.table_view import TableView
from .schemas import GameDetail, Kind, OpenTable, OptionFacts, ProposalFacts, SeatFacts, TableFacts, TableRow


def game_facts(meta: Meta) -> dict[str, Any]:
    options = [option_facts(option) for option in published_options(meta.options)]
    return {**vars(meta), "game": meta.name, "hides": meta.has_hidden_information, "options": options}


def option_facts(option: Option) -> OptionFacts:
    return OptionFacts(
        name=option.name,
        label=option.label,
        help=option.help,
        default=option.default,
        choices=list(option.choices) if isinstance(option, Choice) else None,
        numbers=None if isinstance(option, Choice) else {"count": option.count, "low": option.low, "high": option.high},
    )


def game_detail(game: Game) -> GameDetail:
    codes = game.rules.CODES
    kinds = [
        Kind(kind=kind, first=first, names=dict(names))
        for first, (kind, names) in zip(codes.first, codes.kinds.items(), strict=True)
    ]
    return GameDetail(
        **game_facts(game.meta),
        actions=codes.total,
        kinds=kinds,
        scores=list(game.rules.SCORES),
        tensor={name: list(shape) for name, shape in game.observe.TENSOR_SHAPES.items()},
        tensor_size=game.tensor_size,
    )


def listed_table(row: Mapping[str, Any]) -> TableRow:
    """Return a table in a guest's list, from its row on the page."""
    table = row["table"]
    return TableRow(
        table=table.id,
        game=table.game,
        title=row["title"],
        seats=[seat + 1 for seat in row["held"]],
        others=row["others"],
        your_turn=row["mine"],
        finished=table.finished,
        moves=row["moves"],
    )


def table_facts(invitations: Invitations, view: TableView, address: str, now: float) -> TableFacts:
    """Return a table as its viewer knows it. `address` is the URL of the site, for invitations."""
    table, history = view.table, view.history
    return TableFacts(
        table=table.id,
        game=table.game,
        options=table.options,
        seats=[seat_facts(invitations, view, seat, address, now) for seat in range(len(table.seats))],
        seat=seat_number(view.viewer.seat),
        turn=seat_to_move(view),
        your_turn=view.my_turn,
        seen=history.version,
        finished=table.finished,
        ended=table.end_reason,
        result=list(table.result) if table.finished and table.result is not None else None,
        asked=proposal_facts(view.proposal) if view.proposal else None,
        hints=table.hints,
        rated=table.rated,
        ready_check=table.ready_check,
        deal_known=table.is_deal_public,
        absence_timeout=table.absence_timeout,
        clock=table.time_control,
    )


def seat_facts(invitations: Invitations, view: TableView, seat: int, address: str, now: float) -> SeatFacts:
    occupant, clocks = view.table.seats[seat], view.history.clocks
    invited = occupant.kind == OPEN and view.viewer.seats and not view.table.finished
    link = f"{address}/join/{invitations.create(view.table.id, seat)}"
    return SeatFacts(
        seat=seat + 1,
        kind=occupant.kind,
        name=occupant.name,
        mine=seat in view.viewer.seats,
        bot=occupant.bot,
        ready=occupant.is_ready,
        invitation=link if invited else None,
        points=view.observation.points[seat],
        clock=round(clocks.seconds_left(seat, now)) if clocks and not view.table.finished else None,
    )


def proposal_facts(proposal: Proposal) -> ProposalFacts:
    what: Literal["end", "back"] = "end" if proposal.back_to is None else "back"
    return ProposalFacts(what=what, seat=proposal.seat + 1, agreed=[seat + 1 for seat in sorted(proposal.accepted_by)])


def open_table_facts(shown: LobbyEntry, guest: str) -> OpenTable:
    table = shown.table
    meta = catalog.try_meta(table.game)
    return OpenTable(
        handle=shown.listing.handle,
        game=table.game,
        title=meta.title if meta else table.game,
        options=table.options,
        players=[occupant.name for occupant in shown.seats if occupant.kind != OPEN],
        free=shown.free_seats,
        clock=table.time_control,
        rated=table.rated,
        deal_known=table.is_deal_public,
        mine=bool(table.seats_of(guest)),
    )


def seat_number(seat: int) -> int | None:
    """Return a seat counted from 1; None for a spectator."""
    return None if seat == SPECTATOR else seat + 1


def seat_to_move(view: TableView) -> int | None:
    """Return the seat to move that the viewer knows, from 1; None before the deal, and at the end."""
    none = view.table.finished or view.table.awaits_deal or view.observation.over
    return None if none else view.observation.turn + 1
