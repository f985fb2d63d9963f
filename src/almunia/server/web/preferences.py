"""Preferences, names and vacations of a guest."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..errors import BadRequest
from ..notifications.services import Notifications
from ..tables.clocks import (
    PlayingHours,
    check_playing_hours,
)
from ..tables.vacation import VacationService
from ..users.profiles import Profiles
from ..users.visitors import PREFERENCES, ensure_visitor, rename, validate_preferences
from .forms import SEE_OTHER, FormFields, local_path, read_hours
from .my_games import MyTablesPage
from .routing import Router
from .templating import render

router = Router()


@router.get("/preferences")
def show_preferences(request: Request) -> Response:
    """Render the preferences of a guest."""
    return render(request, "preferences.html")


@router.post("/me")
def save_preferences(
    request: Request, notifications: Notifications, profiles: Profiles, my_tables_page: MyTablesPage, form: FormFields
) -> Response:
    """Save a name and preferences: all that were sent, or none."""
    hours = read_hours(form)
    check_playing_hours(PlayingHours.parse(hours or ""))
    chosen = validate_preferences({name: form.text(name) for name in PREFERENCES if form.text(name)})
    if form.has("name"):
        try:
            rename(request, form.text("name"))
        except BadRequest as error:
            return my_tables_page.render(request, form.text("name"), str(error))
        guest = ensure_visitor(request)
        profiles.rename(guest.id, guest.name)
        notifications.channels.rename(guest.id, guest.name)
    request.session.update(chosen if hours is None else {**chosen, "hours": hours})
    return RedirectResponse(local_path(form.text("back", "/")), SEE_OTHER)


@router.post("/vacation")
def set_vacation(request: Request, vacations: VacationService, form: FormFields) -> Response:
    """Begin or end a vacation."""
    guest = ensure_visitor(request)
    if form.text("begin") == "1":
        vacations.begin(guest.id)
    else:
        vacations.end(guest.id)
    return RedirectResponse("/tables", SEE_OTHER)
