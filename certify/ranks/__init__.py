"""Rank-based routing (marginal join-the-shortest-queue)."""
