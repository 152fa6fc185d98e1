"""Programs as layers of PyTorch."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pliant.torch as layer  # noqa: E402


def tensors(rng, n=4, m=6):
    B, x = rng.standard_normal((n, n)), rng.standard_normal(n)
    G, A = rng.standard_normal((m, n)), rng.standard_normal((1, n))
    parts = (B @ B.T + np.eye(n), 3 * rng.standard_normal(n), G, G @ x + 0.3, A, A @ x)
    return [torch.tensor(part, dtype=torch.float64, requires_grad=True) for part in parts]


@pytest.mark.parametrize("seed", range(3))
def test_gradients(seed):
    rng = np.random.default_rng(seed)
    P, q, G, h, A, b = tensors(rng)

    def solve(P, q, G, h, A, b):
        return layer.solve_qp(0.5 * (P + P.T), q, G, h, A, b, tol_gap=1e-12, tol_feas=1e-12)

    assert torch.autograd.gradcheck(solve, (P, q, G, h, A, b), eps=1e-4, atol=1e-3, rtol=1e-3)


def test_batches_share_what_has_no_batch():
    rng = np.random.default_rng(5)
    P, q, G, h, _, _ = tensors(rng)
    qs = torch.stack([q, 2 * q, -q]).detach().requires_grad_()
    x = layer.QP()(P, qs, G, h)
    for k in range(3):
        assert torch.allclose(x[k], layer.solve_qp(P, qs[k], G, h), atol=1e-9)
    x.sum().backward()
    assert qs.grad.shape == qs.shape and h.grad.shape == h.shape and torch.isfinite(P.grad).all()


def test_what_cannot_be_solved_says_so():
    one = torch.ones(1, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="primal_infeasible"):
        layer.solve_qp(one[:, None], one, torch.stack([one, -one]), torch.cat([-one, -one]))
    with pytest.raises(TypeError, match="in pairs"):
        layer.solve_qp(one[:, None], one, one[:, None])
