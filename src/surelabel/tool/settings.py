"""What a run is asked to do: from the command line, a TOML file, or an earlier run."""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..common.errors import InputError, did_you_mean
from ..common.settings import CLEAN_WAYS, INSIDE_SHARE, MOST_JOBS, RIGHT

# What computes is imported when it is needed: --help would wait for it.
if TYPE_CHECKING:
    import pandas as pd

    from ..cells import Kind
    from ..classifier import PseudoLabelClassifier
    from ..reading.columns import Columns

METHODS = ("csa", "sla", "ups", "flexmatch", "pl", "supervised")
_COMMITTEES = ("csa", "sla", "ups", "supervised")
# Which labels are handed out: decided after all training, and again and again.
DECIDED = ("right", "confidence", "per_class", "promise")
# May differ when a run is resumed: they do not change what is trained.
_FREE = ("jobs", "report", "scheduler", "parts", *DECIDED)
# In memory; in shards, which are read from their files when they are needed; in shards on a cluster.
ENGINES = ("auto", "local", "shards", "dask")
# Only the names of files are compared: their content has a digest, and the folder may have another path.
_FILES = ("data", "unlabeled")
# More members than this differ in nothing, and their probabilities do not fit in memory.
_LIMITS = {"rounds": (0, 10_000), "members": (2, 200), "seed": (0, 2**32 - 1)}
# Worker processes for each processor of this machine, each of which takes 150 MB to start.
_MOST_WORKERS = 4
# Settings of tables that are in memory.
_IN_MEMORY = ("target_prefix", "unlabeled", "sheet", "encoding", "clean")
# Settings that name something.
_NAMING = ("data", "target", "target_prefix", "unlabeled", "sheet", "encoding", "scheduler")
_SHOWN = 10
_NUMBER = re.compile(r"[0-9]*\.?[0-9]+(?:[eE]-?[0-9]+)?")


