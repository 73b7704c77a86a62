"use strict";
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const kinds = ["computing", "messages", "collective", "waiting for requests", "one-sided", "files", "other MPI"];

function make(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}
function time(ns) {
  const [scale, unit] = ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] : ns >= 1e3 ? [1e3, "\u00b5s"] : [1, "ns"];
  return `${Number((ns / scale).toPrecision(3))} ${unit}`;
}
function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit < 4) { count /= 1000; unit += 1; }
  return `${Number(count.toPrecision(3))} ${units[unit]}`;
}
// The row of a rank, see page.cpp: first what is always there, then its waits by state.
const statesAt = 8, lateAt = statesAt + run.states.length, beginAt = lateAt + 1, endAt = lateAt + 2, unexpectedAt = lateAt + 3;
// Where there are several programs: that of a rank.
const programOf = (rank) => (run.programs.findLast(([first]) => first <= rank) || [0, ""])[1];
const rankName = (rank) => run.programs.length > 0 ? `${rank} (${programOf(rank)})` : `${rank}`;
const count = (n) => n.toLocaleString("en");
const share = (part, all) => `${Number((all > 0 ? 100 * part / all : 0).toPrecision(2))}%`;
const rowName = (row) => run.per_row === 1 ? `${row}` : `${row * run.per_row}\u2013${Math.min((row + 1) * run.per_row, run.size) - 1}`;
function unpack(text) {
  return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
}

// ---- efficiencies ----

function showEfficiencies() {
  const rows = [["parallel efficiency", 0, ""], ["load balance", 1, "average / longest computing time"],
    ["communication", 2, "longest computing time / run"], ["serialisation", 3, "longest computing time / run with data that takes no time"],
    ["transfer", 4, "run with data that takes no time / run"]];
  for (const [name, at, formula] of rows) {
    const row = document.createElement("div");
    row.className = "factor";
    row.title = formula;
    row.innerHTML = `<span></span><span class="rail"><i style="width:${100 * run.pop[at]}%"></i></span><b>${run.pop[at].toFixed(2)}</b>`;
    row.firstChild.textContent = name;
    $("pop").append(row);
  }
  const table = document.createElement("details");
  table.innerHTML = `<summary>How they are computed</summary><ul>${rows.slice(1).map((r) => `<li>${r[0]}: ${r[2]}</li>`).join("")}</ul>`;
  $("pop").append(table);
}

// ---- timeline ----

const shares = unpack(run.timeline);
const shown = (() => {
  const view = new DataView(unpack(run.shown).buffer);
  const all = [];
  const scale = run.duration / 4294967295;
  for (let at = 0; at < view.byteLength; at += 24) {
    all.push({ begin: view.getUint32(at, true) * scale, time: view.getUint32(at + 4, true) * scale, wait: view.getUint32(at + 8, true) * scale,
      rank: view.getInt32(at + 12, true), by: view.getInt32(at + 16, true), name: view.getUint16(at + 20, true), place: view.getUint16(at + 22, true) });
  }
  return all;
})();
const window_ = { from: 0, to: run.duration };
const left = 64, width = 1200, above = 18;
const rowHeight = Math.max(8, Math.min(26, 700 / run.rows));
const drawnAtOnce = 4000;

function showKeys() {
  kinds.forEach((name, at) => {
    const key = document.createElement("span");
    key.style.setProperty("--c", `var(--a${at})`);
    key.textContent = name;
    $("keys").append(key);
  });
  const wait = document.createElement("span");
  wait.style.setProperty("--c", "var(--wait)");
  wait.textContent = "waiting for another rank";
  $("keys").append(wait);
}

const x = (ns) => left + (ns - window_.from) / (window_.to - window_.from) * (width - left);

