"""How the cost of a run on Dask grows with the rows, and what it adds to one process.

`make bench-dask`, or with ARGS="--rows 500000,1000000,2000000,5000000" for docs/scale.md. Each run is
a process of its own, so that its peak memory is its own; the cluster has two workers with 2 GB each.
--labelled "1000000,2000000" adds runs in which half of so many rows are labelled and stay on the workers.
Processor time is counted twice: with the start of every process, and after a small run of the same kind, when
all that a run needs is imported: as on a cluster that has worked before. One process is measured alone, and
beside another that does the same: two workers are never alone either.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from surelabel import Panel, RandomXGBoost, csa, trees

N_FEATURES, N_CLASSES, N_LABELED = 20, 5, 2_000
PART_ROWS = 250_000
WARM_ROWS, WARM_LABELLED = 4_000, 400
ROUNDS = 3


def classifier():
    """Few members, of three kinds; what is measured is how cost grows, not how good labels are."""
    members = [LogisticRegression(C=0.01, max_iter=300), GaussianNB(), trees(25)]
    return csa(committee=Panel(members), n_rounds=ROUNDS, guard=False, random_state=0)


def boosted():
    """Members that all workers train together, where the labelled rows are."""
    return csa(committee=RandomXGBoost(3), n_rounds=1, guard=False, random_state=0)


def write(folder, n_rows, n_labeled, part_rows=PART_ROWS):
    """A table of normal clouds as Parquet files; labelled rows are spread evenly over all of it."""
    centres = np.random.default_rng(0).normal(0, 0.7, (N_CLASSES, N_FEATURES))
    for i, begin in enumerate(range(0, n_rows, part_rows)):
        rng = np.random.default_rng([1, i])
        n = min(part_rows, n_rows - begin)
        truth = rng.integers(0, N_CLASSES, n)
        X = (centres[truth] + rng.normal(size=(n, N_FEATURES))).astype(np.float32)
        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(N_FEATURES)])
        given = (begin + np.arange(n)) % (n_rows // n_labeled) == 0
        frame["label"] = pd.Series(truth).where(given).astype("Int64")
        frame.to_parquet(Path(folder, f"part-{i:03d}.parquet"))


@contextmanager
def warm_table():
    """A folder with a small table of the same kind, for a run before the one that is measured."""
    with tempfile.TemporaryDirectory() as small:
        write(small, WARM_ROWS, WARM_LABELLED, WARM_ROWS // 4)
        yield small


def peak(status):
    """Peak resident memory, MB, from the text of /proc/PID/status."""
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def own_peak(_=None):
    return peak(Path("/proc/self/status").read_text())


def cpu_seconds(who=resource.RUSAGE_SELF):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def one_process(folder):
    """The table in memory, the plain classifier."""

    def fitted(here):
        frame = pd.concat([pd.read_parquet(path) for path in sorted(Path(here).glob("*.parquet"))])
        return classifier().fit(frame.drop(columns="label"), frame["label"].to_numpy(dtype=object))

    with warm_table() as small:
        fitted(small)
    before, begin = cpu_seconds(), time.perf_counter()
    clf = fitted(folder)
    return outcome(clf.history_, time.perf_counter() - begin) | {
        "peak_mb": own_peak(),
        "cpu_seconds": cpu_seconds() - before,
        "cpu_seconds_with_start": cpu_seconds(),
        "labels": int((clf.labeled_iter_ > 0).sum()),
    }


def spread(folder):
    """As `on_cluster`, with labelled rows that stay where they are."""
    return on_cluster(folder, boosted(), gather_rows=0)


def on_cluster(folder, recipe=None, **options):
    """The same files where they lie, two workers."""
    import dask.dataframe as dd

    from surelabel.dask import DaskPseudoLabelClassifier
    from surelabel.dask.cluster import connected
    from surelabel.shards.pieces import Pieces

    with connected(n_workers=2, memory="2GB") as client:
        fetched = counted(Pieces)

        def fitted(here):
            clf = DaskPseudoLabelClassifier(recipe or classifier(), **options)
            clf.fit(dd.read_parquet(here), "label")
            clf.labels_.to_parquet(Path(here, "labels"))
            return clf

        def used():
            return sum(client.run(cpu_seconds).values()) + cpu_seconds()

        with warm_table() as small:
            fitted(small)
        fetched.clear()
        before, begin = used(), time.perf_counter()
        clf = fitted(folder)
        found = outcome(clf.history_, time.perf_counter() - begin)
        sent = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
        return found | {
            "to_client_mb": sum(fetched) / 1e6,
            "sent_mb": sum(sent.values()) / 1e6,
            "peak_mb": own_peak(),
            "worker_peak_mb": max(client.run(own_peak).values()),
            "cpu_seconds": used() - before,
            "cpu_seconds_with_start": used(),
            "labels": sum(round.labelled for round in clf.history_),
        }


def counted(pieces):
    """Sizes of all that comes to the client, as it comes."""
    from dask.sizeof import sizeof

    sizes, fetch = [], pieces.fetched

    def fetched(self):
        found = fetch(self)
        sizes.append(sizeof([vars(each) if hasattr(each, "__dict__") else each for each in found]))
        return found

    pieces.fetched = fetched
    return sizes


def outcome(history, seconds):
    parts = {name: sum(round.seconds[name] for round in history) for name in ("train", "predict", "allocate")}
    steps = [round.certificate.n_iter for round in history]
    return {"seconds": seconds, **parts, "solver_steps": steps, "by_round": [r.labelled for r in history]}


def measured(how, folder):
    """A run in a process of its own."""
    with started(how, folder) as child:
        return ended(child)


def both(folder):
    """Two processes at once, each with the whole table: the means of what they take.

    Two workers share what two processors share (on many machines the parts of one core), so that work takes
    more processor time than where one of them rests. This is one process under the same load.
    """
    with started("one", folder) as first, started("one", folder) as second:
        found = [ended(child) for child in (first, second)]
    return found[0] | {
        name: sum(each[name] for each in found) / 2
        for name in ("seconds", "cpu_seconds", "cpu_seconds_with_start")
    }


def started(how, folder):
    """A run in a process of its own, not waited for."""
    return subprocess.Popen(
        [sys.executable, __file__, "--run", how, str(folder)], stdout=subprocess.PIPE, text=True
    )


def ended(child):
    """What a run found."""
    said, _ = child.communicate()
    if child.returncode:
        raise SystemExit(child.returncode)
    return json.loads(said.splitlines()[-1])


def line(found):
    """The figures of a run in words."""
    parts = ", ".join(f"{name} {found[name]:.1f}" for name in ("train", "predict", "allocate"))
    memory = f"peak {found['peak_mb']:.0f} MB, worker {found.get('worker_peak_mb', 0):.0f} MB"
    per_row = 1e6 * found["seconds"] / found["rows"]
    moved = f"{found.get('to_client_mb', 0):.0f} MB to the client"
    moved += f", {found.get('sent_mb', 0):.0f} MB sent by workers in all"
    return (
        f"{found['how']:11} {found['rows']:>10,} rows {found['seconds']:7.1f} s ({per_row:.2f} us a row): "
        f"{parts}; processor {found['cpu_seconds']:.0f} s, "
        f"with start {found['cpu_seconds_with_start']:.0f} s; "
        f"{memory}; {moved}; {found['labels']:,} labels"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="500000,1000000", help="sizes for the cluster, with commas between")
    parser.add_argument("--alone", default=500_000, type=int, help="size for one process; 0 for none")
    parser.add_argument(
        "--labelled", default="", help="sizes for tables of which every second row is labelled"
    )
    parser.add_argument("--out", help="a JSON file for the figures")
    parser.add_argument("--run", nargs=2, metavar=("HOW", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        how, folder = args.run
        print(json.dumps({"one": one_process, "cluster": on_cluster, "spread": spread}[how](folder)))
        return
    runs = [(how, args.alone, N_LABELED) for how in ("one", "two at once") if args.alone]
    runs += [("cluster", n, N_LABELED) for n in _sizes(args.rows)]
    runs += [("spread", n, n // 2) for n in _sizes(args.labelled)]
    results = []
    for how, n, n_labeled in runs:
        with tempfile.TemporaryDirectory() as folder:
            write(folder, n, n_labeled)
            run = both(folder) if how == "two at once" else measured(how, folder)
        found = {"how": how, "rows": n} | run
        results.append(found)
        print(line(found), flush=True)
    if args.out:
        Path(args.out).write_text(json.dumps(results, indent=1) + "\n")


def _sizes(text):
    return [int(n) for n in text.split(",") if n]


if __name__ == "__main__":
    main()
