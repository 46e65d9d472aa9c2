"""What `surelabel label` costs from file to files, part by part: processor time and memory.

`make bench-files`, or with ARGS="--runs parquet:shards:10000000" for docs/scale.md: a kind of table, an
engine and a number of rows, with commas between several. "parquet" is the table of `scale.py`, 20 numbers;
"csv" has 19 numbers and a column of text. 1,000 rows are labelled. With ":bayes" behind it, a committee of
three Gaussian models takes the place of the default one: what is left is what the rows cost by themselves.
Each run is a process of its own, one thread. Adds to docs/scale_files.json; `--table` shows what is in it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import wraps
from pathlib import Path

import numpy as np
import pandas as pd
from scale import LABELLED, NAMES, made_up, write

RESULTS = Path("docs/scale_files.json")
PARQUET = [f"parquet:{engine}:{n}" for n in (200_000, 1_000_000) for engine in ("local", "shards")]
RUNS = ",".join([*PARQUET, "csv:local:1000000"])
WORDS = 2_000
BLOCK = 100_000


def write_csv(path, n):
    """A table of n rows, 19 numbers and a text of 12 words, a few of which tell the class."""
    words = np.array([f"word{k}" for k in range(WORDS)], dtype=object)
    for begin in range(0, n, BLOCK):
        X, truth = made_up(min(BLOCK, n - begin), [0, begin])
        rng = np.random.default_rng([1, begin])
        drawn = (WORDS * rng.random((len(X), 12)) ** 2).astype(int)
        drawn[:, 0] = 20 * truth + rng.integers(0, 40, len(X))
        frame = pd.DataFrame(X[:, 1:], columns=NAMES[1:]).round(3)
        frame["remark"] = [" ".join(row) for row in words[drawn]]
        frame["label"] = np.where(begin + np.arange(len(X)) < LABELLED, truth.astype(str), "")
        frame["truth"] = truth
        frame.to_csv(path, index=False, mode="w" if not begin else "a", header=not begin)


def marked(owner, name, marks, note):
    """Put a note beside the processor time whenever a function is called, and when it ends."""
    plain = getattr(owner, name)

    @wraps(plain)
    def call(*args, **options):
        marks.append((time.process_time(), note))
        try:
            return plain(*args, **options)
        finally:
            marks.append((time.process_time(), "other"))

    setattr(owner, name, call)


def cheap(settings, classes, several=False, columns=None):
    """In place of `Settings.classifier`: a committee that costs next to nothing."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.naive_bayes import GaussianNB

    from surelabel import Unlike, csa
    from surelabel.committees.encoded import Encoded

    models = {
        "Bayes": Encoded(GaussianNB()),
        "smooth": Encoded(GaussianNB(var_smoothing=0.1)),
        "quadratic": Encoded(QuadraticDiscriminantAnalysis(reg_param=0.1)),
    }
    return csa(committee=Unlike(models), missing_label=None, columns=columns, random_state=0)


def labelled(path, engine, folder, committee):
    """Run the command here; seconds of processor time of each part."""
    from surelabel.tool.settings import Settings

    if committee == "default":
        return timed(path, engine, folder)
    Settings.classifier = cheap
    return timed(path, engine, folder, "--right", "0.8")  # it is less often right


def timed(path, engine, folder, *more):
    """Run the command here; seconds of processor time of each part."""
    from surelabel.tool import display, progress, shard_source, table_source
    from surelabel.tool.__main__ import main as command
    from surelabel.tool.run_folder import RunFolder

    marks = [(0.0, "start and read")]
    marked(display, "show_facts", marks, "other")
    done = progress.Progress.round_done

    def round_done(self, round):
        last = round.number == self._n_rounds
        marks.append((time.process_time(), "final classifier and verdict" if last else "other rounds"))
        done(self, round)

    progress.Progress.round_done = round_done
    plain = display.show_facts

    def show_facts(*args):
        plain(*args)
        marks.append((time.process_time(), "first round"))

    display.show_facts = show_facts
    for labelling in (table_source.TableLabelling, shard_source.ShardLabelling):
        marked(labelling, "write_labels", marks, "write labels")
    marked(RunFolder, "write_model", marks, "save model")
    marked(RunFolder, "write_page", marks, "report")
    words = [
        "label",
        path,
        "--target",
        "label",
        "--drop",
        "truth",
        "--engine",
        engine,
        "--out",
        folder,
        *more,
    ]
    sys.argv = ["surelabel", *words, *(["--missing-label=-1"] if path.endswith(".parquet") else [])]
    try:
        command()
    except SystemExit as end:
        if end.code:
            raise
    ends = [at for at, _ in marks[1:]] + [time.process_time()]
    parts = {}
    for (begin, name), end in zip(marks, ends, strict=True):
        parts[name] = parts.get(name, 0.0) + end - begin
    return parts