function drawBins(svg, row, y) {
  const bin = run.duration / run.bins;
  const first = Math.max(0, Math.floor(window_.from / bin)), last = Math.min(run.bins - 1, Math.floor(window_.to / bin));
  const base = new Float64Array(last - first + 1);
  for (let kind = 0; kind < kinds.length; kind += 1) {
    let upper = "", lower = "", any = false;
    for (let at = first; at <= last; at += 1) {
      const part = shares[(row * run.bins + at) * kinds.length + kind] / 255;
      const low = base[at - first], high = Math.min(1, low + part);
      any = any || part > 0;
      const [x0, x1] = [Math.max(left, x(at * bin)).toFixed(1), Math.min(width, x((at + 1) * bin)).toFixed(1)];
      upper += `${at === first ? "M" : "L"}${x0} ${(y + rowHeight - 2 - high * (rowHeight - 2)).toFixed(1)}H${x1}`;
      lower = `L${x1} ${(y + rowHeight - 2 - low * (rowHeight - 2)).toFixed(1)}H${x0}` + lower;
      base[at - first] = high;
    }
    if (any) make("path", { d: `${upper}${lower}Z`, fill: `var(--a${kind})` }, svg);
  }
}

function drawCalls(svg, calls) {
  for (const call of calls) {
    const y = above + Math.floor(call.rank / run.per_row) * rowHeight;
    const from = Math.max(left, x(call.begin)), to = Math.min(width, x(call.begin + call.time));
    const rect = make("rect", { x: from.toFixed(1), y, width: Math.max(.4, to - from).toFixed(1), height: rowHeight - 2,
      fill: `var(--a${run.names[call.name][1]})` }, svg);
    rect.dataset.at = call.at;
    if (call.wait > 0) {
      const until = Math.min(width, x(call.begin + call.wait));
      make("rect", { x: from.toFixed(1), y: y + (rowHeight - 2) * .6, width: Math.max(.4, until - from).toFixed(1), height: (rowHeight - 2) * .4,
        fill: "var(--wait)", "pointer-events": "none" }, svg);
    }
  }
}

function describe(call) {
  const [name] = run.names[call.name];
  const place = run.places[call.place];
  return `Rank ${rankName(call.rank)}: ${name}${place ? ` at ${place}` : ""}, ${time(call.time)} from ${time(call.begin)} on`
    + (call.wait > 0 ? `, of which ${time(call.wait)} waiting for rank ${rankName(call.by)}` : "");
}

function drawAxis(svg, height) {
  const span = window_.to - window_.from;
  const step = 10 ** Math.floor(Math.log10(span / 4));
  const every = [1, 2, 5, 10].map((f) => f * step).find((s) => span / s <= 9);
  for (let at = Math.ceil(window_.from / every) * every; at <= window_.to; at += every) {
    make("line", { x1: x(at), x2: x(at), y1: above, y2: height - 18, stroke: "var(--line)" }, svg);
    make("text", { x: x(at), y: height - 4, "text-anchor": "middle", class: "soft" }, svg, time(at));
  }
}

function drawTimeline() {
  const svg = $("line");
  const height = above + run.rows * rowHeight + 22;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  drawAxis(svg, height);
  const calls = shown.filter((c) => c.begin < window_.to && c.begin + c.time > window_.from);
  const closely = run.per_row === 1 && calls.length <= drawnAtOnce;
  for (let row = 0; row < run.rows; row += 1) {
    const y = above + row * rowHeight;
    if (closely && run.all_shown) {
      const from = Math.max(left, x(run.ranks[row][beginAt])), to = Math.min(width, x(run.ranks[row][endAt]));
      if (to > from) make("rect", { x: from, y, width: to - from, height: rowHeight - 2, fill: "var(--a0)" }, svg);
    } else drawBins(svg, row, y);
    if (run.rows <= 32 || row % 4 === 0) make("text", { x: left - 6, y: y + rowHeight / 2 + 3, "text-anchor": "end" }, svg, rowName(row));
  }
  if (closely) drawCalls(svg, calls);
  drawPath(svg);
  drawPhases(svg);
  svg.setAttribute("aria-label", `Timeline of ${run.size} ranks from ${time(window_.from)} to ${time(window_.to)}`
    + `; ${calls.length} calls${closely ? ", each shown" : ", shown as shares of the time"}`);
}

