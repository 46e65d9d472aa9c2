"""Kill a run at random moments, go on with it, and compare the labels byte by byte.

Run with `make bench-kill` (200 kills), or with `ARGS="--kills 30"`. This process imports surelabel and runs
nothing: each run is a fork of it, so that it starts at once and threads of no model are forked. Four kinds of
run take turns: two methods, each into a new folder and, with --overwrite, into that of an earlier run; all of
them with the guard and the report, and beside files of a user's own. A run is killed (SIGKILL), in turn at a
moment drawn from its whole duration and right before it opens, renames or removes a file of its folder. Then
every file in the folder must be readable and listed in run.json, and the same command with --resume must end
with the labels of a run that was left alone and no other file than that has. The user's files must be as they
were. One in three is killed once more on the way. Prints a table and writes results/kill.json.
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

import altair  # noqa: F401  once here, not in each fork
import skops.io  # noqa: F401

import surelabel.reporting.page  # noqa: F401
from surelabel import Repeated, recipes, trees
from surelabel.committees import unlike
from surelabel.committees.models.default import unlike_models
from surelabel.rounds.checkpoint import Checkpoint
from surelabel.tool.commands import app

RESULTS = Path("results")
METHODS = {"pl": ["--rounds", "3"], "csa": ["--rounds", "2"]}
KINDS = [(method, replaced) for replaced in (False, True) for method in METHODS]
N_ROWS = 80
PATIENCE = 120.0
SEED = 0
# What a user has in the folder: none of it is a run's.
OWN = ["notes.txt", "labels.txt", ".surelabel-notes.tmp", "mine/part-00000.parquet", "report-final.html"]
LINK = "link.csv"


STEPS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


def small_models():
    """Two of the ten models, so that a run takes a moment."""
    models = unlike_models()
    return {name: models[name] for name in ("linear", "Gaussian")}


def write_birds(path, n=N_ROWS, n_labelled=20):
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
        if event in STEPS and str(args[0]).startswith(f"{folder}/"):
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


def put_own(folder, precious):
    """Files of a user's own, and a link to one elsewhere."""
    precious.write_text("mine")
    for name in OWN:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")
    (folder / LINK).symlink_to(precious)


def lost(folder, precious):
    """What is gone of a user's own files, or is no longer as it was, by name."""
    paths = {name: folder / name for name in OWN} | {LINK: precious}
    gone = [name for name, path in paths.items() if not path.exists() or path.read_text() != "mine"]
    return gone if (folder / LINK).is_symlink() else [*gone, "the link"]


def files_of(folder):
    """The files of a run in a folder: those that are not a user's own, nor temporary."""
    paths = sorted(folder.iterdir()) if folder.exists() else []
    own = {name.split("/")[0] for name in (*OWN, LINK)}
    return [path for path in paths if path.name not in own and not path.name.startswith(".surelabel-")]


def unlisted(folder):
    """Files of a run that its record does not list with their digest, by name."""
    paths = [path for path in files_of(folder) if path.name != "run.json"]
    record = json.loads((folder / "run.json").read_bytes()) if (folder / "run.json").exists() else {}
    known = [record.get(key, {}) for key in ("files", "writing")]
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    return [name for name, digest in digests.items() if digest not in [each.get(name) for each in known]]


def unreadable(folder):
    """Files in the folder of a run that are not whole, by name."""
    bad = []
    for path in files_of(folder):
        data = path.read_bytes()
        try:
            if path.suffix == ".json":
                json.loads(data)
            elif path.suffix == ".html":
                assert data.startswith(b"<!doctype html>")
                assert data.rstrip().endswith(b"</html>")
            elif path.name == "state.npz":
                Checkpoint.from_bytes(data)
            elif path.name == "model.skops":
                with zipfile.ZipFile(io.BytesIO(data)) as archive:
                    header, payload = json.loads(archive.read("header.json")), archive.read("model.skops")
                assert hashlib.sha256(payload).hexdigest() == header["sha256"]
            else:
                lines = list(csv.reader(io.StringIO(data.decode())))
                assert {len(line) for line in lines} == {len(lines[0])}
                assert len(lines) == N_ROWS + 1
        except (ValueError, KeyError, AssertionError, zipfile.BadZipFile):
            bad.append(path.name)
    return bad


def stage(folder):
    """How far a run had come when it was killed, in words."""
    if not (folder / "run.json").exists():
        return "nothing written"
    record = json.loads((folder / "run.json").read_bytes())
    if record["settings"]["seed"] != SEED:
        return "before the earlier run was touched"
    if record["status"] in ("complete", "beginning"):
        return record["status"]
    if not (folder / "state.npz").exists():
        return "in round 1"
    if "labels.csv" in record.get("writing", {}) or "model.skops" in record.get("writing", {}):
        return "writing the outcome"
    rounds = len(Checkpoint.from_bytes((folder / "state.npz").read_bytes()).history)
    return f"after round {rounds}"


def command(method, work, out, *more, seed=SEED):
    """What is run, again and again; the folder comes last."""
    words = ["label", work / "birds.csv", "--target", "species", "--method", method, *METHODS[method]]
    words += ["--right", "0.7"]
    return [*words, "--seed", str(seed), *more, out]


