"""The road and the favours in the independent implementation of Caylus."""

from .position import BOX, COMMON, CRAFT, DECLINE, KINDS, LINES, Choice, Cubes, Flow, Plot, Position, Question


class Road(Position):
    """A position with the effects of the buildings on the road, and with royal favours."""

    # --- phase 5, buildings on the road ------------------------------------------------------------

    def phase_road(self) -> Flow:
        for space in self.road:
            if space <= self.provost and self.road[space].worker is not None:
                yield from self.activate(space)
                self.clear(space)
        for space in self.road:
            if self.road[space].worker is not None:
                self.clear(space)

    def clear(self, space: int) -> None:
        """Send the worker of a space home, and build the residence that waited for it, if any."""
        plot = self.road[space]
        assert plot.worker is not None
        self.home[plot.worker] += 1
        plot.worker = None
        if plot.residence_for is not None:
            self.become_residence(space, plot.residence_for)

    def activate(self, space: int) -> Flow:
        plot = self.road[space]
        seat = plot.worker
        assert seat is not None
        assert plot.building is not None
        tile = self.tiles[plot.building]
        effect = tile["effect"]
        match effect["kind"]:
            case "produce":
                yield from self.produce(seat, effect["options"])
                if plot.owner not in (None, seat) and "owner_bonus" in effect:
                    yield from self.owner_bonus(plot.owner, effect["owner_bonus"])
            case "trade":
                yield from self.trade(seat, effect["options"])
            case "build" if effect["builds"] == "prestige":
                yield from self.build_prestige(seat, may_decline=True)
            case "build":
                yield from self.build(seat, effect["builds"], {}, may_decline=True)
            case "convert":
                yield from self.convert(seat, effect["deniers"], may_decline=True)

    def produce(self, seat: int, options: list[Cubes]) -> Flow:
        choice = yield Question("produce", seat, [("produce", tuple(option.items())) for option in options])
        self.gain(seat, dict(choice[1]))

    def owner_bonus(self, owner: int, options: list[Cubes]) -> Flow:
        choice = yield Question("bonus", owner, [("bonus", kind) for option in options for kind in option])
        self.gain(owner, {choice[1]: 1})

    # --- cubes of choice ---------------------------------------------------------------------------

    def ask_cubes_to_give(self, seat: int, number: int, kinds: tuple[str, ...]) -> Flow:
        for _ in range(number):
            choice = yield Question("give", seat, [("give", kind) for kind in self.kinds_held(seat, kinds)])
            self.pay(seat, {choice[1]: 1})

    def ask_cubes_to_take(self, seat: int, number: int, kinds: tuple[str, ...]) -> Flow:
        for _ in range(number):
            choice = yield Question("take", seat, [("take", kind) for kind in kinds])
            self.gain(seat, {choice[1]: 1})

    # --- trades ------------------------------------------------------------------------------------

    def trade(self, seat: int, options: list[dict]) -> Flow:
        choices: list[Choice] = [DECLINE]
        for index, option in enumerate(options):
            if "pay_any" in option:
                choices += [("sell", kind) for kind in self.kinds_held(seat, KINDS)]
            elif self.can_trade(seat, option):
                choices.append(("trade", index))
        choice = yield Question("trade", seat, choices)
        match choice:
            case ("sell", kind):
                self.pay(seat, {kind: 1})
                self.money[seat] += options[0]["gain_deniers"]
            case ("trade", index):
                yield from self.do_trade(seat, options[index])

    def can_trade(self, seat: int, option: dict) -> bool:
        return (
            self.money[seat] >= option.get("pay_deniers", 0)
            and self.has(seat, option.get("pay_cubes", {}))
            and self.number_of(seat, COMMON) >= option.get("pay_common", 0)
        )

    def do_trade(self, seat: int, option: dict) -> Flow:
        self.money[seat] -= option.get("pay_deniers", 0)
        self.pay(seat, option.get("pay_cubes", {}))
        yield from self.ask_cubes_to_give(seat, option.get("pay_common", 0), COMMON)
        self.points[seat] += option.get("gain_pp", 0)
        self.gain(seat, option.get("gain_cubes", {}))
        yield from self.ask_cubes_to_take(seat, option.get("gain_common", 0), COMMON)

    # --- wood and stone buildings ------------------------------------------------------------------

    def build(self, seat: int, sort: str, discount: Cubes, *, may_decline: bool) -> Flow:
        choices: list[Choice] = [("build", name) for name in self.buildable(seat, sort, discount)]
        if may_decline:
            choices.append(DECLINE)
        choice = yield Question("build", seat, choices)
        if choice == DECLINE:
            return
        name = choice[1]
        yield from self.pay_for_building(seat, self.cost(name, discount))
        self.supply[name] -= 1
        plot = self.road[self.first_empty_space()]
        plot.building = name
        plot.owner = seat
        yield from self.score_building(seat, name)

    def buildable(self, seat: int, sort: str, discount: Cubes) -> list[str]:
        if self.first_empty_space() is None:
            return []
        return [name for name in self.in_supply(sort) if self.can_pay(seat, self.cost(name, discount))]

    def cost(self, name: str, discount: Cubes) -> Cubes:
        return {kind: number - discount.get(kind, 0) for kind, number in self.tiles[name]["cost"].items()}

    def can_pay(self, seat: int, cost: Cubes) -> bool:
        named = {kind: number for kind, number in cost.items() if kind != "any"}
        return self.has(seat, named) and self.number_of(seat, KINDS) >= sum(cost.values())

    def pay_for_building(self, seat: int, cost: Cubes) -> Flow:
        self.pay(seat, {kind: number for kind, number in cost.items() if kind != "any"})
        for _ in range(cost.get("any", 0)):
            choice = yield Question("free_cube", seat, [("free_cube", kind) for kind in self.kinds_held(seat, KINDS)])
            self.pay(seat, {choice[1]: 1})

    def score_building(self, seat: int, name: str) -> Flow:
        self.points[seat] += self.tiles[name]["pp"]
        yield from self.royal_favours(seat, self.tiles[name].get("favours", 0))

    # --- prestige buildings ------------------------------------------------------------------------

    def build_prestige(self, seat: int, *, may_decline: bool) -> Flow:
        choices: list[Choice] = [("prestige", name) for name in self.prestige_buildable(seat)]
        if may_decline:
            choices.append(DECLINE)
        choice = yield Question("prestige", seat, choices)
        if choice == DECLINE:
            return
        name = choice[1]
        self.pay(seat, self.tiles[name]["cost"])
        choice = yield Question("site", seat, [("site", space) for space in self.residences(seat)])
        self.supply[name] -= 1
        self.road[choice[1]].building = name
        yield from self.score_building(seat, name)

    def prestige_buildable(self, seat: int) -> list[str]:
        if not self.residences(seat):
            return []
        return [name for name in self.in_supply("prestige") if self.has(seat, self.tiles[name]["cost"])]

    # --- residences --------------------------------------------------------------------------------

    def convert(self, seat: int, deniers: int, *, may_decline: bool) -> Flow:
        choices: list[Choice] = [("lawyer", space) for space in self.convertible(seat, deniers)]
        if may_decline:
            choices.append(DECLINE)
        choice = yield Question("lawyer", seat, choices)
        if choice == DECLINE:
            return
        space = choice[1]
        self.money[seat] -= deniers
        self.cubes[seat]["cloth"] -= 1
        self.points[seat] += self.tiles["residence"]["pp"]
        if self.road[space].worker is None:
            self.become_residence(space, seat)
        else:
            self.road[space].residence_for = seat

    def convertible(self, seat: int, deniers: int) -> list[int]:
        if self.money[seat] < deniers or self.cubes[seat]["cloth"] < 1:
            return []
        return [space for space, plot in self.road.items() if self.is_target(plot, seat)]

    def is_target(self, plot: Plot, seat: int) -> bool:
        if plot.building is None or plot.residence_for is not None:
            return False
        if self.tiles[plot.building].get("never_converted", False):
            return False
        own_craft = plot.owner == seat and self.class_of(plot) in CRAFT
        return own_craft or self.class_of(plot) == "neutral"

    def become_residence(self, space: int, seat: int) -> None:
        """Replace a tile by a residence. A craft tile returns to the supply, and a neutral tile leaves the game."""
        plot = self.road[space]
        assert plot.building is not None
        if self.class_of(plot) in CRAFT:
            self.supply[plot.building] += 1
        plot.building = "residence"
        plot.owner = seat
        plot.residence_for = None

    # --- royal favours -----------------------------------------------------------------------------

    def royal_favours(self, seat: int, number: int) -> Flow:
        for _ in range(number):
            yield from self.royal_favour(seat)

    def royal_favour(self, seat: int) -> Flow:
        if self.simple_favours:
            self.points[seat] += BOX["variant"]["simplified_favour"]["pp_per_favour"]
            return
        lines = [line for line in LINES if line not in self.lines_used[seat]]
        if not lines:
            return
        choice = yield Question("line", seat, [("line", line) for line in lines])
        line = choice[1]
        self.lines_used[seat].add(line)
        self.favours[seat][line] = min(self.favours[seat][line] + 1, self.open_columns())
        column = self.favours[seat][line]
        match line:
            case "prestige":
                self.points[seat] += BOX["favours"]["prestige"]["columns"][column - 1]
            case "deniers":
                self.money[seat] += BOX["favours"]["deniers"]["columns"][column - 1]
            case _:
                yield from self.favour_in_columns(seat, line, column)

    def favour_in_columns(self, seat: int, line: str, marker: int) -> Flow:
        effects = {row["column"]: row["effect"] for row in BOX["favours"][line]}
        choices: list[Choice] = [
            ("column", column) for column in range(1, marker + 1) if self.can_use(seat, effects[column])
        ]
        choices.append(DECLINE)
        choice = yield Question("column", seat, choices)
        if choice != DECLINE:
            yield from self.use(seat, effects[choice[1]])

    def can_use(self, seat: int, effect: dict) -> bool:
        match effect["kind"]:
            case "gain":
                return True
            case "trade":
                return self.number_of(seat, KINDS) > 0
            case "build" if effect["builds"] == "prestige":
                return self.prestige_buildable(seat) != []
            case "build":
                return self.buildable(seat, effect["builds"], effect["discount"]) != []
            case "convert":
                return self.convertible(seat, effect["deniers"]) != []
        return False  # column 1 of the buildings: nothing

    def use(self, seat: int, effect: dict) -> Flow:
        match effect["kind"]:
            case "gain":
                kinds = tuple(kind for option in effect["options"] for kind in option)
                yield from self.ask_cubes_to_take(seat, 1, kinds)
            case "trade":
                yield from self.ask_cubes_to_give(seat, 1, KINDS)
                yield from self.ask_cubes_to_take(seat, 2, COMMON)
            case "build" if effect["builds"] == "prestige":
                yield from self.build_prestige(seat, may_decline=False)
            case "build":
                yield from self.build(seat, effect["builds"], effect["discount"], may_decline=False)
            case "convert":
                yield from self.convert(seat, effect["deniers"], may_decline=False)
