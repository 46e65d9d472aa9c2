"""What is imported when: counted in fresh processes, since what is imported takes time everywhere."""

import json
import subprocess
import sys

import pytest

import surelabel

HEAVY = {"altair", "jinja2", "numpy", "pandas", "pyarrow", "scipy", "sklearn", "skops", "vl_convert"}
# pandas itself imports some of pyarrow.
DRAWING_AND_FILES = {"altair", "jinja2", "pyarrow.csv", "pyarrow.parquet", "skops", "typer", "vl_convert"}

COUNT = "import json, sys\n{}\nsys.stdout.write('\\n' + json.dumps(sorted(sys.modules)))"
COMMAND = """
import runpy
sys.argv = ["surelabel", *{!r}]
try:
    runpy.run_module("surelabel.tool", run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
"""


def modules_after(code, **environment):
    """Names of all modules that are imported once code has run in a new process."""
    made = subprocess.run(
        [sys.executable, "-c", COUNT.format(code)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(made.stdout.splitlines()[-1]))


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["label", "--help"]])
def test_help_imports_nothing_that_computes(words):
    assert not HEAVY & modules_after(COMMAND.format(words))


def test_completion_imports_nothing_that_computes():
    asked = {"_SURELABEL_COMPLETE": "complete_bash", "COMP_WORDS": "surelabel lab", "COMP_CWORD": "1"}
    found = modules_after(COMMAND.format([]), **asked)
    assert "typer" in found
    assert not HEAVY & found


def test_the_package_alone_imports_nothing_that_computes():
    assert not HEAVY & modules_after("import surelabel; dir(surelabel); surelabel.__version__")


def test_a_recipe_imports_neither_what_draws_nor_what_reads_files():
    found = modules_after("from surelabel import csa; csa()")
    assert "sklearn" in found
    assert not DRAWING_AND_FILES & found


def test_every_public_name_is_there():
    assert set(surelabel.__all__) < set(dir(surelabel))
    for name in dir(surelabel):
        assert getattr(surelabel, name) is not None
    with pytest.raises(AttributeError, match="csaa"):
        surelabel.csaa  # noqa: B018
