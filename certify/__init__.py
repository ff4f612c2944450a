"""Exact, machine-checked facts about queues: find an object, write its certificate."""

from certify.certificate import Certificate
from certify.errors import InputError

__all__ = ["Certificate", "InputError"]
