"""Effects of one click: macro moves, automatic answers, confirmations, and undo."""

import re
from contextlib import nullcontext
from itertools import chain
from random import Random

import pytest

import almunia
from almunia import catalog
from almunia.core.optional import ActionSequence, Explanation
from almunia.server.errors import ConfirmationRequired
from almunia.server.tables.model import HINT, MOVE, UNDO, TableEvent
from almunia.server.tables.moves import (
    ALWAYS,
    DEFAULT_OPTIONS,
    FINAL,
    NEVER,
    WAIT,
    MoveOptions,
    apply_actions,
    effective_moves,
    undo_count,
)

ALHAMBRA, ALPUJARRAS, ORCHARD = (almunia.game(name, "plain") for name in ("alhambra", "alpujarras", "orchard"))
SURE = MoveOptions(FINAL, confirmed=True, auto_answer=True)


def positions(game=ALPUJARRAS, count=150):
    """Yield the positions of a random play. In Alpujarras everything is public, and so is each single answer."""
    play, rng = game.new(2, seed=1), Random(1)
    for _ in range(count):
        yield play.copy()
        play.apply(rng.choice(play.legal_actions))
        if play.over:
            return


def test_forced_actions_are_played_while_they_can_be_undone():
    found = set()
    for play in positions():
        for action in play.legal_actions[:3]:
            seat, after = play.turn, play.copy()
            entries = apply_actions(after, (action,), SURE)
            plain, begun_final = play.copy(), False
            for number, entry in enumerate(entries):
                assert (entry.seat, entry.same_choice) == (seat, number > 0)
                assert number == 0 or plain.legal_actions == (entry.action,)
                plain.apply(entry.action)
                final = not plain.can_undo
                found.add((number > 0, final))
                begun_final = begun_final or (number == 0 and final)
                assert begun_final or not final
            assert after.to_state() == plain.to_state()
            goes_on = after.turn == seat and len(after.legal_actions) == 1
            if goes_on:  # the series stopped because the next answer cannot be undone
                after.apply(after.legal_actions[0])
                assert not after.can_undo
                assert not begun_final
    assert found == {(False, False), (False, True), (True, False), (True, True)}


def test_forced_actions_are_always_played_without_confirmations():
    for play in positions():
        seat = play.turn
        apply_actions(play, play.legal_actions[:1], MoveOptions(NEVER, auto_answer=True))
        assert play.over or play.turn != seat or len(play.legal_actions) > 1


def test_forced_actions_are_asked_if_wanted_or_secret(monkeypatch):
    play = next(play for play in positions() if len(apply_actions(play.copy(), play.legal_actions[:1], SURE)) > 1)
    assert len(apply_actions(play.copy(), play.legal_actions[:1], DEFAULT_OPTIONS)) == 1
    monkeypatch.setattr(almunia.library.Game, "legal_is_public", lambda *_: False)
    assert len(apply_actions(play.copy(), play.legal_actions[:1], SURE)) == 1


@pytest.mark.parametrize(("asks", "choices", "final", "asked"), [
    (NEVER, 2, True, False),
    (FINAL, 2, True, True),
    (FINAL, 1, True, False),  # no other choice is legal
    (FINAL, 2, False, False),
    (WAIT, 2, True, True),
    (WAIT, 1, True, False),
    (WAIT, 2, False, False),
    (ALWAYS, 2, False, True),
])  # fmt: skip
def test_moves_are_confirmed_by_the_policy_of_the_player(asks, choices, final, asked):
    def fits(play):
        after = play.copy()
        after.apply(play.legal_actions[0])
        return min(len(play.legal_actions), 2) == choices and after.can_undo != final

    play = next(filter(fits, chain(positions(), positions(ORCHARD))))
    if asked:
        with pytest.raises(ConfirmationRequired) as refused:
            apply_actions(play.copy(), play.legal_actions[:1], MoveOptions(asks))
        assert refused.value.can_wait == (asks == WAIT)
    else:
        assert apply_actions(play.copy(), play.legal_actions[:1], MoveOptions(asks))
    assert apply_actions(play, play.legal_actions[:1], MoveOptions(asks, confirmed=True))


