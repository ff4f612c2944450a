"""Rigorous arithmetic on Python integers: dyadic intervals and elementary functions."""
