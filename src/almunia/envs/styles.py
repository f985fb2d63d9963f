"""SVG whose styles are written out on its elements, for programs that turn pictures into pixels.

Pictures of games take their colours from custom properties (`var(--paper)`), mix them (`color-mix`) and compute
with lengths (`calc`), as browsers can and no other renderer of SVG does. Here a picture is rewritten so that
each element has its own values, in the light theme, and so that nothing has to be looked up through `<use>`.
"""

import re
from collections.abc import Iterator, Sequence
from operator import add, mul, sub, truediv
from typing import Any
from xml.etree import ElementTree as ET

import cssselect2
import tinycss2
from tinycss2.color4 import parse_color

SVG = "{http://www.w3.org/2000/svg}"
HREFS = ("href", "{http://www.w3.org/1999/xlink}href")
GEOMETRY = {"rx", "ry", "r", "cx", "cy", "x", "y", "transform"}
PAINTED = ("fill", "stroke", "font", "text", "stop", "marker", "clip", "mask", "filter", "opacity", "color")
PLAIN = {"display", "visibility", "paint-order", "letter-spacing", *GEOMETRY}
FONT = re.compile(
    r"(?:(?P<style>italic)\s+)?(?:(?P<weight>bold|\d{3})\s+)?(?P<size>[\d.]+px)(?:/\S+)?\s+(?P<family>.+)"
)
OPERATIONS = {"+": add, "-": sub, "*": mul, "/": truediv}

Tokens = list[Any]  # component values of CSS, as tinycss2 has them
Styles = dict[str, Tokens]  # by the name of the property


def written_out(picture: str, width: int, height: int) -> str:
    """The same picture with every style on its element, in the middle of a frame of so many pixels."""
    root = ET.fromstring(picture)  # noqa: S314 - made by our own games
    copy = Sheet(root).copied(root, {})
    copy.set("width", str(width))
    copy.set("height", str(height))
    return ET.tostring(copy, "unicode")


class Sheet:
    """The styles of one picture, and what they come to on each of its elements."""

    def __init__(self, root: ET.Element) -> None:
        matcher = cssselect2.Matcher()
        for rule in rules("".join(style.text or "" for style in root.iter(f"{SVG}style"))):
            try:
                selectors = cssselect2.compile_selector_list(rule.prelude)
            except cssselect2.SelectorError:
                continue  # as a browser does with what it does not know
            declared = declarations(rule.content)
            for selector in selectors:
                matcher.add_selector(selector, declared)
        self._ids = {element.get("id"): element for element in root.iter()}
        self._declared = {
            wrapped.etree_element: merged(matcher.match(wrapped), wrapped.etree_element)
            for wrapped in cssselect2.ElementWrapper.from_xml_root(root).iter_subtree()
        }

    def copied(self, element: ET.Element, inherited: Styles) -> ET.Element:
        """The element with its styles as attributes, and what is in it; what it uses stands in its place."""
        known, own = resolved_all(self._declared[element], inherited)
        attributes = {name: value for name, value in element.attrib.items() if name not in ("class", "style")}
        copy = ET.Element(element.tag, attributes | attributes_of(own))
        copy.text, copy.tail = element.text, element.tail
        children = list(element)
        target = self._ids.get(next((element.get(name, "") for name in HREFS if name in element.attrib), "")[1:])
        if element.tag == f"{SVG}use" and target is not None and target.tag != f"{SVG}symbol":
            children = [target]
            group(copy)
        copy.extend(self.copied(child, known) for child in children if child.tag != f"{SVG}style")
        if element.tag == f"{SVG}use":
            for part in copy:
                part.attrib.pop("id", None)
        return copy


def group(use: ET.Element) -> None:
    """Turn a `<use>` into a group at its place."""
    use.tag = f"{SVG}g"
    x, y = use.attrib.pop("x", "0"), use.attrib.pop("y", "0")
    for name in ("width", "height", *HREFS):
        use.attrib.pop(name, None)
    use.set("transform", f"{use.get('transform', '')} translate({x} {y})".strip())


# --- rules ----------------------------------------------------------------------------------------


def rules(text: str) -> Iterator[Any]:
    """The rules of a style sheet that hold on a wide light screen, in their order."""
    for rule in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            yield rule
        elif (
            rule.type == "at-rule"
            and rule.lower_at_keyword == "media"
            and "min-width" in tinycss2.serialize(rule.prelude)
        ):
            yield from (
                inner for inner in tinycss2.parse_rule_list(rule.content, True, True) if inner.type == "qualified-rule"
            )


def declarations(content: Any) -> Styles:
    """What a rule, or an attribute `style`, declares."""
    found: Styles = {}
    for part in tinycss2.parse_declaration_list(content, skip_comments=True, skip_whitespace=True):
        if part.type == "declaration":
            name = part.name if part.name.startswith("--") else part.lower_name
            found[name] = stripped(part.value)
    return found


def merged(matches: Sequence[tuple[Any, int, str | None, Styles]], element: ET.Element) -> Styles:
    """All that is declared for an element, the stronger over the weaker, and what its attributes leave open."""
    styles = {
        name: stripped(tinycss2.parse_component_value_list(value))
        for name, value in element.attrib.items()
        if "(" in value and name.startswith(PAINTED)
    }
    for _, _, pseudo, declared in matches:
        if pseudo is None:
            styles |= declared
    return styles | declarations(element.get("style", ""))


