"""Forms: their fields, and the local paths to which the site redirects after them."""

from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..errors import UNPROCESSABLE, BadRequest
from ..tables.clocks import PlayingHours

MAX_DIGITS = 9  # of an integer in a form; fits into the integer columns of all databases
SEE_OTHER = 303
UTF_8_NAMES = (b"utf-8", b"utf8")
UNREADABLE_MESSAGE = "This form cannot be read. Please send it again from the page."


class FormFields:
    """The fields of a form, as strings by name."""

    def __init__(self, data: FormData) -> None:
        self._data = data

    def has(self, name: str) -> bool:
        return name in self._data

    def text(self, name: str, default: str = "") -> str:
        """Return a field; `default` if it is missing or a file."""
        value = self._data.get(name, default)
        return value if isinstance(value, str) else default

    def upload(self, name: str) -> str:
        """Return the text of an uploaded file, and close it; empty without a file, BadRequest unless it is in UTF-8."""
        file = self._data.get(name)
        if not isinstance(file, UploadFile):
            return ""
        try:
            with file.file as content:
                return content.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BadRequest(f"{(file.filename or '')[:40]!r} is not a text file in UTF-8.", UNPROCESSABLE) from None

    def number(self, name: str) -> int:
        """Return a field as an integer; BadRequest unless it has 1 to MAX_DIGITS digits."""
        value = self.text(name)
        if not value.isascii() or not value.isdigit() or len(value) > MAX_DIGITS:
            raise BadRequest(
                f"The field {name!r} must be a whole number of up to {MAX_DIGITS} digits, not {value[:40]!r}."
            )
        return int(value)

    def named(self, prefix: str) -> dict[str, str]:
        """Return the fields that begin with a prefix, by their names without it."""
        return {
            name.removeprefix(prefix): value
            for name, value in self._data.items()
            if name.startswith(prefix) and isinstance(value, str)
        }


EMPTY_FORM = FormFields(FormData())


async def read_form(request: Request) -> FormFields:
    """Return the form of a request; raise BadRequest if it is malformed or not in UTF-8.

    Other encodings can hold surrogates, which no page can show.
    """
    _, facts = parse_options_header(request.headers.get("content-type"))
    if facts.get(b"charset", b"utf-8").lower() not in UTF_8_NAMES:
        raise BadRequest(UNREADABLE_MESSAGE)
    try:
        return FormFields(await request.form())
    except (HTTPException, ValueError, LookupError):  # cut short, or in an unknown encoding
        raise BadRequest(UNREADABLE_MESSAGE) from None


def read_hours(form: FormFields) -> str | None:
    """Return the playing hours in a form, as cookies store them; None without hours, BadRequest if they are invalid."""
    if not form.has("hours-first"):
        return None
    first, last, weekends = form.number("hours-first"), form.number("hours-last"), form.text("hours-weekends") or "0"
    return str(PlayingHours.parse(f"{form.text('hours-zone').strip() or 'UTC'} {first} {last} {weekends}"))


def redirect(path: str) -> Response:
    return RedirectResponse(path, SEE_OTHER)


def redirect_to_table(table_id: str) -> Response:
    return redirect(f"/table/{table_id}")


def redirect_back(form: FormFields, default: str = "/") -> Response:
    """Redirect to the page that a form names, or to `default`; to `/` if the page is not on this site."""
    return redirect(local_path(form.text("back", default)))


def local_path(path: str) -> str:
    """Return a path if it lies on this site, else `/`."""
    inside = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if inside else "/"
