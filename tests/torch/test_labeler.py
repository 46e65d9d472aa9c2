"""Networks: passes as a committee, rounds that survive a kill, training that is one result for one seed."""

import io
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset  # noqa: E402

from surelabel import Everything, Negatives, Parts, Spread, Threshold, TTest, csa, load  # noqa: E402
from surelabel.budget import ramp  # noqa: E402
from surelabel.confidence import welch_t  # noqa: E402
from surelabel.rounds.labels import Labels  # noqa: E402
from surelabel.torch import (  # noqa: E402
    METHODS,
    GrowingShare,
    McDropout,
    Method,
    Network,
    OnePass,
    SmallestClass,
    TorchPseudoLabeler,
    Training,
    WholePool,
    mc_dropout,
    mc_members,
    one_pass,
)
from surelabel.torch.data import Rows, training_set  # noqa: E402
from surelabel.torch.devices import chosen  # noqa: E402
from surelabel.torch.training import batch_loss, cosine, negative_loss  # noqa: E402


def small_net(dropout=0.4):
    return nn.Sequential(
        nn.Linear(2, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 3)
    )


def weights(model):
    return {name: value.clone() for name, value in model.state_dict().items()}


def same_weights(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.fixture
def split(blobs):
    """Three classes: 12 labelled points, 108 others, and the truth of these."""
    X, y, truth = blobs
    X = torch.as_tensor(X, dtype=torch.float32)
    known = y >= 0
    return TensorDataset(X[known], torch.as_tensor(y[known])), TensorDataset(X[~known]), truth[~known]


# Passes


@settings(max_examples=20)
@given(st.integers(2, 6), st.integers(1, 7), st.floats(0.5, 3))
def test_moments_are_those_of_the_passes(passes, size, temperature):
    torch.manual_seed(0)
    net, X = small_net(), torch.randn(13, 2)
    P = mc_members(net, X.split(size), passes, temperature=temperature, seed=5)
    moments = mc_dropout(net, X.split(size), passes, temperature=temperature, seed=5)
    assert P.shape == (passes, 13, 3)
    assert_allclose(P.sum(axis=2), 1)
    assert_allclose(moments.mean, P.mean(axis=0), atol=1e-12)
    assert_allclose(moments.variance, P.var(axis=0), atol=1e-12)
    assert moments.n_members == passes
    assert_allclose(welch_t(moments)[0], welch_t(P)[0], rtol=1e-6)
    assert_allclose(TTest()(moments), TTest()(P), rtol=1e-6)


def test_only_dropout_is_on_and_every_mode_is_as_it_was():
    net = small_net().train()
    net[0].eval()
    before, modes = weights(net), [part.training for part in net.modules()]
    mc_dropout(net, [torch.randn(8, 2) * 100], passes=3)
    assert same_weights(weights(net), before)  # batch normalisation has learnt nothing
    assert [part.training for part in net.modules()] == modes
    with pytest.raises(RuntimeError):
        mc_dropout(net, [torch.randn(8, 5)], passes=3)
    assert [part.training for part in net.modules()] == modes


def test_one_pass_is_the_prediction():
    net, X = small_net(), torch.randn(9, 2)
    assert_allclose(one_pass(net, X.split(4)).mean, net.eval()(X).softmax(1).detach(), atol=1e-6)
    assert (one_pass(net, [X]).variance == 0).all()
    with pytest.raises(ValueError, match=r"TTest compares the members .* has 1"):
        TTest()(one_pass(net, [X]))


@pytest.mark.parametrize("net", [nn.Linear(2, 3), small_net(dropout=0.0)])
def test_a_network_without_dropout_is_told(net):
    with pytest.raises(ValueError, match="has no dropout"):
        mc_dropout(net, [torch.randn(4, 2)])


def test_one_pass_is_no_committee():
    with pytest.raises(ValueError, match="at least 2"):
        mc_dropout(small_net(), [torch.randn(4, 2)], passes=1)


class Attention(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.head = layer, nn.Linear(8, 3)

    def forward(self, x):
        out = self.layer(x)
        return self.head((out[0] if isinstance(out, tuple) else out)[:, 0])


@pytest.mark.parametrize(
    "layer",
    [
        nn.TransformerEncoderLayer(8, 2, 16, dropout=0.3, batch_first=True),
        nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.3, batch_first=True), 1),
        nn.LSTM(8, 8, num_layers=2, dropout=0.5, batch_first=True),
    ],
    ids=["layer", "encoder", "lstm"],
)
def test_dropout_is_on_where_layers_hide_it(layer):
    net = Attention(layer)
    assert (mc_dropout(net, [torch.randn(5, 4, 8)], passes=4).variance.max(axis=1) > 0).all()
    assert not any(part.training for part in net.eval().modules())


