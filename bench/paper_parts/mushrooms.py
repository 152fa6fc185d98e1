"""The hard-margin SVM on mushrooms with the 50-digit reference of bench/svm_mushrooms."""

import importlib.machinery
import importlib.util

import numpy as np

import support

from . import model, reference


def find(data):
    file = data / "libsvm" / "mushrooms.txt.gz"
    return file if file.exists() else None


def script():
    """bench/svm_mushrooms as a module."""
    loader = importlib.machinery.SourceFileLoader("svm_mushrooms", str(support.ROOT / "bench" / "svm_mushrooms"))
    spec = importlib.util.spec_from_loader("svm_mushrooms", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def prepare(data, folder, stem):
    svm = script()
    X, labels = svm.read_libsvm(find(data))
    A, b = svm.constraints(X.astype(np.longdouble), labels)
    made = model.Model("mushrooms", A.shape[1], [], 1.0, model.Linear(A.astype(float), b.astype(float)), 1.0)
    problem, exact = folder / f"{stem}.h5", folder / f"{stem}-reference.h5"
    made.write(problem)
    if exact.exists():
        print(f"mushrooms: reference of an earlier run used again ({exact})")
    else:
        reference.write(exact, svm.reference(X, labels).astype(np.longdouble))
    about = {"instance": made.name, "n": made.n, "l": 0, "m": len(b), "active": "", "largest_multiplier": "",
             "path_error": "", "last_correction": ""}
    return problem, exact, about, made.xi
