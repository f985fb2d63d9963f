"""The privacy page, the export and the deletion of personal data."""

import asyncio
import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..auth.one_time_links import LIFETIME_SECONDS
from ..auth.sessions import MAX_IDLE_SECONDS
from ..chat.service import LOBBY_KEEP_SECONDS
from ..clock import DAY
from ..errors import Forbidden, RequestError
from ..networks import HiddenNetworks
from ..notifications.channels import KEEP_SENT_SECONDS
from ..privacy.exports import Exports
from ..privacy.registry import PersonalDataRegistry
from ..settings import Settings
from ..users.visitors import current_visitor
from .compression import compress
from .forms import FormFields, redirect
from .middleware.authentication import account_of, profile_of, require_recent_login, sign_out
from .routing import Router
from .templating import render

router = Router()
RETENTION_DAYS = {
    "lobby": round(LOBBY_KEEP_SECONDS / DAY),
    "session": round(MAX_IDLE_SECONDS / DAY),
    "link": round(max(LIFETIME_SECONDS.values()) / DAY) + 1,
    "told": round(KEEP_SENT_SECONDS / DAY),
}
EXPORT_VERSION = 1  # of the format in docs/accounts.md
EXPORT_HEADERS = {"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="almunia.json"'}


@router.get("/privacy")
def show_privacy(request: Request, settings: Settings) -> Response:
    return render_privacy(request, settings)


def render_privacy(request: Request, settings: Settings, wrong: str = "", status: int = 200) -> Response:
    facts: dict[str, Any] = {"known": bool(current_visitor(request).id)}
    facts |= {"closed": settings.is_private, "mailed": bool(settings.smtp)}
    facts |= {"operator": settings.operator, "kept": RETENTION_DAYS, "shared": settings.is_shared}
    return render(request, "privacy.html", status, {"Cache-Control": "no-store"}, wrong=wrong, **facts)


@router.get("/account/export")
async def export_everything(
    request: Request, exports: Exports, networks: HiddenNetworks, personal_data: PersonalDataRegistry
) -> Response:
    """Return a file with the visitor's personal data; Forbidden for a visitor without a cookie."""
    guest = current_visitor(request).id
    if not guest:
        raise Forbidden("This site keeps nothing about you, because you haven't done anything here yet.")

    def write() -> Response:
        name, preferences = profile_of(request.session)
        cookie = {"name": name, "preferences": preferences}
        content = {"almunia": EXPORT_VERSION, "guest": guest, "browser": cookie, **personal_data.export(guest)}
        body = json.dumps(content, indent=1)
        return compress(request, Response(body, 200, EXPORT_HEADERS, "application/json"))

    return await asyncio.wrap_future(exports.submit(guest, networks.hash_of(request), write))


@router.post("/account/delete")
def delete_everything(
    request: Request, settings: Settings, personal_data: PersonalDataRegistry, form: FormFields
) -> Response:
    """Delete everything about a visitor who has checked the box.

    The owner of an account must have confirmed their identity.
    """
    guest = current_visitor(request).id
    try:
        if account_of(request):
            require_recent_login(request)
        if form.text("everything") != "yes":
            raise Forbidden("Please tick the box first. You can't undo this.", 422)
    except RequestError as error:
        return render_privacy(request, settings, str(error), error.status)
    if guest:
        personal_data.erase(guest)
    sign_out(request.session)
    request.session.pop("devices", None)
    return redirect("/account?done=deleted")