def test_the_seed_decides_and_leaves_no_trace():
    net, X = small_net(), torch.randn(6, 2)
    state = torch.random.get_rng_state()
    first = mc_dropout(net, [X], seed=1)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert_array_equal(first.mean, mc_dropout(net, [X], seed=1).mean)
    assert (first.mean != mc_dropout(net, [X], seed=2).mean).any()


def test_batches_may_be_tuples_lists_and_loaders():
    net, X = small_net(), torch.randn(6, 2)
    loader = DataLoader(TensorDataset(X, torch.zeros(6)), batch_size=4)
    assert_array_equal(one_pass(net, loader).mean, one_pass(net, X.split(4)).mean)
    assert_array_equal(one_pass(net, [[X]]).mean, one_pass(net, [X]).mean)


# Training


def test_the_loss_is_cross_entropy_plus_that_of_classes_ruled_out():
    logits = torch.randn(4, 3)
    codes, ruled_out = torch.tensor([0, 2, -1, -1]), torch.zeros(4, 3, dtype=torch.bool)
    ruled_out[2, [0, 1]] = ruled_out[3, 2] = True
    p = logits.softmax(1)
    positive = -(p[0, 0].log() + p[1, 2].log()) / 2
    negative = -(((1 - p[2, 0]).log() + (1 - p[2, 1]).log()) / 2 + (1 - p[3, 2]).log()) / 2
    assert_allclose(batch_loss(logits, codes, ruled_out, torch.ones(4)), positive + negative, rtol=1e-5)
    none = torch.zeros(4, 3, dtype=torch.bool)
    assert_allclose(batch_loss(logits, codes, none, torch.ones(4)), positive, rtol=1e-5)
    assert_allclose(batch_loss(logits, codes, none, 3 * torch.ones(4)), 3 * positive, rtol=1e-5)
    assert torch.isfinite(negative_loss(torch.tensor([[90.0, 0, 0]]), torch.tensor([[True, False, False]])))


def test_the_learning_rate_falls_as_the_protocol_says():
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.03)
    schedule = cosine(optimizer, 10)
    rates = []
    for _ in range(10):
        rates.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    assert_allclose(rates, 0.03 * np.cos(7 * np.pi / 16 * np.arange(10) / 10))


def test_rows_ruled_out_are_trained_on_beside_as_many_labels():
    labels = Labels.start(np.array([0, 1, -1, -1, -1, -1]), 3, found="full")
    labels.soft = np.zeros((6, 3))
    labels.soft[3:, :2] = 0.5
    data = training_set(Rows(TensorDataset(torch.arange(6.0)[:, None])), labels)
    assert_array_equal(data.rows, [0, 1, 0, 3, 4, 5])
    assert_array_equal(data.codes, [0, 1, 0, -1, -1, -1])
    assert_array_equal(data.ruled_out[:3].any(axis=1), False)
    assert_array_equal(data.ruled_out[3:], [[False, False, True]] * 3)
    inputs, codes, ruled_out, weight = data[3]
    assert (inputs.item(), codes.item(), ruled_out.tolist(), weight.item()) == (
        3,
        -1,
        [False, False, True],
        1,
    )


