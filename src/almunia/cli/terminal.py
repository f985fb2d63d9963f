"""A play in the terminal: the board in words, a question, and the actions to choose from."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.box import ASCII, ROUNDED
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from ..core.contract import SPECTATOR
from ..core.lines import spoken
from ..core.play import Observation, Play
from ..errors import UndoRefused
from ..files import write
from .narration import apply_and_tell, result_lines

PAGE = 12  # actions shown at a time
HELP = """\
a number   chooses that action
words      leave only the actions in which they occur; Enter plays the last one left
Enter      shows more actions
*          shows all actions again
u          takes the last action back, as far as the rules allow
q          leaves"""


class Left(Exception):
    """The player has left the game."""


class Terminal:
    """One play at one screen, with people and bots in its seats."""

    def __init__(self, play: Play, names: Sequence[str], bots: Mapping[int, Any], save: Path | None) -> None:
        self.play, self.names, self.bots, self.save = play, names, bots, save
        self.console = Console(highlight=False, markup=False, emoji=False)
        people = [seat for seat in range(play.seats) if seat not in bots]
        self.readers = people or [SPECTATOR]
        self.news: dict[int, list[str]] = {reader: [] for reader in self.readers}
        self.at_screen = self.readers[0]

    def run(self) -> None:
        """Play to the end, or until the player leaves; then write the record if it was asked for."""
        try:
            while not self.play.over:
                if self.play.turn in self.bots:
                    observation = self.play.observe(self.play.turn)
                    self.do(self.bots[self.play.turn].choose(observation))
                else:
                    self.turn()
            self.show_end()
        except (Left, EOFError):
            self.console.print("\nYou have left the game.")
        finally:
            if self.save:
                self.write_record(self.save)

    def do(self, action: int) -> None:
        """Do an action and keep what each reader may know of it."""
        for reader, lines in apply_and_tell(self.play, action, self.readers).items():
            self.news[reader] += [spoken(line, self.names) for line in lines]

    # --- a person's turn -------------------------------------------------------------------------

    def turn(self) -> None:
        """Show the position to the person to move and have one action chosen."""
        seat = self.play.turn
        self.draw_curtain(seat)
        observation = self.play.observe(seat)
        self.show_news(seat)
        self.show_board(observation)
        self.console.print(Text(self.play.game.text.ask(observation.state), style="bold"))
        action = Menu(self, observation).choose()
        if action is None:
            self.undo()
        else:
            self.do(action)

    def draw_curtain(self, seat: int) -> None:
        """Between people who must not see each other's secrets, clear the screen first."""
        if seat != self.at_screen and self.play.game.meta.hides:
            self.console.clear()
            self.console.input(f"{self.names[seat]}, it is your turn. Press Enter when nobody else looks. ")
        self.at_screen = seat

    def show_news(self, reader: int) -> None:
        """What has happened since this reader looked last."""
        for line in self.news[reader]:
            self.console.print(Text(f"  {line}", style="cyan"))
        self.news[reader].clear()

    def show_board(self, observation: Observation) -> None:
        """The position as text, in a frame."""
        title = f"{self.play.game.meta.title}: {self.names[observation.seat] if observation.seat >= 0 else 'watching'}"
        frame = ASCII if self.console.legacy_windows else ROUNDED
        self.console.print(Panel(Text(observation.board()), title=Text(title), box=frame, expand=False))

    def undo(self) -> None:
        """Undo the last action, or say why not."""
        try:
            self.play.undo()
        except UndoRefused as refusal:
            self.console.print(Text(str(refusal), style="yellow"))

    # --- the end ---------------------------------------------------------------------------------

    def show_end(self) -> None:
        """The last board and the result."""
        reader = self.at_screen
        self.show_news(reader)
        self.show_board(self.play.observe(reader))
        self.console.print(Panel(Text("\n".join(result_lines(self.play, self.names))), title="The end", expand=False))

    def write_record(self, path: Path) -> None:
        """Write the record, as JSON if the file is called so."""
        record = self.play.record(self.names)
        write(path, record.to_json() + "\n" if path.suffix == ".json" else str(record))
        self.console.print(f"The record is in {path}.")


class Menu:
    """The legal actions, narrowed by words and shown page by page."""

    def __init__(self, terminal: Terminal, observation: Observation) -> None:
        self.console, self.names, self.state = terminal.console, terminal.names, observation.state
        self.text = terminal.play.game.text
        self.actions = observation.legal
        self.shown = [self.text.say(self.state, action) for action in self.actions]
        self.words = [words.lower() for words in self.shown]
        self.left = list(range(len(self.actions)))  # those that the words typed so far leave
        self.first = 0

    def choose(self) -> int | None:
        """The action chosen, or None to undo the last one."""
        self.show()
        while True:
            typed = self.console.input("> ").strip().lower()
            match typed:
                case "q" | "quit":
                    raise Left
                case "u" | "undo":
                    return None
                case "?" | "help":
                    self.console.print(HELP)
                case "*":
                    self.narrow("")
                case "" if len(self.left) == 1:
                    return self.actions[self.left[0]]
                case "":
                    self.turn_page()
                case _ if typed.isdecimal():
                    if 1 <= int(typed) <= len(self.actions):
                        return self.actions[int(typed) - 1]
                    self.console.print(f"There is no action {typed}; there are 1 to {len(self.actions)}.")
                case _:
                    if typed in self.words:
                        return self.actions[self.words.index(typed)]
                    self.narrow(typed)

    def narrow(self, typed: str) -> None:
        """Leave only the actions in which all these words occur."""
        found = [i for i, words in enumerate(self.words) if all(word in words for word in typed.split())]
        if found:
            self.left, self.first = found, 0
            self.show()
        else:
            self.console.print(f"No action says {typed!r}. Type ? for help.")

    def turn_page(self) -> None:
        """The next page, and after the last the first again."""
        self.first = self.first + PAGE if self.first + PAGE < len(self.left) else 0
        self.show()

    def show(self) -> None:
        """One page of what is left."""
        page = self.left[self.first : self.first + PAGE]
        for i in page:
            line = Text(f"{i + 1:>4}  {self.shown[i]}")
            if effect := self.text.effect(self.state, self.actions[i]):
                line.append(f"  ({spoken(effect, self.names)})", style="dim")
            self.console.print(line)
        if len(self.left) == 1:
            self.console.print("Enter plays it, * shows all actions.")
        elif len(page) < len(self.left):
            last = self.first + len(page)
            self.console.print(
                f"{self.first + 1} to {last} of {len(self.left)}; Enter shows more, words narrow, ? helps."
            )
