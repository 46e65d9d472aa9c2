"""Kill a run at random moments, go on with it, and compare the labels byte by byte.

Run with `make bench-kill` (200 kills), or with `ARGS="--kills 30"`. This process imports surelabel and runs
nothing: each run is a fork of it, so that it starts at once and threads of no model are forked. A run is
killed (SIGKILL), in turn at a moment drawn from its whole duration and right before it opens, renames or
removes a file of its folder; then every file in the folder must be readable, and the same command with
--resume must end with the labels of a run that was left alone and no other file than that has. One in three
is killed once more on the way. Prints a table and writes results/kill.json.
"""

import argparse
import contextlib
import csv
import hashlib
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import zipfile
from collections import Counter
from itertools import count
from pathlib import Path

import skops.io  # noqa: F401  once here, not in each fork

from surelabel import Repeated, recipes, trees
from surelabel.committees import unlike
from surelabel.committees.models.default import unlike_models
from surelabel.rounds.checkpoint import Checkpoint
from surelabel.tool.commands import app

RESULTS = Path("results")
# Without the guard, which writes nothing, and the report, which is not what a run goes on from: both take
# longer than a small run.
QUICK = ["--no-guard", "--no-report"]
METHODS = {"pl": ["--rounds", "4", *QUICK], "csa": ["--rounds", "3", *QUICK]}
PATIENCE = 120.0


def small_models():
    """Two of the ten models, so that a run takes a moment."""
    models = unlike_models()
    return {name: models[name] for name in ("linear", "bayes")}


def write_birds(path, n=80, n_labelled=20):
    """A small table of three species, most of them unknown, in plain Python."""
    rng = random.Random(0)
    lines = ["width,height,colour,species"]
    for row in range(n):
        x, y = [(0, 0), (4, 0), (0, 4)][row % 3]
        species = ["cat", "dog", "owl"][row % 3] if row < n_labelled else ""
        colour = rng.choice(["red", "green", ""])
        lines.append(f"{rng.gauss(x, 1):.3f},{rng.gauss(y, 1):.3f},{colour},{species}")
    path.write_text("\n".join(lines) + "\n")


