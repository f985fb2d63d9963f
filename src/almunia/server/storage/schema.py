"""The tables of the database.

Most columns have the names of the fields that they fill, such as those of `Table`, `Seat` and `TableEvent`. Float
columns that end in `_at` are seconds since 1970.
"""

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
# Names of tables up to revision 0022, which a restored backup of a later revision leaves behind
FORMER_TABLES = (
    *(
        "table",
        "token",
        "entry",
        "former_seat",
        "alert_way",
        "alert_told",
        "kept_seat",
        "silence",
        "moderated",
        "session",
    ),
    *("link", "rating_order", "game_note", "daily_try", "daily_bot", "kept_word", "question", "hits"),
)

game_table = Table(
    "game_table",
    metadata,
    Column("id", String(32), primary_key=True),  # unguessable: a visitor who knows it may watch
    Column("game", String(64), nullable=False),
    Column("rules", Integer, nullable=False),  # version of the game's rules
    Column("components", String(64), nullable=False),  # hash of its component tables
    Column("options", JSON, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("seed_is_public", Boolean, nullable=False),  # whether a player may know the seed, and so the deal
    Column("seats", Integer, nullable=False),
    Column("status", String(16), nullable=False),  # running or finished
    Column("end_reason", String(16), nullable=False),  # why it ended before its play was over, or empty
    Column("resigned_seat", Integer),  # the seat whose resignation ended it
    Column("version", Integer, nullable=False),  # number of events
    Column("host", String(64), nullable=False),
    Column("challenge", String(64), nullable=False),  # name of a fixed deal, or empty
    Column("hints", Boolean, nullable=False),  # whether players may ask for hints
    Column("absence_timeout", Integer, nullable=False),  # seconds that others wait for an absent player; 0 is for ever
    Column("time_control", String(40), nullable=False),  # for `clocks.TimeControl.parse`; empty without clocks
    Column("flag_at", Float),  # when the site acts on the expired clock of the seat to move
    Column("expires_at", Float),  # when the clock of the seat to move expires; NULL if it does not run
    Column("lesson", Boolean, nullable=False),  # whether this is a first game that teaches
    Column("rated", Boolean, nullable=False),  # whether the game counts for ratings if it ends regularly
    Column("ready_check", Boolean, nullable=False),  # whether the deal waits until all people are ready
    Column("daily", String(96), nullable=False),  # the daily deal that is played there, or empty
    Column("imported", Boolean, nullable=False),  # whether it was imported from a record, already finished
    Column("forked_at", Integer),  # number of actions taken over from another game; NULL if this is no fork
    Column("network", String(16), nullable=False),  # hash of the address that opened it; empty once it is finished
    Column("turn", Integer, nullable=False),  # seat to move, kept for lists; -1 before the deal of a rated game
    Column("result", JSON),  # points by seat, once finished; kept for lists
    Column("created_at", Float, nullable=False),
    Column("changed_at", Float, nullable=False),
    Column("advanced_at", Float, nullable=False),  # of its creation, its deal, or the furthest progress of its play
    Index("ix_game_table_flag_at", "flag_at"),
    Index("ix_game_table_status_changed_at", "status", "changed_at"),
    Index("ix_game_table_status_advanced_at", "status", "advanced_at"),
    Index("ix_game_table_host_status", "host", "status"),
)

seat = Table(
    "seat",
    metadata,
    Column("table", String(32), ForeignKey("game_table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),  # person, bot or open
    Column("player", String(64), nullable=False),  # guest, bot spec, or empty
    Column("name", String(64), nullable=False),
    Column("visible_turn", Integer, nullable=False),  # the seat to move, in the view of this seat
    Column("last_visible_change", Float, nullable=False),  # when this seat could last notice a change
    Column("substitute_bot", String(64), nullable=False),  # the bot that plays for its absent person, or empty
    Column("is_ready", Boolean, nullable=False),  # whether its person has said so, at a table with a ready check
    Column("hours", String(64), nullable=False),  # when its person wants to play slow games; empty at any time
    Column("last_seen_at", Float, nullable=False),  # when its person was last seen at the table
    Index("ix_seat_player", "player"),
)

api_token = Table(
    "api_token",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("hash", String(64), nullable=False),  # of its secret part
    Column("player", String(64), nullable=False),  # the guest for whom it acts
    Column("display_name", String(64), nullable=False),  # the guest's name at that time
    Column("label", String(64), nullable=False),  # the guest's name for it
    Column("created_at", Float, nullable=False),
    Column("last_used_at", Float),  # when it was last used, to the minute
    Index("ix_api_token_player", "player"),
)

vacation = Table(
    "vacation",
    metadata,
    Column("player", String(64), primary_key=True),
    Column("balance", Float, nullable=False),  # seconds left at `updated_at`
    Column("updated_at", Float, nullable=False),
    Column("started_at", Float),  # NULL outside vacations
)

table_event = Table(
    "table_event",
    metadata,
    Column("table", String(32), ForeignKey("game_table.id"), primary_key=True),
    Column("number", Integer, primary_key=True),  # from 1
    Column("seat", Integer, nullable=False),
    Column("kind", String(32), nullable=False),  # one of those in `tables/model.py`
    Column("action", Integer),  # of a move
    Column("text", String(200), nullable=False),
    Column("same_choice", Boolean, nullable=False),  # whether it was chosen together with the event before
    Column("created_at", Float, nullable=False),
)

plan = Table(
    "plan",
    metadata,
    Column("table", String(32), ForeignKey("game_table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("guest", String(64), nullable=False),  # who has made it
    Column("lines", JSON, nullable=False),  # as `tables/plans.py: PlannedStep`
    Column("answers", JSON, nullable=False),  # as `tables/plans.py: RepeatedAnswer`
    Index("ix_plan_guest", "guest"),
)

former_player = Table(
    "former_player",
    metadata,
    Column("table", String(32), ForeignKey("game_table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("guest", String(64), primary_key=True),  # who has left it
    Column("name", String(64), primary_key=True),  # the guest's name there
    Index("ix_former_player_guest", "guest"),
)

analysis = Table(
    "analysis",
    metadata,
    Column("table", String(32), ForeignKey("game_table.id"), primary_key=True),
    Column("version", String(12), nullable=False),  # hash of what it depends on; another version is outdated
    Column("network", String(16), nullable=False),  # hash of the address that requested it; empty once it is finished
    Column("attempts", Integer, nullable=False),  # begun to make it; more than MAX_ATTEMPTS: it is given up
    Column("done", Integer, nullable=False),  # actions that have been judged
    Column("result", JSON),  # NULL until it is finished
    Column("requested_at", Float, nullable=False),  # or tried again
    Column("finished_at", Float),
    Index("ix_analysis_finished_at", "finished_at"),
)

# --- notifications -------------------------------------------------------------------------------

notification_channel = Table(
    "notification_channel",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("guest", String(64), nullable=False),
    Column("display_name", String(64), nullable=False),  # the guest's name at that time
    Column("kind", String(16), nullable=False),  # push, mail or webhook
    Column("target", String(1000), nullable=False),  # an address of the web, or of a mailbox
    Column("keys", JSON, nullable=False),  # for encrypting or signing messages
    Column("label", String(300), nullable=False),  # the guest's name for it
    Column("live", Boolean, nullable=False),  # whether it gets the turns of real-time games
    Column("slow", Boolean, nullable=False),  # and of all others
    Column("reminders", Boolean, nullable=False),  # whether it reminds of slow clocks that are about to expire
    Column("confirmed", Boolean, nullable=False),  # whether the owner of the mailbox has confirmed it
    Column("failures", Integer, nullable=False),  # in a row
    Column("retry_at", Float, nullable=False),  # when the next message may be sent
    Column("created_at", Float, nullable=False),
    Column("hours", String(64), nullable=False),  # when its guest wants notifications; empty at any time
    Index("ix_notification_channel_guest", "guest"),
)

notification_sent = Table(
    "notification_sent",
    metadata,
    Column("channel", String(16), ForeignKey("notification_channel.id"), primary_key=True),
    Column("table", String(32), ForeignKey("game_table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("last_visible_change", Float, nullable=False),  # of the seat, at the time of the notification
    Column("sent_at", Float, nullable=False),
    Column("reminded_at", Float),  # when it last reminded of the seat's clock
)

# --- lobby and chat ------------------------------------------------------------------------------

listing = Table(
    "listing",
    metadata,
    Column("table", String(32), ForeignKey("game_table.id"), primary_key=True),
    Column("handle", String(32), nullable=False),  # its name in the lobby, which reveals no table id
    Column("offered", Boolean, nullable=False),  # whether visitors of the lobby may take its open seats
    Column("watched", Boolean, nullable=False),  # whether it is listed for spectators
    Column("open_chat", Boolean, nullable=False),  # whether spectators may read the chat during the game
    Index("ix_listing_handle", "handle"),
)

seat_reservation = Table(
    "seat_reservation",
    metadata,
    Column("table", String(32), ForeignKey("game_table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("guest", String(64), nullable=False),  # for whom it is reserved
    Column("previous_table", String(32), nullable=False),  # the table at which the guest played before
    Index("ix_seat_reservation_guest", "guest"),
    Index("ix_seat_reservation_previous_table", "previous_table"),
)

message = Table(
    "message",
    metadata,
    Column("room", String(32), primary_key=True),  # a table, or the lobby
    Column("number", Integer, primary_key=True),  # from 1 in each room, so that it reveals nothing about others
    Column("guest", String(64), nullable=False),
    Column("name", String(64), nullable=False),  # the guest's name at that time
    Column("text", String(300), nullable=False),
    Column("sent_at", Float, nullable=False),
    Column("hidden", Boolean, nullable=False),  # whether the site's administrator has removed it
    Index("ix_message_room_sent_at", "room", "sent_at"),
    Index("ix_message_room_hidden", "room", "hidden"),
)

mute = Table(
    "mute",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("other", String(64), primary_key=True),  # whose messages the guest does not see
    Column("handle", String(32), nullable=False),  # its name on pages, which reveals no guest id
    Column("name", String(64), nullable=False),
    Column("blocked", Boolean, nullable=False),  # whether the two are also kept apart
    Index("ix_mute_other", "other"),
)

follow = Table(
    "follow",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("other", String(64), primary_key=True),  # whom the guest follows
    Column("handle", String(32), nullable=False),  # its name on pages of both, which reveals no guest id
    Column("guest_name", String(64), nullable=False),
    Column("other_name", String(64), nullable=False),  # at the time of the follow
    Column("created_at", Float, nullable=False),
    Index("ix_follow_other", "other"),
)

report = Table(
    "report",
    metadata,
    Column("guest", String(64), primary_key=True),  # who has reported it
    Column("room", String(32), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("author", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("text", String(300), nullable=False),  # a copy, because messages in the lobby expire
    Column("sent_at", Float, nullable=False),
    Column("reported_at", Float, nullable=False),
    Column("resolved_at", Float),  # by the site's administrator
)

chat_suspension = Table(
    "chat_suspension",
    metadata,
    Column("guest", String(64), primary_key=True),  # who may not write
    Column("expires_at", Float, nullable=False),
)

moderation = Table(
    "moderation",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("replaced_skeleton", String(64), nullable=False),  # the skeleton of the removed name, or empty
    Column("name", String(64), nullable=False),  # the new name
    Column("is_banned", Boolean, nullable=False),  # whether signing in to the account is blocked
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
    Column("created_at", Float, nullable=False),
)

passkey = Table(
    "passkey",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("guest", String(64), nullable=False),
    Column("credential", String(1400), nullable=False, unique=True),  # its id in the authenticator
    Column("key", LargeBinary, nullable=False),  # the public one
    Column("sign_count", BigInteger, nullable=False),  # the authenticator's signature counter
    Column("label", String(64), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("last_used_at", Float),
    Index("ix_passkey_guest", "guest"),
)

login_session = Table(
    "login_session",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("hash", String(64), nullable=False),  # of its secret part
    Column("guest", String(64), nullable=False),
    Column("device", String(64), nullable=False),  # such as Firefox on Linux
    Column("created_at", Float, nullable=False),
    Column("last_seen_at", Float, nullable=False),  # the last request, to the minute
    Column("reauthenticated_at", Float),  # when its password or a passkey was last verified
    Index("ix_login_session_guest", "guest"),
)

one_time_link = Table(
    "one_time_link",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("hash", String(64), nullable=False),  # of its secret part
    Column("kind", String(16), nullable=False),  # one of those in `auth/one_time_links.py`
    Column("guest", String(64), nullable=False),  # whom it concerns, or empty
    Column("payload", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("used_at", Float),  # it is valid once
    Index("ix_one_time_link_guest_kind", "guest", "kind"),
    Index("ix_one_time_link_expires_at", "expires_at"),
)

# --- results and ratings -------------------------------------------------------------------------

result = Table(
    "result",
    metadata,
    Column("table", String(32), ForeignKey("game_table.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),  # person or bot
    Column("player", String(64), nullable=False),  # guest, also one who has left the seat; or bot spec
    Column("game", String(64), nullable=False),
    Column("seats", Integer, nullable=False),
    Column("points", Integer),
    Column("rank", Integer),  # 1 is best, and equal ranks share a place; NULL without winners
    Column("counts_in_stats", Boolean, nullable=False),  # in averages, bests, wins and losses
    Column("played_to_end", Boolean, nullable=False),  # whether it was played to its end, by this player alone
    Column("finished_at", Float, nullable=False),  # when the game was over
    Column("number", Integer),  # of the rated game, from 1 in the order of the ends; NULL if it is not rated
    Column("mu_before", Float),
    Column("sigma_before", Float),
    Column("mu", Float),  # after it; NULL for bots, whose ratings are fixed
    Column("sigma", Float),
    Column("gave_up_early", Boolean, nullable=False),  # whether it was given up after few moves
    Column("is_newcomer", Boolean, nullable=False),  # whether its player was a newcomer to the ratings of this game
    Column("weight", Float, nullable=False),  # of the rated game for this rating, up to 1
    Index("ix_result_player_game", "player", "game"),
    Index("ix_result_number", "number"),
)

rating_sequence = Table(
    "rating_sequence",
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
    Index("ix_rating_game_ordinal", "game", "ordinal"),
)

profile = Table(
    "profile",
    metadata,
    Column("guest", String(64), primary_key=True),
    Column("handle", String(32), nullable=False),  # its name on pages, which reveals no guest id
    Column("name", String(64), nullable=False),
    *(
        Column(f"show_{part}", Boolean, nullable=False)
        for part in ("page", "results", "opponents", "boards", "daily", "lobby")
    ),
    Index("ix_profile_handle", "handle"),
)

user_game = Table(
    "user_game",
    metadata,
    Column("table", String(32), ForeignKey("game_table.id"), primary_key=True),
    Column("guest", String(64), primary_key=True),
    Column("note", String(500), nullable=False),  # which this guest alone reads
    Column("hidden", Boolean, nullable=False),  # from the list of the guest's games
    Column("alerts_muted", Boolean, nullable=False),  # whether no alert announces the guest's turns there
    Index("ix_user_game_guest", "guest"),
)

daily_attempt = Table(
    "daily_attempt",
    metadata,
    Column("deal", String(96), primary_key=True),
    Column("guest", String(64), primary_key=True),
    Column("table", String(32), ForeignKey("game_table.id"), nullable=False),
    Column("finished_at", Float),
    Column("points", Integer),  # NULL if it was not played to its end
    Column("rank", Integer),
    Column("ranked", Boolean, nullable=False),  # whether the attempt is at the ranked deal
    Index("ix_daily_attempt_table", "table"),
)

daily_bot_score = Table(
    "daily_bot_score",
    metadata,
    Column("deal", String(96), primary_key=True),
    Column("bot", String(64), primary_key=True),
    Column("points", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
)

puzzle_attempt = Table(
    "puzzle_attempt",
    metadata,
    Column("id", Integer, primary_key=True),  # in the order of the attempts
    Column("guest", String(64), nullable=False),
    Column("game", String(64), nullable=False),
    Column("number", Integer, nullable=False),  # of the puzzle in the game's file
    Column("day", String(10), nullable=False),  # whose daily puzzle it was, such as 2026-11-28; or empty
    Column("action", Integer),  # NULL if the solver gave up
    Column("solved", Boolean, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("mu_before", Float),  # of the solver; ratings are NULL if it is not the first attempt at the puzzle
    Column("sigma_before", Float),
    Column("mu", Float),
    Column("sigma", Float),
    Column("puzzle_mu", Float),  # of the puzzle after the attempt
    Column("puzzle_sigma", Float),
    Index("ix_puzzle_attempt_guest_game_number_day", "guest", "game", "number", "day", unique=True),
    Index("ix_puzzle_attempt_game_number", "game", "number"),
)

# --- shared state of processes -------------------------------------------------------------------

site_setting = Table(
    "site_setting",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", String(200), nullable=False),  # for example the secret key, if it is in no folder
)

outage = Table(
    "outage",
    metadata,
    Column("started_at", Float, nullable=False),
    Column("ended_at", Float, primary_key=True),  # deleted once all tables are compensated
)

presence = Table(
    "presence",
    metadata,
    Column("process", Integer, primary_key=True),  # which serves the streams; the row counts while it lives
    Column("place", String(32), primary_key=True),  # a table, or the lobby
    Column("guest", String(64), primary_key=True),
)

hint_request = Table(
    "hint_request",
    metadata,
    Column("table", String(32), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("history_version", Integer, nullable=False),  # the version of its seat's history
    Column("guest", String(64), nullable=False),  # who waits for the hint
    Column("created_at", Float, nullable=False),
    Column("network", String(16), nullable=False),  # a keyed hash
)

rate_limit = Table(
    "rate_limit",
    metadata,
    Column("key", String(64), primary_key=True),  # a hash of the limited visitor and action
    Column("count", Integer, nullable=False),  # hits since the start of the window
    Column("expires_at", Float, nullable=False),  # the end of the window
)

# --- tournaments -----------------------------------------------------------------------------------

tournament = Table(
    "tournament",
    metadata,
    Column("id", String(32), primary_key=True),  # unguessable: a visitor who knows it may look and join
    Column("name", String(64), nullable=False),
    Column("game", String(64), nullable=False),
    Column("kind", String(16), nullable=False),  # swiss, round-robin, groups or arena
    Column("seats", Integer, nullable=False),  # of each table
    Column("places", Integer, nullable=False),  # entrants
    Column("rounds", Integer, nullable=False),
    Column("time_control", String(40), nullable=False),
    Column("bot", String(64), nullable=False),  # level of the bots that fill free places, or empty
    Column("is_public", Boolean, nullable=False),
    Column("host", String(64), nullable=False),  # guest, or empty if the host's data are deleted
    Column("seed", BigInteger, nullable=False),  # of the pairings
    Column("status", String(16), nullable=False),  # open, running, finished or cancelled
    Column("round", Integer, nullable=False),  # the current one, from 1
    Column("created_at", Float, nullable=False),
    Column("minutes", Integer, nullable=False),  # of an arena
    Column("groups", Integer, nullable=False),
    Column("finalists", Integer, nullable=False),  # of each group
    Column("began_at", Float, nullable=False),  # when the current round began
    Column("ends_at", Float, nullable=False),  # of an arena that has started
    Index("ix_tournament_status", "status"),
    Index("ix_tournament_host", "host"),
)

tournament_entrant = Table(
    "tournament_entrant",
    metadata,
    Column("tournament", String(32), ForeignKey("tournament.id"), primary_key=True),
    Column("number", Integer, primary_key=True),  # from 0
    Column("guest", String(64), nullable=False),  # empty for a bot
    Column("name", String(64), nullable=False),
    Column("bot", String(64), nullable=False),  # level of a bot, or empty
    Column("has_withdrawn", Boolean, nullable=False),  # from later rounds
    Column("hours", String(64), nullable=False),  # when a person wants to play slow games; empty at any time
    Index("ix_tournament_entrant_guest", "guest"),
)

tournament_game = Table(
    "tournament_game",
    metadata,
    Column("tournament", String(32), ForeignKey("tournament.id"), primary_key=True),
    Column("round", Integer, primary_key=True),  # from 1
    Column("number", Integer, primary_key=True),  # in the round, from 1
    Column("players", JSON, nullable=False),  # numbers of entrants by seat; one of them for a bye
    Column("table", String(32), nullable=False),  # its id; empty for a bye, and before it is opened
    Column("scores", JSON),  # by seat, as `standings.SeatScore`; NULL until the game is over
)
