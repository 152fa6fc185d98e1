"""Simple terms: norms and sets with a cheap projection. Separable ones (l1, l2_squared, elastic_net, box, nonnegative)
combine in one problem, with a simplex too; ball and group_l2 stand alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core
from ._arrays import doubles, integers, number


class Regularizer:
    """A simple term, made for the variables of the problem it is added to.

    >>> import pliant as pl
    >>> pl.l1(0.5)
    Regularizer(l1)
    """

    __slots__ = ("kind", "build")

    def __init__(self, kind: str, build: Callable[[int], _core.Prox]) -> None:
        self.kind = kind
        self.build = build

    def __repr__(self) -> str:
        return f"Regularizer({self.kind})"


def l1(w: float) -> Regularizer:
    """w |x|_1.

    >>> import pliant as pl
    >>> p = pl.Problem(2).minimize(pl.quadratic([[1.0, 0.0], [0.0, 1.0]], [-2.0, -0.5])).regularize(pl.l1(1.0))
    >>> p.solve().x.round(6)
    array([1., 0.])
    """
    weight = number(w, "w")
    return Regularizer("l1", lambda n: _core.l1(n, weight))


def l2_squared(w: float) -> Regularizer:
    """(w/2) |x|^2.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.linear([-1.0])).regularize(pl.l2_squared(2.0))
    >>> p.solve().x.round(6)
    array([0.5])
    """
    weight = number(w, "w")
    return Regularizer("l2_squared", lambda n: _core.l2_squared(n, weight))


def elastic_net(w1: float, w2: float) -> Regularizer:
    """w1 |x|_1 + (w2/2) |x|^2.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.linear([-2.0])).regularize(pl.elastic_net(1.0, 2.0))
    >>> p.solve().x.round(6)
    array([0.5])
    """
    first, second = number(w1, "w1"), number(w2, "w2")
    return Regularizer("elastic_net", lambda n: _core.elastic_net(n, first, second))


def box(lo: Any, hi: Any) -> Regularizer:
    """lo <= x <= hi; a number stands for all variables, entries may be infinite.

    >>> import pliant as pl
    >>> p = pl.Problem(2).minimize(pl.linear([1.0, -1.0])).regularize(pl.box(0.0, [1.0, 2.0]))
    >>> p.solve().x
    array([0., 2.])
    """
    return Regularizer("box", lambda n: _core.box(doubles(lo, "lo", n), doubles(hi, "hi", n)))


def nonnegative() -> Regularizer:
    """x >= 0.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.quadratic([[1.0]], [1.0])).regularize(pl.nonnegative())
    >>> p.solve().x
    array([0.])
    """
    return Regularizer("nonnegative", _core.nonnegative)


def simplex(r: float = 1.0) -> Regularizer:
    """x >= 0 and sum x = r. Beside other terms (a box, for instance) the sum becomes an equality, whose multiplier stands
    in ``r.equality_duals`` alone.

    >>> import pliant as pl
    >>> p = pl.Problem(2).minimize(pl.linear([2.0, 1.0])).regularize(pl.simplex())
    >>> p.solve().x.round(6)
    array([0., 1.])
    """
    radius = number(r, "r")
    return Regularizer("simplex", lambda n: _core.simplex(n, radius))


def ball(r: float) -> Regularizer:
    """|x|_2 <= r.

    >>> import pliant as pl
    >>> p = pl.Problem(2).minimize(pl.linear([-3.0, -4.0])).regularize(pl.ball(5.0))
    >>> p.solve().x.round(4)
    array([3., 4.])
    """
    radius = number(r, "r")
    return Regularizer("ball", lambda n: _core.ball(n, radius))


def group_l2(groups: Any, w: Any) -> Regularizer:
    """sum_g w_g |x_g|_2; groups[j] is the group of variable j, counting from 0, w one weight per group or for all.

    >>> import pliant as pl
    >>> p = pl.Problem(2).minimize(pl.quadratic([[1.0, 0.0], [0.0, 1.0]], [-3.0, -4.0]))
    >>> p.regularize(pl.group_l2([0, 0], 2.5)).solve().x.round(4)
    array([1.5, 2. ])
    """

    def build(n: int) -> _core.Prox:
        members = integers(groups, "groups", n)
        return _core.group_l2(members, doubles(w, "w", int(members.max(initial=-1)) + 1))

    return Regularizer("group_l2", build)
