"""Limits on running tables per guest and on tables with strong bots per network, and the stored hashes of networks."""

import pytest

from almunia.errors import SetupError
from almunia.server.settings import Settings

from .conftest import ORIGIN, Visitor

EXPERT, EASY = {"seat-0": "me", "seat-1": "bot-expert"}, {"seat-0": "me", "seat-1": "bot-easy"}
HERE, THERE = "203.0.113.5", "2001:db8:1:2::7"  # reserved for documentation


def come(visitor: Visitor, address: str) -> Visitor:
    """Return a new visitor from an IP address."""
    return Visitor(visitor.app, headers={"Origin": ORIGIN}, client=(address, 50_000))


def status(visitor: Visitor, path: str, **fields: object) -> int:
    """Return the status of the response to a form."""
    return visitor.post(path, data=fields, follow_redirects=False).status_code


def asked(visitor: Visitor, fields: dict[str, str]) -> int:
    """Return the status of the response to a form for a new table."""
    return status(visitor, "/games/orchard/tables", **fields)


def kept(visitor: Visitor) -> list[str]:
    """Return the stored hashes of the networks of all tables."""
    return sorted(table.network for table in visitor.app.state.site.tables.store.all())


def test_strong_bots_are_counted_by_address(start):
    visitor = start(bot_tables="2/hour")
    guests = [come(visitor, HERE) for _ in range(4)]
    assert [asked(guest, EXPERT) for guest in guests] == [303, 303, 429, 429]
    assert asked(guests[2], EASY) == 303
    assert asked(come(visitor, THERE), EXPERT) == 303
    refused = guests[3].post("/games/orchard/tables", data=EXPERT)
    assert "2 games with strong bots were started in your network" in refused.text
    assert "Choose weaker bots, or wait" in refused.text
    assert int(refused.headers["Retry-After"]) > 3500
    assert [asked(visitor, EXPERT) for _ in range(4)] == [303] * 4, "visitors from this machine have no address"


def test_strong_bots_added_later_are_counted(start):
    guest = come(start(bot_tables="1/hour"), HERE)
    first, second = guest.open("orchard", **EASY), guest.open("orchard", **EASY)
    third = guest.open("orchard", **{"seat-0": "me", "seat-1": "friend", "hints": "1"})
    assert status(guest, f"{first}/leave", seat=0, spec="expert") == 303
    assert status(guest, f"{second}/leave", seat=0, spec="expert") == 429
    assert status(guest, f"{third}/bot", seat=1, spec="expert") == 429
    assert status(guest, f"{second}/leave", seat=0, spec="easy") == 303
    assert status(guest, f"{third}/bot", seat=1, spec="easy") == 303


def test_running_games_per_guest_are_limited(start):
    visitor = start(tables="2")
    first = visitor.open("orchard", **EASY)
    visitor.open("orchard", **EASY)
    refused = visitor.post("/games/orchard/tables", data=EASY)
    assert refused.status_code == 409
    assert "You have 2 running games, and 2 is the limit." in refused.text
    assert status(visitor, f"{first}/resign", seat=0) == 303
    assert asked(visitor, EASY) == 303


def test_networks_are_stored_as_hashes_until_the_game_ends(start):
    visitor = start()
    one, other = come(visitor, HERE), come(visitor, THERE)
    first = one.open("orchard", **EASY)
    other.open("orchard", **EASY)
    come(visitor, "2001:db8:1:2::8").open("orchard", **EASY)
    visitor.open("orchard", **EASY)
    nothing, *hashes = kept(visitor)
    assert nothing == "", "this machine is no network"
    assert (len(hashes), len(set(hashes))) == (3, 2), "64 bits of IPv6 are one network"
    assert not any(HERE in one or "2001" in one for one in hashes)
    assert status(one, f"{first}/resign", seat=0) == 303
    assert len([network for network in kept(visitor) if network]) == 2
    assert status(other, "/account/delete", everything="yes") in (200, 303)
    assert len([network for network in kept(visitor) if network]) == 1


@pytest.mark.parametrize("wrong", [{"tables": "many"}, {"tables": "0"}, {"bot_tables": "a few"}])
def test_invalid_limits_are_refused(tmp_path, wrong):
    with pytest.raises(SetupError, match=f"ALMUNIA_{next(iter(wrong)).upper()}.* cannot be"):
        Settings(data=tmp_path, **wrong).check()
