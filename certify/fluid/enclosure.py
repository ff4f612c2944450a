"""The least cost of emptying two fluid queues, enclosed, for size laws with a density.

Source: proofs_checks/theorems/fluid-enclosure.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from certify.certificate import Certificate, exact, interval
from certify.errors import InputError
from certify.fluid.characteristics import Passage, Paths, Row, knots, resolve
from certify.fluid.continuous import ContinuousLaw, check_density
from certify.fluid.enclosed import Enclosed
from certify.fluid.laws import check_load
from certify.fluid.mixtures import read_sizes
from certify.fluid.numbers import Ends, about
from certify.fluid.quadrature import Piece
from certify.fluid.value import to_imbalances
from certify.problem import DEFAULT_DIGITS, Exact, Table, to_digits, to_flag


@dataclass(frozen=True)
class Enclosure:
    """The optimal dispatcher of a law with a density at a load, enclosed.

    `exit_cutoff` (None: infinity) is the cutoff once the shorter queue is empty, `saving` the share
    of the cost of balanced routing that is saved from equal queues, `path` where the optimal path
    from total work 1 at the first imbalance passes the others; `bits` and `pieces` are what the
    checker needs.
    """

    law: ContinuousLaw
    load: Fraction
    exit_cutoff: Ends | None
    saving: Ends
    rows: tuple[Row, ...]
    path: tuple[Passage, ...]
    bits: int
    pieces: tuple[Piece, ...]

    def __repr__(self) -> str:
        saving = Enclosed(*self.saving)
        return f"Enclosure(law={self.law!r}, load={exact(self.load)}, saving={saving})"

    def certificate(self) -> Certificate:
        """The certificate."""
        claim: dict[str, Any] = {
            "law": self.law.to_claim(),
            "load": exact(self.load),
            "exit_cutoff": _spelled(self.exit_cutoff),
            "saving": interval(*self.saving),
            "values": [
                {
                    "imbalance": exact(row.imbalance),
                    "value": interval(*row.value),
                    "cutoff": _spelled(row.cutoff),
                    "time": interval(*row.time),
                }
                for row in self.rows
            ],
        }
        if self.path:
            claim["path"] = [
                {
                    "imbalance": exact(passage.imbalance),
                    "total": interval(*passage.total),
                    "time": interval(*passage.time),
                }
                for passage in self.path
            ]
        witness = {
            "precision": self.bits,
            "knots": [exact(knot) for knot in knots(self.pieces)],
            "terms": [piece.terms(self.bits) for piece in self.pieces],
        }
        return Certificate("fluid-enclosure", claim, witness)


def make(table: Table) -> Certificate:
    """The certificate of a problem of kind `fluid-enclosure`."""
    law, load = read_sizes(table), table.rational("load")
    imbalances, digits = table.rationals("imbalances", (0,)), table.digits()
    path = table.flag("path")
    table.done()
    return enclose(law, load, imbalances, digits, path).certificate()


def words(claim: dict[str, Any]) -> str:
    """What a claim of this kind states, in one sentence."""
    count = len(claim["values"])
    path = ", and the path of the optimum through them" if "path" in claim else ""
    return (
        f"Emptying two queues at load {claim['load']} with {_sizes(claim['law'])}: enclosures of "
        f"the least cost at {count} imbalance{'s' * (count > 1)}{path}; starting from equal "
        f"queues, the optimum saves {about(claim['saving'])} of what balanced routing costs."
    )


def enclose(
    law: ContinuousLaw,
    load: Exact,
    imbalances: Iterable[Exact] = (0,),
    digits: int = DEFAULT_DIGITS,
    path: bool = False,
) -> Enclosure:
    """The optimal dispatcher at the asked relative imbalances, with `digits` correct digits.

    With `path` also where and when the optimal path from the smallest imbalance passes the others.
    Raises InputError for a load outside (0, 1) or an imbalance outside [0, 1].
    """
    check_density(law)
    rho, digits = check_load(load), to_digits(digits)
    asked = to_imbalances(imbalances)
    if to_flag(path, "path"):
        asked = sorted(set(asked))
        if len(asked) < 2:
            requirement = "have at least two different numbers (a path needs a start and an end)"
            raise InputError("imbalances", requirement, asked)

    def ask(paths: Paths) -> Enclosure:
        return Enclosure(
            law,
            rho,
            paths.exit_cutoff,
            paths.saving,
            tuple(paths.row(z) for z in asked),
            tuple(paths.passage(asked[0], z) for z in asked[1:]) if path else (),
            paths.bits,
            paths.pieces,
        )

    return resolve(law, rho, digits, ask)


def _spelled(cutoff: Ends | None) -> dict[str, str] | str:
    return "infinity" if cutoff is None else interval(*cutoff)


def _sizes(law: dict[str, Any]) -> str:
    """A law of a claim in words."""
    if law["family"] == "mixture":
        parts = [
            f"{each['weight']} of mean {each['mean']} {_named(each['law'])}"
            for each in law["components"]
        ]
        parts += [f"{mass} of size {size}" for size, mass in law["atoms"][:3]]
        more = len(law["atoms"]) - 3
        parts += [f"{more} more sizes"] if more > 0 else []
        return f"a mixture of job sizes ({', '.join(parts)})"
    return _named(law)


def _named(law: dict[str, Any]) -> str:
    parameters = ", ".join(f"{k} {_listed(v)}" for k, v in law.items() if k != "family")
    name = law["family"].replace("pareto", "Pareto").replace("weibull", "Weibull")
    return f"{name} job sizes" + (f" ({parameters})" if parameters else "")


def _listed(value: str | list[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
