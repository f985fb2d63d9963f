"""Alpujarras against a naive second opinion, written from the sheet by somebody who had not read the rules."""

from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import almunia
from almunia.games.alpujarras import components as box, state as numbers
from almunia.games.alpujarras.components import CHANNEL_IDS, COLOURS, DATA, FRUITS, SEGMENT_IDS
from almunia.games.alpujarras.state import Deed, Phase
from almunia.games.alpujarras.tests import naive
from almunia.games.alpujarras.words import GOAL_IDS

FAST = almunia.game("alpujarras")
PLAIN = almunia.game("alpujarras", "plain")
PRIMARIES = dict(zip(COLOURS, FRUITS, strict=True))
STARTS = [start["id"] for start in DATA["channel_start"]]
ADJACENT = {space["id"]: space["adjacent"] for space in DATA["channel_space"]}
CARDS = DATA["delivery_card"]
SEGMENTS = {segment["id"]: segment for segment in DATA["segment"]}
SHORT = 7  # places ahead that these plays choose from, so that they are long


# --- our state as the oracle names things ----------------------------------------------------------------


def heap(counts):
    return dict(zip(FRUITS, counts, strict=True))


def by_land(counts):
    return dict(zip(COLOURS, counts, strict=True))


def track_of(s):
    order, side = [], ("blue", "green")[box.SIDE[s.seats]]
    for place in s.track:
        if place >= 0 and SEGMENT_IDS[box.PLACE_SEGMENT[place]] not in order:
            order.append(SEGMENT_IDS[box.PLACE_SEGMENT[place]])
    return naive.lay_track([SEGMENTS[name] for name in order], side)


def mules_of(s):
    return {("zara" if p == s.seats else p): s.mule[p] for p in range(s.seats + box.WITH_ZARA[s.seats])}


def tokens_of(s):
    return {
        COLOURS[v]: [
            (FRUITS[f], int(box.NUMBERS[i]))
            for f in range(box.LANDS)
            for i in range(box.SIZES)
            for _ in range(s.token[v, f, i])
        ]
        for v in range(box.LANDS)
    }


def taken_by(me):
    return [
        (FRUITS[f], int(box.NUMBERS[i]))
        for f in range(box.LANDS)
        for i in range(box.SIZES)
        for _ in range(me.token[f, i])
    ]


def legal_of(play, kind):
    """Which of a kind of action are legal."""
    first, last = int(numbers.FIRST[kind]), int(numbers.FIRST[kind + 1])
    return {action - first for action in play.legal if first <= action < last}


# --- whole plays -------------------------------------------------------------------------------------------


def chosen(play, luck):
    """An action of a play that goes on by small steps and skips seldom."""
    legal = play.legal
    if play.phase == Phase.GO:
        near = [action for action in legal if action < numbers.ADD][:SHORT]
        return luck.choice(near + [action for action in legal if action >= numbers.ADD and luck.random() < 0.25])
    eager = [a for a in legal if not numbers.SKIP <= a < numbers.GIVE or luck.random() < 0.15]
    return luck.choice(eager or legal)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 4]))
def test_plays_agree_in_what_is_legal_and_what_comes_of_it(seed, seats):
    play, luck = FAST.new(seats=seats, seed=seed), Random(seed)
    stands = naive.token_setup_stands(
        tokens_of(play.state),
        FRUITS,
        DATA["delivery_tokens"]["numbers" if seats == 4 else "two_three_player_numbers"],
    )
    assert stands
    track = track_of(play.state)
    while not play.over:
        compare_turn(play, track)
        compare_legal(play, track)
        action = chosen(play, luck)
        before, kind = play.copy(), int(numbers.KIND[action])
        play.apply(action)
        compare_outcome(before, kind, action - int(numbers.FIRST[kind]), play, track)
    assert naive.mule_to_move(mules_of(play.state), range(seats), track) is None
    compare_ranks(play)


def compare_turn(play, track):
    """Whose mule is furthest back."""
    s = play.state
    if play.phase == Phase.GO:
        assert naive.mule_to_move(mules_of(s), range(s.seats), track) == play.turn
    elif play.phase == Phase.ROLL:
        assert naive.mule_to_move(mules_of(s), range(s.seats), track) == "zara"


