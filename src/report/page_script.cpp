// The script of a report page: the switch of the theme, tables that sort and filter, charts.
#include "report/page_assets.h"

namespace pitot::report::page {

std::string_view page_script() {
  return R"js("use strict";
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const make = (tag, parts) => Object.assign(document.createElement(tag), parts);

  // The theme: the system's, or what was chosen here.
  const themes = ["system", "light", "dark"];
  let theme = "system";
  try { theme = themes.find(t => t === localStorage.getItem("pitot-theme")) || theme; } catch {}
  const button = make("button", {type: "button"});
  const show = () => {
    if (theme === "system") delete root.dataset.theme; else root.dataset.theme = theme;
    button.textContent = "Theme: " + theme;
    button.title = "Switch between the system's theme, light and dark";
    redraw();
  };
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try { localStorage.setItem("pitot-theme", theme); } catch {}
    show();
  });
  document.getElementById("tools").append(button);
  dark.addEventListener("change", () => redraw());

  // Tables: ascending, descending, as they came. Figures that are not known stay last.
  const collator = new Intl.Collator("en", {numeric: true, sensitivity: "base"});
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (!head.textContent || rows.length < 2) return;
      const sorter = make("button", {type: "button", textContent: head.textContent});
      head.replaceChildren(sorter);
      head.setAttribute("aria-sort", "none");
      sorter.addEventListener("click", () => {
        const order = {none: "ascending", ascending: "descending", descending: "none"}[
          head.getAttribute("aria-sort")];
        for (const h of heads) if (h.hasAttribute("aria-sort")) h.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", order);
        const way = order === "descending" ? -1 : 1;
        const number = head.classList.contains("n");
        const key = row => number ? row.cells[column].dataset.k : row.cells[column].textContent;
        const compare = (a, b) => {
          const x = key(a), y = key(b);
          if (!number) return way * collator.compare(x, y);
          if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
          return way * (x - y);
        };
        body.append(...(order === "none" ? rows : [...rows].sort(compare)));
      });
    });
    const scroll = table.parentElement, hot = table.querySelector("tr.hot");
    if (hot) scroll.scrollTop = hot.offsetTop - scroll.clientHeight / 2;
    if (!scroll.classList.contains("long")) continue;
    const name = scroll.getAttribute("aria-label");
    const input = make("input", {type: "search", placeholder: "Filter rows"});
    input.setAttribute("aria-label", "Filter rows of " + name);
    const count = make("output", {textContent: rows.length + " rows"});
    const bar = make("div", {className: "filter"});
    bar.append(input, count);
    scroll.before(bar);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every(w => text.includes(w));
        shown += !row.hidden;
      }
      count.textContent = shown === rows.length ? shown + " rows" : shown + " of " + rows.length + " rows";
    });
  }

  // Charts.
  const drawn = new Map();  // figure to chart
  const plain = new Intl.NumberFormat("en", {maximumSignificantDigits: 5, useGrouping: false});
  const few = new Intl.NumberFormat("en", {maximumSignificantDigits: 4, useGrouping: false});
  const minus = text => text.replace("-", "−");
  const words = (scale, v, format = few) => v === null || v === undefined ? "–" :
    scale === "percent" ? minus(format.format(100 * v)) + " %" :
    scale === "ratio" ? format.format(2 ** v) + "×" : minus(format.format(v));
  // Ratios to show at an axis, the first before the last: what comes too near another is left out.
  const ratios = [1, 2, 0.5, 10, 0.1, 5, 0.2, 100, 0.01, 3, 0.3, 1.5, 0.7, 1.2, 0.8, 1.1, 0.9, 1.05, 0.95, 1.02,
    0.98, 1.01, 0.99].map(Math.log2);
  const chosen = (from, to) => ratios.filter(r => r >= from && r <= to).reduce((kept, r) =>
    kept.every(k => Math.abs(k - r) > (to - from) / 12) ? [...kept, r] : kept, []).sort((a, b) => a - b);
  const lights = ["#3b6fb6", "#c07038", "#4d8f5b", "#8a63a8", "#a98a2c", "#3f959b", "#b5577a", "#7a7f87"];
  const darks = ["#7ba6de", "#dd9a66", "#79b98a", "#b394cf", "#cdb25e", "#6fc0c5", "#d98aa8", "#a3a8b0"];

  const lightBads = ["#c8585d", "#c97f4a", "#a35b84", "#8a6dab", "#9c8a3f", "#5d8ca6", "#8b6354", "#ad8d9b"];
  const darkBads = ["#c9666a", "#c98a5a", "#b0709a", "#967bb8", "#a89650", "#6a99b3", "#9a7262", "#b99aa8"];

  const marks = {
    id: "marks",
    beforeDatasetsDraw(chart) {
      const {spec, ink} = chart.config.options.pitot, area = chart.chartArea, c = chart.ctx;
      const scale = chart.scales[spec.kind === "histogram" || spec.sideways ? "x" : "y"];
      const upright = scale.axis === "x";
      const line = (v, dash, colour) => {
        const p = Math.round(scale.getPixelForValue(v)) + 0.5;
        if (!(p >= area.left - 1 || !upright)) return;
        c.save();
        c.strokeStyle = colour;
        c.setLineDash(dash);
        c.beginPath();
        if (upright) { c.moveTo(p, area.top); c.lineTo(p, area.bottom); }
        else { c.moveTo(area.left, p); c.lineTo(area.right, p); }
        c.stroke();
        c.restore();
      };
      if (spec.reference !== undefined && spec.reference >= scale.min && spec.reference <= scale.max)
        line(spec.reference, [4, 3], ink("--faint"));
    },
    afterDatasetsDraw(chart) {
      const {spec, ink} = chart.config.options.pitot, area = chart.chartArea, c = chart.ctx;
      c.save();
      if (spec.kind === "histogram" && spec.middle !== undefined) {
        const x = v => chart.scales.x.getPixelForValue(v);
        c.fillStyle = ink("--fg");
        if (spec.low !== undefined && spec.high !== undefined) {
          c.globalAlpha = 0.12;
          c.fillRect(x(spec.low), area.top, Math.max(1, x(spec.high) - x(spec.low)), area.bottom - area.top);
          c.globalAlpha = 1;
        }
        c.fillRect(x(spec.middle) - 0.75, area.top, 1.5, area.bottom - area.top);
      }
      chart.data.datasets.forEach((set, i) => {
        if (!set.low || !chart.isDatasetVisible(i)) return;
        const scale = chart.scales[spec.sideways ? "x" : "y"];
        c.strokeStyle = spec.kind === "dots" ? set.borderColor : ink("--fg");
        c.lineWidth = spec.kind === "dots" ? 1.5 : 1;
        chart.getDatasetMeta(i).data.forEach((point, at) => {
          const low = set.low[at], high = set.high[at];
          if (typeof low !== "number" || typeof high !== "number") return;
          const a = scale.getPixelForValue(low), b = scale.getPixelForValue(high);
          const across = spec.sideways ? point.y : point.x, cap = 3.5;
          c.beginPath();
          const stroke = (p, q, d, e) => {
            if (spec.sideways) { c.moveTo(p, across + d); c.lineTo(q, across + e); }
            else { c.moveTo(across + d, p); c.lineTo(across + e, q); }
          };
          stroke(a, b, 0, 0);
          stroke(a, a, -cap, cap);
          stroke(b, b, -cap, cap);
          c.stroke();
        });
      });
      c.restore();
    },
  };

  function configure(spec) {
    const style = getComputedStyle(root), ink = name => style.getPropertyValue(name).trim();
    const palette = getComputedStyle(root).colorScheme === "dark" ? darks : lights;
    const tones = {good: ink("--goodbar"), bad: ink("--badbar"), warn: ink("--warnbar"), note: ink("--notebar"),
      soft: ink("--softbar")};
    const lines = spec.kind === "lines", dots = spec.kind === "dots", bins = spec.kind === "histogram";
    const stacked = spec.kind === "stack" || bins;
    const same = {};  // how many series have a tone already: shades apart
    const parts = hex => (hex.length === 4 ? [...hex.slice(1)].map(d => d + d) : hex.slice(1).match(/../g))
      .map(d => parseInt(d, 16));
    const shade = tone => {
      const n = same[tone] = (same[tone] || 0) + 1;
      if (tone === "bad") return (palette === darks ? darkBads : lightBads)[(n - 1) % lightBads.length];
      const part = Math.max(0.25, 1 - 0.24 * (n - 1));
      const a = parts(tones[tone]), b = parts(ink("--bg"));
      return "rgb(" + a.map((v, i) => Math.round(part * v + (1 - part) * b[i])) + ")";
    };
    const datasets = spec.series.map((s, i) => {
      const colour = s.tone ? shade(s.tone) : palette[i % palette.length];
      const set = {label: s.name, data: s.values, low: s.low, high: s.high, backgroundColor: colour, borderColor: colour};
      if (lines) {
        set.data = s.values.map((y, at) => ({x: spec.at[at], y}));
        Object.assign(set, {borderWidth: 1.5, pointRadius: s.values.length > 60 ? 0 : 2, pointHoverRadius: 4});
      }
      if (dots) Object.assign(set, {showLine: false, pointRadius: 3.5, pointHoverRadius: 5});
      if (bins) {
        set.data = s.values.map((y, at) => ({x: (spec.at[at] + spec.at[at + 1]) / 2, y}));
        Object.assign(set, {barPercentage: 0.96, categoryPercentage: 1});
      }
      if (spec.kind === "bars") Object.assign(set, {barPercentage: 0.85, categoryPercentage: 0.75, maxBarThickness: 26});
      if (spec.kind === "stack") Object.assign(set, {maxBarThickness: 20, borderWidth: {right: 1}, borderColor: ink("--bg")});
      return set;
    });
    const grid = {color: ink("--line"), borderColor: ink("--rule"), drawTicks: false};
    const ticks = {color: ink("--soft"), padding: 6, maxRotation: 40, font: {size: 11}};
    const title = text => ({display: Boolean(text), text, color: ink("--soft"), font: {size: 11}});
    const axis = (scale, text, more = {}) =>
      ({grid, title: title(text), stacked, ...more, ticks: {...ticks, ...more.ticks, callback: v => words(scale, v)}});
    const category = text => ({grid: {...grid, display: dots}, title: title(text), stacked, offset: true,
      ticks: {...ticks, autoSkip: !spec.sideways, callback(v) {
        const label = this.getLabelForValue(v);
        return label.length > 34 ? label.slice(0, 33) + "…" : label;
      }}});
    const whole = !spec.scale && spec.series.every(s => s.values.every(v => Number.isInteger(v)));
    const counts = whole ? {ticks: {precision: 0}} : {};
    let scales;
    if (bins) {
      const x = axis(spec.scale, spec.x, {type: "linear", min: spec.at[0], max: spec.at[spec.at.length - 1], offset: false});
      x.grid = {...grid, display: false};
      const inside = chosen(x.min, x.max);
      if (spec.scale === "ratio" && inside.length > 2)
        x.afterBuildTicks = scale => { scale.ticks = inside.map(value => ({value})); };
      scales = {x, y: axis("", spec.y, {beginAtZero: true, ticks: {precision: 0}})};
    } else if (lines) {
      const reach = spec.at.filter(v => v !== null);
      const ends = {type: "linear", min: Math.min(...reach), max: Math.max(...reach)};
      const known = spec.series.flatMap(s => s.values).filter(v => v !== null);
      const least = Math.min(...known), most = Math.max(...known), margin = Math.abs(most) * 0.1 || 1;
      const level = least === most ? {min: least - margin, max: most + margin} : {};  // a line in the middle
      scales = {x: axis(spec.at.every(v => v <= 1) ? spec.scale : "", spec.x, ends), y: axis(spec.scale, spec.y, level)};
    } else if (spec.sideways) {
      scales = {y: category(spec.y), x: axis(spec.scale, spec.x, {beginAtZero: !dots, grace: dots ? "5%" : 0, ...counts})};
    } else {
      scales = {x: category(spec.x), y: axis(spec.scale, spec.y, {beginAtZero: !dots, ...counts})};
    }
    // Whiskers must fit.
    const ends = spec.series.flatMap(s => [...(s.low || []), ...(s.high || [])]).filter(v => typeof v === "number");
    const value = scales[spec.sideways ? "x" : "y"];
    if (ends.length > 0) {
      value.suggestedMax = Math.max(...ends);
      value.suggestedMin = dots ? Math.min(...ends) : Math.min(0, ...ends);
      if (spec.scale === "percent" && value.suggestedMax > 0.9 && value.suggestedMax <= 1) value.max = 1;
    }
    if (dots && spec.reference !== undefined) {
      value.suggestedMax = Math.max(value.suggestedMax ?? spec.reference, spec.reference);
      value.suggestedMin = Math.min(value.suggestedMin ?? spec.reference, spec.reference);
    }
    return {
      type: lines || dots ? "line" : "bar",
      data: lines || bins ? {datasets} : {labels: spec.labels, datasets},
      plugins: [marks],
      options: {
        pitot: {spec, ink},
        animation: false, responsive: true, maintainAspectRatio: false, parsing: !(lines || bins), normalized: true,
        indexAxis: spec.sideways ? "y" : "x", scales,
        interaction: lines ? {mode: "index", intersect: false} : {mode: "nearest", intersect: true},
        layout: {padding: {right: 10}},
        plugins: {
          legend: {display: datasets.length > 1, align: "start",
            labels: {color: ink("--soft"), boxWidth: 10, boxHeight: 10, padding: 12, font: {size: 11}}},
          tooltip: {
            animation: false, displayColors: datasets.length > 1, padding: 8, cornerRadius: 4,
            callbacks: {
              title: items => bins ? words(spec.scale, spec.at[items[0].dataIndex], plain) + " … " +
                  words(spec.scale, spec.at[items[0].dataIndex + 1], plain)
                : lines ? spec.x + " " + plain.format(items[0].parsed.x) : items[0].label,
              label: item => {
                const v = spec.sideways ? item.parsed.x : item.parsed.y, s = item.dataset, at = item.dataIndex;
                let text = s.label + ": " + words(bins ? "" : spec.scale, v, plain);
                if (s.low && typeof s.low[at] === "number")
                  text += " (" + words(spec.scale, s.low[at], plain) + " … " + words(spec.scale, s.high[at], plain) + ")";
                return text;
              },
            },
          },
        },
      },
    };
  }

  function draw(figure) {
    const spec = JSON.parse(figure.dataset.chart);
    const plot = figure.querySelector(".plot");
    drawn.get(figure)?.destroy();
    const canvas = make("canvas", {});
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "Chart: " + figure.querySelector("figcaption").textContent +
      ". The tables have its figures.");
    plot.replaceChildren(canvas);
    drawn.set(figure, new Chart(canvas, configure(spec)));
  }
  function redraw() { for (const figure of [...drawn.keys()]) draw(figure); }

  show();
  const figures = document.querySelectorAll("figure[data-chart]");
  if (figures.length === 0) return;
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  // Drawn when they come near: a page of hundreds opens as fast as one of two.
  const near = new IntersectionObserver(entries => {
    for (const e of entries) if (e.isIntersecting) { near.unobserve(e.target); draw(e.target); }
  }, {rootMargin: "800px"});
  for (const figure of figures) { figure.hidden = false; near.observe(figure); }
  addEventListener("beforeprint", () => { for (const f of figures) if (!drawn.has(f)) draw(f); });
})();
)js";
}

}  // namespace pitot::report::page
