"""Warnings that point at the caller's line, however deep in the package they arise."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_HERE = str(Path(__file__).parent)


def notice(message, category=UserWarning):
    """Warn as if from the first line outside the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
