"""Metrics for Prometheus describe the site and name no table, guest or address."""

import json
import logging
import sys
import urllib.request

import pytest
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families as families

from almunia.errors import SetupError
from almunia.server import run
from almunia.server.addresses import MetricsAddress
from almunia.server.monitoring.logs import make_formatter
from almunia.server.monitoring.metrics import LogLineCounter, MetricsMiddleware, serve
from almunia.server.settings import Settings, check_log
from almunia.server.tables.model import BOT, PERSON, Seat

from ..serving import free_port, settled
from ..waiting import wait_until
from .conftest import Visitor


def number(name: str, **labels: str) -> float:
    """Return the value of a metric; 0 if it has none."""
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_requests_are_counted_by_route_and_never_by_address(visitor: Visitor) -> None:
    rules = {"method": "GET", "route": "/games/{name}/rules", "status": "200"}
    before = number("almunia_requests_total", **rules)
    assert visitor.get("/games/oregon/rules").status_code == 200
    assert visitor.get("/no-such-page/secret-token").status_code == 404
    assert visitor.get("/api/v1/games").status_code == 200
    assert visitor.get("/static/chat.css").status_code == 200
    visitor.request("ODD", "/", content="x")
    assert number("almunia_requests_total", **rules) == before + 1
    told = labels_of("almunia_requests")
    assert {
        ("GET", "/api/v1/games", "200"),
        ("GET", "/static", "200"),
        ("GET", "none", "404"),
        ("other", "/", "405"),
    } <= told
    assert not any("secret-token" in part or "oregon" in part for labels in told for part in labels)


def test_changes_of_tables_and_bot_turns_are_counted(visitor: Visitor) -> None:
    changes, thoughts = number("almunia_table_changes_total", game="orchard"), thinking("orchard")
    bot, me = Seat(BOT, "random", "Random bot"), Seat(PERSON, "me", "Ann")
    table = visitor.app.state.site.tables.create("orchard", (bot, me), "me")
    assert number("almunia_table_changes_total", game="orchard") > changes
    wait_until(lambda: thinking("orchard") > thoughts, "a bot has thought")
    assert not any(table.id in part for labels in labels_of("almunia_table_changes") for part in labels)


def test_open_streams_are_counted_until_they_fail() -> None:
    before, during = number("almunia_streams"), []

    async def stream(_scope, _receive, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        during.append(number("almunia_streams"))
        raise ConnectionResetError

    async def sent(_message) -> None:
        pass

    with pytest.raises(ConnectionResetError):
        settled(MetricsMiddleware(stream)({"type": "http", "method": "GET", "path": "/"}, None, sent))
    assert during == [before + 1]
    assert number("almunia_streams") == before


def test_metrics_are_served_at_their_own_address(visitor: Visitor) -> None:
    place = MetricsAddress.read(f"127.0.0.1:{free_port()}")
    server = serve(place)
    with urllib.request.urlopen(f"http://127.0.0.1:{place.port}/metrics") as answer:
        names = {family.name for family in families(answer.read().decode())}
    ours = "almunia_requests", "almunia_streams", "almunia_bots_waiting"
    assert {*ours, "process_resident_memory_bytes"} <= names
    assert visitor.get("/metrics").status_code == 404
    with pytest.raises(SetupError, match=r"cannot be served at 127.0.0.1.*another address with ALMUNIA_METRICS"):
        serve(place)
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("text", ["here", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:0", "a:b", "١٢"])
def test_an_invalid_metrics_address_is_refused(text: str, tmp_path) -> None:
    with pytest.raises(SetupError, match="ALMUNIA_METRICS cannot be"):
        Settings(data=tmp_path, metrics=text).check()


def test_metrics_need_another_port_than_the_site(tmp_path, monkeypatch) -> None:
    port = free_port()
    monkeypatch.setenv("ALMUNIA_METRICS", f"0.0.0.0:{port}")
    with pytest.raises(SetupError, match=f"ALMUNIA_METRICS names port {port}, at which the site itself is served"):
        run(port=port, data=tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_a_metrics_port_without_a_host_is_on_loopback() -> None:
    assert MetricsAddress.read("9100") == MetricsAddress("127.0.0.1", 9100)
    assert MetricsAddress.read("[::1]:9100") == MetricsAddress("::1", 9100)


def test_json_log_records_are_one_line() -> None:
    try:
        raise OSError("no more files")
    except OSError:
        found = sys.exc_info()
    record = logging.LogRecord("almunia.server.x", logging.ERROR, "x.py", 1, "Table %s\nis broken.", ("t",), found)
    said = json.loads(make_formatter("json").format(record))
    assert said["level"] == "ERROR"
    assert said["logger"] == "almunia.server.x"
    assert said["message"] == "Table t\nis broken."
    assert "no more files" in said["exception"]
    assert said["timestamp"].endswith("+00:00")
    assert "\n" not in make_formatter("json").format(record)


def test_request_logs_do_not_contain_table_ids(visitor: Visitor, caplog) -> None:
    table = visitor.open("orchard", quick=1)
    with caplog.at_level(logging.INFO, "almunia.server.monitoring.metrics"):
        visitor.get(table)
    [record] = caplog.records
    assert (record.method, record.status) == ("GET", 200)
    assert table.rpartition("/")[2] not in make_formatter("json").format(record)


def test_log_records_are_counted_by_level() -> None:
    before = number("almunia_log_lines_total", level="error")
    LogLineCounter().handle(logging.LogRecord("almunia", logging.ERROR, "x.py", 1, "Broken.", (), None))
    assert number("almunia_log_lines_total", level="error") == before + 1


def test_invalid_log_settings_are_refused() -> None:
    check_log("json", "info")
    with pytest.raises(SetupError, match=r"ALMUNIA_LOG, .* cannot be 'xml'; write text or json"):
        check_log("xml", "info")
    with pytest.raises(SetupError, match=r"ALMUNIA_LOG_LEVEL, .* cannot be 'loud'"):
        check_log("text", "loud")


def labels_of(name: str) -> set[tuple[str, ...]]:
    """Return the labels of all samples of a metric."""
    [family] = [family for family in REGISTRY.collect() if family.name == name]
    return {tuple(sample.labels.values()) for sample in family.samples if not sample.name.endswith("_created")}


def thinking(game: str) -> float:
    """Return the number of actions that bots have computed in a game."""
    return number("almunia_bot_seconds_count", game=game)
