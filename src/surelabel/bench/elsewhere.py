"""Methods that run in another Python: older releases of surelabel, packages that do not fit beside ours."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ..files import InputError
from . import other_python
from .datasets import Split
from .judging import Said
from .preparation import framed

# Of the machine and not of a result: name=path of each, as in PATH.
PYTHONS_VARIABLE = "SURELABEL_PYTHONS"
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LOKY_MAX_CPU_COUNT"), "1"
)


def pythons() -> dict[str, str]:
    """Other Pythons by their names, as SURELABEL_PYTHONS has them."""
    return dict(map(_named, filter(None, os.environ.get(PYTHONS_VARIABLE, "").split(os.pathsep))))


def _named(text: str) -> tuple[str, str]:
    name, found, path = text.partition("=")
    if not found or not name or not path:
        raise InputError(f"Another Python is named as NAME=PATH; {text!r} is not.")
    path = os.path.abspath(os.path.expanduser(path))
    if not os.access(path, os.X_OK):
        raise InputError(f"The Python {name!r} is not at {path}.")
    return name, path


def name_pythons(texts: list[str]) -> None:
    """Make other Pythons known to this process and to those it starts."""
    for text in texts:
        _named(text)
    if texts:
        os.environ[PYTHONS_VARIABLE] = os.pathsep.join(texts)


def asked(split: Split, task: str, python: str, settings: dict[str, Any]) -> Said:
    """What another Python says of a split.

    Parameters
    ----------
    split : Split
        The rows.
    task : str
        One of `other_python.TASKS`.
    python : str
        The path of that Python.
    settings : dict
        Of the task.
    """
    question = {
        "task": task,
        "settings": settings,
        "seed": split.seed,
        "y_l": split.y_l.tolist(),
        **{part: other_python.packed(framed(getattr(split, part))) for part in ("X_l", "X_u", "X_t")},
    }
    with tempfile.TemporaryDirectory() as folder:
        asking, answering = Path(folder) / "question.json", Path(folder) / "answer.json"
        asking.write_text(json.dumps(question))
        # -P: modules beside the script must not hide packages of that Python.
        command = [python, "-P", str(other_python.__file__), str(asking), str(answering)]
        done = subprocess.run(
            command, cwd=folder, env=os.environ | _ONE_THREAD, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"the other Python failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
        answer = json.loads(answering.read_text())
    p_u, p_t = (np.array(answer[part]) for part in ("pool", "test"))
    return Said(p_u, p_t, answer["details"], {"cpu": answer["cpu"]}, answer["warnings"])
