"""Laws of the bounds first, then references, then the truth they speak of."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.stats import beta, binom

from surelabel import Repeated, csa, trees
from surelabel.bounds import (
    MeanSetting,
    binomial_bound,
    committee_votes,
    error_for,
    estimated_setting,
    first_order_bound,
    ipm_bound,
    kl_inverse,
    masegosa_bound,
    mean_bound,
    mean_probability,
    printed_ipm_bound,
    printed_probability,
    repaired_probability,
    rows_needed,
    selection_shift,
    sharp_probability,
    simulated_errors,
    tandem_bound,
    tandem_loss,
    total_variation,
    vote_bounds,
)
from surelabel.bounds.means import with_shift
from surelabel.bounds.votes import majority_vote

HOLDING = [repaired_probability, sharp_probability, mean_probability]
PAC_BAYES = [ipm_bound, first_order_bound, masegosa_bound, tandem_bound]


@st.composite
def mean_settings(draw):
    K, d = draw(st.integers(2, 5)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return MeanSetting(
        counts=rng.integers(1, draw(st.sampled_from([2, 50, 3000])), K),
        variances=rng.uniform(0, 4, d) * draw(st.sampled_from([0.0, 0.01, 1.0])),
        correct=rng.uniform(draw(st.sampled_from([0.0, 0.9, 1.0])), 1, K),
        means=rng.normal(size=(K, d)) * draw(st.sampled_from([0.0, 1.0, 100.0])),
        norm=draw(st.sampled_from([1, 2, np.inf])),
        correlation=draw(st.sampled_from([0.0, 0.3, 1.0])),
    )


class TestMeans:
    @given(mean_settings(), st.sampled_from([printed_probability, *HOLDING]))
    def test_a_probability_that_grows_with_delta_and_with_rows(self, setting, statement):
        deltas = np.geomspace(1e-3, 1e4, 60)
        probability = statement(setting, deltas)
        assert ((probability >= 0) & (probability <= 1)).all()
        assert (np.diff(probability) >= 0).all()
        more = statement(setting.resized(3 * setting.counts.sum()), deltas)
        assert (more >= probability - 1e-12).all()

    @given(mean_settings())
    def test_nothing_is_promised_below_the_bias(self, setting):
        assert mean_probability(setting, setting.bias * (1 - 1e-9)) == 0
        assert mean_bound(setting, setting.bias * (1 - 1e-9)).vacuous

    @settings(max_examples=30)
    @given(mean_settings(), st.sampled_from([0.05, 0.5, 0.95, 0.999]))
    def test_error_for_inverts(self, setting, probability):
        delta = error_for(setting, probability)
        assert mean_probability(setting, delta) >= probability
        less = setting.bias + (delta - setting.bias) * (1 - 1e-6)
        if delta - setting.bias > 1e-4 * delta + 1e-8:
            assert mean_probability(setting, less) < probability

    @settings(max_examples=30)
    @given(mean_settings(), st.sampled_from([0.5, 0.95]))
    def test_rows_needed_inverts(self, setting, probability):
        delta = 1.05 * error_for(setting, probability) + 1e-6
        n = rows_needed(setting, delta, probability)
        assert mean_probability(setting.resized(n), delta) >= probability
        if n > 1:
            assert mean_probability(setting.resized(n - 1), delta) < probability

    def test_rows_needed_says_when_no_number_is_enough(self):
        setting = MeanSetting([10, 10], [1.0], 0.9, [[0.0], [1.0]], correlation=1.0)
        least = error_for(setting.resized(10**15), 0.95)
        assert rows_needed(setting, 1.01 * least) > 10
        with pytest.raises(ValueError, match="may remain"):
            rows_needed(setting, 0.99 * least)

    @settings(max_examples=30)
    @given(mean_settings(), st.floats(0.1, 10))
    def test_the_unit_of_measurement_does_not_matter(self, setting, unit):
        other = MeanSetting(
            setting.counts,
            unit**2 * setting.variances,
            setting.correct,
            unit * setting.means,
            setting.norm,
            setting.correlation,
        )
        assert_allclose(error_for(other, 0.9), unit * error_for(setting, 0.9), rtol=1e-6, atol=1e-8)

    def test_independent_rows_promise_more_than_rows_that_hang_together(self):
        alone, some, all_ = (
            MeanSetting([50, 90], [1.0, 2.0], 0.9, [[0, 0], [3, 1]], correlation=rho) for rho in (0, 0.5, 1)
        )
        assert error_for(alone) < error_for(some) < error_for(all_)

    def test_the_norms_are_ordered(self):
        errors = [
            error_for(MeanSetting([50, 90], [1.0, 2.0, 3.0], 0.9, np.eye(2, 3), norm=p))
            for p in (1, 2, np.inf)
        ]
        assert errors[0] > errors[1] > errors[2]

    @pytest.mark.parametrize("wrong", ["farthest", "any"])
    @pytest.mark.parametrize("norm", [1, 2, np.inf])
    @pytest.mark.parametrize("correlation", [0.0, 0.5, 1.0])
    def test_what_holds_is_never_violated_in_simulations(self, norm, correlation, wrong):
        n_draws = 1000
        for K, d, n, noise, correct in itertools.product(
            (2, 5), (1, 8), (5, 200), (0.3, 3.0), (0.2, 0.8, 0.98, 1.0)
        ):
            rng = np.random.default_rng(K * d)
            setting = MeanSetting(
                rng.integers(n, 2 * n, K),
                noise**2 * rng.uniform(0.5, 2, d),
                correct,
                rng.normal(size=(K, d)) * 3,
                norm,
                correlation,
            )
            errors = np.sort(simulated_errors(setting, n_draws, wrong=wrong))
            deltas = np.concatenate([errors[::50], errors[::50] * 1.5])
            count = (errors[:, None] <= deltas).sum(axis=0)
            most = np.where(count == n_draws, 1, beta.isf(1e-8, count + 1, np.maximum(n_draws - count, 1)))
            for statement in HOLDING:
                assert (statement(setting, deltas) <= most).all()

    def test_the_printed_statement_is_violated(self):
        """Wrong labels move the means by half their distance, however many rows there are."""
        setting = MeanSetting([1000, 1000], [1.0], 0.5, [[0.0], [100.0]])
        assert printed_probability(setting, 60.0) > 0.9
        assert (simulated_errors(setting, 1000) > 60).all()
        assert mean_probability(setting, 60.0) == 0

    def test_the_printed_statement_by_hand(self):
        setting = MeanSetting([100, 200], [1.0, 4.0], [0.9, 0.8], [[0, 0], [3, 4]])
        noise = sum(2 * np.exp(-4 * n / (8 * v)) for n in (100, 200) for v in (1, 4))
        assert_allclose(printed_probability(setting, 2.0), max(0, 1 - noise - 5 * (0.09 + 0.16)))

    def test_a_simulated_mean_of_right_rows_has_the_variance_of_its_mean(self):
        setting = MeanSetting([4, 4], [9.0], 1.0, [[0.0], [1.0]], norm=2)
        assert_allclose(simulated_errors(setting, 40_000).mean(), 2 * 1.5 * np.sqrt(2 / np.pi), rtol=0.02)

    def test_selection_moves_a_mean_no_further_than_the_shift(self, rng):
        x = np.sort(rng.normal(size=100_000))
        for part in (0.05, 0.3, 0.8):
            farthest = x[-int(part * len(x)) :].mean()
            assert_allclose(selection_shift([1.0], [part], [1.0]), farthest, atol=0.02)
        assert selection_shift([1.0], [0.3], [0.3]) == 0

    def test_rows_chosen_by_their_looks_need_the_shift(self):
        """Labelled by the nearest mean, in one column: the setting's independence fails."""
        rng = np.random.default_rng(0)
        truth = rng.integers(2, size=(400, 2000))
        x = 0.2 * truth + rng.normal(size=truth.shape)
        label = x > 0.1
        low = np.nanmean(np.where(label, np.nan, x), axis=1)
        high = np.nanmean(np.where(label, x, np.nan), axis=1)
        errors = np.abs(low) + np.abs(high - 0.2)
        correct = np.mean(label == truth)
        setting = MeanSetting([900, 900], [1.0], correct, [[0.0], [0.2]])
        assert mean_probability(setting, errors.min()) > 0.9
        shifted = with_shift(setting, [0.5, 0.5], [0.5, 0.5])
        assert mean_probability(shifted, errors.min()) == 0
        assert error_for(shifted) > errors.max()

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"counts": [0, 5]}, "at least one found row"),
            ({"variances": [-1.0]}, "not below 0"),
            ({"correct": 1.2}, "within 0 and 1"),
            ({"correlation": 2.0}, "within 0 and 1"),
            ({"norm": 3}, "1, 2 or inf"),
            ({"means": [[0.0]], "counts": [5]}, "at least 2 classes"),
        ],
    )
    def test_errors_name_the_value(self, change, message):
        plain = {"counts": [5, 5], "variances": [1.0], "correct": 0.9, "means": [[0.0], [1.0]]}
        with pytest.raises(ValueError, match=message):
            MeanSetting(**plain | change)

    @pytest.mark.parametrize("probability", [0.0, 1.0])
    def test_certainty_is_refused(self, probability):
        setting = MeanSetting([5, 5], [1.0], 0.9, [[0.0], [1.0]])
        with pytest.raises(ValueError, match="between 0 and 1"):
            error_for(setting, probability)
        with pytest.raises(ValueError, match="between 0 and 1"):
            rows_needed(setting, 5.0, probability)


