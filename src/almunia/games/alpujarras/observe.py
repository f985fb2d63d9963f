"""Observations of Alpujarras: a seat sees neither the order of the hidden cards nor future random numbers."""

from ...core.contract import NONE
from ...engine.kernels.rng import clear_rng, randbelow, reseed_rng, shuffle
from . import components as box
from .rules.goals import goals_done
from .rules.market import is_open
from .rules.state import CARDS_IN_DECK, COVERED, FREE, LAYERS, MULES, NOWHERE, SEATS, Phase, score
from .rules.zara import top_card_back

PLACE_FACTS = box.PLACE_SHOWS.shape[1]  # items owed, dirhems, shield, kind
PLAYER_FACTS = 4 * box.LANDS + 6

# The parts of an observation, with their shapes. Players and mules are counted from the observer's own seat.
TENSOR_SHAPES = {
    # by position: 0 to 7 actions owed there, by item / 2; 8 dirhems paid / 4; 9 to 13 the only farmland where a farmer
    # may be added, one-hot, or zeros; 14 to 18 the kind of place, one-hot: start, standard, market, harvest, end
    "track": (box.POSITIONS, PLACE_FACTS),
    "mules": (MULES, box.POSITIONS),  # position of each mule, one-hot; with two seats Zara's is the third
    "growing": (box.LANDS, box.LANDS),  # by farmland: fruit of each kind / 4
    "supply": (box.LANDS,),  # fruit of each kind / 10
    "market": (box.LANDS, box.LANDS),  # by place of the market card, from the left: the fruit there, one-hot
    "tokens": (box.LANDS, box.LANDS, box.SIZES),  # delivery tokens by village, fruit and number: 2, 3, 4, 5
    "awards": (box.LANDS, 2 * box.AWARDS),  # by village: 2 * award token + 1 if its red side shows, one-hot, or zeros
    "channels": (box.CHANNELS, box.LANDS + 1),  # zeros without a token; else one-hot: its crop, last: none
    # by card: 0 and 1 the side, one-hot; then for each of the four spaces: own farmer, another player's, covered
    "goals": (box.GOAL_CARDS, 2 + 3 * box.GOAL_SPACES),
    "cards": (box.CARDS, 3),  # by delivery card: face up, taken, known at the bottom of the deck
    "back": (box.BACKS,),  # of the top card, one-hot: 2 * fruit + 1 if the arrow points up
    "deck": (2,),  # cards left / 17; known cards at the bottom / 17
    # 0 to 4 fruit of each kind / 5, 5 to 9 farmers in each farmland / 5, 10 to 14 in each village / 5, 15 to 19
    # delivery tokens of each fruit / 2, 20 farmers in the supply / 15, 21 norias / 5, 22 goal tokens / 4, 23 goals
    # completed / 4, 24 dirhems / 50, 25 whether it is this player's turn
    "players": (SEATS, PLAYER_FACTS),
    "owed": (LAYERS, box.ITEMS),  # actions owed, by item / 2: by the space, an award, a purchase
    "question": (len(Phase),),  # the phase, one-hot
    # rows 0 to 4, each one-hot, or zeros: the farmland that a farmer has entered, the farmland that a farmer is
    # leaving, the farmland of the first of two farmers, the only farmland allowed, the fruit returned in an exchange;
    # row 5: norias that wait / 5, then whether a token and a card have been taken in this market action, goal tokens
    # may be spent, and the mule has moved
    "begun": (6, box.LANDS),
}

# The fields of the state by who may see them; a field of a seat follows a dot. Partly: of the deck, the cards that all
# players have seen, and the back of the top card [D38, D49].
VISIBILITY = {
    "nobody": "rng",
    "partly": "deck",
    "everybody": (
        "seats turn phase over turns reveals track mule moved owed.todo owed.shield owed.used extra_goals_allowed "
        "joined_land moving_from calling_farmer exchanging given watered_space noria_overflow token_taken card_taken "
        "supply growing market token award flipped channel goal claimed goal_tokens left known open taken die "
        "seat.farmers seat.farmland seat.village seat.fruit seat.norias seat.goal_tokens seat.token seat.earned"
    ),
}


def mask(s, seat):
    """Clear the random generator, and hide the deck except known cards and the top card's back [D38, D49]."""
    clear_rng(s.rng)
    back = top_card_back(s)
    for place in range(s.known, s.left):
        s.deck[place] = NONE
    if s.left > s.known:
        s.deck[s.left - 1] = box.CARDS + back


def determinize(s, seat, rng, out):
    """Reseed the generator, and shuffle the hidden cards so that the visible back stays on top [D38, D49]."""
    reseed_rng(s.rng, rng)
    if s.left == s.known:
        return
    back = top_card_back(s)
    end = s.known
    for card in range(box.CARDS):
        if not has_been_seen(s, card):
            s.deck[end] = card
            end += 1
    shuffle(rng, s.deck, s.known, s.left)
    put_on_top(s, one_with(s, back, rng))


def has_been_seen(s, card):
    """Return whether the card is face up, taken, or known at the bottom of the deck."""
    for place in range(s.known):
        if s.deck[place] == card:
            return True
    return s.taken[card] != NONE or is_open(s, card)


