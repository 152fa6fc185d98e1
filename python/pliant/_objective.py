"""Sums of terms: what can be added, scaled and subtracted, and the convex terms that are left of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrays import doubles, is_sparse, matrix, number
from ._frames import coefficients_of, columns_of
from ._regularizers import Regularizer


@dataclass(frozen=True, eq=False)
class SmoothTerm:
    """A term as the library takes it. Linear and quadratic ones keep their numbers: of these there may be less than none."""

    core: _core.Term
    parts: tuple[Any, ...] = ()  #: (c, constant) of linear, (P, q) of quadratic
    columns: Any = None  #: labels of the variables, where a DataFrame or Series came in

    @property
    def kind(self) -> str:
        return self.core.kind


class Objective:
    """A weighted sum of convex terms. Sums add with ``+``, subtract with ``-``, scale with ``*`` and ``/``.

    What is subtracted must leave something convex (something concave for ``p.maximize``): linear and quadratic terms, and
    parts of terms that were added.

    >>> import pliant as pl
    >>> 0.5 * pl.linear([1.0, 2.0]) - pl.quadratic([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0])
    Objective(0.5 linear - 1 quadratic)
    """

    __slots__ = ("terms",)

    def __init__(self, terms: list[tuple[Any, float]]) -> None:
        self.terms = terms

    def __add__(self, other: Objective) -> Objective:
        if not isinstance(other, Objective):
            return _refuse_sum(other)
        return Objective(self.terms + other.terms)

    def __radd__(self, other: Any) -> Objective:
        # sum() begins with 0.
        return self if isinstance(other, int) and other == 0 else _refuse_sum(other)

    def __sub__(self, other: Objective) -> Objective:
        if not isinstance(other, Objective):
            return NotImplemented
        return self + -other

    def __neg__(self) -> Objective:
        return self * -1.0

    def __mul__(self, weight: float) -> Objective:
        scale = number(weight, "weight")
        return Objective([(term, scale * own) for term, own in self.terms])

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Objective:
        return self * (1.0 / number(divisor, "weight"))

    def __repr__(self) -> str:
        text = "".join(f" {'-' if w < 0 else '+'} {abs(w):g} {term.kind}" for term, w in self.terms)
        return f"Objective({'-' if text.startswith(' -') else ''}{text[3:]})"


def linear_term(c: Any, constant: float) -> SmoothTerm:
    columns = coefficients_of("c", c)
    c = doubles(c, "c", "n")
    return SmoothTerm(_core.linear(c, constant), (c, constant), columns)


def quadratic_term(P: Any, q: Any) -> SmoothTerm:
    columns = coefficients_of("q", q, columns_of(P))
    if not is_sparse(P) and np.ndim(P) == 1:
        raise _core.InputError("P: expected shape (n, n), got a vector; a diagonal matrix is np.diag(P)")
    core = matrix(P, "P")
    q = doubles(q, "q", core.cols)
    return SmoothTerm(_core.quadratic(core, q), (P, q), columns)


def convex_terms(objective: Objective, sign: float) -> list[tuple[Any, float]]:
    """The terms of sign * objective, none with a negative weight: linear ones change their numbers, quadratic ones are
    put together. Sums of positive weights stay as they are. Whether P is semidefinite is looked at when all is there."""
    terms = [(term, sign * weight) for term, weight in objective.terms]
    if all(not weight < 0 for _, weight in terms):
        return terms
    terms = _merged(terms)
    quadratics = [(t, w) for t, w in terms if _kind(t) == "quadratic"]
    if any(w < 0 for _, w in quadratics):
        together = _sum_of_quadratics(quadratics)
        if sign < 0:
            _expect_concave(together)
        terms = [(t, w) for t, w in terms if _kind(t) != "quadratic"] + [(together, 1.0)]
    out = []
    for term, weight in terms:
        if weight < 0 and _kind(term) == "linear":
            c, constant = term.parts
            term, weight = linear_term(weight * c, weight * constant), 1.0
        if weight < 0:
            sense, shape = ("minimize", "convex") if sign > 0 else ("maximize", "concave")
            raise _core.InputError(
                f"{sense}: {sign * weight:g} {term.kind} is not {shape}, and not linear or quadratic, which others could "
                f"make up for: weight must be finite and >= 0, got {weight:g}"
            )
        out.append((term, weight))
    return out


def _merged(terms: list[tuple[Any, float]]) -> list[tuple[Any, float]]:
    """Each term once, with the sum of its weights; those that cancel are gone."""
    weights: dict[int, float] = {}
    for term, weight in terms:
        weights[id(term)] = weights.get(id(term), 0.0) + weight
    once = {id(term): term for term, _ in terms}
    return [(once[key], weight) for key, weight in weights.items() if weight != 0.0]


def _kind(term: Any) -> str:
    return term.kind if isinstance(term, SmoothTerm) else "soft"


def _expect_concave(negated: SmoothTerm) -> None:
    """Most forms that are not concave show it on their diagonal, and are refused in the words of who maximises them;
    for others it is said of their negative when all is there."""
    if _kind(negated) != "quadratic":
        return
    diagonal = negated.parts[0].diagonal()
    if (diagonal < 0).any():
        j = int(np.argmax(diagonal < 0))
        raise _core.InputError(f"maximize: quadratic: P is not concave (diagonal entry {j} is {-diagonal[j]:.6g})")


def _sum_of_quadratics(terms: list[tuple[SmoothTerm, float]]) -> SmoothTerm:
    """1/2 x'(sum w P)x + (sum w q)'x; without squares where they cancel."""
    P = None
    for term, weight in terms:
        own = term.parts[0]
        own = weight * own if is_sparse(own) else weight * doubles(own, "P", "n", "n")
        if P is not None and P.shape != own.shape:
            raise _core.InputError(f"P: quadratic terms of {P.shape[0]} and {own.shape[0]} variables")
        P = own if P is None else P + own
    if is_sparse(P):
        P = P.tocsr()
        P.eliminate_zeros()
        empty = P.nnz == 0
    else:
        P = np.asarray(P)
        empty = not P.any()
    q = sum(weight * term.parts[1] for term, weight in terms)
    return linear_term(q, 0.0) if empty else quadratic_term(P, q)


def expect_terms(objective: Any, action: str) -> None:
    """Anything else is a TypeError."""
    if not isinstance(objective, Objective):
        raise TypeError(f"{action}: expected a term such as pl.linear(c), got {type(objective).__name__}{_hint(objective)}")


def _hint(value: Any) -> str:
    """What to do with something that is no term."""
    if isinstance(value, Regularizer):
        return f": simple terms are added by p.regularize(pl.{value.kind}(..))"
    if isinstance(value, (int, float, np.number)):
        return ": a constant belongs to pl.linear(c, constant)"
    if isinstance(value, (list, tuple)):
        return ": terms add with +"
    return ""


def _refuse_sum(other: Any) -> Any:
    """Operators leave it to Python to say that there is no sum, except where there is more to say."""
    hint = _hint(other)
    if not hint:
        return NotImplemented
    raise TypeError(f"a sum of terms and {type(other).__name__}{hint}")
