"""The database of friends: who follows whom, and whom a guest has blocked.

Two guests who follow each other are friends. A block is a mute that also keeps two guests apart. A guest who is blocked
reads nothing of that: the blocker stops to follow, as everyone may.
"""

from typing import Any, NamedTuple

from sqlalchemy import Engine, and_, delete, insert, select, update

from ..chat.service import mutes_lock
from ..clock import Clock
from ..errors import Conflict, NotFound
from ..storage import schema
from ..storage.database import locked_transaction, read_connection
from ..tables.model import Table
from ..tokens import TOKEN_PATTERN, new_table_id

F, MUTE = schema.follow.c, schema.mute.c
BACK = schema.follow.alias("back")  # the row of the other guest
MAX_FOLLOWED = 200  # players whom a guest follows
TOO_MANY = f"You follow {MAX_FOLLOWED} players, which is the limit. Unfollow one of them first."
UNKNOWN = "This player is no longer in your lists. Reload the page."
NOT_A_FRIEND = "You can only challenge and invite friends: players who follow you, and whom you follow."


class Contact(NamedTuple):
    """A player in the lists of a guest."""

    handle: str  # in addresses and forms; reveals no guest id
    guest: str
    name: str
    is_friend: bool = False  # whether the two follow each other


class FriendRepository:
    """Stores who follows whom, and blocks."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine, self._clock = engine, clock

    # --- following ------------------------------------------------------------------------

    def follow(self, guest: str, own_name: str, other: str, name: str) -> None:
        """Follow a player, and end a block against this player; raise Conflict at the limit, or for oneself."""
        if guest == other:
            raise Conflict("This is you. You can't follow yourself.")
        row = {"guest": guest, "other": other, "handle": new_table_id(), "guest_name": own_name, "other_name": name}
        with locked_transaction(self._engine, mutes_lock(guest)) as db:
            db.execute(delete(schema.mute).where(is_block(guest, other)))
            followed = set(db.execute(select(F.other).where(F.guest == guest)).scalars())
            if other in followed:
                return
            if len(followed) >= MAX_FOLLOWED:
                raise Conflict(TOO_MANY)
            db.execute(insert(schema.follow), row | {"created_at": self._clock.now()})

    def unfollow(self, guest: str, other: str) -> None:
        with self._engine.begin() as db:
            db.execute(delete(schema.follow).where(F.guest == guest, F.other == other))

    def following(self, guest: str) -> list[Contact]:
        """Return the players whom a guest follows, sorted by name. Friends have their present names."""
        back = schema.follow.outerjoin(BACK, is_return())
        wanted = select(F.handle, F.other, F.other_name, BACK.c.guest_name).select_from(back).where(F.guest == guest)
        with read_connection(self._engine) as db:
            found = [
                Contact(handle, other, present or name, present is not None)
                for handle, other, name, present in db.execute(wanted)
            ]
        return sorted(found, key=by_name)

    def followers(self, guest: str) -> list[Contact]:
        """Return the players who follow a guest, and whom the guest neither follows nor has blocked, by name."""
        followed = select(F.other).where(F.guest == guest)
        blocked = select(MUTE.other).where(MUTE.guest == guest, MUTE.blocked)
        wanted = select(F.handle, F.guest, F.guest_name).where(
            F.other == guest, F.guest.not_in(followed), F.guest.not_in(blocked)
        )
        with read_connection(self._engine) as db:
            return sorted((Contact(*row) for row in db.execute(wanted)), key=by_name)

    def find(self, guest: str, handle: str) -> Contact:
        """Return the player with a handle in a guest's lists; NotFound if the lists have none."""
        for one in (*self.following(guest), *self.followers(guest), *self.blocked(guest)):
            if one.handle == handle:
                return one
        raise NotFound(UNKNOWN)

    def find_friend(self, guest: str, handle: str) -> Contact:
        """Return the friend with a handle; Conflict if the guest has no such friend."""
        for one in self.following(guest):
            if one.handle == handle and one.is_friend:
                return one
        raise Conflict(NOT_A_FRIEND)

    # --- blocks ---------------------------------------------------------------------------

    def block(self, guest: str, other: str, name: str) -> None:
        """Block a player, and stop following the player; raise Conflict for oneself.

        The player still follows the guest, so the player's list looks as if the guest had stopped following.
        """
        if guest == other:
            raise Conflict("This is you. You can't block yourself.")
        facts = {"name": name, "blocked": True}
        with locked_transaction(self._engine, mutes_lock(guest)) as db:
            db.execute(delete(schema.follow).where(F.guest == guest, F.other == other))
            muted = update(schema.mute).where(MUTE.guest == guest, MUTE.other == other)
            if not db.execute(muted.values(facts)).rowcount:
                row = {"guest": guest, "other": other, "handle": new_table_id(), **facts}
                db.execute(insert(schema.mute), row)

    def unblock(self, guest: str, handle: str) -> str:
        """End a mute or a block by its handle; return the guest who was blocked, else an empty string."""
        if not TOKEN_PATTERN.fullmatch(handle):
            return ""
        is_muted = and_(MUTE.guest == guest, MUTE.handle == handle)
        with locked_transaction(self._engine, mutes_lock(guest)) as db:
            other = db.execute(select(MUTE.other).where(is_muted, MUTE.blocked)).scalar()
            db.execute(delete(schema.mute).where(is_muted))
        return other or ""

    def blocked(self, guest: str) -> list[Contact]:
        """Return the players whom a guest has blocked, by name."""
        wanted = select(MUTE.handle, MUTE.other, MUTE.name).where(MUTE.guest == guest, MUTE.blocked)
        with read_connection(self._engine) as db:
            return sorted((Contact(*row) for row in db.execute(wanted)), key=by_name)

    def blocked_pairs(self, guest: str) -> set[str]:
        """Return the guests whom a guest has blocked, and those who have blocked this guest."""
        if not guest:
            return set()
        blocked = select(MUTE.other).where(MUTE.guest == guest, MUTE.blocked)
        blocking = select(MUTE.guest).where(MUTE.other == guest, MUTE.blocked)
        with read_connection(self._engine) as db:
            return set(db.execute(blocked.union(blocking)).scalars())

    def may_meet(self, table: Table, guest: str) -> bool:
        """Whether no block keeps a guest from the people of a table."""
        return not {table.host, *(table.seats[seat].player for seat in table.human_seats)} & self.blocked_pairs(guest)


def is_block(guest: str, other: str) -> Any:
    return and_(MUTE.guest == guest, MUTE.other == other, MUTE.blocked)


def is_return() -> Any:
    return and_(BACK.c.guest == F.other, BACK.c.other == F.guest)


def by_name(one: Contact) -> str:
    return one.name.casefold()
