"""The page of comparisons is what its script makes of the stored runs."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


SCRIPT = runpy.run_path(str(DOCS / "comparisons.py"))


def test_the_page_of_comparisons_is_what_the_stored_runs_say():
    made = SCRIPT["page"]()
    assert (DOCS / "comparisons.md").read_text() == made, "run `make docs-comparisons`"


def test_the_table_of_readme_is_what_the_stored_runs_say():
    text = (DOCS.parent / "README.md").read_text()
    assert SCRIPT["readme_with"](SCRIPT["short"](), text) == text, "run `make docs-comparisons`"
