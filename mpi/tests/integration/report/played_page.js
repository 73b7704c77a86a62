// SPDX-License-Identifier: Apache-2.0
// Runs the script of a report's page in node, with a document that only keeps what is put in: played_page.js PAGE.
// Prints what a reader would see as JSON: the computing bars of the timeline, the pictures of memory, and the table of ranks.
"use strict";
const script = require("fs").readFileSync(process.argv[2], "utf8").match(/<script>\n([^]*)<\/script>/)[1];

class Played {
  constructor(tag) { Object.assign(this, { tag, children: [], attributes: {}, dataset: {}, style: { setProperty() {} }, textContent: "" }); }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  append(...all) { this.children.push(...all); }
  replaceChildren() { this.children = []; }
  addEventListener() {}
  set innerHTML(text) { this.children = [new Played("span")]; }
  get firstChild() { return this.children[0]; }
  of(tag) { return this.children.filter((each) => each.tag === tag); }
}

const known = {};
const named = (id) => known[id] || (known[id] = new Played(id));
const played = { getElementById: named, createElement: (tag) => new Played(tag), createElementNS: (space, tag) => new Played(tag) };
const unpack = (text) => Buffer.from(text, "base64").toString("latin1");
new Function("document", "Node", "atob", script)(played, Played, unpack);
console.log(JSON.stringify({
  bars: named("line").of("rect").filter((each) => each.attributes.fill === "var(--a0)").map((each) => Number(each.attributes.width)),
  memory: named("memory").of("path").length,
  ranks: named("ranks").of("tr").map((row) => row.children.map((cell) => cell.textContent)),
}));
