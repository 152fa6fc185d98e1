"""What may be handed in: used in place, converted, or refused by name."""

import gc
import weakref

import numpy as np
import pliant as pl
import pytest
import scipy.sparse as sp


def objective_of(P):
    return pl.Problem(P.shape[1]).minimize(pl.quadratic(P))


def test_contiguous_float64_is_used_in_place():
    P = np.eye(2)
    p = objective_of(P)
    assert p.objective([1.0, 1.0]) == 1.0
    P[0, 0] = 3.0
    assert p.objective([1.0, 1.0]) == 2.0


@pytest.mark.parametrize("indices", ["int32", "int64"])
def test_values_of_csr_are_used_in_place(indices):
    P = sp.csr_matrix(np.eye(2))
    P.indices, P.indptr = P.indices.astype(indices), P.indptr.astype(indices)
    p = objective_of(P)
    P.data[0] = 3.0
    assert p.objective([1.0, 1.0]) == 2.0


@pytest.mark.parametrize(
    "convert",
    [
        lambda P: P.astype(np.float32),
        lambda P: P.astype(np.int8),
        lambda P: P.astype(bool),
        lambda P: P.astype(">f8"),
        lambda P: np.asfortranarray(np.stack([P[0], P[1]])),
        lambda P: np.repeat(np.repeat(P, 2, axis=0), 2, axis=1)[::2, ::2],
        lambda P: P.tolist(),
        np.ma.masked_array,
        sp.csc_array,
        sp.coo_matrix,
        sp.dia_matrix,
        sp.lil_matrix,
        lambda P: sp.csr_matrix(P).astype(np.float32),
    ],
)
def test_other_real_arrays_are_converted(convert):
    given = convert(np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert pl.Problem(2).minimize(pl.quadratic(given)).objective([1.0, 2.0]) == 2.5


def test_read_only_arrays_are_used_in_place():
    P = np.eye(2)
    view = P.view()
    view.flags.writeable = False
    p = objective_of(view)
    P[0, 0] = 3.0
    assert p.objective([1.0, 1.0]) == 2.0


def test_unsorted_and_repeated_entries_leave_the_matrix_alone():
    G = sp.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 0]), np.array([0, 3])), shape=(1, 2))
    before = G.data.copy(), G.indices.copy()
    p = pl.Problem(2).minimize(pl.quadratic(np.eye(2), [-10.0, -10.0]))
    p.subject_to(pl.linear_le(G, [1.0]))
    r = p.solve(tol_feas=1e-9)
    assert abs(5 * r.x[0] + r.x[1] - 1.0) < 1e-6
    np.testing.assert_array_equal(G.data, before[0])
    np.testing.assert_array_equal(G.indices, before[1])


def test_arrays_live_as_long_as_the_problem_and_no_longer():
    class Tracked(np.ndarray):
        pass

    G = np.ones((3, 2)).view(Tracked)
    gone = weakref.ref(G)
    p = pl.Problem(2).minimize(pl.quadratic(np.eye(2)))
    p.subject_to(pl.linear_le(G, np.ones(3)))
    del G
    gc.collect()
    p.solve()
    assert p.m == 3
    del p
    gc.collect()
    assert gone() is None