def going_on(method, work, out):
    """The command that goes on with what was killed; anew, where the earlier run is still there."""
    option = "--overwrite" if stage(out) == "before the earlier run was touched" else "--resume"
    return command(method, work, out, option)


def trial(method, replaced, moment, again, work, alone):
    """One kill and its resume: what was found."""
    out, log, precious = work / "cut", work / "log", work / "precious"
    shutil.rmtree(out, ignore_errors=True)
    log.unlink(missing_ok=True)
    if replaced:
        shutil.copytree(work / f"earlier-{method}", out)
    put_own(out, precious)
    found = {"method": method, "replaced": replaced, "moment": moment, "twice": again is not None}
    found |= {"unreadable": [], "unlisted": [], "lost": [], "temporary": 0}

    def look():
        found["unreadable"] += unreadable(out)
        found["unlisted"] += unlisted(out)
        found["lost"] += lost(out, precious)
        found["temporary"] += len(list(out.glob(".surelabel-*"))) - 1  # one is the user's

    found["running"] = killed(command(method, work, out, *(["--overwrite"] if replaced else [])), log, moment)
    found["stage"] = stage(out)
    look()
    if again is not None:
        killed(going_on(method, work, out), log, again)
        look()
    found["exit"] = ended(started(going_on(method, work, out), log))
    look()
    found["same"] = found["exit"] == 0 and (out / "labels.csv").read_bytes() == alone["labels"]
    found["left over"] = sorted({path.name for path in files_of(out)} - alone["names"])
    found["missing"] = sorted(alone["names"] - {path.name for path in files_of(out)})
    found["said"] = log.read_text()[-2000:] if found["exit"] != 0 else ""
    return found


def run_alone(method, replaced, work):
    """A run that is left alone: its duration, labels and files."""
    out = work / f"alone-{method}"
    shutil.rmtree(out, ignore_errors=True)
    if replaced:
        shutil.copytree(work / f"earlier-{method}", out)
    args = command(method, work, out, *(["--overwrite"] if replaced else []))
    begin = time.perf_counter()
    check_done(ended(started(args, work / "log")), work)
    return {
        "seconds": time.perf_counter() - begin,
        "labels": (out / "labels.csv").read_bytes(),
        "names": {path.name for path in out.iterdir()},
        "steps": Path(f"{out}.steps").stat().st_size,
    }


def run_earlier(method, work):
    """A run with another seed, to be replaced."""
    out = work / f"earlier-{method}"
    check_done(ended(started(command(method, work, out, seed=SEED + 1), work / "log")), work)


def check_done(code, work):
    if code != 0:
        raise SystemExit(f"the run that was left alone ended with {code}:\n{(work / 'log').read_text()}")


def name(kind):
    method, replaced = kind
    return f"{method}, replacing a run" if replaced else method


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
        for method in METHODS:
            run_earlier(method, work)
        for kill in range(args.kills):
            if kill % 40 == 0:  # how long it takes depends on what else the machine does
                alone = {kind: run_alone(*kind, work) for kind in KINDS}
            kind = KINDS[kill // 2 % len(KINDS)]
            # One in each of as many equal parts of the run as there are kills.
            moment = when(kill, (kill + rng.random()) / args.kills, alone[kind])
            again = when(kill, rng.random(), alone[kind]) if rng.random() < 1 / 3 else None
            trials.append(trial(*kind, moment, again, work, alone[kind]))
    stages = Counter(trial["stage"] for trial in trials)
    figures = {
        "kills": len(trials) + sum(trial["twice"] for trial in trials),
        "runs": len(trials),
        "still running when killed": sum(trial["running"] for trial in trials),
        "temporary files that a kill left": sum(trial["temporary"] for trial in trials),
        "unreadable files": sum(len(trial["unreadable"]) for trial in trials),
        "files that the record does not list": sum(len(trial["unlisted"]) for trial in trials),
        "files of the user lost or changed": sum(len(trial["lost"]) for trial in trials),
        "resumed to the same bytes": sum(trial["same"] for trial in trials),
        "files left over after a resume": sum(len(trial["left over"]) for trial in trials),
        "files missing after a resume": sum(len(trial["missing"]) for trial in trials),
        "seconds of a run left alone": {name(kind): round(alone[kind]["seconds"], 2) for kind in KINDS},
        "steps of a run left alone": {name(kind): alone[kind]["steps"] for kind in KINDS},
    }
    for what, value in figures.items():
        print(f"{what:<36} {value}")
    print("killed when: " + ", ".join(f"{what} {stages[what]}" for what in sorted(stages)))
    args.results.mkdir(exist_ok=True)
    report = {"figures": figures, "stages": stages, "trials": trials}
    (args.results / "kill.json").write_text(json.dumps(report, indent=1))
    wrong = ("unreadable", "unlisted", "lost", "left over", "missing")
    bad = [t for t in trials if not t["same"] or any(t[what] for what in wrong)]
    for found in bad[:5]:
        print(json.dumps(found, indent=1))
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
