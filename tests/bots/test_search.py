"""Searching bots: budgets, seeds, observations and analyses."""

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import almunia
from almunia import bots
from almunia.arena.runner import reveal_all
from almunia.bots.search import SearchBot, workers as worker
from almunia.bots.search.kernels import beam, ismcts as loops
from almunia.bots.search.kernels.tree import NO_ACTION
from almunia.bots.search.settings import search_settings, tree_settings
from almunia.bots.spec import Budget
from almunia.core.workspaces import allocate
from almunia.errors import SetupError
from almunia.games.oregon.rules import Phase
from almunia.library import Game

ORCHARD = almunia.game("orchard")


@pytest.fixture(autouse=True)
def trees(monkeypatch):
    """Let searches of Orchard use trees instead of beams, because Orchard is quick."""
    monkeypatch.setattr(ORCHARD.bots, "SEATS_INDEPENDENT", False)


def midway(seats, actions=6, seed=3):
    play = ORCHARD.new(seats=seats, seed=seed)
    for _ in range(actions):
        play.apply(play.legal_actions[len(play.legal_actions) // 2])
    return play


def searching(spec="search:60", seed=1, **given):
    return bots.make(spec, ORCHARD, seed, **given)


def ready(game, **given):
    """Return a workspace and settings for the loops of a search."""
    work = allocate(loops.Workspace, game)
    work.rng[0], work.root_action[0] = 1, NO_ACTION
    return work, tree_settings(search_settings(game, given))


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [1, 2])
def test_a_seed_and_simulations_settle_every_choice(seats):
    view = midway(seats).observe(0)
    assert len({searching(seed=5).choose(view) for _ in range(3)}) == 1
    assert searching(seed=5).analyse(view) == searching(seed=5).analyse(view)
    assert searching(seed=5).analyse(view) != searching(seed=6).analyse(view)


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [1, 2])
def test_to_be_made_ready_changes_no_choice(seats, monkeypatch):
    view, cold = midway(seats).observe(0), searching(seed=5)
    found = searching(seed=5).analyse(view)
    with monkeypatch.context() as patch:
        patch.setattr(worker.BeamWorker, "simulate", lambda *_: 0)
        patch.setattr(worker.TreeWorker, "simulate", lambda *_: 0)
        cold.prepare(seats)  # compiles nothing, so it touches nothing
    assert cold.analyse(view) == found


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_share_the_simulations_and_settle_on_one_choice(threads):
    view = midway(2).observe(0)
    one, other = (searching("search:90", threads=threads).analyse(view) for _ in range(2))
    assert one == other
    assert sum(choice.share for choice in one) == pytest.approx(1)


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [1, 2])
def test_a_choice_does_not_depend_on_hidden_information(seats):
    play = midway(seats)
    view = play.observe(play.turn)
    expected = searching().analyse(view)
    for seed in range(5):
        assert searching().analyse(view.determinize(seed).observe(play.turn)) == expected


@pytest.mark.compiled
def test_the_plain_build_searches_the_same_tree():
    plays = [almunia.game("orchard", build).new(seats=2, seed=3) for build in ("compiled", "plain")]
    for play in plays:
        for _ in range(12):
            play.apply(play.legal_actions[7 % len(play.legal_actions)])
    chosen = [bots.make("search:12", play.game, 1).choose(play.observe(play.turn)) for play in plays]
    assert chosen[0] == chosen[1]


def test_a_forced_move_costs_nothing():
    forced = SimpleNamespace(seat=0, turn=0, over=False, legal_actions=(17,))
    assert searching("search:1000000000").choose(forced) == 17


@pytest.mark.compiled
def test_shares_of_an_analysis_sum_to_one():
    view = midway(2).observe(0)
    found = searching("search:400").analyse(view)
    assert {choice.action for choice in found} <= set(view.legal_actions)
    assert sum(choice.share for choice in found) == pytest.approx(1)
    assert [choice.share for choice in found] == sorted((choice.share for choice in found), reverse=True)
    assert all(0 <= choice.value <= 1 and len(choice.scores) == 2 for choice in found)
    assert found[0].action == searching("search:400").choose(view)


