"""Oregon in words: actions, questions, the board as text, and the log."""

from ...core.contract import Line, Points, Ref, Who
from ...core.plain import CheckedRecord as State
from . import components as box
from .components import BUILT, EMPTY, LANDS, NONE, NOWHERE, Building, Deck, Sort, Terrain
from .decks import in_deck
from .rules import (
    DRAW,
    END,
    EXTRA,
    SPACE,
    SWAP,
    Over,
    Phase,
    another_may_help,
    apply_space,
    can_play,
    chosen_row,
    holds,
    opens,
)
from .scoring import tiles_left, worth

LETTERS = "abcdefghijklmnopqrstuvwxyz"
BUILDINGS = tuple(name.lower() for name in box.NAMES)
CARDS = (*box.SYMBOLS, *BUILDINGS, "joker")
DECKS = tuple(deck.name.lower() for deck in Deck)
SORTS = tuple(sort.name.lower() for sort in Sort)
TERRAINS = ("a plain space", "a mountain", "the railway", "water")
SHORT = tuple(name[:2] for name in box.NAMES)  # on the board in words
GROUNDS = ".^=~"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven")


# --- actions -----------------------------------------------------------------------------------


def say(s: State, action: int) -> str:
    """`play wagon`, `place at g5`, `draw a landscape card`, `exchange church`, and so on."""
    if action < SPACE:
        return f"{'discard' if stuck(s) else 'play'} {CARDS[action]}"
    if action < EXTRA:
        return f"place at {spot(action - SPACE)}"
    if action == EXTRA:
        return "use the extra turn"
    if action < SWAP:
        return f"draw a {DECKS[action - DRAW]} card"
    return "end the turn" if action == END else f"exchange {BUILDINGS[action - SWAP]}"


def offer(s: State, action: int) -> Line:
    """`Wagon`, `Space g5`, `Draw a landscape card`, `Exchange the church card`."""
    if action < SPACE:
        return [f"Discard {CARDS[action]}" if stuck(s) else CARDS[action].capitalize()]
    if action < EXTRA:
        return [f"Space {spot(action - SPACE)}"]
    if SWAP <= action < END:
        return [f"Exchange the {BUILDINGS[action - SWAP]} card"]
    return [say(s, action).capitalize()]


def parts(s: State, action: int) -> dict[str, str]:
    """The card, the space, the deck, or what else is done."""
    if action < SPACE:
        return {"card": CARDS[action]}
    if action < EXTRA:
        return {"space": spot(action - SPACE)}
    if action == EXTRA:
        return {"extra": "use"}
    if action < SWAP:
        return {"deck": DECKS[action - DRAW]}
    return {"end": "turn"} if action == END else {"exchange": BUILDINGS[action - SWAP]}


def effect(s: State, action: int) -> Line:
    """What a card opens, or what a placement earns."""
    if s.phase == Phase.SECOND and not stuck(s):
        trial = s.copy()
        trial.chosen[1] = action
        spaces = open_spaces(trial)
        best = max(earned(trial, after_placing(trial, cell), trial.turn) for cell in spaces)
        opened = f"{a_piece(trial)}, {counted(len(spaces), 'space')}"
        return [f"{opened}, up to ", Points(best)] if best > 0 else [opened]
    if s.phase == Phase.SPACE:
        after = after_placing(s, action - SPACE)
        line = [*(gains(s, after, s.turn) or ["nothing yet"])]
        for p in range(s.seats):
            if p != s.turn and (more := gains(s, after, p)):
                line += ["; ", Who(p), " gets ", *more]
        return line
    return ["two more cards of your hand, before you draw"] if action == EXTRA else []


def stuck(s: State) -> bool:
    """Can the seat to move play no two cards, so that it must discard two? [D7]"""
    if s.phase == Phase.SECOND:
        one = s.chosen[0]
        return not any(holds(s, s.turn, kind, one) and opens(s, one, kind) for kind in range(box.KINDS + 1))
    return s.phase == Phase.FIRST and knows_hand(s, s.turn) and not can_play(s)


