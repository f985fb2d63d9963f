"""Comparison of whole plays of Alpujarras with the implementation in `naive`."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import almunia
from almunia.games.alpujarras import components as box
from almunia.games.alpujarras.components import CHANNEL_IDS, COLOURS, DATA, FRUITS
from almunia.games.alpujarras.rules import state as numbers
from almunia.games.alpujarras.rules.state import ActionKind, Phase
from almunia.games.alpujarras.tests import naive
from almunia.games.alpujarras.tests.book import Book
from almunia.games.alpujarras.tests.naming import (
    ADJACENT,
    CARDS,
    PRIMARIES,
    STARTS,
    by_land,
    heap,
    layers,
    legal_of,
    mules_of,
    taken_by,
    tokens_of,
    track_of,
)
from almunia.games.alpujarras.text.words import GOAL_IDS

PLAIN = almunia.game("alpujarras", "plain")
FAST = almunia.game("alpujarras")
SHORT = 7  # number of places that mules choose from, so that plays are long


# --- whole plays -------------------------------------------------------------------------------------------


def chosen(play, rng):
    legal = play.legal_actions
    if play.phase == Phase.GO:
        near = [action for action in legal if action < numbers.ADD][:SHORT]
        return rng.choice(near + [action for action in legal if action >= numbers.ADD and rng.random() < 0.25])
    rare = [a for a in legal if numbers.GOAL <= a < numbers.HARVEST]  # goals and deliveries
    if rare and rng.random() < 0.7:
        return rng.choice(rare)
    eager = [a for a in legal if not numbers.SKIP <= a < numbers.GIVE or rng.random() < 0.15]
    return rng.choice(eager or legal)


@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 4]), st.booleans())
def test_plays_agree_in_legal_actions_and_effects(seed, seats, scarce):
    compare_play(FAST, seed, seats, scarce)


def compare_play(game, seed, seats, scarce):
    """Compare a random play with `naive`, and return its events with their numbers."""
    play, rng, seen = game.new(seats=seats, seed=seed), Random(seed), Counter()
    stands = naive.token_setup_stands(
        tokens_of(play.state),
        FRUITS,
        DATA["delivery_tokens"]["numbers" if seats == 4 else "two_three_player_numbers"],
    )
    assert stands
    if scarce:
        make_scarce(play, rng)
    track, book = track_of(play.state), Book()
    while not play.over:
        compare_turn(play, track)
        compare_legal(play, track, book)
        action = chosen(play, rng)
        before, kind = play.copy(), int(numbers.KIND_OF_CODE[action])
        arg = action - int(numbers.KIND_OFFSETS[kind])
        owed = [layer.copy() for layer in book.todo]
        book.note(before, kind, arg)
        play.apply(action)
        seen.update([ActionKind(kind).name, "asked " + Phase(before.phase).name])
        seen.update(compare_outcome(before, kind, arg, play, track, owed))
        compare_owed(play, book)
    assert naive.mule_to_move(mules_of(play.state), range(seats), track) is None
    compare_ranks(play)
    return seen


def make_scarce(play, rng):
    """Leave few farmers and fruit in the supplies, and give each player farmers, fruit, norias and goal tokens."""
    s = play.state
    for p in range(s.seats):
        me = s.seat[p]
        me.farmers, me.norias, me.goal_tokens = 2, rng.randrange(6), 2
        for _ in range(8):
            me.farmland[rng.randrange(box.LANDS)] += 1
        for fruit in range(box.LANDS):
            me.fruit[fruit] = rng.choice((0, 2, 3, 5, 5))
    s.goal_tokens -= 2 * s.seats
    for fruit in range(box.LANDS):
        s.supply[fruit] = rng.randrange(3)
    play.refresh()


def compare_owed(play, book):
    s = play.state
    if book.market() and (book.delivered or book.carded) and play.phase not in (Phase.AWARD, Phase.MARKET):
        begun = any(layers(s)[i] for i in (numbers.AWARD, numbers.BOUGHT)) or play.phase not in (Phase.ACT, Phase.GO)
        if not begun:
            assert not any(payable(play, book))
            del book.todo[numbers.SPACE][box.MARKET]
    if not play.over and play.phase != Phase.GO:
        assert layers(s) == book.todo
    assert play.phase != Phase.MARKET or book.delivered != book.carded


def test_the_compared_plays_reach_every_event():
    """The plays of SHOWING_ALL reach every action, question and event."""
    seen = Counter()
    for seats, seed, scarce in SHOWING_ALL:
        seen += compare_play(PLAIN, seed, seats, scarce)
    assert set(seen) == EVENTS


EVENTS = {kind.name for kind in ActionKind} | {"asked " + phase.name for phase in Phase}
EVENTS |= {"two norias of a harvest", "green award", "red award", "no award", "goals", "further goals"}
EVENTS |= {"a noria for a crop", "no fruit for a crop", "norias lost", "a sale"}
SHOWING_ALL = ((2, 1, False), (2, 1, True), (2, 2, True), (3, 0, True), (4, 0, True))  # seats, seeds, and scarcity


def compare_turn(play, track):
    s = play.state
    if play.phase == Phase.GO:
        assert naive.mule_to_move(mules_of(s), range(s.seats), track) == play.turn
    elif play.phase == Phase.ZARA_ROLL:
        assert naive.mule_to_move(mules_of(s), range(s.seats), track) == "zara"


def compare_legal(play, track, book):
    s = play.state
    me, occupied = s.seat[s.turn], set(mules_of(s).values())
    if play.phase == Phase.GO:
        assert legal_of(play, ActionKind.GO) == naive.reachable_positions(s.mule[s.turn], occupied, track)
    if play.phase in (Phase.GO, Phase.ACT, Phase.OVERFLOW):
        wanted = naive.noria_purchases(
            me.norias, me.farmers, by_land(me.farmland), COLOURS, heap(me.fruit), heap(s.supply)
        )
        assert {price + 1 for price in legal_of(play, ActionKind.BUY)} == wanted
    else:
        assert not legal_of(play, ActionKind.BUY)
    if play.phase == Phase.PICK:
        wanted = naive.fruit_to_take(heap(s.growing[s.joined_land]), heap(me.fruit))
        assert {FRUITS[fruit] for fruit in legal_of(play, ActionKind.PICK)} == wanted
    if play.phase == Phase.GIVE:
        wanted = {given for given, _ in naive.fruit_exchanges(heap(me.fruit), heap(s.supply))}
        assert {FRUITS[fruit] for fruit in legal_of(play, ActionKind.GIVE)} == wanted
    if play.phase in (Phase.ACT, Phase.AWARD):
        compare_items(play, book)
    if play.phase in (Phase.ACT, Phase.MARKET):
        compare_market(play, book)
    if play.phase == Phase.ACT:
        compare_goals(play, track, book)


def compare_items(play, book):
    s, owed = play.state, book.todo[book.layer()]
    me = s.seat[s.turn]
    farmers = by_land(me.farmland)
    allowed = [COLOURS[i] for i in book.allowed(book.layer())]
    added = naive.farmer_additions(me.farmers, farmers, allowed) if owed[box.ADD] else set()
    moved = naive.farmer_moves(farmers, COLOURS) if owed[box.MOVE] else set()
    assert {COLOURS[i] for i in legal_of(play, ActionKind.ADD)} == {goal for source, goal in added if source is None}
    sources = {source for source, _ in added | moved if source}
    assert {COLOURS[i] for i in legal_of(play, ActionKind.FROM)} == sources
    dug = {CHANNEL_IDS[i] for i in range(box.CHANNELS) if s.channel[i] != numbers.NONE}
    spaces = naive.open_channel_spaces(STARTS, ADJACENT, dug) if owed[box.DIG] else set()
    assert {CHANNEL_IDS[i] for i in legal_of(play, ActionKind.DIG)} == spaces
    fruit = naive.fruit_to_take(heap(s.supply), heap(me.fruit)) if owed[box.FRUIT] else set()
    assert {FRUITS[i] for i in legal_of(play, ActionKind.FRUIT)} == fruit
    assert legal_of(play, ActionKind.SKIP) == set(owed) - ({box.MARKET} if book.delivered or book.carded else set())
    assert bool(legal_of(play, ActionKind.NORIAS)) == (owed[box.NORIAS] > 0)


def delivery_of(arg):
    village, fruit, size = arg // (box.LANDS * box.SIZES), arg // box.SIZES % box.LANDS, arg % box.SIZES
    return COLOURS[village], FRUITS[fruit], int(box.NUMBERS[size])


def payable(play, book):
    s = play.state
    me, hand = s.seat[s.turn], heap(s.seat[s.turn].fruit)
    tokens = naive.possible_deliveries(tokens_of(s), by_land(me.farmland), hand)
    cards = {card for card in s.open if card >= 0 and naive.card_payable(CARDS[card]["fruits"], hand)}
    return (set() if book.delivered else tokens), (set() if book.carded else cards)


def compare_market(play, book):
    tokens, cards = payable(play, book) if book.market() else (set(), set())
    assert {delivery_of(arg) for arg in legal_of(play, ActionKind.DELIVER)} == tokens
    assert legal_of(play, ActionKind.CARD) == cards


def goals_of(play):
    """Return the goals that can be completed, the free spaces of every goal, and the player's completed goals."""
    s = play.state
    me = s.seat[s.turn]
    met = naive.goals_met(heap(me.fruit), by_land(me.farmland), by_land(me.village), taken_by(me))
    spaces, done = {}, set()
    for card in range(box.GOAL_CARDS):
        name, rewards = GOAL_IDS[s.goal[card]], DATA["goal"][s.goal[card]]["rewards"]
        taken = [i for i in range(box.GOAL_SPACES) if 0 <= s.claimed[card, i] < numbers.COVERED]
        spaces[name] = naive.open_reward_spaces(rewards, taken, s.seats)
        if s.turn in list(s.claimed[card]):
            done.add(name)
    return naive.completable_goals(met, spaces, done), spaces, done


