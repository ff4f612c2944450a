"""At least ten false certificates for each kind: well-formed, and false in one stated way.

Every one must be refused by Coq and by the checker. They are made from the certificates in data/.
"""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
SOURCES = {
    "fluid-enclosure": "fluid-enclosure-uniform",
    "fluid-value": "fluid-value-running",
    "identity": "identity-fluid-comparison-balanced",
    "rank-gaps": "rank-gaps-4",
    "softmax-drift": "softmax-drift-two",
    "softmax-equilibrium": "softmax-equilibrium-three",
    "softmax-obstruction": "softmax-obstruction-two-symmetric",
}
# Where Coq does not re-prove the whole claim: how that is reported, and the fields that it does.
PARTIAL: dict[str, tuple[str, tuple[str, ...]]] = {
    "fluid-enclosure": (
        "only the formulas of the page, not that they are least costs",
        ("law", "load", "exit_cutoff", "saving", "values"),
    ),
    "softmax-drift": (
        "all but that the bound is one of the mean queue",
        ("system", "eps", "R", "sharp_R", "mean_queue_bound", "attained"),
    ),
}

Claim = dict[str, Any]
Change = Callable[[Claim], None]


@dataclass(frozen=True)
class Forgery:
    """The bytes of a false certificate and what is false in it."""

    kind: str
    name: str
    data: bytes


def forgeries(kind: str) -> Iterator[Forgery]:
    """Every forgery of a kind."""
    tree = json.loads((DATA / f"{SOURCES[kind]}.json").read_text(encoding="ascii"))
    for name, change in CHANGES[kind].items():
        forged = copy.deepcopy(tree)
        change(forged["claim"])
        yield Forgery(kind, name, canonical(forged))


