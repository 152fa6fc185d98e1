"""Plots as SVG and PNG: errors against component evaluations, and fitted powers."""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

plt.rcParams.update({"svg.hashsalt": "pliant", "font.size": 8, "axes.grid": True, "grid.alpha": 0.3,
                     "legend.fontsize": 6.5, "lines.linewidth": 1.2, "svg.fonttype": "none"})
COLOURS = plt.get_cmap("tab20").colors
STYLES = {"static": ":", "nested": "--", "baseline": "-."}


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
    plt.close(figure)


def median_curve(runs, count=70):
    """Median over the seeds of the error at log-spaced numbers of evaluations; a run that ended keeps its last error."""
    curves = [[(p["evaluations"], p["error"]) for p in r.points if p["evaluations"] > 0] for r in runs if r.points]
    curves = [c for c in curves if c]
    if not curves:
        return [], []
    low, high = min(c[0][0] for c in curves), max(c[-1][0] for c in curves)
    xs, ys = [], []
    for k in range(count + 1):
        at = low * (high / low) ** (k / count) if low < high else high
        values = sorted(next((e for x, e in reversed(c) if x <= at * (1 + 1e-12)), c[0][1]) for c in curves)
        xs.append(at)
        ys.append(max(values[len(values) // 2], 1e-16))
    return xs, ys


def errors(axis, labels, runs, title, published=None, budget=None):
    """One curve per label, in the colour of its place among all labels; the published figure as a star, the budget as a
    line."""
    for i, label in enumerate(labels):
        if not any(r.points for r in runs if r.label == label):
            continue
        xs, ys = median_curve([r for r in runs if r.label == label])
        style = next((s for word, s in STYLES.items() if label.startswith(word)), "-")
        axis.plot(xs, ys, style, color=COLOURS[i % len(COLOURS)], label=label)
    if published:
        axis.plot([published[1]], [published[0]], "k*", markersize=9, label="published")
    if budget:
        axis.axvline(budget, color="grey", linewidth=0.8)
    axis.set(xscale="log", yscale="log", title=title, xlabel="component evaluations", ylabel="relative error of x")
    axis.set_ylim(1e-14, 3)
    axis.minorticks_off()


def error_grid(folder, name, panels, columns=2):
    """panels: keyword arguments of errors()."""
    labels = list(dict.fromkeys(r.label for panel in panels for r in panel["runs"] if r.points))
    rows = math.ceil(len(panels) / columns)
    size = (8.0, 4.8) if columns == 1 else (5.2 * columns, 4.1 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
    for axis, panel in zip(axes.flat, panels):
        errors(axis, labels, **panel)
    for axis in axes.flat[len(panels):]:
        axis.set_visible(False)
    handles = {}
    for axis in axes.flat:
        handles |= dict(zip(*reversed(axis.get_legend_handles_labels())))
    if columns == 1:
        axes.flat[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    elif columns == 2:
        for axis in axes.flat[:len(panels)]:
            axis.legend(loc="lower left", ncol=2)
    else:
        axes.flat[0].legend(handles.values(), handles.keys(), loc="lower left", ncol=2)
    save(figure, folder, name)


def powers(folder, name, panels):
    """panels: (title, x label, {label: (xs, ys, exponent)})."""
    figure, axes = plt.subplots(1, len(panels), figsize=(4.6 * len(panels), 4), squeeze=False)
    for axis, (title, xlabel, series) in zip(axes.flat, panels):
        for i, (label, (xs, ys, exponent)) in enumerate(series.items()):
            axis.plot(xs, ys, "o-", markersize=3, color=COLOURS[2 * i % 20], label=f"{label}: {exponent:.2f}")
        axis.set(xscale="log", yscale="log", title=title, xlabel=xlabel, ylabel="component evaluations to the first hit")
        axis.legend()
    save(figure, folder, name)
