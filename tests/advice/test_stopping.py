from surelabel.advice.stopping import Standing, at_random, outlook


def test_the_goal_ends_it():
    end = outlook([Standing(0, 0.5), Standing(40, 0.9, 0.2)], goal=0.9)
    assert (end.stop, end.reached, end.idle, end.answers_left) == (True, True, False, 0)
    assert "the goal is reached" in str(end)


def test_answers_that_change_nothing_end_it_but_not_too_soon():
    still = [Standing(20 * k, 0.6, 0.001) for k in range(4)]
    assert outlook(still).idle
    assert "changed nothing" in str(outlook(still))
    assert not outlook(still[:3]).idle
    assert not outlook([*still[:3], Standing(60, 0.62, 0.001)]).idle
    assert not outlook([*still[:3], Standing(60, 0.6, 0.02)]).idle
    few = [Standing(5 * k, 0.6, 0.001) for k in range(4)]
    assert not outlook(few).idle


def test_answers_left_are_by_speed_unless_random_rows_tell():
    so_far = [Standing(0, 0.3), Standing(60, 0.6, 0.1)]
    by_speed, known = outlook(so_far, 0.9), outlook(so_far, 0.9, needed=33)
    assert (by_speed.answers_left, by_speed.random_left) == (60, None)
    assert str(by_speed).endswith("roughly 60 more answers at the speed so far")
    assert (known.answers_left, known.random_left) == (None, 33)
    assert str(known).endswith(at_random(33))
    assert "33 more labels of rows drawn at random (one in 5" in at_random(33)


def test_without_any_rise_nothing_is_predicted():
    left = outlook([Standing(0, 0.3), Standing(60, 0.3, 0.1)])
    assert left.answers_left is None
    assert "cannot be told" in str(left)


def test_a_goal_that_is_not_reached_takes_answers():
    assert outlook([Standing(0, 0.88)], goal=0.9, needed=0).answers_left is None
    assert "cannot be told yet" in str(outlook([Standing(0, 0.88)], goal=0.9, needed=0))
    assert outlook([Standing(0, 0.88)], goal=0.9, needed=30).random_left == 30
