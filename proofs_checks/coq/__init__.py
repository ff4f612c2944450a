"""Certificates re-proved by the kernel of the proof assistant Coq: a third, independent check."""
