"""Megabytes on disk of surelabel, of what it needs, and of each extra: as installed here.

Run with `make bench-sizes` (a few seconds), or with ARGS="--to docs/install_sizes.json". A package
counts with the files that its installer wrote; an extra with the packages that it brings besides those
without extras.
"""

from __future__ import annotations

import argparse
import json
import platform
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

MEGABYTE = 1e6
# What each dependency is for.
PURPOSES = {
    "altair": "charts of the report and of notebooks",
    "jinja2": "the report",
    "joblib": "members trained at once",
    "lazy-loader": "a quick start",
    "narwhals": "frames of any library",
    "numpy": "numbers",
    "pandas": "tables",
    "pyarrow": "files, Parquet, text columns",
    "rich": "the command line",
    "scikit-learn": "models",
    "scipy": "numbers, scikit-learn",
    "skops": "saved models",
    "starlette": "the review page",
    "threadpoolctl": "one thread for each member",
    "typer": "the command line",
    "uvicorn": "the review page",
    "vl-convert-python": "charts of the report as SVG",
}


def needed(requirement: Requirement, found: set[str]) -> set[str]:
    """Names of a package and of all it needs, as far as they are installed and not found already."""
    name = canonicalize_name(requirement.name)
    try:
        wanted = distribution(name).requires or []
    except PackageNotFoundError:
        return set()
    new = {name} - found
    extras = requirement.extras or {""}
    if not new and extras == {""}:
        return set()
    for each in map(Requirement, wanted):
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras):
            new |= needed(each, found | new)
    return new


def size(name: str) -> float:
    """Bytes on disk of what a package installed; this one, installed in place, with its sources."""
    if name == "surelabel":
        return sum(file.stat().st_size for file in Path("src").rglob("*.py*") if file.suffix != ".pyc")
    files = distribution(name).files or []
    return sum(path.stat().st_size for file in files if (path := Path(str(file.locate()))).is_file())


def measured() -> dict[str, dict[str, float]]:
    """Megabytes of each dependency alone, of all of them, and of what each extra adds."""
    plain = needed(Requirement("surelabel"), set())
    alone = {name: round(size(name) / MEGABYTE, 1) for name in sorted(plain)}
    extras = {}
    for extra in distribution("surelabel").metadata.get_all("Provides-Extra") or []:
        added = needed(Requirement(f"surelabel[{extra}]"), set()) - plain
        if added:
            extras[extra] = round(sum(map(size, added)) / MEGABYTE, 1)
    return {"packages": alone, "all": {"surelabel": round(sum(alone.values()), 1)}, "extras": extras}


def table(found: dict[str, dict[str, float]]) -> str:
    """The same in Markdown, the largest first."""
    alone = found["packages"]
    own = {name: value for name, value in alone.items() if name in PURPOSES}
    rest = sum(value for name, value in alone.items() if name not in {*PURPOSES, "surelabel"})
    lines = ["| package | MB | for |", "|---|---:|---|", f"| surelabel | {alone['surelabel']:.1f} | |"]
    lines += [
        f"| {name} | {own[name]:.1f} | {PURPOSES[name]} |" for name in sorted(own, key=lambda n: -own[n])
    ]
    lines += [
        f"| what these need | {rest:.1f} | |",
        f"| **all** | **{found['all']['surelabel']:.0f}** | |",
        "",
    ]
    lines += ["| extra | MB more |", "|---|---:|"]
    lines += [f"| `.[{name}]` | {value:.1f} |" for name, value in found["extras"].items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, help="a JSON file for what was measured")
    args = parser.parse_args()
    found = measured()
    print(table(found))
    if args.to is not None:
        system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
        args.to.write_text(json.dumps({"system": system, **found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
