"""Large data are held once: by NumPy."""

import subprocess
import sys

import numpy as np
import pliant as pl
import pytest

SCRIPT = """
import sys, numpy as np, pliant as pl

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024

m, n = int(sys.argv[1]), 20
G = np.empty((m, n))
rng = np.random.default_rng(0)
for k in range(0, m, 10000):
    G[k:k + 10000] = rng.standard_normal((min(10000, m - k), n))
h = np.ones(m)
if sys.argv[2] != "dense":
    import scipy.sparse as sp
    columns = np.tile(np.arange(n), m)
    G = sp.csr_matrix((G.reshape(-1), columns, np.arange(0, m * n + 1, n)), shape=(m, n))
    G.indices, G.indptr = G.indices.astype(sys.argv[2]), G.indptr.astype(sys.argv[2])
    G.has_canonical_format = True
    del columns
p = pl.Problem(n).minimize(pl.quadratic(np.eye(n), np.ones(n)))
with open("/proc/self/clear_refs", "w") as reset:  # forget what making the data took
    reset.write("5")
before = peak()
p.subject_to(pl.linear_le(G, h))
built = peak()
r = p.solve()
print(r.status, built - before, peak() - before, p.data_bytes)
"""


@pytest.mark.parametrize("form", ["dense", "int32", "int64"])
def test_the_matrix_is_not_copied(form):
    m = 500_000
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(m), form], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    status, building, all_in_all, data = done.stdout.split()
    values = m * 20 * 8
    assert status == "optimal" and int(data) >= values
    widened = values if form == "int32" else 0  # indices become 64-bit ones; values are never copied
    assert int(building) < 0.1 * values + widened
    # A solve keeps a few numbers per row, but no second matrix.
    assert int(all_in_all) < 0.6 * values + widened


def test_import_is_light():
    """pliant loads nothing but NumPy."""
    script = "import sys, pliant; print(sorted({m.split('.')[0] for m in sys.modules} & set(sys.argv[1:])))"
    heavy = ["scipy", "matplotlib", "pandas", "cvxpy", "sklearn", "h5py", "difflib", "subprocess", "asyncio"]
    done = subprocess.run([sys.executable, "-c", script, *heavy], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_huge_counts_are_refused_not_allocated():
    with pytest.raises((MemoryError, pl.InputError)):
        pl.generate.dense_qp(n=1000, m=10**14)


def test_files_beyond_the_memory_limit_are_mapped(tmp_path):
    file = tmp_path / "p.h5"
    pl.generate.to_file("dense_qp", file, n=20, m=20000, seed=1)
    mapped = pl.load(file, memory_limit=10**6)
    r, s = mapped.solve(), pl.load(file).solve()
    assert r.mapped_bytes >= 20 * 20000 * 8 and r.x.tobytes() == s.x.tobytes()
    np.testing.assert_array_equal(r.duals[0], s.duals[0])
