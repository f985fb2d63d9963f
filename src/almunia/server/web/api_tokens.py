"""The page of API tokens, with the calls of the API."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..api.app import PREFIX
from ..auth.api_tokens import MAX_TOKENS, ApiTokens
from ..clock import Clock, format_ago
from ..errors import Forbidden, RequestError
from ..settings import Settings
from ..tables.event_subscribers import EventSubscribers
from ..users.visitors import current_visitor, ensure_visitor, validate_label
from .forms import SEE_OTHER, FormFields
from .middleware.authentication import account_of
from .routing import Router
from .templating import render

router = Router(prefix="/programs")
NEEDS_ACCOUNT = "This site is closed, and lets in only programs of people with an account. Make one first."
NO_STORE = {"Cache-Control": "no-store"}  # for a page with a token in it


@router.get("")
def show_tokens(request: Request, settings: Settings, clock: Clock, tokens: ApiTokens) -> Response:
    """Render the tokens of a guest, and the calls of the API."""
    return render_tokens(request, settings, clock, tokens)


@router.post("")
def create_token(request: Request, settings: Settings, clock: Clock, tokens: ApiTokens, form: FormFields) -> Response:
    """Create a token. It is shown once."""
    try:
        if needs_account(settings, request):
            raise Forbidden(NEEDS_ACCOUNT)
        label = validate_label(form.text("label"))
        guest = ensure_visitor(request)
        made = tokens.create(guest.id, guest.name, label)
    except RequestError as error:
        return render_tokens(
            request, settings, clock, tokens, wrong=str(error), status=error.status, label=form.text("label")
        )
    return render_tokens(request, settings, clock, tokens, made=made)


@router.post("/{token_id}/revoke")
def revoke_token(request: Request, tokens: ApiTokens, event_subscribers: EventSubscribers, token_id: str) -> Response:
    """Revoke a token, and end its streams."""
    tokens.revoke(current_visitor(request).id, token_id)
    event_subscribers.disconnect_everywhere(token_id, "This token was revoked.")
    return RedirectResponse("/programs#tokens-heading", SEE_OTHER)


def needs_account(settings: Settings, request: Request) -> bool:
    """Whether the site would refuse the tokens of this guest, because it is closed to guests."""
    return settings.invite_only and account_of(request) is None


def render_tokens(
    request: Request,
    settings: Settings,
    clock: Clock,
    tokens: ApiTokens,
    made: str = "",
    wrong: str = "",
    status: int = 200,
    label: str = "",
) -> Response:
    """Render the page, with a new token or an error."""
    guest = current_visitor(request).id
    kept = tokens.for_guest(guest) if guest else []
    now = clock.now()
    rows = [(one, format_ago(now - one.made), format_ago(now - one.used) if one.used else "never") for one in kept]
    facts = {
        "tokens": rows,
        "made": made,
        "wrong": wrong,
        "label": label,
        "full": len(rows) >= MAX_TOKENS,
        "most": MAX_TOKENS,
    }
    facts["useless"] = NEEDS_ACCOUNT if needs_account(settings, request) else ""
    calls = describe_calls(request.app.state.api.openapi())
    return render(request, "api_tokens.html", status, NO_STORE, **facts, calls=calls, prefix=PREFIX)


def describe_calls(described: dict[str, object]) -> list[tuple[str, str, str]]:
    """Return method, path and description of each call in an OpenAPI document."""
    paths: dict[str, dict[str, dict[str, str]]] = described["paths"]  # type: ignore[assignment]
    return [
        (method.upper(), path, one["description"].replace("`", ""))
        for path, methods in paths.items()
        for method, one in methods.items()
    ]
