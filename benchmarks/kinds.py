"""What every column of every CSV file of a folder is taken for, and why.

Run with `make bench-kinds` (under a minute), or with ARGS="--data-dir DIR". Files are those of the folder and
of the folders in it; columns called target, or label_0 and so on, hold the labels. The table is printed, and
written as JSON.
"""

import argparse
import json
import os
import re
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from surelabel.cells import kinds_of
from surelabel.files import read_table

LABEL = re.compile(r"target|label_\d+")
SHOWN = ("table", "column", "kind", "why", "note", "examples")


def files_in(folder):
    """CSV files of a folder and of the folders in it."""
    return sorted(
        path for depth in ("*", "*/*") for end in (".csv", ".csv.gz") for path in folder.glob(depth + end)
    )


def kinds_in(path):
    """A record for each column of a file."""
    frame = read_table(path).frame
    kinds = kinds_of(frame, [name for name in frame.columns if LABEL.fullmatch(name)])
    return [
        {"table": path.name.split(".csv")[0]} | asdict(kind) | {"column": kind.name}
        for kind in kinds.values()
    ]


def shown(records):
    """A line for each column."""
    table = Table(box=None, pad_edge=False)
    for name in SHOWN:
        table.add_column(name, overflow="fold", max_width=48)
    for record in records:
        cells = record | {"examples": ", ".join(record["examples"])}
        table.add_row(*[Text(str(cells[name])) for name in SHOWN])
    return table


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    folder = os.environ.get("SURELABEL_DATA", "data")
    parser.add_argument("--data-dir", type=Path, default=Path(folder), help="folder of the CSV files")
    parser.add_argument("--out", type=Path, default=Path("results/kinds.json"), help="the JSON file to write")
    args = parser.parse_args()
    records = [record for path in files_in(args.data_dir) for record in kinds_in(path)]
    Console(width=200).print(shown(records))
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(records, indent=1, ensure_ascii=False), encoding="utf-8")
    print(f"{len(records):,} columns: {args.out}")


if __name__ == "__main__":
    main()