def compare_legal(play, track):
    """Places, purchases, farmers, fruit, channels, deliveries and goals."""
    s = play.state
    me, occupied = s.seat[s.turn], set(mules_of(s).values())
    if play.phase == Phase.GO:
        assert legal_of(play, Deed.GO) == naive.reachable_positions(s.mule[s.turn], occupied, track)
    if play.phase in (Phase.GO, Phase.ACT, Phase.OVERFLOW):
        wanted = naive.noria_purchases(
            me.norias, me.farmers, by_land(me.farmland), COLOURS, heap(me.fruit), heap(s.supply)
        )
        assert {price + 1 for price in legal_of(play, Deed.BUY)} == wanted
    else:
        assert not legal_of(play, Deed.BUY)
    if play.phase == Phase.PICK:
        wanted = naive.fruit_to_take(heap(s.growing[s.joined]), heap(me.fruit))
        assert {FRUITS[fruit] for fruit in legal_of(play, Deed.PICK)} == wanted
    if play.phase == Phase.GIVE:
        wanted = {given for given, _ in naive.fruit_exchanges(heap(me.fruit), heap(s.supply))}
        assert {FRUITS[fruit] for fruit in legal_of(play, Deed.GIVE)} == wanted
    if play.phase in (Phase.ACT, Phase.AWARD):
        compare_items(play, s.owed[numbers.SPACE if play.phase == Phase.ACT else numbers.AWARD])
    if play.phase in (Phase.ACT, Phase.MARKET):
        compare_market(play)
    if play.phase == Phase.ACT:
        compare_goals(play, track)


def compare_items(play, owed):
    """Farmers to add or to move, channel spaces, and fruit from the supply."""
    s = play.state
    me = s.seat[s.turn]
    farmers = by_land(me.farmland)
    allowed = [c for i, c in enumerate(COLOURS) if i != owed.used and owed.shield in (numbers.NONE, i)]
    added = naive.farmer_additions(me.farmers, farmers, allowed) if owed.todo[box.ADD] else set()
    moved = naive.farmer_moves(farmers, COLOURS) if owed.todo[box.MOVE] else set()
    assert {COLOURS[i] for i in legal_of(play, Deed.ADD)} == {goal for source, goal in added if source is None}
    sources = {source for source, _ in added | moved if source}
    assert {COLOURS[i] for i in legal_of(play, Deed.FROM)} == sources
    dug = {CHANNEL_IDS[i] for i in range(box.CHANNELS) if s.channel[i] != numbers.NONE}
    spaces = naive.open_channel_spaces(STARTS, ADJACENT, dug) if owed.todo[box.DIG] else set()
    assert {CHANNEL_IDS[i] for i in legal_of(play, Deed.DIG)} == spaces
    fruit = naive.fruit_to_take(heap(s.supply), heap(me.fruit)) if owed.todo[box.FRUIT] else set()
    assert {FRUITS[i] for i in legal_of(play, Deed.FRUIT)} == fruit


def delivery_of(which):
    village, fruit, size = which // (box.LANDS * box.SIZES), which // box.SIZES % box.LANDS, which % box.SIZES
    return COLOURS[village], FRUITS[fruit], int(box.NUMBERS[size])


def compare_market(play):
    """Tokens and cards that can be paid."""
    s = play.state
    me, owed = s.seat[s.turn], s.owed[numbers.SPACE].todo[box.MARKET]
    hand = heap(me.fruit)
    tokens = naive.possible_deliveries(tokens_of(s), by_land(me.farmland), hand) if owed and not s.delivered else set()
    assert {delivery_of(which) for which in legal_of(play, Deed.DELIVER)} == tokens
    cards = {card for card in s.open if card >= 0 and naive.card_payable(CARDS[card]["fruits"], hand)}
    assert legal_of(play, Deed.CARD) == (cards if owed and not s.carded else set())


