"""A play in the terminal: the board as text, a question, and a menu of actions."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.box import ASCII, ROUNDED
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from ..bots import Bot
from ..core.contract import SPECTATOR
from ..core.rich_text import plain_text
from ..errors import UndoRefused
from ..files import write
from ..play.play import Observation, Play
from .narration import apply_and_log, result_lines

PAGE_SIZE = 12  # actions shown at once
HELP = """\
a number   chooses that action
words      show only the actions that contain them; if one is left, Enter plays it
Enter      shows more actions
*          shows all actions again
u          undoes the last action, if the rules allow it
q          quits"""


class PlayerQuit(Exception):
    """The exception for a player who leaves the game."""


class Terminal:
    """A play on one device, with people and bots in its seats."""

    def __init__(
        self, play: Play, names: Sequence[str], bots: Mapping[int, Bot], save: Path | None, seed_known: bool
    ) -> None:
        self.play, self.names, self.bots, self.save, self.seed_known = play, names, bots, save, seed_known
        self.console = Console(highlight=False, markup=False, emoji=False)
        people = [seat for seat in range(play.seats) if seat not in bots]
        self.viewers = people or [SPECTATOR]
        self.pending_log: dict[int, list[tuple[int, str]]] = {viewer: [] for viewer in self.viewers}  # action, line
        self.viewer = self.viewers[0]

    def run(self) -> None:
        """Play to the end, or until the player quits; then write the record if `save` is set."""
        try:
            while not self.play.over:
                if self.play.turn in self.bots:
                    observation = self.play.observe(self.play.turn)
                    self.apply(self.bots[self.play.turn].choose(observation))
                else:
                    self.turn()
            self.show_end()
        except (PlayerQuit, EOFError):
            self.console.print("\nYou have left the game.")
        finally:
            if self.save:
                self.write_record(self.save)

    def apply(self, action: int) -> None:
        for viewer, lines in apply_and_log(self.play, action, self.viewers).items():
            self.pending_log[viewer] += [(len(self.play.actions), plain_text(line, self.names)) for line in lines]

    # --- a person's turn -------------------------------------------------------------------------

    def turn(self) -> None:
        seat = self.play.turn
        self.hide_screen(seat)
        observation = self.play.observe(seat)
        self.show_pending_log(seat)
        self.show_board(observation)
        self.console.print(Text(self.play.game.text.question(observation.state), style="bold"))
        action = Menu(self, observation).choose()
        if action is None:
            self.undo()
        else:
            self.apply(action)

    def hide_screen(self, seat: int) -> None:
        """Clear the screen before another person's turn and wait for Enter, if the game has hidden information."""
        if seat != self.viewer and self.play.game.meta.has_hidden_information:
            self.console.clear()
            self.console.input(
                f"{self.names[seat]}, it is your turn. Press Enter when no one else can see the screen. "
            )
        self.viewer = seat

    def show_pending_log(self, viewer: int) -> None:
        """Print the pending log lines of a viewer, and clear them."""
        for _, line in self.pending_log[viewer]:
            self.console.print(Text(f"  {line}", style="cyan"))
        self.pending_log[viewer].clear()

    def show_board(self, observation: Observation) -> None:
        title = f"{self.play.game.meta.title}: {self.names[observation.seat] if observation.seat >= 0 else 'watching'}"
        frame = ASCII if self.console.legacy_windows else ROUNDED
        self.console.print(Panel(Text(observation.board()), title=Text(title), box=frame, expand=False))

    def undo(self) -> None:
        """Undo the last action and remove its lines from the pending logs, or print why undo is not allowed."""
        try:
            self.play.undo()
        except UndoRefused as refusal:
            self.console.print(Text(str(refusal), style="yellow"))
        for lines in self.pending_log.values():
            lines[:] = [(number, line) for number, line in lines if number <= len(self.play.actions)]

    # --- the end ---------------------------------------------------------------------------------

    def show_end(self) -> None:
        self.show_pending_log(self.viewer)
        self.show_board(self.play.observe(self.viewer))
        self.console.print(Panel(Text("\n".join(result_lines(self.play, self.names))), title="The end", expand=False))

    def write_record(self, path: Path) -> None:
        """Write the record to a file, as JSON if the file name ends in .json."""
        record = self.play.record(self.names, self.seed_known)
        write(path, record.to_json() + "\n" if path.suffix == ".json" else str(record))
        self.console.print(f"The record is in {path}.")


class Menu:
    """The legal actions, filtered by words and shown page by page."""

    def __init__(self, terminal: Terminal, observation: Observation) -> None:
        self.console, self.names, self.state = terminal.console, terminal.names, observation.state
        self.text = terminal.play.game.text
        self.actions = observation.legal_actions
        self.labels = [self.text.action_to_string(self.state, action) for action in self.actions]
        self.lowercase_labels = [label.lower() for label in self.labels]
        self.matches = list(range(len(self.actions)))  # indexes of the actions that match the words typed so far
        self.page_start = 0

    def choose(self) -> int | None:
        """Return the chosen action, or None to undo the last action. Raise PlayerQuit to leave the game."""
        self.show()
        while True:
            answer = self.console.input("> ").strip().lower()
            match answer:
                case "q" | "quit":
                    raise PlayerQuit
                case "u" | "undo":
                    return None
                case "?" | "help":
                    self.console.print(HELP)
                case "*":
                    self.narrow("")
                case "" if len(self.matches) == 1:
                    return self.actions[self.matches[0]]
                case "":
                    self.turn_page()
                case _ if answer.isdecimal():
                    if 1 <= int(answer) <= len(self.actions):
                        return self.actions[int(answer) - 1]
                    self.console.print(f"There is no action {answer}; there are 1 to {len(self.actions)}.")
                case _:
                    if answer in self.lowercase_labels:
                        return self.actions[self.lowercase_labels.index(answer)]
                    self.narrow(answer)

    def narrow(self, answer: str) -> None:
        """Show only the actions that contain all these words. If no action does, print a message."""
        words = answer.split()
        matching = [i for i, label in enumerate(self.lowercase_labels) if all(word in label for word in words)]
        if matching:
            self.matches, self.page_start = matching, 0
            self.show()
        else:
            self.console.print(f"No action contains {answer!r}. Type ? for help.")

    def turn_page(self) -> None:
        self.page_start = self.page_start + PAGE_SIZE if self.page_start + PAGE_SIZE < len(self.matches) else 0
        self.show()

    def show(self) -> None:
        page = self.matches[self.page_start : self.page_start + PAGE_SIZE]
        for i in page:
            line = Text(f"{i + 1:>4}  {self.labels[i]}")
            if effect := self.text.effect_text(self.state, self.actions[i]):
                line.append(f"  ({plain_text(effect, self.names)})", style="dim")
            self.console.print(line)
        if len(self.matches) == 1:
            self.console.print("Enter plays it, * shows all actions.")
        elif len(page) < len(self.matches):
            last = self.page_start + len(page)
            self.console.print(
                f"{self.page_start + 1} to {last} of {len(self.matches)}; Enter shows more, words filter, ? shows help."
            )