def attributes_of(styles: Styles) -> dict[str, str]:
    """Resolved styles as attributes of SVG."""
    found: dict[str, str] = {}
    for name, tokens in styles.items():
        value = tinycss2.serialize(tokens).strip()
        if name == "font" and (font := FONT.fullmatch(value)):
            found |= {f"font-{part}": words for part, words in font.groupdict().items() if words}
        elif name == "transform":
            found[name] = re.sub(r"(?<=\d)(?:px|deg)\b", "", value)
        elif name in PLAIN or name.startswith(PAINTED):
            found[name] = value
    return found


# --- values ----------------------------------------------------------------------------------------


def resolved_all(declared: Styles, inherited: Styles) -> tuple[Styles, Styles]:
    """What the children of an element inherit to look up, and the properties of the element itself."""
    values = Values(declared, inherited)
    looked_up = {name for name in declared if name.startswith("--") or name == "color"}
    known = inherited | {name: found for name in looked_up if (found := values.of(name)) is not None}
    values = Values({}, known)
    own = {name: values.resolved(tokens) for name, tokens in declared.items() if not name.startswith("--")}
    return known, {name: tokens for name, tokens in own.items() if tokens is not None}


class Values:
    """Custom properties that refer to one another, and to those from further up."""

    def __init__(self, declared: Styles, inherited: Styles) -> None:
        self._declared, self._inherited = dict(declared), inherited

    def of(self, name: str) -> Tokens | None:
        """The value of a property; None if it has none."""
        if name not in self._declared:
            return self._inherited.get(name)
        tokens = self._declared.pop(name)  # whoever asks for it again meanwhile goes round in a circle
        value = self.resolved(tokens)
        self._declared[name] = tokens
        return value

    def resolved(self, tokens: Tokens) -> Tokens | None:
        """These tokens without `var`, `color-mix`, `light-dark` and `calc`; None if something has no value."""
        found: Tokens = []
        for token in tokens:
            parts = self._resolved(token)
            if parts is None:
                return None
            found += parts
        return found

    def _resolved(self, token: Any) -> Tokens | None:
        if token.type == "() block":
            inside = self.resolved(token.content)
            return None if inside is None else parsed(f"({tinycss2.serialize(inside)})")
        if token.type != "function":
            return [token]
        if token.lower_name == "var":
            name, *fallback = split(token.arguments)
            value = self.of(tinycss2.serialize(name).strip())
            return self.resolved(fallback[0]) if value is None and fallback else value
        arguments = self.resolved(token.arguments)
        if arguments is None:
            return None
        match token.lower_name:
            case "light-dark":
                return split(arguments)[0]
            case "color-mix":
                return self._mixed(*split(arguments)[1:])
            case "calc":
                return parsed("{:g}{}".format(*computed(arguments)))
        return parsed(f"{token.name}({tinycss2.serialize(arguments)})")

    def _mixed(self, first: Tokens, second: Tokens) -> Tokens:
        """Two colours mixed by their shares, each counting as much as it covers."""
        (one, share), (other, other_share) = self._part(first), self._part(second)
        share = 1 - other_share if share is None and other_share is not None else 0.5 if share is None else share
        cover = share * one[3] + (1 - share) * other[3]
        mixed = [share * a * one[3] + (1 - share) * b * other[3] for a, b in zip(one[:3], other[:3], strict=True)]
        red, green, blue = (round(255 * channel / cover) if cover else 0 for channel in mixed)
        return parsed(f"rgba({red}, {green}, {blue}, {cover:.3f})")

    def _part(self, tokens: Tokens) -> tuple[Sequence[float], float | None]:
        """A colour of a mixture, as red, green, blue and alpha of 0 to 1, and its share if it is said."""
        share, colour = None, parse_color("transparent")
        for token in tokens:
            if token.type == "percentage":
                share = token.value / 100
            elif token.type != "whitespace":
                colour = parse_color(token)
        if colour == "currentcolor":
            colour = parse_color(next(iter(self.of("color") or parsed("black"))))
        if colour is None:
            raise ValueError(f"{tinycss2.serialize(tokens)!r} is not a colour.")
        return (*colour.to("srgb").coordinates, colour.alpha), share


def computed(tokens: Tokens) -> tuple[float, str]:
    """A sum or product of numbers and lengths, from left to right, and the unit of the result."""
    waiting: list[tuple[float, Any]] = []  # sums that wait for the product after them
    value, unit, operation = 0.0, "", add
    for token in stripped(tokens):
        if token.type == "literal":
            if token.value in "+-":
                waiting, value = [(total(waiting, value), OPERATIONS[token.value])], 0.0
                operation = add
            else:
                operation = OPERATIONS[token.value]
        elif token.type != "whitespace":
            number, own = (
                computed(token.content) if token.type == "() block" else (token.value, getattr(token, "unit", ""))
            )
            value, unit = operation(value, number), unit or own
    return total(waiting, value), unit


def total(waiting: list[tuple[float, Any]], value: float) -> float:
    """A sum so far, with what was waiting before it."""
    for before, operation in waiting:
        value = operation(before, value)
    return value


def parsed(text: str) -> Tokens:
    """Text as component values."""
    return list(tinycss2.parse_component_value_list(text))


def stripped(tokens: Sequence[Any]) -> Tokens:
    """Without spaces around."""
    found = list(tokens)
    while found and found[0].type == "whitespace":
        found.pop(0)
    while found and found[-1].type == "whitespace":
        found.pop()
    return found


def split(tokens: Sequence[Any]) -> list[Tokens]:
    """The arguments of a function, which commas separate."""
    found: list[Tokens] = [[]]
    for part in tokens:
        if part == ",":
            found.append([])
        else:
            found[-1].append(part)
    return [stripped(argument) for argument in found]
