import os
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def rng(request):
    """Random numbers of a seed that changes with PLIANT_TEST_SEED and is shown when a test fails."""
    seed = int(os.environ.get("PLIANT_TEST_SEED", "0"))
    print(f"PLIANT_TEST_SEED={seed}")
    return np.random.default_rng([seed, *map(ord, request.node.name)])


@pytest.fixture(scope="session")
def command():
    """The command, from PLIANT_COMMAND or the release build."""
    given = os.environ.get("PLIANT_COMMAND")
    path = pathlib.Path(given) if given else ROOT / "build" / "release" / "pliant"
    if not path.exists():
        if given:
            pytest.fail(f"PLIANT_COMMAND: {path} does not exist")
        pytest.skip("the command is not built (scripts/build release pliant_cli)")
    return path


@pytest.fixture
def endless():
    """A solve that nobody waits for: tolerances beyond reach of a slow method on a long problem."""
    import pliant as pl

    problem = pl.generate.dense_lp(n=40, m=4000, seed=3)
    return problem, dict(method="apg", outer="static", xi=50.0, delta=1e-12, tol_gap=1e-15, tol_feas=1e-15)
