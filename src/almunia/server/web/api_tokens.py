"""The page of programs: how they play here, and the tokens by which they act for a guest."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..api.app import PREFIX
from ..auth.api_tokens import MOST, ApiTokens
from ..clock import Clock, format_ago
from ..errors import Forbidden, RequestError
from ..settings import Settings
from ..tables.event_subscribers import EventSubscribers
from ..users.visitors import checked_label, guest_of, welcome
from .forms import SEE_OTHER, FormFields
from .middleware.authentication import account_of
from .routing import Router
from .templating import render

router = Router(prefix="/programs")
NEEDS_ACCOUNT = "This site is closed, and lets in only programs of people with an account. Make one first."
ONCE = {"Cache-Control": "no-store"}  # for a page with a token in it


@router.get("")
def programs(request: Request, settings: Settings, clock: Clock, tokens: ApiTokens) -> Response:
    """Render a guest's tokens, and what the API offers."""
    return show(request, settings, clock, tokens)


@router.post("")
def make(request: Request, settings: Settings, clock: Clock, tokens: ApiTokens, form: FormFields) -> Response:
    """Make a token. It is shown once."""
    try:
        if needs_account(settings, request):
            raise Forbidden(NEEDS_ACCOUNT)
        label = checked_label(form.text("label"))
        guest = welcome(request)
        made = tokens.make(guest.id, guest.name, label)
    except RequestError as error:
        return show(request, settings, clock, tokens, wrong=str(error), status=error.status, label=form.text("label"))
    return show(request, settings, clock, tokens, made=made)


@router.post("/{token_id}/revoke")
def revoke(request: Request, tokens: ApiTokens, followers: EventSubscribers, token_id: str) -> Response:
    """Revoke a token, and end its stream."""
    tokens.revoke(guest_of(request).id, token_id)
    followers.disconnect_everywhere(token_id, "This token was revoked.")
    return RedirectResponse("/programs#tokens-heading", SEE_OTHER)


def needs_account(settings: Settings, request: Request) -> bool:
    """Whether a closed site would refuse programs with a token of this guest."""
    return settings.invite_only and account_of(request) is None


def show(
    request: Request,
    settings: Settings,
    clock: Clock,
    tokens: ApiTokens,
    made: str = "",
    wrong: str = "",
    status: int = 200,
    label: str = "",
) -> Response:
    """Render the page, with a new token, or with what is wrong."""
    guest = guest_of(request).id
    kept = tokens.of(guest) if guest else []
    now = clock.now()
    rows = [(one, format_ago(now - one.made), format_ago(now - one.used) if one.used else "never") for one in kept]
    facts = {"tokens": rows, "made": made, "wrong": wrong, "label": label, "full": len(rows) >= MOST, "most": MOST}
    facts["useless"] = NEEDS_ACCOUNT if needs_account(settings, request) else ""
    calls = addresses(request.app.state.api.openapi())
    return render(request, "api_tokens.html", status, ONCE, **facts, calls=calls, prefix=PREFIX)


def addresses(described: dict[str, object]) -> list[tuple[str, str, str]]:
    """What can be asked, as the description has it: method, address and a sentence or two."""
    paths: dict[str, dict[str, dict[str, str]]] = described["paths"]  # type: ignore[assignment]
    return [
        (method.upper(), path, one["description"].replace("`", ""))
        for path, methods in paths.items()
        for method, one in methods.items()
    ]
