"""Invitations by mail: content, limits, and failures of the mail server."""

from concurrent.futures import ThreadPoolExecutor
from email import message_from_bytes
from email.policy import default

import pytest

from almunia.errors import SetupError
from almunia.server.addresses import MailServer, check_mail_settings, is_mail_address
from almunia.server.errors import BadRequest, Unavailable
from almunia.server.mail import Mailer, invitation_email
from almunia.server.settings import Settings

from ..serving import free_port
from .conftest import Visitor
from .mailbox import ADDRESS, PATIENCE, SENDER
from .test_lobby import FRIENDS, name_of


@pytest.fixture
def host(start, box):
    """Return the host of a site that sends mail."""
    visitor = start(smtp=box.address, mail_from=SENDER, address=ADDRESS)
    visitor.headers["Origin"] = ADDRESS
    visitor.base_url = ADDRESS  # session cookies are sent over TLS only
    visitor.post("/preferences", data={"name": "Ana"})
    return visitor


def invite(host, table, to="bea@example.org", seat=1):
    return host.post(f"{table}/invite", data={"seat": seat, "to": to}, follow_redirects=False)


def test_an_invitation_has_the_link_and_no_secrets_of_the_game(host, box):
    table = host.open(**FRIENDS, seed=4711)
    answer = invite(host, table)
    assert answer.status_code == 200
    assert "The invitation to bea@example.org has been sent." in answer.text
    ((to, mail),) = box.mails
    assert to == ["bea@example.org"]
    assert mail["Subject"] == "Ana invites you to Orchard"
    assert mail["From"] == f"Almunia <{SENDER}>"
    assert mail["Auto-Submitted"] == "auto-generated"
    text = mail.get_content()
    link = f"{ADDRESS}/join/{host.app.state.site.invitations.create(name_of(table), 1)}"
    assert link in text
    assert "4711" not in str(mail)
    assert host.app.state.site.tables.get(name_of(table)).table.host not in str(mail)


def test_links_in_mails_ignore_the_host_header(host, box):
    table = host.open(**FRIENDS)
    host.post(f"{table}/invite", data={"seat": 1, "to": "bea@example.org"}, headers={"Host": "evil.example"})
    assert all("evil.example" not in str(mail) for _, mail in box.mails)
    assert len(box.mails) == 1


@pytest.mark.parametrize(
    "to",
    [
        "",
        "bea",
        "bea@",
        "@example.org",
        "bea@example",
        "a@example.org, b@example.org",
        "a@example.org\r\nBcc: b@example.org",
        "a@example.org\nBcc: b@example.org",
        "Bea <bea@example.org>",
        "bea@example.org>",
        "b e@example.org",
        "bë@example.org",
        "a" * 65 + "@example.org",
        "a@" + "b" * 250 + ".org",
    ],
)
def test_invalid_addresses_get_no_mail(host, box, to):
    answer = invite(host, host.open(**FRIENDS), to)
    assert answer.status_code == 422
    assert "is not an email address" in answer.text
    assert 'id="table"' in answer.text
    assert box.mails == []


def test_line_breaks_in_headers_of_a_mail_are_refused():
    mailer = Mailer("smtp://127.0.0.1", SENDER, ThreadPoolExecutor(1))
    words = "=?utf-8?q?=0d=0aBcc:x@y.zz?=", "=?utf-8?b?QQ0KQmNjOiB4QHk=?=", "=?utf-8?q?a=0a?="
    for subject in ("Hi\r\nBcc: b@example.org", "Hi\nX: y", *words):
        with pytest.raises(BadRequest, match="cannot be sent as an email"):
            mailer.compose("a@example.org", subject, "text")
    odd = mailer.compose("a@example.org", "Zoë “Ω” invites you", "text")
    assert message_from_bytes(odd.as_bytes(), policy=default)["Subject"] == "Zoë “Ω” invites you"


def test_a_name_is_not_escaped_in_a_mail(host, box):
    host.post("/preferences", data={"name": "Zoë: <b>"})
    invite(host, host.open(**FRIENDS))
    ((_, mail),) = box.mails
    assert mail["Subject"] == "Zoë: <b> invites you to Orchard"
    assert mail.get_content_type() == "text/plain"


def test_a_name_with_an_encoded_line_break_is_not_mailed(host, box):
    """The email library decodes encoded words, and would write the hidden line as a header."""
    host.post("/preferences", data={"name": "=?utf-8?q?=0d=0aBcc:x@y.zz?="})
    assert invite(host, host.open(**FRIENDS)).status_code == 422
    assert box.mails == []


def test_only_players_invite_and_only_to_open_seats(host, box):
    table = host.open(**FRIENDS)
    stranger = Visitor(host.app, headers={"Origin": ADDRESS}, base_url=ADDRESS)
    assert invite(stranger, table).status_code == 403
    assert invite(host, table, seat=0).status_code == 409
    assert invite(host, table, seat=5).status_code == 404
    assert box.mails == []