class TestVotes:
    @given(st.floats(0, 1), st.floats(1e-6, 5))
    def test_kl_inverse_matches_a_root_finder(self, loss, budget):
        def kl(p):
            q = np.clip(loss, 1e-300, 1)
            head = loss * np.log(q / p) if loss > 0 else 0.0
            return head + ((1 - loss) * np.log((1 - loss) / (1 - p)) if loss < 1 else 0.0)

        top = 1 - 1e-15
        if loss >= top or kl(top) <= budget:
            assert kl_inverse(loss, budget) >= top - 1e-12
        else:
            root = brentq(lambda p: kl(p) - budget, max(loss, 1e-300), top, xtol=1e-14)
            assert_allclose(kl_inverse(loss, budget), root, atol=1e-9)

    @given(st.integers(1, 200), st.floats(0, 1), st.floats(0.01, 0.99))
    def test_binomial_matches_the_binomial(self, n, share, confidence):
        k = round(share * n)
        bound = binomial_bound(k, n, confidence).bound
        assert k / n <= bound + 1e-12 or confidence < 0.5
        if k < n:
            assert_allclose(binom.cdf(k, n, bound), 1 - confidence, rtol=1e-6)
        assert binomial_bound(k, n, confidence, n_choices=5).bound >= bound

    @pytest.mark.parametrize("bound", PAC_BAYES)
    def test_pac_bayes_bounds_behave(self, bound, rng):
        wrong = rng.random((6, 400)) < 0.1
        base = bound(wrong).bound
        assert 0 < base <= 1
        assert bound(np.tile(wrong, 4)).bound < base  # more rows
        assert bound(wrong, confidence=0.99).bound > base  # surer
        assert_allclose(bound(wrong[rng.permutation(6)]).bound, base)
        tilted = np.arange(1.0, 7.0)
        assert bound(wrong, tilted).bound >= bound(wrong, tilted, prior=tilted).bound

    def test_tandem_is_never_looser_than_masegosa_states(self, rng):
        for error, n in itertools.product((0.0, 0.02, 0.2, 0.5), (10, 100, 2000)):
            wrong = rng.random((5, n)) < error
            weights = rng.random(5)
            assert tandem_bound(wrong, weights).bound <= masegosa_bound(wrong, weights).bound + 1e-12

    def test_ipm_and_printed_agree_where_weights_are_those_of_the_prior_but_for_the_loss(self, rng):
        wrong = rng.random((5, 4000)) < 0.05
        gap = 4 * np.sqrt(np.log(4000 / 0.05) / (2 * 3999))
        assert_allclose(ipm_bound(wrong).bound, 4 * tandem_loss(wrong) + gap)
        assert_allclose(printed_ipm_bound(wrong).bound, 4 * wrong.mean() + gap)

    def test_the_printed_distance_lets_one_learn_by_heart(self):
        """Of all labellings the one that has 1,000 coins by heart errs on half of all new rows."""
        wrong = np.array([[False] * 1000, [True, False] * 500])
        weights, prior = [1, 0], [2.0**-1000, 1]
        assert printed_ipm_bound(wrong, weights, prior).bound < 0.5
        assert all(bound(wrong, weights, prior).vacuous for bound in PAC_BAYES)

    @given(st.lists(st.floats(0.01, 1), min_size=4, max_size=4), st.integers(0, 1000))
    def test_losses_by_hand(self, weights, seed):
        wrong = np.random.default_rng(seed).random((4, 30)) < 0.4
        w = np.array(weights) / np.sum(weights)
        pairs = (wrong[:, None] & wrong).mean(axis=2)
        assert_allclose(tandem_loss(wrong, weights), w @ pairs @ w)
        product = total_variation(np.outer(w, w), np.full((4, 4), 1 / 16))
        one = total_variation(w, np.full(4, 0.25))
        assert one - 1e-12 <= product <= 1 - (1 - one) ** 2 + 1e-12

    @given(st.integers(0, 1000))
    def test_the_vote_errs_no_more_than_four_times_the_tandem_loss(self, seed):
        rng = np.random.default_rng(seed)
        votes, y, weights = rng.integers(3, size=(5, 40)), rng.integers(3, size=40), rng.random(5)
        error = (majority_vote(votes, weights) != y).mean()
        assert error <= 4 * tandem_loss(votes != y, weights) + 1e-12
        assert error <= 2 * ((votes != y).mean(axis=1) @ weights) / weights.sum() + 1e-12

    def test_bounds_hold_as_often_as_they_say(self):
        """Weights are chosen on the very rows, and members are as bad as a coin for some."""
        rng = np.random.default_rng(0)
        rates = np.array([0.02, 0.1, 0.2, 0.3, 0.45])
        failed = dict.fromkeys(["tandem", "first order", "IPM", "tandem, Masegosa et al."], 0)
        y = np.zeros(200, dtype=int)
        patterns = np.array(list(itertools.product((0, 1), repeat=5))).T
        chance = np.where(patterns, rates[:, None], 1 - rates[:, None]).prod(axis=0)
        for _ in range(200):
            votes = (rng.random((5, 200)) < rates[:, None]).astype(int)
            weights = np.exp(-0.3 * votes.sum(axis=1))
            truth = chance @ majority_vote(patterns, weights)
            found = vote_bounds(votes, y, weights, confidence=0.9)
            for name in failed:
                failed[name] += found[name].bound < truth
        assert max(failed.values()) <= 20

    def test_the_binomial_bound_holds_as_often_as_it_says(self):
        k = np.arange(51)
        bound = np.array([binomial_bound(i, 50, 0.9).bound for i in k])
        for p in np.linspace(0.01, 0.99, 33):
            assert binom.pmf(k, 50, p)[bound < p].sum() <= 0.1 + 1e-9

    def test_a_vacuous_bound_says_so(self):
        y = np.array([0] * 9 + [1])
        bounds = vote_bounds(np.zeros((3, 10), dtype=int), y)
        assert all(bound.vacuous for bound in bounds.values())
        assert "vacuous" in str(bounds["tandem"])
        assert not binomial_bound(0, 100).vacuous

    def test_a_vote_by_weight(self):
        votes = [["a", "b"], ["b", "b"], ["c", "a"]]
        assert majority_vote(votes, [1, 1, 3]).tolist() == ["c", "a"]
        assert majority_vote(votes).tolist() == ["a", "b"]

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: tandem_bound(np.zeros((2, 1), bool)), "at least 2 held-out rows"),
            (lambda: tandem_bound(np.zeros((2, 9), bool), [1, 2, 3]), "weights must be 2 numbers"),
            (lambda: tandem_bound(np.zeros((2, 9), bool), prior=[-1, 2]), "prior must be 2 numbers"),
            (lambda: tandem_bound(np.zeros((2, 9), bool), confidence=1), "confidence must be"),
            (lambda: binomial_bound(5, 4), "n_wrong must be"),
            (lambda: binomial_bound(1, 4, n_choices=0), "n_choices must be"),
            (lambda: vote_bounds(np.zeros((2, 9)), np.zeros(8)), "votes must be of shape"),
        ],
    )
    def test_errors_name_the_value(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()


class TestFitted:
    @pytest.fixture
    def fitted(self, blobs, committee):
        X, y, truth = blobs
        return csa(committee=committee, guard=False, random_state=0).fit(X, y), X, y, truth

    def test_setting_of_a_classifier(self, fitted):
        clf, X, _, truth = fitted
        setting = estimated_setting(clf, X, truth)
        found = clf.labeled_iter_ > 0
        assert setting.counts.sum() == found.sum()
        assert_allclose(setting.correct, 1)  # the blobs lie far apart
        assert_allclose(setting.variances.sum(), 2)  # columns in their standard deviations, turned
        assert_allclose(estimated_setting(clf, X, truth, norm=np.inf).variances, 1)
        believed = estimated_setting(clf, X)
        assert (believed.correct <= 1).all()
        assert believed.bias >= setting.bias
        assert 0 < mean_probability(setting, error_for(setting, 0.9)) < 1

    def test_unit_of_the_columns_does_not_matter(self, fitted):
        clf, X, _, _ = fitted
        assert_allclose(
            error_for(estimated_setting(clf, X * [1, 1000])), error_for(estimated_setting(clf, X)), rtol=1e-6
        )

    def test_votes_of_a_classifier(self, fitted):
        clf, X, _, truth = fitted
        votes = committee_votes(clf, X)
        assert votes.shape == (3, len(X))
        assert (majority_vote(votes) == truth).mean() > 0.95

    def test_text_labels_and_rows_apart(self, blobs, committee):
        X, y, _ = blobs
        names = np.array(["a", "b", "c"])
        clf = csa(committee=committee, guard=False, random_state=0)
        clf.fit(X[y >= 0], names[y[y >= 0]], X_unlabeled=X[y < 0])
        order = np.concatenate([X[y >= 0], X[y < 0]])
        assert estimated_setting(clf, order).means.shape == (3, 2)
        assert set(committee_votes(clf, X).ravel()) == {"a", "b", "c"}

    def test_errors_say_the_way_out(self, fitted, committee):
        clf, X, y, _ = fitted
        with pytest.raises(ValueError, match="rows of the fit"):
            estimated_setting(clf, X[:5])
        with pytest.raises(TypeError, match="numbers only"):
            estimated_setting(clf, [["a", "b"]] * len(X))
        with pytest.raises(ValueError, match="missing or infinite"):
            estimated_setting(clf, np.full_like(X, np.nan))
        single = csa(committee=Repeated(trees(5), 3), estimator=trees(5), guard=False).fit(X, y)
        with pytest.raises(TypeError, match="binomial_bound"):
            committee_votes(single, X)
