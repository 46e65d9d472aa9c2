"""Hostile cases of the tool: (name, what to run in a folder, what is wrong, must it work)."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from surelabel.files import InputError
from surelabel.tool.commands import app

QUICK = ["--no-guard", "--no-report", "--rounds", "2", "--method", "pl"]


def as_said(found, told):
    """What the case itself says."""
    return found


def birds(n=60):
    """A frame of text, most of it without the species, and the truth."""
    rng = np.random.default_rng(0)
    k = np.arange(n) % 3
    truth = np.array(["cat", "dog", "owl"])[k]
    return pd.DataFrame(
        {
            "ring": [f"{i:03d}" for i in range(n)],
            "width": [f"{x:.3f}" for x in 5.0 * (k == 1) + rng.normal(size=n) / 2],
            "height": [f"{x:.3f}" for x in 5.0 * (k == 2) + rng.normal(size=n) / 2],
            "species": np.where(np.arange(n) < 24, truth, ""),
        }
    ), truth


def said(*args):
    """What a command prints; an InputError where it ends with exit code 2."""
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    if result.exit_code == 2:
        raise InputError(" ".join(result.output.replace("surelabel:", "").split()) or "no word")
    if result.exit_code not in (0, 1):
        raise RuntimeError(f"exit code {result.exit_code}: {result.output[-300:]} {result.exception!r}")
    return result.output


def written(frame, path):
    """A frame in the format that the name of the file tells."""
    path = Path(path)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    elif path.suffix == ".tsv":
        frame.to_csv(path, index=False, sep="\t")
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_csv(path, index=False)
    return path


def cells_of(data):
    """How a CSV file begins (byte-order mark, "sep=;"), and its rows, by its own encoding and delimiter."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    mark = data[:2] if wide else codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    text = data.decode("utf-16" if wide else "utf-8-sig")
    told = ""
    if text.startswith("sep="):
        told, text = text.split("\n", 1)
    delimiter = told[4:5] or max(",;\t", key=text[: text.index("species")].count)
    return (mark, told), list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def rows_of(path):
    """The rows of a file of labels as text, the header first."""
    if path.suffix in (".csv", ".tsv"):
        return cells_of(path.read_bytes())
    if path.suffix == ".gz":
        return cells_of(gzip.decompress(path.read_bytes()))
    read = {
        ".parquet": pd.read_parquet,
        ".xlsx": partial(pd.read_excel, dtype=str, keep_default_na=False),
        ".jsonl": partial(pd.read_json, lines=True, dtype=False),
    }
    return (b"", ""), _texts(read[path.suffix](path))


def _texts(frame):
    cells = frame.astype(object).where(frame.notna(), "").astype(str).to_numpy().tolist()
    return [list(frame.columns), *cells]


def labelled(path, folder, given=None, whole=None, *options):
    """What is wrong with the labels of a file.

    `given` and `whole` are what `rows_of` gives for the file, and for the same file with every label; None
    where neither is known.
    """
    said("label", path, "--target", "species", "--out", folder / "run", *QUICK, *options)
    (out,) = (folder / "run").glob("labels*")
    found = rows_of(out)
    if given is None:
        return None
    if given[0] != found[0]:
        return f"the file began with {given[0]}, and begins with {found[0]}"
    return changed_cell(given[1], found[1]) or (whole and wrong_labels(found[1], whole[1]))


def changed_cell(before, after):
    """A cell that was given and came back as another; None if there is none."""
    if len(before) != len(after):
        return f"{len(before)} lines were given and {len(after)} came back"
    for row, (old, new) in enumerate(zip(before, after, strict=True)):
        for name, a, b in zip(before[0], old, new[: len(before[0])], strict=True):
            if a != b and not (name == "species" and not a):
                return f"row {row}, {name}: {a!r} was given and {b!r} came back"
    return None


