"""What is said before a run, within it and at its end."""

from io import StringIO
from logging import DEBUG, LogRecord
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from surelabel.filling import Evidence, fill
from surelabel.tool.display import show_facts, show_outcome
from surelabel.tool.facts import Facts
from surelabel.tool.progress import Progress, _Step
from surelabel.tool.settings import Settings
from surelabel.tool.summary import Summary
from surelabel.tool.work import Outcome, Stop


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


@pytest.mark.parametrize("notes", [(), ("Column width was read as numbers.",)])
def test_a_run_repeats_the_columns_only_where_something_was_decided(notes):
    out = StringIO()
    kinds = {
        name: SimpleNamespace(name=name, kind="number", used=True, **WHY) for name in ("width", "height")
    }
    counts = {"owl": 3, "robin": 9}
    facts = Facts(kinds=kinds, counts=counts, n_unlabeled=40, notes=notes, digests={}, reads=(), outputs=())
    show_facts(Console(file=out, width=100), facts)
    assert ("all cells are numbers" in out.getvalue()) == bool(notes)
    assert ("labelled rows: robin 9, owl 3; rows without a label: 40" in out.getvalue()) != bool(notes)


WHY = {"why": "all cells are numbers", "n_missing": 0, "examples": ("1", "2")}


def test_the_time_left_is_that_of_the_step_at_its_own_pace(monkeypatch):
    monkeypatch.setattr("time.perf_counter", lambda: 30.0)
    assert _Step("training member", 1, 12, first=1, begin=10, now=10).left() is None
    assert _Step("training member", 3, 12, first=1, begin=10, now=30).left() == pytest.approx(90)
    assert _Step("training member", 12, 12, first=1, begin=10, now=30).left() is None


def test_rows_in_shards_are_filled_anew_by_the_same_command():
    some = np.zeros(5, dtype=int)
    known = Evidence(np.full(5, 0.9), some, np.ones(5, dtype=bool), np.ones(5), np.full(3, 0.9), some[:3], 2)
    filling = fill(known, 0.95)
    assert not filling.n_filled
    out, summary = StringIO(), Summary(("class", "given"), [("a", [3])])
    outcome = Outcome(False, summary=summary, labels=("labels",), filling=filling)
    show_outcome(Console(file=out, width=100), SimpleNamespace(path="run"), outcome)
    assert "the same command with --overwrite --right 0.9" in out.getvalue()
    assert "surelabel fill" not in out.getvalue()


def test_a_step_whose_length_is_not_known_is_named_and_takes_the_place_of_the_one_before():
    progress = Progress(Console(file=StringIO()), Settings("birds.csv", rounds=5), Stop())
    for args, words in [
        (("trying model", 11, 11), "trying model 11 of 11"),
        (("writing the report",), "writing the report"),
    ]:
        progress.emit(LogRecord("surelabel", DEBUG, "", 0, "", args, None))
        assert f"round 1 of 5: {words} (" in str(progress.__rich__())
