"""Pages of friends: who is here, following, blocking, challenges, and invitations to open seats."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from ..errors import BadRequest, Conflict, NotFound, TooManyRequests
from ..friends.repository import Contact
from ..friends.service import FriendService
from ..lobby.new_table import parse_time_control
from ..lobby.service import MIN_PLAYERS
from ..networks import HiddenNetworks
from ..tables import clocks
from ..tables.builds import GameBuilds
from ..tables.model import PERSON
from ..tables.service import TableService, check_seat
from ..users.profiles import Profiles
from ..users.visitors import Visitor, current_visitor, ensure_visitor
from .forms import FormFields, redirect, redirect_to_table
from .lobby import PACES
from .routing import FromRequest, Router
from .templating import render

router = Router()
NO_PERSON = "No player sits in this seat, so there is no one to follow or block."


@dataclass(frozen=True)
class FriendsPage(FromRequest):
    """The page of a guest's friends."""

    request: Request
    friends: FriendService
    form: FormFields

    def render(self, notice: str = "", status: int = 200) -> Response:
        guest, contacts = current_visitor(self.request).id, self.friends.contacts
        facts: dict[str, Any] = {"friends": [], "followed": [], "followers": [], "blocked": []}
        if guest:
            facts["friends"] = self.friends.friends(guest)
            facts["followed"] = [one for one in contacts.following(guest) if not one.is_friend]
            facts |= {"followers": contacts.followers(guest), "blocked": contacts.blocked(guest)}
        titles = {meta.name: meta.title for meta in catalog.all_games()}
        return render(self.request, "friends.html", status, notice=notice, titles=titles, **facts)

    def contact(self) -> Contact:
        """Return the player whom the form names; NotFound if the guest's lists have no such player."""
        return self.friends.contacts.find(current_visitor(self.request).id, self.form.text("player"))


@router.get("/friends")
def show_friends(page: FriendsPage) -> Response:
    return page.render()


@router.post("/friends")
def change_contact(page: FriendsPage) -> Response:
    """Follow, unfollow, block or unblock a player of the guest's lists."""
    try:
        change(page.request, page.friends, page.form.text("do"), page.contact())
    except (Conflict, NotFound, TooManyRequests) as error:
        return page.render(str(error), error.status)
    return redirect("/friends")


def change(request: Request, friends: FriendService, deed: str, other: Contact) -> None:
    """Follow, unfollow, block or unblock a player, as `deed` says; BadRequest if it is unknown."""
    guest = ensure_visitor(request)
    if deed == "follow":
        friends.follow(request, guest, other.guest, other.name)
    elif deed == "unfollow":
        friends.contacts.unfollow(guest.id, other.guest)
    elif deed == "block":
        friends.block(request, guest.id, other.guest, other.name)
    elif deed == "unblock":
        friends.unblock(guest.id, other.handle)
    else:
        raise BadRequest(f"{deed[:40]!r} is not possible; choose one of: follow, unfollow, block, unblock.")


# --- one player ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlayerPage(FromRequest):
    """The page on which a guest follows or blocks one player."""

    request: Request
    friends: FriendService
    form: FormFields

    def show(self, other: Contact, back: str) -> Response:
        """Render the page, or change what its form says."""
        guest, wrong, status = current_visitor(self.request).id, "", 200
        if self.request.method == "POST":
            try:
                change(self.request, self.friends, self.form.text("do"), self._known(guest, other))
                return redirect("/friends")
            except (Conflict, TooManyRequests) as error:
                wrong, status = str(error), error.status
        facts: dict[str, Any] = {"state": self._state(guest, other), "other": other, "back": back, "wrong": wrong}
        return render(self.request, "player.html", status, **facts)

    def _known(self, guest: str, other: Contact) -> Contact:
        """Return the player as the guest's lists have it, if they do."""
        contacts = self.friends.contacts
        known = (*contacts.following(guest), *contacts.blocked(guest))
        return next((one for one in known if one.guest == other.guest), other)

    def _state(self, guest: str, other: Contact) -> str:
        contacts = self.friends.contacts
        if any(one.guest == other.guest for one in contacts.blocked(guest)):
            return "blocked"
        return "followed" if any(one.guest == other.guest for one in contacts.following(guest)) else ""


def show_seated(page: PlayerPage, tables: TableService, table_id: str, seat: int = 0) -> Response:
    """Show the page of the player in a seat of a table; NotFound for bots and open seats."""
    table = tables.get(table_id).table
    check_seat(table, seat)
    sitter = table.seats[seat]
    if sitter.kind != PERSON or sitter.is_deleted:
        raise NotFound(NO_PERSON)
    return page.show(Contact("", sitter.player, sitter.name), f"/table/{table_id}")


def show_profiled(page: PlayerPage, profiles: Profiles, person: str) -> Response:
    """Show the page of a player with a public profile."""
    profile = profiles.find_by_handle(person)
    if profile is None:
        raise NotFound("There is no public profile at this address. It may have been hidden, or mistyped.")
    return page.show(Contact("", profile.guest, profile.name), f"/players/{person}")


for method in (router.get, router.post):
    method("/table/{table_id}/player")(show_seated)
    method("/players/{person}/contact")(show_profiled)


# --- challenges ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChallengePage(FromRequest):
    """The form that challenges a friend."""

    request: Request
    friends: FriendService
    builds: GameBuilds
    networks: HiddenNetworks
    form: FormFields

    def render(self, friend: str, wrong: str = "", status: int = 200) -> Response:
        chosen = self.friends.contacts.find_friend(current_visitor(self.request).id, friend)
        games = [meta for meta in catalog.all_games() if meta.seats[1] >= MIN_PLAYERS]
        facts: dict[str, Any] = {"friend": chosen, "games": games, "paces": PACES, "wrong": wrong}
        facts |= {"usual": clocks.DEFAULT_TIME_CONTROL, "most": max(meta.seats[1] for meta in games)}
        facts["filled"] = self.form.named("")
        return render(self.request, "challenge.html", status, **facts)

    def create_table(self) -> Response:
        form, guest = self.form, current_visitor(self.request)
        table = self.friends.challenge(
            self.request,
            guest,
            form.text("friend"),
            self.builds.find(form.text("game")),
            form.number("seats"),
            parse_time_control(form.text("clock")),
            self.networks.hash_of(self.request),
            rated=form.text("unrated") != "1",
        )
        return redirect_to_table(table.id)


@router.get("/friends/challenge")
def show_challenge(page: ChallengePage, friend: str = "") -> Response:
    return page.render(friend)


@router.post("/friends/challenge")
def challenge(page: ChallengePage) -> Response:
    """Open a table with a seat for a friend, or render the form with an error."""
    try:
        return page.create_table()
    except (BadRequest, Conflict, TooManyRequests) as error:
        return page.render(page.form.text("friend"), str(error), error.status)


@router.post("/table/{table_id}/invite-friend")
def invite_friend(
    request: Request, visitor: Visitor, friends: FriendService, form: FormFields, table_id: str
) -> Response:
    friends.invite(request, visitor.id, table_id, form.number("seat"), form.text("friend"))
    return redirect_to_table(table_id)