@dataclass(frozen=True)
class Settings:
    """The settings of `surelabel label`; each has the name of its option.

    Parameters
    ----------
    data : str
        The file.
    target, target_prefix : str
        Its label column; or its label columns, with commas between, or by how their names begin.
    unlabeled : str, optional
        A file of more unlabelled rows.
    drop, categorical, text, date, number, id : tuple of str
        Columns to leave out, to read as categories, as free text, as dates or times of day, as numbers, and
        to leave out as identifiers.
    missing_label : str, optional
        Mark of an unlabelled row besides the empty cell.
    method : str, default="csa"
        One of METHODS.
    rounds : int, default=5
        At most this many rounds.
    members : int, optional
        Members of the committee.
    prior : dict of str to float, optional
        Share of each class among the unlabelled rows.
    guard : bool, default=True
        Whether to find out if the unlabelled rows helped.
    clean : {"drop", "down-weight"}, optional
        What to do with given labels that look wrong.
    right : float, default=0.95
        The share of the filled labels that is to be right.
    confidence : float, optional
        How sure that is to be; without, it holds on average.
    per_class : bool, default=False
        Whether it is to hold in each class that is filled.
    promise : bool, default=True
        Whether only labels are filled in of which that can be promised.
    seed : int, default=0
        The same seed gives the same result.
    report : bool, default=True
        Whether to write the page that shows what happened.
    jobs : int, optional
        Members to train at once.
    sheet, encoding : str, optional
        Of Excel files; of text files.
    guard_formulas : bool, default=False
        Whether to guard all text of CSV and TSV against spreadsheets, not only what is added.
    engine : {"auto", "local", "shards", "dask"}, default="auto"
        Where the work is done; "auto": in shards for a Parquet file that is large, else in memory.
    scheduler : str, optional
        Address of a Dask scheduler.
    parts : tuple of str
        More files of the same table, for the engines shards and dask.
    """

    data: str
    target: str | None = None
    target_prefix: str | None = None
    unlabeled: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    number: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    missing_label: str | None = None
    method: str = "csa"
    rounds: int = 5
    members: int | None = None
    prior: dict[str, float] | None = None
    guard: bool = True
    clean: str | None = None
    right: float = RIGHT
    confidence: float | None = None
    per_class: bool = False
    promise: bool = True
    seed: int = 0
    jobs: int | None = None
    report: bool = True
    sheet: str | None = None
    encoding: str | None = None
    guard_formulas: bool = False
    engine: str = "auto"
    scheduler: str | None = None
    parts: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: dict[str, Any]) -> Self:
        """Settings from values by name; those not named, or None, are the defaults."""
        given = {name: value for name, value in given.items() if value is not None}
        if "data" not in given:
            raise InputError("Name the file to read, such as: surelabel label birds.csv --target species")
        if "target" not in given and "target_prefix" not in given:
            raise InputError("Name the label column: --target.")
        if "target" in given and "target_prefix" in given:
            raise InputError("Name the label columns by --target or by --target-prefix, not by both.")
        for name in _NAMING:
            if name in given and not str(given[name]).strip():
                raise InputError(
                    f"{'The file to read' if name == 'data' else _option(name)} is empty. Name it."
                )
        settings = cls(**{name: _checked(name, value) for name, value in given.items()})
        if settings.method not in METHODS:
            raise InputError(f"--method must be one of {', '.join(METHODS)}; it is {settings.method!r}.")
        if settings.members is not None and settings.method not in _COMMITTEES:
            raise InputError(f"--members is for committees; {settings.method} has one model.")
        for name, (least, most) in _LIMITS.items():
            value = getattr(settings, name)
            if value is not None and not least <= value <= most:
                raise InputError(f"--{name} must be from {least} to {most:,}; it is {value}.")
        if settings.clean not in (None, *CLEAN_WAYS):
            raise InputError(f"--clean must be one of {', '.join(CLEAN_WAYS)}; it is {settings.clean!r}.")
        settings._check_promise()
        settings._check_engine()
        if settings.jobs is not None and settings.jobs != -1 and not 1 <= settings.jobs <= MOST_JOBS:
            raise InputError(
                f"--jobs must be from 1 to {MOST_JOBS:,}, or -1 for one per processor; it is {settings.jobs}."
            )
        return settings

    def _check_promise(self) -> None:
        for name in ("right", "confidence"):
            value = getattr(self, name)
            if value is not None and not INSIDE_SHARE.holds(value):
                hint = f" Did you mean {value / 100:g}?" if 1 < value < 100 else ""
                raise InputError(f"--{name} must be {INSIDE_SHARE.words}; it is {value:g}.{hint}")
        if self.confidence is not None and not self.promise:
            raise InputError("--confidence is how sure a promise is, and --no-promise makes none. Give one.")

    def _check_engine(self) -> None:
        if self.engine not in ENGINES:
            raise InputError(f"--engine must be one of {', '.join(ENGINES)}; it is {self.engine!r}.")
        if self.scheduler is not None and self.engine != "dask":
            raise InputError("--scheduler is for --engine dask.")
        if self.engine in ("auto", "local"):
            if self.parts:
                raise InputError(
                    f"One table is one file; {self.parts[0]!r} is another. --engine shards reads several."
                )
            return
        for name in _IN_MEMORY:
            if getattr(self, name) is not None:
                raise InputError(f"{_option(name)} is not for --engine {self.engine}.")
        if self.method == "ups":
            raise InputError("--method ups rules out classes, which needs all rows in one place.")
        if self.engine == "shards":
            return
        here = os.cpu_count() or 1
        if self.scheduler is None and self.jobs is not None and self.jobs > _MOST_WORKERS * here:
            raise InputError(
                f"--jobs {self.jobs} would start as many processes on this machine, which has {here} "
                f"processors; it may be {_MOST_WORKERS * here} at most."
            )

    @property
    def can_be_in_shards(self) -> bool:
        """Whether all that is asked can be done where rows are not in one place."""
        return self.method != "ups" and all(getattr(self, name) is None for name in _IN_MEMORY)

    def kinds(self, frame: pd.DataFrame, targets: tuple[str, ...], drop: tuple[str, ...]) -> dict[str, Kind]:
        """What each column of a table is; `drop`: of those to leave out, the ones that it has."""
        from ..cells import kinds_of

        return kinds_of(frame, targets, drop, self.categorical, self.id, self.text, self.date, self.number)

    def plain(self) -> dict[str, Any]:
        """Values by name, of types that JSON has."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    def command(self, out: str | Path) -> str:
        """The command line with the same settings."""
        words = ["surelabel", "label", self.data, *self.parts]
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            # Of most tables, the engine "auto" makes "local".
            if (
                value != field.default
                and field.name != "parts"
                and (field.name, value) != ("engine", "local")
            ):
                option, values = self._written(field.name)
                words += [word for value in values for word in (option, value)] or [option]
        return shlex.join([*words, "--out", str(out)])

    def options(self) -> dict[str, str]:
        """Options of the command line that have a value, and switches that were set."""
        names = [
            field.name
            for field in fields(self)[1:]
            if field.name != "parts"
            and (value := getattr(self, field.name)) not in (None, ())
            and not (isinstance(value, bool) and value == field.default)
        ]
        return {option: ", ".join(values) or "on" for option, values in map(self._written, names)}

    def _written(self, name: str) -> tuple[str, list[str]]:
        """A setting as an option of the command line, and its values; a switch has none."""
        value, option = getattr(self, name), _option(name)
        if isinstance(value, bool):
            return option if value else f"--no-{name}", []
        if isinstance(value, dict):
            return option, [",".join(f"{label}={share:g}" for label, share in value.items())]
        return option, [str(item) for item in (value if isinstance(value, tuple) else [value])]

    def differences(self, other: dict[str, Any]) -> list[str]:
        """In words, each setting that another run had different."""
        defaults = type(self)(self.data, engine="local").plain()  # an older run lacks newer options
        mine, theirs = _compared(self.plain()), _compared(defaults | other)
        return [
            f"{name} was {theirs.get(name)!r} and is {mine[name]!r}"
            for name in mine
            if name not in _FREE and mine[name] != theirs.get(name)
        ]

    def classifier(
        self, classes: Sequence[Any], several: bool = False, columns: Columns | None = None
    ) -> PseudoLabelClassifier:
        """The classifier to fit, for classes, or several labels a row, as they are in the file."""
        from ..committees.unlike import Unlike
        from ..recipes import csa, flexmatch, pl, sla, ups

        settings: dict[str, Any] = {
            "n_rounds": self.rounds,
            "columns": columns,
            "class_prior": _prior(self.prior, classes, several),
            "missing_label": None,
            "random_state": self.seed,
            "n_jobs": self.jobs,
            "guard": self.guard,
            "clean": self.clean,
        }
        if self.members is not None:
            settings["committee"] = Unlike(n_seats=self.members)
        if self.method == "supervised":
            return csa(**settings | {"n_rounds": 0})
        recipes = {"csa": csa, "sla": sla, "ups": ups, "flexmatch": flexmatch, "pl": pl}
        return recipes[self.method](**settings)


# A file of settings may also say where to write, and whether to be quiet.
_NAMES = [field.name for field in fields(Settings)] + ["out", "quiet"]
_LISTS = ("drop", "categorical", "text", "date", "number", "id", "parts")
_TYPES: dict[str, type] = dict.fromkeys(("rounds", "members", "seed", "jobs"), int) | dict.fromkeys(
    ("guard", "guard_formulas", "per_class", "promise", "quiet", "report"), bool
)
_TYPES |= dict.fromkeys(("right", "confidence"), float)


def from_toml(path: str | Path) -> dict[str, Any]:
    """Settings of a TOML file by name; dashes in names are underscores.

    Parameters
    ----------
    path : str or Path
        The file.
    """
    from ..files import check_file

    check_file(Path(path))
    try:
        with open(path, "rb") as file:
            given = tomllib.load(file)
    except OSError as error:
        raise InputError(f"Cannot read {str(path)!r}: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not a TOML file ({error}).") from error
    found = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name not in _NAMES:
            near = did_you_mean(name, _NAMES)
            raise InputError(f"{path}: no setting {key!r}" + (f"; did you mean {near!r}?" if near else "."))
        found[name] = _checked(name, value, f"{path}: ")
    return found


def prior_of(texts: Iterable[str]) -> dict[str, float] | None:
    """Shares by class from texts such as "cat=0.2,dog=0.8".

    Examples
    --------
    >>> prior_of(["cat=0.2,dog=0.8"])
    {'cat': 0.2, 'dog': 0.8}
    """
    shares: dict[str, float] = {}
    for part in [part for text in texts for part in text.split(",")]:
        name, sign, share = part.rpartition("=")
        name = name.strip()
        if not sign or not _NUMBER.fullmatch(share.strip()):
            raise InputError(f"--prior takes class=share, such as cat=0.2,dog=0.8; it got {part!r}.")
        if name in shares:
            raise InputError(f"--prior names the class {name!r} twice.")
        shares[name] = float(share)
    return shares or None


def _checked(name: str, value: Any, where: str = "") -> Any:
    """A value of the type its setting has."""
    kind = _TYPES.get(name, str)
    if name in _LISTS:
        if isinstance(value, str) or not all(isinstance(item, str) for item in _items(value)):
            raise InputError(f"{where}{name} must be a list of column names; it is {value!r}.")
        return tuple(value)
    if name == "prior":
        if not isinstance(value, dict) or not all(_is_share(share) for share in value.values()):
            raise InputError(f"{where}prior must give each class a share from 0 to 1; it is {value!r}.")
        return {str(key): float(share) for key, share in value.items()}
    if type(value) is not kind:
        word = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}[kind]
        raise InputError(f"{where}{name} must be {word}; it is {value!r}.")
    return value


def _option(name: str) -> str:
    """The option of a setting."""
    return f"--{name.replace('_', '-')}"


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [None]


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _compared(settings: dict[str, Any]) -> dict[str, Any]:
    names = {name: Path(value).name for name in _FILES if isinstance(value := settings.get(name), str)}
    return settings | names


def _prior(shares: dict[str, float] | None, classes: Sequence[Any], several: bool) -> dict[Any, float] | str:
    if shares is None:
        return "labeled"
    by_name = {str(label): label for label in classes}
    for name in shares:
        if name not in by_name:
            near = did_you_mean(name, by_name)
            hint = f"; did you mean {near!r}?" if near else "."
            raise InputError(f"--prior names the class {name!r}, which no row has{hint}")
    if several:
        return {by_name[name]: share for name, share in shares.items()}
    others = [name for name in by_name if name not in shares]
    if others:
        shown = ", ".join(map(repr, others[:_SHOWN]))
        more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        raise InputError(
            f"--prior names some of the classes and not {shown}{more}. Give each class its share; 0, if no "
            "unlabelled row has it."
        )
    total = sum(shares.values())
    if not isclose(total, 1, abs_tol=1e-3):
        raise InputError(f"--prior must sum to 1 over the classes; it sums to {total:.6g}.")
    return {by_name[name]: share for name, share in shares.items()}
