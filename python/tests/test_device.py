"""Rows on a CUDA device, taken through DLPack: the answers of host memory, nothing copied, everything given back."""

import gc
import os

import numpy as np
import pliant as pl
import pytest
from card import EMULATION, ON_CARD, Imitated, on_card

if not ON_CARD:
    if not EMULATION.exists():
        pytest.skip(f"needs {EMULATION.name}, which scripts/test-python builds", allow_module_level=True)
    os.environ["PLIANT_CUDA_LIBRARY"] = str(EMULATION)

TIGHT = dict(tol_gap=1e-8, tol_feas=1e-8)
N, M = 6, 3000


def rows(seed, m=M, dtype=np.float64):
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((m, N)).astype(dtype)
    return G, (rng.uniform(0.5, 1.5, m) * np.linalg.norm(G, axis=1)).astype(dtype)


def problem(seed):
    c = np.random.default_rng([seed, 1]).standard_normal(N)
    return pl.Problem(N).minimize(pl.linear(c) + 0.3 * pl.quadratic(np.eye(N))).regularize(pl.box(-10.0, 10.0))


def here(seed, *parts):
    p = problem(seed)
    for constraint in parts:
        p.subject_to(constraint)
    return p


def check_against_host(p, r, whole):
    """x and duals of a result beside a device, by the certificate of the same rows in host memory."""
    one = whole.solve(**TIGHT)
    assert r.status == one.status == "optimal"
    assert r.objective == pytest.approx(one.objective, abs=1e-7)
    verdict = whole.check(r.x, **TIGHT)
    assert verdict["violation"]["linf"] <= 1e-8
    for mine, theirs in zip(r.duals, one.duals, strict=True):
        assert np.asarray(mine) == pytest.approx(np.asarray(theirs), abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("sides_there", [True, False])
def test_the_answer_is_that_of_host_memory(seed, dtype, sides_there):
    G, h = rows(seed, dtype=dtype)
    p = problem(seed)
    c = p.subject_to(pl.linear_le(on_card(G), on_card(h) if sides_there else h.astype(np.float64)))
    r = p.solve(**TIGHT)
    check_against_host(p, r, here(seed, pl.linear_le(G.astype(np.float64), h.astype(np.float64))))
    assert r.m == M and r.duals[c].size == M and r.reads >= 1
    assert r.lower_bound_rigorous


def test_several_batches_with_two_sides():
    (G, h), (F, f) = rows(7), rows(8, 500)
    lo, hi = -f, np.where(np.arange(500) % 3 == 0, np.inf, f)
    p = problem(7)
    p.subject_to(pl.linear_le(on_card(G), on_card(h)), name="first")
    p.subject_to(pl.equal(np.ones((1, N)), [0.1]))
    p.subject_to(pl.linear_range(on_card(lo), on_card(F), on_card(hi)))
    r = p.solve(**TIGHT)
    whole = here(7, pl.linear_le(G, h), pl.equal(np.ones((1, N)), [0.1]), pl.linear_range(lo, F, hi))
    check_against_host(p, r, whole)
    again = p.solve(**TIGHT)
    assert again.x.tobytes() == r.x.tobytes()


def test_points_of_an_ellipsoid():
    points = np.random.default_rng(3).standard_normal((2000, 3))
    p = pl.Problem(10).minimize(pl.log_det(4))
    p.subject_to(pl.rank_one_le(on_card(points), np.ones(2000), lifted=True))
    whole = pl.Problem(10).minimize(pl.log_det(4))
    whole.subject_to(pl.rank_one_le(points, np.ones(2000), lifted=True))
    assert p.solve(**TIGHT).objective == pytest.approx(whole.solve(**TIGHT).objective, abs=1e-6)


def test_rows_that_exclude_each_other_are_proven_to():
    G, h = rows(5)
    G[100], G[2000] = 1.0, -1.0
    h[[100, 2000]] = -1.0
    p = problem(5)
    c = p.subject_to(pl.linear_le(on_card(G), on_card(h)))
    r = p.solve()
    assert r.status == "primal_infeasible" and r.lower_bound == np.inf
    duals = r.duals[c].toarray()
    assert (duals >= 0.0).all()
    assert -duals @ h - 10.0 * np.abs(duals @ G).sum() > 0.0  # of duals'(Gx - h) over the box


@pytest.mark.skipif(ON_CARD, reason="of the imitated arrays")
def test_arrays_are_held_as_long_as_the_problem_and_wait_for_the_default_stream():
    gc.collect()
    before = set(Imitated.alive)
    G, h = rows(1)
    G_there, h_there = on_card(G), on_card(h)
    p = problem(1)
    p.subject_to(pl.linear_le(G_there, h_there))
    mine = set(Imitated.alive) - before
    assert len(mine) == 2 and G_there.streams == h_there.streams == [1]
    r = p.solve()
    assert mine <= set(Imitated.alive) and r.status == "optimal"
    del p
    gc.collect()
    assert not mine & set(Imitated.alive)


def test_errors_say_what_and_where():
    G, h = rows(2, 50)
    p = problem(2)
    for make, words in (
        (lambda: pl.linear_le(on_card(G.T.copy().T), h), "G: expected numbers row after row without gaps"),
        (lambda: pl.linear_le(on_card(G[0]), h), r"G: expected shape \(m, n\)"),
        (lambda: pl.linear_le(on_card(G.astype(np.int64)), h), "G: expected float64 or float32"),
        (lambda: pl.linear_le(on_card(G), on_card(h[:-1])), r"h: expected shape \(50,\)"),
        (lambda: pl.linear_le(on_card(G), h[:-1]), r"h: expected shape \(50,\)"),
        (lambda: pl.linear_range(on_card(-h), on_card(G), h), "lo and hi: expected both on the device"),
    ):
        with pytest.raises(pl.InputError, match=words):
            p.subject_to(make())
    p.subject_to(pl.linear_le(on_card(G), h))
    for action, words in ((lambda: p.check(np.zeros(N)), "check: rows on a device"),
                          (lambda: p.solve().vjp(np.ones(N)), "vjp: rows in shards or on a device")):
        with pytest.raises(pl.InputError, match=words):
            action()
    p.subject_to(pl.linear_le(G, h))
    with pytest.raises(pl.InputError, match="inequalities of its own"):
        p.solve()


@pytest.mark.skipif(not ON_CARD, reason="needs a card")
def test_a_tensor_is_not_copied():
    import torch

    m, n = 2_000_000, 100
    G = torch.randn(m, n, dtype=torch.float64, device="cuda")
    G /= G.norm(dim=1, keepdim=True)
    h = torch.ones(m, dtype=torch.float64, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    data = G.numel() * 8
    allocated = torch.cuda.memory_allocated()
    free = torch.cuda.mem_get_info()[0]
    p = pl.Problem(n).minimize(pl.quadratic(np.eye(n), 3.0 * np.random.default_rng(0).standard_normal(n)))
    p.subject_to(pl.linear_le(G, h))
    least = []
    r = p.solve(callback=lambda info: least.append(torch.cuda.mem_get_info()[0]) and False, **TIGHT)
    assert r.status == "optimal"
    assert torch.cuda.max_memory_allocated() <= allocated + data // 2  # PyTorch's own, of the norms above
    assert free - min(least) <= 0.1 * data
    x = torch.tensor(r.x, device="cuda")
    assert float((G @ x - h).max()) <= 1e-8