def knows_hand(s: State, seat: int) -> bool:
    """Are the cards of this hand in the state, or only their number?"""
    me = s.seat[seat]
    return sum(me.hand) == sum(me.cards)


def open_spaces(s: State) -> list[int]:
    """The empty spaces that the two cards chosen open."""
    row = chosen_row(s)
    cells = (box.OPENED[row, i] for i in range(box.LENGTH[row]))
    return [cell for cell in cells if s.space[cell] == EMPTY]


def after_placing(s: State, cell: int) -> State:
    """The position once the cards chosen have placed something here."""
    after = s.copy()
    apply_space(after, cell)
    return after


def earned(before: State, after: State, seat: int) -> int:
    """The points a seat has won between two positions."""
    return int(after.seat[seat].score - before.seat[seat].score)


def a_piece(s: State) -> str:
    """What the cards chosen place: `a farmer`, `a church`."""
    what = box.PLACED[chosen_row(s)]
    return "a farmer" if what == box.FARMER else f"a {BUILDINGS[what]}"


def spot(cell: int) -> str:
    """The name of a space: a letter for its column, a number for its row [D24]."""
    return f"{LETTERS[cell % box.COLUMNS]}{cell // box.COLUMNS + 1}"


def counted(number: int, noun: str) -> str:
    """`1 space`, `11 spaces`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


# --- the question ----------------------------------------------------------------------------


def ask(s: State) -> str:
    """The question put to the seat to move."""
    match s.phase:
        case Phase.START:
            return ask_start(s)
        case Phase.FIRST:
            if stuck(s):
                return "You can play no two of your cards: discard two. Choose the first one."
            return f"{'Your extra turn: play' if s.again else 'Play'} two cards. Choose the first one."
        case Phase.SECOND:
            one = CARDS[s.chosen[0]]
            return f"Choose the card to {'discard' if stuck(s) else 'play'} with the {one}."
        case Phase.SPACE:
            return f"Place {a_piece(s)}: choose a space."
    return ask_draw(s)


def ask_start(s: State) -> str:
    """Where the start tile may go."""
    building = s.seat[s.turn].start
    terrain = TERRAINS[Terrain[box.DATA["building"][building]["terrain"].upper()]]
    water = " beside water" if box.DATA["building"][building]["must_touch_water"] else ""
    return f"Place your start tile, a {BUILDINGS[building]}, on {terrain}{water}."


def ask_draw(s: State) -> str:
    """What may be done after scoring."""
    extra = s.phase == Phase.EXTRA and knows_hand(s, s.turn) and can_play(s)
    missing = box.HAND - sum(s.seat[s.turn].cards)
    if s.final:
        last = "This was your last turn, so you draw no cards"
        return f"{last}. Use your extra turn, or end the turn." if extra else f"{last}: end the turn."
    swap = " You may exchange a useless building card." if useless(s) else ""
    if missing:
        first = " first" if missing > 1 else ""
        if extra:
            return f"Use your extra turn, or draw {counted(missing, 'card')}: from which deck{first}?{swap}"
        return f"Draw {counted(missing, 'card')}. From which deck{first}?{swap}"
    return f"Your hand is full: end the turn.{swap}"


def useless(s: State) -> list[Building]:
    """The building cards of the seat to move that may be exchanged."""
    hand = s.seat[s.turn].hand
    held = [building for building in Building if hand[LANDS + building] and not s.stock[building]]
    return held if another_may_help(s) else []


# --- the position --------------------------------------------------------------------------------


def board(s: State, seat: int) -> str:
    """The board as a grid, a line for each player, the reader's own hand, and what is left."""
    lines = [*grid(s), legend(), ""]
    lines += [player(s, p) for p in range(s.seats)]
    if seat != NONE:
        lines += ["", f"Your hand: {listed(hand_of(s, seat))}."]
        if sum(s.seat[seat].tiles):
            lines.append(f"Your tiles: {tiles_shown(s, seat)}.")
    stacks = ", ".join(f"{BUILDINGS[b]} {s.stock[b]}" for b in Building)
    lines += ["", f"Stacks: {stacks}; coal {tiles_left(s, Sort.COAL)}, gold {tiles_left(s, Sort.GOLD)}."]
    for deck in Deck:
        gone = [f"{CARDS[kind]} {s.discard[kind]}" for kind in kinds_of(deck) if s.discard[kind]]
        lines.append(f"{deck.name.capitalize()} deck: {in_deck(s, deck)}; discards: {', '.join(gone) or 'none'}.")
    return "\n".join(lines)


