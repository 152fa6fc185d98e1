"""Component evaluations to the first point with |max(0, a)|_1 <= eps and F - F* <= xi eps / 2, and fitted exponents.

Unit rows, l = m, mu and xi the same everywhere. The static strategy runs once per eps with the delta that belongs to it:
eps/(4 m ln 2), which the theory guarantees, or eps/(4 sqrt(m) ln(2 sqrt(m) U xi / (mu eps))), the paper's choice.
"""

import math

import numpy as np

import support

from . import instances, plots, reference, runs

MUST = {"eps": 0.8, "m guaranteed": 1.6, "m paper": 1.35}
METHODS = ("catalyst-svrg", "katyusha")
EPS = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
SIZES = (100, 300, 1000, 3000)
EPS_OF_SIZES, SIZE_OF_EPS = 1e-2, 300
BUDGET = 3e8


def guaranteed_delta(eps, m, xi, mu):
    return eps / (4 * m * math.log(2))


def paper_delta(eps, m, xi, mu):
    """U = 2 m C0 with C0 = 1 (and C1 = 0) for unit rows."""
    U = 2.0 * m
    return eps / (4 * math.sqrt(m) * math.log(2 * math.sqrt(m) * U * xi / (mu * eps)))


DELTAS = {"guaranteed": guaranteed_delta, "paper": paper_delta}


def exponent(xs, ys):
    """Slope of the least-squares line through the logarithms."""
    return float(np.polyfit(np.log(xs), np.log(ys), 1)[0])


def mean_hit(done, **wanted):
    """Geometric mean over the seeds of the evaluations to the hit; None unless every seed has one."""
    hits = [h for run, tags, h in done if all(tags[k] == v for k, v in wanted.items())]
    return math.exp(sum(map(math.log, hits)) / len(hits)) if hits and None not in hits else None


def run(context, report):
    """Runs, tables and plots; returns the verdicts."""
    sizes = SIZES[:2] if context.quick else SIZES
    epsilons = EPS[:3] if context.quick else EPS
    seeds = range(1, 2 if context.quick else 4)
    made = {m: instances.unit_rows(7, m) for m in sizes}
    files = {m: reference.solve(context.pliant, model, context.work, f"unit-rows-{m}") for m, model in made.items()}
    # One xi for all sizes: twice the largest multiplier.
    xi = 2 * max(about["largest_multiplier"] for _, _, about in files.values())
    mu = made[sizes[0]].l2
    planned = []

    def plan(m, method, outer, eps_list, seed, **tags):
        problem, exact, about = files[m]
        options = ["--method", method, "--outer", outer, "--xi", xi, "--hit-xi", xi, "--budget", BUDGET,
                   "--hits", ",".join(map(str, eps_list))]
        if outer == "static":
            options += ["--delta", DELTAS[tags["delta"]](eps_list[0], m, xi, mu)]
        label = f"{outer} {method} {tags.get('delta', '')}".strip()
        planned.append((runs.Run(about["instance"], label, seed, options, problem, exact),
                        [{"m": m, "method": method, "outer": outer, "eps": eps, **tags} for eps in eps_list]))

    for seed in seeds:
        for method in (*METHODS, "apg"):
            if method == "apg" and seed != seeds[0]:
                continue  # it draws nothing
            for delta in DELTAS:
                for eps in epsilons:
                    plan(SIZE_OF_EPS, method, "static", [eps], seed, delta=delta)
                for m in sizes:
                    if m != SIZE_OF_EPS or EPS_OF_SIZES not in epsilons:
                        plan(m, method, "static", [EPS_OF_SIZES], seed, delta=delta)
            for m in sizes:
                plan(m, method, "multiplier", list(epsilons), seed, delta="-")
    context.farm.perform_all([run for run, _ in planned], "complexity")
    done = [(run, tags, hit) for run, all_tags in planned for tags, hit in zip(all_tags, run.result["hits"])]
    runs.write_csv(context.out / "complexity_hits.csv",
                   [{"label": r.label, "seed": r.seed, **tags, "xi": xi, "mu": mu, "evaluations": hit or ""}
                    for r, tags, hit in done])
    rows, panels = tabulate(done, sizes, epsilons)
    savings = saving(done, sizes)
    runs.write_csv(context.out / "complexity.csv", rows)
    runs.write_csv(context.out / "complexity_saving.csv", savings)
    plots.powers(context.out, "complexity", panels)
    report.add("Fitted exponents of the evaluations to the first hit", rows)
    report.add("Saving against apg", savings)
    return [row["verdict"] for row in rows]


def tabulate(done, sizes, epsilons):
    rows, panels = [], []
    sweeps = [("eps", "1/eps", [(1 / e, {"m": SIZE_OF_EPS, "eps": e}) for e in epsilons]),
              ("m", "m", [(m, {"m": m, "eps": EPS_OF_SIZES}) for m in sizes])]
    for name, xlabel, grid in sweeps:
        series = {}
        for outer, delta in (("static", "guaranteed"), ("static", "paper"), ("multiplier", "-")):
            for method in (*METHODS, "apg"):
                ys = [mean_hit(done, outer=outer, delta=delta, method=method, **where) for _, where in grid]
                xs = [x for x, _ in grid]
                fitted = exponent(xs, ys) if None not in ys else math.nan
                must = MUST["eps"] if name == "eps" else MUST[f"m {delta}"] if outer == "static" else None
                if outer != "static" or method == "apg":
                    must = None
                rows.append({"in": xlabel, "outer": outer, "delta": delta, "method": method, "exponent": fitted,
                             "must": must or "", "verdict": support.grade(fitted, must)})
                if None not in ys:
                    series[f"{outer} {method} {delta}".removesuffix(" -")] = (xs, ys, fitted)
        where = f"m = l = {SIZE_OF_EPS}" if name == "eps" else f"eps = {EPS_OF_SIZES:g}, l = m"
        panels.append((f"{where} (fitted exponents)", xlabel, series))
    return rows, panels


def saving(done, sizes):
    """Evaluations of apg over those of the stochastic methods, next to sqrt(l + m)."""
    rows = []
    for m in sizes:
        for outer, delta in (("static", "guaranteed"), ("static", "paper"), ("multiplier", "-")):
            hits = {method: mean_hit(done, outer=outer, delta=delta, method=method, m=m, eps=EPS_OF_SIZES)
                    for method in (*METHODS, "apg")}
            if None not in hits.values():
                rows.append({"m": m, "outer": outer, "delta": delta, "sqrt(l+m)": math.sqrt(2 * m),
                             **{f"apg/{method}": hits["apg"] / hits[method] for method in METHODS}})
    return rows
