"""A broken game affects only its own pages, and visitors read no internal details."""

import sys

import pytest

from almunia import catalog
from almunia.server.web.templating import cover_address, read_game_file

META = """
from almunia.core.contract import Meta
META = Meta(name="lantern", title="Lantern", designers=("Nobody",), year=2026, seats=(1, 2), about="Broken.")
"""
BREAKS = {
    "rules": "raise RuntimeError('secret of the owner')",
    "components": "from almunia.core.component_data import read\nDATA = read(__file__)",
}


@pytest.fixture(params=["__init__", *BREAKS])
def broken(request, tmp_path, monkeypatch):
    """Install a game that raises when it is imported, or when its rules or its data are read."""
    folder = tmp_path / "lantern"
    folder.mkdir()
    for name, text in BREAKS.items():
        (folder / f"{name}.py").write_text(text if request.param == name else "")
    (folder / "text.py").write_text("from . import components, rules\nCHALLENGES = ()\n")
    (folder / "components.toml").write_text("price = ")  # cannot be read
    (folder / "__init__.py").write_text("raise RuntimeError('secret')" if request.param == "__init__" else META)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(catalog.game_packages(), "lantern", "lantern")
    yield request.param
    for name in [name for name in sys.modules if name.partition(".")[0] == "lantern"]:
        del sys.modules[name]


def test_a_broken_game_affects_only_its_own_pages(visitor, broken, caplog):
    front = visitor.get("/")
    assert front.status_code == 200
    assert ("Lantern" in front.text) == (broken != "__init__")
    answer = visitor.get("/games/lantern")
    assert answer.status_code == 503
    assert "cannot be played here at the moment" in answer.text
    assert "secret" not in answer.text
    assert "components.toml" not in answer.text
    assert "The game lantern cannot be used." in caplog.text
    assert visitor.post("/games/lantern/tables", data={"quick": 1}).status_code == 503
    table = visitor.open()
    visitor.act(table)
    assert visitor.get(table).status_code == 200


def test_a_table_of_a_game_that_breaks_later_is_still_listed(visitor, broken):
    table = visitor.open("orchard", **{"seat-0": "me"})
    tables = visitor.app.state.site.tables
    with tables.store._engine.begin() as db:
        db.exec_driver_sql("UPDATE game_table SET game = 'lantern', challenge = 'first'")
    tables._cache.clear()
    for kept in (read_game_file, cover_address):
        kept.cache_clear()  # as in a process that started later
    assert visitor.get("/my/games").status_code == 200
    assert visitor.get("/").status_code == 200
    answer = visitor.get(table)
    assert answer.status_code == 503
    assert "secret" not in answer.text
