"""Curved sets: the penalties the paper cites and other methods for sets, through projections, beside ours."""

from . import instances, plots, predecessor, reference, runs, tables

BUDGET = 3e6
TARGET = 1e-12
# What a method reaches within the budget; ours are judged by 1e-8, which no penalty of fixed weight can reach.
REQUIRED = 1e-8
# Parameters are tried and the best is kept: theory leaves them open.
BASELINES = {"quadratic-distance": (1.0, 1e1, 1e2, 1e3), "sasc-sgd": (1.0, 0.1), "spdhg": (1.0, 0.1, 0.01),
             "quadratic-penalty": (1e1, 1e3, 1e5), "huber-penalty": (1e-2, 1e-4, 1e-6)}
SAMPLING = ("katyusha", "loopless-katyusha", "catalyst-svrg", "svrg", "rpdg")
WHOLE = ("lbfgs", "apg")
STATIC_DELTAS = (1e-3, 1e-5)


def configurations(kind, xi):
    """Ours first. Cones are one smooth row each here; multipliers make up for the smoothing."""
    cones = ["--nonsmooth", "logsumexp"] if kind == "second-order cones" else []
    for method in WHOLE + SAMPLING:
        yield f"multiplier {method}", ["--method", method, "--outer", "multiplier", *cones]
    yield "nested lbfgs", ["--method", "lbfgs", "--outer", "nested", *cones[:1], *(["spectral"] if cones else [])]
    for delta in STATIC_DELTAS:
        yield f"static katyusha@{delta:g}", ["--method", "katyusha", "--outer", "static", "--delta", delta, "--xi", xi,
                                             *cones]
    for name, parameters in BASELINES.items():
        for parameter in parameters:
            yield f"baseline {name}@{parameter:g}", ["--baseline", name, "--parameter", parameter, "--xi", xi]


def run(context, report):
    """Runs, tables and plot; returns the verdicts."""
    planned, references = [], []
    budget = BUDGET / context.divisor
    for kind in instances.SETS:
        made = instances.sets(kind, 3)
        problem, exact, about = reference.solve(context.pliant, made, context.work, kind.replace(" ", "-"))
        references.append(about)
        for label, options in configurations(kind, 2 * about["largest_multiplier"]):
            planned.append(runs.Run(about["instance"], label, 1, [*options, "--budget", budget, "--error", TARGET], problem,
                                    exact))
    context.farm.perform_all(planned, "curved sets")
    rows, panels, verdicts = [], [], []
    for about in references:
        kept = predecessor.best_variants([run for run in planned if run.instance == about["instance"]], budget)
        panels.append({"runs": kept, "title": f"{about['instance']} ({about['active']} active)"})
        for run in kept:
            error = run.error_at(budget)
            rows.append({"instance": run.instance, "method": run.label, "error": "" if error is None else error,
                         "evaluations_to_1e-8": run.evaluations_to(REQUIRED) or "", "refused": run.refused or ""})
        ours = [run.error_at(budget) for run in kept if run.label.startswith("multiplier") and not run.refused]
        best = min((e for e in ours if e is not None), default=None)
        verdicts.append("ok" if best is not None and best <= REQUIRED else "MISS")
    runs.write_csv(context.out / "curved_sets.csv", rows)
    runs.write_points(context.out / "curved_sets_points.csv", planned)
    plots.error_grid(context.out, "curved_sets", panels, columns=3)
    report.add(f"Curved sets: relative error of x at {budget:.0e} evaluations",
               tables.pivot(rows, "method", "instance", lambda r: "refused" if r["refused"] else r["error"]))
    report.add("Curved sets: evaluations to 1e-8",
               tables.pivot(rows, "method", "instance", lambda r: r["evaluations_to_1e-8"]))
    report.add("Curved sets: references", references)
    return verdicts
