"""Search a test function for `softmax-mean-queue` by linear programming; prints its TOML table.

    python benchmarks/mean_queue_program.py PROBLEM.toml [--share 9/10] [--listed 3] [--rounds 4]

Given eps, the bound on E|Q|_1 is a maximum of functions that are linear in the increments
f_i(q + 1) - f_i(q) and in one multiplier per cell of the level (theorem page softmax-mean-queue,
Lemma 2), so the best of both solve a linear program; cells that hold the bound are halved and the
program is solved again. Needs scipy. Only the certificate made from what comes out proves anything.
"""

import argparse
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from certify.balls import precision
from certify.problem import read
from certify.softmax.cells import BEYOND, Guess, best_multiplier
from certify.softmax.shares import enclose, largest_room
from certify.softmax.system import System, read_system

CLOSE = 2e-3  # cells this near the bound are halved
STEP = 0.1  # first width of cells near the listed increments, in units of the largest v_i/2


def solve(guess: Guess, levels: list[float], listed: list[int]) -> tuple[Guess, float]:
    """The best function for these cells, and its bound times eps."""
    count, cells = len(guess), len(levels) - 1
    first = np.concatenate([[0], np.cumsum(listed)]).astype(int)
    linear, constant = int(first[-1]), int(first[-1]) + count
    multiplier, height = constant + 1, constant + 1 + cells
    size = height + 2 * count * cells
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    limits: list[float] = []

    def add(entries: list[tuple[int, float]], limit: float) -> None:
        for column, value in entries:
            rows.append(len(limits))
            columns.append(column)
            values.append(value)
        limits.append(limit)

    def increment(server: int, queue: int) -> tuple[int, float]:
        """The variable of an increment, and what is added to it."""
        if queue < listed[server]:
            return int(first[server]) + queue, 0.0
        return linear + server, guess.slopes[server] * (queue + 0.5)

    for cell in range(cells):
        for end in (0, 1):
            heights = [height + (server * cells + cell) * 2 + end for server in range(count)]
            for server in range(count):
                low = guess.fewest(server, levels[cell])
                for queue in range(low, max(low, listed[server]) + BEYOND + 1):
                    energy = guess.slopes[server] * queue + guess.shifts[server]
                    weight = guess.arrival_rate * math.exp(
                        guess.alpha * (levels[cell + end] - energy)
                    )
                    column, known = increment(server, queue)
                    entries = [(heights[server], -1.0), (multiplier + cell, -weight)]
                    entries.append((column, weight))
                    limit = -guess.eps * queue - weight * known
                    if queue:
                        column, known = increment(server, queue - 1)
                        entries.append((column, -guess.rates[server]))
                        limit += guess.rates[server] * known
                    add(entries, limit)
            total = [(each, 1.0) for each in heights]
            add([*total, (multiplier + cell, guess.arrival_rate), (constant, -1.0)], 0.0)
    matrix = coo_array((values, (rows, columns)), shape=(len(limits), size)).tocsr()
    cost = np.zeros(size)
    cost[constant] = 1
    found = linprog(cost, A_ub=matrix, b_ub=limits, bounds=(None, None), method="highs-ipm")
    x = found.x
    increments = [list(x[first[i] : first[i + 1]]) for i in range(count)]
    best = Guess(
        guess.arrival_rate, guess.alpha, guess.rates, guess.slopes, guess.shifts, guess.eps,
        list(x[linear : linear + count]), increments,
    )  # fmt: skip
    return best, float(found.fun)


def search(
    system: System, share: Fraction, listed_level: float, high: float, rounds: int
) -> tuple[Guess, float]:
    """The function for eps = share * eps*, with increments listed up to a level in units of v."""
    with precision(200):
        balls = enclose(system)
        room = largest_room(system, balls, 20)
        assert room is not None
        eps = round(float(room.eps * share), 4)
        numbers = [
            [float(each) for each in group] for group in (balls.rates, balls.slopes, balls.shifts)
        ]
        rate, alpha = float(balls.arrival_rate), float(balls.alpha)
    zeros = [0.0] * len(numbers[0])
    guess = Guess(rate, alpha, *numbers, eps, zeros, [[] for _ in zeros])
    unit = max(guess.slopes) / 2
    listed = [guess.fewest(server, listed_level * unit) for server in range(len(guess))]
    levels = [guess.lowest() - 1e-9]
    while levels[-1] < high * unit:
        near = levels[-1] < (listed_level + 1) * unit
        levels.append(levels[-1] + (STEP if near else 3 * STEP) * unit)
    for _ in range(rounds):
        best, constant = solve(guess, levels, listed)
        finer = levels[:1]
        for low, end in pairwise(levels):
            if best_multiplier(best, low, end)[1] > constant * (1 - CLOSE):
                finer.append((low + end) / 2)
            finer.append(end)
        print(f"# {len(levels) - 1} cells: {constant / eps:.6g}", flush=True)
        levels = finer
    return best, constant / eps


def main() -> None:
    """Read the arguments, search, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("problem", type=Path)
    parser.add_argument("--share", type=Fraction, default=Fraction(9, 10))
    parser.add_argument("--listed", type=float, default=3)
    parser.add_argument("--high", type=float, default=14)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    system = read_system(read(options.problem))
    best, _ = search(system, options.share, options.listed, options.high, options.rounds)
    print("[function]")
    print(f"eps = {best.eps}")
    print(f"linear = {[round(float(y), 4) for y in best.linear]}")
    print("increments = [")
    for row in best.increments:
        print(f"    {[round(float(each), 4) for each in row]},")
    print("]")


if __name__ == "__main__":
    main()
