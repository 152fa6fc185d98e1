"""What somebody may have meant by a name that pliant does not have."""

from __future__ import annotations

from collections.abc import Sequence

# Modules that are imported by their own name: they need packages that not everybody has.
MODULES = ("cvxpy", "estimators", "qpsolvers", "torch")

AT_LEAST = "G x >= lo is linear_range(lo, G, inf), or linear_le(-G, -lo)"
EQUAL = "A x = b is equal(A, b)"
OBJECTIVE = "objectives belong to a problem: Problem(n).minimize(f) or .maximize(f)"
VARIABLE = "Problem(n) has its n variables; models of CVXPY run with solver='PLIANT' after import pliant.cvxpy"
HINTS = {
    "linear_ge": AT_LEAST, "linear_geq": AT_LEAST,
    "linear_eq": EQUAL, "equality": EQUAL, "linear_equal": EQUAL,
    "minimize": OBJECTIVE, "maximize": OBJECTIVE, "minimise": OBJECTIVE, "maximise": OBJECTIVE,
    "Variable": VARIABLE, "Parameter": VARIABLE,
}


def unknown_name(name: str, known: Sequence[str]) -> str:
    """The line for a name that the package does not have."""
    from difflib import get_close_matches

    text = f"module 'pliant' has no attribute {name!r}"
    if name in MODULES:
        return f"{text}; it is a module of its own: import pliant.{name}"
    if name in HINTS:
        return f"{text}; {HINTS[name]}"
    near = [] if name.startswith("__") else get_close_matches(name.lower(), known)
    return f"{text}; near: {', '.join(near)}" if near else text
