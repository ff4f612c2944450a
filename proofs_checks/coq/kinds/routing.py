"""The routing system that the softmax kinds share, as Coq definitions."""

from dataclasses import dataclass

from proofs_checks.checker.reader import Node
from proofs_checks.coq.text import Skipped, many, rational, real

MAX_BITS = 2_000
MAX_POWER = 100
NO_POWER = "0%nat 0%nat"


@dataclass(frozen=True)
class Routing:
    """Coq text of a system: its definitions, alpha, and the hypotheses of its family.

    `power` holds the numerator and denominator of beta when they are small enough to be exponents.
    """

    definitions: list[str]
    alpha: str
    domain: str
    power: str
    count: int

    def names(self, stem: str) -> list[str]:
        """`stem_0`, `stem_1`, ... for every server."""
        return [f"{stem}_{index}" for index in range(self.count)]


def routing(node: Node, most: int) -> Routing:
    """The system of a claim; Skipped above `most` servers."""
    weighted = isinstance(node.value, dict) and "weights" in node.value
    parameters = ("weights temperature" if weighted else "alpha beta gamma offset").split()
    fields = node.record(" ".join(["arrival_rate service_rates", *parameters]))
    rates = [real(item.exact()) for item in fields["service_rates"].items()]
    if len(rates) > most:
        raise Skipped(f"{len(rates)} servers, more than {most}")
    if weighted:
        weights = [real(item.exact()) for item in fields["weights"].items()]
        if len(weights) != len(rates):
            raise fields["weights"].bad(f"{len(rates)} weights")
        servers = [f"wsq_server {w} {mu}" for w, mu in zip(weights, rates, strict=True)]
        alpha = f"(/ {real(fields['temperature'].exact())})"
        domain, power = "True", NO_POWER
    else:
        numbers = [fields[name].exact() for name in parameters]
        values, beta = [real(number) for number in numbers], numbers[1]
        small = 0 < beta.numerator <= MAX_POWER and beta.denominator <= MAX_POWER
        power = f"{beta.numerator}%nat {beta.denominator}%nat" if small else NO_POWER
        servers = [f"reflected_uas_server {' '.join(values)} {mu}" for mu in rates]
        alpha = values[0]
        domain = f"reflected_uas_domain {values[1]} {values[3]}"
    definitions = [f"Definition server_{i} := {text}." for i, text in enumerate(servers)]
    definitions += [
        f"Definition fleet := {many(f'server_{i}' for i in range(len(rates)))}.",
        f"Definition S := {{| lambda := {real(fields['arrival_rate'].exact())}; "
        f"alpha := {alpha}; servers := fleet |}}.",
    ]
    return Routing(definitions, alpha, domain, power, len(rates))


def rational_data(node: Node) -> str:
    """The same system as rational numbers, with which intervals can be computed."""
    read = {name: Node(value, f"{node.path}.{name}") for name, value in node.value.items()}
    rates = [rational(item.exact()) for item in read["service_rates"].items()]
    if "weights" in read:
        weights = [rational(item.exact()) for item in read["weights"].items()]
        pairs = many(f"({w}, {mu})" for w, mu in zip(weights, rates, strict=True))
        kind = f"Weighted {rational(read['temperature'].exact())} {pairs}"
    else:
        names = "alpha beta gamma offset".split()
        kind = " ".join(["Reflected", *(rational(read[n].exact()) for n in names), many(rates)])
    arrivals = rational(read["arrival_rate"].exact())
    return f"{{| arrivals := {arrivals}; kind := {kind} |}}"


def hypotheses(system: Routing) -> list[str]:
    """Lemmas `good_i` for every server and `system_ok : proper S`."""
    servers = system.names("server")
    lemmas = [f"Ltac unfold_servers := unfold {', '.join(servers)}."]
    lemmas += [
        f"Lemma good_{i} : good {server}. Proof. good_server {server}. Qed."
        for i, server in enumerate(servers)
    ]
    return [
        *lemmas,
        "Lemma system_ok : proper S.",
        "Proof.",
        "  unfold S, fleet. proper_system unfold_servers.",
        *(f"  apply Forall_cons; [exact good_{i} |]." for i in range(system.count)),
        "  apply Forall_nil.",
        "Qed.",
    ]


def domain_proof(system: Routing) -> str:
    """The proof of `system.domain`."""
    return "exact I." if system.domain == "True" else "unfold reflected_uas_domain; lra."


def precision(witness: Node) -> str:
    """The witness's precision with a few guard bits, as a Coq numeral."""
    bits = witness.count()
    if bits > MAX_BITS:
        raise Skipped(f"{bits} bits of precision, more than {MAX_BITS}")
    return f"{max(bits, 32) + 30}%positive"
