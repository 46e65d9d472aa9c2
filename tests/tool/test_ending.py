"""How a command ends: closed pipes, signals, disks that cannot be written to."""

import os
import signal
import subprocess
import sys

import pytest
from birds import birds, refused, said, surelabel, written

QUICK = ("--target", "species", "--method", "pl", "--no-guard", "--no-report")


@pytest.fixture
def started(tmp_path):
    """Starts a command in a process of its own, whose output goes where the caller says."""
    data = written(birds(200)[0], tmp_path / "birds.csv")

    def start(*more, **options):
        words = [data, *QUICK, "--out", tmp_path / "run", *more]
        command = [sys.executable, "-u", "-m", "surelabel.tool", "label", *map(str, words)]
        return subprocess.Popen(command, **options)

    return start


@pytest.mark.slow
@pytest.mark.parametrize("closed", [["stdout"], ["stdout", "stderr"]], ids=" and ".join)
def test_a_run_finishes_though_nobody_reads_its_output(closed, started, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    streams = {name: writer if name in closed else subprocess.PIPE for name in ("stdout", "stderr")}
    with started(**streams) as process:
        os.close(writer)
        _, err = process.communicate()
    assert process.returncode == 0
    assert not err
    assert (tmp_path / "run" / "labels.csv").exists()


@pytest.mark.slow
def test_the_exit_code_is_that_of_the_run_though_nobody_reads(started, tmp_path):
    command = "{} -m surelabel.tool label {} {} --out {} | true; exit ${{PIPESTATUS[0]}}"
    for words, code in (
        (" ".join(QUICK), 0),
        ("--target species --no-report --right 0.999", 1),
        ("--target spices", 2),
    ):
        text = command.format(sys.executable, tmp_path / "birds.csv", words, tmp_path / f"run{code}")
        done = subprocess.run(["bash", "-c", text], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        assert "Broken" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_run_that_is_terminated_says_so_and_goes_on(started, tmp_path):
    with started(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("round 1"):
                process.send_signal(signal.SIGTERM)
                break
        _, err = process.communicate()
    assert process.returncode == 143
    assert err == "surelabel: Terminated. What was finished is kept; --resume goes on.\n"
    assert {path.name for path in (tmp_path / "run").iterdir()} == {"run.json", "state.npz"}
    with started("--resume", stdout=subprocess.PIPE, text=True) as process:
        assert "going on after round" in process.communicate()[0]
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_the_handler_of_the_caller_comes_back(data, tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    assert surelabel("inspect", data, "--target", "species").exit_code == 0
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_folder_that_cannot_be_written_to_is_a_sentence(data, tmp_path, monkeypatch):
    def forbidden(path):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "run").mkdir()
    monkeypatch.setattr("surelabel.files.writing._create", forbidden)
    result = surelabel("label", data, *QUICK, "--out", tmp_path / "run")
    assert refused(result, "Permission denied")
    assert "run.json" in said(result)
    assert not list((tmp_path / "run").iterdir())
    assert refused(surelabel("label", data, *QUICK, "--out", "/proc/nowhere"), "Cannot make the folder")


def test_a_file_that_cannot_be_written_is_called_by_its_name(data, tmp_path, monkeypatch):
    from surelabel.files import writing

    create = writing._create

    def full(path):
        if any((tmp_path / "run").glob("state.npz")):
            raise OSError(28, "No space left on device")
        return create(path)

    monkeypatch.setattr(writing, "_create", full)
    result = surelabel("label", data, *QUICK, "--out", tmp_path / "run")
    assert refused(result, "state.npz': No space left on device")
    assert ".tmp" not in said(result)