def wrong_labels(after, whole):
    """How many labels are right, where these are too few; `whole` has the label of every row."""
    at, why = after[0].index("species"), after[0].index("surelabel_status")
    # What the tool fills in is guarded against spreadsheets.
    labels = [row[at] if row[why] == "given" else row[at].removeprefix("'") for row in after[1:]]
    filled = [(a, row[at]) for a, row in zip(labels, whole[1:], strict=True) if a]
    right = np.mean([a == b for a, b in filled])
    return None if right > 0.85 else f"{right:.0%} of {len(filled)} labels are right"


def damaged(change, folder, ending):
    """Write birds, change the bytes of the file, and label it."""
    frame, truth = birds()
    path = written(frame, folder / f"birds{ending}")
    sound = path.read_bytes()
    path.write_bytes(change(sound))
    if path.read_bytes() == sound:
        return labelled(
            path, folder, ((b"", ""), _texts(frame)), ((b"", ""), _texts(frame.assign(species=truth)))
        )
    if ending != ".csv":
        return labelled(path, folder)
    return changed_text(change, path, folder)


def changed_text(change, path, folder):
    """Label a file of birds that was changed, and compare with one that has every label, changed alike."""
    frame, truth = birds()
    whole = change(frame.assign(species=truth).to_csv(index=False).encode())
    try:
        expected = cells_of(path.read_bytes()), cells_of(whole)
    except ValueError:  # no text: it is to be refused
        expected = ()
    return labelled(path, folder, *expected)


