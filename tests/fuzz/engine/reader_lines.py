#!/usr/bin/env python3
"""Lines that the corpus of a reader reaches: reader_lines.py READER LCOV PATTERN... (of files, named from src/io on).

Files of text forms hold writers as well: functions with these in their names are no reading, and are left out. What was not
reached is listed beside LCOV (.missed).
"""

import pathlib
import re
import sys

NO_READING = re.compile(r"write_|csv_quoted|json_n|parts_of|SolutionPart|Writer|CheckpointedSolve|keep_bound|version_of|"
                        r"describe|looks_like|expect_solution_ending|to_solution|to_multipliers|_kinds|solution_endings|check_solution_shape|expect_entries")


def lines_of(record):
    """Line by line: how often it ran, without functions that write."""
    counts = {int(line): int(count) for line, count in re.findall(r"^DA:(\d+),(\d+)", record, re.M)}
    begins = sorted((int(line), name) for line, name in re.findall(r"^FN:(\d+),(.*)$", record, re.M))
    for (first, name), (after, _) in zip(begins, [*begins[1:], (max(counts, default=0) + 1, "")]):
        if NO_READING.search(name):
            for line in range(first, after):
                counts.pop(line, None)
    return counts


def main():
    reader, lcov, patterns = sys.argv[1], pathlib.Path(sys.argv[2]), [re.compile(p) for p in sys.argv[3:]]
    reached, missed = 0, []
    for record in lcov.read_text().split("end_of_record"):
        file = re.search(r"^SF:.*/src/io/(.*)$", record, re.M)
        if file is None or not any(p.fullmatch(file[1]) for p in patterns):
            continue
        counts = lines_of(record)
        reached += sum(count > 0 for count in counts.values())
        missed += [f"{file[1]}:{line}" for line, count in sorted(counts.items()) if count == 0]
    lines = reached + len(missed)
    print(f"{reader:11} {reached:5} of {lines:5} lines, {100 * reached / max(1, lines):5.1f} %")
    lcov.with_suffix(".missed").write_text("\n".join(missed) + "\n")


if __name__ == "__main__":
    main()
