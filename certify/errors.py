"""What a user can cause: bad input, or a question that no precision tried can settle."""

import re
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction

# a string that reads like another kind of value
_MISTAKEN = re.compile(r"[-+]?[0-9.][-+0-9./eE_]*|true|false|none|null|nan|", re.IGNORECASE)
MOST_ITEMS = 20


class InputError(ValueError):
    """Bad input, told in one sentence: the field, what it must satisfy, what it was."""

    def __init__(self, field: str, requirement: str, value: object) -> None:
        text = " ".join(_shown(value).split())
        text = text if len(text) <= 120 else text[:117] + "..."
        super().__init__(f"{field} must {requirement}, but was {text}.")
        self.field = field
        self.requirement = requirement
        self.value = value

    def __reduce__(self) -> tuple[type["InputError"], tuple[str, str, object]]:
        """So that one comes whole out of a process of its own."""
        return type(self), (self.field, self.requirement, self.value)


class OutOfReach(ArithmeticError):
    """The numbers asked for are not settled at any precision or refinement that is tried."""


def _shown(value: object) -> str:
    """A value as a message shows it: exact numbers as p/q, "20" with quotes, for it is no 20."""
    if isinstance(value, str):
        return repr(value) if _MISTAKEN.fullmatch(value.strip()) else value
    if isinstance(value, list | tuple):
        items = [repr(v) if isinstance(v, str) else _shown(v) for v in value[:MOST_ITEMS]]
        items += ["..."] if len(value) > MOST_ITEMS else []
        text = ", ".join(items)
        return f"[{text}]" if isinstance(value, list) else f"({text}{',' * (len(items) == 1)})"
    if isinstance(value, int | Fraction):
        try:
            return str(value)
        except ValueError:  # Python writes no integer of more than 4,300 digits
            with localcontext(prec=6, Emax=MAX_EMAX, Emin=MIN_EMIN):
                return f"about {Decimal(value.numerator) / Decimal(value.denominator):.3e}"
    return str(value)
