"""What an interactive session shows of systems and answers: a line that can be read."""

from fractions import Fraction

import pytest

from certify import fluid, ranks, softmax
from tests.certify.test_public_arguments import CALLS, good

LAW = fluid.FiniteLaw.rescaled([("1/2", "1/2"), ("3/2", "1/2")])
LONGEST = 450


@pytest.mark.parametrize("name", CALLS)
def test_every_answer_is_a_line(name: str) -> None:
    function, arguments = CALLS[name](good())
    shown = repr(function(**arguments))
    assert len(shown) <= LONGEST
    assert "\n" not in shown


def test_answers_with_many_numbers() -> None:
    many = [1] * 100
    levels = [[1, 2]] + [[]] * 99
    shown = {
        repr(fluid.bracket(fluid.UniformBins(), "3/4", 16)): "Bracket(load=3/4, imbalance=0, "
        "bins=16, lower=1.11080247303, upper=1.11263876922)",
        repr(fluid.enclose_value(LAW, "3/4")): "EnclosedValue(sizes=2, load=3/4, "
        "saving=0.214285714286)",
        repr(ranks.difference_of(ranks.MarginalJSQ(2, 1, "1/2"), "no-idle", 10)): "Difference("
        "MarginalJSQ(servers=2, a=1, b=1/2, paused), no-idle, box=10, difference in [",
        repr(ranks.compare(4, 1, ["1/2", 1])): "Comparison(servers=4, slack=1, random_mean=7, "
        "b=[1/2, 1])",
        repr(ranks.exact_gaps(ranks.MarginalJSQ(100, 2, 1))): "ExactGaps(MarginalJSQ(servers=100, "
        "a=2, b=1, paused), rho=[",
        repr(ranks.RankRates(many, [2] * 100)): "RankRates(arrival_rates=[1, 1, 1, 1, 1, 1, 1, 1, "
        "1, 1, 1, 1, ...], service_rates=[2, 2",
        repr(softmax.ShortestQueue.jsq(50, many)): "ShortestQueue(arrival_rate=50, service_rates="
        "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...], slopes=[1, ",
        repr(softmax.ShortestQueue.jsq(1, [1, 1]).drift()): "ShortestQueueDrift(servers=2, "
        "eps=0.5, R=1.5, mean_queue_bound=2)",
        repr(softmax.TestFunction("1/3", many, levels)): "TestFunction(servers=100, eps=0.333333, "
        "levels=[2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...])",
    }
    for found, start in shown.items():
        assert found.startswith(start)
        assert len(found) <= LONGEST


@pytest.mark.parametrize(
    ("p", "q", "text"),
    [
        (0, Fraction(1, 2), "1/2 sqrt(5)"),
        (0, -1, "-sqrt(5)"),
        (4, -1, "4 - sqrt(5)"),
        (-2, 3, "-2 + 3 sqrt(5)"),
        (0, 0, "0"),
    ],
)
def test_roots_are_shown_as_they_are_written(p: int, q: Fraction, text: str) -> None:
    assert repr(ranks.MarginalJSQ(5, 2, 1).number(p, q)) == text