# Rounds


def labeler(**settings):
    settings = {"training": Training(1, 32, least_steps=100), "n_rounds": 3, "device": "cpu"} | settings
    return TorchPseudoLabeler(small_net, **settings)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_labels_the_pool_anew_in_each_round(split, method):
    labelled, unlabelled, truth = split
    model = labeler(method=method)
    for round in model.fit_rounds(labelled, unlabelled):
        assert round.pool == 108
        assert round.candidates >= len(round.rows) > 0
        assert (round.rows >= 12).all()
        assert_array_equal(model.labels_.codes[:12], labelled.tensors[1])
        assert (round.selected <= 1.1 * round.budget.quota + 1).all()  # transport may go a tenth above
    assert round.number == 3
    assert (round.codes == truth[round.rows - 12]).mean() > 0.9
    assert (model.predict(unlabelled) == truth).mean() > 0.9
    assert (model.labels_.round[12:] != 1).all()  # found in the last round, or not at all


def test_no_rounds_and_no_unlabelled_rows_are_the_supervised_network(split):
    labelled, unlabelled, _ = split
    alone = labeler(n_rounds=0).fit(labelled, unlabelled)
    none = labeler().fit(labelled, TensorDataset(unlabelled.tensors[0][:0]))
    assert same_weights(weights(alone.model_), weights(none.model_))
    assert alone.history_ == none.history_ == []


def test_rounds_end_when_nothing_is_found(split):
    never = Method(Parts(OnePass(), Everything(), Threshold(1.0)))
    assert len(labeler(method=never).fit(*split[:2]).history_) == 1


def test_one_seed_one_network_whatever_was_drawn_before(split):
    first = weights(labeler().fit(*split[:2]).model_)
    torch.manual_seed(99)
    assert same_weights(weights(labeler().fit(*split[:2]).model_), first)
    assert not same_weights(weights(labeler(random_state=1).fit(*split[:2]).model_), first)


@pytest.mark.parametrize("method", ["csa", "ups"])
def test_a_run_that_was_cut_off_ends_with_the_same_weights(split, tmp_path, method):
    whole = labeler(method=method).fit(*split[:2])
    for _ in range(2):  # cut off twice
        cut = labeler(method=method)
        for round in cut.fit_rounds(*split[:2], tmp_path):
            if not (tmp_path / f"round-{round.number + 1:03d}.pt").exists():
                break
    resumed = labeler(method=method)
    numbers = [round.number for round in resumed.fit_rounds(*split[:2], tmp_path)]
    assert numbers == [1, 2, 3]
    assert same_weights(weights(resumed.model_), weights(whole.model_))
    assert_array_equal(resumed.labels_.codes, whole.labels_.codes)
    again = labeler(method=method).fit(*split[:2], tmp_path)  # all is read, nothing is trained
    assert same_weights(weights(again.model_), weights(whole.model_))
    assert_array_equal(again.predict_proba(split[1]), whole.predict_proba(split[1]))


KILLED = """
import sys, torch
sys.path.insert(0, {tests!r})
import test_labeler
data = [torch.utils.data.TensorDataset(*torch.load({data!r} + name)) for name in ("labelled", "unlabelled")]
test_labeler.labeler(training=test_labeler.Training(60, 32)).fit(*data, {folder!r})
"""


def test_a_killed_run_goes_on_to_the_same_weights(split, tmp_path):
    for name, dataset in zip(("labelled", "unlabelled"), split[:2], strict=True):
        torch.save(list(dataset.tensors), tmp_path / name)
    folder = tmp_path / "rounds"
    words = {"tests": str(Path(__file__).parent), "data": f"{tmp_path}/", "folder": str(folder)}
    process = subprocess.Popen([sys.executable, "-c", KILLED.format(**words)])
    deadline = time.monotonic() + 120
    while not (folder / "round-001.pt").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    training = Training(60, 32)
    resumed = labeler(training=training).fit(*split[:2], folder)
    assert same_weights(weights(resumed.model_), weights(labeler(training=training).fit(*split[:2]).model_))