def compare_goals(play, track, book):
    s = play.state
    shown = {GOAL_IDS[s.goal[card]]: card for card in range(box.GOAL_CARDS)}
    possible, spaces, done = goals_of(play)
    owed = book.todo[numbers.SPACE][box.GOAL] > 0
    usable = owed or (book.further and s.seat[s.turn].goal_tokens > 0)
    wanted = {(shown[name], space) for name in possible for space in spaces[name]} if usable else set()
    assert {divmod(arg, box.GOAL_SPACES) for arg in legal_of(play, ActionKind.GOAL)} == wanted
    at_end = track[s.mule[s.turn]].kind == "end"
    token = owed and naive.takes_goal_token(possible, done, at_end, s.goal_tokens)
    assert bool(legal_of(play, ActionKind.GOAL_TOKEN)) == token


def compare_outcome(before, kind, arg, play, track, owed):
    was, now = before.state, play.state
    me, then = was.seat[before.turn], now.seat[before.turn]
    hand, supply = heap(me.fruit), heap(was.supply)
    match kind:
        case ActionKind.HARVEST:
            farmers = {p: by_land(was.seat[p].farmland) for p in range(was.seats)}
            fruit, norias = naive.harvest(before.turn, farmers, PRIMARIES, hand, supply)
            assert heap(then.fruit) == {f: hand[f] + (f in fruit) for f in FRUITS}
            compare_gain(me.norias, norias, play, then)
            yield from ["two norias of a harvest"] * (norias >= 2)
        case ActionKind.NORIAS:
            layer = owed[numbers.AWARD if before.phase == Phase.AWARD else numbers.SPACE]
            compare_gain(me.norias, layer[box.NORIAS], play, then)
        case ActionKind.KEEP:
            assert then.norias == naive.norias_after_gain(me.norias, was.noria_overflow)
            yield from ["norias lost"] * naive.window_is_open(me.norias, was.noria_overflow)
        case ActionKind.CROP:
            left = {f: 2 - sum(crop == i for crop in was.channel) for i, f in enumerate(FRUITS)}
            own, norias, laid = naive.new_crop(FRUITS[arg], left, hand, supply)
            assert then.fruit[arg] - me.fruit[arg] == own
            if norias == 0:
                assert was.supply[arg] - now.supply[arg] == own + laid
            yield from ["a noria for a crop"] * norias + ["no fruit for a crop"] * (own == norias == 0)
        case ActionKind.GOAL | ActionKind.GOAL_TOKEN:
            yield from compare_goal_outcome(before, kind, arg, play, owed[numbers.SPACE][box.GOAL])
        case ActionKind.DELIVER:
            yield from compare_delivery(before, arg, play)
        case ActionKind.CARD:
            paid = Counter(CARDS[arg]["fruits"])
            assert heap(then.fruit) == {f: hand[f] - paid[f] for f in FRUITS}
            assert (was.taken[arg], now.taken[arg]) == (numbers.NONE, before.turn)
            assert then.earned[numbers.CARD_SALES] - me.earned[numbers.CARD_SALES] == CARDS[arg]["value"]
        case ActionKind.END if track[was.mule[before.turn]].kind == "end":
            paid = naive.sale(hand, me.norias, me.goal_tokens)
            assert then.earned[numbers.SOLD] == paid
            yield from ["a sale"] * (paid > 0)
        case ActionKind.ZARA_ROLL | ActionKind.ZARA_MARKET | ActionKind.ZARA_HARVEST:
            compare_zara(was, kind, now, track)


