"""The sequence of a game in the independent implementation of Caylus."""

from itertools import combinations

from .position import BESIDE_FOOD, BOX, COMMON, DECLINE, PHASES, SECTION, WORK_SPACES, Choice, Flow, Question
from .road import Road


class Naive(Road):
    """A game of Caylus, from its setup to its end."""

    def __init__(self, seats, neutral_order, turn_order, jeweller=False, simple_favours=False):
        super().__init__(seats, neutral_order, turn_order, jeweller, simple_favours)
        self.asked: Question | None = None
        self.resume("income")

    # --- the interface -----------------------------------------------------------------------------

    def question(self) -> tuple[str, int] | None:
        """Return the word of the question and the seat that answers it, or None if the game is over."""
        return None if self.asked is None else (self.asked.word, self.asked.seat)

    def choices(self) -> list[Choice]:
        return [] if self.asked is None else list(self.asked.choices)

    def choose(self, choice: Choice) -> None:
        """Answer the question, and continue to the next one. Raise ValueError if the choice is illegal."""
        if choice not in self.choices():
            raise ValueError(f"not a choice now: {choice}")
        self.go_on(choice)

    def resume(self, phase: str) -> None:
        """Continue from the beginning of a phase."""
        self.play(self.rest_of_game(phase))

    def play(self, flow: Flow) -> None:
        """Play a part of the game up to a question with several choices, or to the end of the part."""
        self.flow = flow
        self.go_on(None)

    def go_on(self, answer: Choice | None) -> None:
        """Send an answer, and continue to a question with several choices or to the end."""
        while True:
            try:
                self.asked = self.flow.send(answer)
            except StopIteration:
                self.asked = None
                return
            if len(self.asked.choices) != 1:
                return
            answer = self.asked.choices[0]

    def rest_of_game(self, phase: str) -> Flow:
        """Yield the questions of the game from a phase on, until the Towers have been scored."""
        while not self.scored["towers"]:
            for word in PHASES[PHASES.index(phase) :]:
                self.phase = word
                self.lines_used = [set() for _ in range(self.seats)]
                yield from getattr(self, "phase_" + word)()
            phase = PHASES[0]
        self.end_of_game()

    # --- phase 1, income ---------------------------------------------------------------------------

    def phase_income(self) -> Flow:
        self.turn += 1
        self.bridge = []
        if self.seats == 2 and self.turn > 1:
            self.turn_order.reverse()
        for seat in range(self.seats):
            self.money[seat] += self.income(seat)
        yield from ()  # no player decides anything

    def income(self, seat: int) -> int:
        deniers = BOX["income"]["base"]
        for plot in self.road.values():
            if plot.building is not None and plot.owner == seat:
                deniers += self.tiles[plot.building].get("income", 0)
        return deniers

    # --- phase 2, placing workers ------------------------------------------------------------------

    def phase_workers(self) -> Flow:
        while len(self.bridge) < self.seats:
            for seat in list(self.turn_order):
                if seat not in self.bridge:
                    yield from self.place_or_pass(seat)

    def place_or_pass(self, seat: int) -> Flow:
        choices: list[Choice] = [("place", *target) for target in self.affordable_spaces(seat)]
        choices.append(("pass",))
        choice = yield Question("place", seat, choices)
        if choice == ("pass",):
            self.pass_on_the_bridge(seat)
            return
        target = choice[1:]
        self.money[seat] -= self.price(seat, target)
        self.home[seat] -= 1
        self.stand(seat, target)

    def pass_on_the_bridge(self, seat: int) -> None:
        if not self.bridge:
            self.money[seat] += BOX["bridge"]["first_passer_bonus"]
        self.bridge.append(seat)

    def affordable_spaces(self, seat: int) -> list[tuple]:
        if self.home[seat] == 0:
            return []
        return [target for target in self.free_spaces(seat) if self.price(seat, target) <= self.money[seat]]

    def price(self, seat: int, target: tuple) -> int:
        if target[0] == "road" and self.road[target[1]].owner == seat:
            return BOX["bridge"]["own_building_cost"]
        if self.inn_right == seat:
            return BOX["bridge"]["inn_right_cost"]
        if self.seats == 2 and self.bridge:
            return BOX["bridge"]["two_player_cost_after_pass"]
        return 1 + len(self.bridge)

    def free_spaces(self, seat: int) -> list[tuple]:
        free: list[tuple] = []
        if seat not in self.castle:
            free.append(("castle",))
        for name, worker in self.special.items():
            if worker is None:
                free.append((name,))
        if self.seats > 2 and len(self.stables) < 3 and seat not in self.stables:
            free.append(("stables",))
        if self.inn_left is None:
            free.append(("inn",))
        for space, plot in self.road.items():
            if plot.building is not None and self.class_of(plot) in WORK_SPACES and plot.worker is None:
                free.append(("road", space))
        return free

    def stand(self, seat: int, target: tuple) -> None:
        match target:
            case ("castle",):
                self.castle.append(seat)
            case ("stables",):
                self.stables.append(seat)
            case ("inn",):
                self.inn_left = seat
            case ("road", space):
                plot = self.road[space]
                plot.worker = seat
                if plot.owner is not None and plot.owner != seat:
                    self.points[plot.owner] += BOX["score"]["owner_pp_per_foreign_worker"]
            case (name,):
                self.special[name] = seat

    # --- phase 3, special buildings ----------------------------------------------------------------

    def phase_special(self) -> Flow:
        yield from self.gate()
        self.trading_post()
        yield from self.merchants_guild()
        yield from self.joust_field()
        self.order_by_stables()
        yield from self.inn()

    def leave(self, name: str) -> None:
        seat = self.special[name]
        assert seat is not None
        self.special[name] = None
        self.home[seat] += 1

    def gate(self) -> Flow:
        seat = self.special["gate"]
        if seat is None:
            return
        choices: list[Choice] = [("gate", *target) for target in self.free_spaces(seat)]
        choices.append(("home",))
        choice = yield Question("gate", seat, choices)
        if choice == ("home",):
            self.leave("gate")
        else:
            self.special["gate"] = None
            self.stand(seat, choice[1:])

    def trading_post(self) -> None:
        seat = self.special["trading_post"]
        if seat is None:
            return
        self.money[seat] += 3
        self.leave("trading_post")

    def merchants_guild(self) -> Flow:
        seat = self.special["merchants_guild"]
        if seat is None:
            return
        yield from self.move_provost("guild", seat, BOX["provost"]["max_steps_guild"], BOX["provost"]["guild_cost"])
        self.leave("merchants_guild")

    def move_provost(self, word: str, seat: int, most: int, cost: int) -> Flow:
        choices = [
            ("provost", steps)
            for steps in range(-most, most + 1)
            if self.provost + steps in self.road and abs(steps) * cost <= self.money[seat]
        ]
        choice = yield Question(word, seat, choices)
        self.provost += choice[1]
        self.money[seat] -= abs(choice[1]) * cost

    def joust_field(self) -> Flow:
        seat = self.special["joust_field"]
        if seat is None:
            return
        choices: list[Choice] = [DECLINE]
        if self.money[seat] >= 1 and self.cubes[seat]["cloth"] >= 1:
            choices.append(("joust",))
        choice = yield Question("joust", seat, choices)
        if choice == ("joust",):
            self.money[seat] -= 1
            self.cubes[seat]["cloth"] -= 1
            yield from self.royal_favours(seat, 1)
        self.leave("joust_field")

    def order_by_stables(self) -> None:
        self.turn_order = self.stables + [seat for seat in self.turn_order if seat not in self.stables]
        for seat in self.stables:
            self.home[seat] += 1
        self.stables = []

    def inn(self) -> Flow:
        if self.inn_left is not None:
            if self.inn_right is not None:
                self.home[self.inn_right] += 1
            self.inn_right = self.inn_left
            self.inn_left = None
        elif self.inn_right is not None:
            choice = yield Question("inn", self.inn_right, [("keep",), ("home",)])
            if choice == ("home",):
                self.home[self.inn_right] += 1
                self.inn_right = None

    # --- phase 4, the provost ----------------------------------------------------------------------

    def phase_provost(self) -> Flow:
        most, cost = BOX["provost"]["max_steps_phase4"], BOX["provost"]["cost_per_step"]
        for seat in self.bridge:
            yield from self.move_provost("provost", seat, most, cost)

    # --- phase 6, the castle -----------------------------------------------------------------------

    def phase_castle(self) -> Flow:
        batches: dict[int, int] = {}
        for seat in self.castle:
            batches[seat] = yield from self.give_batches(seat)
        most = max(batches.values(), default=0)
        if most > 0:
            best = next(seat for seat in self.castle if batches[seat] == most)  # the lower circle
            yield from self.royal_favours(best, BOX["castle"]["most_batches_favours"])
        for seat in self.castle:
            self.home[seat] += 1
        self.castle = []

    def give_batches(self, seat: int) -> Flow:
        """Yield the questions on a player's batches, and return the number of batches given."""
        given = 0
        room = self.section_to_build() is not None
        while True:
            choices: list[Choice] = [("batch", pair) for pair in self.batches(seat)]
            choices.append(("stop",))
            choice = yield Question("castle", seat, choices)
            if choice == ("stop",):
                break
            self.give_batch(seat, choice[1])
            given += 1
        if given == 0 and room:
            self.lose_points(seat, BOX["castle"]["no_batch_penalty_pp"])
        return given

    def batches(self, seat: int) -> list[tuple[str, str]]:
        """Return the pairs of other kinds that the player can give together with food."""
        if self.section_to_build() is None or self.cubes[seat]["food"] == 0:
            return []
        return list(combinations(self.kinds_held(seat, BESIDE_FOOD), 2))

    def give_batch(self, seat: int, pair: tuple[str, str]) -> None:
        section = self.section_to_build()
        assert section is not None
        self.pay(seat, {"food": 1, pair[0]: 1, pair[1]: 1})
        self.houses[section][seat] += 1
        self.points[seat] += SECTION[section]["pp_per_batch"]

    def section_to_build(self) -> str | None:
        """Return the first section that is neither scored nor full, or None."""
        return next((name for name in SECTION if not self.scored[name] and not self.is_full(name)), None)

    # --- phase 7, end of the turn ------------------------------------------------------------------

    def phase_end(self) -> Flow:
        self.move_bailiff()
        for section in SECTION:
            reached = self.bailiff >= SECTION[section]["trigger_space"]
            if not self.scored[section] and (reached or self.is_full(section)):
                yield from self.score_section(section)
                self.scored[section] = True

    def move_bailiff(self) -> None:
        if self.provost > self.bailiff:
            self.bailiff += BOX["road"]["bailiff_step_provost_ahead"]
        else:
            self.bailiff += BOX["road"]["bailiff_step_otherwise"]
        self.provost = self.bailiff

    def score_section(self, section: str) -> Flow:
        for seat in list(self.turn_order):
            row = [row for row in SECTION[section]["table"] if row["min"] <= self.houses[section][seat]][-1]
            self.lose_points(seat, -row["pp"])
            yield from self.royal_favours(seat, row["favours"])

    # --- the end -----------------------------------------------------------------------------------

    def end_of_game(self) -> None:
        for seat in range(self.seats):
            self.points[seat] += self.cubes[seat]["gold"] * BOX["final"]["pp_per_gold"]
            self.points[seat] += self.number_of(seat, COMMON) // BOX["final"]["common_cubes_per_pp"]
            self.points[seat] += self.money[seat] // BOX["final"]["deniers_per_pp"]
        self.over = True
        self.winners = [seat for seat in range(self.seats) if self.points[seat] == max(self.points)]