def watch(folder, last):
    """Count what happens to the files of a folder, and kill this process before the last of so many steps."""
    steps = count(1)

    def look(event, args):
        if event in ("open", "os.rename", "os.remove") and str(args[0]).startswith(f"{folder}/"):
            step = next(steps)
            if step == last:
                os.kill(os.getpid(), signal.SIGKILL)
            os.write(counter, b".")

    counter = os.open(f"{folder}.steps", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    sys.addaudithook(look)


def started(args, log, last_step=None):
    """The process id of a fork that runs a command."""
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        watch(args[-1], last_step)
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        app([*[str(arg) for arg in args[:-1]], "--out", str(args[-1])])
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        os._exit(code)


def ended(pid, patience=PATIENCE):
    """Exit code of a fork, None if it had to be killed after so many seconds."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < patience:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def killed(args, log, moment):
    """Start a command and kill it after so many seconds, or before a step; True if it was still running."""
    if isinstance(moment, int):
        return ended(started(args, log, moment)) != 0
    return ended(started(args, log), moment) is None


def unreadable(folder, n_rows):
    """Files in the folder of a run that are not whole, by name."""
    bad = []
    for path in sorted(folder.iterdir()) if folder.exists() else ():
        if path.name.startswith(".surelabel-"):
            continue  # not yet renamed: no one reads it
        data = path.read_bytes()
        try:
            if path.suffix == ".json":
                json.loads(data)
            elif path.name == "state.npz":
                Checkpoint.from_bytes(data)
            elif path.name == "model.skops":
                with zipfile.ZipFile(io.BytesIO(data)) as archive:
                    header, payload = json.loads(archive.read("header.json")), archive.read("model.skops")
                assert hashlib.sha256(payload).hexdigest() == header["sha256"]
            else:
                lines = list(csv.reader(io.StringIO(data.decode())))
                assert {len(line) for line in lines} == {len(lines[0])}
                assert len(lines) == n_rows + 1
        except (ValueError, KeyError, AssertionError, zipfile.BadZipFile):
            bad.append(path.name)
    return bad


def stage(folder):
    """How far a run had come when it was killed, in words."""
    if not (folder / "run.json").exists():
        return "nothing written"
    status = json.loads((folder / "run.json").read_bytes())["status"]
    if status == "complete":
        return "complete"
    if not (folder / "state.npz").exists():
        return "in round 1"
    if (folder / "labels.csv").exists():
        return "writing the outcome"
    rounds = len(Checkpoint.from_bytes((folder / "state.npz").read_bytes()).history)
    return f"after round {rounds}"


def command(method, work, out, *more):
    """What is run, again and again; the folder comes last."""
    return [
        "label",
        work / "birds.csv",
        "--target",
        "species",
        "--method",
        method,
        *METHODS[method],
        *more,
        out,
    ]


def trial(method, moment, again, work, alone):
    """One kill and its resume: what was found."""
    out, log = work / "cut", work / "log"
    shutil.rmtree(out, ignore_errors=True)
    log.unlink(missing_ok=True)
    args = command(method, work, out)
    in_time = killed(args, log, moment)
    found = {"method": method, "moment": moment, "running": in_time, "stage": stage(out)}
    found["unreadable"] = unreadable(out, 80)
    left = len(list(out.glob(".surelabel-*")))
    if again is not None:
        killed(command(method, work, out, "--resume"), log, again)
        found["unreadable"] += unreadable(out, 80)
        left += len(list(out.glob(".surelabel-*")))
    found |= {"temporary": left, "twice": again is not None}
    found["exit"] = ended(started(command(method, work, out, "--resume"), log))
    names = {path.name for path in out.iterdir()} if out.exists() else set()
    found["same"] = found["exit"] == 0 and (out / "labels.csv").read_bytes() == alone["labels"]
    found["left over"] = sorted(names - alone["names"])
    found["said"] = log.read_text()[-2000:] if found["exit"] != 0 else ""
    return found


def run_alone(method, work):
    """A run that is left alone: its duration, labels and files."""
    out = work / f"alone-{method}"
    shutil.rmtree(out, ignore_errors=True)
    args = command(method, work, out)
    begin = time.perf_counter()
    code = ended(started(args, work / "log"))
    if code != 0:
        raise SystemExit(f"the run that was left alone ended with {code}:\n{(work / 'log').read_text()}")
    return {
        "seconds": time.perf_counter() - begin,
        "labels": (out / "labels.csv").read_bytes(),
        "names": {path.name for path in out.iterdir()},
        "steps": Path(f"{out}.steps").stat().st_size,
    }


def when(kill, where, alone):
    """When to kill at a share of a run: in turn after so many seconds and before so many steps."""
    return alone["seconds"] * where if kill % 2 else 1 + int(alone["steps"] * where)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args()
    recipes._one_model = lambda: Repeated(trees(5), n_members=1)
    unlike.unlike_models = small_models
    rng = random.Random(args.seed)
    trials = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            app(["label", "--help"])  # imports what reading a command needs
        write_birds(work / "birds.csv")
        for kill in range(args.kills):
            if kill % 20 == 0:  # how long it takes depends on what else the machine does
                alone = {method: run_alone(method, work) for method in METHODS}
            method = list(METHODS)[kill // 2 % len(METHODS)]
            # One in each of as many equal parts of the run as there are kills.
            moment = when(kill, (kill + rng.random()) / args.kills, alone[method])
            again = when(kill, rng.random(), alone[method]) if rng.random() < 1 / 3 else None
            trials.append(trial(method, moment, again, work, alone[method]))
    stages = Counter(trial["stage"] for trial in trials)
    figures = {
        "kills": len(trials) + sum(trial["twice"] for trial in trials),
        "runs": len(trials),
        "still running when killed": sum(trial["running"] for trial in trials),
        "temporary files that a kill left": sum(trial["temporary"] for trial in trials),
        "unreadable files": sum(len(trial["unreadable"]) for trial in trials),
        "resumed to the same bytes": sum(trial["same"] for trial in trials),
        "files left over after a resume": sum(len(trial["left over"]) for trial in trials),
        "seconds of a run left alone": {method: round(alone[method]["seconds"], 2) for method in METHODS},
        "steps of a run left alone": {method: alone[method]["steps"] for method in METHODS},
    }
    for name, value in figures.items():
        print(f"{name:<36} {value}")
    print("killed when: " + ", ".join(f"{name} {stages[name]}" for name in sorted(stages)))
    args.results.mkdir(exist_ok=True)
    report = {"figures": figures, "stages": stages, "trials": trials}
    (args.results / "kill.json").write_text(json.dumps(report, indent=1))
    bad = [t for t in trials if not t["same"] or t["unreadable"] or t["left over"]]
    for found in bad[:5]:
        print(json.dumps(found, indent=1))
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