def compare_goal_outcome(before, kind, arg, play, owed):
    """Compare the outcome of GOAL or GOAL_TOKEN, and for GOAL yield its event."""
    was, now, p = before.state, play.state, before.turn
    me, then = was.seat[p], now.seat[p]
    change = then.goal_tokens - me.goal_tokens
    assert was.goal_tokens - now.goal_tokens == change
    if kind == ActionKind.GOAL_TOKEN:
        assert change == 1
        return
    card, space = divmod(arg, box.GOAL_SPACES)
    reward = DATA["goal"][was.goal[card]]["rewards"][space]
    assert change == (0 if owed else -1)
    assert now.claimed[card, space] == p
    assert then.earned[numbers.FROM_GOALS] - me.earned[numbers.FROM_GOALS] == reward.get("dirhem", 0)
    assert me.farmers - then.farmers == (me.farmers > 0)
    assert (play.phase == Phase.CALL) == (me.farmers == 0)
    yield "further goals" if owed == 0 else "goals"


def compare_delivery(before, arg, play):
    """Compare the outcome of a delivery, and yield its event."""
    was, now = before.state, play.state
    me, then = was.seat[before.turn], now.seat[before.turn]
    card, (village, fruit, number) = [FRUITS[fruit] for fruit in was.market], delivery_of(arg)
    land, earlier = COLOURS.index(village), sum(was.seat[p].village[COLOURS.index(village)] for p in range(was.seats))
    assert [FRUITS[f] for f in now.market] == naive.market_card_after(card, fruit)
    assert heap(then.fruit)[fruit] == heap(me.fruit)[fruit] - number
    assert (then.farmland[land] - me.farmland[land], then.village[land] - me.village[land]) == (-1, 1)
    bonus = naive.market_bonus(card, DATA["market_card"]["bonus"], fruit)
    assert then.earned[numbers.BONUS] - me.earned[numbers.BONUS] == bonus
    assert then.earned[numbers.TOKEN_SALES] - me.earned[numbers.TOKEN_SALES] == number + 1
    side = naive.award_side(earlier)
    row = 2 * int(was.award[land]) + ("green", "red").index(side) if side else None
    paid = then.earned[numbers.AWARDED] - me.earned[numbers.AWARDED]
    assert paid == (box.AWARD_PAYS[row] if side else 0)
    yield f"{side or 'no'} award"