def test_a_turn_that_only_has_to_be_ended_is_ended_after_a_wait():
    """With FINAL, Alhambra asks whether the turn is over. With WAIT, the last choice of the turn waits instead."""
    play = ALHAMBRA.new(2, seed=1)
    seat, actions = play.turn, []
    while play.turn == seat and not actions:  # a choice after which the turn can only be ended
        for action in play.legal_actions:
            after = play.copy()
            after.apply(action)
            if after.turn == seat and ALHAMBRA.rules.CODES.split(after.legal_actions[0])[0] == "END":
                actions.append(action)
        if not actions:
            play.apply(play.legal_actions[0])
    assert len(apply_actions(play.copy(), actions[:1], MoveOptions(FINAL, auto_answer=True))) == 1
    with pytest.raises(ConfirmationRequired, match="cannot be undone") as refused:
        apply_actions(play.copy(), actions[:1], MoveOptions(WAIT, auto_answer=True))
    assert refused.value.can_wait
    events = apply_actions(play, actions[:1], MoveOptions(WAIT, confirmed=True, auto_answer=True))
    assert events[1].text == "end the turn"
    assert play.turn != seat


@pytest.mark.parametrize("policy", [NEVER, WAIT, FINAL, ALWAYS])
def test_an_action_with_a_warning_is_confirmed_under_every_policy(monkeypatch, policy):
    play = next(play for play in positions() if len(play.legal_actions) > 1 and play.can_undo)
    first, second, *_ = play.legal_actions
    monkeypatch.setattr(ALPUJARRAS.text, "warning", lambda _, action: "This is dear." if action == first else "")
    with pytest.raises(ConfirmationRequired, match=r"^This is dear\. .*Choose") as refused:
        apply_actions(play.copy(), (first,), MoveOptions(policy, heeds_warnings=True))
    assert not refused.value.can_wait
    with pytest.raises(ConfirmationRequired):
        apply_actions(play.copy(), (first,), MoveOptions(policy, confirmed=True, heeds_warnings=True))
    assert apply_actions(play.copy(), (first,), MoveOptions(policy, confirmed=True))
    assert apply_actions(play.copy(), (first,), DEFAULT_OPTIONS), "programs are not asked"
    assert apply_actions(play.copy(), (second,), MoveOptions(NEVER, heeds_warnings=True))


@pytest.mark.parametrize("name", catalog.game_packages())
def test_irreversible_choices_are_confirmed_in_every_game(name):
    for play in positions(almunia.game(name, "plain"), 400):
        for action in play.legal_actions[:4]:
            after = play.copy()
            after.apply(action)
            asked = len(play.legal_actions) > 1 and not after.can_undo
            with pytest.raises(ConfirmationRequired) if asked else nullcontext():
                apply_actions(play.copy(), (action,), MoveOptions(FINAL))


def test_undo_takes_back_a_choice_with_its_forced_actions():
    one, more, back = TableEvent(0, MOVE, 1), TableEvent(0, MOVE, 2, same_choice=True), TableEvent(0, UNDO)
    hint = TableEvent(0, HINT, 1)
    assert undo_count(effective_moves([one]), 1) == undo_count(effective_moves([more]), 1) == 1
    assert undo_count(effective_moves([one, one]), 1, whole_turn=True) == 1
    assert undo_count(effective_moves([one, more, hint, more]), 3) == 3
    assert (
        undo_count(effective_moves([one, more, more]), 2) == 0
    )  # the first entry of this choice stays, so the others stay, too
    assert undo_count(effective_moves([one, one, more]), 3) == 2
    assert undo_count(effective_moves([one, one, more]), 3, whole_turn=True) == 3
    assert undo_count(effective_moves([one, more, one]), 1, whole_turn=True) == 1
    assert undo_count(effective_moves([one, one, more, back, back]), 1) == 1
    assert undo_count(effective_moves([one, back]), 0) == 0


