"""Rules that no scenario can express. Docstrings cite RULES.md."""

from collections import Counter

import pytest

import almunia
from almunia.conformance import CHECKS, Case, CheckResult, run_check
from almunia.core.contract import SPECTATOR, Points, SeatName

PLAIN = almunia.game("kuhn", "plain")
NEEDS_PICTURES = {
    "equal_keys_give_equal_pictures",
    "icons_are_explained",
    "log_lines_have_targets",
    "pictures_depend_on_nothing_but_keys",
    "previews_render",
}
COMPILE = {"compiles_for_gpus", "scenarios_hold", "records_replay", "records_come_back"}  # see tests/conformance


def cards(play):
    return tuple(play.state.seat[p].card for p in range(2))


def test_six_seeds_in_a_row_deal_every_hand_once() -> None:
    """[2.2, D1]"""
    for start in (0, 17, 2**63 - 6):
        assert len({cards(PLAIN.new(seed=start + i)) for i in range(6)}) == 6
    assert all(PLAIN.new(seed=seed).turn == 0 for seed in range(6))


@pytest.mark.parametrize("words", [[], ["pass"], ["bet"], ["pass", "bet"], ["bet", "pass"]])
def test_determinizations_are_the_other_two_cards_equally_often(words) -> None:
    """A player knows that the other card is one of two, also after a player gave up [2.2, 4.1]."""
    count = 1000
    for seed in range(6):
        play = after(seed, *words)
        for seat in range(2):
            own, seen = cards(play)[seat], play.observe(seat)
            guesses = Counter(cards(seen.determinize(number)) for number in range(count))
            assert {guess[seat] for guess in guesses} == {own}
            assert {guess[1 - seat] for guess in guesses} == {1, 2, 3} - {own}
            assert all(abs(times - count / 2) < 4 * (count / 4) ** 0.5 for times in guesses.values())


def test_a_spectator_may_guess_six_deals_equally_often() -> None:
    count, seen = 3000, PLAIN.new(seed=1).observe(SPECTATOR)
    guesses = Counter(cards(seen.determinize(number)) for number in range(count))
    assert len(guesses) == 6
    assert all(abs(times - count / 6) < 4 * (count * 5 / 36) ** 0.5 for times in guesses.values())


def test_a_determinization_after_a_showdown_keeps_the_cards() -> None:
    """[4.2]"""
    play = after(4, "pass", "pass")
    assert {cards(play.observe(SPECTATOR).determinize(number)) for number in range(9)} == {cards(play)}


def after(seed, *words):
    play = PLAIN.new(seed=seed)
    for word in words:
        play.apply(play.string_to_action(word))
    return play


def test_cards_are_revealed_only_in_a_showdown() -> None:
    """[4.1, 4.2]"""
    assert after(0, "pass", "pass").state.reveals == 1
    assert after(0, "bet", "bet").state.reveals == 1
    assert after(0, "bet", "pass").state.reveals == 0


def test_the_text_reports_the_loss_of_a_player_who_gives_up() -> None:
    """[4.1]"""
    before, end = after(0, "pass", "bet"), after(0, "pass", "bet", "pass")
    _, (winner, _, points, _) = before.observe(0).log_lines(before.string_to_action("pass"), end.observe(0))
    assert (winner, points) == (SeatName(1), Points(1))
    assert [end.game.text.result_lines(end.state, seat) for seat in range(2)] == [["1 chip lost."], ["1 chip won."]]


def test_a_seat_reads_its_card_and_its_stake_first() -> None:
    play = after(0, "bet")  # the first player has the jack, the second the queen
    tensors = [play.observe(seat).tensor().tolist() for seat in (0, 1, SPECTATOR)]
    assert tensors[0] == pytest.approx([1, 0, 0, 1, 0.5, 1 / 3])
    assert tensors[1] == pytest.approx([0, 1, 0, 0.5, 1, 1 / 3])
    assert tensors[2] == pytest.approx([0, 0, 0, 1, 0.5, 1 / 3])


def plain_case() -> Case:
    """Return a case that uses the plain build in place of the compiled build."""
    case = Case("kuhn", 2)
    case.__dict__["compiled"] = case.plain
    return case


@pytest.mark.parametrize("title", sorted(CHECKS.keys() - COMPILE))
def test_the_contract_holds_without_pictures(title) -> None:
    case = plain_case()
    result = run_check(CHECKS[title], case)
    if title in NEEDS_PICTURES:
        assert result == CheckResult("The game has no pictures: it has no view.py.", skipped=True)
    elif title in ("the_first_game_teaches", "figures_in_the_rules_can_be_drawn"):
        assert result.skipped
    else:
        assert result == CheckResult()


def test_the_position_in_words_is_the_picture() -> None:
    seen = PLAIN.new(seed=0).observe(1)
    picture = seen.svg(choose=True)
    assert all(f">{line}</text>" in picture for line in seen.board().splitlines())
    assert seen.board().splitlines()[1].startswith("Seat 2: queen,")
    assert "hidden card" in picture
    assert "data-action" not in picture
