"""Damaged files of every kind, for a given time: only the package's own errors may come out.

Run with `make bench-fuzz ARGS="--seconds 60"`. Valid files are made and then changed at random: bits flipped,
pieces cut, doubled or replaced, words put in; one in ten is random bytes altogether. They go to the reader of
tables, the reader of settings, the loader of models (as they are, and with the digest made right again) and
the state of a run. Anything but InputError and ModelFileError is a finding: it is printed with its seed, and
its bytes are kept in results/fuzz. Prints a table and writes results/fuzz.json.
"""

import argparse
import hashlib
import io
import json
import random
import resource
import tempfile
import time
import traceback
import warnings
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from surelabel import Repeated, load, recipes, trees
from surelabel.cells import features, kinds_of
from surelabel.files import InputError, format_of, read_table, target_values, write_table
from surelabel.saving.model_file import ModelFileError
from surelabel.tool.run_folder import RunFolder
from surelabel.tool.settings import Settings, from_toml
from surelabel.tool.table_reading import read_tables
from surelabel.tool.work import work

RESULTS = Path("results")
TABLES = ("csv", "tsv", "csv.gz", "jsonl", "parquet", "xlsx")
SLOW = 10.0
WORDS = [
    b"nan",
    b"NA",
    b"-1",
    b"1e999",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b'"',
    b",",
    b"\n",
    b"\r",
    b"\0",
    b"{",
    b"[",
    b"=",
]
WORDS += [
    b"9" * 400,
    b"null",
    b"\\ud800",
    b"true",
    b"[[",
    b"'''",
    b"0x",
    b"1979-05-27",
    b"99999999-01-01",
    b"PK\3\4",
]
CONFIG = b"""# what a run is asked to do
data = "birds.csv"
target = "species"
drop = ["ring"]
method = "csa"
rounds = 5
members = 20
seed = 7
jobs = 2
guard = true
missing-label = "?"
out = "run"
quiet = false

[prior]
cat = 0.5
dog = 0.5
"""


@dataclass
class Tally:
    """What became of the files of one kind."""

    runs: int = 0
    accepted: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    findings: list = field(default_factory=list)


def changed(data, rng):
    """The bytes of a file, damaged somewhere."""
    if rng.random() < 0.1:
        return rng.randbytes(rng.randrange(200))
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        at, other = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
        low, high = min(at, other), min(max(at, other), min(at, other) + rng.choice([1, 4, 30, 1000]))
        how = rng.randrange(7)
        if how == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            del data[low:high]
        elif how == 2:
            data[at:at] = data[low:high]
        elif how == 3:
            data[at:at] = rng.choice(WORDS)
        elif how == 4:
            data[low:high] = rng.randbytes(high - low)
        elif how == 5:
            del data[at:]
        else:
            data[low:high] = rng.choice(WORDS)
    return bytes(data)