def test_another_run_is_refused_and_so_is_a_damaged_file(split, tmp_path):
    next(labeler().fit_rounds(*split[:2], tmp_path))
    for name, other in [
        ("random_state was 0 and is 1", {"random_state": 1}),
        ("method", {"method": "sla"}),
        ("epochs", {"training": Training(2, 32)}),
    ]:
        with pytest.raises(ValueError, match=f"is of another run: {name}"):
            labeler(**other).fit(*split[:2], tmp_path)
    other = TensorDataset(split[0].tensors[0], split[0].tensors[1].flip(0))
    with pytest.raises(ValueError, match="labels was"):
        labeler().fit(other, split[1], tmp_path)
    path = tmp_path / "round-001.pt"
    data = bytearray(path.read_bytes())
    data[-200] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match="is damaged"):
        labeler().fit(*split[:2], tmp_path)


def test_kept_rounds_run_nothing_when_they_are_read(split, tmp_path):
    from surelabel.torch.kept import _MAGIC, _digest

    next(labeler().fit_rounds(*split[:2], tmp_path))
    file = io.BytesIO()
    torch.save({"about": Harm(tmp_path / "harmed")}, file)
    payload = file.getvalue()
    (tmp_path / "round-001.pt").write_bytes(_MAGIC + _digest(payload) + b"\n" + payload)
    with pytest.raises(pickle.UnpicklingError):
        labeler().fit(*split[:2], tmp_path)
    assert not (tmp_path / "harmed").exists()


class Harm:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_a_loop_of_ones_own_trains_a_fresh_network_each_round(split):
    made, seen = [], []

    def model_fn():
        made.append(small_net())
        return made[-1]

    def fit_fn(model, data, seed):
        assert model is made[-1]
        seen.append((len(data), seed))

    net = TorchPseudoLabeler(model_fn, fit_fn=fit_fn, method="sla", n_rounds=2, device="cpu")
    net.fit(*split[:2])
    assert len(made) == 3
    assert [n for n, _ in seen] == [12, 12 + len(net.history_[0].rows), 12 + len(net.history_[1].rows)]
    assert len({seed for _, seed in seen}) == 3


class Pairs(Dataset):
    """Inputs of two parts in a dict, one row at a time."""

    def __init__(self, X, y=None):
        self.X, self.y = X, y

    def __len__(self):
        return len(self.X)

    def __getitem__(self, i):
        inputs = {"first": self.X[i, 0], "second": self.X[i, 1]}
        return inputs if self.y is None else (inputs, int(self.y[i]))


class Paired(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = small_net()

    def forward(self, inputs):
        return self.net(torch.stack([inputs["first"], inputs["second"]], dim=1))


def test_datasets_of_any_kind_give_the_same(split):
    labelled, unlabelled, _ = split
    plain = labeler(n_rounds=1).fit(labelled, unlabelled)
    pairs = Pairs(*labelled.tensors), Pairs(*unlabelled.tensors)
    loaders = [DataLoader(dataset, batch_size=3) for dataset in pairs]
    for data in (pairs, loaders):
        other = TorchPseudoLabeler(Paired, training=labeler().training, n_rounds=1, device="cpu").fit(*data)
        assert_array_equal(other.labels_.codes, plain.labels_.codes)
        assert_allclose(other.predict_proba(pairs[1]), plain.predict_proba(unlabelled), atol=1e-6)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(())


def test_what_cannot_be_used_is_said(split):
    labelled, unlabelled, _ = split
    X = labelled.tensors[0]
    with pytest.raises(TypeError, match="Stream has none"):
        labeler().fit(labelled, Stream())
    with pytest.raises(ValueError, match=r"whole numbers from 0.*the least -1"):
        labeler().fit(TensorDataset(X, torch.full((12,), -1)), unlabelled)
    with pytest.raises(ValueError, match="n_classes is 2 and a label is 2"):
        labeler(n_classes=2).fit(labelled, unlabelled)
    with pytest.raises(ValueError, match="class_prior must be 3 numbers"):
        labeler(class_prior=[1.0]).fit(labelled, unlabelled)
    with pytest.raises(ValueError, match=r"method must be one of pl, .* it is 'cas'"):
        labeler(method="cas").fit(labelled, unlabelled)
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="no 'cuda' device"):
            chosen("cuda")


