"""How environments show a position: as text, as a picture in SVG, or as pixels."""

import logging
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import MissingExtra, SetupError, one_of
from ..validation import is_name

if TYPE_CHECKING:
    from ..play.play import Observation

MODES = ("human", "ansi", "svg", "rgb_array")
WIDTH, HEIGHT = 1280, 800  # of every frame, whatever the picture's own size
SANS = ("DejaVu Sans", "Arial", "Liberation Sans", "Noto Sans", "Helvetica")
SERIF = ("DejaVu Serif", "Georgia", "Times New Roman", "Liberation Serif", "Noto Serif")
PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9" font-family="{}">M</text></svg>'

log = logging.getLogger(__name__)


def checked_mode(mode: str | None) -> str | None:
    """A render mode, if it is one; SetupError names those there are."""
    if mode is not None and not is_name(mode, MODES):
        raise SetupError(f"There is no render mode {mode!r}. There are: {one_of(MODES, str(mode))}")
    return mode


def rendered(observation: "Observation", mode: str | None) -> str | npt.NDArray[np.uint8] | None:
    """The position as its seat sees it.

    Args:
        observation: what is shown.
        mode: "ansi" for text, "svg" for a picture as text, "rgb_array" for pixels, uint8 of shape
            (HEIGHT, WIDTH, 3), "human" to print the text and return None.

    Raises:
        SetupError: there is no such mode, or none was chosen.
        MissingExtra: the packages for pictures are not installed.
    """
    match checked_mode(mode):
        case "human":
            print(observation.board())  # noqa: T201 - the mode that shows it to a person
            return None
        case "ansi":
            return observation.board()
        case "svg":
            return observation.svg()
        case "rgb_array":
            return pixels(observation.svg())
    raise SetupError(
        f"This environment was made without a render mode. Make it with render_mode={' or '.join(map(repr, MODES))}."
    )


def pixels(picture: str) -> npt.NDArray[np.uint8]:
    """A picture in SVG as pixels, uint8 of shape (HEIGHT, WIDTH, 3), on paper; MissingExtra without the renderer."""
    try:
        from PIL import Image

        from .styles import written_out
    except ModuleNotFoundError as error:
        raise MissingExtra.named("Pictures as pixels need", error.name, "images") from None
    with Image.open(BytesIO(png(written_out(picture, WIDTH, HEIGHT)))) as image:
        return np.asarray(image.convert("RGB"))


def png(picture: str) -> bytes:
    """An SVG without custom properties as PNG, in fonts that are there."""
    resvg = renderer()
    fonts = {"sans_serif_family": found(SANS), "serif_family": found(SERIF)}
    return bytes(resvg.svg_to_bytes(svg_string=picture, background="white", **fonts))


def renderer() -> Any:
    """The library that turns SVG into PNG; MissingExtra if it is not there."""
    try:
        import resvg_py
    except ModuleNotFoundError:
        raise MissingExtra.named("Pictures as pixels need", "resvg-py", "images") from None
    return resvg_py


@cache
def found(families: tuple[str, ...]) -> str:
    """The first of these fonts that is installed; the first of all, and a warning in the log, if none is."""
    draw = renderer().svg_to_bytes
    blank = bytes(draw(svg_string=PROBE.format("").replace("M", "")))
    for family in families:
        if bytes(draw(svg_string=PROBE.format(family), font_family=family)) != blank:
            return family
    log.warning("None of the fonts %s is installed, so pictures have no words.", ", ".join(families))
    return families[0]
