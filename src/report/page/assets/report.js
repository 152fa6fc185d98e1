// Values under the pointer, keys, and the theme. Charts and switches work without this.
(() => {
  "use strict";
  document.documentElement.classList.add("js");
  const page = JSON.parse(document.getElementById("data").textContent);
  const tip = document.getElementById("tip");

  // Columns as arrays; those with few changes come as runs [value, times, value, times, ...].
  const columns = {};
  for (const [name, column] of Object.entries(page.columns)) {
    if (Array.isArray(column)) {
      columns[name] = column;
      continue;
    }
    columns[name] = [];
    for (let i = 0; i < column.runs.length; i += 2) {
      for (let k = 0; k < column.runs[i + 1]; ++k) columns[name].push(column.runs[i]);
    }
  }
  const combine = (f) => columns.objective.map((objective, i) => {
    const gap = columns.gap[i];
    return objective === null || gap === null ? null : f(objective, gap);
  });
  columns.bound = combine((objective, gap) => Number((objective + page.direction * gap).toPrecision(10)));
  columns.gap_rel = combine((objective, gap) => Number((gap / (1 + Math.abs(objective))).toPrecision(4)));

  const text = (value) => (value === null ? "unknown" : String(value).replace("e+", "e"));

  // The place of a value on an axis: low and high end (logarithms if logarithmic), their pixels, the floor.
  const axis = (svg, name) => svg.dataset[name].split(" ").map(Number);
  const place = ([low, high, from, to, floor], value, logarithmic) => {
    if (logarithmic) {
      value = value > 0 ? Math.log10(value) : -Infinity;
      if (value < low) return floor;
    }
    return from + Math.min(1, Math.max(0, (value - low) / (high - low))) * (to - from);
  };

  const charts = [...document.querySelectorAll("svg.chart")];
  for (const svg of charts) {
    svg.series = [...svg.closest("figure").querySelectorAll(".legend li")].map((item) => ({
      label: item.textContent,
      column: item.dataset.column,
      reference: "reference" in item.dataset ? Number(item.dataset.reference) : null,
      style: /\bs\d\b/.exec(item.querySelector(".mark").getAttribute("class"))[0],
    }));
  }

  const nearest = (values, wanted) => {
    let best = -1;
    values.forEach((value, i) => {
      if (value !== null && (best < 0 || Math.abs(value - wanted) <= Math.abs(values[best] - wanted))) best = i;
    });
    return best;
  };

  const element = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  const clear = () => {
    document.querySelectorAll(".cursor, .spot").forEach((old) => old.remove());
    tip.hidden = true;
  };

  // A line at a row of the trace, and a dot on every series.
  const mark = (svg, row) => {
    const x = columns[svg.dataset.column][row];
    if (x === null || x === undefined) return null;
    const logarithmic = svg.dataset.log === "1";
    const left = place(axis(svg, "x"), x, false);
    const vertical = axis(svg, "y");
    svg.append(element("path", {class: "cursor", d: `M${left} ${vertical[3]}V${vertical[4]}`}));
    for (const series of svg.series) {
      const value = columns[series.column][row];
      if (value === null) continue;
      const shown = logarithmic && series.reference !== null ? Math.abs(value - series.reference) : value;
      const y = place(vertical, shown, logarithmic);
      svg.append(element("circle", {class: `spot mark ${series.style}`, cx: left, cy: y, r: 4.5}));
    }
    return left;
  };

  const line = (label, value) => {
    const row = document.createElement("div");
    row.append(`${label} `);
    row.append(Object.assign(document.createElement("b"), {textContent: value}));
    return row;
  };

  const show_tip = (parts, x, y) => {
    tip.replaceChildren(...parts);
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const right = x + 16 + box.width <= innerWidth - 8;
    tip.style.left = `${Math.max(8, right ? x + 16 : x - 16 - box.width)}px`;
    tip.style.top = `${Math.max(8, Math.min(y - box.height / 2, innerHeight - box.height - 8))}px`;
  };

  // The same row in all charts that are visible; its values beside the one that was asked.
  const show = (svg, row, pointer_y) => {
    clear();
    let left = null;
    for (const other of charts) {
      if (other.getClientRects().length === 0) continue;
      const at = mark(other, row);
      if (other === svg) left = at;
    }
    if (left === null) return;
    svg.row = row;
    const where = document.createElement("div");
    where.className = "where";
    const time = columns.time[row];
    where.textContent = `pass ${text(columns.passes[row])}` + (time === null ? "" : `, ${text(time)} s`) +
      `, iteration ${text(columns.iteration[row])}`;
    const values = svg.series.map((series) => line(series.label, text(columns[series.column][row])));
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    show_tip([where, ...values], box.left + left * scale, pointer_y ?? box.top + box.height / 2);
  };

  for (const svg of charts) {
    const at = columns[svg.dataset.column];
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const pixel = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      const [low, high, from, to] = axis(svg, "x");
      const row = nearest(at, low + ((pixel - from) / (to - from)) * (high - low));
      if (row >= 0) show(svg, row, event.clientY);
    });
    svg.addEventListener("pointerleave", clear);
    svg.addEventListener("blur", clear);
    svg.addEventListener("keydown", (event) => {
      const last = at.length - 1;
      const present = svg.row ?? -1;
      const step = Math.max(1, Math.round(at.length / 100));
      const target = {ArrowLeft: present - 1, ArrowRight: present + 1, PageUp: present - step,
        PageDown: present + step, Home: 0, End: last}[event.key];
      if (event.key === "Escape") clear();
      if (target === undefined || last < 0) return;
      event.preventDefault();
      show(svg, Math.min(last, Math.max(0, target)));
    });
  }
  for (const bar of document.querySelectorAll("[data-tip]")) {
    bar.addEventListener("pointermove", (event) => {
      clear();
      const words = document.createElement("div");
      words.textContent = bar.dataset.tip;
      show_tip([words], event.clientX, event.clientY);
    });
    bar.addEventListener("pointerleave", clear);
  }
  document.querySelectorAll("#charts > input").forEach((input) => input.addEventListener("change", clear));

  const theme = document.getElementById("theme");
  const dark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const name_theme = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    name_theme();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name_theme);
  name_theme();
  document.getElementById("print").addEventListener("click", () => print());
})();
