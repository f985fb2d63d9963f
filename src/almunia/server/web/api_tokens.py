"""The page of API tokens, with the calls of the API."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from ..api.app import PREFIX
from ..auth.api_tokens import MAX_TOKENS, ApiTokens
from ..clock import Clock, format_ago
from ..errors import Forbidden, RequestError
from ..settings import Settings
from ..tables.event_subscribers import EventSubscribers
from ..users.visitors import Visitor, current_visitor, ensure_visitor, validate_label
from .forms import FormFields, redirect
from .middleware.authentication import account_of
from .routing import FormPage, Router, shows_errors
from .templating import NO_STORE, render

router = Router(prefix="/api-tokens")
NEEDS_ACCOUNT = "This site is closed, so your programs need an account. Make an account first."


@dataclass(frozen=True)
class TokensPage(FormPage):
    request: Request
    settings: Settings
    clock: Clock
    tokens: ApiTokens
    form: FormFields

    @property
    def needs_account(self) -> bool:
        """Whether the site would refuse the tokens of this guest, because it is closed to guests."""
        return self.settings.invite_only and account_of(self.request) is None

    def render_error(self, where: str, error: RequestError) -> Response:
        return self.render(error.status, **{where: str(error)}, label=self.form.text("label"))

    def render(self, status: int = 200, made: str = "", wrong: str = "", label: str = "") -> Response:
        guest, now = current_visitor(self.request).id, self.clock.now()
        tokens = self.tokens.for_guest(guest) if guest else []
        rows = [
            (one, format_ago(now - one.created_at), format_ago(now - one.last_used_at) if one.last_used_at else "never")
            for one in tokens
        ]
        facts = {"tokens": rows, "full": len(rows) >= MAX_TOKENS, "most": MAX_TOKENS, "prefix": PREFIX}
        facts |= {"made": made, "wrong": wrong, "label": label, "useless": NEEDS_ACCOUNT if self.needs_account else ""}
        calls = describe_calls(self.request.app.state.api.openapi())
        return render(self.request, "api_tokens.html", status, NO_STORE, calls=calls, **facts)


@router.get("")
def show_tokens(page: TokensPage) -> Response:
    return page.render()


@router.post("")
@shows_errors("wrong")
def create_token(page: TokensPage) -> Response:
    """Create a token, and show it once."""
    if page.needs_account:
        raise Forbidden(NEEDS_ACCOUNT)
    label, guest = validate_label(page.form.text("label")), ensure_visitor(page.request)
    return page.render(made=page.tokens.create(guest.id, guest.name, label))


@router.post("/{token_id}/revoke")
def revoke_token(visitor: Visitor, tokens: ApiTokens, event_subscribers: EventSubscribers, token_id: str) -> Response:
    tokens.revoke(visitor.id, token_id)
    event_subscribers.disconnect_everywhere(token_id, "This token was revoked.")
    return redirect("/api-tokens#tokens-heading")


def describe_calls(described: dict[str, object]) -> list[tuple[str, str, str]]:
    """Return method, path and description of each call in an OpenAPI document."""
    paths: dict[str, dict[str, dict[str, str]]] = described["paths"]  # type: ignore[assignment]
    return [
        (method.upper(), path, one["description"].replace("`", ""))
        for path, methods in paths.items()
        for method, one in methods.items()
    ]
