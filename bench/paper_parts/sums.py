"""A large sum (importance against uniform sampling), and every method on every kind of objective and constraint."""

import support

from . import instances, plots, reference, runs, tables

LARGE = {"budget": 2e7, "must": {1e-3: 1e-8}, "mus": (1e-3, 1e-4)}
VARIANCE_REDUCED = ("svrg", "loopless-svrg", "catalyst-svrg", "katyusha", "loopless-katyusha")
METHODS = (*VARIANCE_REDUCED, "rpdg", "sdca", "lbfgs", "apg")
TARGET = 1e-12
CONVERGED = 1e-8  # relative error of x that counts as converged in the table of combinations


def options_of(method):
    return ["--method", method] + ([] if method == "sdca" else ["--outer", "multiplier"])


def large(context, report):
    """Runs, tables and plot; returns the verdicts."""
    sizes = {"l": 2000, "m": 200, "n": 20} if context.quick else {}
    planned, panels, rows, references = [], [], [], []
    for mu in LARGE["mus"]:
        made = instances.large_sum(5, mu, **sizes)
        problem, exact, about = reference.solve(context.pliant, made, context.work, f"large-{mu:g}")
        references.append(about)
        for sampling in ("importance", "uniform"):
            for method in METHODS if sampling == "importance" else VARIANCE_REDUCED:
                label = method if sampling == "importance" else f"{method}, uniform"
                planned.append(runs.Run(about["instance"], label, 1,
                                        [*options_of(method), "--sampling", sampling, "--budget",
                                         LARGE["budget"] / context.divisor, "--error", TARGET], problem, exact))
    context.farm.perform_all(planned, "large sum")
    for mu in LARGE["mus"]:
        mine = [run for run in planned if run.instance.endswith(f"mu {mu:g}")]
        must = LARGE["must"].get(mu)
        errors = {run.label: run.error_at(LARGE["budget"]) for run in mine}
        best = min((e for label, e in errors.items() if e is not None and label.split(",")[0] not in ("lbfgs", "apg")),
                   default=None)
        for run in mine:
            error = errors[run.label]
            rows.append({"mu": mu, "method": run.label, "error": "" if error is None else error,
                         "evaluations_to_1e-8": run.evaluations_to(1e-8) or "", "refused": run.refused or "",
                         "best_stochastic": error is not None and error == best,
                         "verdict": support.grade(best, must) if error == best else ""})
        panels.append({"runs": mine, "title": f"large sum, mu = {mu:g}", "budget": LARGE["budget"]})
    runs.write_csv(context.out / "large_sum.csv", rows)
    runs.write_points(context.out / "large_sum_points.csv", planned)
    plots.error_grid(context.out, "large_sum", panels)
    report.add("Large sum: relative error of x at the budget",
               tables.pivot(rows, "method", "mu", lambda r: "refused" if r["refused"] else r["error"]))
    report.add("Large sum: evaluations to 1e-8", tables.pivot(rows, "method", "mu", lambda r: r["evaluations_to_1e-8"]))
    report.add("Large sum: references", references)
    return [row["verdict"] for row in rows]


def combinations(context, report):
    """Every method on ridge, logistic and Huber problems with linear, quadratic and log-sum-exp constraints."""
    planned, rows, panels = [], [], []
    budget = (3e5 if context.quick else 6e6)
    for objective in instances.OBJECTIVES:
        for family in instances.FAMILIES:
            made = instances.combination(objective, family, 3)
            problem, exact, about = reference.solve(context.pliant, made, context.work, f"{objective}-{family}")
            mine = [runs.Run(about["instance"], method, 1, [*options_of(method), "--budget", budget, "--error", TARGET],
                             problem, exact) for method in METHODS]
            planned += mine
            panels.append({"runs": mine, "title": f"{objective}, {family} ({about['active']} active)"})
    context.farm.perform_all(planned, "combinations")
    for run in planned:
        rows.append({"instance": run.instance, "method": run.label, "refused": run.refused or "",
                     "error": "" if run.refused else run.result["best_error"],
                     "evaluations_to_1e-8": run.evaluations_to(CONVERGED) or "",
                     "verdict": "refused" if run.refused else support.grade(run.result["best_error"], CONVERGED)})
    runs.write_csv(context.out / "combinations.csv", rows)
    runs.write_points(context.out / "combinations_points.csv", planned)
    plots.error_grid(context.out, "combinations", panels, columns=3)
    report.add(f"Evaluations to a relative error of {CONVERGED:g}, else the error after {budget:.0e} evaluations",
               tables.pivot(rows, "instance", "method", lambda r: "refused" if r["refused"] else
                            r["evaluations_to_1e-8"] or f"({r['error']:.0e})"))
    return [row["verdict"] for row in rows]
