// The page's own behavior: theme, values of marks, legends, and tables that sort and filter.
// Everything that is shown is in the page without it; nothing is ever fetched.
"use strict";
const all = (what, where = document) => [...where.querySelectorAll(what)];
const byId = (id) => document.getElementById(id);

// Theme: what the system asks for, until the button says otherwise.
{
  const root = document.documentElement;
  const button = byId("theme");
  const dark = () => (root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches);
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; });
}

// Values: the mark nearest to the pointer says what it is; arrow keys step through the marks.
const tip = byId("tip");
const spoken = byId("spoken");
let hot = null;
// The last mark of each chart, from which the keys step on, also after a scroll has hidden it.
const last = new WeakMap();
function show(mark, say) {
  if (hot) hot.classList.remove("hot");
  hot = mark;
  if (!mark) { tip.hidden = true; return; }
  mark.classList.add("hot");
  last.set(mark.ownerSVGElement, mark);
  tip.textContent = mark.dataset.t;
  if (say) spoken.textContent = mark.dataset.t;
  tip.hidden = false;
  const box = mark.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const left = box.left + box.width / 2 - own.width / 2;
  const above = box.top - own.height - 10;
  tip.style.left = Math.max(4, Math.min(left, innerWidth - own.width - 4)) + "px";
  tip.style.top = (above > 4 ? above : box.bottom + 10) + "px";
}
// How far a mark may be from the pointer, in pixels: a finger's width.
const REACH = 40;
function nearest(svg, x, y) {
  let best = null, least = REACH * REACH;
  for (const mark of svg.querySelectorAll("[data-t]")) {
    const box = mark.getBoundingClientRect();
    if (!box.width && !box.height) continue;
    const dx = Math.max(box.left - x, 0, x - box.right);
    const dy = Math.max(box.top - y, 0, y - box.bottom);
    // Within a bar or cell nothing is nearer; among points the nearest middle wins.
    const far = dx * dx + dy * dy + 1e-3 * Math.hypot(box.left + box.width / 2 - x, box.top + box.height / 2 - y);
    if (far < least) { least = far; best = mark; }
  }
  return best;
}
function marks(svg) {
  svg.addEventListener("pointermove", (e) => show(nearest(svg, e.clientX, e.clientY)));
  svg.addEventListener("pointerdown", (e) => show(nearest(svg, e.clientX, e.clientY)));
  svg.addEventListener("click", (e) => follow(nearest(svg, e.clientX, e.clientY)));
  svg.addEventListener("pointerleave", () => show(null));
  svg.addEventListener("blur", () => show(null));
  svg.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (e.key === "Escape") show(null);
    if (e.key === "Enter") follow(last.get(svg));
    if (!step) return;
    e.preventDefault();
    const here = all("[data-t]", svg).filter((m) => !m.closest(".off"));
    if (!here.length) return;
    const at = here.indexOf(last.get(svg));
    show(here[(at < 0 ? (step > 0 ? 0 : here.length - 1) : at + step + here.length) % here.length], true);
  });
}
// A chart is drawn twice, and only the wide one has the words.
all("figure").forEach((figure) => {
  const words = all("svg.wide [data-t]", figure);
  all("svg.narrow [data-n]", figure).forEach((mark, i) => { if (words[i]) Object.assign(mark.dataset, words[i].dataset); });
});
// The row of the point that the page's address names, and the address of a point.
function linked() {
  if (!location.hash.startsWith("#point=")) return null;
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* as it is */ }
  return byId(name);
}
const pointOf = (row) => row.dataset.p ?? row.id.slice("point=".length);
const rowOf = (point) => all("#every tbody tr").find((row) => pointOf(row) === point);
function follow(mark) {
  const row = mark && mark.dataset.p && rowOf(mark.dataset.p);
  if (!row) return;
  if (location.hash === "#" + row.id) dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = row.id;
}
all("svg.chart").forEach(marks);
addEventListener("scroll", () => show(null), { passive: true });

// Legends: a curve can be switched off.
all(".legend button").forEach((button) => button.addEventListener("click", () => {
  const on = button.getAttribute("aria-pressed") === "false";
  button.setAttribute("aria-pressed", on);
  const series = all(`g[data-s="${button.dataset.k}"]`, button.closest("figure"));
  series.forEach((g) => g.classList.toggle("off", !on));
}));

// Tables: a click on a head sorts, a text filters.
const key = (cell) => (cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent.trim().toLowerCase());
function order(a, b) {
  // Empty cells come last whichever way.
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
}
all("table.sort").forEach((table) => {
  const body = table.tBodies[0];
  const heads = all("thead th", table);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => [key(row.cells[column]), row]);
      const empty = (k) => k === "";
      rows.sort(([a], [b]) => (empty(a) - empty(b)) || (down ? order(b, a) : order(a, b)));
      body.append(...rows.map(([, row]) => row));
    });
  });
});
all(".tools[data-for]").forEach((tools) => {
  const rows = [...byId(tools.dataset.for).tBodies[0].rows];
  const text = tools.querySelector("input[type=search]");
  const only = tools.querySelector("input[type=checkbox]");
  const pick = tools.querySelector("select");
  const out = tools.querySelector("output");
  const apply = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const content = row.textContent.toLowerCase();
      const fits = words.every((w) => content.includes(w))
        && (!only || !only.checked || row.classList.contains("differs"))
        && (!pick || !pick.value || row.cells[0].classList.contains(pick.value));
      row.hidden = !fits;
      shown += fits;
    }
    out.textContent = `${shown} of ${rows.length} rows`;
  };
  [text, only, pick].forEach((input) => input && input.addEventListener("input", apply));
  tools.hidden = false;
  apply();
});

// Commands can be taken along.
all("button.copy").forEach((button) => {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = "copied";
  });
});