def canonical(tree: dict[str, Any]) -> bytes:
    """The bytes in which a certificate is written."""
    return (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()


def put(path: str, value: Any) -> Change:
    """Replace the value at a dotted path."""
    *parents, last = path.split(".")

    def change(claim: Claim) -> None:
        node: Any = claim
        for key in parents:
            node = node[int(key)] if isinstance(node, list) else node[key]
        node[int(last) if isinstance(node, list) else last] = value

    return change


def add(path: str, amount: str) -> Change:
    """Add an exact amount to the exact number at a dotted path."""

    def change(claim: Claim) -> None:
        node: Any = claim
        for key in path.split("."):
            node = node[int(key)] if isinstance(node, list) else node[key]
        put(path, str(Fraction(node) + Fraction(amount)))(claim)

    return change


def units(path: str, amount: int) -> Change:
    """Move an interval end by units in the last place of the interval's longer end."""

    def change(claim: Claim) -> None:
        node: Any = claim
        for key in path.split(".")[:-1]:
            node = node[int(key)] if isinstance(node, list) else node[key]
        powers = {end: int(node[end].partition("e")[2] or "0") for end in ("lo", "hi")}
        end, exponent = path.split(".")[-1], min(powers.values())
        number = int(node[end].partition("e")[0]) * 10 ** (powers[end] - exponent) + amount
        while number and number % 10 == 0:
            number, exponent = number // 10, exponent + 1
        node[end] = f"{number}e{exponent}" if exponent else str(number)

    return change


def both(*changes: Change) -> Change:
    """Several changes at once."""

    def change(claim: Claim) -> None:
        for each in changes:
            each(claim)

    return change


def lower_bound(claim: Claim) -> None:
    """Smooth, a solution of the Hamilton-Jacobi equation, and only a lower bound of the cost."""
    claim["sectors"] = [
        {"from": "0", "to": "3/8", "value": ["1", "-1/3", "-5/9"]},
        {"from": "3/8", "to": "1", "value": ["21/20", "-3/5", "-1/5"]},
    ]
    claim["values"] = [{"imbalance": "0", "value": "1"}]
    claim["saving"] = "1/3"


def wrong(*changes: Change) -> Change:
    """The changes to a statement that no longer goes by its name."""
    return both(put("name", "unnamed"), *changes)


def right_side(change: Callable[[Any], Any]) -> Change:
    """A new right side made from the old one."""
    return wrong(lambda claim: claim.update(right=change(claim["right"])))


def moved(path: str, amount: int) -> Change:
    """Move an interval by units in the last place."""
    ends = (f"{path}.lo", f"{path}.hi") if amount < 0 else (f"{path}.hi", f"{path}.lo")
    return both(*(units(end, amount) for end in ends))


NAUGHT = ["quotient", "1", ["sum", "rho", ["minus", "rho"]]]  # divides by zero


def unused(part: str, **entry: Any) -> Change:
    """Another definition, or a rule of another derivation, of which neither side speaks."""
    return wrong(lambda claim: claim[part].append(entry))


CHANGES: dict[str, dict[str, Change]] = {
    "fluid-enclosure": {
        "exit above its interval": moved("exit_cutoff", -1),
        "exit below its interval": moved("exit_cutoff", 1),
        "saving above its interval": moved("saving", -1),
        "saving below its interval": moved("saving", 1),
        "load": put("load", "19/25"),
        "load above one": put("load", "5/4"),
        "smallest size": put("law.lowest", "51/100"),
        "value of a tie": moved("values.0.value", 1),
        "value": moved("values.1.value", -1),
        "time": moved("values.1.time", 1),
        "cutoff too low": moved("values.1.cutoff", -1),
        "cutoff too high": moved("values.1.cutoff", 1),
        "imbalance": put("values.1.imbalance", "51/100"),
        "negative sizes": put("law.lowest", "-1/2"),
        "one size": put("law.lowest", "1"),
    },
    "fluid-value": {
        "a solution that is only a lower bound": lower_bound,
        "value too low": add("values.0.value", "-1/28"),
        "value too high": add("values.0.value", "1/1000000000000000000000000000000"),
        "coefficient of x^2": add("sectors.0.value.0", "1/28"),
        "coefficient of x delta": add("sectors.1.value.1", "1/5"),
        "coefficient of delta^2": add("sectors.1.value.2", "-1/15"),
        "edge moved": both(put("sectors.0.to", "4/13"), put("sectors.1.from", "4/13")),
        "gap between sectors": put("sectors.1.from", "4/13"),
        "last sector missing": lambda claim: claim["sectors"].pop(),
        "load": put("load", "7/10"),
        "mean size not one": put("law.atoms.0.0", "1/4"),
        "masses do not sum to one": put("law.atoms.0.1", "1/4"),
        "sizes out of order": lambda claim: claim["law"]["atoms"].reverse(),
        "a negative size": put("law.atoms", [["-1/2", "1/3"], ["7/4", "2/3"]]),
        "saving": add("saving", "1/14"),
        "load above one": put("load", "5/4"),
        "a negative scale": put("law.scale", "-5"),
        "a scale of zero": put("law.scale", "0"),
    },
    "identity": {
        "coefficient": wrong(put("definitions.0.value.1", "1/3")),
        "power of the total": wrong(put("definitions.0.value.2.1.2.2", 3)),
        "power of the imbalance": wrong(put("definitions.0.value.2.2.1.2", 1)),
        "rule for the total": wrong(put("derivations.0.image", "rho")),
        "rule for the imbalance": wrong(put("derivations.1.image", "rho")),
        "sign of the right side": right_side(lambda old: old[1]),
        "factor on the right side": right_side(lambda old: ["product", "2", old]),
        "addend on the right side": right_side(lambda old: ["sum", old, "1/1000000000"]),
        "right side zero": right_side(lambda old: "0"),
        "no derivation": wrong(put("left", "value")),
        "derived twice": wrong(put("left", ["derive", "flow", ["derive", "flow", "value"]])),
        "another divisor": wrong(put("definitions.0.value.2.1.1.2", "rho")),
        "a divisor that is always zero": wrong(
            put("definitions.0.value.2.1.1.2", ["sum", "rho", ["minus", "rho"]])
        ),
        "a divisor that deriving hides": wrong(
            put("left", ["derive", "flow", ["power", NAUGHT, 0]]), put("right", "0")
        ),
        "a constant divisor that deriving hides": wrong(
            put("left", ["derive", "flow", ["power", ["quotient", "1", "0"], 0]]),
            put("right", "0"),
        ),
        "a definition without a value": unused("definitions", name="unused", value=NAUGHT),
        "a rule without a value": unused(
            "derivations", derivation="other", variable="rho", image=NAUGHT
        ),
    },
    "rank-gaps": {
        "ratio of the lowest gap": add("rho.0", "1/1000000000000"),
        "ratio of the highest gap": put("rho.3", "5/8"),
        "ratio above one": put("rho.0", "391/256"),
        "mean of a gap": add("mean_gaps.2", "-1/7"),
        "mean of the lowest gap": add("mean_gaps.0", "1/1000000000000000000000000"),
        "variance": add("gap_variances.3", "1"),
        "variance without the square": put("gap_variances.3", "3"),
        "a ranked queue": add("mean_ranked_queues.1", "-1/4477"),
        "the total": add("mean_total_queue", "1/31339"),
        "no idle server": put("no_idle", "121/256"),
        "no tie": put("no_tie", "98415/1048576"),
        "throughput": add("throughput", "1/64"),
        "throughput as offered": put("throughput", "14"),
        "paused fraction": put("paused_fraction", "579/896"),
        "threshold": add("stability_threshold", "-1/54"),
        "a": put("a", "1"),
        "b": put("b", "1/2"),
        "b at the threshold": put("b", "175/54"),
        "b negative": put("b", "-1"),
        "a too large": put("a", "8"),
        "servers": put("servers", 9),
        "another gap listed": put("gaps.3", 4),
        "a ratio missing": lambda claim: claim["rho"].pop(),
        "a ranked queue missing": lambda claim: claim["mean_ranked_queues"].pop(),
    },
    "softmax-drift": {
        "constant too small": put("R", "6/5"),
        "constant short by a little": add("R", "-1/1000000000"),
        "sharp constant too small": add("sharp_R", "-1/1000"),
        "sharp constant below the value attained": put("sharp_R", "1"),
        "eps too large": add("eps", "1/1000000000000"),
        "eps negative": put("eps", "-1"),
        "bound on the mean queue": add("mean_queue_bound", "-1/1000"),
        "arrival rate": put("system.arrival_rate", "5/2"),
        "arrival rate above capacity": put("system.arrival_rate", "11"),
        "attained value too high": add("attained.value", "1/1000000"),
        "attained at another state": put("attained.state.0", "2"),
        "eps doubled": put("eps", "6/25"),
        "service rate": put("system.service_rates.0", "9/10"),
        "beta": put("system.beta", "3"),
        "gamma": put("system.gamma", "2"),
    },
    "softmax-equilibrium": {
        "root above its interval": both(units("K.lo", -1), units("K.hi", -1)),
        "root below its interval": both(units("K.lo", 1), units("K.hi", 1)),
        "arrival rate": add("system.arrival_rate", "1/1000000000000"),
        "arrival rate above capacity": put("system.arrival_rate", "11"),
        "theta too high": units("theta.0.lo", 1),
        "theta too low": both(units("theta.2.hi", -1), units("theta.2.lo", -1)),
        "queue too long": both(units("queue.1.lo", 1000), units("queue.1.hi", 1000)),
        "queue too short": both(units("queue.2.hi", -1000), units("queue.2.lo", -1000)),
        "an active server left out": put("active", [2]),
        "an inactive server listed": put("active", [0, 1, 2]),
        "a queue where there is none": put("queue.0", {"hi": "1", "lo": "1e-1"}),
        "service rate": add("system.service_rates.1", "1/2000000"),
        "alpha": put("system.alpha", "21"),
        "beta": put("system.beta", "9/10"),
        "gamma": put("system.gamma", "3/5"),
        "negative beta": put("system.beta", "-17/20"),
    },
    "softmax-obstruction": {
        "a state too many": put("states", 16),
        "a boundary state too few": put("boundary_states", 8),
        "two states with a positive term": put("positive_boundary_states", 2),
        "no state with a positive term": put("positive_boundary_states", 0),
        "no state with a positive summand": put("positive_coordinate_states", 0),
        "a larger grid": put("radius", 5),
        "largest term too high": put("max_boundary_term", {"hi": "34e-2", "lo": "33e-2"}),
        "largest gap too low": both(units("max_gap.lo", -1), units("max_gap.hi", -1)),
        "largest gap at another state": put("max_gap_state", [0, 0]),
        "drift above its interval": both(
            units("interior_drift.value.lo", -1), units("interior_drift.value.hi", -1)
        ),
        "diagonal above the drift": both(
            units("diagonal_drift.lo", 1), units("diagonal_drift.hi", 1)
        ),
        "origin": put("origin_term", "1/3"),
        "gap on the boundary": both(
            units("max_boundary_gap.lo", 1), units("max_boundary_gap.hi", 1)
        ),
        "a state with an empty queue": put("interior_drift.state", [0, 1]),
        "negative drift": put(
            "diagonal_drift", {"hi": "-26003736125923479935e-19", "lo": "-26003736125923479936e-19"}
        ),
        "arrival rate": add("system.arrival_rate", "1/1000000000000000000"),
        "arrival rate above capacity": put("system.arrival_rate", "2"),
        "alpha": put("system.alpha", "21"),
        "alpha negative": put("system.alpha", "-20"),
        "beta zero": put("system.beta", "0"),
        "offset negative": put("system.offset", "-1/2"),
        "servers that differ": put("system.service_rates.1", "2"),
        "another rate": put("system.service_rates", ["2", "2"]),
    },
}
