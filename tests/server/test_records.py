"""Opening records as finished tables, and the archive of a guest's games."""

from dataclasses import replace
from io import BytesIO
from zipfile import ZipFile

import pytest

import almunia
from almunia.server.limits import Limits

from .test_forks import state_of
from .test_table_limits import HERE, THERE, come


def random_record(seats=2, most=None):
    """Return the record of a play of Orchard with random moves, by default to its end."""
    play = almunia.game("orchard", "plain").new(seats=seats, seed=9)
    while not play.over and (most is None or len(play.actions) < most):
        play.apply(play.legal_actions[-1 if play.turn else 0])
    times = tuple(number / 10 for number in range(len(play.actions)))
    return replace(play.record(["Ann", "Easy bot", "Cem"][:seats]), seed_known=True, seconds=times)


@pytest.fixture(scope="module")
def record():
    return random_record()


def sent(visitor, text="", **file):
    return visitor.post("/records", data={"record": text}, files=file or None, follow_redirects=False)


def opened(visitor, text="", **file):
    """Open a record, and return the path of its table."""
    answer = sent(visitor, text, **file)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removesuffix("/replay")


def test_a_record_is_opened_as_text_and_as_a_file_and_gives_itself_again(visitor, record):
    for table in (
        opened(visitor, str(record)),
        opened(visitor, "something else", file=("game.json", record.to_json().encode())),
    ):
        assert visitor.get(f"{table}/record").text == str(record)
        page = visitor.get(f"{table}/replay?at=3").text
        assert f'action="{table}/fork"' in page
        assert "From a game file" in page
        assert "Easy bot" in visitor.get(table).text
        fork = visitor.post(f"{table}/fork", data={"at": 3, "seat": 1, "spec": "easy"}, follow_redirects=False)
        assert fork.status_code == 303


def test_an_opened_game_counts_for_nothing_and_can_be_deleted(visitor, record):
    site = visitor.app.state.site
    table = state_of(visitor, opened(visitor, str(record))).table
    assert (table.rated, table.result, table.end_reason) == (False, record.result, "")
    assert not site.game_lists.has_finished(table.host, "orchard")
    assert not site.game_lists.played_games(table.host)
    listed = visitor.get("/my/games").text
    assert "From a game file" in listed
    assert "<bdi>Ann</bdi>, <bdi>Easy bot</bdi>" in listed
    assert [game["players"] for game in visitor.get("/account/export").json()["games"]] == [["Ann", "Easy bot"]]
    visitor.post(f"/table/{table.id}/delete", data={"delete": "yes"})
    assert visitor.get(f"/table/{table.id}").status_code == 404


def test_a_record_of_an_unfinished_game_is_opened(visitor):
    table = opened(visitor, str(random_record(most=5)))
    assert "The game file ends before the game is over." in visitor.get(table).text
    assert "Ended early" in visitor.get("/my/games").text
    assert visitor.get(f"{table}/replay?at=5").status_code == 200


def test_times_of_moves_that_are_unknown_stay_unknown(visitor, record):
    untimed = replace(record, seconds=())
    table = opened(visitor, str(untimed))
    assert visitor.get(f"{table}/record").text == str(untimed)
    assert [visitor.get(page).status_code for page in (table, f"{table}/replay")] == [200, 200]


BROKEN = (  # a part of a record, its replacement, and the reason of the refusal
    ("game: orchard", "game: chess", "There is no game called"),
    ("seats: 2", "seats: two", "Line 5 has &#39;two&#39; for seats"),
    ("3. (seat 1, 0.2 s) ", "3. (seat 1, 0.2 s) x", "Line 17: Action 3 (&#39;x"),
    ("3. (seat 1, 0.2 s)", "3. (seat 1, 999999999 s)", "add up to more than 10 years"),
    ("player 2: Easy bot", "player 2: " + "x" * 31, "Player 2 is named"),
    ("player 2: Easy bot", "player 2: Bea\nplayer 3: Cem", "names 3 players, but it has only 2 seats"),
    ("rules: 1", "rules: 99", "under rules 99"),
)


def test_a_broken_record_is_refused_with_its_line_and_stays_in_the_form(visitor, record):
    text = str(record)
    for old, new, reason in BROKEN:
        assert old in text
        answer = sent(visitor, text.replace(old, new, 1))
        assert answer.status_code == 422
        assert reason in answer.text
        assert "2. (seat 2, 0.1 s) place" in answer.text
    assert not visitor.app.state.site.tables.store.all()


def test_a_file_must_be_text(visitor):
    answer = sent(visitor, "kept", file=("a.txt", b"\xff\xfe"))
    assert answer.status_code == 422
    assert "&#39;a.txt&#39; is not a text file in UTF-8." in answer.text
    assert ">kept</textarea>" in answer.text


@pytest.mark.parametrize("limits", [Limits(imported_tables="2/hour")], ids=[""])
def test_imports_per_network_are_limited(visitor, record):
    text = str(record)
    assert [sent(come(visitor, HERE), text).status_code for _ in range(3)] == [303, 303, 429]
    assert sent(come(visitor, THERE), text).status_code == 303


def test_the_archive_has_the_records_of_all_finished_games(visitor, stranger, record):
    tables = [opened(visitor, str(record)) for _ in range(2)]
    visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    opened(stranger, str(record))
    answer = visitor.get("/records/mine")
    assert answer.content == visitor.get("/records/mine").content
    with ZipFile(BytesIO(answer.content)) as archive:
        assert {name.partition("orchard-")[2] for name in archive.namelist()} == {
            f"{table[7:]}.txt" for table in tables
        }
        assert [archive.read(name).decode() for name in archive.namelist()] == [str(record)] * 2


def test_the_archive_leaves_running_daily_deals_out(visitor, record):
    site = visitor.app.state.site
    table = state_of(visitor, opened(visitor, str(record))).table
    site.daily_deals.is_running = lambda one: one.id == table.id
    with ZipFile(BytesIO(visitor.get("/records/mine").content)) as archive:
        assert not archive.namelist()


def test_the_archive_needs_a_guest(visitor):
    assert visitor.get("/records/mine").status_code == 404