def one_with(s, back, rng):
    """Return the place in the deck of a random hidden card with this back, or NOWHERE."""
    found, many = NOWHERE, 0
    for place in range(s.known, s.left):
        if box.BACK[s.deck[place]] == back:
            many += 1
            if randbelow(rng, many) == 0:
                found = place
    return found


def put_on_top(s, place):
    """Exchange the card at this place of the deck with the top card."""
    card = s.deck[place]
    s.deck[place] = s.deck[s.left - 1]
    s.deck[s.left - 1] = card


def tensor(s, seat, out):
    """Write the parts of TENSOR_SHAPES for `seat`. For a spectator, write those of seat 0."""
    own = max(seat, 0)
    write_track(s, own, out)
    write_lands(s, out)
    write_goals(s, own, out)
    write_cards(s, out)
    for i in range(s.seats):
        write_player(s, (own + i) % s.seats, i, out)
    write_begun(s, out)


def write_track(s, own, out):
    for position in range(box.POSITIONS):
        place = s.track[position]
        if place != NOWHERE:
            for fact in range(PLACE_FACTS):
                out.track[position, fact] = box.PLACE_SHOWS[place, fact]
    for mule in range(MULES):
        if s.mule[mule] != NOWHERE:
            row = (mule - own + s.seats) % s.seats if mule < s.seats else mule
            out.mules[row, s.mule[mule]] = 1


def write_lands(s, out):
    for land in range(box.LANDS):
        out.supply[land] = s.supply[land] / 10
        out.market[land, s.market[land]] = 1
        if s.flipped[land] < len(box.AWARD_SIDES):
            out.awards[land, 2 * s.award[land] + s.flipped[land]] = 1
        for fruit in range(box.LANDS):
            out.growing[land, fruit] = s.growing[land, fruit] / 4
            for size in range(box.SIZES):
                out.tokens[land, fruit, size] = s.token[land, fruit, size]
    for space in range(box.CHANNELS):
        if s.channel[space] != NONE:
            out.channels[space, s.channel[space]] = 1


def write_goals(s, own, out):
    for card in range(box.GOAL_CARDS):
        out.goals[card, s.goal[card] % 2] = 1
        for space in range(box.GOAL_SPACES):
            owner = s.claimed[card, space]
            if owner == own:
                out.goals[card, 2 + 3 * space] = 1
            elif owner == COVERED:
                out.goals[card, 2 + 3 * space + 2] = 1
            elif owner != FREE:
                out.goals[card, 2 + 3 * space + 1] = 1


def write_cards(s, out):
    """Write the cards and the deck [D38]."""
    for place in range(box.FACES_UP):
        if s.open[place] != NONE:
            out.cards[s.open[place], 0] = 1
    for card in range(box.CARDS):
        if s.taken[card] != NONE:
            out.cards[card, 1] = 1
    for place in range(s.known):
        out.cards[s.deck[place], 2] = 1
    if s.left > 0:
        out.back[top_card_back(s)] = 1
    out.deck[0] = s.left / CARDS_IN_DECK
    out.deck[1] = s.known / CARDS_IN_DECK


def write_player(s, p, i, out):
    me, facts = s.seat[p], out.players
    for land in range(box.LANDS):
        facts[i, land] = me.fruit[land] / box.MOST_FRUIT
        facts[i, box.LANDS + land] = me.farmland[land] / 5
        facts[i, 2 * box.LANDS + land] = me.village[land] / 5
        for size in range(box.SIZES):
            facts[i, 3 * box.LANDS + land] += me.token[land, size] / 2
    rest = 4 * box.LANDS
    facts[i, rest] = me.farmers / box.FARMERS
    facts[i, rest + 1] = me.norias / box.MOST_NORIAS
    facts[i, rest + 2] = me.goal_tokens / 4
    facts[i, rest + 3] = goals_done(s, p) / box.GOAL_CARDS
    facts[i, rest + 4] = score(me) / 50
    facts[i, rest + 5] = 1 if p == s.turn else 0


def write_begun(s, out):
    for owing in range(LAYERS):
        for item in range(box.ITEMS):
            out.owed[owing, item] = s.owed[owing].todo[item] / 2
        if s.owed[owing].todo[box.ADD] > 0:  # once all are added, shield and first farmland mean nothing
            mark(out, 2, s.owed[owing].used)
            mark(out, 3, s.owed[owing].shield)
    out.question[s.phase] = 1
    mark(out, 0, s.joined_land)
    mark(out, 1, s.moving_from)
    mark(out, 4, s.given)
    out.begun[5, 0] = s.noria_overflow / box.MOST_NORIAS
    out.begun[5, 1] = s.token_taken
    out.begun[5, 2] = s.card_taken
    out.begun[5, 3] = s.extra_goals_allowed
    out.begun[5, 4] = s.moved


def mark(out, row, land):
    """Set the entry of a farmland or fruit in a row of `begun`, unless it is NONE."""
    if land != NONE:
        out.begun[row, land] = 1


def may_see(s, seat):
    """Return True, because all actions are public [D38]."""
    return True