@pytest.mark.compiled
def test_the_tree_serves_again_within_a_turn():
    """The tree keeps its visits after a choice, if the same seat chooses next."""
    from almunia.bots.search.bot import is_same_turn

    oregon = almunia.game("oregon")
    play = oregon.new(seats=2, seed=3)
    bot, again, fresh = bots.make("search:200", oregon, 1), 0, 0
    while play.turns < 6:
        view = play.observe(play.turn)
        awaited = bot._expected_state == view.to_state()
        play.apply(bot.choose(view))
        if len(view.legal_actions) > 1:
            again, fresh = again + awaited, fresh + (not awaited)
            worker = bot._workers[0]
            assert (worker.tree.visits[worker._root] > 200) == awaited
        assert bool(bot._expected_state) <= is_same_turn(view, play)
    assert again
    assert fresh


@pytest.mark.compiled
def test_more_simulations_play_better_alone():
    def mean(spec):
        return almunia.simulate(ORCHARD, 8, seats=1, bots=spec, seed=4)["scores"].mean()

    assert mean("search:120") > mean("greedy") > mean("random")


@pytest.mark.compiled
def test_settings_change_the_search():
    view = midway(2).observe(0)
    assert searching("search:100,exploration=3").analyse(view) != searching("search:100").analyse(view)


def test_wrong_settings_are_refused():
    for spec, why in (
        ("search:0", "number of simulations"),
        ("search:2h", "not '2h'"),
        ("search:\u0663", "number of simulations"),
        ("search:\u0663s", "number of simulations"),
        ("search:" + "9" * 5000, "number of simulations"),
        ("search:1s,exploration=\u0663", "exploration is a number from 0 to 100, not"),
        ("search:1s,exploration=1_0", "exploration is a number from 0 to 100, not '1_0'"),
        ("search:1s,exploration=0.1,exploration=0.2", "sets exploration twice"),
        ("search:1s,depth=3", "no setting 'depth'"),
        ("search:1s,exploration=much", "exploration is a number from 0 to 100, not 'much'"),
        ("search:1s,exploration=nan", "not 'nan'"),
        ("greedy:1s", "takes no budget"),
        ("hard:1s", "takes no budget"),
        ("greedy,exploration=1", "The bot .greedy. has no setting .exploration.. It has: epsilon, noise"),
        ("expert,exploration=1", "has no setting .exploration.. It has none"),
        ("external:", "Say which program"),
    ):
        with pytest.raises(almunia.SetupError, match=why):
            bots.make(spec, almunia.game("orchard", "plain"))


def test_budgets():
    assert Budget.parse("2000") == Budget(simulations=2000)
    assert Budget.parse("300ms") == Budget(seconds=0.3)


@pytest.mark.compiled
def test_time_is_a_budget_too():
    view = midway(2).observe(0)
    bot = SearchBot("search", ORCHARD, 1, Budget(seconds=0.05))
    found = bot.analyse(view)
    assert found[0].action in view.legal_actions


@pytest.mark.compiled
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda bot: pickle.loads(pickle.dumps(bot))])  # noqa: S301 - our own
@pytest.mark.parametrize(
    ("name", "seats", "spec", "threads"),
    [
        ("oregon", 2, "search:60", 1),
        ("oregon", 2, "search:60", 2),
        ("orchard", 1, "search:9", 1),
        ("oregon", 2, "turn", 1),
    ],
)
def test_a_copied_search_chooses_like_the_original(name, seats, spec, threads, copied):
    play, bot = almunia.game(name).new(seats, seed=3), bots.make(spec, almunia.game(name), 5, threads)
    twins = [copied(bot)]
    for _ in range(6 * seats):
        while len(play.legal_actions) == 1:
            play.apply(play.legal_actions[0])
        view = play.observe(play.turn)
        awaited = spec == "turn" or bot._expected_state == view.to_state()
        found = [one.choose(view) if spec == "turn" else one.rank_actions(view) for one in (bot, *twins)]
        assert all(each == found[0] for each in found), awaited
        twins.append(copied(bot))
        play.apply(found[0] if spec == "turn" else found[0][0].action)


