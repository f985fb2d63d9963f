"""The export of finished public games: which games it has, and that it names no player."""

import json

import pytest
from sqlalchemy import update

import almunia
from almunia import Record
from almunia.cli import Exit, main
from almunia.errors import SetupError
from almunia.server.admin.public_games import COLUMNS, export_games
from almunia.server.storage import schema

from .seated import ANA, BEA, move, opened
from .test_ratings import engine, finished


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_listed_games_are_exported_without_names(site, tmp_path, suffix):
    watched, offered, hidden, running, daily = (opened(site, ANA, BEA) for _ in range(5))
    for table in (watched, offered, running, daily):
        facts = {"offered": table == offered, "watched": table != offered, "open_chat": False}
        site.lobby.list_table(table, "ana", **facts)
    for table in (watched, offered, hidden, daily):
        finished(site, table)
    move(site, running)
    with engine(site).begin() as db:
        db.execute(update(schema.game_table).where(schema.game_table.c.id == daily).values(daily="orchard-1"))
    file = tmp_path / f"games{suffix}"
    assert export_games(engine(site), file) == 2
    if suffix == ".parquet":
        from pyarrow import parquet

        rows = parquet.read_table(file).to_pylist()
    else:
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert "Ana" not in str(rows)
    assert "ana" not in str(rows)
    assert all(table not in str(rows) for table in (watched, offered))
    for row, table in zip(rows, (watched, offered), strict=True):
        state = site.tables.get(table)
        assert row.keys() == COLUMNS.keys()
        record = Record.from_json(row["record"])
        assert almunia.replay(record, build="plain").outcome.scores == tuple(row["points"]) == state.table.result
        assert len(record.seconds) == row["moves"] == len(state.play.actions)
        assert (row["players"], row["ranks"]) == (["person"] * 2, list(state.play.ranks()))


def test_a_file_with_another_suffix_is_refused(site, tmp_path):
    with pytest.raises(SetupError, match=r"'games.csv' should end in one of: .parquet, .jsonl"):
        export_games(engine(site), tmp_path / "games.csv")


def test_the_command_names_the_number_of_games(site, tmp_path, capsys):
    file, url = tmp_path / "games.jsonl", engine(site).url.set(drivername=engine(site).url.get_backend_name())
    done = main(["export", str(file), "--database", url.render_as_string(hide_password=False)])
    assert (done, capsys.readouterr().out) == (Exit.OK, f"0 games of {file} can be published.\n")
