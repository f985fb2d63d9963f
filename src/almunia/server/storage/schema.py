"""The tables of the database. The entries of a table are its truth; all else about its play follows from them."""

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
    Column("rated", Boolean, nullable=False),  # is it to count for ratings, if it ends as games do?
    Column("daily", String(96), nullable=False),  # the daily deal that is tried there, or empty
    Column("played_on", Integer),  # the move of another table from which it goes on, if it does
    Column("network", String(16), nullable=False),  # hash of the address that opened it; empty once it is finished
    Column("turn", Integer, nullable=False),  # seat to move, kept for lists; -1 before the deal of a rated game
    Column("result", JSON),  # points by seat, once finished; kept for lists
    Column("opened", Float, nullable=False),  # seconds since 1970, as all times here
    Column("changed", Float, nullable=False),
    Column("advanced", Float, nullable=False),  # when it was opened or dealt, or its play came further than ever
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

former_seat = Table(
    "former_seat",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("guest", String(64), primary_key=True),  # who has given it up
    Column("name", String(64), primary_key=True),  # as the guest was called there
    Index("former_seat_by_guest", "guest"),
)

# --- how those who are away are told -------------------------------------------------------------

alert_way = Table(
    "alert_way",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("guest", String(64), nullable=False),
    Column("called", String(64), nullable=False),  # what the guest was called when it was made
    Column("kind", String(16), nullable=False),  # push, mail or webhook
    Column("target", String(1000), nullable=False),  # an address of the web, or of a mailbox
    Column("keys", JSON, nullable=False),  # by which messages are enciphered or signed
    Column("label", String(300), nullable=False),  # by which the guest tells it from others
    Column("live", Boolean, nullable=False),  # are turns of live games told?
    Column("slow", Boolean, nullable=False),  # and those of all others?
    Column("confirmed", Boolean, nullable=False),  # has the owner of the mailbox said so?
    Column("failures", Integer, nullable=False),  # in a row
    Column("again", Float, nullable=False),  # when the next message may be sent
    Column("made", Float, nullable=False),
    Column("hours", String(64), nullable=False),  # when its guest wants to be told; empty at any time
    Index("alert_way_by_guest", "guest"),
)

alert_told = Table(
    "alert_told",
    metadata,
    Column("way", String(16), ForeignKey("alert_way.id"), primary_key=True),
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("noticed", Float, nullable=False),  # when the seat could last notice anything, as the turn was told
    Column("told", Float, nullable=False),
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
    Column("hidden", Boolean, nullable=False),  # has whoever runs the site removed it?
    Index("message_by_time", "room", "said"),
    Index("message_by_hidden", "room", "hidden"),
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
    Column("resolved", Float),  # when whoever runs the site was done with it
)

silence = Table(
    "silence",
    metadata,
    Column("guest", String(64), primary_key=True),  # who may write nothing
    Column("until", Float, nullable=False),
)

moderated = Table(
    "moderated",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("was", String(64), nullable=False),  # what the name looks like that was taken from this guest, or empty
    Column("name", String(64), nullable=False),  # what they are called instead
    Column("out", Boolean, nullable=False),  # may nobody sign in to the account?
)

# --- accounts --------------------------------------------------------------------------------------

account = Table(
    "account",
    metadata,
    Column("guest", String(64), primary_key=True),  # whose account it is
    Column("handle", String(64), nullable=False, unique=True),  # what passkeys call it; it tells nothing of the guest
    Column("mail", String(254), unique=True),  # in small letters, and confirmed
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
    Column("credential", String(1400), nullable=False, unique=True),  # what the authenticator calls it
    Column("key", LargeBinary, nullable=False),  # the public one
    Column("signed", BigInteger, nullable=False),  # signatures that the authenticator says it has made
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
    Column("seen", Float, nullable=False),  # when a request came last, to the minute
    Column("proved", Float),  # when its password or a passkey was last shown here
    Index("session_by_guest", "guest"),
)

link = Table(
    "link",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("hash", String(64), nullable=False),  # of its secret part
    Column("kind", String(16), nullable=False),  # what it does, one of those in `accounts.links`
    Column("guest", String(64), nullable=False),  # whom it concerns, or empty
    Column("facts", JSON, nullable=False),
    Column("made", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("used", Float),  # when, for it holds once
    Index("link_by_guest", "guest", "kind"),
    Index("link_by_end", "expires"),
)

# --- what is left of games that are over ---------------------------------------------------------

result = Table(
    "result",
    metadata,
    Column("table", String(32), ForeignKey("table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),  # person or bot
    Column("player", String(64), nullable=False),  # guest, also one who has given the seat up; or bot spec
    Column("game", String(64), nullable=False),
    Column("seats", Integer, nullable=False),
    Column("points", Integer),
    Column("rank", Integer),  # 1 is best, and equals share; none if nobody won or lost
    Column("counts", Boolean, nullable=False),  # in averages, bests, wins and losses
    Column("whole", Boolean, nullable=False),  # was it played to its end, here by this player alone?
    Column("at", Float, nullable=False),  # when the game was over
    Column("number", Integer),  # of the rated game, from 1 in the order of their ends; none if it is not rated
    Column("mu_before", Float),
    Column("sigma_before", Float),
    Column("mu", Float),  # after it; none for bots, whose ratings do not move
    Column("sigma", Float),
    Column("early", Boolean, nullable=False),  # was it given up after few moves?
    Column("newcomer", Boolean, nullable=False),  # was its player new to the ratings of this game?
    Column("weight", Float, nullable=False),  # of the rated game for this rating; 1 is all
    Index("result_by_player", "player", "game"),
    Index("result_by_number", "number"),
)

rating_order = Table(
    "rating_order",
    metadata,
    Column("id", Integer, primary_key=True),  # 1: there is one row, which whoever rates a game locks
    Column("last", Integer, nullable=False),  # number of the last rated game
)

rating = Table(
    "rating",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("ordinal", Float, nullable=False),  # by which leaderboards go
    Column("games", Integer, nullable=False),
    Index("rating_by_game", "game", "ordinal"),
)

profile = Table(
    "profile",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("handle", String(32), nullable=False),  # what pages call this: nobody learns the id of a guest
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
    Column("points", Integer),  # none if it was not played to its end
    Column("rank", Integer),
    Column("ranked", Boolean, nullable=False),  # is it at the deal that counts, and not at that of guests?
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

# --- what several processes tell each other ------------------------------------------------------

kept_word = Table(
    "kept_word",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("word", String(200), nullable=False),  # such as the key that signs sessions, where it is in no folder
)

outage = Table(
    "outage",
    metadata,
    Column("since", Float, nullable=False),  # from then on nobody could reach the site,
    Column("until", Float, primary_key=True),  # until then; it is forgotten once all tables have been told
)

presence = Table(
    "presence",
    metadata,
    Column("process", Integer, primary_key=True),  # which keeps the streams; nobody is there whose process has ended
    Column("place", String(32), primary_key=True),  # a table, or the lobby
    Column("guest", String(64), primary_key=True),
)

question = Table(
    "question",
    metadata,
    Column("table", String(32), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("seen", Integer, nullable=False),  # how much of the play its seat has seen
    Column("guest", String(64), nullable=False),  # who asks for a hint
    Column("asked", Float, nullable=False),
    Column("network", String(16), nullable=False),  # from which it is asked, as a keyed hash
)

hits = Table(
    "hits",
    metadata,
    Column("key", String(64), primary_key=True),  # a hash of who does what
    Column("count", Integer, nullable=False),  # how often since this was counted anew
    Column("until", Float, nullable=False),  # when it is counted anew
)