def played(visitor, words, **fields):
    """Open a table of two people at one screen, and play these actions.

    Return its path, and a function that returns its state.
    """
    table = visitor.open("alpujarras", **{"seat-0": "me", "seat-1": "here", "seed": "1"})
    tables, name = visitor.app.state.site.tables, table.removeprefix("/table/")
    for said in words:
        play = tables.get(name).play
        assert (
            visitor.act(table, lambda _, play=play, said=said: play.string_to_action(said), **fields).status_code == 303
        )
    return table, lambda: tables.get(name)


def opening():
    """Return the words of actions that lead to a choice with one automatic answer, and the words of both."""
    play, done = ALPUJARRAS.new(2, seed=1), []
    for _ in range(50):
        for action in play.legal_actions:
            entries = apply_actions(play.copy(), (action,), SURE)
            if len(entries) == 2 and apply_actions(after := play.copy(), (action,), SURE) and after.can_undo:
                return done, [entry.text for entry in entries]
        done.append(play.action_to_string(play.legal_actions[0]))
        play.apply(play.legal_actions[0])
    raise AssertionError("nothing follows on anything")


def test_forced_actions_are_stored_and_undone_with_their_choice(visitor):
    before, (chosen, followed) = opening()
    visitor.post("/preferences", data={"forced": "ask"})
    table, now = played(visitor, before)
    visitor.post("/preferences", data={"forced": "skip", "confirm": "final"})
    state, count, seen = now().play.to_state(), len(now().play.actions), now().history(now().play.turn).version
    visitor.act(table, lambda _: now().play.string_to_action(chosen))
    assert [entry.text for entry in now().events[-2:]] == [chosen, followed]
    tables = visitor.app.state.site.tables
    kept = tables.store.events(now().table)
    assert [entry.same_choice for entry in (*now().events[-2:], *kept[-2:])] == [False, True] * 2
    assert now().history(now().play.turn).version == seen + 2
    page = visitor.get(table).text
    assert 'data-key="u">' in page
    seat, seen, _ = visitor.seen(table)
    visitor.post(f"{table}/undo", data={"seat": seat, "seen": seen})
    assert (now().play.to_state(), len(now().play.actions)) == (state, count)
    assert [entry.kind for entry in now().events[-2:]] == [UNDO, UNDO]
    tables._cache.clear()  # replaying the entries gives the same state
    assert now().play.to_state() == state


def test_a_forced_action_is_asked_if_the_player_wants_that(visitor):
    before, (chosen, followed) = opening()
    visitor.post("/preferences", data={"forced": "ask"})
    _, now = played(visitor, [*before, chosen])
    assert [now().play.action_to_string(action) for action in now().play.legal_actions] == [followed]


SURELY = re.compile(r'name="sure" value="([^"]*)"')
COURSE = re.compile(r'name="course" value="([^"]+)"')


@pytest.fixture
def two_cards(monkeypatch):
    """Let Orchard suggest the sequence of two cards under `actions`, if there is one."""
    offered = {"actions": ()}
    text = ORCHARD.text
    proposed = lambda _: [ActionSequence(offered["actions"], ["Both cards"], [])] if offered["actions"] else []  # noqa: E731
    monkeypatch.setattr(text, "suggestions", proposed, raising=False)
    return offered


def both(visitor, table):
    """Return two actions that can be played in a row at a table of Orchard."""
    play = visitor.app.state.site.tables.get(table.removeprefix("/table/")).play.copy()
    first = play.legal_actions[0]
    play.apply(first)
    return first, play.legal_actions[0]


