"""What the tool promises, tried by force: kills at random moments, damaged files of every kind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run(script, *args):
    """A script in a process of its own: it forks, and no thread of another test may be forked with it."""
    command = [sys.executable, str(BENCHMARKS / script), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
def test_twelve_kills_and_the_same_labels(tmp_path):
    done = run("kill.py", "--kills", 12, "--results", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads((tmp_path / "kill.json").read_text())["figures"]
    assert figures["resumed to the same bytes"] == figures["runs"] == 12
    assert figures["still running when killed"] > 6
    for what in (
        "unreadable files",
        "files that the record does not list",
        "files of the user lost or changed",
        "files left over after a resume",
        "files missing after a resume",
    ):
        assert figures[what] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="it limits memory")
def test_damaged_files_raise_errors_of_the_package(tmp_path):
    done = run("fuzz.py", "--seconds", 3, "--results", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "fuzz.json").read_text())
    assert all(tally["runs"] for tally in report.values())