def test_a_network_that_diverged_is_told(split):
    def diverge(model, data, seed):
        nn.init.constant_(model[0].weight, float("nan"))

    with pytest.raises(ValueError, match="round 1 gives probabilities that are not numbers"):
        labeler(fit_fn=diverge).fit(*split[:2])


def test_functions_of_ones_own_do_not_keep_a_run_from_going_on(split, tmp_path):
    def method():
        return Method(Parts(OnePass(), Everything(), lambda p, budget: Threshold(0.5)(p, budget)))

    next(labeler(method=method()).fit_rounds(*split[:2], tmp_path))
    assert len(labeler(method=method()).fit(*split[:2], tmp_path).history_) == 3


def test_a_batch_larger_than_the_rows_is_one_step_an_epoch(split):
    steps = []

    def optimizer_fn(parameters):
        optimizer = torch.optim.SGD(parameters, lr=0.1)
        optimizer.register_step_post_hook(lambda *_: steps.append(1))
        return optimizer

    labeler(optimizer_fn=optimizer_fn, n_rounds=0, training=Training(7, 500)).fit(*split[:2])
    assert len(steps) == 7
    labeler(optimizer_fn=optimizer_fn, n_rounds=0, training=Training(1, 5, least_steps=9)).fit(*split[:2])
    assert len(steps) == 7 + 9
    labeler(optimizer_fn=optimizer_fn, n_rounds=0, training=Training(2, 5, first_batch_size=3)).fit(
        *split[:2]
    )
    assert len(steps) == 7 + 9 + 2 * (12 // 3)


def test_images_are_augmented_in_training_only(split):
    seen = []

    def augment(inputs, dice):
        seen.append(len(inputs))
        return inputs + torch.randn(inputs.shape, generator=dice)

    training = Training(3, 12, augment=augment)
    plain = labeler(n_rounds=0, training=training).fit(*split[:2])
    assert seen == [12] * 3
    plain.predict(split[1])
    assert seen == [12] * 3


# Budgets


def test_shares_grow_as_those_of_a_run_that_keeps_its_labels():
    prior = np.array([0.2, 0.8])
    shares = [GrowingShare()(t, 5, prior, 90, None, None).share for t in range(1, 6)]
    assert_allclose(shares, np.cumsum(ramp(5)))
    assert shares[-1] == 1


def test_labels_found_anew_may_be_those_of_all_rows_from_the_first_round_on(split):
    held_back = replace(METHODS["csa"], budget=GrowingShare())
    assert METHODS["csa"].budget == WholePool()
    first = [next(labeler(method=method, n_rounds=2).fit_rounds(*split[:2])) for method in ("csa", held_back)]
    assert [round.budget.share for round in first] == [1, pytest.approx(2 / 3)]
    assert first[0].candidates == first[1].candidates
    assert first[0].labelled > first[1].labelled


@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.integers(0, 30))
def test_every_class_gets_as_many_rows_as_the_smallest(seed, n, least):
    p = np.random.default_rng(seed).dirichlet([0.2, 0.3, 0.5], n)
    allocator, prior = Threshold(0.7), np.array([0.2, 0.3, 0.5])
    budget = SmallestClass(2, least)
    without = np.bincount(p.argmax(axis=1)[p.max(axis=1) > 0.7], minlength=3)
    balanced = allocator(p, budget(2, 5, prior, n, p, allocator)).codes
    found = np.bincount(balanced[balanced >= 0], minlength=3)
    assert_array_equal(found, np.minimum(without, max(without.min(), least)))
    later = allocator(p, budget(3, 5, prior, n, p, allocator)).codes
    assert_array_equal(np.bincount(later[later >= 0], minlength=3), without)


