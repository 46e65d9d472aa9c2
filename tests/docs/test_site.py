"""The site: every public name is in the reference, every page is in the tree, the gallery runs."""

import inspect
import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import surelabel
from surelabel import bounds

DOCS = Path(__file__).parents[2] / "docs"
GALLERY = sorted((DOCS / "gallery").glob("plot_*.py"))
# Those that take a moment; `make test-gallery` runs all.
QUICK = ("plot_transport", "plot_ttest")


def test_every_public_name_is_in_the_reference():
    listed = set(re.findall(r"^   (\w+)$", (DOCS / "api.md").read_text(), re.MULTILINE))
    public = {name for name in surelabel.__all__ if not inspect.ismodule(getattr(surelabel, name))}
    assert public | set(bounds.__all__) <= listed


def listed_in_the_reference():
    """Modules of the reference that can be imported here, and the names listed of each."""
    for part in (DOCS / "api.md").read_text().split(".. currentmodule:: ")[1:]:
        module = part.split()[0]
        # Networks and clusters are extras.
        needs = {"surelabel.torch": "torch", "surelabel.dask": "distributed"}.get(module, "surelabel")
        if find_spec(needs) is not None:
            yield from ((module, name) for name in re.findall(r"^   ([\w.]+)$", part, re.MULTILINE))


@pytest.mark.parametrize("section", ["See Also", "Examples"])
def test_every_name_of_the_reference_has_an_example_and_says_what_is_near(section):
    lacking = []
    for module, name in listed_in_the_reference():
        *within, last = name.split(".")
        thing = getattr(import_module(".".join([module, *within])), last)
        if f"{section}\n---" not in (inspect.getdoc(thing) or ""):
            lacking.append(f"{module}.{name}")
    assert not lacking


def test_every_page_is_in_the_tree_of_the_site():
    pages = [
        page for page in DOCS.rglob("*.md") if not {"_build", "generated", "auto_gallery"} & set(page.parts)
    ]
    named = set()
    for page in pages:
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), re.DOTALL):
            names = [line for line in tree.splitlines() if line and not line.startswith(":")]
            named |= {(page.parent / name).resolve().with_suffix(".md") for name in names}
    assert {page.resolve() for page in pages} - named == {DOCS.resolve() / "index.md"}


def test_every_page_of_the_gallery_ends_with_what_to_do_next():
    assert len(GALLERY) >= 10
    for page in GALLERY:
        assert "What to do next\n# ---" in page.read_text(), page.name


def test_links_to_the_gallery_lead_to_scripts_that_a_clone_has():
    links = [
        (page, target)
        for page in DOCS.rglob("*.md")
        for target in re.findall(r"\]\(([./]*gallery/[^)#]+)\)", page.read_text())
    ]
    assert len(links) >= 4
    assert not [link for link in links if not (link[0].parent / link[1]).is_file()]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("matplotlib") is None, reason="pages of the gallery draw with matplotlib")
@pytest.mark.parametrize("name", QUICK)
def test_pages_of_the_gallery_run(name, tmp_path):
    page = DOCS / "gallery" / f"{name}.py"
    environment = os.environ | {"MPLBACKEND": "agg"}
    subprocess.run([sys.executable, page], cwd=tmp_path, env=environment, check=True, capture_output=True)
