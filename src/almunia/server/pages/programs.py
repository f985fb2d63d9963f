"""The page of programs: how they play here, and the tokens by which they act for a guest."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..accounts.known import account_of
from ..api.app import PREFIX
from ..api.tokens import MOST
from ..context import Site
from ..errors import Forbidden, RequestError
from ..forms import SEE_OTHER, Form
from ..people.guests import checked_label, guest_of, welcome
from ..routing import Routes
from ..templating import page
from ..times import ago

router = Routes(prefix="/programs")
NEEDS_ACCOUNT = "This site is closed, and lets in only programs of people with an account. Make one first."
ONCE = {"Cache-Control": "no-store"}  # for a page with a token in it


@router.get("")
def programs(request: Request, site: Site) -> Response:
    """A guest's tokens, and what programs can ask for."""
    return show(request, site)


@router.post("")
def make(request: Request, site: Site, form: Form) -> Response:
    """Make a token, which is shown this once."""
    try:
        if needs_account(site, request):
            raise Forbidden(NEEDS_ACCOUNT)
        label = checked_label(form.text("label"))
        guest = welcome(request)
        made = site.tokens.make(guest.id, guest.name, label)
    except RequestError as error:
        return show(request, site, wrong=str(error), status=error.status, label=form.text("label"))
    return show(request, site, made=made)


@router.post("/{token_id}/revoke")
def revoke(request: Request, site: Site, token_id: str) -> Response:
    """Let a token hold no longer, and end what runs by it."""
    site.tokens.revoke(guest_of(request).id, token_id)
    site.followers.end_everywhere(token_id, "This token was revoked.")
    return RedirectResponse("/programs#tokens-heading", SEE_OTHER)


def needs_account(site: Site, request: Request) -> bool:
    """Would the gate of the site let no program in by a token of whoever asks?"""
    return site.settings.invite_only and account_of(request) is None


def show(request: Request, site: Site, made: str = "", wrong: str = "", status: int = 200, label: str = "") -> Response:
    """The page, with a token that was just made, or with what is wrong."""
    guest = guest_of(request).id
    kept = site.tokens.of(guest) if guest else []
    now = site.clock.now()
    rows = [(one, ago(now - one.made), ago(now - one.used) if one.used else "never") for one in kept]
    facts = {"tokens": rows, "made": made, "wrong": wrong, "label": label, "full": len(rows) >= MOST, "most": MOST}
    facts["useless"] = NEEDS_ACCOUNT if needs_account(site, request) else ""
    calls = addresses(request.app.state.api.openapi())
    return page(request, "programs.html", status, ONCE, **facts, calls=calls, prefix=PREFIX)


def addresses(described: dict[str, object]) -> list[tuple[str, str, str]]:
    """What can be asked, as the description has it: method, address and a sentence or two."""
    paths: dict[str, dict[str, dict[str, str]]] = described["paths"]  # type: ignore[assignment]
    return [
        (method.upper(), path, one["description"].replace("`", ""))
        for path, methods in paths.items()
        for method, one in methods.items()
    ]