def test_a_course_is_played_at_once(two_cards, visitor):
    table = visitor.open(**{"seat-0": "me"})
    two_cards["actions"] = both(visitor, table)
    code = ",".join(map(str, two_cards["actions"]))
    assert COURSE.findall(visitor.get(table).text) == [code]
    asked = visitor.answer(table, {"course": code, "seat": 0, "seen": 0, "sure": 0})
    assert asked.status_code == 200
    assert f'data-sure="{code}"' in asked.text
    assert (
        f'<b>Both cards</b>\n      <button class="primary" name="course" value="{code}">Play it' in asked.text
    )  # without scripts
    assert visitor.answer(table, {"course": code, "seat": 0, "seen": 0}).status_code == 303
    state = visitor.app.state.site.tables.get(table.removeprefix("/table/"))
    assert [(entry.action, entry.same_choice) for entry in state.events] == list(
        zip(two_cards["actions"], (False, True), strict=True)
    )


def test_a_course_that_was_not_proposed_is_refused(two_cards, visitor):
    """The error does not say which action was illegal, since that could reveal hidden information."""
    table = visitor.open(**{"seat-0": "me"})
    first, second = both(visitor, table)
    answers = {
        visitor.answer(table, {"course": f"{first},{more}", "seat": 0, "seen": 0}).text for more in (second, 1, 4908)
    }
    assert len(answers) == 1
    assert "play these moves together" in answers.pop()
    two_cards["actions"] = (first, 4909)
    refused = visitor.answer(table, {"course": f"{first},4909", "seat": 0, "seen": 0})
    assert refused.status_code == 422
    assert visitor.seen(table)[1] == 0


@pytest.mark.parametrize("course", ["", "many", "1,", "-1,2", "1;2", ",".join(["1"] * 33), "9" * 10])
def test_an_invalid_course_is_refused(visitor, course):
    table = visitor.open(**{"seat-0": "me"})
    answer = visitor.answer(table, {"course": course, "seat": 0, "seen": 0})
    assert answer.status_code == 400
    assert "A move can have 1 to 32 actions" in answer.text


def test_the_list_of_moves_confirms_irreversible_moves(visitor):
    table = visitor.open(**{"seat-0": "me"})
    action, other = visitor.seen(table)[2][:2]
    fields = {"action": action, "seat": 0, "seen": 0}
    asked = visitor.post(f"{table}/move", data=fields)
    assert "This cannot be undone." in asked.text
    assert f'name="action" value="{action}">Play it' in asked.text
    (words,) = re.findall(rf'name="action" value="{action}"[^>]*>(Card [^<]+?) *<', asked.text)
    assert f"<b>{words}</b>" in asked.text  # a page without scripts names the choice
    assert SURELY.findall(asked.text) == [str(action)] * 2  # also in the list: pressing the same button again plays it
    anew = visitor.post(f"{table}/move", data={**fields, "action": other, "sure": action})
    assert SURELY.findall(anew.text) == [str(other)] * 2
    assert visitor.seen(table)[1] == 0
    again = visitor.post(f"{table}/move", data={**fields, "sure": action}, follow_redirects=False)
    assert again.status_code == 303
    assert SURELY.findall(visitor.get(table).text) == []
    fields |= {"action": visitor.seen(table)[2][0], "seen": 1}
    visitor.post("/preferences", data={"confirm": "never"})
    assert visitor.post(f"{table}/move", data=fields, follow_redirects=False).status_code == 303


def test_a_page_with_scripts_holds_an_irreversible_move(visitor):
    """Nothing is played before the page confirms; a page without scripts asks for a second click."""
    table = visitor.open(**{"seat-0": "me"})
    action = visitor.seen(table)[2][0]
    fields, partial = {"action": action, "seat": 0, "seen": 0}, {"HX-Request": "true"}
    held = visitor.post(f"{table}/move", data=fields, headers=partial)
    assert f'data-sure="{action}" data-wait="3000"></p>' in held.text
    assert "etag" not in held.headers, "not what the same address shows otherwise"
    assert "data-wait" not in visitor.post(f"{table}/move", data=fields).text
    visitor.post("/preferences", data={"confirm": "final"})
    asked = visitor.post(f"{table}/move", data=fields, headers=partial)
    assert "This cannot be undone." in asked.text
    assert "data-wait" not in asked.text
    assert visitor.seen(table)[1] == 0
    visitor.post("/preferences", data={"confirm": "wait"})
    assert "data-sure" not in visitor.post(f"{table}/move", data={**fields, "sure": action}, headers=partial).text
    assert visitor.seen(table)[1] == 1


