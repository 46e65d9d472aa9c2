"""Pages that scripts make of stored runs are what the stored runs say."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
COMPARISONS = runpy.run_path(str(DOCS / "comparisons.py"))


def test_the_page_of_comparisons_is_what_the_stored_runs_say():
    assert (DOCS / "comparisons.md").read_text() == COMPARISONS["page"](), "run `make docs-comparisons`"


def test_the_table_of_readme_is_what_the_stored_runs_say():
    text = (DOCS.parent / "README.md").read_text()
    assert COMPARISONS["readme_with"](COMPARISONS["short"](), text) == text, "run `make docs-comparisons`"


def test_the_tables_of_the_promise_are_what_the_stored_runs_say():
    written = (DOCS / "promise.md").read_text()
    made = runpy.run_path(str(DOCS / "promise_tables.py"))["page"](written)
    assert written == made, "run `make docs-promise`"
    assert "| on average, 95% |" in written