function drawPath(svg) {
  let d = "";
  for (let at = 0; at < run.path.length; at += 3) {
    const [rank, begin, end] = run.path.slice(at, at + 3);
    if (end < window_.from || begin > window_.to) continue;
    const y = above + Math.floor(rank / run.per_row) * rowHeight + 1;
    d += `${d ? "L" : "M"}${Math.max(left, x(begin)).toFixed(1)} ${y}H${Math.min(width, x(end)).toFixed(1)}`;
  }
  make("path", { d, fill: "none", stroke: "var(--ink)", "stroke-width": 1.5, "pointer-events": "none" }, svg);
}

function drawPhases(svg) {
  for (const [rank, at, level] of run.phases) {
    if (at < window_.from || at > window_.to) continue;
    const y = above + Math.floor(rank / run.per_row) * rowHeight;
    make("line", { x1: x(at), x2: x(at), y1: y, y2: y + rowHeight - 2, stroke: "var(--ink)", "stroke-dasharray": "2 1" }, svg);
    make("text", { x: x(at) + 2, y: y + rowHeight / 2 + 3, class: "phase" }, svg, level);
  }
}

function look(from, to) {
  const span = Math.min(run.duration, Math.max(to - from, run.duration * 1e-7, 100));
  window_.from = Math.max(0, Math.min(from, run.duration - span));
  window_.to = window_.from + span;
  drawTimeline();
}
function zoom(factor, around = (window_.from + window_.to) / 2) {
  look(around - (around - window_.from) * factor, around + (window_.to - around) * factor);
}
function timeAt(event) {
  const box = $("line").getBoundingClientRect();
  const at = (event.clientX - box.left) / box.width * width;
  return window_.from + (Math.max(at, left) - left) / (width - left) * (window_.to - window_.from);
}

function hearTimeline() {
  const svg = $("line");
  shown.forEach((call, at) => { call.at = at; });
  let began = null;
  svg.addEventListener("pointerdown", (event) => { began = timeAt(event); });
  svg.addEventListener("pointerup", (event) => {
    const until = timeAt(event);
    if (began !== null && Math.abs(until - began) > (window_.to - window_.from) * .01) look(Math.min(began, until), Math.max(began, until));
    began = null;
  });
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : .8, timeAt(event));
  }, { passive: false });
  svg.addEventListener("pointermove", (event) => {
    const at = event.target.dataset && event.target.dataset.at;
    if (at !== undefined) $("picked").textContent = describe(shown[at]);
  });
  svg.addEventListener("keydown", (event) => {
    const span = window_.to - window_.from;
    const keys = { "+": () => zoom(.5), "=": () => zoom(.5), "-": () => zoom(2), 0: () => look(0, run.duration),
      ArrowLeft: () => look(window_.from - span / 5, window_.to - span / 5), ArrowRight: () => look(window_.from + span / 5, window_.to + span / 5) };
    if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
  });
  $("closer").onclick = () => zoom(.5);
  $("farther").onclick = () => zoom(2);
  $("whole").onclick = () => look(0, run.duration);
}

// ---- tables ----

function fill(table, heads, rows) {
  const cell = (tag, value, isText) => {
    const made = document.createElement(tag);
    if (isText) made.className = "text";
    if (value instanceof Node) made.append(value); else made.textContent = value;
    return made;
  };
  const head = document.createElement("tr");
  heads.forEach(([name, isText]) => {
    const made = cell("th", name, isText);
    made.scope = "col";
    head.append(made);
  });
  table.append(head);
  for (const row of rows) {
    const line = document.createElement("tr");
    row.forEach((value, at) => line.append(cell("td", value, heads[at][1])));
    table.append(line);
  }
}

