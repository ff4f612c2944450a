"""Hundreds of forgeries of each kind: single changes, double and triple ones, crossings, texts."""

import json
import re
from itertools import chain

import pytest

from proofs_checks.checker.kinds import KINDS
from tests.mutation.engine import (
    CERTIFICATES,
    Forgery,
    Tally,
    Tree,
    crossed,
    judge,
    of_every_kind,
    several,
    shipped,
    single,
    truth_of,
    worded,
)

COUNT = 500
CHEAPEST = {"softmax-obstruction": ("two-asymmetric", "two-symmetric")}  # not those with few bytes
LARGEST = 20_000  # bytes of a certificate that lends its parts: its truth may cost much
SHARES = (0.5, 0.3, 0.1, 0.1)  # of single changes, of several, of crossings, of texts


def sample(tree: Tree, others: list[Tree], count: int) -> list[Forgery]:
    """About `count` forgeries spread evenly over those that can be made."""
    several_ = list(several(tree, int(count * SHARES[1]), seed=len(tree["kind"])))
    makers = (list(single(tree)), several_, list(crossed(tree, others)), list(worded(tree)))
    result = []
    for made, share in zip(makers, SHARES, strict=True):
        wanted = min(len(made), max(1, round(count * share)))
        result.append([made[k * len(made) // wanted] for k in range(wanted)])
    missing = count - sum(map(len, result))
    more = several(tree, missing, seed=1) if missing > 0 else iter(())
    return [*chain.from_iterable(result), *more]


@pytest.mark.parametrize("kind", KINDS)
def test_no_false_claim_is_accepted(kind: str) -> None:
    truth, tally = truth_of(kind), Tally()
    paths = shipped(kind)
    assert paths, f"no certificate of kind {kind} ships"
    wanted = [f"{kind}-{name}.json" for name in CHEAPEST.get(kind, ())]
    chosen = [path for path in paths if path.name in wanted] or paths[:2]
    trees = [json.loads(path.read_bytes()) for path in chosen]
    small = [path for path in paths[:3] if path.stat().st_size < LARGEST]
    others = [json.loads(path.read_bytes()) for path in small]
    for path, tree in zip(chosen, trees, strict=True):
        assert truth(tree["claim"]) is not False, f"{path.name} itself is false"
        judge(sample(tree, others, COUNT // len(chosen)), truth, tally)
    print(kind, tally.line(), dict(tally.caught))
    assert tally.made >= COUNT // len(chosen) * len(chosen)
    assert not tally.false_accepted
    assert not tally.unclean
    assert tally.false_refused > COUNT // 5
    assert tally.true_accepted > 0


@pytest.mark.parametrize("name", ["fluid-value-running", "fluid-value-three-sizes-half"])
def test_of_every_kind_is_one_single_change_for_each_kind_of_place(name: str) -> None:
    """Numbers in lists are left out of the places, and nothing else is."""
    tree = json.loads((CERTIFICATES / f"{name}.json").read_bytes())
    every = {forgery.name: forgery.tree for forgery in single(tree)}
    chosen = list(of_every_kind(tree, 0))
    assert all(every[forgery.name] == forgery.tree for forgery in chosen)
    kinds = [unnumbered(forgery.name) for forgery in chosen]
    assert sorted(kinds) == sorted({unnumbered(key) for key in every if "kind: " not in key})
    assert len(kinds) < len(every)


def unnumbered(name: str) -> str:
    """The name of a forgery with all places in lists alike."""
    return re.sub(r"\.\d+", ".each", name)
