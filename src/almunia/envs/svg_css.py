"""Inline the styles of an SVG as attributes of its elements, for renderers outside browsers.

Pictures of games use custom properties (`var(--paper)`), `color-mix` and `calc`, which browsers support. This module
computes the values of each element in the light theme. A `<use>` of anything but a symbol becomes a copy of its target.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
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
UNIT = re.compile(r"(?<=\d)[a-z%]+")
OPERATIONS: dict[type, Callable[[float, float], float]] = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}

Tokens = list[Any]  # component values of CSS, from tinycss2
Styles = dict[str, Tokens]  # tokens by property


def inline_styles(picture: str, width: int, height: int) -> str:
    """Return the picture with its styles as attributes, in a frame of `width` x `height` pixels."""
    root = ET.fromstring(picture)  # noqa: S314 - made by our own games
    copy = Stylesheet(root).inline(root, {})
    copy.set("width", str(width))
    copy.set("height", str(height))
    return ET.tostring(copy, "unicode")


class Stylesheet:
    """The styles of one picture, and the declarations that apply to each of its elements."""

    def __init__(self, root: ET.Element) -> None:
        matcher = cssselect2.Matcher()
        for rule in parse_rules("".join(style.text or "" for style in root.iter(f"{SVG}style"))):
            try:
                selectors = cssselect2.compile_selector_list(rule.prelude)
            except cssselect2.SelectorError:
                continue  # browsers skip unknown selectors too
            declared = parse_declarations(rule.content)
            for selector in selectors:
                matcher.add_selector(selector, declared)
        self._ids = {element.get("id"): element for element in root.iter()}
        self._declared = {
            wrapped.etree_element: cascade(matcher.match(wrapped), wrapped.etree_element)
            for wrapped in cssselect2.ElementWrapper.from_xml_root(root).iter_subtree()
        }

    def inline(self, element: ET.Element, inherited: Styles) -> ET.Element:
        """Return a copy of an element and its children, with styles as attributes of the elements."""
        passed_on, own = compute_styles(self._declared[element], inherited)
        attributes = {name: value for name, value in element.attrib.items() if name not in ("class", "style")}
        copy = ET.Element(element.tag, attributes | to_attributes(own))
        copy.text, copy.tail = element.text, element.tail
        children = list(element)
        target = self._ids.get(next((element.get(name, "") for name in HREFS if name in element.attrib), "")[1:])
        if element.tag == f"{SVG}use" and target is not None and target.tag != f"{SVG}symbol":
            children = [target]
            copy.tag = f"{SVG}g"  # a group at the position of the element
            x, y = copy.attrib.pop("x", "0"), copy.attrib.pop("y", "0")
            for name in ("width", "height", *HREFS):
                copy.attrib.pop(name, None)
            copy.set("transform", f"{copy.get('transform', '')} translate({x} {y})".strip())
        copy.extend(self.inline(child, passed_on) for child in children if child.tag != f"{SVG}style")
        if element.tag == f"{SVG}use":
            for part in copy:
                part.attrib.pop("id", None)
        return copy


# --- rules ----------------------------------------------------------------------------------------


def parse_rules(css: str | Tokens) -> Iterator[Any]:
    """Yield the rules of a style sheet that apply to a wide screen in the light theme, in order."""
    for rule in tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            yield rule
        elif rule.type == "at-rule" and "min-width" in tinycss2.serialize(rule.prelude):
            yield from parse_rules(rule.content)


def parse_declarations(content: Any) -> Styles:
    styles: Styles = {}
    for part in tinycss2.parse_declaration_list(content, skip_comments=True, skip_whitespace=True):
        if part.type == "declaration":
            name = part.name if part.name.startswith("--") else part.lower_name
            styles[name] = strip(part.value)
    return styles


def cascade(matches: Sequence[tuple[Any, int, str | None, Styles]], element: ET.Element) -> Styles:
    styles = {
        name: strip(tinycss2.parse_component_value_list(value))
        for name, value in element.attrib.items()
        if "(" in value and name.startswith(PAINTED)
    }
    for _, _, pseudo, declared in matches:
        if pseudo is None:
            styles |= declared
    return styles | parse_declarations(element.get("style", ""))


def to_attributes(styles: Styles) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for name, tokens in styles.items():
        value = tinycss2.serialize(tokens).strip()
        if name == "font" and (font := FONT.fullmatch(value)):
            attributes |= {f"font-{part}": text for part, text in font.groupdict().items() if text}
        elif name == "transform":
            attributes[name] = re.sub(r"(?<=\d)(?:px|deg)\b", "", value)
        elif name in PLAIN or name.startswith(PAINTED):
            attributes[name] = value
    return attributes


# --- values ----------------------------------------------------------------------------------------


def compute_styles(declared: Styles, inherited: Styles) -> tuple[Styles, Styles]:
    properties = CustomProperties(declared, inherited)
    inheritable = {name for name in declared if name.startswith("--") or name == "color"}
    passed_on = inherited | {name: value for name in inheritable if (value := properties.get(name)) is not None}
    properties = CustomProperties({}, passed_on)
    own = {name: properties.substitute(tokens) for name, tokens in declared.items() if not name.startswith("--")}
    return passed_on, {name: tokens for name, tokens in own.items() if tokens is not None}


class CustomProperties:
    """Custom properties, which may refer to each other and to inherited properties."""

    def __init__(self, declared: Styles, inherited: Styles) -> None:
        self._declared, self._inherited = dict(declared), inherited

    def get(self, name: str) -> Tokens | None:
        if name not in self._declared:
            return self._inherited.get(name)
        tokens = self._declared.pop(name)  # so that a cycle of references ends
        value = self.substitute(tokens)
        self._declared[name] = tokens
        return value

    def substitute(self, tokens: Tokens) -> Tokens | None:
        """Return the tokens with `var`, `color-mix`, `light-dark` and `calc` computed; None if a value is missing."""
        result: Tokens = []
        for token in tokens:
            parts = self._substitute(token)
            if parts is None:
                return None
            result += parts
        return result

    def _substitute(self, token: Any) -> Tokens | None:
        if token.type == "() block":
            inside = self.substitute(token.content)
            return None if inside is None else parse(f"({tinycss2.serialize(inside)})")
        if token.type != "function":
            return [token]
        if token.lower_name == "var":
            name, *fallback = split(token.arguments)
            value = self.get(tinycss2.serialize(name).strip())
            return self.substitute(fallback[0]) if value is None and fallback else value
        arguments = self.substitute(token.arguments)
        if arguments is None:
            return None
        match token.lower_name:
            case "light-dark":
                return split(arguments)[0]
            case "color-mix":
                return self._mix(*split(arguments)[1:])
            case "calc":
                return parse(eval_calc(arguments))
        return parse(f"{token.name}({tinycss2.serialize(arguments)})")

    def _mix(self, first: Tokens, second: Tokens) -> Tokens:
        """Return the mixture of two colours by their shares, weighted by alpha."""
        (one, share), (other, other_share) = self._mix_argument(first), self._mix_argument(second)
        share = 1 - other_share if share is None and other_share is not None else 0.5 if share is None else share
        alpha = share * one[3] + (1 - share) * other[3]
        mixed = [share * a * one[3] + (1 - share) * b * other[3] for a, b in zip(one[:3], other[:3], strict=True)]
        red, green, blue = (round(255 * channel / alpha) if alpha else 0 for channel in mixed)
        return parse(f"rgba({red}, {green}, {blue}, {alpha:.3f})")

    def _mix_argument(self, tokens: Tokens) -> tuple[Sequence[float], float | None]:
        """Return a colour as red, green, blue and alpha from 0 to 1, and its share, or None without a percentage.

        Raise ValueError for tokens that are not a colour.
        """
        share, colour = None, parse_color("transparent")
        for token in tokens:
            if token.type == "percentage":
                share = token.value / 100
            elif token.type != "whitespace":
                colour = parse_color(token)
        if colour == "currentcolor":
            colour = parse_color(next(iter(self.get("color") or parse("black"))))
        if colour is None:
            raise ValueError(f"{tinycss2.serialize(tokens)!r} is not a colour.")
        return (*colour.to("srgb").coordinates, colour.alpha), share


def eval_calc(tokens: Tokens) -> str:
    """Return the value of a `calc` expression of numbers and lengths, with the first unit in the expression, if any."""
    text = tinycss2.serialize(tokens)
    number = evaluate(ast.parse(f"({UNIT.sub('', text)})", mode="eval").body)
    unit = UNIT.search(text)
    return f"{number:g}{unit[0] if unit else ''}"


def evaluate(node: ast.expr) -> float:
    """Return the value of an arithmetic expression of numbers. Raise ValueError or KeyError for other expressions."""
    match node:
        case ast.BinOp(left, operator, right):
            return OPERATIONS[type(operator)](evaluate(left), evaluate(right))
        case ast.UnaryOp(ast.USub(), operand):
            return -evaluate(operand)
        case ast.Constant(int() | float() as number):
            return number
    raise ValueError(f"{ast.unparse(node)!r} cannot be computed in calc().")


def parse(text: str) -> Tokens:
    return list(tinycss2.parse_component_value_list(text))


def strip(tokens: Sequence[Any]) -> Tokens:
    result = list(tokens)
    while result and result[0].type == "whitespace":
        result.pop(0)
    while result and result[-1].type == "whitespace":
        result.pop()
    return result


def split(tokens: Sequence[Any]) -> list[Tokens]:
    """Return the arguments of a CSS function, which commas separate, without surrounding white space."""
    arguments: list[Tokens] = [[]]
    for part in tokens:
        if part == ",":
            arguments.append([])
        else:
            arguments[-1].append(part)
    return [strip(argument) for argument in arguments]
