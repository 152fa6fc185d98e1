"""Tables for people: one row per method, one column per experiment; on standard output and as Markdown."""

import support


def short(value):
    """Numbers with two digits, everything else as it is; nothing for what is not known."""
    if value is None or value == "":
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}" if 0.01 <= abs(value) < 1000 else f"{value:.1e}"
    return str(value)


def pivot(rows, row_key, column_key, cell):
    """cell(row of data) at (row_key, column_key); combinations that do not occur stay empty."""
    columns = list(dict.fromkeys(r[column_key] for r in rows))
    table = {}
    for r in rows:
        table.setdefault(r[row_key], {})[r[column_key]] = cell(r)
    return [{row_key: name, **{c: cells.get(c, "") for c in columns}} for name, cells in table.items()]


class Report:
    def __init__(self, folder):
        self.file = folder / "tables.md"
        self.file.write_text("", encoding="utf-8")

    def add(self, title, rows):
        if not rows:
            return
        header, cells = [str(h) for h in rows[0]], [[short(v) for v in row.values()] for row in rows]
        print(f"\n{title}")
        support.print_table(header, cells)
        with open(self.file, "a", encoding="utf-8") as text:
            text.write(f"## {title}\n\n| {' | '.join(header)} |\n|{'---|' * len(header)}\n")
            text.writelines(f"| {' | '.join(row)} |\n" for row in cells)
            text.write("\n")
