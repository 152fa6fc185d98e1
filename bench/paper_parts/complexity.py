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


class Family:
    """Instances of all sizes with their references, and one xi for them: twice the largest multiplier."""

    def __init__(self, context, sizes, aligned):
        self.name = "aligned" if aligned else "random"
        self.models = {m: instances.unit_rows(7, m, aligned=aligned) for m in sizes}
        self.files = {m: reference.solve(context.pliant, model, context.work, f"{self.name}-rows-{m}")
                      for m, model in self.models.items()}
        self.xi = 2 * max(about["largest_multiplier"] for _, _, about in self.files.values())
        self.mu = self.models[sizes[0]].l2

    def overlap(self, m):
        """Largest eigenvalue of A'A over the sum of the squared norms of the rows: 1 if all rows are parallel."""
        A = self.models[m].rows.G
        return float(np.linalg.eigvalsh(A.T @ A)[-1] / (A * A).sum())

    def plan(self, m, method, outer, epsilons, seed, delta="-"):
        """A run and the tags of its hits."""
        problem, exact, about = self.files[m]
        options = ["--method", method, "--outer", outer, "--xi", self.xi, "--hit-xi", self.xi, "--budget", BUDGET,
                   "--hits", ",".join(map(str, epsilons))]
        if outer == "static":
            options += ["--delta", DELTAS[delta](epsilons[0], m, self.xi, self.mu)]
        label = f"{outer} {method} {delta}".removesuffix(" -")
        return (runs.Run(about["instance"], label, seed, options, problem, exact),
                [{"rows": self.name, "xi": self.xi, "m": m, "method": method, "outer": outer, "eps": eps, "delta": delta}
                 for eps in epsilons])


def run(context, report):
    """Runs, tables and plots; returns the verdicts."""
    sizes = SIZES[:2] if context.quick else SIZES
    epsilons = EPS[:3] if context.quick else EPS
    random, aligned = Family(context, sizes, False), Family(context, sizes, True)
    planned = []
    for seed in range(1, 2 if context.quick else 4):
        for method in METHODS if seed > 1 else (*METHODS, "apg"):  # apg draws nothing
            for delta in DELTAS:
                planned += [random.plan(SIZE_OF_EPS, method, "static", [eps], seed, delta) for eps in epsilons]
                planned += [random.plan(m, method, "static", [EPS_OF_SIZES], seed, delta) for m in sizes
                            if m != SIZE_OF_EPS]
            planned += [random.plan(m, method, "multiplier", list(epsilons), seed) for m in sizes]
            if seed == 1:
                planned += [aligned.plan(m, method, "static", [EPS_OF_SIZES], seed, "guaranteed") for m in sizes]
    context.farm.perform_all([run for run, _ in planned], "complexity")
    done = [(run, tags, hit) for run, all_tags in planned for tags, hit in zip(all_tags, run.result["hits"])]
    runs.write_csv(context.out / "complexity_hits.csv",
                   [{"label": r.label, "seed": r.seed, **tags, "evaluations": hit or ""} for r, tags, hit in done])
    rows, panels = tabulate(done, sizes, epsilons)
    savings = saving(done, (random, aligned), sizes)
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
                ys = [mean_hit(done, rows="random", outer=outer, delta=delta, method=method, **where) for _, where in grid]
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


def saving(done, families, sizes):
    """Evaluations of apg over those of the stochastic methods, next to sqrt(l + m)."""
    rows = []
    for family in families:
        for m in sizes:
            for outer, delta in (("static", "guaranteed"), ("static", "paper"), ("multiplier", "-")):
                hits = {method: mean_hit(done, rows=family.name, outer=outer, delta=delta, method=method, m=m,
                                         eps=EPS_OF_SIZES) for method in (*METHODS, "apg")}
                if None not in hits.values():
                    rows.append({"rows": family.name, "m": m, "outer": outer, "delta": delta,
                                 **{f"apg/{method}": hits["apg"] / hits[method] for method in METHODS},
                                 "sqrt(l+m)": math.sqrt(2 * m), "overlap": family.overlap(m),
                                 "sqrt((l+m) overlap)": math.sqrt(2 * m * family.overlap(m))})
    return rows
