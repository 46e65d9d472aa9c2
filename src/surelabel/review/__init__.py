"""A person in the loop: rows to look at, one page to do it in, and answers that are never lost."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.settings import GOAL, SOME_SHARE, check_setting
from ..common.types import Fitted, Table

if TYPE_CHECKING:
    import pandas as pd


class Review:
    """A page that is being served; `review` makes it.

    Parameters
    ----------
    serving : Serving
        The server.
    desk : Desk
        What it asks.
    classes : dict of str to object
        The classes by their names on the page.
    folder : TemporaryDirectory, optional
        Where the answers are, if nobody named a file.
    """

    def __init__(self, serving: Any, desk: Any, classes: dict[str, Any], folder: Any = None) -> None:
        self._serving, self._desk, self._classes, self._folder = serving, desk, classes, folder
        self.url: str = serving.url

    def answers(self) -> pd.DataFrame:
        """What stands by now, a line for each row that was answered.

        The columns: row (position in X), label (missing for "I cannot tell", and where people differ),
        disputed, pile, at_random, who, at. Of several labels, a line for each cell: cell is the name of the
        label, and label 1 or 0.
        """
        from .exchange import frame_of

        self._desk.refresh_if_open()
        found = frame_of(self._desk.ledger, self._desk.subject.asked)
        found["label"] = [self._classes.get(label, label) for label in found["label"]]
        return found

    def stop(self) -> None:
        """Stop serving; `answers` still tells what was answered."""
        self._serving.stop()
        self._desk.close()
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> Review:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Review({self.url})"


def review(
    clf: Fitted,
    X: Table,
    *,
    answers: str | Path | None = None,
    image: str | None = None,
    goal: float = GOAL,
    name: str = "",
    port: int = 0,
) -> Review:
    """Serve the page on which a person looks at rows and labels them; on this machine only.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted. Where rows have several labels, cells are asked about one by one.
    X : array or frame
        All rows of the fit, those of X_unlabeled below those of X.
    answers : str or path, optional
        A file to keep the answers in, and to go on with; without, they are gone after `stop`, but for what
        `answers()` told.
    image : str, optional
        Columns of pixels to draw: `8x8`, or `8x8:pixel_` with how their names begin.
    goal : float, default=0.9
        The share of the missing labels to fill in under the promise (0.95, on average); the page says when
        it is reached.
    name : str
        Of the person, kept with each answer.
    port : int, default=0
        0 for any that is free.

    Returns
    -------
    Review
        With `url`, the address to open; `answers()`, a frame; and `stop()`.

    See Also
    --------
    surelabel.PseudoLabelClassifier.next_rows : The rows to label next, without a page.
    surelabel.PseudoLabelClassifier.learn : Takes answers into the next fit.
    surelabel.report : A page to read.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from surelabel import pl, review
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = pl(committee=GaussianNB(), guard=False).fit(X, hide_labels(y, 0.8, random_state=0))
    >>> with review(clf, X) as page:
    ...     page.url[:17], len(page.answers())
    ('http://127.0.0.1:', 0)
    """
    # A server takes a moment to import, which only those who review should wait for.
    from ..advice.stopping import Standing, outlook
    from ..reading.column_values import is_frame
    from .answers import AnswerFile
    from .desk import Desk
    from .piles import piles_of
    from .server import Serving
    from .subject import subject_of

    check_setting("goal", goal, SOME_SHARE)
    subject = subject_of(clf, X, image=image)
    folder = tempfile.TemporaryDirectory() if answers is None else None
    path = Path(answers) if folder is None else Path(folder.name) / "answers.sqlite"  # type: ignore[arg-type]
    stands = Standing(0, clf.fill().share_promised)
    ahead = outlook([stands], goal, clf.labels_needed(goal).labels)
    # X may have columns to show that nothing was learnt from.
    learnt_from = X[clf.columns_.names_] if is_frame(X) else X
    desk = Desk(
        subject, piles_of(clf, learnt_from), AnswerFile(path, {"rows": str(len(subject))}), outlook=ahead
    )
    values = (1, 0) if clf.several_labels else clf.classes_.tolist()
    classes = dict(zip(subject.classes, values, strict=True))
    try:
        serving = Serving(desk, port, name).start()
    except BaseException:
        desk.close()
        raise
    return Review(serving, desk, classes, folder)