def test_invitations_of_a_host_are_limited_and_the_form_keeps_the_address(host, box):
    table = host.open(**FRIENDS)
    answers = [invite(host, table, f"friend{number}@example.org") for number in range(11)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    assert len(box.mails) == 10
    assert 'value="friend10@example.org"' in answers[-1].text


def test_invitations_to_an_address_are_limited_over_all_hosts(start, box):
    visitor = start(smtp=box.address, mail_from=SENDER, address=ADDRESS)
    codes = []
    for number in range(11):
        one = Visitor(visitor.app, headers={"Origin": ADDRESS}, base_url=ADDRESS)
        codes.append(invite(one, one.open(**FRIENDS), ("Bea@example.org", "bea@EXAMPLE.org")[number % 2]).status_code)
    assert codes == [200] * 10 + [429]


def test_a_refusing_mail_server_is_reported_without_addresses(host, box, caplog):
    box.refuses = True
    answer = invite(host, host.open(**FRIENDS))
    assert answer.status_code == 503
    assert "Please send the link yourself" in answer.text
    assert 'value="bea@example.org"' in answer.text, "the page of the table, with what was typed"
    assert 'id="table"' in answer.text
    assert "bea@example.org" not in caplog.text
    assert "could not be sent" in caplog.text


def test_an_unreachable_mail_server_is_reported(start):
    visitor = start(smtp=f"smtp://127.0.0.1:{free_port()}", mail_from=SENDER, address="http://testserver")
    assert invite(visitor, visitor.open(**FRIENDS)).status_code == 503


def test_a_password_is_not_sent_unencrypted_to_another_machine(box, monkeypatch):
    monkeypatch.setattr("almunia.server.mail.is_local", lambda _host: False)
    mailer = Mailer(box.address.replace("smtp://", "smtp://ana:secret@"), SENDER, ThreadPoolExecutor(1))
    with pytest.raises(Unavailable):
        mailer.send("a@example.org", "Hi", "text").result(PATIENCE)
    assert box.mails == []


def test_invitations_by_mail_need_a_mail_server(visitor):
    table = visitor.open(**FRIENDS)
    assert "Email the link" not in visitor.get(table).text
    assert invite(visitor, table).status_code == 503


def test_the_page_offers_mail_if_a_mail_server_is_set(host):
    assert "Email the link to" in host.get(host.open(**FRIENDS)).text


# --- settings ----------------------------------------------------------------------------------------


def test_addresses_of_mail_servers_are_parsed():
    assert MailServer.read("smtp://mail.example.org") == ("mail.example.org", 587, False, "", "")
    assert MailServer.read("smtps://a%40b:p%3Aw@mail.example.org") == ("mail.example.org", 465, True, "a@b", "p:w")
    assert MailServer.read("smtp://[::1]:2525").host == "::1"


@pytest.mark.parametrize(
    "smtp", ["mail.example.org", "http://x", "smtp://", "smtp://x:port", "smtp://u:secret@h:99999"]
)
def test_an_invalid_mail_server_is_refused_without_its_password(tmp_path, smtp):
    with pytest.raises(SetupError, match="ALMUNIA_SMTP cannot be read") as refusal:
        Settings(tmp_path, smtp=smtp, mail_from=SENDER, address=ADDRESS).check()
    assert "secret" not in str(refusal.value)


def test_mail_needs_a_sender_and_an_address(tmp_path, monkeypatch):
    with pytest.raises(SetupError, match="ALMUNIA_MAIL_FROM cannot be 'x'"):
        check_mail_settings("smtp://h", "x", ADDRESS)
    with pytest.raises(SetupError, match="needs ALMUNIA_PUBLIC_URL"):
        check_mail_settings("smtp://h", SENDER, "")
    check_mail_settings("", "", "")
    for name, value in (
        ("SMTP", "smtp://h"),
        ("MAIL_FROM", SENDER),
        ("PUBLIC_URL", ADDRESS),
        ("CHAT_RATE_LIMIT", "3/minute"),
    ):
        monkeypatch.setenv(f"ALMUNIA_{name}", value)
    found = Settings.from_environment(tmp_path)
    assert (found.smtp, found.mail_from, found.address, found.chat) == ("smtp://h", SENDER, ADDRESS, "3/minute")
    monkeypatch.setenv("ALMUNIA_CHAT_RATE_LIMIT", "often")
    with pytest.raises(SetupError, match="ALMUNIA_CHAT_RATE_LIMIT, the rate of messages, cannot be 'often'"):
        Settings.from_environment(tmp_path).check()


def test_mail_addresses_are_validated():
    assert is_mail_address("ann.o'neil+games@mail.example.org")
    assert not is_mail_address("ann@example.org\n")
    assert invitation_email("Ana", "Orchard", "https://x")[0] == "Ana invites you to Orchard"