def found(folder, kind):
    """Share of the missing labels that is filled in, and of these that is right."""
    run = Path(folder)
    if kind == "csv":
        tables = pd.read_csv(
            run / "labels.csv", usecols=["truth", "label", "surelabel_status"], chunksize=10**6
        )
    else:
        paths = sorted((run / "labels").iterdir()) if (run / "labels").is_dir() else [run / "labels.parquet"]
        tables = (pd.read_parquet(path, columns=["truth", "label", "surelabel_status"]) for path in paths)
    unknown = filled = right = 0
    for table in tables:
        unknown += int((table["surelabel_status"] != "given").sum())
        own = table[table["surelabel_status"] == "filled in"]
        filled += len(own)
        right += int((own["label"].astype(float) == own["truth"]).sum())
    return {"filled": filled / unknown, "right": right / max(filled, 1)}


def one(kind, engine, n, committee, tables):
    """A run in a process of its own; a table that is there already is not written again."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(tables or folder, f"t{n}.{kind}")
        out, parts = (Path(folder, name) for name in ("run", "parts.json"))
        if not path.exists():
            (write_csv if kind == "csv" else write)(path, n)
        size, begin = path.stat().st_size, time.perf_counter()
        words = [sys.executable, __file__, "--run", str(path), engine, str(out), committee, str(parts)]
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=os.environ | threads)
        _, status, used = os.wait4(child.pid, 0)
        if status:
            raise SystemExit(f"{kind} {engine} {n}: exit status {status}")
        return {
            "kind": kind,
            "engine": engine,
            "committee": committee,
            "rows": n,
            "file MB": size / 1e6,
            "cpu seconds": used.ru_utime + used.ru_stime,
            "clock seconds": time.perf_counter() - begin,
            "peak MB": used.ru_maxrss / 1e3,
            "parts": json.loads(parts.read_text()),
        } | found(out, kind)


def table(runs):
    """The runs as a table in Markdown."""
    parts = list(dict.fromkeys(part for run in runs for part in run["parts"]))
    lines = [
        ["file", "engine", "committee", "rows", "processor", "us a row", *parts, "peak", "filled", "right"]
    ]
    lines.append(["---"] * len(lines[0]))
    for run in runs:
        seconds = [f"{run['parts'][part]:.1f}" if part in run["parts"] else "" for part in parts]
        cpu, n = run["cpu seconds"], run["rows"]
        shares = [f"{run['filled']:.1%}", f"{run['right']:.1%}"]
        start = [
            run["kind"],
            run["engine"],
            run["committee"],
            f"{n:,}",
            f"{cpu:.0f} s",
            f"{1e6 * cpu / n:.0f}",
        ]
        lines.append([*start, *seconds, f"{run['peak MB']:,.0f} MB", *shares])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def stored():
    """Runs that were made before."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else []


def place(run):
    """Where a run stands among others; a run in the same place is replaced."""
    return run["kind"], run["committee"], run["rows"], run["engine"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", default=RUNS, help="kind:engine:rows, with commas between")
    parser.add_argument("--tables", help="a folder in which tables stay for the next time")
    parser.add_argument("--table", action="store_true", help=f"only show what {RESULTS} holds")
    parser.add_argument("--run", nargs=5, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        path, engine, out, committee, parts = args.run
        Path(parts).write_text(json.dumps(labelled(path, engine, out, committee)))
        return
    for run in [] if args.table else args.runs.split(","):
        kind, engine, n, *committee = run.split(":")
        new = one(kind, engine, int(n), *committee or ["default"], args.tables)
        others = [each for each in stored() if place(each) != place(new)]
        RESULTS.write_text(json.dumps(sorted([*others, new], key=place), indent=1) + "\n")
        print(table([new]).splitlines()[-1], flush=True)
    print(table(stored()))


if __name__ == "__main__":
    main()
