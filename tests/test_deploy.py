"""The files of deploy/: their commands and settings exist, and docs/host.md names the same ones."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from almunia.cli import build_parser, main
from almunia.server.limits import DEFAULT_LIMITS
from almunia.server.settings import VARIABLE_NAMES, Settings

from .serving import free_port

HOME = Path(__file__).parents[1]
DEPLOY = HOME / "deploy"
PAGE = (HOME / "docs" / "host.md").read_text("utf-8")
UNITS = sorted(DEPLOY.glob("*.service"))
PROGRAM = re.compile(r"^Exec\w+=/opt/almunia/bin/almunia (.*)$", re.MULTILINE)
SETTING = re.compile(r"^#?(ALMUNIA_\w+)=(.*)$", re.MULTILINE)


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_commands_of_systemd_units_are_valid(unit) -> None:
    commands = PROGRAM.findall(unit.read_text("utf-8"))
    assert len(commands) == 1
    build_parser().parse_args(commands[0].replace("%i", "8000").split())


def test_systemd_can_read_its_files(tmp_path) -> None:
    verify = shutil.which("systemd-analyze")
    if not verify:
        pytest.skip("There is no systemd here.")
    (tmp_path / "almunia").touch(mode=0o755)
    for file in [*UNITS, *DEPLOY.glob("*.timer")]:
        text = file.read_text("utf-8").replace("/opt/almunia/bin/almunia", str(tmp_path / "almunia"))
        (tmp_path / file.name.replace("@", "@8000")).write_text(text)
    files = sorted(tmp_path.glob("almunia*.*"))
    done = subprocess.run([verify, "verify", "--man=no", *files], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if str(tmp_path) in line or "almunia" in line] == []


def test_commands_of_containers_are_valid() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]
    image = re.search(r"^CMD (.*)$", (DEPLOY / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert image
    commands = [yaml.safe_load(image[1]), *(one["command"] for one in services.values() if "command" in one)]
    assert [command[:2] for command in commands] == [["almunia", "serve"], ["almunia", "bot-worker"]]
    for command in commands:
        build_parser().parse_args(command[1:])
    web = services["web"]
    assert {**services["web2"], "build": web["build"]} == web
    assert [name for name, one in services.items() if "build" in one] == ["web"]  # three would make the same image
    assert services["bot-worker"]["environment"] == web["environment"]
    assert set(services["caddy"]["environment"]["PROCESSES"].split()) == {"web:8000", "web2:8000"}
    for name in web["environment"]:
        assert name == "FORWARDED_ALLOW_IPS" or f"| `{name}` |" in PAGE


def test_settings_that_are_offered_are_explained_and_can_be_used(monkeypatch) -> None:
    offered = SETTING.findall((DEPLOY / "almunia.env").read_text("utf-8"))
    assert len(offered) == 7
    for name, value in offered:
        assert f"| `{name}` |" in PAGE
        monkeypatch.setenv(name, value)
    settings = Settings.from_environment()
    settings.check()
    assert settings.is_shared
    assert settings.is_secure


def test_the_page_has_every_setting(monkeypatch, caplog) -> None:
    of_programs = {"ALMUNIA_SITE", "ALMUNIA_TOKEN"}
    assert set(re.findall(r"^\| `(ALMUNIA_\w+)` \|", PAGE, re.MULTILINE)) == {*VARIABLE_NAMES} - of_programs
    monkeypatch.setenv("ALMUNIA_RATE_LIMITS", "9/minute")
    Settings.from_environment()
    assert "ALMUNIA_RATE_LIMITS is no setting." in caplog.text
    assert "Did you mean 'ALMUNIA_RATE_LIMIT'?" in caplog.text


@pytest.mark.parametrize(
    ("database", "code"), [("postgresql://a:b@127.0.0.1:1/almunia?connect_timeout=2", 3), ("mysql://a@b/c", 2)]
)
def test_systemd_does_not_restart_after_bad_settings(database, code, capsys) -> None:
    for unit in ("almunia@", "almunia-bot-worker"):
        assert "\nRestartPreventExitStatus=2\n" in (DEPLOY / f"{unit}.service").read_text("utf-8")
    assert main(["serve", "--no-browser", "--port", str(free_port()), "--database", database]) == code
    assert "b@" not in capsys.readouterr().err


def test_names_on_the_page_are_in_the_files() -> None:
    """The page replaces names in files, so the files must contain them. The installed files must exist."""
    edits = [shlex.split(line, comments=True) for line in re.findall(r"^sed --in-place .*", PAGE, re.MULTILINE)]
    assert len(edits) == 3
    for _, _, script, *files in edits:
        for file in files:
            assert re.search(script.split("/")[1].replace(r"\|", "|"), (DEPLOY / Path(file).name).read_text("utf-8"))
    for names in re.findall(r"^install --mode \d+ (.*) \S+$", PAGE, re.MULTILINE):
        for name in names.split():
            assert list(HOME.glob(name)), name
    for unit in re.findall(r"almunia(?:@\d+|-bot-worker|-backup\.timer)", PAGE):
        name = re.sub(r"@\d+", "@", unit)
        assert (DEPLOY / (name if "." in name else f"{name}.service")).is_file(), unit


def test_proxies_do_not_exclude_processes_after_failures() -> None:
    """A visitor can interrupt requests, which the proxy counts as failures of the process."""
    caddy, nginx = ((DEPLOY / name).read_text("utf-8") for name in ("Caddyfile", "nginx.conf"))
    assert not re.search(r"^\s*(fail_duration|max_fails|unhealthy_\w+) ", caddy, re.MULTILINE)
    assert re.search(r"^\s*lb_try_duration ", caddy, re.MULTILINE)
    servers = re.findall(r"^\s*#? ?server (127.*?);", nginx, re.MULTILINE)
    assert servers == ["127.0.0.1:8000 max_fails=0", "127.0.0.1:8001 max_fails=0"]


def test_nginx_is_no_stricter_than_the_limits_of_the_site() -> None:
    """Its zones are those that it uses, every open page takes a connection, and neither files nor health count."""
    nginx = (DEPLOY / "nginx.conf").read_text("utf-8")
    zones = re.findall(r"^limit_(req|conn)_zone \$visitor zone=(\w+):10m", nginx, re.MULTILINE)
    used = re.findall(r"^ +limit_(req|conn) (?:zone=)?(\w+) ", nginx, re.MULTILINE)
    assert sorted(zones) == sorted(used)
    assert len(zones) == 2
    for number, words in (
        (r"rate=(\d+)r/s", "{} requests a second"),
        (r"burst=(\d+)", "{} more if they come at once"),
        (r"limit_conn \w+ (\d+);", "{} at the same time"),
    ):
        (most,) = re.findall(number, nginx)
        assert words.format(most) in " ".join(PAGE.split())
    assert int(most) > DEFAULT_LIMITS.max_streams_per_network
    assert set(re.findall(r"^    location (\S+) \{ proxy_pass \S+ \}", nginx, re.MULTILINE)) == {"/static/", "/health"}
    (network,) = re.findall(r'"~(\^.*)" \$network;', nginx)
    found = [re.match(network, address) for address in ("2001:db8:1:2::7", "2001:db8:1:2:3:4:5:6", "203.0.113.5")]
    assert [one and one["network"] for one in found] == ["2001:db8:1:2:"] * 2 + [None]


def test_a_proxy_notices_in_time_that_a_process_is_about_to_end() -> None:
    caddy = (DEPLOY / "Caddyfile").read_text("utf-8")
    assert re.search(r"^\s*health_uri /health/ready$", caddy, re.MULTILINE)
    (interval,) = re.findall(r"^\s*health_interval (\d+)ms$", caddy, re.MULTILINE)
    assert 4 * int(interval) / 1000 <= DEFAULT_LIMITS.drain_seconds


def test_proxies_close_connections_before_a_process_does() -> None:
    """Otherwise a proxy may send a form over a connection that is being closed, and does not send it again."""
    caddy, nginx = ((DEPLOY / name).read_text("utf-8") for name in ("Caddyfile", "nginx.conf"))
    (mine,) = re.findall(r"^\s*keepalive (\d+)s$", caddy, re.MULTILINE)
    (others,) = re.findall(r"^\s*keepalive_timeout (\d+)s;", nginx, re.MULTILINE)
    assert max(int(mine), int(others)) < DEFAULT_LIMITS.proxy_keep_alive_seconds


@pytest.mark.parametrize("name", ["almunia@", "almunia-bot-worker"])
def test_systemd_restarts_without_a_limit(name) -> None:
    """By default systemd gives up after five failures within ten seconds, and the database may be away for longer."""
    unit, _, _ = (DEPLOY / f"{name}.service").read_text("utf-8").partition("[Service]")
    assert "\nStartLimitIntervalSec=0\n" in unit


AS_SYSTEMD_READS_IT = {
    "postgresql://a:b@db/almunia?sslmode=require&connect_timeout=3": None,
    "smtp://user:$HOME;touch here@mail": None,
    "play and more": None,
    "'in quotes'": "in quotes",
    '"in `quotes`"': "in `quotes`",
    "": None,
}


@pytest.mark.parametrize("written", AS_SYSTEMD_READS_IT)
def test_the_command_has_the_settings_that_the_site_has(written, tmp_path) -> None:
    """A shell that ran the file would interpret & and $ in an address."""
    file, command = tmp_path / "almunia.env", tmp_path / "almunia"
    file.write_text(f"# A=B\nALMUNIA_DATA=/data\n#NONE=1\nWANTED={written}", "utf-8")
    text = (DEPLOY / "almunia").read_text("utf-8").replace("/etc/almunia.env", str(file))
    command.write_text(text.replace("runuser -u almunia -- /opt/almunia/bin/almunia", "printenv"), "utf-8")
    done = subprocess.run(["sh", command, "WANTED", "HOME"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == (f"{AS_SYSTEMD_READS_IT[written] or written}\n/data\n", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["almunia", "almunia.env"]


def test_all_systemd_units_are_sandboxed() -> None:
    """The backup reads all secrets, and needs no more rights than the site."""
    wanted = re.compile(r"^(?:Capability|NoNew|Private|Protect|Restrict).*$", re.MULTILINE)
    serving, *others = (
        set(wanted.findall(unit.read_text("utf-8"))) for unit in sorted(UNITS, key=lambda p: "@" not in p.name)
    )
    assert len(serving) == 11
    for other in others:
        assert other == serving
