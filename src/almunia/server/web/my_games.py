"""What is done with one's own games: the next one, notes on them, hiding and deleting them."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..errors import BadRequest
from ..users.my_games import GameList
from ..users.visitors import guest_of
from .forms import SEE_OTHER, FormFields, local_path
from .routing import Router

router = Router()


@router.get("/next")
def next_table(request: Request, my_games: GameList, after: str = "") -> Response:
    """Redirect to the first table that waits for the guest, except the one that was just left."""
    guest = guest_of(request)
    table = my_games.next(guest.id, guest.next, after)
    answer = RedirectResponse(f"/table/{table}" if table else "/tables?idle=1", SEE_OTHER)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/table/{table_id}/note")
def note(request: Request, my_games: GameList, form: FormFields, table_id: str) -> Response:
    """Save a note on a table."""
    my_games.write(guest_of(request).id, table_id, form.text("words"))
    return back(form)


@router.post("/table/{table_id}/hide")
def hide(request: Request, my_games: GameList, form: FormFields, table_id: str) -> Response:
    """Hide a table in the guest's list, or show it again."""
    my_games.hide(guest_of(request).id, table_id, hidden=form.text("hidden") == "1")
    return back(form)


@router.post("/table/{table_id}/delete")
def delete(request: Request, my_games: GameList, form: FormFields, table_id: str) -> Response:
    """Delete a table that no other player needs."""
    if form.text("delete") != "yes":
        raise BadRequest("Say that you want to delete this game: tick the box beside the button.")
    my_games.delete(guest_of(request).id, table_id)
    return back(form)


def back(form: FormFields) -> Response:
    """Back to where the form was sent from."""
    return RedirectResponse(local_path(form.text("back", "/tables")), SEE_OTHER)
