"""Feasibility of systems of linear inequalities, decided exactly over the integers."""

from collections.abc import Sequence
from functools import cache


@cache
def feasible(inequalities: tuple[tuple[int, ...], ...], equalities: tuple[bool, ...], strict: tuple[bool, ...]) -> bool:
    """Whether some real x has ``c_0 + c_1 x_1 + ... >= 0`` for every row ``c``.

    By Motzkin's transposition theorem the system has no solution exactly when nonnegative multipliers, at least one
    of them on a strict row, add the rows (and the row ``1 > 0``) up to zero: an exact certificate, which is searched.

    Args:
        inequalities: rows of integer coefficients, the constant first.
        equalities: whether the row should be zero instead.
        strict: whether the row should be positive instead.
    """
    columns = [[1] + [0] * (len(inequalities[0]) - 1 if inequalities else 0) + [1]]
    for row, equal, positive in zip(inequalities, equalities, strict, strict=True):
        columns.append([*row, int(positive)])
        if equal:
            columns.append([-c for c in row] + [0])
    return not _has_nonnegative_solution(columns)


def _has_nonnegative_solution(columns: Sequence[Sequence[int]]) -> bool:
    """Whether nonnegative multiples of the columns add up to (0, ..., 0, 1).

    Phase one of the simplex method with Bland's rule, which cannot cycle. All entries are integers over the common
    denominator ``scale``, the last pivot (Edmonds), so that nothing is rounded and no fraction is reduced.
    """
    rows = [[*entries, 0] for entries in zip(*columns, strict=True)]
    rows[-1][-1] = 1
    count, scale = len(columns), 1
    basis = [count + i for i in range(len(rows))]  # artificial variables, whose sum is minimised
    rows.append([sum(entries) for entries in zip(*rows, strict=True)])
    while rows[-1][-1]:
        enter = next((j for j in range(count) if rows[-1][j] > 0), None)
        if enter is None:
            return False
        leave = -1
        for i in range(len(basis)):
            if rows[i][enter] > 0:
                # smallest ratio of right-hand side to entry, ties by the smallest variable
                surplus = 1 if leave < 0 else rows[leave][-1] * rows[i][enter] - rows[i][-1] * rows[leave][enter]
                if surplus > 0 or (surplus == 0 and basis[i] < basis[leave]):
                    leave = i
        pivot_row, pivot = rows[leave], rows[leave][enter]
        for i, row in enumerate(rows):
            if i != leave:
                factor = row[enter]
                rows[i] = [(pivot * entry - factor * by) // scale for entry, by in zip(row, pivot_row, strict=True)]
        basis[leave], scale = enter, pivot
    return True
