"""`surelabel bench`: run, list, table, figure, page."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

# What computes is imported when it is needed: every other command would wait for it.
from ..common.durations import duration
from ..common.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from .runner import Done
    from .store import Store
    from .suite import Suite

bench = typer.Typer(
    no_args_is_help=True, help="Reproduce the paper's tables and figures; judge csa() on a folder of tables."
)

_FAILED, _BAD, _INTERRUPTED = 1, 2, 130

_Name = Annotated[
    str, typer.Argument(help="A table or figure, as `bench list` shows them; or all, which are the paper's.")
]
_Seeds = Annotated[
    int | None, typer.Option("--seeds", "--draws", min=1, help="How many; by default as `bench list` shows.")
]
_Shown = Annotated[
    int | None, typer.Option("--seeds", "--draws", min=1, help="How many; by default all stored.")
]
_Sizes = Annotated[str | None, typer.Option(help="Of suites: numbers of labels, with commas between.")]
_Datasets = Annotated[str | None, typer.Option(help="Names, with commas between.")]
_Methods = Annotated[str | None, typer.Option(help="Names or titles of columns, with commas between.")]
_Results = Annotated[Path, typer.Option("--out", "-o", help="The folder of results.")]
_DataDir = Annotated[Path | None, typer.Option(help="The folder of CSV files. \\[env: SURELABEL_DATA]")]
_Device = Annotated[
    str | None,
    typer.Option(help="Where networks run: cpu (default), cuda, mps or auto. \\[env: SURELABEL_DEVICE]"),
]
_Quick = Annotated[bool, typer.Option("--quick", help="The least that shows all of it.")]

_RESULTS = Path("docs/reproduction")
_ALL = sys.maxsize  # seeds: whatever is stored


@bench.command(
    epilog="Examples:\n\n"
    "  surelabel bench run table2 --seeds 30 --jobs 2 --data-dir data\n\n"
    "  surelabel bench run table2 --datasets wdbc,digits --methods csa,xgboost\n\n"
    "  surelabel bench run cifar --device cuda --data-dir data\n\n"
    "  surelabel bench run suite --data-dir data --sizes 60,150 --draws 3\n\n"
    "  surelabel bench run all --quick --out results/quick"
)
def run(
    name: _Name,
    seeds: _Seeds = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes, one thread each.")] = 1,
    datasets: _Datasets = None,
    methods: _Methods = None,
    out: _Results = _RESULTS,
    data_dir: _DataDir = None,
    quick: _Quick = False,
    device: _Device = None,
    sizes: _Sizes = None,
    members: Annotated[bool, typer.Option("--members", help="Of suites: each model of csa() too.")] = False,
    python: Annotated[
        list[str] | None,
        typer.Option(
            help="Of suites: NAME=PATH of a Python with another release, whose csa() runs too; or "
            "autogluon=PATH, catboost=PATH. \\[env: SURELABEL_PYTHONS]"
        ),
    ] = None,
    time_limit: Annotated[
        int, typer.Option(min=1, help="Of suites: most seconds of a run of AutoGluon.")
    ] = 600,
) -> None:
    """Compute what is not stored yet. Stop it at any time: the same command goes on."""
    console = _console()
    with _answering():
        from .datasets import folder_of
        from .elsewhere import name_pythons
        from .table_suites import in_folder

        _place_networks(out, device)
        name_pythons(python or [])
        folder = folder_of(data_dir)
        suites = [
            in_folder(suite, folder, sizes=_numbers(sizes), members=members, seconds=time_limit)
            for suite in _named(name)
        ]
        todo = _narrowed(suites, seeds, datasets, methods, quick)
        failed = _run_suites(console, todo, out, folder, jobs)
    raise typer.Exit(_FAILED if failed else 0)


def _place_networks(out: Path, device: str | None) -> None:
    """Tell networks, also those in other processes, where to run and to keep their rounds."""
    from .datasets import DEVICE_VARIABLE, ROUNDS_VARIABLE

    if device is not None:
        os.environ[DEVICE_VARIABLE] = device
    os.environ.setdefault(ROUNDS_VARIABLE, str(out / ".rounds"))


def _run_suites(console: Console, suites: Sequence[Suite], out: Path, folder: Path | None, jobs: int) -> int:
    """Run the cells of suites; returns how many failed."""
    from ..files import alone_in
    from . import runner
    from .store import Store

    with alone_in(out):
        store = Store(out)
        cells = [cell for suite in suites for cell in suite.cells()]
        todo, left_out = runner.runnable(runner.to_do(cells, store), folder)
        for left in left_out:
            console.print(
                f"[yellow]left out:[/yellow] {escape(left.reason)}", highlight=False, soft_wrap=True
            )
        stored = len({cell.key for cell in cells if cell in store})
        console.print(f"{len(todo):,} runs to do, {stored:,} are stored", highlight=False)
        if todo:
            store.begin(runner.circumstances(_command_line()))
        failed = 0
        with _progress(console, len(todo)) as show:
            for done in runner.go(todo, store, folder=folder, jobs=jobs):
                failed += done.accuracy is None
                show(done)
        if failed:
            console.print(f"{failed} runs failed; the same command tries them again.", style="red")
    return failed + sum(not left.expected for left in left_out)


@bench.command("list")
def list_() -> None:
    """Show tables, figures, methods and datasets."""
    with _answering():
        from .datasets import DATASETS
        from .runner import described
        from .suites import SUITES

        console = _console()
        suites = [
            [s.name, s.kind, s.title, str(len(s.datasets)), str(len(s.columns)), str(s.seeds)]
            for s in SUITES.values()
        ]
        datasets = [
            [d.name, str(d.rows), str(d.columns), str(d.classes), f"{d.unlabelled:.0%}", str(d.openml or "")]
            for d in DATASETS.values()
        ]
        _listed(console, "tables and figures", "name kind title datasets columns seeds", suites)
        _listed(console, "methods", "name what", described())
        _listed(console, "datasets", "name rows columns classes unlabelled OpenML", datasets)


def _listed(console: Console, title: str, header: str, rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(*header.split(), title=title, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    console.print()


@bench.command()
def table(
    name: _Name,
    seeds: _Shown = None,
    datasets: _Datasets = None,
    methods: _Methods = None,
    out: _Results = _RESULTS,
    quick: _Quick = False,
    sizes: _Sizes = None,
) -> None:
    """Show a table of what is stored."""
    with _answering():
        from .store import Store
        from .tables import as_tables

        console = _console()
        store = Store(out)
        for suite in _shown(store, _named(name), seeds, datasets, methods, quick, sizes):
            if suite.kind == "figure" and name != "all":
                raise InputError(f"{name} is a figure: surelabel bench figure {name}")
            if suite.kind == "table":
                for part in as_tables(suite, store, console.width):
                    console.print(part)


@bench.command()
def figure(
    name: _Name,
    seeds: _Shown = None,
    datasets: _Datasets = None,
    out: _Results = _RESULTS,
    quick: _Quick = False,
    image: Annotated[str, typer.Option(help="png or svg.")] = "png",
) -> None:
    """Draw a figure of what is stored, into the folder of results."""
    with _answering():
        from .figures import draw
        from .store import Store

        if image not in ("png", "svg"):
            raise InputError(f"--image must be png or svg; it is {image!r}.")
        store = Store(out)
        for suite in _shown(store, _named(name), seeds, datasets, None, quick):
            if suite.kind == "figure" or name != "all":
                path = draw(suite, store, out / f"{suite.name}.{image}")
                _console().print(escape(str(path)), highlight=False, soft_wrap=True)


@bench.command()
def page(
    name: Annotated[str, typer.Argument(help="all, which is the paper's; or suite, both halves.")] = "all",
    out: _Results = _RESULTS,
    to: Annotated[Path | None, typer.Option(help="The page. \\[default: beside the folder]")] = None,
    seeds: _Shown = None,
    quick: _Quick = False,
) -> None:
    """Write the page of all tables and figures from what is stored; nothing is computed."""
    with _answering():
        from .page import write
        from .store import Store
        from .table_suites import CHOOSING, CONFIRMING, WITH_TEXT

        pages = {"suite": [CHOOSING, CONFIRMING], "suite_text": [WITH_TEXT]}
        if name not in ("all", *pages):
            raise InputError(f"There is no page of {name!r}; there are those of all, {' and '.join(pages)}.")
        suites = pages.get(name) or _named("all")
        beside = out.with_suffix(".md") if name == "all" else out.with_name(f"{name}.md")
        store = Store(out)
        path = write(store, to or beside, _shown(store, suites, seeds, None, None, quick))
        _console().print(escape(str(path)), highlight=False, soft_wrap=True)


def _named(name: str) -> list[Suite]:
    from .suites import named

    return named(name)


def _shown(
    store: Store,
    suites: Sequence[Suite],
    seeds: int | None,
    datasets: str | None,
    methods: str | None,
    quick: bool,
    sizes: str | None = None,
) -> list[Suite]:
    """Suites for what is stored of them."""
    from .comparison import as_stored

    found = [as_stored(suite, store, _numbers(sizes)) for suite in suites]
    return _narrowed(found, seeds or _ALL, datasets, methods, quick)


def _narrowed(
    suites: Sequence[Suite], seeds: int | None, datasets: str | None, methods: str | None, quick: bool
) -> list[Suite]:
    from .suites import methods_of

    rows = [part.strip() for part in datasets.split(",")] if datasets else None
    columns = methods_of(methods) if methods else None
    return [suite.narrowed(seeds, rows, columns, quick) for suite in suites]


def _numbers(sizes: str | None) -> list[int] | None:
    """60,150 as numbers."""
    if sizes is None:
        return None
    try:
        found = [int(part) for part in sizes.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise InputError(f"--sizes must be numbers of labels, such as 60,150; it is {sizes!r}.")
    return found


def _command_line() -> str:
    """The command as typed, without the places of this machine."""
    words = iter(sys.argv[1:])
    kept = ["surelabel"]
    for word in words:
        if word in ("--data-dir", "--out", "-o", "--python"):
            next(words, None)
        elif not word.startswith(("--data-dir=", "--out=", "--python=")):
            kept.append(word)
    return shlex.join(kept)


@contextmanager
def _progress(console: Console, total: int) -> Iterator[Callable[[Done], None]]:
    """A function that shows each run as it ends, and how long the rest will take."""
    bar = console.status("starting") if console.is_terminal else None

    def show(done: Done) -> None:
        what = f"{done.cell.method} on {done.cell.dataset}, seed {done.cell.seed}"
        if "labelled" in done.cell.settings:
            what += f", {done.cell.settings['labelled']} labels"
        if done.accuracy is None:
            console.print(
                f"[red]failed:[/red] {what}: {escape(done.failure)}", highlight=False, soft_wrap=True
            )
        line = f"{done.number:,} of {total:,}, {duration(done.left)} left"
        if bar is not None:
            bar.update(f"{line}; last was {what}")
        elif done.accuracy is not None:
            line += f"; {what}: {done.accuracy:.2f} in {done.seconds:.1f} s"
            console.print(line, highlight=False, soft_wrap=True)

    if bar is None:
        yield show
    else:
        with bar:
            yield show


@contextmanager
def _answering() -> Iterator[None]:
    """Errors as sentences, with their exit code; SURELABEL_DEBUG=1 shows where they come from."""
    try:
        yield
    except KeyboardInterrupt:
        _say("Interrupted. What was finished is kept; the same command goes on.")
        raise typer.Exit(_INTERRUPTED) from None
    except (InputError, ImportError, ValueError, OSError, MemoryError) as error:
        if os.environ.get("SURELABEL_DEBUG"):
            raise
        _say(str(error) or type(error).__name__)
        raise typer.Exit(_BAD) from None


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr)


def escape(text: str) -> str:
    """Text that may hold brackets, for use among markup."""
    from rich.markup import escape

    return escape(text)


def _say(text: str) -> None:
    _console(stderr=True).print(
        f"[bold red]surelabel:[/bold red] {escape(text)}", highlight=False, soft_wrap=True
    )