def compare_goals(play, track):
    """Goals to complete, their spaces, and the goal token."""
    s = play.state
    me = s.seat[s.turn]
    shown = {GOAL_IDS[s.goal[card]]: card for card in range(box.GOAL_CARDS)}
    met = naive.goals_met(heap(me.fruit), by_land(me.farmland), by_land(me.village), taken_by(me))
    spaces = {}
    for name, card in shown.items():
        rewards = DATA["goal"][s.goal[card]]["rewards"]
        taken = [i for i in range(box.GOAL_SPACES) if 0 <= s.claimed[card, i] < numbers.COVERED]
        spaces[name] = naive.open_reward_spaces(rewards, taken, s.seats)
    done = {name for name, card in shown.items() if s.turn in list(s.claimed[card])}
    possible = naive.completable_goals(met, spaces, done)
    owed = s.owed[numbers.SPACE].todo[box.GOAL] > 0
    usable = owed or (s.further and me.goal_tokens > 0)
    wanted = {(shown[name], space) for name in possible for space in spaces[name]} if usable else set()
    assert {divmod(which, box.GOAL_SPACES) for which in legal_of(play, Deed.GOAL)} == wanted
    at_end = track[s.mule[s.turn]].kind == "end"
    token = owed and naive.takes_goal_token(possible, done, at_end, s.goal_tokens)
    assert bool(legal_of(play, Deed.GOAL_TOKEN)) == token


def compare_outcome(before, kind, which, play, track):
    """What came of an action."""
    was, now = before.state, play.state
    me, then = was.seat[before.turn], now.seat[before.turn]
    hand, supply = heap(me.fruit), heap(was.supply)
    match kind:
        case Deed.HARVEST:
            farmers = {p: by_land(was.seat[p].farmland) for p in range(was.seats)}
            fruit, norias = naive.harvest(before.turn, farmers, PRIMARIES, hand, supply)
            assert {f for f in FRUITS if heap(then.fruit)[f] > hand[f]} == fruit
            compare_gain(me.norias, norias, play, then)
        case Deed.NORIAS:
            layer = was.owed[numbers.AWARD if before.phase == Phase.AWARD else numbers.SPACE]
            compare_gain(me.norias, layer.todo[box.NORIAS], play, then)
        case Deed.CROP:
            left = {f: 2 - sum(crop == i for crop in was.channel) for i, f in enumerate(FRUITS)}
            own, norias, laid = naive.new_crop(FRUITS[which], left, hand, supply)
            assert then.fruit[which] - me.fruit[which] == own
            if norias == 0:
                assert was.supply[which] - now.supply[which] == own + laid
        case Deed.DELIVER:
            card = [FRUITS[fruit] for fruit in was.market]
            village, fruit, number = delivery_of(which)
            assert [FRUITS[f] for f in now.market] == naive.market_card_after(card, fruit)
            bonus = naive.market_bonus(card, DATA["market_card"]["bonus"], fruit)
            assert then.earned[numbers.BONUS] - me.earned[numbers.BONUS] == bonus
            assert then.earned[numbers.TOKEN_SALES] - me.earned[numbers.TOKEN_SALES] == number + 1
            side = was.flipped[COLOURS.index(village)]
            assert naive.award_side(side) == {0: "green", 1: "red", 2: None}[side]
        case Deed.END if track[was.mule[before.turn]].kind == "end":
            paid = naive.sale(hand, me.norias, me.goal_tokens)
            assert then.earned[numbers.SOLD] == paid
        case Deed.ROLL | Deed.REMOVE | Deed.STRIP:
            compare_zara(was, kind, now, track)


def compare_gain(had, gained, play, then):
    """Norias come at once, or the window opens."""
    if naive.window_is_open(had, gained):
        assert play.phase == Phase.OVERFLOW
        assert (then.norias, play.state.gain) == (had, gained)
    else:
        assert then.norias == naive.norias_after_gain(had, gained)


def compare_zara(was, kind, now, track):
    """Zara's walk, her market and her harvest."""
    deck = [CARDS[was.deck[place]] for place in range(was.left - 1, -1, -1)]
    if kind == Deed.ROLL:
        mules = mules_of(was)
        assert now.mule[2] == naive.zara_walk(mules["zara"], now.die, set(mules.values()), track)
    elif kind == Deed.REMOVE:
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
    """The dirhems, and the order of the players."""
    s = play.state
    dirhems = {}
    for p in range(s.seats):
        me = s.seat[p]
        rest = sum(me.earned) - me.earned[numbers.TOKEN_SALES] - me.earned[numbers.CARD_SALES]
        cards = [CARDS[i]["value"] for i in range(box.CARDS) if s.taken[i] == p]
        dirhems[p] = naive.final_dirhems(rest, taken_by(me), cards)
    assert list(dirhems.values()) == play.standing()[:, 0].tolist()
    worth = {p: int(box.PLACE_WORTH[s.track[s.mule[p]]]) for p in range(s.seats)}
    ranks = naive.ranks(dirhems, worth)
    assert tuple(ranks[p] for p in range(s.seats)) == play.ranks()


