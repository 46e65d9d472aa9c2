"""What default csa() costs per unlabelled row, from a Parquet file to labels: processor time and memory.

`make bench-scale`, or with ARGS="--rows 20000,200000,1000000,10000000" for docs/scale.md. 1,000 labelled rows
of 20 made-up columns and 5 classes of two clusters each, written to a Parquet file first. Each size runs in a
process of its own, so that its peak memory is its own; one thread. `--before FOLDER` measures the same with
the package in another folder (the src of an earlier release) beside it. Writes docs/scale.json, and `--table`
shows what is in it.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

RESULTS = Path("docs/scale.json")
LABELLED, FEATURES, CLASSES = 1_000, 20, 5
GROUP_ROWS = 200_000
NAMES = [f"x{j}" for j in range(FEATURES)]


def made_up(n, seed):
    """Rows of ten clusters, two for each class, in single precision: X (n, 20) and classes (n,)."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(1).normal(scale=0.6, size=(2 * CLASSES, FEATURES)).astype(np.float32)
    cluster = rng.integers(len(centres), size=n)
    return rng.standard_normal((n, FEATURES), dtype=np.float32) + centres[cluster], cluster % CLASSES


def write(path, n):
    """A table of n rows in row groups; the first 1,000 have a label, -1 stands for none."""
    types = dict.fromkeys(NAMES, pa.float32()) | dict.fromkeys(("label", "truth"), pa.int8())
    schema = pa.schema(types)
    with pq.ParquetWriter(path, schema) as file:
        for begin in range(0, n, GROUP_ROWS):
            X, truth = made_up(min(GROUP_ROWS, n - begin), [0, begin])
            label = np.where(begin + np.arange(len(X)) < LABELLED, truth, -1)
            columns = [*X.T, label.astype(np.int8), truth.astype(np.int8)]
            file.write_table(pa.Table.from_arrays([pa.array(column) for column in columns], schema=schema))


def read(path):
    """The table, a row group at a time into one array."""
    file = pq.ParquetFile(path)
    X = np.empty((file.metadata.num_rows, FEATURES), dtype=np.float32)
    y = np.empty((2, len(X)), dtype=np.int8)
    begin = 0
    for batch in file.iter_batches(GROUP_ROWS):
        rows = slice(begin, begin + len(batch))
        for j, name in enumerate(NAMES):
            X[rows, j] = batch.column(name)
        y[0, rows], y[1, rows] = batch.column("label"), batch.column("truth")
        begin = rows.stop
    return X, y[0], y[1]


def used():
    """Processor seconds of this process so far, and its peak memory, MB."""
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime, now.ru_maxrss / 1e3


def measured(path):
    """One run, here: processor seconds of each part, memory, and what was found."""
    import surelabel
    from surelabel import csa

    begin, before = used()
    X, y, truth = read(path)
    marks = {"read": used()[0] - begin}
    clf = csa(random_state=0)
    rounds, mark = clf.fit_rounds(X, y), used()[0]
    next(rounds)
    marks["first round: train, ask, allocate"], mark = used()[0] - mark, used()[0]
    for round in rounds:
        if round.number == clf.n_rounds:
            marks["other rounds: allocate"], mark = used()[0] - mark, used()[0]
    marks["final classifier and verdict"], mark = used()[0] - mark, used()[0]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model")
        clf.save(model)
        marks["save"], mark = used()[0] - mark, used()[0]
        size = model.stat().st_size
        surelabel.load(model)
        marks["load"] = used()[0] - mark
    found, pool = clf.transduction_, y < 0
    known = pool & (found != -1)
    return {
        "rows": len(X),
        "cpu seconds": sum(marks.values()),
        "parts": marks,
        "clock of the first round": clf.history_[0].seconds,
        "peak MB": used()[1],
        "before MB": before,
        "file MB": size / 1e6,
        "labelled": float(known.sum() / pool.sum()),
        "right": float((found[known] == truth[known]).mean()),
        "seats": clf.estimator_.seats_,
        "verdict": str(clf.verdict_),
    }


def one_row(path):
    """Microseconds for one row: the classifier, and all its members by themselves."""
    from surelabel import csa
    from surelabel.committees.encoded import matrices, seen_by

    X, y, _ = read(path)
    clf = csa(random_state=0).fit(X, y)
    row, members = X[:1], list(clf.estimator_.members_.values())

    def alone():
        shown = matrices(members, row)
        for member in members:
            model, seen = seen_by(member, row, shown)
            model.predict_proba(seen)

    def seconds(work):
        begin = time.process_time()
        work()
        return time.process_time() - begin

    # By turns: the machine may be slower from one moment to the next.
    both = [(seconds(lambda: clf.predict_proba(row)), seconds(alone)) for _ in range(300)]
    classifier, members = np.median(both, axis=0)
    times = {"classifier": 1e6 * float(classifier), "members": 1e6 * float(members)}
    times["ratio"] = float(np.median([whole / part for whole, part in both]))
    return times


def elsewhere(how, path, source=None):
    """What `measured` or `one_row` finds in a process of its own, perhaps with another release."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    other = {} if source is None else {"PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, __file__, "--run", how, str(path)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | threads | other,
    )
    return json.loads(done.stdout.splitlines()[-1])


def table(runs):
    """The runs as a table in Markdown, and what a row that is added costs between two sizes."""
    parts = list(runs[0]["parts"])
    lines = [["", "rows", "us a row", "us an added row", *parts, "peak MB", "labelled", "right"]]
    before = {}
    for run in runs:
        release, n, seconds = run["release"], run["rows"], run["cpu seconds"]
        n_less, less = before.get(release, (n, seconds))
        added = f"{1e6 * (seconds - less) / (n - n_less):.0f}" if n > n_less else ""
        before[release] = n, seconds
        shown = [f"{run['parts'][part]:.1f}" for part in parts]
        found = [f"{run['peak MB']:,.0f}", f"{run['labelled']:.1%}", f"{run['right']:.1%}"]
        lines.append([release, f"{n:,}", f"{1e6 * seconds / n:.0f}", added, *shown, *found])
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="20000,200000,1000000")
    parser.add_argument("--before", help="the src folder of an earlier release")
    parser.add_argument("--before-rows", default="20000,200000")
    parser.add_argument("--before-name", default="before", help="what the table calls it")
    parser.add_argument("--table", action="store_true", help="only show what docs/scale.json holds")
    parser.add_argument("--run", nargs=2, metavar=("HOW", "FILE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        how, path = args.run
        print(json.dumps({"measured": measured, "one_row": one_row}[how](path)))
        return
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"runs": []}
    if args.table:
        print(table(kept["runs"]))
        return
    runs = [("now", int(n), None) for n in args.rows.split(",") if n]
    if args.before:
        runs += [(args.before_name, int(n), args.before) for n in args.before_rows.split(",") if n]
    for release, n, source in runs:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "table.parquet")
            write(path, n)
            found = {"release": release} | elsewhere("measured", path, source)
        others = [run for run in kept["runs"] if (run["release"], run["rows"]) != (release, n)]
        kept["runs"] = sorted([*others, found], key=lambda run: (run["release"], run["rows"]))
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
        per_row = 1e6 * found["cpu seconds"] / n
        print(f"{release} {n:,} rows: {per_row:.0f} us a row, peak {found['peak MB']:,.0f} MB", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        write(path, 20_000)
        kept["one row, microseconds"] = elsewhere("one_row", path)
        print(kept["one row, microseconds"])
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