@pytest.mark.compiled
def test_a_copy_has_room_for_as_many_nodes(monkeypatch):
    monkeypatch.setattr(worker, "INITIAL_NODES", 64)
    bot = bots.make("search:400", almunia.game("oregon"), 1)
    play = almunia.game("oregon").new(2, seed=1)
    view = play.observe(play.turn)
    bot.rank_actions(view)
    room = len(bot._workers[0].tree.first_child)
    assert room > 64
    twin = copy.deepcopy(bot)
    assert len(twin._workers[0].tree.first_child) == room
    assert [bot.rank_actions(view), bot.memory.tolist()] == [twin.rank_actions(view), twin.memory.tolist()]
    bot.start(7)
    fresh = bots.make("search:400", almunia.game("oregon"), 7)
    assert bot.rank_actions(view) == fresh.rank_actions(view)


@pytest.mark.compiled
def test_a_tree_without_room_still_answers(monkeypatch):
    monkeypatch.setattr(worker, "INITIAL_NODES", 40)
    monkeypatch.setattr(worker, "MAX_NODES", 40)
    view, bot = midway(2).observe(0), searching("search:300")
    found = bot.analyse(view)
    assert found[0].action in view.legal_actions
    assert np.isclose(sum(choice.share for choice in found), 1)
    assert bot._workers[0].tree.visits[0] == 300


@pytest.mark.compiled
def test_a_tree_has_as_much_room_as_it_needs(monkeypatch):
    view, small, large = midway(2).observe(0), searching("search:400"), searching("search:400")
    monkeypatch.setattr(worker, "INITIAL_NODES", 1 << 15)
    expected = large.analyse(view)
    monkeypatch.setattr(worker, "INITIAL_NODES", 512)
    found = small.analyse(view)
    trees = [bot._workers[0].tree for bot in (small, large)]
    assert len(trees[0].first_child) < len(trees[1].first_child) == 1 << 15
    assert trees[0].size[0] > 512
    assert {choice.action for choice in found[:3]} & {choice.action for choice in expected[:3]}


