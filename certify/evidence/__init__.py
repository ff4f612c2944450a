"""Numerical evidence in floating point: never a certificate, and never called certified.

These modules need NumPy, which the rest of the package does not.
"""
