// Every sample of the records: unpacked from the page, drawn point by point, and to be saved.
{
const packed = JSON.parse(byId("samples-data").textContent);
const NS = "http://www.w3.org/2000/svg";
let sides = [];

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

// Times are kept as the least and what each is above it, or written out behind "=".
function times(text) {
  if (text === "") return [];
  if (text[0] === "=") return text.slice(1).split(" ").map(Number);
  const [least, ...above] = text.split(" ").map(Number);
  return above.map((a) => least + a);
}

// The columns as points with their processes, draws and series.
function points(columns) {
  let process = 0, series = 0;
  return columns.points.map((point) => {
    const x = [];
    for (let i = 0; i < point.n; i++, process++) {
      const draws = columns.draws[process].map((count) => {
        const found = [];
        for (let s = 0; s < count; s++, series++) {
          found.push({ name: columns.name[series], work: columns.work[series], ns: columns.ns[series],
            marks: columns.marks[series] || [], ways: columns.ways[series] || [], classes: columns.classes[series] || [] });
        }
        return found;
      });
      x.push({ round: columns.round[process], order: columns.order[process], at: columns.at[process], cpus: columns.cpus[process], draws });
    }
    return { ...point, x };
  });
}

// One entry for each sample of a point.
function* samples(side, point) {
  for (const process of point.x) {
    for (const [d, draw] of process.draws.entries()) {
      for (const series of draw) {
        for (const [i, ns] of times(series.ns).entries()) {
          const way = series.ways[i] || ["", ""];
          yield {
            side: side.letter, record: side.name, point: point.p, unit: point.u,
            round: process.round, order: process.order, process_at_ms: process.at, cpus: process.cpus,
            draw: d + 1, series: series.name, sample: i + 1, work: series.work, ns,
            value: point.r ? series.work / ns : ns / series.work,
            marks: series.marks.filter((m) => m[0] === i).map((m) => `${m[1]}=${m[2]}`).join(" "),
            handover_before_ns: way[0], handover_after_ns: way[1], class: series.classes[i] || "",
          };
        }
      }
    }
  }
}

function save(name, type, parts) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
function* chosen(point) {
  for (const side of sides) for (const p of side.points) if (!point || p.p === point) yield* samples(side, p);
}
function csv(point) {
  const quoted = (v) => {
    let text = String(v);
    // A spreadsheet must not take a name for a formula.
    if (typeof v === "string" && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [];
  let heads = null;
  for (const sample of chosen(point)) {
    if (!heads) { heads = Object.keys(sample); lines.push(heads.join(",")); }
    lines.push(heads.map((h) => quoted(sample[h])).join(","));
  }
  return lines.join("\n") + "\n";
}

const el = (name, attributes, parent, text) => {
  const made = document.createElementNS(NS, name);
  for (const [k, v] of Object.entries(attributes)) made.setAttribute(k, v);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
};
const short = (v) => Number(v.toPrecision(4)).toString();

// A logarithmic scale with at most some ticks.
function scale(values, from, to) {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) if (v > 0 && isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  if (!(low <= high)) return null;
  const pad = Math.max(Math.log(high / low) * 0.06, 0.01);
  [low, high] = [Math.log(low) - pad, Math.log(high) + pad];
  const at = (v) => from + ((Math.log(v) - low) / (high - low)) * (to - from);
  const ticks = [];
  const span = Math.exp(high) - Math.exp(low);
  if (high - low > Math.log(4)) {
    const digits = high - low > Math.log(300) ? [1] : [1, 2, 5];
    for (let p = Math.floor(low / Math.LN10); p <= high / Math.LN10; p++) for (const d of digits) ticks.push(d * 10 ** p);
  } else {
    const rough = span / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((d) => d * power).find((s) => s >= rough);
    for (let v = Math.ceil(Math.exp(low) / step) * step; v <= Math.exp(high); v += step) ticks.push(v);
  }
  return { at, ticks: ticks.filter((v) => Math.log(v) > low && Math.log(v) < high) };
}

function canvas(where, height, label) {
  const width = Math.max(where.clientWidth, 280);
  where.replaceChildren();
  const svg = el("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: 0, "aria-label": label }, where);
  return [svg, width];
}

// Samples in time order: a panel a side, a stripe a process, a gap between draws.
function inOrder(where, list, unit) {
  const [svg, width] = canvas(where, 300, "Samples in time order");
  const y = scale(list.map((s) => s.value), 270, 14);
  if (!y) { el("text", { class: "s", x: 8, y: 20 }, svg, "no samples"); return; }
  const left = 58;
  for (const v of y.ticks) {
    el("line", { class: "g", x1: left, x2: width - 4, y1: y.at(v), y2: y.at(v) }, svg);
    el("text", { class: "s", x: left - 5, y: y.at(v) + 4, "text-anchor": "end" }, svg, short(v));
  }
  el("text", { class: "s", x: 2, y: 10 }, svg, unit);
  const here = sides.filter((side) => list.some((s) => s.side === side.letter));
  const room = (width - left - 4) / here.length;
  here.forEach((side, panel) => {
    const own = list.filter((s) => s.side === side.letter).sort((a, b) => a.process_at_ms - b.process_at_ms || a.draw - b.draw || a.sample - b.sample);
    const from = left + panel * room + 4;
    // Every sample takes a place, every new draw one more, every process two.
    const places = [];
    let place = 0, before = null, stripes = [];
    for (const s of own) {
      if (before && before.process_at_ms !== s.process_at_ms) place += 2;
      else if (before && before.draw !== s.draw) place += 1;
      if (!before || before.process_at_ms !== s.process_at_ms) stripes.push([place, place]);
      stripes[stripes.length - 1][1] = place;
      places.push(place++);
      before = s;
    }
    const step = (room - 12) / Math.max(place, 1);
    stripes.forEach(([a, b], i) => i % 2 || el("rect", { class: "zebra", x: from + (a - 0.5) * step, y: 14, width: Math.max((b - a + 1) * step, 1), height: 256 }, svg));
    own.forEach((s, i) => {
      const x = from + places[i] * step, at = y.at(s.value);
      if (!isFinite(at)) return;
      const t = `${s.side} round ${s.round}, draw ${s.draw}, sample ${s.sample}${s.series ? ", " + s.series : ""}\n${short(s.value)} ${s.unit}`
        + (s.cpus ? `\nCPUs ${s.cpus}` : "") + (s.class ? `\n${s.class}` : "") + (s.marks ? `\nmarked: ${s.marks}` : "");
      const color = side.color;
      if (s.class && s.class !== "near") el("polygon", { class: s.marks ? `o c${color}` : `f${color}`, points: `${x},${at - 4} ${x - 4},${at + 3} ${x + 4},${at + 3}`, "data-t": t }, svg);
      else el("circle", { class: s.marks ? `o c${color}` : `f${color}`, cx: x, cy: at, r: s.marks ? 3.2 : 2.3, "data-t": t }, svg);
    });
    el("text", { class: "t", x: from, y: 290 }, svg, `${sides.length > 1 ? side.letter + ": " : ""}${stripes.length} processes` + (room > 320 ? `, ${own.length} samples, in time order` : ""));
  });
  marks(svg);
}

// The share of samples at or below a value, marked ones left out.
function distribution(where, list, unit) {
  const [svg, width] = canvas(where, 230, "Distribution of the samples");
  const kept = list.filter((s) => !s.marks);
  const x = scale(kept.map((s) => s.value), 44, width - 8);
  if (!x) { el("text", { class: "s", x: 8, y: 20 }, svg, "no samples without marks"); return; }
  const y = (share) => 190 - share * 176;
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    el("line", { class: "g", x1: 44, x2: width - 8, y1: y(share), y2: y(share) }, svg);
    el("text", { class: "s", x: 38, y: y(share) + 4, "text-anchor": "end" }, svg, `${share * 100} %`);
  }
  let free = 0;
  for (const v of x.ticks) {
    if (x.at(v) < free) continue;
    free = x.at(v) + 48;
    el("line", { class: "g", x1: x.at(v), x2: x.at(v), y1: 14, y2: 190 }, svg);
    el("text", { class: "s", x: x.at(v), y: 205, "text-anchor": "middle" }, svg, short(v));
  }
  el("text", { class: "s", x: width - 8, y: 222, "text-anchor": "end" }, svg, `${unit}, share of samples at or below`);
  for (const side of sides) {
    const own = kept.filter((s) => s.side === side.letter).map((s) => s.value).filter((v) => v > 0 && isFinite(v)).sort((a, b) => a - b);
    if (!own.length) continue;
    const places = own.flatMap((v, i) => [`${x.at(v).toFixed(1)},${y(i / own.length).toFixed(1)}`, `${x.at(v).toFixed(1)},${y((i + 1) / own.length).toFixed(1)}`]);
    el("polyline", { class: `l c${side.color}`, points: places.join(" ") }, svg);
    for (const q of [0.05, 0.25, 0.5, 0.75, 0.95]) {
      const v = own[Math.min(Math.floor(q * own.length), own.length - 1)];
      el("circle", { class: `f${side.color}`, cx: x.at(v), cy: y(q), r: 3, "data-t": `${side.letter}: ${q * 100} % at or below\n${short(v)} ${unit}` }, svg);
    }
  }
  marks(svg);
}

// What is usually asked of a set of samples, a row a side.
function figures(where, list) {
  const at = (sorted, q) => sorted[Math.min(Math.floor(q * sorted.length), sorted.length - 1)];
  const rows = [["", "samples", "left out", "least", "5 %", "median", "95 %", "largest", "mean", "standard deviation", "median deviation"]];
  for (const side of sides) {
    const all = list.filter((s) => s.side === side.letter);
    const kept = all.filter((s) => !s.marks).map((s) => s.value).sort((a, b) => a - b);
    if (!kept.length) continue;
    const mean = kept.reduce((sum, v) => sum + v, 0) / kept.length;
    const spread = Math.sqrt(kept.reduce((sum, v) => sum + (v - mean) ** 2, 0) / Math.max(kept.length - 1, 1));
    const median = at(kept, 0.5);
    const off = kept.map((v) => Math.abs(v - median)).sort((a, b) => a - b);
    rows.push([side.letter, kept.length, all.length - kept.length, ...[0, 0.05, 0.5, 0.95, 1].map((q) => short(at(kept, q))),
      short(mean), `${short(spread)} (${short((100 * spread) / mean)} %)`, short(at(off, 0.5))]);
  }
  const table = document.createElement("table");
  rows.forEach((row, i) => {
    const line = table.insertRow();
    row.forEach((text) => {
      const cell = document.createElement(i || !text ? "td" : "th");
      cell.className = "n";
      cell.textContent = text;
      line.append(cell);
    });
  });
  where.replaceChildren(table);
}

function start() {
  const names = [...new Set(sides.flatMap((s) => s.points.map((p) => p.p)))];
  const [point, series, find] = [byId("point"), byId("series"), byId("find")];
  const list = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fit = names.filter((n) => words.every((w) => n.toLowerCase().includes(w)));
    const was = point.value;
    point.replaceChildren(...fit.map((n) => new Option(n, n)));
    if (fit.includes(was)) point.value = was;
    choose();
  };
  const choose = () => {
    const here = [...chosen(point.value)].filter(() => point.value);
    const kinds = [...new Set(here.map((s) => s.series))];
    const best = sides.flatMap((s) => s.points.filter((p) => p.p === point.value).map((p) => p.from)).find(Boolean);
    series.replaceChildren(...kinds.map((n) => new Option(n || "(one series)", n)));
    if (kinds.includes(best)) series.value = best;
    series.parentElement.hidden = kinds.length < 2;
    draw();
  };
  const draw = () => {
    byId("of-point").textContent = point.value;
    const list = [...chosen(point.value)].filter((s) => point.value && s.series === series.value);
    inOrder(byId("order"), list, list.length ? list[0].unit : "");
    distribution(byId("shares"), list, list.length ? list[0].unit : "");
    figures(byId("figures"), list);
  };
  find.addEventListener("input", list);
  point.addEventListener("change", choose);
  series.addEventListener("change", draw);
  let wide = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; draw(); } });
  byId("csv").addEventListener("click", () => save("whyslow-samples.csv", "text/csv", [csv()]));
  byId("csv-point").addEventListener("click", () => save("whyslow-point.csv", "text/csv", [csv(point.value)]));
  byId("json").addEventListener("click", () => save("whyslow-samples.json", "application/json", [JSON.stringify([...chosen()])]));
  // For tests and the curious.
  window.whyslow = { samples: () => [...chosen()], csv };
  const wanted = packed.first && names.includes(packed.first) ? packed.first : names[0];
  list();
  if (wanted) { point.value = wanted; choose(); }
  byId("raw").hidden = false;
  byId("unpacking").hidden = true;
  draw();
  // A link to a point opens its samples; without this script it leads to the row of the point.
  const open = () => {
    const row = linked();
    if (!row || !names.includes(pointOf(row))) return;
    find.value = "";
    list();
    point.value = pointOf(row);
    choose();
    const head = byId("of-point");
    head.classList.add("here");
    head.scrollIntoView({ block: "start", behavior: "instant" });
    head.focus({ preventScroll: true });
  };
  addEventListener("hashchange", open);
  // The same link once more is no change.
  addEventListener("click", (e) => {
    const link = e.target.closest("a[href^='#point=']");
    if (link && link.getAttribute("href") === location.hash) open();
  });
  open();
}

(async () => {
  try {
    sides = await Promise.all(packed.sides.map(async (side) => ({ ...side, points: points(await unpack(side.data)) })));
    start();
  } catch (error) {
    byId("unpacking").firstElementChild.textContent = "This browser cannot unpack the samples (it lacks DecompressionStream).";
  }
})();
}
