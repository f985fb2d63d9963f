"""Who sits at a table: sitting down, going away and coming back, giving up, and what is left to those who wait."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import NamedTuple

from ...bots.levels import DEFAULT_LEVEL
from ...core.contract import SPECTATOR
from ..clock import Clock
from ..errors import Conflict, Forbidden
from ..text_validation import confusable_skeleton
from .action_limits import check_calm
from .builds import GREEDY
from .clocks import BOT as BOT_AT_ZERO, CLAIM
from .model import (
    AGREE,
    AGREED,
    ANYBODY,
    ASK,
    BACK,
    BOT,
    CLOSED,
    DECLINE,
    END,
    EXPECT,
    FAIL,
    FINISHED,
    HOST,
    JOIN,
    LEAVE,
    LOSE,
    NOTICE,
    OPEN,
    PERSON,
    REFUSE,
    RELIEVE,
    REMOVE,
    RESIGN,
    RESIGNED,
    RETURN,
    STAND_IN,
    TIMED_OUT,
    VACATION,
    Seat,
    Table,
    TableEvent,
)
from .presence import Presence
from .proposals import TO_END, TO_GO_BACK, Proposal, before_last_choice, going_back
from .service import TableService, check_seat
from .state import TableState
from .viewer_history import ViewerHistory

PAIR = 2  # seats of a game that ends when one of them resigns
IS_OVER = "This game is over, so the seats stay as they are."
NOBODY_PLAYS = "because nobody is left who plays"
NO_CONSENT = (
    "This game is rated and has a bot in it, and bots agree to nothing: so nobody can ask to end it or to go back. "
    "You can resign."
)


class PresenceSummary(NamedTuple):
    """Who of several people at a table is away, and which of them others need not wait for any more."""

    shared: bool = False  # do people play from several places?
    away: Mapping[int, float] = {}  # since when, by seat
    missed: frozenset[int] = frozenset()
    until: float | None = None  # when somebody more will be missed, if nobody comes or moves

    @property
    def mark(self) -> str:
        """All of that as one word, empty if everybody is here."""
        return "".join(f"{'m' if seat in self.missed else 'a'}{seat}" for seat in self.away)


class SeatService:
    """The seats of all tables. Whoever does something is known by the seat they hold; a stranger can only sit down."""

    def __init__(self, tables: TableService, presence: Presence, clock: Clock) -> None:
        self._tables, self._presence, self._clock = tables, presence, clock

    # --- sitting down ---------------------------------------------------------------------

    def join(
        self, table_id: str, seat: int, guest: str, name: str, hours: str = "", *, once: bool = False
    ) -> TableState:
        """Sit down in an open seat; if that is to be done `once`, whoever has sat down meanwhile stays where they are.

        Else somebody who asks many times at the same moment would get as many seats.
        """
        with self._tables.lock(table_id):
            now = self._running(table_id, seat)
            if once and now.table.held_by(guest):
                return now
            if now.table.seats[seat].kind != OPEN:
                raise Conflict("This seat is already taken. Ask for another invitation.")
            others = (other for number, other in enumerate(now.table.seats) if number != seat)
            return self._change(now, seat, Seat(PERSON, guest, distinct_name(name, others), hours=hours), [JOIN])

    def fill(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Let a bot sit down in an open seat."""
        with self._tables.lock(table_id):
            now = self._running(table_id, seat)
            if not now.table.held_by(guest) or now.table.seats[seat].kind != OPEN:
                raise Forbidden("Only a player of this game can let a bot take a seat, and only one that is open.")
            if not self._may_play(now.table, spec):
                raise Conflict(
                    f"The {bot_name(spec)} cannot play a rated game here, for this game is not compiled. "
                    "Choose another bot, or open an unrated game."
                )
            self._tables.openings.check_bot(now.table, now.play.game, spec)
            return self._change(now, seat, bot_seat(spec, now.table.seats), [RELIEVE])

    def _may_play(self, table: Table, spec: str) -> bool:
        """Whether a bot plays at a table as what it is, or the table is not rated."""
        return not table.rated or self._tables.builds.can_play(spec, table.game)

    def expect(self, table_id: str, seat: int, guest: str, name: str) -> TableState:
        """Say for whom an open seat is meant."""
        with self._tables.lock(table_id):
            now = self._running(table_id, seat)
            if not now.table.held_by(guest) or now.table.seats[seat].kind != OPEN:
                raise Forbidden("Only a player of this game can say for whom a seat is, and only for one that is open.")
            others = (other for number, other in enumerate(now.table.seats) if number != seat)
            named = distinct_name(name, others)
            if named == now.table.seats[seat].name:
                return now
            check_calm(EXPECT, now.moments(EXPECT, seat), self._clock.now())
            return self._change(now, seat, replace(now.table.seats[seat], name=named), [EXPECT])

    def substitute(self, table_id: str, seat: int, spec: str) -> TableState:
        """Let another bot play on for one that cannot."""
        with self._tables.lock(table_id):
            now = self._running(table_id, seat)
            old = now.table.seats[seat]
            if old.kind == PERSON:
                return self._change(now, seat, replace(old, stand_in=spec), [(STAND_IN, bot_name(spec))])
            return self._change(now, seat, bot_seat(spec, now.table.seats), [(FAIL, old.name), RELIEVE])

    def refuse(self, table_id: str, seat: int) -> None:
        """Whoever an open seat is kept for does not want it: it waits for anybody."""
        with self._tables.lock(table_id):
            now = self._tables.snapshot(table_id)
            old = now.table.seats[seat]
            if not now.table.finished and old.kind == OPEN:
                self._change(now, seat, replace(old, name=ANYBODY), [(REFUSE, old.name), (EXPECT, ANYBODY)])

    def free(self, table_id: str, seat: int, guest: str) -> TableState:
        """Remove somebody from a seat while the table waits for players; for its host."""
        with self._tables.lock(table_id):
            now = self._running(table_id, seat)
            sitter = now.table.seats[seat]
            if now.table.owner != guest:
                raise Forbidden("Only the host can free a seat.")
            if not now.table.open_seats:
                raise Conflict("Everybody is here, so the seats stay as they are.")
            if sitter.kind != PERSON or sitter.player == guest:
                raise Conflict(f"{sitter.name} cannot be removed. Choose a seat in which somebody else sits.")
            check_calm(REMOVE, now.moments(REMOVE), self._clock.now())
            return self._free(now, seat, REMOVE)

    def _free(self, now: TableState, seat: int, kind: str) -> TableState:
        """Let a seat wait for anybody again; the game is closed if nobody is left who plays."""
        sitter = now.table.seats[seat]
        if now.table.people == (seat,):
            return self._end(now, CLOSED, (TableEvent(seat, END, words=NOBODY_PLAYS),))
        self._tables.store.note_former(now.table.id, seat, sitter.player, sitter.name)
        owner = now.table.owner if now.table.owner != sitter.player else heir(now.table, seat)
        return self._change(now, seat, Seat(OPEN, "", ANYBODY), [(kind, sitter.name)], owner=owner)

    # --- going away, and coming back ------------------------------------------------------

    def leave(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Free one's seat while the table waits for players; later, let a bot play there until one comes back."""
        with self._tables.lock(table_id):
            now = self._own(table_id, seat, guest)
            if now.table.open_seats:
                check_calm(LEAVE, now.moments(LEAVE, seat), self._clock.now())
                return self._free(now, seat, LEAVE)
            if now.table.seats[seat].stand_in:
                raise Conflict("A bot plays for you already.")
            check_calm(STAND_IN, now.moments(STAND_IN, seat), self._clock.now())
            self._tables.openings.check_bot(now.table, now.play.game, spec)
            return self._stand_in(now, seat, spec)

    def come_back(self, table_id: str, seat: int, guest: str) -> TableState:
        """Play on oneself."""
        with self._tables.lock(table_id):
            now = self._own(table_id, seat, guest)
            if not now.table.seats[seat].stand_in:
                raise Conflict("Nobody plays for you: the seat is yours.")
            return self._change(now, seat, replace(now.table.seats[seat], stand_in=""), [(BACK, "")])

    def _stand_in(self, now: TableState, seat: int, spec: str) -> TableState:
        sitter = replace(now.table.seats[seat], stand_in=spec)
        return self._change(now, seat, sitter, [(STAND_IN, bot_name(spec))])

    def claim(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Let a bot play for somebody who has been away for too long, until that person comes back."""
        with self._tables.lock(table_id):
            now = self._running(table_id, seat)
            held = now.table.held_by(guest)
            if not held or seat in held:
                raise Forbidden("Only the others who play this game can let a bot play for somebody.")
            diary = now.diary(held[0])
            awaited = diary.turn == seat and not now.table.seats[seat].bot
            missed = self.is_missed(now.table, seat) and has_waited(now.table, diary, self._clock.now())
            if not awaited or not (missed or is_late(now, seat, CLAIM, self._clock.now())):
                raise Conflict(f"{now.table.seats[seat].name} is not awaited, or has not been away for long enough.")
            return self._stand_in(now, seat, spec)

    def win_on_time(self, table_id: str, seat: int, guest: str) -> TableState:
        """End a game of two in which the time of the other one, in a seat, is up."""
        with self._tables.lock(table_id):
            now = self._running(table_id, seat)
            held = now.table.held_by(guest)
            if not held or seat in held:
                raise Forbidden("Only the one who waits can end this game.")
            if any(now.table.seats[own].stand_in for own in held):
                raise Conflict("A bot plays for you, so you cannot claim the win. Take your seat back first.")
            if len(now.table.seats) != PAIR or not is_late(now, seat, CLAIM, self._clock.now()):
                raise Conflict(f"The time of {now.table.seats[seat].name} is not up.")
            return self._end(now, TIMED_OUT, (TableEvent(seat, LOSE),), gave_up=seat)

    def out_of_time(self, table_id: str) -> TableState:
        """Let a bot play for the seat to move, whose time is up, where the table wants it so.

        Where only bots could claim a rated game, its person has lost.
        """
        with self._tables.lock(table_id):
            now = self._running(table_id, 0)
            seat, moment = now.play.turn, self._clock.now()
            if now.table.is_among_bots and is_late(now, seat, CLAIM, moment):
                return self._end(now, TIMED_OUT, (TableEvent(seat, LOSE),), gave_up=seat)
            if not is_late(now, seat, BOT_AT_ZERO, moment):
                raise Conflict("Nobody's time is up.")
            return self._stand_in(now, seat, DEFAULT_LEVEL)

    def rest(self, table_id: str, seat: int, guest: str, *, begins: bool) -> TableState:
        """Let the clock of a seat stand still from now on, for its player is on vacation, or go on again."""
        with self._tables.lock(table_id):
            now = self._own(table_id, seat, guest)
            clocks = now.diary(seat).clocks
            if clocks is None or (seat in clocks.resting) == begins:
                return now  # whoever has sat down since the vacation began is at this table already
            return self._tables.write(now, (TableEvent(seat, VACATION if begins else RETURN),), now.play)

    def is_missed(self, table: Table, seat: int) -> bool:
        """Has somebody been away for longer than the others have to wait, and nobody plays there?

        Where there are clocks, they alone say how long that is.
        """
        return not table.seats[seat].bot and self._is_absent(table, seat)

    def attendance(self, table: Table, held: Collection[int] = ()) -> PresenceSummary:
        """Who is away from a table at which people play from several places; who looks from `held` seats is here."""
        if table.finished or len({table.seats[p].player for p in table.people}) < PAIR:
            return PresenceSummary()
        away = {seat: since for seat, since in self._presence.away(table).items() if seat not in held}
        missed = frozenset(seat for seat in away if self.is_missed(table, seat))
        waits = table.patience > 0 and not table.time_control
        waiting = [since + table.patience for seat, since in away.items() if waits and seat not in missed]
        until = max(min(waiting), self._presence.settled) if waiting else None
        return PresenceSummary(True, away, missed, until)

    def _is_absent(self, table: Table, seat: int) -> bool:
        if table.time_control and not table.seats[seat].stand_in:
            return False  # the clock says for how long one may think, and it may be vacation
        since = self._presence.away_since(table, seat)
        return since is not None and 0 < table.patience <= self._clock.now() - since and not self._presence.settled

    # --- giving up ------------------------------------------------------------------------

    def resign(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Give up: of two, the other one wins; of more, a bot plays on, and there is no way back.

        Nobody needs that bot where no other person plays, so there the game is over, too. While the table waits
        for players there is no game to lose, so that is to leave.
        """
        with self._tables.lock(table_id):
            now = self._own(table_id, seat, guest)
            if now.table.open_seats:
                return self._free(now, seat, LEAVE)
            if len(now.table.seats) == 1:
                raise Conflict("Nobody would win by that. Leave the page instead: this game waits for you.")
            if ends_by_resigning(now.table, seat):
                return self._resign(now, seat)
            return self._give_to_bot(now, seat, spec, (RESIGN, now.table.seats[seat].name))

    def _resign(self, now: TableState, seat: int) -> TableState:
        entry = TableEvent(seat, RESIGN, words=now.table.seats[seat].name)
        return self._end(now, RESIGNED, (entry,), gave_up=seat)

    def depart(self, table_id: str, seat: int, guest: str, spec: str) -> TableState:
        """Leave for good: a bot plays on, unless nobody else is left who plays. A rated game is resigned then."""
        with self._tables.lock(table_id):
            now = self._own(table_id, seat, guest)
            if now.table.is_among_bots:
                return self._resign(now, seat)
            if all(now.table.seats[p].player == guest for p in now.table.people):
                return self._end(now, CLOSED, (TableEvent(seat, END, words=NOBODY_PLAYS),))
            if now.table.open_seats:
                return self._free(now, seat, LEAVE)
            return self._give_to_bot(now, seat, spec, (LEAVE, now.table.seats[seat].name))

    def _give_to_bot(self, now: TableState, seat: int, spec: str, told: tuple[str, str]) -> TableState:
        """Let a bot have the seat of somebody who does not come back.

        At a rated table it is one that can play: a bot that fails takes the game off the ratings.
        """
        spec = spec if self._may_play(now.table, spec) else GREEDY
        sitter, owner = now.table.seats[seat], now.table.owner
        self._tables.store.note_former(now.table.id, seat, sitter.player, sitter.name)
        heirs = heir(now.table, seat) if owner == sitter.player else owner
        return self._change(now, seat, bot_seat(spec, now.table.seats), [told, RELIEVE], owner=heirs)

    def close(self, table_id: str, guest: str) -> TableState:
        """End a game that has not begun; for its host."""
        with self._tables.lock(table_id):
            now = self._running(table_id, 0)
            if now.table.owner != guest:
                raise Forbidden("Only the host can close a game.")
            if has_begun(now, now.table.held_by(guest)):
                raise Conflict("This game has begun. You can resign, or offer the others to end it.")
            return self._end(now, CLOSED, (TableEvent(0, END, words="before it has begun"),))

    def hand_on(self, table_id: str, seat: int, guest: str) -> TableState:
        """Make somebody else the host."""
        with self._tables.lock(table_id):
            now = self._running(table_id, seat)
            if now.table.owner != guest:
                raise Forbidden("Only the host can make somebody else the host.")
            heir = now.table.seats[seat]
            if heir.kind != PERSON or heir.player == guest:
                raise Conflict(f"{heir.name} cannot be the host. Choose somebody else who plays.")
            check_calm(HOST, now.moments(HOST), self._clock.now())
            return self._tables.write(now, (TableEvent(seat, HOST),), now.play, owner=heir.player)

    # --- asking the others ----------------------------------------------------------------

    def ask_to_end(self, table_id: str, seat: int, guest: str) -> TableState:
        """Ask the others to end the game."""
        with self._tables.lock(table_id):
            return self._ask(self._own(table_id, seat, guest), seat, TO_END, None)

    def ask_to_go_back(self, table_id: str, seat: int, guest: str) -> TableState:
        """Ask the others to go back to before one's own last choice."""
        with self._tables.lock(table_id):
            now = self._own(table_id, seat, guest)
            keeps = before_last_choice(now.standing_acts, seat)
            if keeps is None:
                raise Conflict("You have not moved yet, so there is nothing to go back to.")
            return self._ask(now, seat, TO_GO_BACK, keeps)

    def _ask(self, now: TableState, seat: int, words: str, keeps: int | None) -> TableState:
        if now.standing:
            raise Conflict("A lesson goes on step by step. Leave it first.")
        if now.proposal:
            raise Conflict("Something else has been asked, and not been answered by all yet.")
        player = now.table.seats[seat].player
        if all(now.table.seats[p].player == player for p in now.table.people):
            raise Conflict("There is nobody else here to ask: bots do not answer.")
        if not now.table.takes_consent:
            raise Conflict(NO_CONSENT)
        check_calm(ASK, now.moments(ASK, seat), self._clock.now())
        return self._answered(now, (TableEvent(seat, ASK, keeps, words),))

    def answer(self, table_id: str, seat: int, guest: str, agree: bool) -> TableState:
        """Agree to what was asked, or decline it; whoever has asked may take it back so."""
        with self._tables.lock(table_id):
            now = self._own(table_id, seat, guest)
            if now.proposal is None or (agree and seat in now.proposal.agreed):
                raise Conflict("Nothing is asked of you any more.")
            return self._answered(now, (TableEvent(seat, AGREE if agree else DECLINE),))

    def _answered(self, now: TableState, entries: tuple[TableEvent, ...]) -> TableState:
        """Write what was asked or answered, and do what all have agreed on."""
        after = now.after(entries, now.play)
        proposal = after.proposal
        if proposal is None or self.awaited(now.table, proposal):
            return self._tables.write(now, entries, now.play)
        if proposal.back_to is None:
            return self._end(now, AGREED, (*entries, TableEvent(proposal.seat, END, words="as all have agreed")))
        keeps = min(proposal.back_to, len(now.standing_acts))  # whoever has asked may have undone more since
        proposal, play = proposal._replace(back_to=keeps), now.play.copy()
        play.rewind(keeps)
        back = going_back(now.standing_acts, proposal, now.table.seats[proposal.seat].name)
        return self._tables.write(now, (*entries, *back), play)

    def awaited(self, table: Table, proposal: Proposal) -> tuple[int, ...]:
        """The seats of those who have not answered yet, and are waited for."""
        answered = {table.seats[p].player for p in proposal.agreed}
        open_ones = (p for p in table.people if table.seats[p].player not in answered)
        return tuple(p for p in open_ones if not self._is_passed_over(table, p))

    def _is_passed_over(self, table: Table, seat: int) -> bool:
        """Is somebody not asked, for they have been away for too long?

        Nobody is passed over where ratings are at stake: else whoever is losing would end the game without the others.
        """
        return not table.rated and self._is_absent(table, seat)

    # --- games that nobody wants ----------------------------------------------------------

    def warn_forsaken(self, table_id: str, left: str) -> TableState:
        """Say at a table that its game ends in so long a time unless somebody moves."""
        with self._tables.lock(table_id):
            now = self._running(table_id, 0)
            return self._tables.write(now, (TableEvent(0, NOTICE, words=left),), now.play)

    def end_forsaken(self, table_id: str) -> TableState:
        """End a game at which nothing has happened since that was said; whoever has left a rated one has lost it."""
        with self._tables.lock(table_id):
            now = self._running(table_id, 0)
            end, late = TableEvent(0, END, words="because nobody has moved for a long time"), forsaken_by(now)
            if late is None:
                return self._end(now, CLOSED, (end,))
            return self._end(now, TIMED_OUT, (TableEvent(late, LOSE), end), gave_up=late)

    def end_by_site(self, table_id: str) -> TableState:
        """End a game, whatever its players want; for whoever runs the site."""
        with self._tables.lock(table_id):
            now = self._running(table_id, 0)
            return self._end(now, CLOSED, (TableEvent(0, END, words="by decision of this site's administrator"),))

    # --- what all of these do -------------------------------------------------------------

    def _running(self, table_id: str, seat: int) -> TableState:
        now = self._tables.snapshot(table_id)
        check_seat(now.table, seat)
        if now.table.finished:
            raise Conflict(IS_OVER)
        return now

    def _own(self, table_id: str, seat: int, guest: str) -> TableState:
        now = self._running(table_id, seat)
        if seat not in now.table.held_by(guest):
            raise Forbidden("This is not your seat, so nothing was changed.")
        return now

    def _change(
        self, now: TableState, number: int, seat: Seat, kinds: Sequence[str | tuple[str, str]], **more: str
    ) -> TableState:
        """Let somebody else sit in a seat. A kind of entry alone has the name of the new sitter as its words."""
        told = [(kind, seat.name) if isinstance(kind, str) else kind for kind in kinds]
        entries = tuple(TableEvent(number, kind, words=words) for kind, words in told)
        seats = (*now.table.seats[:number], seat, *now.table.seats[number + 1 :])
        return self._tables.write(now, entries, now.play, seats=seats, **more)

    def _end(
        self, now: TableState, how: str, entries: tuple[TableEvent, ...], gave_up: int | None = None
    ) -> TableState:
        """End a game before its play is over."""
        facts = {"status": FINISHED, "ended": how, "gave_up": gave_up, "result": now.play.points}
        return self._tables.write(now, entries, now.play, **facts)


def has_waited(table: Table, diary: ViewerHistory, moment: float) -> bool:
    """Whether others have waited long enough for the same seat at a moment, as a diary's reader knows it.

    Whoever goes away while others think has missed nothing yet.
    """
    return moment - diary.turned >= table.patience


def is_late(now: TableState, seat: int, zero: str, moment: float) -> bool:
    """Whether the seat is to move and has no time left, at a table where `zero` is what happens then."""
    clocks = now.diary(seat).clocks
    return (
        now.play.turn == seat
        and clocks is not None
        and clocks.control.zero == zero
        and not clocks.still
        and clocks.left_of(seat, moment) <= 0
    )


def has_begun(now: TableState, held: Sequence[int]) -> bool:
    """Have all come and has somebody moved, as far as whoever holds these seats can know?

    What others choose in secret begins no game for those who must not see that they have. A rated game begins with its
    deal, else its host could look at the deal and close the game.
    """
    if now.table.open_seats:
        return False
    return now.table.rated or any(now.diary(seat).begun for seat in held or (SPECTATOR,))


def ends_by_resigning(table: Table, seat: int) -> bool:
    """Whether a game is over once a seat resigns: it is one of two, or only bots are left."""
    return len(table.seats) == PAIR or not (table.open_seats or set(table.people) - {seat})


def forsaken_by(now: TableState) -> int | None:
    """Return the seat whose person has let a rated game lie: the seat to move, or one that was left to a bot.

    None if the game has not been dealt, or a bot is to blame.
    """
    table = now.table
    if not table.rated or table.undealt or table.open_seats:
        return None
    if table.seats[table.turn].kind == PERSON:
        return table.turn
    return next((seat for seat in table.people if table.seats[seat].stand_in), None)


def heir(table: Table, leaving: int) -> str:
    """Who is the host after the one in a seat that is given up: somebody else who plays, or still the same."""
    others = (seat.player for i, seat in enumerate(table.seats) if i != leaving and seat.kind == PERSON)
    return next((player for player in others if player != table.owner), table.owner)


def bot_name(spec: str) -> str:
    """What a bot is called."""
    return f"{spec.capitalize()} bot"


def bot_seat(spec: str, others: Sequence[Seat]) -> Seat:
    """A seat for a bot, under a name that none of the others has."""
    return Seat(BOT, spec, distinct_name(bot_name(spec), others))


def distinct_name(name: str, others: Iterable[Seat]) -> str:
    """A name, with a number behind it if one of the other seats has the same, or one that looks like it."""
    taken = {confusable_skeleton(seat.name) for seat in others}
    numbered = (f"{name} {number}" for number in count(2))
    return next(one for one in chain([name], numbered) if confusable_skeleton(one) not in taken)
