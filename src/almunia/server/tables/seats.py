"""Seats of a table: joining, leaving and returning, giving up, proposals, and claims against absent players."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import NamedTuple

from ...bots.levels import DEFAULT_LEVEL
from ...core.contract import SPECTATOR
from ..clock import Clock
from ..errors import Conflict, Forbidden
from ..text_validation import confusable_skeleton
from .action_limits import check_action_limit
from .builds import FALLBACK_BOT
from .clocks import BOT_ON_TIMEOUT, CLAIM
from .model import (
    ABANDON_WARNING,
    ACCEPTED,
    AGREED,
    BOT,
    BOT_FAILED,
    BOT_JOINED,
    CLOSED,
    DECLINED,
    ENDED,
    FINISHED,
    FLAGGED,
    HOST_CHANGED,
    OPEN,
    OPEN_SEAT_NAME,
    PERSON,
    PLAYER_JOINED,
    PLAYER_LEFT,
    PLAYER_REMOVED,
    PROPOSED,
    RESERVATION_DECLINED,
    RESIGN,
    RESIGNED,
    RETURNED,
    SEAT_RESERVED,
    SUBSTITUTED,
    TIMED_OUT,
    VACATION_ENDED,
    VACATION_STARTED,
    Seat,
    Table,
    TableEvent,
)
from .presence import Presence
from .proposals import END_TEXT, THEIR_TAKEBACK_TEXT, Proposal, moves_before_last_choice, takeback_events
from .service import TableService, check_seat
from .state import TableState
from .viewer_history import ViewerHistory

TWO_SEATS = 2  # of a game that ends when one of them resigns
GAME_OVER_MESSAGE = "This game is over, so the seats stay as they are."
NO_PLAYER_LEFT = "because no player is left"
NO_PROPOSALS_MESSAGE = (
    "This game is rated and has a bot in it, and bots agree to nothing. So you cannot ask to end it or to go back. "
    "You can resign."
)


class PresenceSummary(NamedTuple):
    """The absent players of a table, and which of them may be replaced."""

    is_shared: bool = False  # whether people play on several devices
    away: Mapping[int, float] = {}  # by seat, since when
    replaceable: frozenset[int] = frozenset()
    next_change_at: float | None = None  # when the next player may be replaced, if nothing happens

    @property
    def fingerprint(self) -> str:
        """The summary as one word; empty if all players are present."""
        return "".join(f"{'m' if seat in self.replaceable else 'a'}{seat}" for seat in self.away)


class SeatService:
    """The seats of all tables. A player acts by the seat they hold; other visitors can only join."""

    def __init__(self, tables: TableService, presence: Presence, clock: Clock) -> None:
        self._tables, self._presence, self._clock = tables, presence, clock

    # --- sitting down ---------------------------------------------------------------------

    def join(
        self, table_id: str, seat: int, guest: str, name: str, hours: str = "", *, once: bool = False
    ) -> TableState:
        """Seat a guest in an open seat. With `once`, a guest who has joined meanwhile keeps that seat.

        Else a guest with many simultaneous requests would get as many seats.
        """
        with self._tables.lock(table_id):
            now = self._require_running(table_id, seat)
            if once and now.table.seats_of(guest):
                return now
            if now.table.seats[seat].kind != OPEN:
                raise Conflict("This seat is already taken. Ask for another invitation.")
            others = (other for number, other in enumerate(now.table.seats) if number != seat)
            return self._change(
                now, seat, Seat(PERSON, guest, distinct_name(name, others), hours=hours), [PLAYER_JOINED]
            )

    def add_bot(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Seat a bot in an open seat."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, seat)
            if not now.table.seats_of(guest) or now.table.seats[seat].kind != OPEN:
                raise Forbidden("Only a player of this game can let a bot take a seat, and only one that is open.")
            if not self._bot_may_play(now.table, spec):
                raise Conflict(
                    f"The {bot_name(spec)} cannot play a rated game here, for this game is not compiled. "
                    "Choose another bot, or open an unrated game."
                )
            self._tables.table_limits.check_added_bot(now.table, now.play.game, spec)
            return self._change(now, seat, bot_seat(spec, now.table.seats), [BOT_JOINED])

    def _bot_may_play(self, table: Table, spec: str) -> bool:
        """Return whether a bot plays at full strength at a table, or the table is not rated."""
        return not table.rated or self._tables.builds.can_play(spec, table.game)

    def reserve_for(self, table_id: str, seat: int, guest: str, name: str) -> TableState:
        """Reserve an open seat for a player, by name."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, seat)
            if not now.table.seats_of(guest) or now.table.seats[seat].kind != OPEN:
                raise Forbidden("Only a player of this game can say for whom a seat is, and only for one that is open.")
            others = (other for number, other in enumerate(now.table.seats) if number != seat)
            named = distinct_name(name, others)
            if named == now.table.seats[seat].name:
                return now
            check_action_limit(SEAT_RESERVED, now.event_times(SEAT_RESERVED, seat), self._clock.now())
            return self._change(now, seat, replace(now.table.seats[seat], name=named), [SEAT_RESERVED])

    def replace_bot(self, table_id: str, seat: int, spec: str) -> TableState:
        """Replace a bot that cannot play by another one."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, seat)
            old = now.table.seats[seat]
            if old.kind == PERSON:
                return self._change(now, seat, replace(old, substitute_bot=spec), [(SUBSTITUTED, bot_name(spec))])
            return self._change(now, seat, bot_seat(spec, now.table.seats), [(BOT_FAILED, old.name), BOT_JOINED])

    def decline_reservation(self, table_id: str, seat: int) -> None:
        """Decline the reservation of an open seat: it is open to all again."""
        with self._tables.lock(table_id):
            now = self._tables.get(table_id)
            old = now.table.seats[seat]
            if not now.table.finished and old.kind == OPEN:
                self._change(
                    now,
                    seat,
                    replace(old, name=OPEN_SEAT_NAME),
                    [(RESERVATION_DECLINED, old.name), (SEAT_RESERVED, OPEN_SEAT_NAME)],
                )

    def remove_player(self, table_id: str, seat: int, guest: str) -> TableState:
        """Remove a player from a seat while the table waits for players; for its host."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, seat)
            sitter = now.table.seats[seat]
            if now.table.host != guest:
                raise Forbidden("Only the host can free a seat.")
            if not now.table.open_seats:
                raise Conflict("Everybody is here, so the seats stay as they are.")
            if sitter.kind != PERSON or sitter.player == guest:
                raise Conflict(f"{sitter.name} cannot be removed. Choose the seat of another player.")
            check_action_limit(PLAYER_REMOVED, now.event_times(PLAYER_REMOVED), self._clock.now())
            return self._open_seat(now, seat, PLAYER_REMOVED)

    def _open_seat(self, now: TableState, seat: int, kind: str) -> TableState:
        """Open a seat to all; closes the game if no player is left."""
        sitter = now.table.seats[seat]
        if now.table.human_seats == (seat,):
            return self._end(now, CLOSED, (TableEvent(seat, ENDED, text=NO_PLAYER_LEFT),))
        self._tables.store.record_former_player(now.table.id, seat, sitter.player, sitter.name)
        owner = now.table.host if now.table.host != sitter.player else next_host(now.table, seat)
        return self._change(now, seat, Seat(OPEN, "", OPEN_SEAT_NAME), [(kind, sitter.name)], host=owner)

    # --- going away, and coming back ------------------------------------------------------

    def step_away(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Leave a seat: while the table waits for players, open it; later, a bot plays until the player returns."""
        with self._tables.lock(table_id):
            now = self._require_own_seat(table_id, seat, guest)
            if now.table.open_seats:
                check_action_limit(PLAYER_LEFT, now.event_times(PLAYER_LEFT, seat), self._clock.now())
                return self._open_seat(now, seat, PLAYER_LEFT)
            if now.table.seats[seat].substitute_bot:
                raise Conflict("A bot plays for you already.")
            check_action_limit(SUBSTITUTED, now.event_times(SUBSTITUTED, seat), self._clock.now())
            self._tables.table_limits.check_added_bot(now.table, now.play.game, spec)
            return self._substitute(now, seat, spec)

    def return_to_seat(self, table_id: str, seat: int, guest: str) -> TableState:
        """Return to a seat in place of its substitute bot."""
        with self._tables.lock(table_id):
            now = self._require_own_seat(table_id, seat, guest)
            if not now.table.seats[seat].substitute_bot:
                raise Conflict("Nobody plays for you: the seat is yours.")
            return self._change(now, seat, replace(now.table.seats[seat], substitute_bot=""), [(RETURNED, "")])

    def _substitute(self, now: TableState, seat: int, spec: str) -> TableState:
        sitter = replace(now.table.seats[seat], substitute_bot=spec)
        return self._change(now, seat, sitter, [(SUBSTITUTED, bot_name(spec))])

    def claim_seat(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Let a bot play for a player who has been absent for too long, until that player returns."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, seat)
            held = now.table.seats_of(guest)
            if not held or seat in held:
                raise Forbidden("Only the other players of this game can let a bot play for an absent player.")
            diary = now.history(held[0])
            awaited = diary.turn == seat and not now.table.seats[seat].bot
            missed = self.may_be_replaced(now.table, seat) and has_waited_long_enough(
                now.table, diary, self._clock.now()
            )
            if not awaited or not (missed or has_expired_clock(now, seat, CLAIM, self._clock.now())):
                raise Conflict(f"{now.table.seats[seat].name} is not awaited, or has not been away for long enough.")
            return self._substitute(now, seat, spec)

    def claim_win_on_time(self, table_id: str, seat: int, guest: str) -> TableState:
        """End a game of two in which the opponent's clock has expired."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, seat)
            held = now.table.seats_of(guest)
            if not held or seat in held:
                raise Forbidden("Only the one who waits can end this game.")
            if any(now.table.seats[own].substitute_bot for own in held):
                raise Conflict("A bot plays for you, so you cannot claim the win. Take your seat back first.")
            if len(now.table.seats) != TWO_SEATS or not has_expired_clock(now, seat, CLAIM, self._clock.now()):
                raise Conflict(f"The time of {now.table.seats[seat].name} is not up.")
            return self._end(now, TIMED_OUT, (TableEvent(seat, FLAGGED),), resigned_seat=seat)

    def expire_clock(self, table_id: str) -> TableState:
        """Let a bot play for the seat to move if its clock has expired and the time control says so.

        In a rated game against bots alone, which cannot claim, the player loses.
        """
        with self._tables.lock(table_id):
            now = self._require_running(table_id, 0)
            seat, moment = now.play.turn, self._clock.now()
            if now.table.is_against_bots and has_expired_clock(now, seat, CLAIM, moment):
                return self._end(now, TIMED_OUT, (TableEvent(seat, FLAGGED),), resigned_seat=seat)
            if not has_expired_clock(now, seat, BOT_ON_TIMEOUT, moment):
                raise Conflict("Nobody's time is up.")
            return self._substitute(now, seat, DEFAULT_LEVEL)

    def pause_clock(self, table_id: str, seat: int, guest: str, *, begins: bool) -> TableState:
        """Pause the clock of a seat whose player is on vacation, or resume it."""
        with self._tables.lock(table_id):
            now = self._require_own_seat(table_id, seat, guest)
            clocks = now.history(seat).clocks
            if clocks is None or (seat in clocks.vacation_seats) == begins:
                return now  # a player who joined during the vacation is paused already
            return self._tables.commit(
                now, (TableEvent(seat, VACATION_STARTED if begins else VACATION_ENDED),), now.play
            )

    def may_be_replaced(self, table: Table, seat: int) -> bool:
        """Return whether an absent player without a bot may be replaced, by absence alone.

        With clocks, they alone decide.
        """
        return not table.seats[seat].bot and self._is_absent(table, seat)

    def presence_summary(self, table: Table, held: Collection[int] = ()) -> PresenceSummary:
        """Return who is absent, at a table of several people; the viewer's own `held` seats count as present."""
        if table.finished or len({table.seats[p].player for p in table.human_seats}) < TWO_SEATS:
            return PresenceSummary()
        away = {seat: since for seat, since in self._presence.away(table).items() if seat not in held}
        missed = frozenset(seat for seat in away if self.may_be_replaced(table, seat))
        waits = table.absence_timeout > 0 and not table.time_control
        waiting = [since + table.absence_timeout for seat, since in away.items() if waits and seat not in missed]
        until = max(min(waiting), self._presence.grace_until) if waiting else None
        return PresenceSummary(True, away, missed, until)

    def _is_absent(self, table: Table, seat: int) -> bool:
        if table.time_control and not table.seats[seat].substitute_bot:
            return False  # the clock decides, and the player may be on vacation
        since = self._presence.away_since(table, seat)
        return (
            since is not None
            and 0 < table.absence_timeout <= self._clock.now() - since
            and not self._presence.grace_until
        )

    # --- giving up ------------------------------------------------------------------------

    def resign(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Resign: of two players, the other one wins; of more, a bot plays on for good.

        If no other person plays, the game is over as well. While the table waits for players, resigning is leaving.
        """
        with self._tables.lock(table_id):
            now = self._require_own_seat(table_id, seat, guest)
            if now.table.open_seats:
                return self._open_seat(now, seat, PLAYER_LEFT)
            if len(now.table.seats) == 1:
                raise Conflict("Nobody would win by that. Leave the page instead: this game waits for you.")
            if ends_by_resigning(now.table, seat):
                return self._resign(now, seat)
            return self._give_to_bot(now, seat, spec, (RESIGN, now.table.seats[seat].name))

    def _resign(self, now: TableState, seat: int) -> TableState:
        entry = TableEvent(seat, RESIGN, text=now.table.seats[seat].name)
        return self._end(now, RESIGNED, (entry,), resigned_seat=seat)

    def leave_permanently(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Leave for good: a bot plays on, unless no other person is left. A rated game is resigned then."""
        with self._tables.lock(table_id):
            now = self._require_own_seat(table_id, seat, guest)
            if now.table.is_against_bots:
                return self._resign(now, seat)
            if all(now.table.seats[p].player == guest for p in now.table.human_seats):
                return self._end(now, CLOSED, (TableEvent(seat, ENDED, text=NO_PLAYER_LEFT),))
            if now.table.open_seats:
                return self._open_seat(now, seat, PLAYER_LEFT)
            return self._give_to_bot(now, seat, spec, (PLAYER_LEFT, now.table.seats[seat].name))

    def _give_to_bot(self, now: TableState, seat: int, spec: str, told: tuple[str, str]) -> TableState:
        """Give a seat to a bot for good.

        At a rated table that bot must be able to play: a bot that fails ends the rating of the game.
        """
        spec = spec if self._bot_may_play(now.table, spec) else FALLBACK_BOT
        sitter, owner = now.table.seats[seat], now.table.host
        self._tables.store.record_former_player(now.table.id, seat, sitter.player, sitter.name)
        heirs = next_host(now.table, seat) if owner == sitter.player else owner
        return self._change(now, seat, bot_seat(spec, now.table.seats), [told, BOT_JOINED], host=heirs)

    def close_table(self, table_id: str, guest: str) -> TableState:
        """End a game that has not begun; for its host."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, 0)
            if now.table.host != guest:
                raise Forbidden("Only the host can close a game.")
            if has_begun(now, now.table.seats_of(guest)):
                raise Conflict("This game has begun. You can resign, or offer the others to end it.")
            return self._end(now, CLOSED, (TableEvent(0, ENDED, text="before it has begun"),))

    def transfer_host(self, table_id: str, seat: int, guest: str) -> TableState:
        """Make another player the host."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, seat)
            if now.table.host != guest:
                raise Forbidden("Only the host can make another player the host.")
            heir = now.table.seats[seat]
            if heir.kind != PERSON or heir.player == guest:
                raise Conflict(f"{heir.name} cannot be the host. Choose another player.")
            check_action_limit(HOST_CHANGED, now.event_times(HOST_CHANGED), self._clock.now())
            return self._tables.commit(now, (TableEvent(seat, HOST_CHANGED),), now.play, host=heir.player)

    # --- asking the others ----------------------------------------------------------------

    def propose_end(self, table_id: str, seat: int, guest: str) -> TableState:
        """Propose to end the game."""
        with self._tables.lock(table_id):
            return self._propose(self._require_own_seat(table_id, seat, guest), seat, END_TEXT, None)

    def propose_takeback(self, table_id: str, seat: int, guest: str) -> TableState:
        """Propose to take back everything since before the player's own last choice."""
        with self._tables.lock(table_id):
            now = self._require_own_seat(table_id, seat, guest)
            keeps = moves_before_last_choice(now.effective_moves, seat)
            if keeps is None:
                raise Conflict("You have not moved yet, so there is nothing to go back to.")
            return self._propose(now, seat, THEIR_TAKEBACK_TEXT, keeps)

    def _propose(self, now: TableState, seat: int, words: str, keeps: int | None) -> TableState:
        if now.lesson_progress:
            raise Conflict("A lesson goes on step by step. Leave it first.")
        if now.proposal:
            raise Conflict("Something else has been asked, and not been answered by all yet.")
        player = now.table.seats[seat].player
        if all(now.table.seats[p].player == player for p in now.table.human_seats):
            raise Conflict("There is nobody else here to ask: bots do not answer.")
        if not now.table.allows_proposals:
            raise Conflict(NO_PROPOSALS_MESSAGE)
        check_action_limit(PROPOSED, now.event_times(PROPOSED, seat), self._clock.now())
        return self._commit_answer(now, (TableEvent(seat, PROPOSED, keeps, words),))

    def answer_proposal(self, table_id: str, seat: int, guest: str, agree: bool) -> TableState:
        """Accept or decline a proposal; its proposer may withdraw it by declining."""
        with self._tables.lock(table_id):
            now = self._require_own_seat(table_id, seat, guest)
            if now.proposal is None or (agree and seat in now.proposal.accepted_by):
                raise Conflict("Nothing is asked of you any more.")
            return self._commit_answer(now, (TableEvent(seat, ACCEPTED if agree else DECLINED),))

    def _commit_answer(self, now: TableState, entries: tuple[TableEvent, ...]) -> TableState:
        """Write a proposal or an answer, and carry out what all have accepted."""
        after = now.with_events(entries, now.play)
        proposal = after.proposal
        if proposal is None or self.unanswered_seats(now.table, proposal):
            return self._tables.commit(now, entries, now.play)
        if proposal.back_to is None:
            return self._end(now, AGREED, (*entries, TableEvent(proposal.seat, ENDED, text="as all have agreed")))
        keeps = min(proposal.back_to, len(now.effective_moves))  # the proposer may have undone more since
        proposal, play = proposal._replace(back_to=keeps), now.play.copy()
        play.rewind(keeps)
        back = takeback_events(now.effective_moves, proposal, now.table.seats[proposal.seat].name)
        return self._tables.commit(now, (*entries, *back), play)

    def unanswered_seats(self, table: Table, proposal: Proposal) -> tuple[int, ...]:
        """Return the seats whose answers are still awaited."""
        answered = {table.seats[p].player for p in proposal.accepted_by}
        open_ones = (p for p in table.human_seats if table.seats[p].player not in answered)
        return tuple(p for p in open_ones if not self._is_skipped(table, p))

    def _is_skipped(self, table: Table, seat: int) -> bool:
        """Return whether an absent player is not asked.

        No player of a rated game is skipped: else a losing player could end the game without the others.
        """
        return not table.rated and self._is_absent(table, seat)

    # --- abandoned games -------------------------------------------------------------------

    def warn_abandoned(self, table_id: str, left: str) -> TableState:
        """Warn at a table that its game ends in `left` unless a player moves."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, 0)
            return self._tables.commit(now, (TableEvent(0, ABANDON_WARNING, text=left),), now.play)

    def close_abandoned(self, table_id: str) -> TableState:
        """End a game that has not moved since the warning; the player who abandoned a rated one loses."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, 0)
            end, late = TableEvent(0, ENDED, text="because no player has moved for a long time"), abandoning_seat(now)
            if late is None:
                return self._end(now, CLOSED, (end,))
            return self._end(now, TIMED_OUT, (TableEvent(late, FLAGGED), end), resigned_seat=late)

    def close_by_administrator(self, table_id: str) -> TableState:
        """End a game on behalf of the site's administrator."""
        with self._tables.lock(table_id):
            now = self._require_running(table_id, 0)
            return self._end(now, CLOSED, (TableEvent(0, ENDED, text="by decision of this site's administrator"),))

    # --- what all of these do -------------------------------------------------------------

    def _require_running(self, table_id: str, seat: int) -> TableState:
        now = self._tables.get(table_id)
        check_seat(now.table, seat)
        if now.table.finished:
            raise Conflict(GAME_OVER_MESSAGE)
        return now

    def _require_own_seat(self, table_id: str, seat: int, guest: str) -> TableState:
        now = self._require_running(table_id, seat)
        if seat not in now.table.seats_of(guest):
            raise Forbidden("This is not your seat, so nothing was changed.")
        return now

    def _change(
        self, now: TableState, number: int, seat: Seat, kinds: Sequence[str | tuple[str, str]], **more: str
    ) -> TableState:
        """Change the player of a seat. An event kind without a text gets the new player's name."""
        told = [(kind, seat.name) if isinstance(kind, str) else kind for kind in kinds]
        entries = tuple(TableEvent(number, kind, text=words) for kind, words in told)
        seats = (*now.table.seats[:number], seat, *now.table.seats[number + 1 :])
        return self._tables.commit(now, entries, now.play, seats=seats, **more)

    def _end(
        self, now: TableState, how: str, entries: tuple[TableEvent, ...], resigned_seat: int | None = None
    ) -> TableState:
        """End a game before its play is over."""
        facts = {"status": FINISHED, "end_reason": how, "resigned_seat": resigned_seat, "result": now.play.points}
        return self._tables.commit(now, entries, now.play, **facts)


def has_waited_long_enough(table: Table, diary: ViewerHistory, moment: float) -> bool:
    """Return whether the same seat has had the turn for the absence timeout, as the history's viewer knows.

    A player who leaves during another player's turn misses nothing yet.
    """
    return moment - diary.turn_started_at >= table.absence_timeout


def has_expired_clock(now: TableState, seat: int, zero: str, moment: float) -> bool:
    """Return whether the seat is to move with an expired clock, and the time control has this policy."""
    clocks = now.history(seat).clocks
    return (
        now.play.turn == seat
        and clocks is not None
        and clocks.control.on_timeout == zero
        and not clocks.is_paused
        and clocks.seconds_left(seat, moment) <= 0
    )


def has_begun(now: TableState, held: Sequence[int]) -> bool:
    """Return whether all players are here and one has moved, as far as the holder of these seats can know.

    Secret choices of others begin no game for a player who must not notice them. A rated game begins with its deal,
    else its host could look at the deal and close the game.
    """
    if now.table.open_seats:
        return False
    return now.table.rated or any(now.history(seat).has_begun for seat in held or (SPECTATOR,))


def ends_by_resigning(table: Table, seat: int) -> bool:
    """Return whether a game is over once a seat resigns: it has two seats, or only bots are left."""
    return len(table.seats) == TWO_SEATS or not (table.open_seats or set(table.human_seats) - {seat})


def abandoning_seat(now: TableState) -> int | None:
    """Return the seat of the person who abandoned a rated game: the seat to move, or one left to a bot.

    None if the game has not been dealt, or a bot is to blame.
    """
    table = now.table
    if not table.rated or table.awaits_deal or table.open_seats:
        return None
    if table.seats[table.turn].kind == PERSON:
        return table.turn
    return next((seat for seat in table.human_seats if table.seats[seat].substitute_bot), None)


def next_host(table: Table, leaving: int) -> str:
    """Return the host after a player leaves: another player, or still the same."""
    others = (seat.player for i, seat in enumerate(table.seats) if i != leaving and seat.kind == PERSON)
    return next((player for player in others if player != table.host), table.host)


def bot_name(spec: str) -> str:
    """Return the name of a bot."""
    return f"{spec.capitalize()} bot"


def bot_seat(spec: str, others: Sequence[Seat]) -> Seat:
    """Return a seat for a bot, with a name that no other seat has."""
    return Seat(BOT, spec, distinct_name(bot_name(spec), others))


def distinct_name(name: str, others: Iterable[Seat]) -> str:
    """Return a name, with a number if another seat has the same name or one that looks like it."""
    taken = {confusable_skeleton(seat.name) for seat in others}
    numbered = (f"{name} {number}" for number in count(2))
    return next(one for one in chain([name], numbered) if confusable_skeleton(one) not in taken)