BYTES = {
    "as it is": lambda data: data,
    "cut in half": lambda data: data[: len(data) // 2],
    "without its last byte": lambda data: data[:-1],
    "empty": lambda data: b"",
    "one byte": lambda data: data[:1],
    "first bytes turned": lambda data: bytes(255 - b for b in data[:8]) + data[8:],
    "bytes turned in the middle": lambda data: (
        data[: len(data) // 2] + b"\xff\xfe\x00" + data[len(data) // 2 + 3 :]
    ),
    "NUL at the end": lambda data: data + b"\x00",
    "followed by itself": lambda data: data + data,
    "random bytes": lambda data: np.random.default_rng(0).bytes(len(data)),
    "a page of HTML": lambda data: b"<!doctype html><html><body>Sign in</body></html>",
    "a picture": lambda data: b"\x89PNG\r\n\x1a\n" + data,
}
ENDINGS = [".csv", ".tsv", ".jsonl", ".parquet", ".xlsx", ".csv.gz"]

TEXTS = {
    "a byte order mark": (lambda text: ("\ufeff" + text).encode(), True),
    "UTF-16": (lambda text: text.encode("utf-16"), False),
    "latin-1": (lambda text: text.replace("cat", "ch\u00e4t").encode("latin-1"), False),
    "Windows line ends": (lambda text: text.replace("\n", "\r\n").encode(), True),
    "old line ends": (lambda text: text.replace("\n", "\r").encode(), False),
    "line ends mixed": (lambda text: text.replace("\n", "\r\n", 5).encode(), False),
    "semicolons": (lambda text: text.replace(",", ";").encode(), True),
    "sep=;": (lambda text: ("sep=;\n" + text.replace(",", ";")).encode(), False),
    "tabs": (lambda text: text.replace(",", "\t").encode(), False),
    "a comment first": (lambda text: ("# birds\n" + text).encode(), False),
    "blank lines": (lambda text: text.replace("\n", "\n\n", 3).encode(), False),
    "a row too long": (lambda text: text.replace("000,", "000,1,", 1).encode(), False),
    "a row too short": (lambda text: text.replace("000,", "", 1).encode(), False),
    "a quote that never closes": (lambda text: text.replace("000,", '"000,', 1).encode(), False),
    "a quote within": (lambda text: text.replace("000,", '0"00,', 1).encode(), False),
    "a line break in quotes": (lambda text: text.replace("000,", '"0\n00",', 1).encode(), True),
    "a NUL in a cell": (lambda text: text.replace("000,", "0\x0000,", 1).encode(), False),
    "a name twice": (lambda text: text.replace("height", "width", 1).encode(), False),
    "a name empty": (lambda text: text.replace("height", "", 1).encode(), False),
    "names with spaces": (lambda text: text.replace("height", " height ", 1).encode(), False),
    "no header": (lambda text: text.split("\n", 1)[1].encode(), False),
    "a header only": (lambda text: text.split("\n", 1)[0].encode(), False),
    "a total at the end": (lambda text: (text + "total,1,2,\n").encode(), False),
    "an emoji": (lambda text: text.replace("000,", "\U0001f989,", 1).encode(), True),
    "right to left": (lambda text: text.replace("cat", "\u05d7\u05ea\u05d5\u05dc").encode(), False),
    "a label with a comma": (lambda text: text.replace("cat", '"cat, big"').encode(), False),
    "a label with spaces": (lambda text: text.replace("cat", "cat ", 1).encode(), False),
    "a label in capitals": (lambda text: text.replace("cat", "CAT", 1).encode(), False),
    "labels that are formulas": (
        lambda text: text.replace("cat", "=cat").replace("dog", "+dog").replace("owl", "-owl").encode(),
        True,
    ),
    "labels that are numbers": (
        lambda text: text.replace("cat", "007").replace("dog", "7").replace("owl", "07").encode(),
        True,
    ),
    "labels NA": (lambda text: text.replace("cat", "NA").encode(), True),
    "cells that are formulas": (lambda text: text.replace("000,", "=1+1,", 1).encode(), True),
}
STRAY = [
    "inf",
    "1e400",
    "x1.5",
    "#DIV/0!",
    "1,234",
    "n/a",
    "-",
    "?",
    "NaN",
    "12 kg",
    "1.2.3",
    "true",
    " 1.5",
    "\u0661",
]


def textual(change, folder):
    """A CSV file changed as text."""
    frame, _ = birds()
    path = folder / "birds.csv"
    path.write_bytes(change(frame.to_csv(index=False)))
    return changed_text(lambda data: change(data.decode()), path, folder)


def stray(value, folder):
    """One stray cell in a column of numbers: inspect must speak of it."""
    frame, _ = birds()
    frame.loc[0, "width"] = value
    path = written(frame, folder / "birds.csv")
    output = " ".join(said("inspect", path, "--target", "species").split())
    if "No problem found" in output and value not in ("NaN", " 1.5"):
        return "No problem found"
    wrong = labelled(path, folder)
    return wrong


def special(make, folder):
    """Something that is no file to read."""
    return labelled(make(folder), folder)


def sharded(make, folder):
    """Something that is no file to read, for Dask; it is refused before a cluster is started."""
    path = make(folder)
    if path.suffix:
        path, old = path.with_suffix(".parquet"), path
        if os.path.lexists(old):
            os.rename(old, path)
    return labelled(path, folder, None, None, "--engine", "dask")


def _fifo(folder):
    os.mkfifo(folder / "birds.csv")
    return folder / "birds.csv"


def _link(target):
    def make(folder):
        (folder / "birds.csv").symlink_to(target)
        return folder / "birds.csv"

    return make


def _large_cell(folder):
    frame, _ = birds()
    frame.loc[0, "ring"] = "x" * 100_000_000
    return written(frame, folder / "birds.csv")


def _bomb(folder):
    with gzip.open(folder / "birds.csv.gz", "wb", compresslevel=9) as file:
        file.write(b"ring,species\n")
        for _ in range(400):
            file.write(b"0" * 10_000_000)
    return folder / "birds.csv.gz"


def _wide(folder):
    frame, _ = birds()
    more = pd.DataFrame(np.zeros((60, 20_000), dtype=int), columns=[f"c{i}" for i in range(20_000)])
    return written(pd.concat([more, frame], axis=1), folder / "birds.csv")


def _many_classes(folder):
    frame = pd.DataFrame({"width": range(30_000), "species": [f"s{i}" for i in range(29_999)] + [""]})
    return written(frame.astype(str), folder / "birds.csv")


def _merged(folder):
    import openpyxl

    frame, _ = birds()
    path = written(frame, folder / "birds.xlsx")
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("D2:D6")
    book.save(path)
    return path


def _formulas(folder):
    import openpyxl

    frame, _ = birds()
    path = written(frame, folder / "birds.xlsx")
    book = openpyxl.load_workbook(path)
    for row in range(2, 62):
        book.active[f"B{row}"] = f"=C{row}*2"
    book.save(path)
    return path


SPECIAL = {
    "a FIFO": _fifo,
    "a link to /dev/zero": _link("/dev/zero"),
    "a link to /dev/null": _link("/dev/null"),
    "a link to itself": _link("birds.csv"),
    "a link to nowhere": _link("nowhere.csv"),
    "a folder": lambda f: f,
    "nothing": lambda f: f / "nowhere.csv",
    "an unknown ending": lambda f: written(birds()[0], f / "birds.dat"),
    "a cell of 100 MB": _large_cell,
    "an archive that unpacks to 4 GB": _bomb,
    "20,000 columns": _wide,
    "30,000 classes": _many_classes,
    "merged cells in Excel": _merged,
    "formulas without values in Excel": _formulas,
}


def file_cases():
    """File format x damage, text x change, stray cells, things that are no files."""
    for ending in ENDINGS:
        for name, change in BYTES.items():
            yield (
                f"{ending} {name}",
                partial(damaged, change, ending=ending),
                as_said,
                name == "as it is",
            )
    for name, (change, must) in TEXTS.items():
        yield f"CSV with {name}", partial(textual, change), as_said, must
    for value in STRAY:
        yield f"a stray {value!r} among numbers", partial(stray, value), as_said, True
    for name, make in SPECIAL.items():
        yield f"{name} as data", partial(special, make), as_said, False
    for name in ("a FIFO", "a link to /dev/zero", "a link to itself", "a folder", "nothing"):
        yield f"{name} as shards", partial(sharded, SPECIAL[name]), as_said, False


OPTIONS = {
    "--target": ["", "nowhere", "species,species", "width"],
    "--method": ["", "nonsense", "CSA"],
    "--rounds": ["-1", "0", "1000000000", "2.5", "x"],
    "--members": ["0", "1", "-5", "x", "1000000"],
    "--prior": [
        "cat=1.0",
        "cat=0.5,dog=0.5",
        "yak=1",
        "cat",
        "cat=2",
        "cat=nan",
        "cat=0.2,dog=0.3,owl=0.5",
        "",
    ],
    "--seed": ["-1", "x", "99999999999999999999"],
    "--jobs": ["0", "x", "-1"],
    "--drop": ["nowhere", "species", ""],
    "--categorical": ["nowhere", "species"],
    "--id": ["nowhere"],
    "--missing-label": ["cat", ""],
    "--encoding": ["nonsense", "utf-16"],
    "--sheet": ["nowhere"],
    "--engine": ["nonsense"],
    "--scheduler": ["tcp://127.0.0.1:1"],
    "--out": ["", "\x00", "/proc/nowhere"],
    "--unlabeled": ["nowhere.csv", ""],
    "--config": ["nowhere.toml"],
}


def optioned(option, value, folder):
    """A run with an odd option."""
    frame, _ = birds()
    path = written(frame, folder / "birds.csv")
    out = [] if option == "--out" else ["--out", folder / "run"]
    target = [] if option == "--target" else ["--target", "species"]
    quick = [word for word in QUICK if option not in ("--method", "--members")] or [
        "--no-guard",
        "--no-report",
    ]
    if option == "--rounds":
        quick = ["--no-guard", "--no-report", "--method", "pl"]
    os.chdir(folder)
    said("label", path, *target, *out, *quick, option, value)
    return None


def option_cases():
    """Option x nonsense."""
    for option, values in OPTIONS.items():
        for value in values:
            yield f"{option} {value!r}", partial(optioned, option, value), as_said, False


OWN = [
    "labels.csv",
    "report.html",
    "report-1.html",
    "model.skops",
    "state.npz",
    "history.json",
    "notes.txt",
    "run.json",
]


def untouched(prepare, folder, *options):
    """What of a user's own files in the run folder is gone or changed after a command."""
    frame, _ = birds()
    path = written(frame, folder / "birds.csv")
    run = folder / "run"
    run.mkdir()
    prepare(run, folder)
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    with suppress(InputError):  # refused: what matters is that nothing is lost
        said("label", path, "--target", "species", "--out", run, *QUICK, *options)
    for p, data in before.items():
        if not p.exists():
            return f"{p.relative_to(folder)} is gone"
        if p.read_bytes() != data:
            return f"{p.relative_to(folder)} has changed"
    return None


def _own(name):
    def prepare(run, folder):
        (run / name).write_text("mine")

    return prepare


def _own_folder(name):
    def prepare(run, folder):
        (run / name).mkdir()
        (run / name / "part-00000.parquet").write_text("mine")
        (run / name / "rounds.npz").write_text("mine")

    return prepare


def _own_link(name):
    def prepare(run, folder):
        (folder / "precious").write_text("mine")
        (run / name).symlink_to(folder / "precious")

    return prepare


def piped(folder):
    """The output goes to a reader that has had enough: the run is finished all the same."""
    frame, _ = birds()
    written(frame, folder / "birds.csv")
    options = f"--target species --out run {' '.join(QUICK)}"
    command = f"{sys.executable} -m surelabel.tool label birds.csv {options} | true"
    subprocess.run(["bash", "-c", command], cwd=folder, check=False, capture_output=True)
    return None if (folder / "run" / "labels.csv").exists() else "the run was abandoned"


def fed_back(folder):
    """The labels of a run, one of them changed by a person, as the input of another."""
    frame, _ = birds()
    path = written(frame, folder / "birds.csv")
    said("label", path, "--target", "species", "--out", folder / "run", *QUICK)
    again = pd.read_csv(folder / "run" / "labels.csv", dtype=str, keep_default_na=False)
    left = again.index[again["species"] == ""]
    changed = [int(left[0])] if len(left) else []
    again.loc[changed, "species"] = "yak"
    again.to_csv(folder / "mine.csv", index=False)
    said("label", folder / "mine.csv", "--target", "species", "--out", folder / "run2", *QUICK)
    after = pd.read_csv(folder / "run2" / "labels.csv", dtype=str, keep_default_na=False)
    if (after.loc[changed, "species"] != "yak").any() or (
        after.loc[changed, "surelabel_status"] != "given"
    ).any():
        return "what a person filled in is not given now"
    tool = again["surelabel_status"] == "accepted"
    return (
        "the tool's own labels are taken for given"
        if (after.loc[tool, "surelabel_status"] == "given").any()
        else None
    )


def folder_cases():
    """Run folders that hold things of a user's own."""
    kinds = {
        "a file": (_own, OWN),
        "a folder": (_own_folder, ["parts", "labels"]),
        "a link": (_own_link, ["labels.csv", "report.html", "model.skops", "state.npz", "run.json"]),
    }
    for options in ([], ["--overwrite"], ["--resume"]):
        for what, (make, names) in kinds.items():
            for name in names:
                title = f"{' '.join(options) or 'plain'}: {what} {name}"
                yield title, lambda f, m=make, n=name, o=options: untouched(m(n), f, *o), as_said, True
    yield "a closed pipe", piped, as_said, True
    yield "labels fed back in", fed_back, as_said, True
