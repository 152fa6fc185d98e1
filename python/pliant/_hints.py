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


#: What others call what a problem or a result has, with the words for it.
ANSWER = "the answer is what p.solve() returns: r = p.solve(), then r.{}"
ADD = "constraints are added by p.subject_to(pl.linear_le(G, h)), one call for each"
EQUALITIES = "A x = b is p.subject_to(pl.equal(A, b))"
BOUNDS = "bounds are p.regularize(pl.box(lo, hi))"
MEMBERS = {
    "Problem": {
        "equality": EQUALITIES, "equals": EQUALITIES, "eq": EQUALITIES, "add_equality": EQUALITIES,
        "linear_eq": EQUALITIES, "linear_equal": EQUALITIES,
        "linear_ge": f"{AT_LEAST}, in p.subject_to(..)", "linear_geq": f"{AT_LEAST}, in p.subject_to(..)",
        "add": ADD, "add_constraint": ADD, "add_constraints": ADD, "constrain": ADD, "constraints": ADD, "st": ADD,
        "bounds": BOUNDS, "set_bounds": BOUNDS, "lower": BOUNDS, "upper": BOUNDS, "lb": BOUNDS, "ub": BOUNDS,
        "set_objective": "an objective is p.minimize(pl.linear(c)), or p.maximize(..)",
        "minimise": "it is p.minimize(f)", "maximise": "it is p.maximize(f)",
        "optimize": "it is p.solve()", "optimise": "it is p.solve()", "run": "it is p.solve()",
        "write": "it is p.save(file)", "x": ANSWER.format("x"), "value": ANSWER.format("objective"),
        "status": ANSWER.format("status"), "duals": ANSWER.format("duals"), "result": ANSWER.format("x"),
    },
    "Result": {
        "fun": "it is r.objective", "obj": "it is r.objective", "optimal_value": "it is r.objective",
        "success": "it is r.status == 'optimal'", "nit": "it is r.iterations", "info": "it is r.to_dict()",
        "y": "multipliers are r.duals, one array per call of subject_to", "z": "multipliers of bounds are r.bound_duals",
        "dual": "multipliers are r.duals, one array per call of subject_to",
        "multipliers": "multipliers are r.duals, one array per call of subject_to",
        "values": "values are r.x, or r.value(name)", "write": "it is r.save(file)",
    },
}  # fmt: skip
#: Where what a function of the package makes is handed to, by what it makes.
TAKERS = {"Constraint": "p.subject_to", "Objective": "p.minimize", "Regularizer": "p.regularize"}


class Suggesting:
    """Says what may have been meant by an attribute that is not there."""

    __slots__ = ()

    def __getattr__(self, name: str) -> object:
        raise AttributeError(_unknown_member(type(self), name))


def _unknown_member(kind: type, name: str) -> str:
    from difflib import get_close_matches

    text = f"{kind.__name__!r} object has no attribute {name!r}"
    if name.startswith("_"):
        return text
    members = MEMBERS.get(kind.__name__, {})
    if name in members:
        return f"{text}; {members[name]}"
    if kind.__name__ == "Problem":
        import pliant

        maker = vars(pliant).get(name)
        taker = TAKERS.get(getattr(maker, "__annotations__", {}).get("return", ""))
        if taker is not None:
            return f"{text}; it is a function of the package: {taker}(pl.{name}(..))"
    near = get_close_matches(name, [own for own in (*dir(kind), *kind.__annotations__) if not own.startswith("_")])
    return f"{text}; near: {', '.join(dict.fromkeys(near))}" if near else text
