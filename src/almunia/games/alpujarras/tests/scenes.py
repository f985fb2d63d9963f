"""The words of Alpujarras' scenarios: changes of a position, queries, and invariants."""

from typing import Any

from ....core.contract import NONE
from .. import components as box
from ..components import AWARD_SIDES, CARD_IDS, CHANNEL_IDS, COLOURS, DATA, FRUITS, SEGMENT_IDS
from ..rules.phases import next_turn
from ..rules.state import CARD_SALES, COVERED, DUG, FREE, MULES, NOWHERE, SEATS, TOKEN_SALES, ZARA, Phase
from ..rules.zara import top_card_back
from ..text.position import SOURCES
from ..text.words import GOAL_IDS, back_words, owed_words

AWARD_IDS = [award["id"] for award in DATA["award_token"]]
ALL_SEGMENTS = "go m1 h1 m2 h2 m3 h3 m4 h4 end"
PLACES = ("start", "standard", "market", "harvest", "end")


# --- changes by scenarios -------------------------------------------------------------------------------


def put(s: Any, words: str) -> None:
    """Change a position by a command, such as `fruit 5 grape for seat 1`. Without a seat, the command is for seat 0."""
    words, _, seat = words.partition(" for seat ")
    me = s.seat[int(seat or 0)]
    what, _, rest = words.partition(" ")
    changes = {
        "fruit": put_fruit,
        "farmers": put_farmers,
        "villagers": put_villagers,
        "token": put_token,
        "tokens": put_tokens,
        "growing": put_growing,
    }
    if what in changes:
        changes[what](s, me, rest)
    elif what == "goal" and rest.startswith("tokens"):
        number = int(rest.split()[1])
        s.goal_tokens -= number - me.goal_tokens
        me.goal_tokens = number
    else:
        put_more(s, what, rest)


def put_fruit(s: Any, me: Any, rest: str) -> None:
    """Set the number of a fruit in a player's hand, and adjust the supply: `fruit 5 grape`."""
    number, kind = rest.split()
    fruit = FRUITS.index(kind)
    s.supply[fruit] += me.fruit[fruit] - int(number)
    me.fruit[fruit] = int(number)


def put_farmers(s: Any, me: Any, rest: str) -> None:
    """Set the number of a player's farmers in a farmland, and adjust the supply: `farmers 2 in red`."""
    number, _, colour = rest.partition(" in ")
    land = COLOURS.index(colour)
    me.farmers += me.farmland[land] - int(number)
    me.farmland[land] = int(number)


def put_villagers(s: Any, me: Any, rest: str) -> None:
    """Set the number of a player's farmers in a village, and adjust the supply: `villagers 1 in red`."""
    number, _, colour = rest.partition(" in ")
    land = COLOURS.index(colour)
    me.farmers += me.village[land] - int(number)
    me.village[land] = int(number)


def put_token(s: Any, me: Any, rest: str) -> None:
    """Put a delivery token in a village, `token 4 cherry in red`, or before the player, `token 4 cherry taken`."""
    number, kind, *where = rest.split()
    fruit, size = FRUITS.index(kind), list(box.NUMBERS).index(int(number))
    for village in range(box.LANDS):
        if s.token[village, fruit, size]:
            s.token[village, fruit, size] -= 1
            break
    if where == ["taken"]:
        me.token[fruit, size] += 1
    else:
        s.token[COLOURS.index(where[1]), fruit, size] += 1


def put_tokens(s: Any, me: Any, rest: str) -> None:
    """Remove delivery tokens from the villages, by fruit or by village: `tokens none of apple`."""
    _, preposition, name = rest.split()
    for village in range(box.LANDS):
        for fruit in range(box.LANDS):
            for size in range(box.SIZES):
                if name == (FRUITS[fruit] if preposition == "of" else COLOURS[village]):
                    s.token[village, fruit, size] = 0


