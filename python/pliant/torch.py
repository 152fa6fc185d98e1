"""A quadratic program as a layer of PyTorch: ``x = pliant.torch.solve_qp(P, q, G, h, A, b)``, differentiable in all of them.

The forward pass solves, the backward pass is one KKT system (``r.vjp``). PyTorch is imported here and nowhere else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant._needs import needs

try:
    import torch
except ImportError as error:
    raise needs("pliant.torch", "PyTorch", error) from error

import pliant as pl

__all__ = ["QP", "solve_qp"]

#: Asked for unless the call says otherwise: derivatives need a sharp view of what is active.
TOLERANCE = 1e-9


class _Solve(torch.autograd.Function):
    """x of one program; settings come first and have no gradient."""

    @staticmethod
    def forward(ctx: Any, settings: dict[str, Any], *data: Any) -> Any:
        P, q, G, h, A, b = (None if part is None else part.detach().cpu().numpy().astype(np.float64) for part in data)
        problem = pl.Problem(q.size).minimize(pl.linear(q) if P is None else pl.quadratic(0.5 * (P + P.T), q))
        rows = None if G is None else problem.subject_to(pl.linear_le(G, h))
        equalities = None if A is None else problem.subject_to(pl.equal(A, b))
        result = problem.solve(**settings)
        if result.status != "optimal":
            raise RuntimeError(f"solve_qp: {result.status}: {result.message}")
        ctx.solved = (problem, result, rows, equalities)
        ctx.save_for_backward(*data)
        return torch.from_numpy(result.x).to(data[1])

    @staticmethod
    def backward(ctx: Any, dx: Any) -> tuple[Any, ...]:
        _, result, rows, equalities = ctx.solved
        g = result.vjp(dx.detach().cpu().numpy().astype(np.float64))
        data, needed = ctx.saved_tensors, ctx.needs_input_grad[1:]
        makers = [lambda: g.P, lambda: g.q, lambda: _scattered(g.rows(rows), data[2].shape), lambda: g.h[rows],
                  lambda: g.rows(equalities)[1], lambda: g.h[equalities]]  # fmt: skip
        out = [torch.from_numpy(np.ascontiguousarray(make())).to(part) if part is not None and need else None
               for make, part, need in zip(makers, data, needed)]  # fmt: skip
        return (None, *out)


def _scattered(rows: tuple[np.ndarray, np.ndarray], shape: Any) -> np.ndarray:
    out = np.zeros(tuple(shape))
    out[rows[0]] = rows[1]
    return out


def solve_qp(P: Any, q: Any, G: Any = None, h: Any = None, A: Any = None, b: Any = None, **settings: Any) -> Any:
    """The x that minimises 1/2 x'Px + q'x subject to G x <= h, A x = b; P None: a linear program.

    Tensors, with one more dimension in front of some of them for a batch: those without are shared. Settings are those
    of ``pl.Problem.solve``. Where there is no solution: RuntimeError.

    >>> import torch, pliant.torch
    >>> h = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    >>> q, G = -2 * torch.ones(2, dtype=torch.float64), torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    >>> x = pliant.torch.solve_qp(torch.eye(2, dtype=torch.float64), q, G, h)
    >>> x.sum().backward()
    >>> h.grad.round(decimals=5)
    tensor([1.], dtype=torch.float64)
    """
    if (G is None) != (h is None) or (A is None) != (b is None):
        raise TypeError("solve_qp: G and h, A and b come in pairs")
    settings = {"tol_feas": TOLERANCE, "tol_gap": TOLERANCE} | settings
    data = (P, q, G, h, A, b)
    batch = {part.shape[0] for part, single in zip(data, (2, 1, 2, 1, 2, 1)) if part is not None and part.dim() > single}
    if not batch:
        return _Solve.apply(settings, *data)
    if len(batch) > 1:
        raise ValueError(f"solve_qp: batches of different sizes: {sorted(batch)}")

    def member(part: Any, single: int, k: int) -> Any:
        return part[k] if part is not None and part.dim() > single else part

    singles = (2, 1, 2, 1, 2, 1)
    members = range(batch.pop())
    return torch.stack(
        [_Solve.apply(settings, *(member(part, single, k) for part, single in zip(data, singles))) for k in members]
    )


class QP(torch.nn.Module):
    """``solve_qp`` as a module, with its settings.

    >>> import torch, pliant.torch
    >>> layer = pliant.torch.QP(tol_gap=1e-10)
    >>> layer(torch.eye(2, dtype=torch.float64), torch.tensor([-1.0, 2.0], dtype=torch.float64)).round(decimals=5)
    tensor([ 1., -2.], dtype=torch.float64)
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        self.settings = settings

    def forward(self, P: Any, q: Any, G: Any = None, h: Any = None, A: Any = None, b: Any = None) -> Any:
        return solve_qp(P, q, G, h, A, b, **self.settings)
