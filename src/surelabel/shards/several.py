"""A fit on a table in shards where rows have several labels: a fit for each label, all in step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..classifier import PseudoLabelClassifier
from ..common.notice import logger, shown, speaking_of
from ..common.types import Table as AnyTable
from ..reading.priors import check_prior, speak_of_look_alikes
from ..rounds.method import brings_models, method_of, with_readable_models
from ..rounds.records import Parts
from ..rounds.several import LabelRounds, Runs, as_read, classifiers_of
from .excerpt import Table
from .fitting import Fit, check_settings, given_counts, speak_of_left
from .pieces import Pieces
from .reading import cell_line_types, cell_lines, read_cells


@dataclass(eq=False)
class Fits:
    """A fit on shards under way of several labels a row.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Gets its fitted attributes, but for those that say something of every row.
    each : list of Fit
        The fit of each label, over the same shards.
    runs : Runs
        Their rounds.
    table : Table
        All shards.
    """

    clf: PseudoLabelClassifier
    each: list[Fit]
    runs: Runs
    table: Table

    @classmethod
    def begun(cls, clf: PseudoLabelClassifier, x: Pieces, y: Pieces, heading: AnyTable | None = None) -> Fits:
        """Read the shards of X and y, with a cell for each label, and make ready; clf is written into.

        `heading` is a table with as many columns as X, where these have no names.
        """
        check_settings(clf)
        _check_by_cell(clf, method_of(clf))
        table, labels, cells = read_cells(clf, x, y, heading)
        names = cells.classes
        speak_of_look_alikes(names.tolist())
        counts = [given_counts(own) for own in labels]
        like = as_read(clf)
        if brings_models(like):
            # Models are tried on rows of a label that has both answers.
            tried = next((k for k, known in enumerate(counts) if known.all()), 0)
            like = with_readable_models(like, *table.sample(labels[tried]))
        fits = []
        for k, one in enumerate(classifiers_of(like, names, counts)):
            with speaking_of(f"Label {names[k]!r}"):
                column = cells.column(k)
                check_prior(one.class_prior, column.classes, counts[k])
                fits.append(Fit.over(one, one, table, labels[k], column, counts[k]))
                fits[-1].run.one_label = False
        runs = Runs(names.tolist(), [fit.clf for fit in fits], [fit.run for fit in fits], method_of(like))
        clf.class_prior_, clf._cells, clf.history_ = runs.class_prior, cells.dtype, runs.history
        return cls(clf, fits, runs, table)

    def rounds(self) -> Iterator[LabelRounds]:
        """Label round by round, then train the final classifier of each label."""
        clf, runs = self.clf, self.runs
        for round in runs.rounds():
            clf.history_ = runs.history
            with shown(bool(clf.verbose)):
                logger.info("%s", round)
            yield round
        for name, fit in zip(runs.names, self.each, strict=True):
            with speaking_of(f"Label {name!r}"):
                fit.clf.history_ = fit.run.history
                fit.finish()
        clf.__dict__.update(runs.outcome())
        left = sum(run.engine.pool(run.strand) for run in runs.runs)
        speak_of_left(left, any(run.found for run in runs.runs), clf._learnt, "cell")

    @property
    def line_types(self) -> dict[str, str]:
        """Columns of `lines`, and the type of each."""
        return cell_line_types(self.clf.classes_)

    def lines(self) -> Pieces:
        """What became of each row, a frame for each shard."""
        labels = [run.strand.labels for run in self.runs.runs]
        return cell_lines(self.table, labels, self.clf.classes_)


def _check_by_cell(clf: PseudoLabelClassifier, method: Parts) -> None:
    """Refuse what looks at all labels of a row at once."""
    if clf.labels_per_row is not None:
        raise ValueError(
            f"labels_per_row={clf.labels_per_row!r} reads a cell for each label as classes, which is for a "
            "table in memory. For shards, give y as one column of classes."
        )
    if method.confidence.whole_rows:
        raise TypeError(
            f"{method.confidence!r} trusts whole rows, all their labels together, which is for a table in "
            "memory. For several labels a row in shards the confidence is TTest(), Spread() or Everything()."
        )
