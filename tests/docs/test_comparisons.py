"""The page of comparisons is what its script makes of the stored runs."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_comparisons_is_what_the_stored_runs_say():
    made = runpy.run_path(str(DOCS / "comparisons.py"))["page"]()
    assert (DOCS / "comparisons.md").read_text() == made, "run `make docs-comparisons`"
