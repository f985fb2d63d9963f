"""The oracle of Caylus with a count of the events in its games."""

from almunia.games.caylus.tests.naive import Naive


class Watched(Naive):
    """A game that counts its events in `seen`."""

    def __init__(self, seen, *given):
        self.seen = seen
        self.given = []  # number of batches by castle circle
        super().__init__(*given)

    def pass_on_the_bridge(self, seat):
        if not self.affordable_spaces(seat):
            self.seen["a forced pass" if self.bridge else "a forced pass, the first"] += 1
            self.seen["no worker left" if self.home[seat] == 0 else "no money left"] += 1
        super().pass_on_the_bridge(seat)

    def stand(self, seat, target):
        if self.phase == "special":
            where = target[0]
            if where == "road":
                plot = self.road[target[1]]
                where = self.class_of(plot)
                if plot.owner is not None:
                    where = "own" if plot.owner == seat else "foreign"
            self.seen[f"gate to {where}"] += 1
        elif target[0] == "road" and self.road[target[1]].owner not in (None, seat):
            self.seen["a guest"] += 1
        super().stand(seat, target)

    def order_by_stables(self):
        before = list(self.turn_order)
        self.seen[f"stables {len(self.stables)}"] += 1
        super().order_by_stables()
        self.seen["a new turn order"] += before != self.turn_order

    def inn(self):
        if self.inn_left is not None and self.inn_right is not None:
            self.seen["inn, the same twice" if self.inn_left == self.inn_right else "inn, a swap"] += 1
        yield from super().inn()

    def activate(self, space):
        plot = self.road[space]
        self.seen[plot.building] += 1
        self.seen["at work before it changes"] += plot.residence_for is not None
        yield from super().activate(space)
        self.seen["changed by its own worker"] += plot.residence_for == plot.worker == plot.owner

    def clear(self, space):
        if self.road[space].residence_for is not None:
            where = "up to" if space <= self.provost else "beyond"
            self.seen[f"a delayed residence {where} the provost"] += 1
        super().clear(space)

    def become_residence(self, space, seat):
        self.seen[f"{self.class_of(self.road[space])} tile becomes a residence"] += 1
        self.seen[f"a residence in {self.phase}"] += 1
        super().become_residence(space, seat)

    def is_target(self, plot, seat):
        self.seen["a residence to come is no target"] += plot.residence_for is not None
        return super().is_target(plot, seat)

    def prestige_buildable(self, seat):
        payable = any(self.has(seat, self.tiles[name]["cost"]) for name in self.in_supply("prestige"))
        only = not self.residences(seat) and any(plot.residence_for == seat for plot in self.road.values())
        self.seen["a residence to come is no site"] += only and payable
        return super().prestige_buildable(seat)

    def buildable(self, seat, sort, discount):
        self.seen["a full road"] += self.first_empty_space() is None
        to_come = [plot.building for plot in self.road.values() if plot.residence_for is not None]
        wanted = [name for name in to_come if self.tiles[name]["class"] == sort]
        self.seen["a tile still to go back"] += any(self.can_pay(seat, self.cost(name, discount)) for name in wanted)
        return super().buildable(seat, sort, discount)

    def phase_castle(self):
        self.given = []
        yield from super().phase_castle()
        most = max(self.given, default=0)
        self.seen["a tie in the castle"] += most > 0 and self.given.count(most) > 1
        self.seen["nobody gave a batch"] += self.given != [] and most == 0

    def give_batches(self, seat):
        self.seen["the castle is full"] += self.section_to_build() is None
        given = yield from super().give_batches(seat)
        self.given.append(given)
        return given

    def give_batch(self, seat, pair):
        due = [name for name in self.houses if not self.scored[name]]
        self.seen[f"overflow {due.index(self.section_to_build())}"] += 1
        self.seen["gold in a batch"] += "gold" in pair
        super().give_batch(seat, pair)

    def lose_points(self, seat, number):
        if number > 0:
            self.seen[f"{number} lost in {self.phase}"] += 1
            self.seen["not below nought"] += self.points[seat] < number
        super().lose_points(seat, number)

    def phase_end(self):
        before = sum(self.scored.values())
        yield from super().phase_end()
        self.seen[f"scored at once: {sum(self.scored.values()) - before}"] += 1
        self.seen[f"turn {self.turn}"] += 1

    def royal_favour(self, seat):
        lost = not self.simple_favours and len(self.lines_used[seat]) == len(self.favours[seat])
        self.seen["a favour is lost"] += lost
        self.seen["a favour of 3 points"] += self.simple_favours
        self.seen[f"a favour in {self.phase}"] += 1
        yield from super().royal_favour(seat)

    def end_of_game(self):
        super().end_of_game()
        self.seen["a shared win"] += len(self.winners) > 1