def put_growing(s: Any, me: Any, rest: str) -> None:
    """Set the number of a fruit in a farmland, and adjust the supply: `growing 2 lemon in orange`."""
    number, kind, _, colour = rest.split()
    land, fruit = COLOURS.index(colour), FRUITS.index(kind)
    s.supply[fruit] += s.growing[land, fruit] - int(number)
    s.growing[land, fruit] = int(number)


def put_more(s: Any, what: str, rest: str) -> None:
    """Apply a command that belongs to no player, such as `mules 5 6 7`."""
    changes = {
        "market": put_market,
        "award": lambda s, rest: put_award(s, *rest.split(" in ")),
        "open": lambda s, rest: put_cards(s, s.open, rest),
        "deck": lambda s, rest: put_cards(s, s.deck, rest),
        "empty": put_away_deck,
        "goals": put_goals,
        "claimed": put_claim,
        "channel": put_channel,
        "supply": put_supply,
        "segments": put_segments,
        "mules": put_mules,
    }
    changes[what](s, rest)


def put_market(s: Any, rest: str) -> None:
    """Set the market card: `market grape apple cherry lemon orange`."""
    for place, kind in enumerate(rest.split()):
        s.market[place] = FRUITS.index(kind)


def put_goals(s: Any, rest: str) -> None:
    """Turn up these sides of goal cards: `goals fruit3 villages4`."""
    for goal in map(GOAL_IDS.index, rest.split()):
        s.goal[goal // 2] = goal


def put_claim(s: Any, rest: str) -> None:
    """Give a space of a goal to a seat: `claimed fruit3 1 2` gives the first space to seat 2."""
    goal, space, owner = rest.split()
    s.claimed[GOAL_IDS.index(goal) // 2, int(space) - 1] = int(owner)


def put_channel(s: Any, rest: str) -> None:
    """Put a channel token without or with a crop on a space: `channel c1s dug`, `channel c1i apple`."""
    space, crop = rest.split()
    s.channel[CHANNEL_IDS.index(space)] = DUG if crop == "dug" else FRUITS.index(crop)


def put_supply(s: Any, rest: str) -> None:
    """Set the number of a fruit in the supply: `supply 1 cherry`."""
    number, kind = rest.split()
    s.supply[FRUITS.index(kind)] = int(number)


def put_mules(s: Any, rest: str) -> None:
    """Place the mules in order of their numbers, and begin the next turn: `mules 5 6 7`."""
    for mule, position in enumerate(rest.split()):
        s.mule[mule] = int(position) - 1
    next_turn(s)


def put_award(s: Any, side: str, colour: str) -> None:
    """Exchange a village's award token for a named token, with a side up: `award a1 green in yellow`."""
    name, face = side.split()
    number, land = AWARD_IDS.index(name), COLOURS.index(colour)
    other = list(s.award).index(number)
    s.award[other], s.award[land] = s.award[land], number
    s.flipped[land] = (*AWARD_SIDES, "gone").index(face)


def put_cards(s: Any, target: Any, rest: str) -> None:
    """Bring the named cards into the row, `open d05 d01`, or to the top of the deck, `deck d05 d08`."""
    for i, card in enumerate(map(CARD_IDS.index, rest.split())):
        source = s.open if card in list(s.open) else s.deck
        place, to = list(source).index(card), i if len(target) == box.FACES_UP else s.left - 1 - i
        source[place], target[to] = target[to], card


def put_away_deck(s: Any, rest: str) -> None:
    """Empty the deck: `empty deck`."""
    s.left = s.known = 0
    for place in range(len(s.deck)):
        s.deck[place] = NONE


def put_segments(s: Any, rest: str) -> None:
    """Lay the segments in the order of ALL_SEGMENTS: `segments in order`."""
    side, end = box.SIDE[s.seats], 0
    for name in ALL_SEGMENTS.split():
        segment = SEGMENT_IDS.index(name)
        for place in range(box.LENGTH[side, segment]):
            s.track[end] = box.FIRST_PLACE[side, segment] + place
            end += 1


# --- facts for scenarios ---------------------------------------------------------------------------------


def look(s: Any, question: str) -> str:
    """Answer a query about a position, such as `fruit` or `seat 1/farmland red`. Without a seat, seat 0 is meant."""
    seat, _, rest = question.partition("/")
    me = s.seat[int(seat.split()[1])] if rest else s.seat[0]
    what, _, name = (rest or question).partition(" ")
    own = {
        "fruit": lambda: heap(me.fruit),
        "farmland": lambda: str(me.farmland[COLOURS.index(name)]),
        "village": lambda: str(me.village[COLOURS.index(name)]),
        "earned": lambda: ", ".join(f"{n} {me.earned[i]}" for i, n in enumerate(SOURCES) if me.earned[i]) or "nothing",
    }
    return own[what]() if what in own else look_around(s, what, name)


def look_around(s: Any, what: str, name: str) -> str:
    answers = {
        "growing": lambda: heap(s.growing[COLOURS.index(name)]),
        "supply": lambda: str(s.supply[FRUITS.index(name)]),
        "market": lambda: " ".join(FRUITS[fruit] for fruit in s.market),
        "award": lambda: award_of(s, COLOURS.index(name)),
        "tokens": lambda: tokens_in(s, COLOURS.index(name)),
        "open": lambda: " ".join(CARD_IDS[card] for card in s.open if card != NONE),
        "top": lambda: back_words(top_card_back(s)),
        "known": lambda: " ".join(CARD_IDS[s.deck[i]] for i in range(s.known)) or "none",
        "goal": lambda: claims(s, GOAL_IDS.index(name)),
        "channel": lambda: channel(s.channel[CHANNEL_IDS.index(name)]),
        "phase": Phase(s.phase).name.lower,
        "owed": lambda: (
            ", ".join(w for layer in s.owed for w in owed_words(list(layer.todo), layer.shield)) or "nothing"
        ),
        "mule": lambda: str(s.mule[int(name)] + 1),
        "place": lambda: (
            f"{SEGMENT_IDS[box.PLACE_SEGMENT[s.track[int(name) - 1]]]} {PLACES[box.PLACE_KIND[s.track[int(name) - 1]]]}"
        ),
    }
    return answers[what]()


def heap(numbers: Any) -> str:
    """Return fruits in words, such as `2 lemon, 1 cherry`, or `none`."""
    return ", ".join(f"{count} {FRUITS[fruit]}" for fruit, count in enumerate(numbers) if count) or "none"


def award_of(s: Any, land: int) -> str:
    return f"{AWARD_IDS[s.award[land]]} {AWARD_SIDES[s.flipped[land]]}" if s.flipped[land] < 2 else "gone"


def tokens_in(s: Any, village: int) -> str:
    listed = [
        f"{box.NUMBERS[size]} {FRUITS[fruit]}"
        for fruit in range(box.LANDS)
        for size in range(box.SIZES)
        for _ in range(s.token[village, fruit, size])
    ]
    return ", ".join(listed) or "none"


def claims(s: Any, goal: int) -> str:
    words = {FREE: "free", COVERED: "covered"}
    return ", ".join(words.get(owner, f"seat {owner}") for owner in s.claimed[goal // 2])


def channel(crop: int) -> str:
    return {NONE: "empty", DUG: "dug"}.get(crop) or FRUITS[crop]


# --- invariants ---------------------------------------------------------------------------------------------------


def broken(s: Any) -> str:
    """Return a sentence on the first broken invariant, or an empty string."""
    for law in (broken_fruit, broken_farmers, broken_tokens, broken_cards, broken_track, broken_scores):
        fault = law(s)
        if fault:
            return fault
    return ""


def broken_fruit(s: Any) -> str:
    """Return a sentence on wrong fruits, crop tokens or places of the market card, or an empty string."""
    for fruit, name in enumerate(FRUITS):
        held = [s.seat[p].fruit[fruit] for p in range(s.seats)]
        total = s.supply[fruit] + sum(s.growing[land, fruit] for land in range(box.LANDS)) + sum(held) + 1
        if total != box.FRUIT_EACH or s.supply[fruit] < 0:
            return f"there are {total} of {name}"
        if not all(0 <= count <= box.MOST_FRUIT for count in held):
            return f"hands hold {held} of {name}"
        if sum(crop == fruit for crop in s.channel) > box.CROP_TOKENS:
            return f"there are too many crops of {name}"
    return "" if sorted(s.market) == list(range(box.LANDS)) else f"the market card holds {list(s.market)}"


def broken_farmers(s: Any) -> str:
    """Return a sentence on wrong farmers, goals, norias or goal tokens, or an empty string."""
    for p in range(s.seats):
        me = s.seat[p]
        total = me.farmers + sum(me.farmland) + sum(me.village) + sum(owner == p for row in s.claimed for owner in row)
        total += p == s.turn and s.moving_from != NONE
        total -= p == s.turn and s.calling_farmer
        if total != box.FARMERS or me.farmers < 0:
            return f"player {p} has {total} farmers"
        if any(sum(owner == p for owner in row) > 1 for row in s.claimed):
            return f"player {p} has completed a goal twice"
        if not 0 <= me.norias <= box.MOST_NORIAS:
            return f"player {p} has {me.norias} norias"
    tokens = s.goal_tokens + sum(s.seat[p].goal_tokens for p in range(s.seats))
    return "" if tokens == box.GOAL_TOKENS else f"there are {tokens} goal tokens"


def broken_tokens(s: Any) -> str:
    """Return a sentence on wrong delivery tokens or villagers, or an empty string."""
    for fruit in range(box.LANDS):
        for size in range(box.SIZES):
            there = sum(s.token[village, fruit, size] for village in range(box.LANDS))
            there += sum(s.seat[p].token[fruit, size] for p in range(s.seats))
            all_of_them = box.TOKENS_EACH[size] - (box.A_TWO_LESS[s.seats] if size == box.TWO else 0)
            if there > all_of_them or (there < all_of_them and not box.WITH_ZARA[s.seats]):
                return f"there are {there} of the {box.NUMBERS[size]} of {FRUITS[fruit]}"
    delivered = sum(sum(s.seat[p].village) for p in range(s.seats))
    taken = sum(sum(map(sum, s.seat[p].token)) for p in range(s.seats))
    return "" if delivered == taken else f"{delivered} farmers are in villages for {taken} tokens"


def broken_cards(s: Any) -> str:
    deck = [s.deck[place] for place in range(s.left)]
    face_up = [card for card in s.open if card != NONE]
    taken = [card for card in range(box.CARDS) if s.taken[card] != NONE]
    if sorted(deck + face_up + taken) != list(range(box.CARDS)):
        return f"the cards are {deck}, {face_up} and {taken}"
    if not 0 <= s.known <= s.left or any(card != NONE for card in list(s.deck)[s.left :]):
        return f"{s.known} of {s.left} cards are known"
    return "" if sorted(s.award) == list(range(box.AWARDS)) else f"the awards are {list(s.award)}"


def broken_track(s: Any) -> str:
    places = [place for place in s.track if place != NOWHERE]
    if len(set(places)) != len(places) or len(places) != sum(box.LENGTH[box.SIDE[s.seats]]):
        return f"the track has the places {places}"
    standing = [s.mule[mule] for mule in range(MULES) if s.mule[mule] != NOWHERE]
    if len(set(standing)) != len(standing) or len(standing) != s.seats + box.WITH_ZARA[s.seats]:
        return f"mules stand at {standing}"
    if s.seats == SEATS - 2 and s.mule[ZARA] == NOWHERE:
        return "Zara is missing"
    return ""


def broken_scores(s: Any) -> str:
    for p in range(s.seats):
        me = s.seat[p]
        tokens = sum(me.token[f, i] * box.REWARD[i] for f in range(box.LANDS) for i in range(box.SIZES))
        cards = sum(box.WORTH[card] for card in range(box.CARDS) if s.taken[card] == p)
        if (me.earned[TOKEN_SALES], me.earned[CARD_SALES]) != (tokens, cards):
            return f"player {p} has earned {list(me.earned)} with tokens for {tokens} and cards for {cards}"
    return ""