# --- made-up positions ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rules():
    """The rules in the checked build, module by module."""
    from almunia.games.alpujarras import farming, goals, irrigation, norias, zara

    return {
        module.__name__.rpartition(".")[2]: PLAIN.reader(module)
        for module in (farming, goals, irrigation, norias, zara)
    }


small = st.lists(st.integers(0, 4), min_size=5, max_size=5)


@settings(max_examples=150, deadline=None)
@given(st.lists(small, min_size=4, max_size=4), st.sampled_from([2, 3, 4]))
def test_majorities_agree(rules, farmers, seats):
    s = PLAIN.new(seats=seats, seed=1).state
    for p in range(seats):
        for land in range(box.LANDS):
            s.seat[p].farmland[land] = farmers[p][land]
    there = {p: by_land(farmers[p]) for p in range(seats)}
    for p in range(seats):
        s.turn = p
        for land, colour in enumerate(COLOURS):
            assert rules["farming"].leads(s, land) == naive.most_farmers(p, colour, there)


@settings(max_examples=150, deadline=None)
@given(st.sets(st.integers(0, box.CHANNELS - 1)))
def test_channels_agree(rules, dug):
    s = PLAIN.new(seats=2, seed=1).state
    for space in dug:
        s.channel[space] = numbers.DUG
    wanted = naive.open_channel_spaces(STARTS, ADJACENT, {CHANNEL_IDS[space] for space in dug})
    assert {CHANNEL_IDS[i] for i in range(box.CHANNELS) if rules["irrigation"].can_be_dug(s, i)} == wanted


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 50), st.lists(st.integers(0, 60), min_size=3, max_size=3, unique=True), st.integers(1, 6))
def test_zara_walks_agree(rules, seed, mules, die):
    s = PLAIN.new(seats=2, seed=seed).state
    for mule, position in enumerate(sorted(mules, reverse=True)):
        s.mule[mule] = position
    here = s.mule[numbers.ZARA]
    if box.PLACE_KIND[s.track[here]] != box.END_SPOT:
        wanted = naive.zara_walk(here, die, set(mules), track_of(s))
        assert rules["zara"].walk(s, here, die) == wanted


@settings(max_examples=150, deadline=None)
@given(small, small, small, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=8))
def test_goals_agree(rules, fruit, farmers, villagers, tokens):
    me = PLAIN.new(seats=2, seed=1).state.seat[0]
    for land in range(box.LANDS):
        me.fruit[land], me.farmland[land], me.village[land] = fruit[land], farmers[land], villagers[land]
    for kind, size in tokens:
        me.token[kind, size] += 1
    wanted = naive.goals_met(heap(fruit), by_land(farmers), by_land(villagers), taken_by(me))
    assert {name for i, name in enumerate(GOAL_IDS) if rules["goals"].meets(me, i)} == wanted


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 5), st.integers(1, 5), st.lists(st.integers(1, 4), max_size=3))
def test_the_noria_window_agrees(had, gained, prices):
    """Purchases in the window, as many as can be paid, then the gain; moves only, so that each can be made."""
    play = PLAIN.new(seats=4, seed=3)
    s = play.state
    s.seat[s.turn].norias = had
    s.seat[s.turn].farmland[0] = 3
    s.moved = 1
    s.owed[numbers.SPACE].todo[box.NORIAS] = gained
    s.phase = Phase.ACT
    seat = s.turn
    play.refresh()
    play.apply(numbers.NORIAS)
    wanted = naive.norias_after_gain(had, gained, prices)
    if wanted is None:
        wanted = naive.norias_after_gain(had, gained)
        prices = []
    for price in prices:
        s.seat[seat].fruit[1] = max(s.seat[seat].fruit[1], 1)
        play.refresh()
        play.apply(numbers.BUY + price - 1)
        while play.phase not in (Phase.OVERFLOW, Phase.ACT):
            play.apply(play.legal[0])
    if play.phase == Phase.OVERFLOW:
        play.apply(numbers.KEEP)
    assert play.state.seat[seat].norias == wanted
