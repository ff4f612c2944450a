"""Decides whether what a certificate claims is true; independent of the package that wrote it."""