function showCalls() {
  const all = run.ranks.reduce((sum, rank) => sum + rank[0], 0);
  $("calls-about").textContent = `${count(run.calls_recorded)} calls were recorded, from ${count(run.call_count)} places`
    + `${run.call_count > run.calls.length ? `; these ${run.calls.length} took longest` : ""}. Shares are of the time of all ranks.`;
  fill($("calls"), [["call", true], ["place", true], ["share"], ["time"], ["waiting"], ["mostly for rank"], ["calls"], ["longest"], ["bytes"]],
    run.calls.map(([name, place, times, sum, longest, moved, wait, by]) => [name, place, share(sum, all), time(sum), share(wait, sum),
      by < 0 ? "" : rankName(by), count(times), time(longest), bytes(moved)]));
}

function showStates() {
  const rows = run.states.map((name, at) => [name, run.ranks.reduce((sum, rank) => sum + rank[statesAt + at], 0)]).filter((row) => row[1] > 0);
  const what = { "late sender": "a receive before its message was sent", "late receiver": "a send before its message was received",
    "wait at collective": "one that all need was late", "late root": "the root of a broadcast or scatter was late",
    "early root": "the root of a gather or reduction was early", "in turn": "a rank before in a scan was late",
    "late neighbour": "one whose data is taken was late", "wait for lock": "another rank had the window's lock" };
  if (rows.length === 0) $("states-about").textContent = "Nobody has waited for another rank.";
  const all = run.ranks.reduce((sum, rank) => sum + rank[0], 0);
  fill($("states"), [["wait state", true], ["time"], ["of all time"], ["what", true]],
    rows.sort((a, b) => b[1] - a[1]).map(([name, sum]) => [name, time(sum), share(sum, all), what[name]]));
}

function showRanks() {
  const most = 256;
  $("ranks-about").textContent = `Files: ${bytes(run.file_bytes)} read and written. Windows: ${bytes(run.window_bytes)} moved.`
    + (run.ranks.length > most ? ` The first ${most} ranks are shown.` : "");
  fill($("ranks"), [["rank"], ["host", true], ["computing"], ["in MPI"], ["waiting"], ["late"], ["on the critical path"], ["messages"], ["bytes sent"], ["unexpected messages"], ["of these stored"], ["memory of its process"]],
    run.ranks.slice(0, most).map((r, at) => [rankName(at) + (r[7] ? "" : " \u2020"), r[6], share(r[1], r[0]), share(r[0] - r[1], r[0]),
      share(r.slice(statesAt, lateAt).reduce((a, b) => a + b, 0), r[0]), share(r[lateAt], run.duration), share(r[2], run.duration), count(r[3]), bytes(r[4]),
      count(r[unexpectedAt]), bytes(r[unexpectedAt + 1]),
      r[5] > 0 ? bytes(r[5]) : "?"]));
}

// ---- memory ----

function showMemory() {
  const svg = $("memory"), parts = unpack(run.memory), tall = Math.max(8, Math.min(40, 700 / run.rows));
  const height = above + run.rows * tall + 22;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const at = (bin) => (left + bin / run.bins * (width - left)).toFixed(1);
  let top = [0, 0];
  for (let row = 0; row < run.rows; row += 1) {
    const own = parts.subarray(row * run.bins, (row + 1) * run.bins), base = above + (row + 1) * tall - 2;
    const most = own.reduce((a, b) => Math.max(a, b), 0);
    if (most > top[0]) top = [most, row];
    const points = Array.from(own, (part, bin) => `V${(base - part / 255 * (tall - 3)).toFixed(1)}H${at(bin + 1)}`).join("");
    const area = make("path", { d: `M${at(0)} ${base}${points}V${base}Z`, fill: "var(--a4)" }, svg);
    make("title", {}, area, `${rowName(row)}: ${bytes(most / 255 * run.most_memory)} at most`);
    if (run.rows <= 32 || row % 4 === 0) make("text", { x: left - 6, y: base - tall / 2 + 3, "text-anchor": "end" }, svg, rowName(row));
  }
  [0, .25, .5, .75, 1].forEach((part) => make("text", { x: at(part * run.bins), y: height - 4, "text-anchor": part < 1 ? "middle" : "end", class: "soft" },
    svg, time(part * run.duration)));
  svg.setAttribute("aria-label", `Memory of the ranks' processes over time: ${bytes(run.most_memory)} at most, in ${rowName(top[1])}`);
}

