"""Pages that scripts make of stored runs are what the stored runs say."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_comparisons_is_what_the_stored_runs_say():
    made = runpy.run_path(str(DOCS / "comparisons.py"))["page"]()
    assert (DOCS / "comparisons.md").read_text() == made, "run `make docs-comparisons`"


def test_the_tables_of_the_promise_are_what_the_stored_runs_say():
    written = (DOCS / "promise.md").read_text()
    assert written == runpy.run_path(str(DOCS / "promise_tables.py"))["page"](written), (
        "run `make docs-promise`"
    )
    assert "| on average, 95% |" in written
