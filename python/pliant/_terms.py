"""Terms of the objective."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import count, doubles, integers, matrix, number
from ._frames import columns_of
from ._objective import Objective, SmoothTerm, linear_term, quadratic_term
from ._shards import Shards


def _term(core: _core.Term, columns: Any = None) -> Objective:
    return Objective([(SmoothTerm(core, columns=columns), 1.0)])


def _losses_in(shards: Shards, loss: str, targets: Any, k: float = 0.0) -> Objective:
    """Full gradients, a round each: (G, h) of the shards are data and targets."""
    if targets is not None:
        raise TypeError(f"{loss}: shards have targets of their own, where rows have h")
    if shards._processes is not None:
        raise _core.InputError(f"{loss}: shards of a communicator of mpi4py hold rows of linear_le alone")
    return _term(_core.losses_in_shards(loss, k, len(shards), shards._exchange))


def linear(c: Any, constant: float = 0.0) -> Objective:
    """c'x + constant.

    >>> import pliant as pl
    >>> p = pl.Problem(2).minimize(pl.linear([1.0, 1.0])).regularize(pl.box(0.25, 1.0))
    >>> p.solve().x
    array([0.25, 0.25])
    """
    return Objective([(linear_term(c, number(constant, "constant")), 1.0)])


def quadratic(P: Any, q: Any = 0.0) -> Objective:
    """1/2 x'Px + q'x with P symmetric positive semidefinite, both triangles stored, dense or sparse.

    >>> import pliant as pl
    >>> p = pl.Problem(2).minimize(pl.quadratic([[2.0, 0.0], [0.0, 4.0]], [-2.0, -4.0]))
    >>> p.solve().x.round(6)
    array([1., 1.])
    """
    return Objective([(quadratic_term(P, q), 1.0)])


def least_squares(A: Any, b: Any = None) -> Objective:
    """(1/2l) |Ax - b|^2, l the number of rows of A; ``least_squares(pl.Shards(...))``: rows on the workers of a cluster.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.least_squares([[1.0], [1.0]], [1.0, 3.0]))
    >>> p.solve().x.round(6)
    array([2.])
    """
    if isinstance(A, Shards):
        return _losses_in(A, "least_squares", b)
    columns, A = columns_of(A), matrix(A, "A")
    return _term(_core.least_squares(A, doubles(b, "b", A.rows)), columns)


def logistic(A: Any, y: Any = None) -> Objective:
    """(1/l) sum ln(1 + exp(-y_i a_i'x)) with labels y_i of -1 and +1; A and y may be ``pl.Shards(...)``.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.logistic([[1.0], [1.0]], [1.0, -1.0])).regularize(pl.l2_squared(1.0))
    >>> abs(p.solve().x[0]) < 1e-6
    np.True_
    """
    if isinstance(A, Shards):
        return _losses_in(A, "logistic", y)
    columns, A = columns_of(A), matrix(A, "A")
    return _term(_core.logistic(A, doubles(y, "y", A.rows)), columns)


def multinomial(A: Any, labels: Any, classes: int) -> Objective:
    """(1/l) sum [ln sum_c exp(a_i'w_c) - a_i'w_label], x = (w_0, ..., w_{classes-1}); labels count from 0.

    >>> import pliant as pl
    >>> p = pl.Problem(4).minimize(pl.multinomial([[1.0, 0.0], [0.0, 1.0]], [0, 1], 2)).regularize(pl.l2_squared(0.1))
    >>> w = p.solve().x.reshape(2, 2)
    >>> bool(w[0, 0] > w[1, 0] and w[1, 1] > w[0, 1])
    True
    """
    A = matrix(A, "A")
    return _term(_core.multinomial(A, integers(labels, "labels", A.rows), count(classes, "classes")))


def huber(A: Any, b: Any, k: float) -> Objective:
    """(1/l) sum huber_k(a_i'x - b_i): t^2/2 for |t| <= k, k|t| - k^2/2 beyond; also ``huber(pl.Shards(...), None, k)``.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.huber([[1.0]] * 3, [0.0, 0.0, 100.0], 0.1))
    >>> p.solve().x.round(6)
    array([0.05])
    """
    if isinstance(A, Shards):
        return _losses_in(A, "huber", b, number(k, "k"))
    columns, A = columns_of(A), matrix(A, "A")
    return _term(_core.huber(A, doubles(b, "b", A.rows), number(k, "k")), columns)


def log_det(order: int) -> Objective:
    """-log det X for symmetric X of this order, x = svec(X): its lower triangle by columns, off-diagonals times sqrt(2).

    >>> import pliant as pl
    >>> p = pl.Problem(3).minimize(pl.log_det(2) + pl.linear([1.0, 0.0, 1.0]))
    >>> c = p.subject_to(pl.linear_le([[1.0, 0.0, 0.0]], [0.5]))
    >>> p.start = [0.1, 0.0, 0.1]  # positive definite, where the term is finite
    >>> p.solve().x.round(4)  # X = diag(1/2, 1)
    array([0.5, 0. , 1. ])
    """
    return _term(_core.log_det(count(order, "order")))
