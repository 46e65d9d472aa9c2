"""README is one screen: what it shows of the command is what the command says."""

import re
from pathlib import Path

import pytest
from birds import surelabel

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


@pytest.mark.slow
def test_the_demo_says_what_readme_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block = re.search(r"```console\n(\$ surelabel demo.*?)```", README, re.DOTALL)[1]
    for command, shown in re.findall(r"^\$ surelabel (.*)\n((?:[^$].*\n)*)", block, re.MULTILINE):
        result = surelabel(*command.split())
        assert result.exit_code == 0, result.output
        said = " ".join(result.output.split())
        lines = [line for line in shown.splitlines() if line != "..."]
        assert lines
        for line in lines:
            assert line in said


@pytest.mark.parametrize("page", ["README.md", "docs/concepts/promise.md"])
def test_how_often_a_promise_fails_is_what_the_stored_runs_say(page):
    lines = (ROOT / "docs/promise.md").read_text().splitlines()
    for rule in ("| on average, 95%", "| with 90% confidence, 95%"):
        line = next(line for line in lines if line.startswith(rule))
        assert re.search(r"([\d.]+%) of runs", line)[1] in (ROOT / page).read_text()


def test_links_and_pictures_of_readme_are_there():
    targets = re.findall(r"\]\(([^)#]+)", README) + re.findall(r'src="([^"]+)"', README)
    assert len(targets) > 5
    assert not [target for target in targets if not (ROOT / target).exists()]
