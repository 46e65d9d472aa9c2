"""Where a run stood at each training, the goal, and what the answers changed."""

import json
import re
import shutil
from pathlib import Path

import pytest
from birds import birds, refused, surelabel, with_small_models, written

from surelabel.tool.reviewing import desk_of
from surelabel.tool.run_folder import RunFolder
from surelabel.tool.standings import standings_of

QUICK = ("--target", "species", "--no-report")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run that came to its end, and its table with and without the truth."""
    folder = tmp_path_factory.mktemp("made")
    frame, truth = birds(n=120, n_labelled=40)
    data = written(frame, folder / "birds.csv")
    written(frame.assign(species=truth), folder / "truth.csv")
    with pytest.MonkeyPatch.context() as patch:
        with_small_models(patch)
        assert surelabel("label", data, *QUICK, "--out", folder / "run").exit_code == 0
    return folder


@pytest.fixture
def run(made, small, tmp_path):
    """A copy of the run, to do with it as one likes."""
    return Path(shutil.copytree(made / "run", tmp_path / "run"))


def on_one_line(result):
    return " ".join(result.output.split())


def standings(run):
    return standings_of(RunFolder(run))


def test_a_run_keeps_where_it_stood_and_says_what_the_answers_changed(run, made):
    (first,) = standings(run)
    assert first.answers == 0
    assert 0 <= first.promised <= 1
    assert surelabel("review", run, "--answer-from", made / "truth.csv", "-n", 8).exit_code == 0
    result = surelabel("label", "--out", run, "--resume")
    assert result.exit_code == 0, result.output
    before, now = standings(run)
    assert before == first
    assert now.answers == 8
    assert 0 <= now.changed < 1  # most guesses about easy birds stay
    told = on_one_line(result)
    assert f"With 8 more answers {now.promised:.1%} of the missing labels can be promised" in told
    assert f"it was {first.promised:.1%} before" in told


def test_another_promise_about_the_same_classifier_is_no_other_training(run):
    (first,) = standings(run)
    assert surelabel("fill", run, "--right", 0.5).exit_code == 0
    (now,) = standings(run)
    assert now.promised >= first.promised
    assert (now.answers, now.changed) == (first.answers, first.changed)
    assert surelabel("fill", run, "--no-promise").exit_code == 0
    assert standings(run)[0].promised == 0


def test_an_earlier_model_that_is_gone_does_not_stop_the_next_training(run, made):
    assert surelabel("review", run, "--answer-from", made / "truth.csv", "-n", 3).exit_code == 0
    (run / "model.skops").unlink()
    result = surelabel("label", "--out", run, "--resume")
    assert result.exit_code == 0, result.output
    assert [each.changed for each in standings(run)] == [1.0, 1.0]


def test_next_fill_and_the_page_ask_for_the_same_number_of_random_rows(run):
    filled = on_one_line(surelabel("fill", run, "--right", 0.98))
    (said,) = re.findall(
        r"To fill in (\d+)% of the missing labels under the same promise: (roughly .*? asked about\))", filled
    )
    assert "rows drawn at random (one in 5" in said[1]
    goal = int(said[0]) / 100
    assert said[1] in on_one_line(surelabel("next", run, "--goal", goal))
    desk = desk_of(RunFolder(run), goal=goal)
    assert said[1] in desk.state("Ann")["goal"]["words"]
    desk.close()


def test_where_the_speed_so_far_does_not_tell_random_rows_do(run):
    assert surelabel("fill", run, "--right", 0.98).exit_code == 1
    record = json.loads((run / "run.json").read_text())
    record["standings"].append(record["standings"][0] | {"answers": 8, "changed": 0.1})
    (run / "run.json").write_text(json.dumps(record))
    assert "more labels of rows drawn at random" in on_one_line(surelabel("next", run, "--goal", 0.5))


def test_next_tells_how_far_the_goal_is(run):
    assert "Stop: the goal is reached" in on_one_line(surelabel("next", run, "--goal", 0.001))
    assert surelabel("fill", run, "--right", 0.999).exit_code == 1  # 40 labels are too few for that
    far = on_one_line(surelabel("next", run, "--goal", 0.8))
    assert "0.0% of the missing labels can be promised, the goal is 80.0%" in far


@pytest.mark.parametrize("goal", ["0", "1.5", "-1", "nan"])
@pytest.mark.parametrize("command", ["next", "review"])
def test_a_goal_that_is_no_share_is_refused(run, command, goal):
    assert refused(surelabel(command, run, "--goal", goal), "--goal must be a number above 0, at most 1")


def test_a_run_of_an_earlier_release_has_no_goal_but_can_be_asked(run):
    record = json.loads((run / "run.json").read_text())
    del record["standings"]
    (run / "run.json").write_text(json.dumps(record))
    result = surelabel("next", run, "-n", 5)
    assert result.exit_code == 0, result.output
    assert "goal" not in result.output


def test_what_clean_did_is_told_on_the_screen_in_the_history_and_in_the_report(tmp_path, small):
    frame, _ = birds(n=120, n_labelled=80)
    for row in range(0, 80, 8):
        frame.loc[row, "species"] = "owl" if frame.loc[row, "species"] == "cat" else "cat"
    data, run = written(frame, tmp_path / "birds.csv"), tmp_path / "run"
    result = surelabel("label", data, "--target", "species", "--clean", "drop", "--no-promise", "--out", run)
    assert result.exit_code == 0, result.output
    told = json.loads((run / "history.json").read_text())["cleaned"]
    assert "of 80 given labels look wrong" in told
    assert told in on_one_line(result)
    assert told in (run / "report.html").read_text()
