"""What is said before a run, within it and at its end."""

import re
from io import StringIO
from logging import DEBUG, LogRecord
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from surelabel.filling import Evidence, More, fill
from surelabel.tool.display import _wanted, show_facts, show_outcome, show_rounds_over
from surelabel.tool.facts import Facts
from surelabel.tool.progress import Progress, _Step
from surelabel.tool.settings import Settings
from surelabel.tool.summary import Summary
from surelabel.tool.work import Outcome, Stop, _looser


@pytest.mark.parametrize(
    ("hurt", "alone", "said"),
    [(True, True, "Do not trust"), (False, True, "given labels alone"), (False, False, "")],
)
def test_labels_are_distrusted_only_where_they_hurt(hurt, alone, said):
    out = StringIO()
    summary = Summary(("class", "given"), [("a", [3])])
    outcome = Outcome(False, summary=summary, labels=("labels.csv",), hurt=hurt, alone=alone)
    show_outcome(Console(file=out, width=100), SimpleNamespace(path="run"), outcome)
    assert "surelabel predict run" in out.getvalue()
    assert ("Do not trust" in out.getvalue()) == hurt
    assert ("given labels alone" in out.getvalue()) == (alone and not hurt)
    assert said in out.getvalue()


@pytest.mark.parametrize("said", ["", "of a column", "of the answers"])
def test_a_run_repeats_the_columns_alone_that_need_a_look(said):
    out = StringIO()
    noted = {"width": said} if said == "of a column" else {}
    kinds = {
        name: SimpleNamespace(name=name, kind="number", used=True, note=noted.get(name, ""), **WHY)
        for name in ("width", "height")
    }
    counts, notes = {"owl": 3, "robin": 9}, (said,) if said else ()
    facts = Facts(kinds=kinds, counts=counts, n_unlabeled=40, notes=notes, digests={}, reads=(), outputs=())
    show_facts(Console(file=out, width=100), facts)
    assert ("note: " in out.getvalue()) == bool(said)
    assert out.getvalue().count("all cells are numbers") == (said == "of a column")
    assert "height" not in out.getvalue()
    assert "labelled rows: robin 9, owl 3; rows without a label: 40" in out.getvalue()


WHY = {"why": "all cells are numbers", "n_missing": 0, "examples": ("1", "2")}


def test_the_time_left_is_that_of_the_step_at_its_own_pace(monkeypatch):
    monkeypatch.setattr("time.perf_counter", lambda: 30.0)
    assert _Step("training member", 1, 12, first=1, begin=10, now=10).left() is None
    assert _Step("training member", 3, 12, first=1, begin=10, now=30).left() == pytest.approx(90)
    assert _Step("training member", 12, 12, first=1, begin=10, now=30).left() is None


def test_rows_in_shards_are_filled_anew_by_the_same_command_where_that_helps():
    some = np.zeros(15, dtype=int)
    known = Evidence(
        np.full(15, 0.95), some, np.ones(15, dtype=bool), np.ones(15), np.full(3, 0.95), some[:3], 2
    )
    filling, looser = fill(known, 0.95), fill(known, 0.9)
    assert (filling.n_filled, looser.n_filled) == (0, 3)
    for each, said in [(looser, True), (None, False)]:
        out, summary = StringIO(), Summary(("class", "given"), [("a", [3])])
        outcome = Outcome(False, summary=summary, labels=("labels",), filling=filling, looser=each)
        show_outcome(Console(file=out, width=100), SimpleNamespace(path="run"), outcome)
        words = "3 labels, and less sure: the same command with --overwrite --right 0.9"
        assert (words in out.getvalue()) == said
        assert "surelabel fill" not in out.getvalue()


@pytest.mark.parametrize(("right", "fills", "offered"), [(0.95, 2, True), (0.95, 1, False), (0.5, 2, False)])
def test_a_lower_promise_is_offered_only_where_it_fills_in_noticeably_more(right, fills, offered):
    def filling(lower):
        n = fills if lower == 0.9 else 0
        return SimpleNamespace(n_filled=150 + n, filled=np.ones(200), right=lower)

    looser = _looser(Settings("birds.csv", right=right), SimpleNamespace(filling=filling), filling(right))
    assert (looser is not None) == offered
    assert looser is None or looser.right == 0.9


@pytest.mark.parametrize(("promised", "said"), [(0.8, "after them, by the promise."), (0.0, "after them.")])
def test_rounds_and_promise_are_told_apart(promised, said):
    out, filling = StringIO(), SimpleNamespace(filled=np.ones(5), share_promised=promised)
    show_rounds_over(Console(file=out, width=120), Outcome(False, filling=filling))
    assert "Rounds accept labels for training. Which labels are filled in is decided" in out.getvalue()
    assert said in out.getvalue()


def test_the_line_of_all_classes_has_the_share_right_too():
    out = StringIO()
    summary = Summary(("class", "given"), [("a", [3])], {"a": "97% (90% to 99%)"}, "96% (91% to 99%)")
    show_outcome(Console(file=out, width=100), SimpleNamespace(path="run"), Outcome(False, summary=summary))
    assert re.search(r"all +3 +96% \(91% to 99%\)", out.getvalue())


def test_the_forecast_is_of_the_goal_or_what_comes_nearest_to_it():
    steps = [More(0.5, 0), More(0.8, 40), More(0.9, 120), More(0.95, 300)]
    assert _wanted(steps).share == 0.9
    assert _wanted([More(0.9, 0), More(0.95, 30)]).share == 0.95
    assert _wanted([More(0.8, 40), More(0.9, None)]).share == 0.8
    assert _wanted([More(0.9, 0), More(0.95, None)]) is None


def test_a_step_whose_length_is_not_known_is_named_and_takes_the_place_of_the_one_before():
    progress = Progress(Console(file=StringIO()), Settings("birds.csv", rounds=5), Stop())
    for args, words in [
        (("trying model", 11, 11), "trying model 11 of 11"),
        (("writing the report",), "writing the report"),
    ]:
        progress.emit(LogRecord("surelabel", DEBUG, "", 0, "", args, None))
        assert f"round 1 of 5: {words} (" in str(progress.__rich__())