def test_a_warning_is_shown_even_after_a_second_tap(visitor, monkeypatch):
    """A second tap confirms a move, but not a warning that the player has not read."""
    table = visitor.open("alpujarras", **{"seat-0": "me", "seat-1": "here"})
    seat, seen, (action, *_) = visitor.seen(table)
    monkeypatch.setattr(ALPUJARRAS.text, "warning", lambda _, __: "This is dear.")
    fields = {"action": action, "seat": seat, "seen": seen}
    for sure in (0, 1):
        asked = visitor.post(f"{table}/move", data={**fields, "sure": sure})
        assert "This is dear." in asked.text
        assert f'data-sure="{action}"' in asked.text
    assert visitor.post(f"{table}/move", data={**fields, "sure": action}, follow_redirects=False).status_code == 303


# --- explanations ------------------------------------------------------------------------------------


@pytest.fixture
def refusing(monkeypatch):
    """Let Orchard explain illegal choices, and return the list of its questions."""
    asked = []
    monkeypatch.setattr(
        ORCHARD.view, "hit_test", lambda _s, _seat, panel, x, y: f"{panel} {x:g} {y:g}" if x else "", raising=False
    )

    def refuse(s, place, chosen):
        asked.append((place, dict(chosen)))
        return Explanation(["No card fits <here>."], "4.2", "tree-1") if "orchard" in place else None

    monkeypatch.setattr(ORCHARD.text, "explain_illegal", refuse, raising=False)
    return asked


def test_the_reason_of_an_illegal_place_is_explained_to_the_seat_to_move(refusing, visitor, stranger):
    table = visitor.open(**{"seat-0": "me"})
    assert " data-why" in visitor.get(table).text
    offers = visitor.app.state.site.tables.get(table.removeprefix("/table/")).history(0).action_labels
    card = dict(offers[0].parts)["card"]
    asking = f"{table}/explain?panel=orchard&x=3.50&y=-4&seen=0&part-card={card}"
    told = visitor.get(asking)
    assert told.status_code == 200
    assert told.headers["cache-control"] == "no-store"
    assert '<p data-target="tree-1">No card fits &lt;here&gt;.' in told.text
    assert 'href="/games/orchard/rules#4.2"' in told.text
    assert refusing == [("orchard 3.5 -4", {"card": card})]
    for quiet in (
        asking.replace("orchard&", "hand&"),
        asking.replace("x=3.50", "x=0"),
        asking.replace("seen=0", "seen=1"),
        asking.replace(f"card={card}", "card=99"),
        asking.replace(f"card={card}", "card=x"),
        asking.replace("card=", "tree="),
    ):
        assert visitor.get(quiet).status_code == 204
    for asked in (asking, asking.partition("&part")[0]):
        assert stranger.get(asked).status_code == 204
    assert " data-why" not in stranger.get(table).text
    assert len(refusing) == 2


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("panel=orchard&x=nan&y=1", 400),
        ("panel=orchard&x=1e9&y=1", 400),
        ("panel=orchard&x=1_0&y=1", 400),
        ("panel=orchard&x=9999999&y=1", 400),
        ("panel=orchard&x=1", 400),
        ("panel=orchard&x=1&y=1&seen=soon", 404),
        ("panel=elsewhere&x=1&y=1", 404),
        ("panel=orchard&x=1&y=1&part-hat=red", 400),
        ("panel=orchard&x=1&y=1&part-card=" + "7" * 61, 400),
    ],
)
def test_invalid_places_are_refused(refusing, visitor, query, status):
    table = visitor.open(**{"seat-0": "me"})
    assert visitor.get(f"{table}/explain?{query}").status_code == status
    assert not refusing
