"""Four times as many rows: time per read and memory beside the data."""

import pathlib
import subprocess

import support

ROWS = (1e6, 2e6, 4e6)
FLAT = 1.25           # time per read at the most rows, relative to the fewest
SHARE, SPARE = 0.25, 200e6  # of memory beside the data
PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "peak_memory"


def anonymous_memory(pliant, file, options):
    done = subprocess.run([str(PROGRAM), pliant.path, "solve", str(file), "--quiet", "--threads", str(options.threads)],
                          capture_output=True, text=True, check=True)
    return float(done.stderr.split("peak anonymous memory:")[1].split()[0]) * 2**20


def grow(pliant, folder, options, solve):
    """A table; true if time per read grows or memory is beyond a quarter of the data and a little."""
    rows, missed, first = [], False, None
    for m in ROWS:
        parameters = {"n": 20, "m": m / (500 if options.tiny else 1), "tau": 0.5, "seed": options.seeds[0]}
        file = pliant.generate(folder, "quantile", parameters)
        runs = [solve(pliant, file, options, folder / "solution.h5") for _ in range(options.repeat)]
        per_row = min((r["time"]["setup"] + r["time"]["solve"]) for r in runs) / m
        ratio = min((r["time"]["setup"] + r["time"]["solve"]) / r["stream_time"] for r in runs)
        first = first or per_row
        data = runs[0]["data_bytes"]
        memory = anonymous_memory(pliant, file, options)
        allowed = SHARE * data + SPARE
        bad = memory > allowed or (not options.tiny and per_row > FLAT * first)
        missed = missed or bad
        rows.append([f"m={m:g}", f"{1e9 * per_row:.1f}", f"{per_row / first:.2f}", f"{ratio:.1f}", f"{data / 1e6:.0f}",
                     f"{memory / 1e6:.0f}", f"{allowed / 1e6:.0f}", "MISS" if bad else "ok"])
        file.unlink()
    header = ["quantile n=20", "ns/row", "relative", "time/stream", "data MB", "beside it MB", "allowed", ""]
    support.print_table(header, rows)
    return missed
