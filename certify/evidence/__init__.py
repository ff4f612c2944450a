"""Numerical evidence in floating point: never a certificate, and never called certified."""
