"""Networks: passes as a committee, rounds that survive a kill, training that is one result for one seed."""

import io
import pickle
import tarfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset  # noqa: E402

from surelabel import Everything, Negatives, Parts, Spread, Threshold, TTest, csa  # noqa: E402
from surelabel.budget import Budget, ramp  # noqa: E402
from surelabel.confidence import Moments, welch_t  # noqa: E402
from surelabel.files import InputError  # noqa: E402
from surelabel.labels import Labels  # noqa: E402
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
    WideResNet,
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
    with pytest.raises(ValueError, match="TTest compares the members .* has 1"):
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