def test_ups_rules_classes_out_at_its_temperature(split):
    ups = METHODS["ups"]
    assert ups.parts.negatives == Negatives(0.05, 0.005)
    assert ups.parts.confidence == Spread(0.05)
    asked, told = [], []

    def committee(module, loader, *, temperature=1.0, seed=None):
        asked.append((temperature, seed))
        return McDropout(4)(module, loader, temperature=temperature, seed=seed)

    def negatives(p, spread, budget):
        told.append((p.max(axis=1).mean(), budget.quota))
        return np.tile([0.5, 0.5, 0], (len(p), 1))

    parts = Parts(committee, Spread(1.0), Threshold(1.0), negatives)
    model = labeler(method=Method(parts, SmallestClass(), temperature=3.0))
    round = next(model.fit_rounds(*split[:2]))
    assert [temperature for temperature, _ in asked] == [1.0, 3.0]
    assert asked[0][1] == asked[1][1]  # the same passes
    assert told[0][0] < model.labels_.probability[12:].mean()  # less sure of themselves
    assert_array_equal(told[0][1], [108] * 3)
    assert (round.negatives, len(round.rows)) == (108, 0)


# The scikit-learn face


def quick(**settings):
    return Network(passes=5, training=Training(5, 32, least_steps=60), **settings)


def test_a_network_is_just_another_committee(blobs, monkeypatch):
    X, y, truth = blobs

    def never(self, X):
        raise AssertionError("The loop needs no P.")

    monkeypatch.setattr(Network, "predict_members", never)
    one, other = (csa(committee=quick(), guard=False, random_state=0).fit(X, y) for _ in range(2))
    assert one.history_
    assert (one.predict(X) == truth).mean() > 0.9
    assert_array_equal(one.transduction_, other.transduction_)


def test_a_network_reads_categories_and_gaps_and_is_saved(blobs, tmp_path):
    X, y, truth = blobs
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "kind": np.array(["a", "b", "c"])[truth]})
    frame.loc[::7, "x"] = np.nan
    clf = csa(committee=quick(), guard=False, random_state=0, n_rounds=1).fit(frame, y)
    assert (clf.predict(frame) == truth).all()
    clf.save(tmp_path / "model")
    assert_array_equal(load(tmp_path / "model").predict_proba(frame), clf.predict_proba(frame))


def test_moments_of_a_network_are_those_of_its_members(blobs):
    X, _, truth = blobs
    net = quick(random_state=3).fit(X, truth)
    P, moments = net.predict_members(X), net.predict_moments(X)
    assert_allclose(moments.mean, P.mean(axis=0), atol=1e-12)
    assert_allclose(moments.variance, P.var(axis=0), atol=1e-12)
    assert_array_equal(P, clone(net).fit(X, truth).predict_members(X))
    assert (quick(random_state=4).fit(X, truth).predict_members(X) != P).any()


def test_weights_of_rows_count(blobs):
    X, _, truth = blobs
    weight = np.arange(120) % 2
    p = quick(random_state=0).fit(X, truth, weight).predict_proba(X)
    assert_array_equal(p, quick(random_state=0).fit(X, truth, 3 * weight).predict_proba(X))
    heavy = np.where(truth == 2, 50.0, 1.0)
    tilted = quick(random_state=0).fit(X, truth, heavy).predict_proba(X)
    assert tilted[:, 2].mean() > quick(random_state=0).fit(X, truth).predict_proba(X)[:, 2].mean()
