"""Render a position as text, as SVG, or as pixels."""

import logging
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import MissingExtra, SetupError
from ..validation import check_one_of

if TYPE_CHECKING:
    from ..play.play import Observation

VECTOR_MODES = ("ansi", "svg", "rgb_array")  # of several games together
MODES = ("human", *VECTOR_MODES)
WIDTH, HEIGHT = 1280, 800  # of every frame, in pixels
SANS = ("DejaVu Sans", "Arial", "Liberation Sans", "Noto Sans", "Helvetica")
SERIF = ("DejaVu Serif", "Georgia", "Times New Roman", "Liberation Serif", "Noto Serif")
PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9" font-family="{}">M</text></svg>'

log = logging.getLogger(__name__)


def checked_mode(mode: str | None, modes: Sequence[str] = MODES) -> str | None:
    """Return a render mode, or None. For an unknown mode, raise SetupError with a list of the modes."""
    return None if mode is None else check_one_of("render mode", mode, modes)


def render(observation: "Observation", mode: str | None) -> str | npt.NDArray[np.uint8] | None:
    """Return an observation rendered in a mode, or print it.

    Args:
        observation: the observation of a seat.
        mode: "ansi" for text, "svg" for a picture as text, "rgb_array" for pixels, uint8 of shape
            (HEIGHT, WIDTH, 3), "human" to print the text and return None.

    Raises:
        SetupError: there is no such mode, or the mode is None.
        MissingExtra: the packages for pictures are not installed.
    """
    match checked_mode(mode):
        case "human":
            print(observation.board())  # noqa: T201 - this mode prints
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
    """Return the pixels of an SVG, uint8 (HEIGHT, WIDTH, 3), on white.

    Raise MissingExtra if a package for pictures is not installed.
    """
    try:
        from PIL import Image

        from .svg_css import inline_styles
    except ModuleNotFoundError as error:
        raise MissingExtra.named("Pictures as pixels need", error.name, "images") from None
    resvg = require_resvg()
    fonts = {"sans_serif_family": first_installed_font(SANS), "serif_family": first_installed_font(SERIF)}
    styled = inline_styles(picture, WIDTH, HEIGHT)
    with Image.open(BytesIO(bytes(resvg.svg_to_bytes(svg_string=styled, background="white", **fonts)))) as image:
        return np.asarray(image.convert("RGB"))


def require_resvg() -> Any:
    try:
        import resvg_py
    except ModuleNotFoundError:
        raise MissingExtra.named("Pictures as pixels need", "resvg-py", "images") from None
    return resvg_py


@cache
def first_installed_font(families: tuple[str, ...]) -> str:
    """Return the first installed font of a list. If none is installed, log a warning and return the first font."""
    draw = require_resvg().svg_to_bytes
    blank = bytes(draw(svg_string=PROBE.format("").replace("M", "")))
    for family in families:
        if bytes(draw(svg_string=PROBE.format(family), font_family=family)) != blank:
            return family
    log.warning("None of the fonts %s is installed, so pictures have no words.", ", ".join(families))
    return families[0]
