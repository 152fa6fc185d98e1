"""Packages that not everybody has: what needs them, and how they are installed."""

from __future__ import annotations

#: Package and the extra of pliant that brings it (pyproject.toml).
EXTRAS = {
    "CVXPY 1.9 or later": "cvxpy",
    "matplotlib": "plot",
    "pandas": "frames",
    "pyarrow": "parquet",
    "PyTorch": "torch",
    "qpsolvers": "qpsolvers",
    "scikit-learn 1.6 or later": "learn",
    "tqdm": "progress",
}


def needs(who: str, package: str, error: ImportError) -> ImportError:
    """What to raise where an import failed: a package that is missing, too old or broken, which `error` says."""
    return ImportError(f"{who}: needs {package}: pip install 'pliant[{EXTRAS[package]}]' ({error})", name=error.name)
