"""Changes of seats at tables, such as joining, leaving, resigning, proposals and claims."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import Any, NamedTuple

from sqlalchemy import Connection

from ...bots.levels import DEFAULT_LEVEL
from ...core.contract import NONE
from ..clock import Clock
from ..errors import Conflict, Forbidden
from ..text_validation import confusable_skeleton
from . import model
from .action_limits import check_action_limit
from .builds import FALLBACK_BOT
from .clocks import BOT_ON_TIMEOUT, CLAIM
from .log import subject_of
from .model import Seat, Table, TableEvent
from .presence import Presence
from .proposals import END_TEXT, THEIR_TAKEBACK_TEXT, Proposal, moves_before_last_choice, takeback_events
from .repository import record_former_player
from .service import TableService, check_seat
from .state import TableState
from .viewer_history import ViewerHistory

TWO_SEATS = 2  # of a game that ends when one of them resigns
TWO_PEOPLE = 2  # at least, so that one can wait for the other
NO_PLAYER_LEFT = "because no player is left"
NOT_ABORTABLE = (
    "This game can't be aborted. You can abort a game until every player has moved once, unless it is rated and has a "
    "bot. You can resign, or ask the others to end it."
)


class PresenceSummary(NamedTuple):
    """The absent players of a table, which of them may be replaced, and whose answers are awaited."""

    is_shared: bool = False  # whether people play on several devices
    away: Mapping[int, float] = {}  # by seat, since when
    replaceable: frozenset[int] = frozenset()
    next_change_at: float | None = None  # when the next player may be replaced, if nothing happens
    unanswered: tuple[int, ...] = ()  # seats whose answers to the open proposal are awaited

    @property
    def fingerprint(self) -> str:
        """The absent, the replaceable and the unanswered seats as one word; empty if there are none."""
        away = "".join(f"{'m' if seat in self.replaceable else 'a'}{seat}" for seat in self.away)
        return away + "".join(f"q{seat}" for seat in self.unanswered)


class SeatService:
    def __init__(
        self, tables: TableService, presence: Presence, clock: Clock, may_meet: Callable[[Table, str], bool]
    ) -> None:
        self._tables, self._presence, self._clock = tables, presence, clock
        self.may_meet = may_meet  # whether a guest may sit down beside the people of a table

    # --- sitting down ---------------------------------------------------------------------

    def join(
        self, table_id: str, seat: int, guest: str, name: str, hours: str = "", *, once: bool = False
    ) -> TableState:
        """Seat a guest in an open seat; raise RequestError if that is refused.

        With `once`, a guest who has a seat already gets no other one, not even by simultaneous requests.
        """
        with self._lock(table_id, seat) as state:
            if once and state.table.seats_of(guest):
                return state
            if state.table.seats[seat].kind != model.OPEN or not self.may_meet(state.table, guest):
                raise Conflict("You can't take this seat. Ask for another invitation.")
            player = Seat(model.PERSON, guest, free_name(state.table, seat, name), hours=hours)
            return self._change(state, seat, player, [model.PLAYER_JOINED])

    def add_bot(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Seat a bot in an open seat, on behalf of a player of the table."""
        with self._lock(table_id, seat) as state:
            if not state.table.seats_of(guest) or state.table.seats[seat].kind != model.OPEN:
                raise Forbidden("Only the players of this game can let a bot take an open seat.")
            if not self._bot_may_play(state.table, spec):
                raise Conflict(
                    f"The {bot_name(spec)} cannot play a rated game here, because this game is not compiled. "
                    "Choose another bot, or open an unrated game."
                )
            self._tables.table_limits.check_added_bot(state.table, state.play.game, spec)
            return self._change(state, seat, bot_seat(spec, state.table.seats), [model.BOT_JOINED])

    def _bot_may_play(self, table: Table, spec: str) -> bool:
        return not table.rated or self._tables.builds.can_play(spec, table.game)

    def reserve_for(self, table_id: str, seat: int, guest: str, name: str) -> TableState:
        """Reserve an open seat under a name, on behalf of a player of the table."""
        with self._lock(table_id, seat) as state:
            old = state.table.seats[seat]
            if not state.table.seats_of(guest) or old.kind != model.OPEN:
                raise Forbidden("Only the players of this game can reserve an open seat.")
            name = free_name(state.table, seat, name)
            if name == old.name:
                return state
            self._check_limit(state, model.SEAT_RESERVED, seat)
            return self._change(state, seat, replace(old, name=name), [model.SEAT_RESERVED])

    def replace_bot(self, table_id: str, seat: int, failing: str, spec: str) -> TableState:
        """Replace the `failing` bot of a seat; raise Conflict if it no longer plays there."""
        with self._lock(table_id, seat) as state:
            old = state.table.seats[seat]
            if old.bot != failing:
                raise Conflict(f"The {bot_name(failing)} no longer plays in this seat.")
            if old.kind == model.PERSON:
                return self._substitute(state, seat, spec)
            bot = bot_seat(spec, state.table.seats)
            return self._change(state, seat, bot, [(model.BOT_FAILED, old.name), model.BOT_JOINED])

    def decline_reservation(self, table_id: str, seat: int) -> None:
        """Open a reserved seat to all, unless the seat is taken or the game is over."""
        with self._tables.lock(table_id):
            state = self._tables.get(table_id)
            old = state.table.seats[seat]
            if not state.table.finished and old.kind == model.OPEN:
                left = replace(old, name=model.OPEN_SEAT_NAME)
                self._change(state, seat, left, [(model.RESERVATION_DECLINED, old.name), model.SEAT_RESERVED])

    def remove_player(self, table_id: str, seat: int, guest: str) -> TableState:
        """Remove a player from a seat on behalf of the host, while the table waits for players."""
        with self._lock(table_id, seat) as state:
            sitter = state.table.seats[seat]
            if state.table.host != guest:
                raise Forbidden("Only the host can free a seat.")
            if not state.table.awaits_players:
                raise Conflict("Everyone has joined, so the seats can't change any more.")
            if sitter.kind != model.PERSON or sitter.player == guest:
                raise Conflict(f"{sitter.name} cannot be removed. Choose the seat of another player.")
            self._check_limit(state, model.PLAYER_REMOVED)
            return self._open_seat(state, seat, model.PLAYER_REMOVED)

    def _leave_waiting(self, state: TableState, seat: int, *, limited: bool = True) -> TableState:
        if limited:
            self._check_limit(state, model.PLAYER_LEFT, seat)
        return self._open_seat(state, seat, model.PLAYER_LEFT)

    def _open_seat(self, state: TableState, seat: int, kind: str) -> TableState:
        if state.table.human_seats == (seat,):
            return self._close(state, NO_PLAYER_LEFT, seat)
        return self._vacate(state, seat, Seat(model.OPEN, "", model.OPEN_SEAT_NAME), kind)

    def set_ready(self, table_id: str, seat: int, guest: str) -> TableState:
        """Record that the player of a seat is ready, in all seats of this player.

        The last player who is ready starts the game. Players who have said so and left since are not ready any more,
        unless the site has just started.
        Raises Conflict if the table has no ready check, a seat is open, or the game is dealt.
        """
        with self._lock_own(table_id, seat, guest) as state:
            table = state.table
            if table.open_seats or not table.awaits_deal:
                raise Conflict("This game doesn't wait for you to be ready.")
            own = [p for p in table.unready_seats if p in table.seats_of(guest)]
            away = {} if self._presence.grace_until else self._presence.away(table)
            gone = [p for p in table.human_seats if table.seats[p].is_ready and p in away and p not in own]
            events = [TableEvent(p, model.UNREADY) for p in gone] + [TableEvent(p, model.READY) for p in own]
            if not own:
                return state
            seats = tuple(
                replace(one, is_ready=p in own or (one.is_ready and p not in gone)) for p, one in enumerate(table.seats)
            )
            return self._tables.commit(state, tuple(events), seats=seats)

    # --- going away, and coming back ------------------------------------------------------

    def step_away(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Leave a seat: to a bot until the player returns, or for good while the table waits for players."""
        with self._lock_own(table_id, seat, guest) as state:
            if state.table.awaits_players:
                return self._leave_waiting(state, seat)
            if state.table.seats[seat].substitute_bot:
                raise Conflict("A bot is already playing for you.")
            self._check_limit(state, model.SUBSTITUTED, seat)
            self._tables.table_limits.check_added_bot(state.table, state.play.game, spec)
            return self._substitute(state, seat, spec)

    def return_to_seat(self, table_id: str, seat: int, guest: str) -> TableState:
        with self._lock_own(table_id, seat, guest) as state:
            if not state.table.seats[seat].substitute_bot:
                raise Conflict("No bot plays for you. The seat is yours.")
            return self._change(
                state, seat, replace(state.table.seats[seat], substitute_bot=""), [(model.RETURNED, "")]
            )

    def _substitute(self, state: TableState, seat: int, spec: str) -> TableState:
        sitter = replace(state.table.seats[seat], substitute_bot=spec)
        return self._change(state, seat, sitter, [(model.SUBSTITUTED, bot_name(spec))])

    def claim_seat(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Let a bot play for the player to move, who has been absent for too long or whose clock has expired."""
        with self._lock(table_id, seat) as state:
            held = state.table.seats_of(guest)
            if not held or seat in held:
                raise Forbidden("Only the other players of this game can let a bot play for an absent player.")
            history = state.history(held[0])
            awaited = history.turn == seat and not state.table.seats[seat].bot
            missed = self.may_be_replaced(state.table, seat) and has_waited_long_enough(
                state.table, history, self._clock.now()
            )
            if not awaited or not (missed or self._has_expired(state, seat, CLAIM)):
                name = state.table.seats[seat].name
                raise Conflict(f"It is not {name}'s turn, or they have not been away for long enough.")
            return self._substitute(state, seat, spec)

    def claim_win_on_time(self, table_id: str, seat: int, guest: str) -> TableState:
        """End a game of two in which the opponent's clock has expired."""
        with self._lock(table_id, seat) as state:
            held = state.table.seats_of(guest)
            if not held or seat in held:
                raise Forbidden("Only the player who is waiting can claim the win.")
            if any(state.table.seats[own].substitute_bot for own in held):
                raise Conflict("A bot is playing for you, so you cannot claim the win. Take your seat back first.")
            if len(state.table.seats) != TWO_SEATS or not self._has_expired(state, seat, CLAIM):
                raise Conflict(f"{state.table.seats[seat].name} still has time left.")
            return self._end(state, model.TIMED_OUT, (TableEvent(seat, model.FLAGGED),), seat)

    def expire_clock(self, table_id: str) -> TableState:
        """Let a bot play for the seat whose clock has expired, or end a rated game against bots.

        Raises Conflict if no expired clock calls for either.
        """
        with self._lock(table_id) as state:
            seat = state.play.turn
            if state.table.is_against_bots and self._has_expired(state, seat, CLAIM):
                return self._end(state, model.TIMED_OUT, (TableEvent(seat, model.FLAGGED),), seat)
            if not self._has_expired(state, seat, BOT_ON_TIMEOUT):
                raise Conflict("No player has run out of time.")
            return self._substitute(state, seat, DEFAULT_LEVEL)

    def _has_expired(self, state: TableState, seat: int, policy: str) -> bool:
        clocks = state.history(seat).clocks
        if clocks is None or state.play.turn != seat or clocks.control.on_timeout != policy or clocks.is_paused:
            return False
        return clocks.seconds_left(seat, self._clock.now()) <= 0

    def pause_clock(self, table_id: str, seat: int, guest: str, *, begins: bool) -> TableState:
        """Pause the clock of a seat when its player's vacation begins, or resume the clock when the vacation ends."""
        with self._lock_own(table_id, seat, guest) as state:
            clocks = state.history(seat).clocks
            if clocks is None or (seat in clocks.vacation_seats) == begins:
                return state  # joined during the vacation, so its clock was never paused
            event = TableEvent(seat, model.VACATION_STARTED if begins else model.VACATION_ENDED)
            return self._tables.commit(state, (event,))

    def may_be_replaced(self, table: Table, seat: int) -> bool:
        """Return whether a player may be replaced because of absence; False for bots, and at tables with clocks."""
        return not table.seats[seat].bot and self._is_absent(table, seat)

    def presence_summary(
        self, table: Table, held: Collection[int] = (), proposal: Proposal | None = None
    ) -> PresenceSummary:
        """Return the absent players of a running game of several people, and the seats that must answer `proposal`.

        The viewer's own `held` seats count as present.
        """
        unanswered = self.unanswered_seats(table, proposal, held) if proposal else ()
        if table.finished or len({table.seats[p].player for p in table.human_seats}) < TWO_PEOPLE:
            return PresenceSummary(unanswered=unanswered)
        away = {seat: since for seat, since in self._presence.away(table).items() if seat not in held}
        missed = frozenset(seat for seat in away if self.may_be_replaced(table, seat))
        waits = table.absence_timeout > 0 and not table.time_control
        here = [seat for seat in away if waits and seat not in missed and not table.seats[seat].bot]
        waiting = [away[seat] + table.absence_timeout for seat in here]
        until = max(min(waiting), self._presence.grace_until) if waiting else None
        return PresenceSummary(True, away, missed, until, unanswered)

    def _is_absent(self, table: Table, seat: int) -> bool:
        if table.time_control and not table.seats[seat].substitute_bot:
            return False  # the clock decides, and the player may be on vacation
        since = self._presence.away_since(table, seat)
        if since is None or self._presence.grace_until:
            return False
        return 0 < table.absence_timeout <= self._clock.now() - since

    # --- giving up ------------------------------------------------------------------------

    def resign(self, table_id: str, seat: int, guest: str, spec: str, *, limited: bool = True) -> TableState:
        """Resign for a seat.

        A game of two, or without other people, ends. In other games a bot plays on for good. At a table that
        waits for players, the player leaves the seat instead, within the hourly limit if `limited`. Raises Conflict in
        a solo game.
        """
        with self._lock_own(table_id, seat, guest) as state:
            if state.table.awaits_players:
                return self._leave_waiting(state, seat, limited=limited)
            if len(state.table.seats) == 1:
                raise Conflict("You play alone, so you can't resign. Just leave the page, and this game waits for you.")
            if ends_by_resigning(state.table, seat):
                return self._resign(state, seat)
            return self._give_to_bot(state, seat, spec, model.RESIGN)

    def _resign(self, state: TableState, seat: int) -> TableState:
        return self._end(
            state, model.RESIGNED, (TableEvent(seat, model.RESIGN, text=state.table.seats[seat].name),), seat
        )

    def leave_permanently(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Leave a seat for good: to a bot, or as an open seat if the table waits for players.

        If no other person has a seat, the game ends: resigned if it is rated against bots, else closed. For erasing
        personal data, so no hourly limit applies.
        """
        with self._lock_own(table_id, seat, guest) as state:
            if state.table.is_against_bots:
                return self._resign(state, seat)
            if all(state.table.seats[p].player == guest for p in state.table.human_seats):
                return self._close(state, NO_PLAYER_LEFT, seat)
            if state.table.awaits_players:
                return self._leave_waiting(state, seat, limited=False)
            return self._give_to_bot(state, seat, spec, model.PLAYER_LEFT)

    def _give_to_bot(self, state: TableState, seat: int, spec: str, kind: str) -> TableState:
        spec = spec if self._bot_may_play(state.table, spec) else FALLBACK_BOT
        return self._vacate(state, seat, bot_seat(spec, state.table.seats), kind, model.BOT_JOINED)

    def _vacate(self, state: TableState, number: int, seat: Seat, kind: str, *kinds: str) -> TableState:
        """Replace a player for good. If the player was the host, another person becomes the host if possible."""
        old, host = state.table.seats[number], state.table.host
        record = partial(record_former_player, state.table.id, number, old.player, old.name)
        if host == old.player:
            people = (state.table.seats[p].player for p in state.table.human_seats)
            host = next((player for player in people if player != host), host)
        return self._change(state, number, seat, [(kind, old.name), *kinds], record, host=host)

    def close_table(self, table_id: str, guest: str) -> TableState:
        """End a game that waits for players; for its host."""
        with self._lock(table_id) as state:
            if state.table.host != guest:
                raise Forbidden("Only the host can close a game.")
            if not state.table.awaits_players:
                raise Conflict("This game has started. You can abort it until every player has moved, or resign.")
            return self._close(state, "before it has started")

    def abort(self, table_id: str, seat: int, guest: str) -> TableState:
        """End a game without a result, until every seat has moved once; the game counts for no rating.

        Raises:
            Conflict: it is too late, the game waits for players, or it is rated and has a bot.
            TooManyRequests: the guest has aborted too many rated games today.
        """
        with self._lock_own(table_id, seat, guest) as state:
            if not may_be_aborted(state, state.table.seats_of(guest)):
                raise Conflict(NOT_ABORTABLE)
            if state.table.rated:
                self._tables.table_limits.check_abort(guest)
            return self._end(
                state, model.ABORTED, (TableEvent(seat, model.ABORTED, text=state.table.seats[seat].name),)
            )

    def transfer_host(self, table_id: str, seat: int, guest: str) -> TableState:
        with self._lock(table_id, seat) as state:
            if state.table.host != guest:
                raise Forbidden("Only the host can make another player the host.")
            heir = state.table.seats[seat]
            if heir.kind != model.PERSON or heir.player == guest:
                raise Conflict(f"{heir.name} cannot be the host. Choose another player.")
            self._check_limit(state, model.HOST_CHANGED)
            return self._tables.commit(state, (TableEvent(seat, model.HOST_CHANGED),), host=heir.player)

    # --- asking the others ----------------------------------------------------------------

    def propose_end(self, table_id: str, seat: int, guest: str) -> TableState:
        with self._lock_own(table_id, seat, guest) as state:
            return self._propose(state, seat, END_TEXT, None)

    def propose_takeback(self, table_id: str, seat: int, guest: str) -> TableState:
        """Propose to go back to before the player's last choice."""
        with self._lock_own(table_id, seat, guest) as state:
            keeps = moves_before_last_choice(state.effective_moves, seat)
            if keeps is None:
                raise Conflict("You haven't moved yet, so there is nothing to take back.")
            return self._propose(state, seat, THEIR_TAKEBACK_TEXT, keeps)

    def _propose(self, state: TableState, seat: int, text: str, keeps: int | None) -> TableState:
        if state.lesson_progress:
            raise Conflict("A lesson has fixed steps. Leave the lesson first.")
        if state.proposal:
            raise Conflict("Another proposal is still open. Wait until every player has answered it.")
        player = state.table.seats[seat].player
        if all(state.table.seats[p].player == player for p in state.table.human_seats):
            raise Conflict("No other player is here, and bots don't answer.")
        if not state.table.allows_proposals:
            raise Conflict(
                "Bots can't agree to anything, so you can't ask to end a rated game with a bot, or to take back "
                "a move in it. You can resign."
            )
        self._check_limit(state, model.PROPOSED, seat)
        return self._commit_answer(state, (TableEvent(seat, model.PROPOSED, keeps, text),))

    def answer_proposal(self, table_id: str, seat: int, guest: str, agree: bool) -> TableState:
        """Accept or decline a proposal; its proposer may withdraw it by declining.

        The last acceptance carries the proposal out. Raises Conflict if the proposal is no longer open, or if a seat
        accepts it twice.
        """
        with self._lock_own(table_id, seat, guest) as state:
            if state.proposal is None or (agree and seat in state.proposal.accepted_by):
                raise Conflict("This proposal is no longer open.")
            return self._commit_answer(state, (TableEvent(seat, model.ACCEPTED if agree else model.DECLINED),))

    def _commit_answer(self, state: TableState, events: tuple[TableEvent, ...]) -> TableState:
        proposal = state.with_events(events).proposal
        if proposal is None or self.unanswered_seats(state.table, proposal):
            return self._tables.commit(state, events)
        if proposal.back_to is None:
            end = TableEvent(proposal.seat, model.ENDED, text="because all players agreed")
            return self._end(state, model.AGREED, (*events, end))
        keeps = min(proposal.back_to, len(state.effective_moves))  # the proposer may have undone more since
        proposal, play = proposal._replace(back_to=keeps), state.play.copy()
        play.rewind(keeps)
        back = takeback_events(state.effective_moves, proposal, state.table.seats[proposal.seat].name)
        return self._tables.commit(state, (*events, *back), play)

    def unanswered_seats(self, table: Table, proposal: Proposal, held: Collection[int] = ()) -> tuple[int, ...]:
        """Return the seats of people whose answers are awaited.

        An unrated table without clocks skips players who have been away for the absence timeout. No player of a
        rated game is skipped: else a losing player could end the game without the others. The seats `held` by
        the viewer count as present.
        """
        answered = {table.seats[p].player for p in proposal.accepted_by}
        unanswered = (p for p in table.human_seats if table.seats[p].player not in answered)
        return tuple(p for p in unanswered if table.rated or p in held or not self._is_absent(table, p))

    # --- abandoned games -------------------------------------------------------------------

    def warn_abandoned(self, table_id: str, left: str, advanced_at: float) -> TableState:
        """Warn at a table that its game ends in `left` unless a player moves.

        Raises Conflict if the game is over, or has advanced since `advanced_at`.
        """
        with self._lock(table_id) as state:
            check_not_advanced(state.table, advanced_at)
            return self._tables.commit(state, (TableEvent(0, model.ABANDON_WARNING, text=left),))

    def close_abandoned(self, table_id: str, advanced_at: float) -> TableState:
        """End an abandoned game, lost by its `abandoning_seat` if there is one.

        Raises Conflict if the game is over, or has advanced since `advanced_at`.
        """
        with self._lock(table_id) as state:
            check_not_advanced(state.table, advanced_at)
            reason, late = "because no player has moved for a long time", abandoning_seat(state.table)
            if late is None:
                return self._close(state, reason)
            events = TableEvent(late, model.FLAGGED), TableEvent(0, model.ENDED, text=reason)
            return self._end(state, model.TIMED_OUT, events, late)

    def close_by_administrator(self, table_id: str) -> TableState:
        with self._lock(table_id) as state:
            return self._close(state, "because the site's administrator decided so")

    # --- what all of these do -------------------------------------------------------------

    @contextmanager
    def _lock(self, table_id: str, seat: int = 0) -> Iterator[TableState]:
        """Lock a table and yield its state; raise RequestError if it has no such seat, or the game is over."""
        with self._tables.lock(table_id):
            state = self._tables.get(table_id)
            check_seat(state.table, seat)
            if state.table.finished:
                raise Conflict("This game is over, so the seats can't change any more.")
            yield state

    @contextmanager
    def _lock_own(self, table_id: str, seat: int, guest: str) -> Iterator[TableState]:
        """Lock a table as `_lock` does; raise Forbidden unless the guest has this seat."""
        with self._lock(table_id, seat) as state:
            if seat not in state.table.seats_of(guest):
                raise Forbidden("This is not your seat, so nothing was changed.")
            yield state

    def _check_limit(self, state: TableState, kind: str, seat: int | None = None) -> None:
        check_action_limit(kind, state.event_times(kind, seat), self._clock.now())

    def _change(
        self,
        state: TableState,
        number: int,
        seat: Seat,
        kinds: Sequence[str | tuple[str, str]],
        also: Callable[[Connection], object] | None = None,
        **changes: str,
    ) -> TableState:
        """Change the player of a seat. An event kind without a text gets the new player's name."""
        named = [(kind, seat.name) if isinstance(kind, str) else kind for kind in kinds]
        events = tuple(TableEvent(number, kind, text=text) for kind, text in named)
        seats = (*state.table.seats[:number], seat, *state.table.seats[number + 1 :])
        if seat.kind == model.OPEN:  # who takes it finds no player ready
            seats = tuple(replace(one, is_ready=False) for one in seats)
        return self._tables.commit(state, events, also=also, seats=seats, **changes)

    def _close(self, state: TableState, reason: str, seat: int = 0) -> TableState:
        return self._end(state, model.CLOSED, (TableEvent(seat, model.ENDED, text=reason),))

    def _end(
        self, state: TableState, how: str, events: tuple[TableEvent, ...], resigned_seat: int | None = None
    ) -> TableState:
        changes: dict[str, Any] = {"status": model.FINISHED, "end_reason": how, "resigned_seat": resigned_seat}
        return self._tables.commit(state, events, result=state.play.points, **changes)


def has_waited_long_enough(table: Table, history: ViewerHistory, moment: float) -> bool:
    """Return whether the others have waited for the seat to move for the absence timeout, as far as a viewer knows."""
    return moment - history.turn_started_at >= table.absence_timeout


def may_be_aborted(state: TableState, held: Sequence[int]) -> bool:
    """Return whether the player of the seats `held` may abort a game: until this player has seen a move of each seat.

    Moves in secret count once the log names their seats. A rated game with a bot may not be aborted: else a player
    could throw away every bad deal. The tables of tournaments, which have no host, may not either.
    """
    table = state.table
    if not table.host or table.awaits_players or not table.allows_proposals:
        return False
    unseen = set(range(len(table.seats)))
    for entry in (entry for seat in held for entry in state.history(seat).log_entries if entry.turn != NONE):
        unseen -= {entry.seat, *map(subject_of, entry.lines)}
        if not unseen:
            return False
    return True


def ends_by_resigning(table: Table, seat: int) -> bool:
    """Return whether a game is over once a seat resigns: it has two seats, or only bots are left."""
    return len(table.seats) == TWO_SEATS or not (table.awaits_players or set(table.human_seats) - {seat})


def check_not_advanced(table: Table, advanced_at: float) -> None:
    """Raise Conflict if a table has advanced since it was found to be abandoned."""
    if table.advanced_at != advanced_at:
        raise Conflict("A player has just moved, so this game is not abandoned.")


def abandoning_seat(table: Table) -> int | None:
    """Return the seat that has abandoned a game: the one to move if a person's, else the first with a substitute bot.

    None in unrated games, before the deal, while a seat is open, or if there is no such seat.
    """
    if not table.rated or table.awaits_players:
        return None
    if table.seats[table.turn].kind == model.PERSON:
        return table.turn
    return next((seat for seat in table.human_seats if table.seats[seat].substitute_bot), None)


def bot_name(spec: str) -> str:
    return f"{spec.capitalize()} bot"


def bot_seat(spec: str, others: Sequence[Seat]) -> Seat:
    return Seat(model.BOT, spec, distinct_name(bot_name(spec), others))


def free_name(table: Table, seat: int, name: str) -> str:
    return distinct_name(name, (other for number, other in enumerate(table.seats) if number != seat))


def distinct_name(name: str, others: Iterable[Seat]) -> str:
    """Return a name, with a number if another seat has the same name or a name that looks alike."""
    taken = {confusable_skeleton(seat.name) for seat in others}
    numbered = (f"{name} {number}" for number in count(2))
    return next(one for one in chain([name], numbered) if confusable_skeleton(one) not in taken)
