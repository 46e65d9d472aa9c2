"""Files of the project that say the same thing twice say it alike."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_lowest_versions_that_are_tested_are_those_declared():
    declared = {
        each.name: specifier.version
        for each in map(Requirement, PROJECT["dependencies"])
        for specifier in each.specifier
        if specifier.operator == ">="
    }
    lines = (ROOT / "requirements/lowest.txt").read_text().splitlines()
    assert dict(line.split("==") for line in lines if "==" in line) == declared


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (\S+)$", citation, re.MULTILINE)[1] == PROJECT["version"]


def test_workflows_call_targets_that_there_are():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = set()
    for workflow in (ROOT / ".github/workflows").glob("*.yml"):
        called |= set(re.findall(r"run: make ([\w-]+)", workflow.read_text()))
    assert called
    assert called <= targets
