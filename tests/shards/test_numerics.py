"""What is done over pieces of a table gives what is done over the whole; without a cluster."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from surelabel.allocation import AdaptiveThreshold, Threshold, Transport, best_first
from surelabel.budget import Budget
from surelabel.committees.base import Committee
from surelabel.rounds.asking import answers
from surelabel.rounds.labels import Labels
from surelabel.rounds.records import Parts
from surelabel.rounds.training import some_of
from surelabel.shards import shard
from surelabel.shards.allocation import deal
from surelabel.shards.excerpt import ranks
from surelabel.shards.here import Here
from surelabel.shards.pieces import Pieces
from surelabel.shards.selection import cuts, keys_of, quantile, score_of
from surelabel.shards.transport import spans_of
from surelabel.transport import problem


def in_pieces(parts):
    return Pieces(parts, Here())


def split(array, n_pieces, seed):
    """An array in pieces of any sizes, some of them empty."""
    at = np.sort(np.random.default_rng(seed).integers(0, len(array) + 1, n_pieces - 1))
    return np.split(array, at)


def scores(seed, n, kind):
    rng = np.random.default_rng(seed)
    return {
        "smooth": rng.normal(size=n),
        "ties": rng.integers(-2, 3, n) / 2,
        "all alike": np.ones(n),
        "near one": 1 - rng.integers(0, 4, n) * np.finfo(float).eps,
        "wide": rng.choice([0.0, -0.0, 1e-300, np.inf, -np.inf, 1e300, 5e-324], n),
    }[kind]


kinds = st.sampled_from(["smooth", "ties", "all alike", "near one", "wide"])


@given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=20))
def test_keys_have_the_order_of_scores_and_lead_back_to_them(values):
    values = np.array(values)
    keys = keys_of(values)
    assert_array_equal(keys[:, None] < keys, values[:, None] < values)
    assert_array_equal(score_of(keys), values)


@given(st.integers(0, 10**6), st.integers(0, 200), st.integers(1, 7), kinds, st.booleans())
def test_the_best_of_each_class_are_those_of_the_whole(seed, n, n_pieces, kind, search_to_the_end):
    rng = np.random.default_rng(seed)
    codes, score, quota = rng.integers(-1, 3, n), scores(seed, n, kind), rng.integers(0, 60, 3)
    pieces = list(zip(split(codes, n_pieces, seed), split(score, n_pieces, seed), strict=True))
    with pytest.MonkeyPatch.context() as patch:
        if search_to_the_end:
            patch.setattr("surelabel.shards.selection._FEW", -1)
        kept = [cut.keep(*piece) for cut, piece in zip(cuts(in_pieces(pieces), quota), pieces, strict=True)]
    assert_array_equal(np.concatenate(kept), best_first(codes, score, quota))


@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(1, 5), st.floats(0, 1))
def test_a_quantile_is_that_of_the_whole(seed, n, n_pieces, share):
    values = scores(seed, n, "smooth")
    pieces = in_pieces([(np.zeros(len(piece), dtype=int), piece) for piece in split(values, n_pieces, seed)])
    assert quantile(pieces, n, share) == np.quantile(values, share)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8).filter(any), st.integers(1, 12))
def test_pieces_are_cut_anew_at_whole_steps(sizes, step):
    rows = np.arange(sum(sizes))
    pieces = np.split(rows, np.cumsum(sizes)[:-1])
    new = in_pieces(pieces).cut(spans_of(sizes, step)).fetched()
    assert_array_equal(np.concatenate(new), rows)
    assert all(len(piece) % step == 0 for piece in new[:-1])


@given(st.integers(0, 10**6), st.lists(st.integers(0, 30), min_size=1, max_size=8).filter(any))
def test_ranks_name_the_same_rows_in_any_parts(seed, sizes):
    n = sum(sizes)
    chosen = some_of(n, max(n // 2, 1), np.random.RandomState(seed % 2**32))
    rows = np.split(np.arange(n), np.cumsum(sizes)[:-1])
    assert_array_equal(
        np.concatenate([part[which] for part, which in zip(rows, ranks(chosen, sizes), strict=True)]), chosen
    )


def probabilities(seed, n, k, kind):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, {"sure": 0.1, "unsure": 1.0}.get(kind, 0.3)), n)
    if kind == "repeated":
        p = p[rng.integers(0, max(n // 20, 1), n)]
    if kind == "coarse":
        p = np.round(p * 4) + 0.25
        p /= p.sum(axis=1, keepdims=True)
    return p


@pytest.mark.parametrize("kind", ["sure", "unsure", "repeated", "coarse"])
@pytest.mark.parametrize(("n", "k"), [(700, 3), (9_000, 4), (6_000, 12)])
@pytest.mark.parametrize(
    "allocator",
    [
        Transport(),
        Transport("released", rows="slack"),
        Transport("paper", 0.1, "linear"),
        Transport("unscaled"),
        Threshold(0.5),
        AdaptiveThreshold(0.15),
    ],
    ids=["transport", "released", "paper", "unscaled", "threshold", "adaptive"],
)
def test_allocations_over_pieces_are_those_of_the_whole(allocator, n, k, kind, monkeypatch):
    # Small chunks, so that there are many.
    monkeypatch.setattr(problem, "_BLOCK_CELLS", 1 << 9)
    p = probabilities(0, n, k, kind)
    prior = np.append(np.full(k - 1, 1 / (k - 1)), 0.0) if kind == "unsure" else np.full(k, 1 / k)
    budget = Budget(0.3, prior, n)
    whole = allocator(p, budget)
    assert (whole.codes >= 0).any()
    for n_pieces in (1, 3, 7):
        parts = split(p, n_pieces, seed=n_pieces)
        dealt = deal(allocator, in_pieces(parts), np.array([len(part) for part in parts]), budget)
        assert dealt.certificate == whole.certificate
        offers = [shard.offered(part, dealt.rule) for part in parts]
        kept = cuts(in_pieces(offers), dealt.quota)
        codes = [
            dealt.rule(part).kept(cut.keep(*offer)).codes if len(part) else np.empty(0, dtype=int)
            for part, cut, offer in zip(parts, kept, offers, strict=True)
        ]
        assert_array_equal(np.concatenate(codes), whole.codes)


class Slotted(Committee):
    """A committee whose last digits depend on where in a block a row is, as those of BLAS may."""

    classes_ = np.arange(2)

    def predict_members(self, X):
        noise = 1e-12 * np.sin(np.arange(len(X)) * len(X))
        p = 1 / (1 + np.exp(-X[:, 0])) + noise
        return np.stack([np.column_stack([1 - p, p])] * 2)


@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(1, 6))
def test_rows_are_judged_alike_in_any_part_of_the_pool(seed, n, n_pieces):
    from surelabel import TTest

    X = np.random.default_rng(seed).normal(size=(n, 1))
    parts = Parts(None, TTest(), Transport())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("surelabel.rounds.asking._BLOCK_ROWS", 16)
        whole = answers(Slotted(), X, 2, np.arange(n), parts)
        pools = split(np.arange(n), n_pieces, seed)
        found = [answers(Slotted(), X, 2, pool, parts, pool[0], n) for pool in pools if len(pool)]
    assert_array_equal(np.concatenate([said.p for said in found]), whole.p)
    assert_array_equal(np.concatenate([said.measured for said in found]), whole.measured)


def test_no_label_is_recorded_in_the_labels_of_the_round_before():
    labels = Labels.start(np.array([0, 1, -1, -1]), 2)
    judged = shard.Judged(labels.pool, np.array([[0.9, 0.1], [0.2, 0.8]]), np.ones(2))
    rule = deal(Threshold(0.5), None, None, Budget(1.0, np.full(2, 0.5), 2)).rule
    (cut,) = cuts(in_pieces([shard.offered(judged.p, rule)]), [1, 1])
    after = shard.record(labels, judged, rule, cut, 1)
    assert_array_equal(after.codes, [0, 1, 0, 1])
    assert_array_equal(labels.codes, [0, 1, -1, -1])
    assert list(labels.status[2:]) == ["not reached"] * 2