G, H = np.ones((3, 2)), np.ones(3)
REFUSED = {
    "complex": (lambda: pl.linear_le(G * 1j, H), TypeError, "G: expected real numbers, got dtype complex128"),
    "object": (lambda: pl.linear_le(G, [None] * 3), TypeError, "h: expected real numbers, got dtype object"),
    "text": (lambda: pl.linear_le(G, ["a", "b", "c"]), TypeError, "h: expected real numbers, got dtype <U1"),
    "ragged": (lambda: pl.linear_le([[1.0], [1.0, 2.0]], H), TypeError, "G: expected an array of numbers"),
    "sparse complex": (lambda: pl.linear_le(sp.csr_matrix(G * 1j), H), TypeError, "G: expected real numbers"),
    "sparse vector": (lambda: pl.linear_le(G, sp.csr_matrix(H)), TypeError, "h: expected a dense array, got a sparse"),
    "masked": (lambda: pl.linear_le(G, np.ma.masked_array(H, [1, 0, 0])), TypeError, "h: .*without masked"),
    "length": (lambda: pl.linear_le(G, np.ones(4)), pl.InputError, r"h: expected shape \(3,\), got \(4,\)"),
    "matrix for vector": (lambda: pl.linear_le(G, np.ones((3, 1))), pl.InputError,
                          r"h: expected shape \(3,\), got \(3, 1\)"),
    "vector for matrix": (lambda: pl.linear_le(H, H), pl.InputError, r"G: expected shape \(m, n\), got \(3,\)"),
    "batch": (lambda: pl.quadratic_le(np.ones((2, 3, 4)), np.ones((2, 4)), [1, 1]), pl.InputError, r"P: expected shape"),
    "labels": (lambda: pl.multinomial(G, [0.0, 1.0, 0.0], 2), TypeError, "labels: expected integers, got dtype float64"),
    "number": (lambda: pl.l1([1.0, 2.0]), TypeError, r"w: expected a number, got an array of shape \(2,\)"),
    "n": (lambda: pl.Problem(2.5), TypeError, "n: expected an integer, got float"),
    "no variables": (lambda: pl.Problem(0), pl.InputError, "n: expected at least 1 variable, got 0"),
    "variables": (
        lambda: pl.Problem(3).subject_to(pl.linear_le(G, H)),
        pl.InputError,
        r"constraint batch 0 \(linear\): expected 3 variables, got 2",
    ),
    "cone rows": (lambda: pl.Problem(2).subject_to(pl.conic(G, H, [("soc", 4)])), pl.InputError, "4"),
    "cone name": (lambda: pl.conic(G, H, [("ball", 3)]), pl.InputError, "cones: expected zero, nonneg, .* got 'ball'"),
    "cone pair": (lambda: pl.conic(G, H, [3]), TypeError, "cones: expected pairs"),
    "lmi": (lambda: pl.lmi_le(np.eye(3), np.ones((2, 2, 2))), pl.InputError, "F0: expected shape"),
    "not symmetric": (lambda: pl.lmi_le(np.ones((2, 2)), [np.array([[0.0, 1], [0, 0]])]), pl.InputError, "symmetric"),
    "soc": (lambda: pl.soc_le(np.ones((2, 3, 4)), np.ones((2, 3)), np.ones((2, 4)), np.ones(3)), pl.InputError, "d: exp"),
    "two forms": (lambda: pl.quadratic_le(P=1, factor=1, q=1, r=1), TypeError, "one of P, factor and diagonal"),
    "term": (lambda: pl.Problem(2).minimize(G), TypeError, "minimize: expected a term"),
    "constraint": (lambda: pl.Problem(2).subject_to(G), TypeError, "subject_to: expected constraints"),
    "weight": (lambda: pl.Problem(2).minimize(-1 * pl.log_det(2)), pl.InputError, "weight must be finite and >= 0"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_the_name_of_the_argument(case):
    make, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none_are_named(bad, rng):
    data = rng.standard_normal((50, 2))
    data[17, 1] = bad
    p = pl.Problem(2).minimize(pl.quadratic(np.eye(2)))
    p.subject_to(pl.linear_le(data, np.ones(50)))
    with pytest.raises(pl.InputError, match=r"linear constraints: G: row 17 contains (nan|inf)"):
        p.solve()
    for broken in (lambda: pl.linear([1.0, bad]), lambda: pl.least_squares(data, np.ones(50))):
        p = pl.Problem(2).minimize(broken())
        with pytest.raises(pl.InputError, match="(nan|inf)"):
            p.solve()


def test_broken_csr_is_refused():
    G = sp.csr_matrix(np.eye(3))
    G.indices[1] = 7
    G.has_canonical_format = True
    p = pl.Problem(3).minimize(pl.quadratic(np.eye(3)))
    p.subject_to(pl.linear_le(G, np.ones(3)))
    with pytest.raises(pl.InputError, match="column 7"):
        p.solve()


def test_empty_batches(rng):
    p = pl.Problem(2).minimize(pl.quadratic(np.eye(2), [1.0, 1.0]))
    p.subject_to(pl.linear_le(np.empty((0, 2)), np.empty(0)))
    p.subject_to(pl.linear_le(sp.csr_matrix((0, 2)), np.empty(0)))
    r = p.solve()
    assert r.status == "optimal" and [d.size for d in r.duals] == [0, 0]