def grid(s: State) -> list[str]:
    """The spaces, with the symbols and names of rows and columns along the edges."""
    margin = " " * (max(map(len, box.SYMBOLS)) + 4)
    wide = 3 * box.AREA_WIDTH
    lines = [margin + "".join(f"{box.SYMBOLS[symbol]:<{wide}}" for symbol in box.TOP).rstrip()]
    lines.append(margin + "".join(f"{letter:<3}" for letter in LETTERS[: box.COLUMNS]).rstrip())
    for row in range(box.ROWS):
        symbol = box.SYMBOLS[box.LEFT[row // box.AREA_HEIGHT]] if row % box.AREA_HEIGHT == 0 else ""
        cells = "".join(f"{square(s, row * box.COLUMNS + column):<3}" for column in range(box.COLUMNS))
        lines.append(f"{symbol:<{len(margin) - 4}} {row + 1:>2} {cells}".rstrip())
    return lines


def square(s: State, cell: int) -> str:
    """One space of the grid: its terrain, a farmer's seat, or a building."""
    piece = s.space[cell]
    if piece == EMPTY:
        return GROUNDS[box.TERRAIN[cell]]
    return SHORT[piece - BUILT] if piece >= BUILT else f"F{piece + 1}"


def legend() -> str:
    """What the signs of the grid mean."""
    grounds = ", ".join(f"{GROUNDS[ground]} {ground.name.lower()}" for ground in Terrain)
    return f"{grounds}; F1 a farmer of seat 1; {', '.join(f'{SHORT[b]} {BUILDINGS[b]}' for b in Building)}."


def player(s: State, p: int) -> str:
    """What everybody knows of a player."""
    facts_on = ", ".join(f"{label.lower()} {value}" for label, value in facts(s, p))
    return f"Seat {p + 1}: {counted(s.seat[p].score, 'point')}, {facts_on}."


def facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Farmers at hand, landscape and building cards in hand, which tokens are active, coal and gold."""
    me = s.seat[seat]
    found = [("Farmers", str(me.farmers))]
    if not s.over:
        found += [
            ("Hand", f"{me.cards[Deck.LANDSCAPE]}+{me.cards[Deck.BUILDING]}"),
            ("Joker", "on" if me.joker else "off"),
            ("Extra", "on" if me.extra else "off"),
        ]
    for sort in Sort:
        if me.tiles[sort]:
            value = f" (worth {sum(values(s, seat, sort))})" if s.over else ""
            found.append((sort.name.capitalize(), f"{me.tiles[sort]}{value}"))
    return found


def hand_of(s: State, seat: int) -> list[str]:
    """The cards of a hand by name, one by one."""
    return [CARDS[kind] for kind in range(box.KINDS) for _ in range(s.seat[seat].hand[kind])]


def listed(names: list[str]) -> str:
    """`wagon, bison and church`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else (names or ["empty"])[0]


def values(s: State, seat: int, sort: int) -> list[int]:
    """What the tiles of a seat are worth, as far as they may be seen."""
    faces = s.seat[seat].faces
    return [int(box.WORTH[sort, face]) for face in range(box.FACES) for _ in range(faces[sort, face])]


def tiles_shown(s: State, seat: int) -> str:
    """`coal 1 + 3, gold 5`."""
    shown = {sort: values(s, seat, sort) for sort in Sort}
    return ", ".join(f"{SORTS[sort]} {' + '.join(map(str, found))}" for sort, found in shown.items() if found)


def kinds_of(deck: int) -> range:
    """The kinds of card of a deck."""
    return range(box.BEGIN[deck], box.BEGIN[deck + 1])


# --- the log -------------------------------------------------------------------------------------


def tell(before: State, action: int, after: State) -> list[Line]:
    """What was placed and what it earned, cards drawn and exchanged, and the end."""
    p = before.turn
    lines: list[Line] = []
    if before.phase == Phase.START:
        what = f"{BUILDINGS[before.seat[p].start]} at {spot(after.last)}"
        lines.append([Who(p), " places the start tile: ", Ref(what, f"space-{after.last}"), "."])
    elif after.last != before.last:
        lines += told_placing(before, after)
    elif action == EXTRA:
        lines.append([Who(p), " uses the extra turn."])
    elif EXTRA < action < END:
        lines += told_drawing(before, action, after)
    elif spent := discarded(before, after):
        lines.append([Who(p), f" can play nothing, and discards {listed(spent)}."])
    if after.final and not before.final:
        cause = [Who(p), " has placed the last farmer."] if after.final == Over.FARMERS else [why(after)]
        lines.append([*cause, " The round is played out."])
    if after.over:
        for q in range(after.seats):
            if sum(after.seat[q].tiles):
                lines.append([Who(q), f" shows {tiles_shown(after, q)}: ", Points(earned(before, after, q)), "."])
        lines.append([ending(after)])
    return lines


def told_placing(before: State, after: State) -> list[Line]:
    """The cards played, what they placed and where, and what everybody earned."""
    p, cell = before.turn, after.last
    piece = after.space[cell]
    what = f"a {BUILDINGS[piece - BUILT]}" if piece >= BUILT else "a farmer"
    cards = discarded(before, after)
    played = listed(cards if len(cards) > 1 else [*cards, "the joker"])
    place = Ref(f"{what} at {spot(cell)}", f"space-{cell}")
    lines: list[Line] = [[Who(p), f" plays {played}: ", place, *told_gain(before, after, p, ": "), "."]]
    for i in range(1, after.seats):
        q = (p + i) % after.seats
        if gain := told_gain(before, after, q, " earns "):
            lines.append([Who(q), *gain, "."])
    return lines


def told_gain(before: State, after: State, seat: int, lead: str) -> list[str | Points]:
    """What a seat has earned by a placement, with the reasons; nothing if that is nothing."""
    points, why, more = earned(before, after, seat), reasons(before, after, seat), spoils(before, after, seat)
    if points:
        rest = [f" ({', '.join(why)})"] if why else []
        return [lead, Points(points), *rest, *([f" and {listed(more)}"] if more else [])]
    return [lead, listed(more)] if more else []


def gains(before: State, after: State, seat: int) -> Line:
    """The same without the reasons and the values of tiles; empty if there is nothing."""
    points, more = earned(before, after, seat), ", ".join(spoils(before, after, seat, shown=False))
    if not points:
        return [more] if more else []
    return [Points(points), f", {more}"] if more else [Points(points)]


def reasons(before: State, after: State, seat: int) -> list[str]:
    """Which buildings and groups have earned a seat points."""
    cell = after.last
    piece = after.space[cell]
    near = [after.space[spot] for spot in box.TOUCHING[cell] if spot != NOWHERE]
    if piece >= BUILT:
        count = near.count(seat)
        each = worth(after, piece - BUILT, cell)
        return [f"{count} farmers, {each} each"] if count > 1 else []
    spots = [spot for spot in box.TOUCHING[cell] if spot != NOWHERE and after.space[spot] >= BUILT]
    pay = [(BUILDINGS[after.space[spot] - BUILT], worth(after, after.space[spot] - BUILT, spot)) for spot in spots]
    why = [f"{name} {points}" for name, points in pay if points]
    if earned(before, after, seat) > sum(points for _, points in pay):
        why.append(f"a group {box.GROUP_POINTS}")
    return why


def spoils(before: State, after: State, seat: int, *, shown: bool = True) -> list[str]:
    """Tiles taken, with their values if they may be seen, and tokens turned to their active side."""
    found = []
    for sort, taken in tiles_taken(before, after, seat):
        new = values(after, seat, sort)
        for value in values(before, seat, sort):
            new.remove(value)
        words = f" (worth {' + '.join(map(str, new))})" if new and shown else ""
        found.append((f"{taken} {SORTS[sort]} tiles" if taken > 1 else f"a {SORTS[sort]} tile") + words)
    return found + [f"the {token} token" for token in tokens_turned(before, after, seat)]


def tiles_taken(before: State, after: State, seat: int) -> list[tuple[Sort, int]]:
    """How many coal and gold tiles a seat has taken, where it has taken any."""
    more = [(sort, int(after.seat[seat].tiles[sort] - before.seat[seat].tiles[sort])) for sort in Sort]
    return [(sort, count) for sort, count in more if count]


def tokens_turned(before: State, after: State, seat: int) -> list[str]:
    """The tokens of a seat that a placement has turned to their active side."""
    was, now = before.seat[seat], after.seat[seat]
    used = seat == before.turn and len(discarded(before, after)) == 1
    joker = ["joker"] if now.joker and (used or not was.joker) else []
    return [*joker, "extra turn"] if now.extra and not was.extra else joker


def discarded(before: State, after: State) -> list[str]:
    """The cards that have come to the discards, by name."""
    more = [after.discard[kind] - before.discard[kind] for kind in range(box.KINDS)]
    return [CARDS[kind] for kind in range(box.KINDS) for _ in range(more[kind])]


def told_drawing(before: State, action: int, after: State) -> list[Line]:
    """A card drawn or exchanged, by name if it is the reader's own, and a deck shuffled anew."""
    p = before.turn
    deck = Deck.BUILDING if action >= SWAP else Deck(action - DRAW)
    swapped = LANDS + action - SWAP if action >= SWAP else NONE
    was, now = before.seat[p].hand, after.seat[p].hand
    new = [CARDS[kind] for kind in range(box.KINDS) if now[kind] > was[kind] - (kind == swapped)]
    named = f": {new[0]}" if knows_hand(after, p) else ""
    lines: list[Line] = []
    if swapped == NONE:
        lines.append([Who(p), f" draws a {DECKS[deck]} card{named}."])
    else:
        lines.append([Who(p), f" exchanges the useless {CARDS[swapped]} card{named}."])
    if any(after.discard[kind] < before.discard[kind] for kind in kinds_of(deck)):
        lines.append([f"The discarded {DECKS[deck]} cards are shuffled: they are the deck now."])
    return lines


# --- the end -----------------------------------------------------------------------------------


def why(s: State) -> str:
    """What has brought the end about."""
    if s.final == Over.FARMERS:
        return "The last farmer of a player is placed."
    return f"{NUMBERS[list(s.stock).count(0)].capitalize()} stacks of buildings are empty."


def ending(s: State) -> str:
    """Why the play is over."""
    return f"{why(s)} The round has been played out."


def verdict(s: State, seat: int) -> list[str]:
    """The score, and what of it lay face down."""
    me = s.seat[seat]
    hidden = sum(sum(values(s, seat, sort)) for sort in Sort)
    shown = f", and {tiles_shown(s, seat)}" if hidden else ""
    return [
        f"{counted(me.score, 'point')}: {me.score - hidden} on the track{shown}.",
        f"{counted(box.FARMERS - me.farmers, 'farmer')} on the board.",
    ]
