"""The lesson at a table: legal moves, automatic moves, leaving it, and its offers."""

import re
from html import unescape

import pytest

import almunia
from almunia.server.tables import lessons

from ..tiers import rest

TAUGHT = [meta.name for meta in almunia.all_games() if lessons.has_lesson(meta.name)]


def begin(visitor, name="oregon"):
    """Open the lesson of a game, and return its path."""
    answer = visitor.post(f"/games/{name}/lesson", follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def steps_of(page):
    """Return the words of the present steps of a page, and those of the earlier steps."""
    found = re.findall(r"<li( hidden)?(?: data-do)? data-point[^>]*>(.*?)</li>", page, re.DOTALL)
    words = [(hidden, unescape(re.sub(r"<.*", "", text, flags=re.DOTALL)).strip()) for hidden, text in found]
    return [text for hidden, text in words if not hidden], [text for hidden, text in words if hidden]


def actions_of(visitor, table):
    return visitor.seen(table)[2]


@pytest.mark.parametrize("name", rest(TAUGHT, "oregon"))
def test_a_finished_lesson_continues_as_a_game(visitor, name):
    lesson, table = lessons.get_lesson(name), begin(visitor, name)
    told = []
    for step in lesson.steps:
        page = visitor.get(table).text
        told += [words for words in steps_of(page)[0] if words not in told]
        if step.do >= 0:
            assert actions_of(visitor, table) == [step.do]
            assert 'data-key="u" disabled' in page
            assert visitor.act(table).status_code == 303
    page = visitor.get(table).text
    now, before = steps_of(page)
    says = [step.say for step in lesson.steps]
    assert [words for words in told if words in says] == says
    assert now[-1].startswith("The lesson is over.")
    assert before == says[: len(before)]
    assert "Leave the lesson" not in page
    play = visitor.app.state.site.tables.get(table.rpartition("/")[2]).play
    assert tuple(play.actions) == lesson.actions
    assert tuple(actions_of(visitor, table)) == play.legal_actions  # every action is legal now
    assert visitor.act(table).status_code == 303
    assert 'id="lesson"' not in visitor.get(table).text


def test_a_lesson_is_offered_until_it_is_done(visitor, stranger):
    """The front page and an invitation by link offer it."""
    table = visitor.open("oregon", **{"seat-0": "me", "seat-1": "friend"})
    link = re.search(r'readonly value="http://testserver([^"]+)"', visitor.get(table).text)[1]

    def offers():
        front, invitation = stranger.get("/").text, stranger.get(link).text
        return 'formaction="/games/oregon/lesson"' in front, "Learn Oregon first" in invitation

    assert offers() == (True, True)
    lesson, *steps = begin(stranger), *(step for step in lessons.get_lesson("oregon").steps if step.do >= 0)
    for _ in steps:
        assert offers() == (True, True)
        stranger.act(lesson)
    assert offers() == (False, False)
    assert 'formaction="/games/orchard/lesson"' in stranger.get("/").text


def test_the_first_game_after_a_lesson_is_against_beginners(visitor):
    def opponents(table):
        seats = visitor.app.state.site.tables.get(table.removeprefix("/table/")).table.seats
        return {seat.player for seat in seats if seat.bot}

    def resign(table):
        visitor.post(f"{table}/resign", data={"seat": visitor.seen(table)[0]})
        assert visitor.app.state.site.tables.get(table.removeprefix("/table/")).table.finished

    lesson = begin(visitor)
    while "The lesson is over." not in visitor.get(lesson).text:
        visitor.act(lesson)
    assert opponents(lesson) == {"beginner"}
    resign(lesson)
    first = visitor.open("oregon", quick=1)
    assert opponents(first) == {"beginner"}, "a lesson is no game"
    resign(first)
    assert opponents(visitor.open("oregon", quick=1)) == {"medium"}
    assert opponents(visitor.open("alhambra", quick=1)) == {"beginner"}


def test_moves_after_a_lesson_are_confirmed_and_combined_as_usual(visitor):
    """Suggested sequences are played in one go, and moves are confirmed if the player wants that."""
    table = begin(visitor)
    while len(actions_of(visitor, table)) == 1:
        visitor.act(table)
    tables, name = visitor.app.state.site.tables, table.rpartition("/")[2]
    before = tables.get(name)
    course, fields = (
        before.learner_history.macro_labels[0],
        {"seat": before.play.turn, "seen": before.learner_history.version},
    )
    visitor.post("/preferences", data={"confirm": "always"})
    asked = visitor.post(f"{table}/move", data={"course": course.code, **fields})
    assert f'data-sure="{course.code}"' in asked.text
    assert visitor.answer(table, {"course": course.code, **fields}).status_code == 303
    done = tables.get(name).play.actions[len(before.play.actions) :]
    assert tuple(done[: len(course.actions)]) == course.actions


def test_another_move_is_refused_while_the_lesson_runs(visitor):
    table = begin(visitor)
    seat, seen, (allowed,) = visitor.seen(table)
    state = visitor.app.state.site.tables.get(table.rpartition("/")[2])
    other = next(action for action in state.play.legal_actions if action != allowed)
    refused = visitor.answer(table, {"action": other, "seat": seat, "seen": seen})
    assert refused.status_code == 403
    assert lessons.WRONG_MOVE_MESSAGE in unescape(refused.text)
    assert visitor.seen(table) == (seat, seen, [allowed])
    for deed, words in (("undo", "A lesson has fixed steps"), ("hint", "The lesson tells you what to do")):
        refused = visitor.post(f"{table}/{deed}", data={"seat": seat, "seen": seen})
        assert refused.status_code == 409
        assert words in refused.text


def test_scripted_moves_of_others_follow_a_step_at_once(visitor):
    table = begin(visitor)
    (step,) = (step for step in lessons.get_lesson("oregon").steps_at(()) if step.do >= 0)
    assert step.then
    visitor.act(table)
    state = visitor.app.state.site.tables.get(table.rpartition("/")[2])
    assert tuple(state.play.actions) == (step.do, *step.then)
    assert state.table.version == 1 + len(step.then)
    assert state.play.turn == 0


def test_a_lesson_can_be_left_for_an_ordinary_game(visitor):
    table = begin(visitor)
    seat, seen, allowed = visitor.seen(table)
    assert visitor.post(f"{table}/lesson", data={"seat": seat, "seen": seen}, follow_redirects=False).status_code == 303
    page = visitor.get(table).text
    assert 'id="lesson"' not in page
    assert "leaves the lesson and keeps playing." in page
    assert len(actions_of(visitor, table)) > len(allowed)
    seat, seen, _ = visitor.seen(table)
    assert visitor.post(f"{table}/lesson", data={"seat": seat, "seen": seen}).status_code == 409


def test_a_lesson_survives_a_restart(visitor, start):
    table = begin(visitor)
    visitor.act(table)
    then = steps_of(visitor.get(table).text)
    later = start()
    later.cookies = visitor.cookies
    assert steps_of(later.get(table).text) == then


def test_spectators_do_not_see_the_lesson(visitor, stranger):
    table = begin(visitor)
    assert 'id="lesson"' in visitor.get(table).text
    assert 'id="lesson"' not in stranger.get(table).text
    state = visitor.app.state.site.tables.get(table.rpartition("/")[2])
    assert stranger.get(f"{table}/text").text == state.play.observe().board() != visitor.get(f"{table}/text").text


def test_the_main_button_of_a_game_opens_its_lesson_until_the_game_has_been_played(visitor):
    offer = 'formaction="/games/oregon/lesson"'
    assert f'class="primary" {offer}' in visitor.get("/games/oregon").text
    begin(visitor)
    assert f"<button {offer}" in visitor.get("/games/oregon").text
    assert "<small>Lesson</small>" in visitor.get("/my/games").text


def test_an_invalid_lesson_is_not_found_and_logged(start, monkeypatch, caplog):
    lessons.lesson_of.cache_clear()
    monkeypatch.setattr(lessons, "load", lambda game: (_ for _ in ()).throw(almunia.errors.SetupError(f"Bad {game}.")))
    answer = start().post("/games/oregon/lesson")
    lessons.lesson_of.cache_clear()
    assert answer.status_code == 404
    assert "has no lesson" in answer.text
    assert "The lesson of oregon cannot be given" in caplog.text


def test_a_bot_in_the_learners_seat_ends_the_lesson(visitor):
    table = begin(visitor)
    tables = visitor.app.state.site.tables
    tables.on_change = ()  # the bot need not move
    visitor.post(f"{table}/leave", data={"seat": 0, "spec": "easy"})
    assert tables.get(table.rpartition("/")[2]).lesson_progress is None