// ---- matrices and sizes ----

function showSquare(id, cells, name, inWords, color) {
  const svg = $(id), size = Math.min(28, 360 / run.rows), edge = run.per_row === 1 ? 40 : 64;
  const every = run.rows <= 16 ? 1 : run.per_row === 1 ? 8 : 16;
  const most = Math.max(...cells, 1);
  svg.setAttribute("viewBox", `0 0 ${edge + run.rows * size + 4} ${edge + run.rows * size + 4}`);
  svg.style.maxWidth = `${2 * (edge + run.rows * size)}px`;
  const total = cells.reduce((a, b) => a + b, 0);
  const top3 = cells.map((value, at) => [value, at]).filter((each) => each[0] > 0).sort((a, b) => b[0] - a[0]).slice(0, 3)
    .map(([value, at]) => `${rowName(Math.floor(at / run.rows))} to ${rowName(at % run.rows)}: ${inWords(value)}`);
  svg.setAttribute("aria-label", `${name}: ${inWords(total)} in all${top3.length ? `; most ${top3.join(", ")}` : ""}`);
  for (let row = 0; row < run.rows; row += 1) {
    if (row % every === 0) {
      make("text", { x: edge - 5, y: edge + (row + .5) * size + 4, "text-anchor": "end" }, svg, rowName(row));
      make("text", { x: edge + (row + .5) * size, y: edge - 6, "text-anchor": "middle" }, svg, rowName(row));
    }
    for (let column = 0; column < run.rows; column += 1) {
      const value = cells[row * run.rows + column];
      const cell = make("rect", { x: edge + column * size, y: edge + row * size, width: size - (size > 6 ? 1 : 0), height: size - (size > 6 ? 1 : 0),
        fill: value > 0 ? color : "var(--line)", "fill-opacity": value > 0 ? .15 + .85 * value / most : .35 }, svg);
      if (value > 0) make("title", {}, cell, `${rowName(row)} to ${rowName(column)}: ${inWords(value)}`);
    }
  }
}

function showSizes() {
  const svg = $("sizes"), height = 200, step = Math.min(60, 560 / Math.max(run.sizes.length, 1));
  const wide = Math.max(420, 40 + run.sizes.length * step);
  svg.setAttribute("viewBox", `0 0 ${wide} ${height + 30}`);
  svg.style.maxWidth = `${wide}px`;
  const most = Math.max(...run.sizes.map((each) => each[1]), 1);
  run.sizes.forEach(([power, messages, sum], at) => {
    const tall = messages / most * (height - 30);
    const bar = make("rect", { x: 20 + at * step, y: height - tall, width: step - 4, height: tall, fill: "var(--a1)" }, svg);
    const name = power < 0 ? "0" : bytes(2 ** power);
    make("title", {}, bar, `${name}: ${count(messages)} messages, ${bytes(sum)}`);
    make("text", { x: 20 + (at + .45) * step, y: height - tall - 5, "text-anchor": "middle", class: "soft" }, svg, count(messages));
    make("text", { x: 20 + (at + .45) * step, y: height + 16, "text-anchor": "middle" }, svg, name);
  });
  svg.setAttribute("aria-label", run.sizes.length === 0 ? "There are no messages" : `Sizes of messages: ${run.sizes
    .map(([power, messages]) => `${power < 0 ? "0" : bytes(2 ** power)} ${count(messages)}`).join(", ")}`);
}

showEfficiencies();
showKeys();
hearTimeline();
drawTimeline();
showCalls();
showStates();
showSquare("waits", run.waits, "Who waits for whom", time, "var(--wait)");
showSquare("messages", run.messages, "Messages", count, "var(--a1)");
showSquare("bytes", run.bytes, "Bytes", bytes, "var(--a4)");
showSizes();
showMemory();
showRanks();
