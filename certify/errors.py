"""The one error a user can cause."""


class InputError(ValueError):
    """Bad input, told in one sentence: the field, what it must satisfy, what it was."""

    def __init__(self, field: str, requirement: str, value: object) -> None:
        try:
            text = str(value)
        except ValueError:  # Python writes no integer of more than 4,300 digits
            text = "a number of more than 4,300 digits"
        text = text if len(text) <= 120 else text[:117] + "..."
        super().__init__(f"{field} must {requirement}, but was {text}.")
        self.field = field
        self.requirement = requirement
        self.value = value
