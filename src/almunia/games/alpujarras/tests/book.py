"""A record of the actions owed in an Alpujarras play, for tests."""

from collections import Counter
from dataclasses import dataclass, field

from .. import components as box
from ..rules import state as numbers
from ..rules.state import ActionKind
from . import naive


@dataclass
class Book:
    """The actions owed in a play, derived from the actions applied instead of the state's `owed`."""

    todo: list[Counter] = field(default_factory=lambda: [Counter() for _ in range(numbers.LAYERS)])
    used: dict[int, int] = field(default_factory=dict)  # by layer: the farmland of the first of two farmers
    shield: int = numbers.NONE
    further: bool = False  # whether the tick of this stop has completed a goal
    delivered: bool = False
    carded: bool = False
    served: Counter = field(default_factory=Counter)  # deliveries by village

    def layer(self):
        return next((i for i in (numbers.BOUGHT, numbers.AWARD) if +self.todo[i]), numbers.SPACE)

    def owes(self, owing, items):
        self.todo[owing] = Counter({item: int(n) for item, n in enumerate(items) if n})
        self.used.pop(owing, None)

    def market(self):
        return self.todo[numbers.SPACE][box.MARKET] > 0

    def note(self, before, kind, arg):  # noqa: C901 - a case for each kind of action
        """Update the book for an action. `before` is the play before the action."""
        s, owing = before.state, self.layer()
        now = self.todo[owing]
        match kind:
            case ActionKind.GO:
                self.owes(numbers.SPACE, box.PLACE_OWES[s.track[arg]])
                self.shield = int(box.SHIELD[s.track[arg]])
            case ActionKind.ADD:
                self.added(owing, arg)
            case ActionKind.TO:
                turned = now[box.ADD] and not s.seat[s.turn].farmers and arg in self.allowed(owing)
                self.added(owing, arg) if turned else now.subtract([box.MOVE])
            case ActionKind.FRUIT | ActionKind.DIG:
                now.subtract([box.FRUIT if kind == ActionKind.FRUIT else box.DIG])
            case ActionKind.NORIAS | ActionKind.HARVEST:
                now[box.NORIAS if kind == ActionKind.NORIAS else box.HARVEST] = 0
            case ActionKind.SKIP:
                now.subtract([arg] * (now[arg] if arg == box.NORIAS else 1))
            case ActionKind.GOAL | ActionKind.GOAL_TOKEN:
                self.further |= kind == ActionKind.GOAL
                now[box.GOAL] = 0
            case ActionKind.BUY if arg:
                bought = box.MOVE if arg + 1 == naive.MOVE_PRICE else box.ADD
                self.owes(numbers.BOUGHT, [item == bought for item in range(box.ITEMS)])
            case ActionKind.DELIVER:
                self.deliver(arg // (box.LANDS * box.SIZES), s)
            case ActionKind.CARD:
                self.carded = True
            case ActionKind.CLOSE:
                now[box.MARKET] = 0
            case ActionKind.END:
                self.further = self.delivered = self.carded = False
        self.todo = [+layer for layer in self.todo]

    def added(self, owing, land):
        self.todo[owing].subtract([box.ADD])
        self.used[owing] = land

    def allowed(self, owing):
        shield = self.shield if owing == numbers.SPACE else numbers.NONE
        return [i for i in range(box.LANDS) if i != self.used.get(owing) and shield in (numbers.NONE, i)]

    def deliver(self, village, s):
        side = naive.award_side(self.served[village])
        self.delivered = True
        self.served[village] += 1
        if side:
            row = int(s.award[village]) * 2 + ("green", "red").index(side)
            self.owes(numbers.AWARD, box.AWARD_OWES[row])
