"""The tables of the database. The events of a table (`entry`) are its truth; its play follows from them."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
)

metadata = MetaData()

table = Table(
    "table",
    metadata,
    Column("id", String(32), primary_key=True),  # unguessable: a visitor who knows it may watch
    Column("game", String(64), nullable=False),
    Column("rules", Integer, nullable=False),  # version of the game's rules
    Column("components", String(64), nullable=False),  # hash of its component tables
    Column("options", JSON, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("seed_known", Boolean, nullable=False),  # whether a player may know it, and with it the deal
    Column("seats", Integer, nullable=False),
    Column("status", String(16), nullable=False),  # running or finished
    Column("ended", String(16), nullable=False),  # the reason, if it ended before its play was over
    Column("gave_up", Integer),  # the seat whose resignation ended it
    Column("version", Integer, nullable=False),  # number of events
    Column("owner", String(64), nullable=False),  # the host
    Column("challenge", String(64), nullable=False),  # name of a fixed deal, or empty
    Column("hints", Boolean, nullable=False),  # whether players may ask for hints
    Column("patience", Integer, nullable=False),  # seconds that others wait for an absent player; 0 is for ever
    Column("time_control", String(40), nullable=False),  # for `clocks.TimeControl.parse`; empty without clocks
    Column("due", Float),  # when the clock of the seat to move expires
    Column("lesson", Boolean, nullable=False),  # whether it is the first game, which teaches
    Column("rated", Boolean, nullable=False),  # whether it counts for ratings if it ends regularly
    Column("daily", String(96), nullable=False),  # the daily deal that is played there, or empty
    Column("played_on", Integer),  # the move of another table from which it goes on
    Column("network", String(16), nullable=False),  # hash of the address that opened it; empty once it is finished
    Column("turn", Integer, nullable=False),  # seat to move, kept for lists; -1 before the deal of a rated game
    Column("result", JSON),  # points by seat, once finished; kept for lists
    Column("opened", Float, nullable=False),  # seconds since 1970, as all times here
    Column("changed", Float, nullable=False),
    Column("advanced", Float, nullable=False),  # of its creation, its deal, or the furthest progress of its play
    Index("table_by_due", "due"),
    Index("table_by_change", "status", "changed"),
    Index("table_by_advance", "status", "advanced"),
    Index("table_by_owner", "owner", "status"),
)

seat = Table(
    "seat",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),  # person, bot or open
    Column("player", String(64), nullable=False),  # guest, bot spec, or empty
    Column("name", String(64), nullable=False),
    Column("asked", Integer, nullable=False),  # the seat to move, as far as this seat can know
    Column("noticed", Float, nullable=False),  # when this seat could last notice a change
    Column("stand_in", String(64), nullable=False),  # the bot that plays for its absent person, or empty
    Column("hours", String(64), nullable=False),  # when its person wants to play slow games; empty at any time
    Column("here", Float, nullable=False),  # when its person was last seen at the table
    Index("seat_by_player", "player"),
)

token = Table(
    "token",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("hash", String(64), nullable=False),  # of its secret part
    Column("player", String(64), nullable=False),  # the guest for whom it acts
    Column("called", String(64), nullable=False),  # the guest's name at that time
    Column("label", String(64), nullable=False),  # the guest's name for it
    Column("made", Float, nullable=False),
    Column("used", Float),  # when it was last used, to the minute
    Index("token_by_player", "player"),
)

vacation = Table(
    "vacation",
    metadata,
    Column("player", String(64), primary_key=True),
    Column("balance", Float, nullable=False),  # seconds left at a moment
    Column("at", Float, nullable=False),  # that moment
    Column("since", Float),  # when it began, during a vacation
)

entry = Table(
    "entry",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("number", Integer, primary_key=True),  # from 1
    Column("seat", Integer, nullable=False),
    Column("kind", String(16), nullable=False),  # one of those in `tables/model.py`
    Column("action", Integer),  # of an act
    Column("words", String(200), nullable=False),
    Column("follows", Boolean, nullable=False),  # whether it was chosen together with the event before
    Column("time", Float, nullable=False),
)

former_seat = Table(
    "former_seat",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("guest", String(64), primary_key=True),  # who has left it
    Column("name", String(64), primary_key=True),  # the guest's name there
    Index("former_seat_by_guest", "guest"),
)

# --- notifications -------------------------------------------------------------------------------

alert_way = Table(
    "alert_way",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("guest", String(64), nullable=False),
    Column("called", String(64), nullable=False),  # the guest's name at that time
    Column("kind", String(16), nullable=False),  # push, mail or webhook
    Column("target", String(1000), nullable=False),  # an address of the web, or of a mailbox
    Column("keys", JSON, nullable=False),  # for encrypting or signing messages
    Column("label", String(300), nullable=False),  # the guest's name for it
    Column("live", Boolean, nullable=False),  # whether it gets the turns of real-time games
    Column("slow", Boolean, nullable=False),  # and of all others
    Column("confirmed", Boolean, nullable=False),  # whether the owner of the mailbox has confirmed it
    Column("failures", Integer, nullable=False),  # in a row
    Column("again", Float, nullable=False),  # when the next message may be sent
    Column("made", Float, nullable=False),
    Column("hours", String(64), nullable=False),  # when its guest wants notifications; empty at any time
    Index("alert_way_by_guest", "guest"),
)

alert_told = Table(
    "alert_told",
    metadata,
    Column("way", String(16), ForeignKey("alert_way.id"), primary_key=True),
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("noticed", Float, nullable=False),  # the seat's last visible change at the time of the notification
    Column("told", Float, nullable=False),
)

# --- lobby and chat ------------------------------------------------------------------------------

listing = Table(
    "listing",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("handle", String(32), nullable=False),  # its name in the lobby, which reveals no table id
    Column("offered", Boolean, nullable=False),  # whether visitors of the lobby may take its open seats
    Column("watched", Boolean, nullable=False),  # whether it is listed for spectators
    Column("open_chat", Boolean, nullable=False),  # whether spectators may read the chat during the game
    Index("listing_by_handle", "handle"),
)

kept_seat = Table(
    "kept_seat",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("guest", String(64), nullable=False),  # for whom it is reserved
    Column("after", String(32), nullable=False),  # the table at which they have played before
    Index("kept_seat_by_guest", "guest"),
    Index("kept_seat_by_after", "after"),
)

message = Table(
    "message",
    metadata,
    Column("room", String(32), primary_key=True),  # a table, or the lobby
    Column("number", Integer, primary_key=True),  # from 1 in each room, so that it reveals nothing about others
    Column("guest", String(64), nullable=False),
    Column("name", String(64), nullable=False),  # the guest's name at that time
    Column("words", String(300), nullable=False),
    Column("said", Float, nullable=False),
    Column("hidden", Boolean, nullable=False),  # whether the site's administrator has removed it
    Index("message_by_time", "room", "said"),
    Index("message_by_hidden", "room", "hidden"),
)

mute = Table(
    "mute",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("other", String(64), primary_key=True),  # whose messages the guest does not see
    Column("handle", String(32), nullable=False),  # its name on pages, which reveals no guest id
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
    Column("words", String(300), nullable=False),  # a copy, because messages in the lobby expire
    Column("said", Float, nullable=False),
    Column("reported", Float, nullable=False),
    Column("resolved", Float),  # when the site's administrator resolved it
)

silence = Table(
    "silence",
    metadata,
    Column("guest", String(64), primary_key=True),  # who may not write
    Column("until", Float, nullable=False),
)

moderated = Table(
    "moderated",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("was", String(64), nullable=False),  # the skeleton of the removed name, or empty
    Column("name", String(64), nullable=False),  # the new name
    Column("out", Boolean, nullable=False),  # whether signing in to the account is blocked
)

# --- accounts --------------------------------------------------------------------------------------

account = Table(
    "account",
    metadata,
    Column("guest", String(64), primary_key=True),  # the owner
    Column(
        "handle", String(64), nullable=False, unique=True
    ),  # its id in passkeys, which reveals nothing about the guest
    Column("mail", String(254), unique=True),  # in lower case, confirmed
    Column("password", String(200), nullable=False),  # its hash, or empty
    Column("name", String(64), nullable=False),
    Column("preferences", JSON, nullable=False),
    Column("made", Float, nullable=False),
)

passkey = Table(
    "passkey",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("guest", String(64), nullable=False),
    Column("credential", String(1400), nullable=False, unique=True),  # its id in the authenticator
    Column("key", LargeBinary, nullable=False),  # the public one
    Column("signed", BigInteger, nullable=False),  # the authenticator's signature counter
    Column("label", String(64), nullable=False),
    Column("made", Float, nullable=False),
    Column("used", Float),
    Index("passkey_by_guest", "guest"),
)

session = Table(
    "session",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("hash", String(64), nullable=False),  # of its secret part
    Column("guest", String(64), nullable=False),
    Column("device", String(64), nullable=False),  # such as Firefox on Linux
    Column("made", Float, nullable=False),
    Column("seen", Float, nullable=False),  # the last request, to the minute
    Column("proved", Float),  # when its password or a passkey was last verified
    Index("session_by_guest", "guest"),
)

link = Table(
    "link",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("hash", String(64), nullable=False),  # of its secret part
    Column("kind", String(16), nullable=False),  # one of those in `auth/one_time_links.py`
    Column("guest", String(64), nullable=False),  # whom it concerns, or empty
    Column("facts", JSON, nullable=False),
    Column("made", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("used", Float),  # when; it is valid once
    Index("link_by_guest", "guest", "kind"),
    Index("link_by_end", "expires"),
)

# --- results and ratings -------------------------------------------------------------------------

result = Table(
    "result",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),  # person or bot
    Column("player", String(64), nullable=False),  # guest, also one who has left the seat; or bot spec
    Column("game", String(64), nullable=False),
    Column("seats", Integer, nullable=False),
    Column("points", Integer),
    Column("rank", Integer),  # 1 is best, and equal ranks share a place; NULL without winners
    Column("counts", Boolean, nullable=False),  # in averages, bests, wins and losses
    Column("whole", Boolean, nullable=False),  # whether it was played to its end, by this player alone
    Column("at", Float, nullable=False),  # when the game was over
    Column("number", Integer),  # of the rated game, from 1 in the order of the ends; NULL if it is not rated
    Column("mu_before", Float),
    Column("sigma_before", Float),
    Column("mu", Float),  # after it; NULL for bots, whose ratings are fixed
    Column("sigma", Float),
    Column("early", Boolean, nullable=False),  # whether it was given up after few moves
    Column("newcomer", Boolean, nullable=False),  # whether its player was a newcomer to the ratings of this game
    Column("weight", Float, nullable=False),  # of the rated game for this rating, up to 1
    Index("result_by_player", "player", "game"),
    Index("result_by_number", "number"),
)

rating_order = Table(
    "rating_order",
    metadata,
    Column("id", Integer, primary_key=True),  # 1: the only row, which each rating of a game locks
    Column("last", Integer, nullable=False),  # number of the last rated game
)

rating = Table(
    "rating",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("ordinal", Float, nullable=False),  # for the order of leaderboards
    Column("games", Integer, nullable=False),
    Index("rating_by_game", "game", "ordinal"),
)

profile = Table(
    "profile",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("handle", String(32), nullable=False),  # its name on pages, which reveals no guest id
    Column("name", String(64), nullable=False),
    *(
        Column(choice, Boolean, nullable=False)
        for choice in ("page", "results", "opponents", "boards", "daily", "lobby")
    ),
    Index("profile_by_handle", "handle"),
)

game_note = Table(
    "game_note",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("guest", String(64), primary_key=True),
    Column("words", String(500), nullable=False),  # which this guest alone reads
    Column("hidden", Boolean, nullable=False),  # from the list of the guest's games
    Index("game_note_by_guest", "guest"),
)

daily_try = Table(
    "daily_try",
    metadata,
    Column("deal", String(96), primary_key=True),
    Column("guest", String(64), primary_key=True),
    Column("table", String(32), ForeignKey("table.id"), nullable=False),
    Column("finished", Float),
    Column("points", Integer),  # NULL if it was not played to its end
    Column("rank", Integer),
    Column("ranked", Boolean, nullable=False),  # whether it is the ranked deal, not that of guests
    Index("daily_try_by_table", "table"),
)

daily_bot = Table(
    "daily_bot",
    metadata,
    Column("deal", String(96), primary_key=True),
    Column("bot", String(64), primary_key=True),
    Column("points", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
)

# --- shared state of processes -------------------------------------------------------------------

kept_word = Table(
    "kept_word",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("word", String(200), nullable=False),  # for example the secret key, if it is in no folder
)

outage = Table(
    "outage",
    metadata,
    Column("since", Float, nullable=False),  # the start of the outage
    Column("until", Float, primary_key=True),  # its end; deleted once all tables are compensated
)

presence = Table(
    "presence",
    metadata,
    Column("process", Integer, primary_key=True),  # which serves the streams; the row counts while it lives
    Column("place", String(32), primary_key=True),  # a table, or the lobby
    Column("guest", String(64), primary_key=True),
)

question = Table(
    "question",
    metadata,
    Column("table", String(32), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("seen", Integer, nullable=False),  # the version of its seat's history
    Column("guest", String(64), nullable=False),  # who waits for the hint
    Column("asked", Float, nullable=False),
    Column("network", String(16), nullable=False),  # a keyed hash
)

hits = Table(
    "hits",
    metadata,
    Column("key", String(64), primary_key=True),  # a hash of the limited visitor and action
    Column("count", Integer, nullable=False),  # hits since the start of the window
    Column("until", Float, nullable=False),  # the end of the window
)
