"""Passkeys on pages: what a browser asks for, and the forms that bring what its authenticator has answered."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..context import Site
from ..errors import Forbidden, RequestError
from ..forms import SEE_OTHER, Form
from ..people.guests import checked_label, guest_of, rename, welcome
from ..routing import Routes
from . import gate, pages, passkeys, people, rest, security
from .entering import begin_session, enter
from .known import account_of, chosen, proved, signed_in
from .passkeys import place_of
from .sessions import device_of

router = Routes(prefix="/account/passkeys")


@router.post("/ask")
def ask(request: Request, site: Site, form: Form) -> Response:
    """What an authenticator is to do, as JSON: to show a passkey, or to make one."""
    place = place_of(request, site.settings.address)
    if form.text("make") != "1":
        found = site.accounts.passkeys.ask_for_any(request, place)
    else:
        account = proved(request) if account_of(request) else None
        if account is None and not gate.may_pass(site, request):
            raise Forbidden(gate.CLOSED)
        found = site.accounts.passkeys.ask_for_new(request, place, account, guest_of(request).name)
    return Response(found, media_type="application/json", headers={"Cache-Control": "no-store"})


@router.post("/sign-in")
def sign_in(request: Request, site: Site, form: Form) -> Response:
    """Sign in by a passkey, which says itself whose it is."""
    back = form.text("back", "/")
    try:
        account = site.accounts.passkeys.shown(
            request, place_of(request, site.settings.address), form.text("credential")
        )
    except RequestError as error:
        return pages.show(request, site, error.status, back, wrong_passkey=str(error))
    return pages.arrived(enter(request, site, account), back)


@router.post("/sign-up")
def sign_up(request: Request, site: Site, form: Form) -> Response:
    """Make an account of the guest with a new passkey."""
    if account_of(request):
        return RedirectResponse("/account", SEE_OTHER)
    try:
        facts, handle = site.accounts.passkeys.made(
            request, place_of(request, site.settings.address), form.text("credential")
        )
        if form.text("name"):
            rename(request, form.text("name"))
        guest = welcome(request)
        label = device_of(request.headers.get("user-agent", ""))
        with site.accounts.people.engine.begin() as db:
            people.make(db, guest.id, *chosen(request.session), handle=handle, now=site.clock.now())
            passkeys.add(db, guest.id, label, facts, site.clock.now())
    except RequestError as error:
        return pages.show(request, site, error.status, wrong_passkey=str(error))
    site.accounts.sessions.forget(guest.id)
    rest.end_programs(site, guest.id)
    begin_session(request, site, pages.known_by(site, guest.id), proved=True)
    return security.done("made")


@router.post("/prove")
def prove(request: Request, site: Site, form: Form) -> Response:
    """Show by a passkey who one is."""
    account, session = signed_in(request)
    try:
        found = site.accounts.passkeys.shown(request, place_of(request, site.settings.address), form.text("credential"))
        if found.guest != account.guest:
            raise Forbidden("This passkey belongs to another account.")
    except RequestError as error:
        return security.wrong(request, site, "prove", error)
    site.accounts.sessions.prove(session)
    return security.done("proved")


@router.post("/add")
def add(request: Request, site: Site, form: Form) -> Response:
    """Add a passkey to an account."""
    try:
        account = proved(request)
        facts, handle = site.accounts.passkeys.made(
            request, place_of(request, site.settings.address), form.text("credential")
        )
        if handle != account.handle:
            raise Forbidden("This passkey was asked for by another account. Please try again.")
        with site.accounts.people.engine.begin() as db:
            label = device_of(request.headers.get("user-agent", ""))
            passkeys.add(db, account.guest, label, facts, site.clock.now())
    except RequestError as error:
        return security.wrong(request, site, "passkey", error)
    site.accounts.post.tell(account.mail, "A passkey was added to your account on Almunia.")
    return security.done("passkey")


@router.post("/{passkey_id}/rename")
def rename_passkey(request: Request, site: Site, form: Form, passkey_id: str) -> Response:
    """Call a passkey something else."""
    account, _ = signed_in(request)
    try:
        site.accounts.passkeys.rename(account.guest, passkey_id, checked_label(form.text("label")))
    except RequestError as error:
        return security.wrong(request, site, "passkey", error)
    return security.done("renamed")


@router.post("/{passkey_id}/remove")
def remove(request: Request, site: Site, passkey_id: str) -> Response:
    """Let a passkey hold no longer."""
    try:
        account = proved(request)
        site.accounts.passkeys.remove(account, passkey_id)
    except RequestError as error:
        return security.wrong(request, site, "passkey", error)
    site.accounts.post.tell(account.mail, "A passkey was removed from your account on Almunia.")
    return security.done("removed")