def with_digest(data, rng):
    """A model whose inner files are damaged and whose digest is right."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        header, payload = json.loads(archive.read("header.json")), archive.read("model.skops")
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(payload)) as before, zipfile.ZipFile(out, "w") as after:
        names = before.namelist()
        hit = rng.choice(["schema.json", rng.choice(names)])
        for name in names:
            content = before.read(name)
            after.writestr(name, changed(content, rng) if name == hit else content)
    payload = out.getvalue()
    header |= {"bytes": len(payload), "sha256": hashlib.sha256(payload).hexdigest()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("model.skops", payload)
    return out.getvalue()


def birds():
    """A small table, as text."""
    n = 40
    return pd.DataFrame(
        {
            "ring": [f"{row:03d}" for row in range(n)],
            "width": [f"{row % 3 + row / 100:.2f}" for row in range(n)],
            "colour": [["red", "", 'a "b", c', "grün"][row % 4] for row in range(n)],
            "seen": [f"2024-05-{row % 28 + 1:02d}" for row in range(n)],
            "species": [["cat", "dog", "owl"][row % 3] if row < 15 else "" for row in range(n)],
        }
    )


def listing(record, state):
    """The record of a run that wrote this state."""
    record = json.loads(record)
    record["files"]["state.npz"] = hashlib.sha256(state).hexdigest()
    return json.dumps(record).encode()


class Trials:
    """Valid files, and what is done with damaged ones.

    Parameters
    ----------
    folder : Path
        To work in.
    """

    def __init__(self, folder):
        self.folder = folder
        self.valid = {}
        for ending in TABLES:
            write_table(birds(), folder / f"birds.{ending}", format_of(f"birds.{ending}"))
            self.valid[ending] = (folder / f"birds.{ending}").read_bytes()
        self.valid["toml"] = CONFIG
        given = {"data": str(folder / "birds.csv"), "target": "species", "method": "pl", "guard": False}
        self.settings = Settings.of(given)
        self.source = read_tables(self.settings)
        self.run = RunFolder(folder / "run")
        self.run.path.mkdir()
        self.run.begin(self.settings, self.source.facts)
        for _ in work(self.settings, self.source, self.run):
            if self.run.state.exists():
                self.valid["state.npz"] = self.run.state.read_bytes()
        self.valid["model.skops"] = self.valid["model, right digest"] = self.run.model.read_bytes()
        self.run.write_record(self.settings, self.source.facts, "running")
        self.valid["run.json"] = listing(self.run.run.read_bytes(), self.valid["state.npz"])
        for name in ("state.npz", "run.json"):
            (self.run.path / name).write_bytes(self.valid[name])

        for kind, data in self.valid.items():
            self(kind, data)

    def damaged(self, kind, rng):
        """The bytes of a file of a kind, damaged."""
        return (with_digest if kind == "model, right digest" else changed)(self.valid[kind], rng)

    def __call__(self, kind, data):
        """Read bytes as a file of a kind."""
        if kind in TABLES:
            path = self.folder / f"damaged.{kind}"
            path.write_bytes(data)
            frame = read_table(path).frame
            target = "species" if "species" in frame else frame.columns[-1]
            features(frame, kinds_of(frame, target))
            target_values(frame, target, "?")
        elif kind == "toml":
            path = self.folder / "damaged.toml"
            path.write_bytes(data)
            asked = from_toml(path)
            Settings.of({name: value for name, value in asked.items() if name not in ("out", "quiet")})
        elif kind.startswith("model"):
            path = self.folder / "damaged.skops"
            path.write_bytes(data)
            load(path, max_bytes=64 * 1024**2)
        else:
            path = self.run.path / kind
            path.write_bytes(data)
            if kind == "state.npz":  # a record without its digest would have it refused unread
                (self.run.path / "run.json").write_bytes(listing(self.valid["run.json"], data))
            try:
                self.run.resume(self.settings, self.source.facts)
                self.run.kinds()
                self.run.holds_work()
            finally:
                (self.run.path / "state.npz").write_bytes(self.valid["state.npz"])
                (self.run.path / "run.json").write_bytes(self.valid["run.json"])


def tried(trials, kind, seed, tally, results):
    """One damaged file, in the tally."""
    data = trials.damaged(kind, random.Random(f"{kind} {seed}"))
    (results / "current").write_bytes(data)  # a crash of the process leaves it there
    begin = time.perf_counter()
    trouble = None
    try:
        trials(kind, data)
        tally.accepted += 1
    except (InputError, ModelFileError):
        pass
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        trouble = traceback.format_exc()
    spent = time.perf_counter() - begin
    if trouble is None and spent > SLOW:
        trouble = f"took {spent:.1f} s"
    if trouble:
        tally.findings.append({"seed": seed, "what": trouble.strip().splitlines()[-1], "trace": trouble})
        (results / f"{kind}-{seed}".replace(" ", "-").replace(",", "")).write_bytes(data)
    tally.runs += 1
    tally.seconds += spent
    tally.slowest = max(tally.slowest, spent)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="of the first file; each has the next one")
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    # What asks for more memory than this is refused by the system, and must be said so.
    resource.setrlimit(resource.RLIMIT_AS, (6 * 1024**3, -1))
    kept = args.results / "fuzz"
    kept.mkdir(parents=True, exist_ok=True)
    recipes._one_model = lambda: Repeated(trees(3), n_members=1)
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(Path(folder))
        tallies = {kind: Tally() for kind in trials.valid}
        end, seed = time.perf_counter() + args.seconds, args.seed
        while time.perf_counter() < end:
            # The kind that has had the least time: cheap ones are tried more often.
            kind = min(tallies, key=lambda name: tallies[name].seconds)
            tried(trials, kind, seed, tallies[kind], kept)
            seed += 1
    (kept / "current").unlink()
    print(f"{'file':<22}{'tried':>9}{'accepted':>10}{'findings':>10}{'slowest':>10}")
    for kind, tally in tallies.items():
        found = len(tally.findings)
        print(f"{kind:<22}{tally.runs:>9,}{tally.accepted:>10,}{found:>10,}{tally.slowest:>9.2f}s")
    for kind, tally in tallies.items():
        for what in sorted({finding["what"] for finding in tally.findings}):
            first = next(finding for finding in tally.findings if finding["what"] == what)
            print(f"\n{kind}, seed {first['seed']}:\n{first['trace']}")
    report = {kind: vars(tally) for kind, tally in tallies.items()}
    (args.results / "fuzz.json").write_text(json.dumps(report, indent=1))
    raise SystemExit(1 if any(tally.findings for tally in tallies.values()) else 0)


if __name__ == "__main__":
    main()
