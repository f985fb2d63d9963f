"""The tables of the database. The entries of a table are its truth; all else about its play follows from them."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Float, ForeignKey, Index, Integer, MetaData, String, Table

metadata = MetaData()

table = Table(
    "table",
    metadata,
    Column("id", String(32), primary_key=True),  # cannot be guessed: who knows it may watch
    Column("game", String(64), nullable=False),
    Column("rules", Integer, nullable=False),  # version of the game's rules
    Column("components", String(64), nullable=False),  # hash of its component tables
    Column("options", JSON, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("seed_known", Boolean, nullable=False),  # may somebody at the table know it, and with it the deal?
    Column("seats", Integer, nullable=False),
    Column("status", String(16), nullable=False),  # running or finished
    Column("ended", String(16), nullable=False),  # resigned, agreed or closed, if it ended before its play was over
    Column("gave_up", Integer),  # the seat that resigned, if that ended it
    Column("version", Integer, nullable=False),  # how many entries it has
    Column("owner", String(64), nullable=False),  # the guest who is its host
    Column("challenge", String(64), nullable=False),  # name of a fixed deal, or empty
    Column("hints", Boolean, nullable=False),  # may players ask for hints?
    Column("patience", Integer, nullable=False),  # seconds that others wait for somebody who is away; 0 is for ever
    Column("time_control", String(40), nullable=False),  # as `clocks.TimeControl` reads it; empty without clocks
    Column("due", Float),  # when the time of the seat to move is up
    Column("lesson", Boolean, nullable=False),  # is it the first game that teaches?
    Column("played_on", Integer),  # the move of another table from which it goes on, if it does
    Column("turn", Integer, nullable=False),  # seat to move, kept for lists
    Column("result", JSON),  # points by seat, once finished; kept for lists
    Column("opened", Float, nullable=False),  # seconds since 1970, as all times here
    Column("changed", Float, nullable=False),
    Index("table_by_due", "due"),
    Index("table_by_change", "status", "changed"),
)

seat = Table(
    "seat",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),  # person, bot or open
    Column("player", String(64), nullable=False),  # guest, bot spec, or empty
    Column("name", String(64), nullable=False),
    Column("asked", Integer, nullable=False),  # the seat to move, as far as this one can know
    Column("noticed", Float, nullable=False),  # when this seat could last notice anything
    Column("stand_in", String(64), nullable=False),  # the bot that plays for its person meanwhile, or empty
    Column("hours", String(64), nullable=False),  # when its person wants to play slow games; empty at any time
    Column("here", Float, nullable=False),  # when its person was last known to be at the table
    Index("seat_by_player", "player"),
)

token = Table(
    "token",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("hash", String(64), nullable=False),  # of its secret part
    Column("player", String(64), nullable=False),  # the guest for whom it acts
    Column("called", String(64), nullable=False),  # what the guest was called when it was made
    Column("label", String(64), nullable=False),  # by which the guest tells it from others
    Column("made", Float, nullable=False),
    Column("used", Float),  # when it was last used, to the minute
    Index("token_by_player", "player"),
)

vacation = Table(
    "vacation",
    metadata,
    Column("player", String(64), primary_key=True),
    Column("balance", Float, nullable=False),  # seconds that were left at a moment
    Column("at", Float, nullable=False),  # that moment
    Column("since", Float),  # since when it is being taken, if it is
)

entry = Table(
    "entry",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("number", Integer, primary_key=True),  # from 1
    Column("seat", Integer, nullable=False),
    Column("kind", String(16), nullable=False),  # one of those in `store`
    Column("action", Integer),  # of an act
    Column("words", String(200), nullable=False),
    Column("follows", Boolean, nullable=False),  # was it chosen together with the entry before?
    Column("time", Float, nullable=False),
)

# --- how people meet -----------------------------------------------------------------------------

listing = Table(
    "listing",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("handle", String(32), nullable=False),  # what the lobby calls it: nobody learns the table's id by that
    Column("offered", Boolean, nullable=False),  # may anybody in the lobby take its free seats?
    Column("watched", Boolean, nullable=False),  # is it listed for those who like to watch?
    Column("open_chat", Boolean, nullable=False),  # may spectators read the chat while the game goes on?
    Index("listing_by_handle", "handle"),
)

kept_seat = Table(
    "kept_seat",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("guest", String(64), nullable=False),  # for whom it is kept
    Column("after", String(32), nullable=False),  # the table at which they have played before
    Index("kept_seat_by_guest", "guest"),
    Index("kept_seat_by_after", "after"),
)

message = Table(
    "message",
    metadata,
    Column("room", String(32), primary_key=True),  # a table, or the lobby
    Column("number", Integer, primary_key=True),  # from 1 in each room, so that it tells nothing of others
    Column("guest", String(64), nullable=False),
    Column("name", String(64), nullable=False),  # as the guest was called then
    Column("words", String(300), nullable=False),
    Column("said", Float, nullable=False),
    Index("message_by_time", "room", "said"),
)

mute = Table(
    "mute",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("other", String(64), primary_key=True),  # of whom the guest reads nothing
    Column("handle", String(32), nullable=False),  # what pages call this: nobody learns the id of a guest
    Column("name", String(64), nullable=False),
)

report = Table(
    "report",
    metadata,
    Column("guest", String(64), primary_key=True),  # who has reported it
    Column("room", String(32), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("author", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("words", String(300), nullable=False),  # kept, for messages in the lobby are not
    Column("said", Float, nullable=False),
    Column("reported", Float, nullable=False),
)
