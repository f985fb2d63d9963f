"""What the site keeps of people, who may see it, and how to take it along or to have it deleted."""

import asyncio
import json
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..auth.one_time_links import LASTING
from ..auth.sessions import IDLE
from ..chat.service import LOBBY_KEPT
from ..clock import DAY
from ..errors import Forbidden, RequestError
from ..networks import HiddenNetworks
from ..notifications.channels import KEPT as TOLD_KEPT
from ..privacy.exports import Exports
from ..privacy.registry import PersonalDataRegistry
from ..settings import Settings
from ..users.visitors import guest_of
from .compression import compress
from .forms import SEE_OTHER, FormFields
from .middleware.authentication import account_of, profile_of, require_recent_login, sign_out
from .routing import Router
from .templating import render

router = Router()
KEPT = {  # for how many days, by what it is
    "lobby": round(LOBBY_KEPT / DAY),
    "session": round(IDLE / DAY),
    "link": round(max(LASTING.values()) / DAY) + 1,
    "told": round(TOLD_KEPT / DAY),
}
FORM = 1  # of what is exported, as docs/accounts.md has it
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Disposition": 'attachment; filename="almunia.json"',
}


@router.get("/privacy")
def privacy(request: Request, settings: Settings) -> Response:
    """Render what is kept, what is public, and what a visitor can do about it."""
    return show(request, settings)


def show(request: Request, settings: Settings, wrong: str = "", status: int = 200) -> Response:
    """Render the page, with what is wrong."""
    facts: dict[str, Any] = {"known": bool(guest_of(request).id)}
    facts |= {"closed": settings.is_private, "mailed": bool(settings.smtp)}
    facts |= {"operator": settings.operator, "kept": KEPT, "shared": settings.is_shared}
    return render(request, "privacy.html", status, {"Cache-Control": "no-store"}, wrong=wrong, **facts)


@router.get("/account/export")
async def export(
    request: Request, exports: Exports, networks: HiddenNetworks, personal_data: PersonalDataRegistry
) -> Response:
    """Return everything about the visitor, as one file."""
    guest = guest_of(request).id
    if not guest:
        raise Forbidden("This site keeps nothing about you: you have not done anything here yet.")

    def write() -> Response:
        body = json.dumps(exported(request, personal_data, guest), indent=1)
        return compress(request, Response(body, 200, HEADERS, "application/json"))

    return await asyncio.wrap_future(exports.ask(guest, networks.hash_of(request), write))


def exported(request: Request, personal_data: PersonalDataRegistry, guest: str) -> dict[str, Any]:
    """Return the content of the file."""
    name, preferences = profile_of(request.session)
    cookie = {"name": name, "preferences": preferences}
    return {"almunia": FORM, "guest": guest, "browser": cookie, **personal_data.export(guest)}


@router.post("/account/delete")
def delete(request: Request, settings: Settings, personal_data: PersonalDataRegistry, form: FormFields) -> Response:
    """Delete everything about a visitor who has just confirmed their identity and checked the box."""
    guest = guest_of(request).id
    try:
        if account_of(request):
            require_recent_login(request)
        if form.text("everything") != "yes":
            raise Forbidden("Please check the box first: what is deleted can't be brought back.", 422)
    except RequestError as error:
        return show(request, settings, str(error), error.status)
    if guest:
        personal_data.erase(guest)
    sign_out(request.session)
    request.session.pop("devices", None)
    return RedirectResponse("/account?done=deleted", SEE_OTHER)
