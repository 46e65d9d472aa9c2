"""What is said at the end of a run."""

from io import StringIO
from types import SimpleNamespace

import pytest
from rich.console import Console

from surelabel.tool.display import show_outcome
from surelabel.tool.summary import Summary
from surelabel.tool.work import Outcome


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