@pytest.mark.compiled
def test_every_choice_has_a_prior():
    """Nodes for observed moves of other seats have no prior, and a negative question."""
    oregon = almunia.game("oregon")
    bot = bots.make("search:400", oregon, 1)
    bot.analyse(oregon.new(seats=2, seed=3).observe(0))
    tree = bot._workers[0].tree
    nodes = range(1, int(tree.size[0]))
    assert any(tree.question[node] < 0 and tree.action_key[node] >= 0 for node in nodes)
    assert all(tree.prior[node] > 0 for node in nodes if tree.question[node] >= 0)


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "actions"), [pytest.param("alhambra", 30, marks=pytest.mark.exhaustive), ("orchard", 6)]
)
def test_a_node_is_the_same_decision_in_all_determinizations(name, actions):
    """A node stands for actions of the same words in every determinization."""
    play = almunia.game(name).new(seats=3, seed=5)
    for _ in range(actions):
        play.apply(play.legal_actions[len(play.legal_actions) // 3])
    while len(play.legal_actions) == 1:
        play.apply(play.legal_actions[0])
    seat, bot = play.turn, bots.make("search:500", play.game, 1)
    bot.analyse(play.observe(seat))
    tree, words, shared, forced = bot._workers[0].tree, {}, 0, 0
    for seed in range(60):
        node, guess = 0, play.observe(seat).determinize(seed)
        while not guess.over and (children := children_of(tree, node)):
            offered = {bot._step(guess, action): action for action in guess.legal_actions}
            assert len(offered) == len(guess.legal_actions)
            met = {step: child for step, child in children.items() if step in offered}
            for step, child in met.items():
                said = guess.action_to_string(offered[step])
                shared += child in words
                assert words.setdefault(child, said) == said
            if not met:
                break
            forced += len(offered) == 1
            step = max(met, key=lambda step: tree.visits[met[step]])
            node = met[step]
            guess.apply(offered[step])
    assert shared > 200
    assert forced > 20 or name == "orchard"  # what is forced in one guess may be free in another, so it is a step too


def children_of(tree, node):
    """Return the children of a node by the steps that lead to them."""
    found, child = {}, int(tree.first_child[node])
    while child:
        found[worker.TreeStep(int(tree.question[child]), int(tree.action_key[child]))] = child
        child = int(tree.next_sibling[child])
    return found


@pytest.mark.compiled
def test_a_full_tree_makes_room_for_the_next_decision_of_a_turn(monkeypatch):
    oregon, full = almunia.game("oregon"), 0
    monkeypatch.setattr(worker, "INITIAL_NODES", 300)
    monkeypatch.setattr(worker, "MAX_NODES", 300)
    play, bot = oregon.new(seats=2, seed=3), bots.make("search:200", oregon, 1)
    while play.turns < 6:
        view = play.observe(play.turn)
        full += bot._expected_state == view.to_state() and bot._workers[0].tree.size[0] > 250
        play.apply(bot.choose(view))
    assert full


@pytest.mark.compiled
def test_simulations_that_last_for_rounds_end_at_the_end_of_a_turn():
    oregon = almunia.game("oregon")
    work, settings = ready(oregon, rollout_rounds=1)
    play, phases, ended = oregon.new(seats=3, seed=3), set(), 0
    while not play.over:
        phases.add(int(play.array["phase"][0]))
        for turns in (-3, 1, 3):
            later = play.copy()
            oregon.kernel(loops).rollout(later.array[0], play.turns + turns, work, settings)
            (after,), end = later.array, play.turns + max(1, turns)
            assert after["turns"] <= end
            if not after["over"]:
                assert (after["turns"], after["phase"] in (Phase.START, Phase.FIRST)) == (end, True)
                ended += 1
        play.apply(play.legal_actions[-1])
    assert len(phases) == len(Phase)
    assert ended > len(play.actions)


@pytest.mark.compiled
def test_a_rollout_evaluates_all_actions_if_there_are_few():
    view = midway(2).observe(0)
    work, settings = ready(ORCHARD, rollout_candidates=1000)
    count = len(view.legal_actions)
    work.actions[:count] = work.new_actions[:count] = view.legal_actions
    evaluate = ORCHARD.kernel(ORCHARD.bots).action_values
    evaluate(view.array[0], work.new_actions, count, work.evaluation, work.action_values)
    values = dict(zip(view.legal_actions, work.action_values[:count].tolist(), strict=True))
    assert len(set(values.values())) > 1
    for _ in range(5):
        assert values[ORCHARD.kernel(loops).best_of_sample(view.array[0], count, work, settings)] == max(
            values.values()
        )


@pytest.mark.compiled
def test_a_choice_that_is_settled_is_taken_at_once():
    saved = 0
    for seed in range(4):
        play = midway(2, actions=4 * seed)
        view = play.observe(play.turn)
        patient, hasty = searching("search:3000", seed), searching("search:3000", seed)
        assert patient.analyse(view)[0].action == hasty.choose(view)
        visits = [bot._workers[0].tree.visits[bot._workers[0]._root] for bot in (hasty, patient)]
        assert visits[1] == 3000
        saved += visits[1] - visits[0]
    assert saved > 0


@pytest.mark.compiled
def test_simulations_are_shared_equally_among_trees(monkeypatch):
    grown = []
    monkeypatch.setattr(
        SearchBot, "_reuse_trees", lambda bot, *_: grown.append([w.tree.visits[w._root] for w in bot._workers])
    )
    for seed in range(4):
        play = midway(2, actions=4 * seed)
        searching("search:3000", seed, threads=2).choose(play.observe(play.turn))
    assert grown == [[1500, 1500]] * 4


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param("alhambra", marks=pytest.mark.exhaustive), "oregon"])
def test_a_clairvoyant_search_does_not_determinize(name):
    """A clairvoyant search determinizes nothing, and reuses its tree within its turn."""
    game, again = almunia.game(name, "plain"), 0
    assert almunia.simulate(game, 1, seats=2, bots="search:2", seed=1, clairvoyant=True)["decisions"] > 0
    play, bot = almunia.game(name).new(seats=2, seed=3), bots.make("search:50", almunia.game(name), 1)
    with pytest.raises(SetupError, match="nothing to determinize"):
        reveal_all(play).determinize(1)
    while play.turns < 4:
        view = reveal_all(play)
        assert view.to_state() == play.to_state()
        again += bot._expected_state == view.to_state()
        play.apply(bot.choose(view))
    assert again


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("oregon", "search:5,lead_scale=0.1"),
        pytest.param("alhambra", "search:3,exploration=100", marks=pytest.mark.exhaustive),
    ],
)
def test_extreme_settings_work_in_the_plain_build(name, spec):
    game = almunia.game(name, "plain")
    play = game.new(seats=2, seed=3)
    for _ in range(4):
        play.apply(bots.make(spec, game, 1).choose(play.observe(play.turn)))


