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
    Column("version", Integer, nullable=False),  # how many entries it has
    Column("owner", String(64), nullable=False),  # the guest who opened it
    Column("challenge", String(64), nullable=False),  # name of a fixed deal, or empty
    Column("hints", Boolean, nullable=False),  # may players ask for hints?
    Column("lesson", Boolean, nullable=False),  # is it the first game that teaches?
    Column("turn", Integer, nullable=False),  # seat to move, kept for lists
    Column("result", JSON),  # points by seat, once finished; kept for lists
    Column("opened", Float, nullable=False),  # seconds since 1970, as all times here
    Column("changed", Float, nullable=False),
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
    Index("seat_by_player", "player"),
)

entry = Table(
    "entry",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("number", Integer, primary_key=True),  # from 1
    Column("seat", Integer, nullable=False),
    Column("kind", String(16), nullable=False),  # act, undo, leave, fail, join, bot, hint or play on
    Column("action", Integer),  # of an act
    Column("words", String(200), nullable=False),
    Column("follows", Boolean, nullable=False),  # was it chosen together with the entry before?
    Column("time", Float, nullable=False),
)
