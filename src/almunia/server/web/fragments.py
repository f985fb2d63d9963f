"""Fragments that a browser shows: a response omits unchanged ones, and sends pictures as differences from shown ones.

A difference is a JSON array: a string is new text, and a pair is the position and the number of parts of the old text
to copy. Parts are what the character `<` separates, and so are the results.
"""

import json
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from threading import Lock

from markupsafe import Markup
from starlette.requests import Request

from ...play.panels import RenderedPanel
from .templating import FRAGMENTS_HEADER

HAS_TEXT = "+"  # after the hash of a picture whose text the browser has
SEPARATOR = "<"  # as in table-view.js
MIN_COPIED = 12  # characters, as many as the description of a copy
MAX_STORED_CHARACTERS = 2**24


class SentPictures:
    """The pictures sent last to each viewer, by hash.

    Differences refer to pictures that the same viewer has got, so they reveal nothing about pictures of others.
    """

    def __init__(self, max_characters: int = MAX_STORED_CHARACTERS) -> None:
        self._max_characters, self._characters = max_characters, 0
        self._lock = Lock()
        self._texts: OrderedDict[Hashable, str] = OrderedDict()

    def get(self, viewer: Hashable, digest: str) -> str | None:
        with self._lock:
            return self._texts.get((viewer, digest))

    def add(self, viewer: Hashable, digest: str, text: str) -> None:
        with self._lock:
            if (viewer, digest) not in self._texts:
                self._texts[viewer, digest] = text
                self._characters += len(text)
            self._texts.move_to_end((viewer, digest))
            while self._characters > self._max_characters:
                self._characters -= len(self._texts.popitem(last=False)[1])


class ShownFragments:
    """The hashes of the fragments that a browser shows, by name."""

    def __init__(self, hashes: Mapping[str, str], pictures: SentPictures | None = None, viewer: Hashable = "") -> None:
        self._hashes = {name: digest.removesuffix(HAS_TEXT) for name, digest in hashes.items()}
        self._texts = {digest.removesuffix(HAS_TEXT) for digest in hashes.values() if digest.endswith(HAS_TEXT)}
        self._pictures, self._viewer = pictures, viewer

    @classmethod
    def of(cls, request: Request, pictures: SentPictures | None = None, viewer: Hashable = "") -> "ShownFragments":
        """Return the fragments in a request's header, such as `board=3f2a+ hand=77b0`.

        Without `pictures`, all pictures are sent whole.
        """
        words = request.headers.get(FRAGMENTS_HEADER, "").split()
        return cls({name: mark for name, _, mark in (word.partition("=") for word in words)}, pictures, viewer)

    def get(self, name: str) -> str | None:
        return self._hashes.get(name)

    def after(self, hashes: Mapping[str, str]) -> "ShownFragments":
        """Return the fragments that the browser shows after this response, which brings those with `hashes`."""
        shown = ShownFragments({**self._hashes, **hashes}, self._pictures, self._viewer)
        shown._texts = self._texts
        return shown

    def content(self, panel: RenderedPanel) -> Markup:
        """Return a picture as SVG, or as JSON: its difference from the one that the browser shows in its place."""
        if not self._pictures:
            return Markup(panel.svg)  # noqa: S704 - drawn by the game
        shown = self._hashes.get(panel.name, "")
        old = self._pictures.get(self._viewer, shown) if shown in self._texts else None
        self._pictures.add(self._viewer, panel.digest, panel.svg)
        self._texts.add(panel.digest)
        if old is None:
            return Markup(panel.svg)  # noqa: S704 - drawn by the game
        data = json.dumps(difference(old, panel.svg), ensure_ascii=False, separators=(",", ":"))
        return Markup(f'<script type="application/json" data-from="{shown}">{data}</script>')  # noqa: S704 - the same


def difference(old: str, new: str) -> list[str | tuple[int, int]]:
    """Return how to make a text from an old one."""
    before, after = old.split(SEPARATOR), new.split(SEPARATOR)
    first = dict(zip(reversed(before), range(len(before) - 1, -1, -1), strict=True))
    before_length, after_length = len(before), len(after)
    steps: list[str | tuple[int, int]] = []
    start = at = expected = 0  # the first part not written yet, the part to write, and the part after the last copy
    while at < after_length:  # with plain indices, since slices of one part take twice as long
        begin = expected
        if begin >= before_length or before[begin] != after[at]:
            begin = first.get(after[at], before_length)
        end, stop, characters = begin, at, 0
        while stop < after_length and end < before_length and before[end] == after[stop]:
            characters += len(after[stop])
            end, stop = end + 1, stop + 1
        if characters < MIN_COPIED:
            at, expected = at + 1, expected + 1
            continue
        if start < at:
            steps.append(SEPARATOR.join(after[start:at]))
        steps.append((begin, end - begin))
        start, at, expected = stop, stop, end
    if start < at:
        steps.append(SEPARATOR.join(after[start:at]))
    return steps