@pytest.mark.parametrize("seats", [1, 2])
def test_a_simulation_of_a_play_without_end_is_stopped(monkeypatch, seats):
    monkeypatch.setattr(loops, "MAX_DECISIONS", 5)
    monkeypatch.setattr(beam, "MAX_DECISIONS", 5)
    game = Game("orchard", "plain")
    monkeypatch.setattr(game.backend.specialize(game.rules), "apply", lambda *_: None)
    view = game.new(seats=seats, seed=3).observe(0)
    assert (
        bots.make("search:1,rollout_decisions=100000,rollout_candidates=1,candidates=2,beam_width=1", game, 1).choose(
            view
        )
        in view.legal_actions
    )


@pytest.mark.compiled
def test_a_clairvoyant_search_scores_higher():
    def mean(**given):
        return almunia.simulate(ORCHARD, 6, bots="search:60", seed=4, **given)["scores"].mean()

    assert mean(clairvoyant=True) > mean()
    with pytest.raises(almunia.SetupError, match="Only a search such as 'search:1s' can be clairvoyant, not 'greedy'"):
        almunia.simulate(ORCHARD, 1, bots="greedy", clairvoyant=True)


@pytest.mark.compiled
@pytest.mark.parametrize("independent", [False, True], ids=["tree", "beams"])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_examined_action_gets_a_quarter_more_simulations(threads, independent, monkeypatch):
    monkeypatch.setattr(ORCHARD.bots, "SEATS_INDEPENDENT", independent)
    view, bot = midway(2).observe(0), SearchBot("search", ORCHARD, 5, Budget(simulations=80), {}, threads)
    before = {one.action: one for one in bot.analyse(view)}
    worst = min(before.values(), key=lambda one: (one.share, one.value)).action
    visits = [visits_of(bot, worst)]
    examined = bot.examine(view, worst)
    visits.append(visits_of(bot, worst))
    after = {one.action: one for one in bot._merge_results(view)}
    changed = {action for action, one in before.items() if after[action].scores[0] != one.scores[0]} - {worst}
    assert len(changed) <= (threads if independent else 0), "a beam search also tries the best action"
    assert visits[1] - visits[0] >= (10 if independent else 20)
    assert examined.action == worst
    assert examined.share > before[worst].share
    fresh = {one.action: one for one in bot.analyse(view)}
    assert fresh[worst].share < examined.share, "the next search is free again"
    with pytest.raises(almunia.IllegalAction, match="cannot be examined"):
        bot.examine(view, 10**6)


def visits_of(bot, action):
    return sum(stats[action].visits for worker in bot._workers if action in (stats := worker.results()))