def compare_gain(had, gained, play, then):
    if naive.window_is_open(had, gained):
        assert play.phase == Phase.OVERFLOW
        assert (then.norias, play.state.noria_overflow) == (had, gained)
    else:
        assert then.norias == naive.norias_after_gain(had, gained)


def compare_zara(was, kind, now, track):
    deck = [CARDS[was.deck[place]] for place in range(was.left - 1, -1, -1)]
    if kind == ActionKind.ZARA_ROLL:
        mules = mules_of(was)
        assert now.mule[2] == naive.zara_walk(mules["zara"], now.die, set(mules.values()), track)
    elif kind == ActionKind.ZARA_MARKET:
        gone = naive.zara_discard(deck[0], tokens_of(was))
        card = naive.market_card_after_zara([FRUITS[fruit] for fruit in was.market], gone)
        assert [FRUITS[fruit] for fruit in now.market] == card
        left = tokens_of(was)
        if gone:
            left[gone[0]].remove(gone[1:])
        assert tokens_of(now) == left
    else:
        fields = {COLOURS[i]: heap(was.growing[i]) for i in range(box.LANDS)}
        land, left, after = naive.zara_harvest(deck, fields, PRIMARIES)
        fields[land] = left
        assert {COLOURS[i]: heap(now.growing[i]) for i in range(box.LANDS)} == fields
        assert [CARDS[now.deck[place]] for place in range(now.left - 1, -1, -1)] == after


def compare_ranks(play):
    s = play.state
    dirhems = {}
    for p in range(s.seats):
        me = s.seat[p]
        rest = sum(me.earned) - me.earned[numbers.TOKEN_SALES] - me.earned[numbers.CARD_SALES]
        cards = [CARDS[i]["value"] for i in range(box.CARDS) if s.taken[i] == p]
        dirhems[p] = naive.final_dirhems(rest, taken_by(me), cards)
    assert list(dirhems.values()) == play.score_table()[:, 0].tolist()
    worth = {p: int(box.PLACE_WORTH[s.track[s.mule[p]]]) for p in range(s.seats)}
    ranks = naive.ranks(dirhems, worth)
    assert tuple(ranks[p] for p in range(s.seats)) == play.ranks()
