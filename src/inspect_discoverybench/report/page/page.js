
"use strict";
// The page's address holds its state: `#place?parameters`. The place is the id of a section. Parameters of
// `all-samples` are filters by column, `q` (search), `sort`, `page` and `sample` (the one that is open); parameters of
// other sections are `sort`, and `samples`, which holds the parameters of the list of samples.
// Text from models and logs is only ever set as text, never as HTML.

const PAGE_ROWS = 100;
const FIRST_ROWS = 15;
const VIEWER = "http://127.0.0.1:7575/";
const SCORES = ["hms", "context", "variables", "relationship"];
const byId = (id) => document.getElementById(id);
const words = (name) => name.replaceAll("_", " ");

/** Create an element with properties and children; strings become text. */
function element(tag, properties = {}, ...children) {
  const { data, ...rest } = properties;
  const node = Object.assign(document.createElement(tag), rest);
  Object.assign(node.dataset, data);
  node.append(...children.filter((child) => child !== null));
  return node;
}

// --- Theme -----------------------------------------------------------------------------------------------------------

/** Switch between light and dark. Some browsers have no local storage for pages opened from a file. */
function startTheme() {
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try { chosen = localStorage.getItem("discoverybench-theme"); } catch { /* the system's theme is used */ }
  const show = () => {
    if (chosen) document.documentElement.dataset.theme = chosen;
    const isDark = chosen ? chosen === "dark" : system.matches;
    button.textContent = isDark ? "Light theme" : "Dark theme";
    return isDark;
  };
  button.addEventListener("click", () => {
    chosen = show() ? "light" : "dark";
    try { localStorage.setItem("discoverybench-theme", chosen); } catch { /* the choice lasts until the page is closed */ }
    show();
  });
  system.addEventListener("change", show);
  button.hidden = false;
  show();
}

// --- Address ---------------------------------------------------------------------------------------------------------

/** The place and the parameters in the address. */
function readAddress() {
  const [, place, query] = location.hash.match(/^#?([^?]*)\??(.*)$/s);
  return { place: decoded(place), parameters: new URLSearchParams(query) };
}

/** The text of a part of an address; an address that someone mistyped stays as it is. */
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

/** Write the address and show its state, as a new entry of the browser's history or in place of the current one. */
function go(place, parameters, { replace = false, opened = false } = {}) {
  const query = parameters.toString().replaceAll("+", "%20");
  history[replace ? "replaceState" : "pushState"]({ opened }, "", `#${place}${query && `?${query}`}`);
  return showAddress();
}

/** Show the state in the address; scroll to its place after a link or when the page opens. */
async function showAddress({ scroll = false } = {}) {
  const { place, parameters } = readAddress();
  const wasOpen = byId("sample").open;
  for (const table of document.querySelectorAll("table.results")) {
    showSorted(table, table.dataset.section === place ? parameters.get("sort") : null);
  }
  await explorer?.show(place === "all-samples" ? parameters : explorer.kept(place, parameters));
  if (scroll && place && !(wasOpen && byId("sample").open)) {
    const target = byId(place);
    target?.scrollIntoView();
    target?.querySelector("h2")?.focus({ preventScroll: true });
  }
}

// --- Sorted tables ---------------------------------------------------------------------------------------------------

/** Compare two values: numbers before text, missing values last in either direction. */
function compare(a, b, descending) {
  const missing = (value) => value === null || value === undefined || Number.isNaN(value) || value === "–";
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  return descending ? -order : order;
}

/** Put a button into each heading of a table. `sort` gets the name of the column, with a minus sign for descending. */
function makeSortable(table, sort) {
  for (const heading of table.querySelectorAll("thead th")) {
    const button = element("button", { type: "button", textContent: heading.textContent });
    button.addEventListener("click", () => {
      const name = heading.dataset.column;
      // Numbers start with the largest, text with A.
      const first = heading.classList.contains("number") ? "descending" : "ascending";
      const current = heading.getAttribute("aria-sort");
      const next = current ? (current === "ascending" ? "descending" : "ascending") : first;
      sort((next === "descending" ? "-" : "") + name);
    });
    heading.replaceChildren(button);
  }
}

/** Mark the heading by which a table is sorted. */
function markSorted(table, sort) {
  for (const heading of table.querySelectorAll("thead th")) {
    if (sort && heading.dataset.column === sort.replace(/^-/, "")) {
      heading.setAttribute("aria-sort", sort.startsWith("-") ? "descending" : "ascending");
    } else heading.removeAttribute("aria-sort");
  }
}

/** Sort the rows of a section's table; without `sort`, restore their order. */
function showSorted(table, sort) {
  if ((table.dataset.sort ?? "") === (sort ?? "")) return;
  table.dataset.sort = sort ?? "";
  const headings = [...table.querySelectorAll("thead th")];
  const column = headings.findIndex((heading) => sort && heading.dataset.column === sort.replace(/^-/, ""));
  const value = (row) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  const rows = [...table.tBodies[0].rows].sort((a, b) => a.dataset.order - b.dataset.order);
  if (column >= 0) rows.sort((a, b) => compare(value(a), value(b), sort.startsWith("-")));
  table.tBodies[0].append(...rows);
  markSorted(table, sort);
  showFirst(table);
}

/** Hide all but the first rows of a long table, unless the reader asked for all. */
function showFirst(table) {
  const rows = [...table.tBodies[0].rows];
  rows.forEach((row, i) => { row.hidden = table.dataset.long === "folded" && i >= FIRST_ROWS; });
}

/** Make the tables of sections sortable, and fold the long ones. */
function startTables() {
  for (const table of document.querySelectorAll("table.results")) {
    [...table.tBodies[0].rows].forEach((row, i) => { row.dataset.order = i; });
    makeSortable(table, (sort) => {
      const list = explorer?.list() ?? "";
      go(table.dataset.section, new URLSearchParams({ sort, ...(list && { samples: list }) }));
    });
    const count = table.tBodies[0].rows.length;
    if (count <= FIRST_ROWS * 1.5) continue;
    table.dataset.long = "folded";
    const button = element("button", { type: "button", className: "more" });
    const label = () => {
      const folded = table.dataset.long === "folded";
      button.textContent = folded ? `Show all ${count} rows` : `Show the first ${FIRST_ROWS} rows`;
      button.setAttribute("aria-expanded", !folded);
      showFirst(table);
    };
    button.addEventListener("click", () => {
      table.dataset.long = table.dataset.long === "folded" ? "open" : "folded";
      label();
    });
    table.closest(".scroll").after(button);
    label();
  }
}

/** Mark the section in view in the table of contents. */
function startContents() {
  const links = new Map([...document.querySelectorAll("#contents a")].map((link) => [link.hash.slice(1), link]));
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((entry) => entry.isIntersecting)) {
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(entry.target.id)?.setAttribute("aria-current", "location");
    }
  }, { rootMargin: "-20% 0px -75% 0px" });
  document.querySelectorAll("main > section").forEach((section) => observer.observe(section));
}

// --- Compressed data -------------------------------------------------------------------------------------------------

const unpacked = new Map();

/** Decompress the JSON in an element of this page. Each element is decompressed once. */
function unpack(id) {
  if (!unpacked.has(id)) {
    const binary = atob(byId(id).textContent);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    unpacked.set(id, new Response(stream).json());
  }
  return unpacked.get(id);
}

/** Whether a sample has a value of a column, by the code of the value; a sample may have several. */
const has = (codes, code) => (Array.isArray(codes) ? codes.includes(code) : codes === code);

// --- Explorer --------------------------------------------------------------------------------------------------------

/** The list of samples: filters, search, order and pages. A sample is the number of its row in the index. */
class Explorer {
  constructor(index) {
    this.index = index;
    this.count = index.keys.length;
    this.rowOfKey = new Map(index.keys.map((key, row) => [key, row]));
    this.parameters = new URLSearchParams();
    this.rows = [];
    this.shown = null;
    this.texts = null;
    const several = (name) => index.columns[name].values.length > 1;
    this.selects = new Map();
    for (const name of [...index.filters, ...(several("judge") ? ["judge"] : [])]) this.addSelect(name);
    makeSortable(byId("samples"), (sort) => this.change({ sort: sort === "task" ? null : sort }));
    byId("filters").addEventListener("submit", (event) => event.preventDefault());
    let timer;
    byId("query").addEventListener("input", (event) => {
      clearTimeout(timer);
      timer = setTimeout(() => this.change({ q: event.target.value.trim() || null }, { replace: true }), 250);
    });
    byId("previous-page").addEventListener("click", () => this.turn(-1));
    byId("next-page").addEventListener("click", () => this.turn(1));
    byId("samples").tBodies[0].addEventListener("click", (event) => {
      if (!event.target.closest("a")) event.target.closest("tr")?.querySelector("a").click();
    });
    byId("explorer").hidden = false;
  }

  /** Value of a column; several values are joined. */
  value(name, row) {
    const { values, codes } = this.index.columns[name];
    const code = codes[row];
    return Array.isArray(code) ? code.map((one) => values[one]).join(", ") : values[code] ?? "–";
  }

  addSelect(name) {
    const select = element("select", { id: `filter-${name}` });
    select.addEventListener("change", () => {
      this.change({ [name]: select.value === "" ? null : this.index.columns[name].values[Number(select.value)] });
    });
    const label = element("label", { htmlFor: select.id, textContent: words(name).replace(/^./, (c) => c.toUpperCase()) });
    byId("filters").append(element("div", { className: "field" }, label, select));
    this.selects.set(name, select);
  }

  /** Change parameters of the address; null removes one. The list starts at its first page. */
  change(changes, options) {
    const parameters = new URLSearchParams(this.parameters);
    for (const [name, value] of Object.entries({ page: null, sample: null, ...changes })) {
      if (value === null) parameters.delete(name);
      else parameters.set(name, value);
    }
    return go("all-samples", parameters, options);
  }

  /** The parameters of the list, without the open sample, as they are kept in addresses of other sections. */
  list() {
    const parameters = new URLSearchParams(this.parameters);
    parameters.delete("sample");
    return parameters.toString();
  }

  /** The parameters of the list for an address of another section: those in the address, or else those it has now. */
  kept(place, parameters) {
    return new URLSearchParams(place === "" ? "" : parameters.get("samples") ?? this.list());
  }

  async turn(step) {
    await this.change({ page: String(this.page + step) });
    byId("all-samples").scrollIntoView();
  }

  /** Show the state in the address. */
  async show(parameters) {
    this.parameters = parameters;
    if (this.shown !== this.list()) {
      this.shown = this.list();
      await this.showList();
    }
    const row = this.rowOfKey.get(parameters.get("sample"));
    if (row === undefined) byId("sample").close();
    else await showSample(this, row);
  }

  async showList() {
    const state = this.shown;
    const query = this.parameters.get("q") ?? "";
    if (document.activeElement !== byId("query")) byId("query").value = query;
    const found = query ? await this.search(query, state) : null;
    if (state !== this.shown) return; // a newer state is being shown
    this.filter(found);
    this.sort(this.parameters.get("sort"));
    this.showChips();
    this.showPage();
  }

  /** Filters in the address: columns with the code of the value, or -1 if no sample has it. */
  activeFilters() {
    return [...this.parameters]
      .filter(([name]) => Object.hasOwn(this.index.columns, name))
      .map(([name, value]) => ({ name, value, code: this.index.columns[name].values.indexOf(value) }));
  }

  /** Select rows, and count for each choice of a filter how many rows it would select. */
  filter(found) {
    const filters = this.activeFilters();
    const selectsJudge = filters.some(({ name }) => this.index.judgeFilters.includes(name));
    const names = [...this.selects.keys()];
    const counts = new Map(names.map((name) => [name, new Uint32Array(this.index.columns[name].values.length)]));
    this.rows = [];
    for (let row = 0; row < this.count; row++) {
      if ((found && !found[row]) || (!selectsJudge && !this.index.isMain[row])) continue;
      const failed = filters.filter(({ name, code }) => !has(this.index.columns[name].codes[row], code));
      if (failed.length === 0) this.rows.push(row);
      if (failed.length > 1) continue;
      for (const name of failed.length ? [failed[0].name] : names) {
        const codes = this.index.columns[name].codes[row];
        for (const code of Array.isArray(codes) ? codes : [codes]) if (counts.has(name)) counts.get(name)[code]++;
      }
    }
    for (const [name, select] of this.selects) this.showChoices(name, select, counts.get(name));
  }

  showChoices(name, select, counts) {
    const { values } = this.index.columns[name];
    const value = this.parameters.get(name);
    const everything = name === "judge" ? "Main judge" : "All";
    select.replaceChildren(
      element("option", { value: "", textContent: everything }),
      ...values.map((text, code) => element("option", {
        value: String(code), textContent: `${text || "none"} (${counts[code]})`, disabled: counts[code] === 0 && value !== text,
      })),
    );
    select.value = value === null ? "" : String(values.indexOf(value));
    select.classList.toggle("active", value !== null);
  }

  /** Show filters that have no field of their own, each with a button that removes it. */
  showChips() {
    const others = this.activeFilters().filter(({ name }) => !this.selects.has(name));
    const buttons = others.map(({ name, value }) => {
      const button = element("button", { type: "button" }, `${words(name)}: `, element("bdi", { textContent: value || "none" }), " ✕");
      button.setAttribute("aria-label", `Remove the filter ${words(name)}: ${value || "none"}`);
      button.addEventListener("click", () => this.change({ [name]: null }));
      return button;
    });
    if (this.activeFilters().length || this.parameters.has("q")) {
      const clear = element("button", { type: "button", textContent: "Clear all filters" });
      clear.addEventListener("click", () => {
        byId("query").value = "";
        go("all-samples", new URLSearchParams());
      });
      buttons.push(clear);
    }
    byId("chips").replaceChildren(...buttons);
  }

  /** Rows that contain every word of the query in their goal, a hypothesis or their id; null if the state changed. */
  async search(query, state) {
    await this.loadTexts(state);
    if (state !== this.shown) return null;
    const parts = query.toLowerCase().split(/\s+/);
    const tasks = this.index.tasks.map((task) => task.join("\n").toLowerCase());
    return this.texts.map((text, row) => parts.every((part) => text.includes(part) || tasks[this.index.task[row]].includes(part)));
  }

  async loadTexts(state) {
    if (this.texts) return;
    const size = this.index.hypothesesPerChunk;
    const texts = [];
    for (let start = 0; start < this.count; start += size) {
      if (state !== this.shown) return;
      byId("count").textContent = `Reading hypotheses: ${texts.length} of ${this.count}`;
      for (const text of await unpack(`hypotheses-${start / size}`)) texts.push((text ?? "").toLowerCase());
    }
    this.texts = texts;
  }

  /** Sort rows by a column; by default they are grouped by task. */
  sort(sort) {
    const name = sort?.replace(/^-/, "");
    const scores = this.index.scores[name];
    const isColumn = Object.hasOwn(this.index.columns, name ?? "");
    const value = scores ? (row) => scores[row] : isColumn ? (row) => this.value(name, row) : name === "task" ? (row) => row : null;
    if (value) this.rows.sort((a, b) => compare(value(a), value(b), sort.startsWith("-")) || a - b);
    markSorted(byId("samples"), value ? sort : null);
  }

  get pages() { return Math.max(1, Math.ceil(this.rows.length / PAGE_ROWS)); }

  get page() { return Math.min(this.pages, Math.max(1, Math.trunc(Number(this.parameters.get("page"))) || 1)); }

  showPage() {
    const start = (this.page - 1) * PAGE_ROWS;
    const rows = this.rows.slice(start, start + PAGE_ROWS);
    byId("samples").tBodies[0].replaceChildren(...rows.map((row) => this.listRow(row)));
    const total = this.index.isMain.reduce((sum, isMain) => sum + isMain, 0).toLocaleString("en");
    const count = this.rows.length.toLocaleString("en");
    byId("count").textContent = this.rows.length
      ? `${count} of ${total} samples` + (this.pages > 1 ? `, ${start + 1}–${start + rows.length} shown` : "")
      : "No sample matches. Remove a filter or change the search.";
    byId("pager").hidden = this.pages === 1;
    byId("page-number").textContent = `Page ${this.page} of ${this.pages}`;
    byId("previous-page").disabled = this.page === 1;
    byId("next-page").disabled = this.page === this.pages;
  }

  /** Address of a sample within the current list. */
  sampleAddress(row) {
    const parameters = new URLSearchParams(this.parameters);
    parameters.set("sample", this.index.keys[row]);
    return parameters;
  }

  listRow(row) {
    const [id, goal] = this.index.tasks[this.index.task[row]];
    const link = element("a", { href: `#all-samples?${this.sampleAddress(row)}`, dir: "auto", textContent: goal || id });
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      go("all-samples", this.sampleAddress(row), { opened: true });
    });
    const configuration = this.value("configuration", row);
    const outcome = this.value("outcome", row);
    const epoch = this.index.columns.epoch.values.length > 1 ? ` · epoch ${this.value("epoch", row)}` : "";
    const task = element("th", { scope: "row" }, link, element("bdi", { className: "meta", textContent: id + epoch }),
      element("bdi", { className: "meta narrow-only", textContent: `${configuration} · ${outcome}` }));
    const state = element("span", { className: "outcome", data: { outcome }, textContent: outcome });
    const scores = SCORES.map((name, i) => {
      const value = this.index.scores[name][row];
      const cell = element("td", { className: `number${i ? " wide-only" : ""}`, textContent: scoreText(value) });
      if (value) {
        cell.classList.add("score");
        cell.style.setProperty("--score", value);
      }
      return cell;
    });
    return element("tr", {}, task, element("td", { className: "wide-only" }, element("bdi", { textContent: configuration })),
      element("td", { className: "wide-only" }, state), ...scores);
  }
}

const scoreText = (value) => (value === null ? "–" : value.toFixed(2));

// --- One sample ------------------------------------------------------------------------------------------------------

/** Texts and numbers of a sample by name. */
async function readDetails(index, row) {
  const [hypotheses, details] = await Promise.all([
    unpack(`hypotheses-${Math.floor(row / index.hypothesesPerChunk)}`),
    unpack(`details-${Math.floor(row / index.detailsPerChunk)}`),
  ]);
  const values = details[row % index.detailsPerChunk];
  const named = Object.fromEntries(index.details.map((name, i) => [name, values[i]]));
  return { ...named, hypothesis: hypotheses[row % index.hypothesesPerChunk] };
}

/** Open the dialog with a sample. */
async function showSample(explorer, row) {
  const details = await readDetails(explorer.index, row);
  if (explorer.parameters.get("sample") !== explorer.index.keys[row]) return; // another one was opened in the meantime
  byId("sample-body").replaceChildren(...sampleParts(explorer, row, details));
  const place = explorer.rows.indexOf(row);
  byId("sample-position").textContent = place < 0 ? "" : `${place + 1} of ${explorer.rows.length}`;
  for (const [id, step] of [["previous-sample", -1], ["next-sample", 1]]) {
    const other = place < 0 ? undefined : explorer.rows[place + step];
    byId(id).disabled = other === undefined;
    byId(id).onclick = () => go("all-samples", explorer.sampleAddress(other), { replace: true, opened: history.state?.opened });
  }
  if (!byId("sample").open) byId("sample").showModal();
  byId("sample").scrollTop = 0;
}

/** Close the dialog: back to the list that opened it, so that the browser's history has no detour. */
function leaveSample() {
  if (!explorer?.parameters.has("sample")) return;
  if (history.state?.opened) return history.back();
  const parameters = new URLSearchParams(explorer.parameters);
  parameters.delete("sample");
  go("all-samples", parameters, { replace: true });
}

/** A part of a sample with its heading. */
function block(title, ...children) {
  return element("section", { className: "block" }, element("h3", { textContent: title }), ...children);
}

/** A text of a model or of the data with its own line breaks and direction. */
function textBlock(text, missing) {
  return element("p", { className: "text", dir: "auto", textContent: text || missing });
}

/** Everything the dialog shows of a sample. */
function sampleParts(explorer, row, details) {
  const { index } = explorer;
  const [id, goal, gold] = index.tasks[index.task[row]];
  const facets = element("dl", { className: "facets" }, ...SCORES.map((name) => element("div", {},
    element("dt", { textContent: name === "hms" ? "HMS" : name }),
    element("dd", { textContent: scoreText(index.scores[name][row]) }))));
  const parts = [
    element("h2", { id: "sample-title", dir: "auto", textContent: goal || id }),
    element("p", { className: "meta" }, element("bdi", { textContent: explorer.value("configuration", row) }), " · ",
      element("bdi", { textContent: explorer.value("benchmark", row) }), ` · epoch ${explorer.value("epoch", row)}`),
    facets,
  ];
  if (details.error) parts.push(element("div", { className: "block alert" }, element("h3", { textContent: "Error" }), textBlock(details.error)));
  parts.push(element("div", { className: "block pair" },
    element("div", {}, element("h3", { textContent: "Gold hypothesis" }), textBlock(gold, "None")),
    element("div", {}, element("h3", { textContent: "Predicted hypothesis" }), textBlock(details.hypothesis, "Nothing was submitted."))));
  if (details.explanation) {
    parts.push(block("The judge’s verdicts", element("div", { className: "explanation" }, ...markdown(details.explanation))));
  }
  const others = otherJudges(explorer, row);
  if (others) parts.push(block("Other judges", others));
  if (details.workflow) parts.push(block("Workflow", textBlock(details.workflow)));
  const record = explorer.value("judge_record", row);
  parts.push(block("Run", facts(explorer, row, details), record === "–" ? null : element("details", {},
    element("summary", { textContent: "How it was judged" }), element("p", { className: "text meta", textContent: record }))));
  parts.push(transcript(explorer, row));
  return parts;
}

/** Links to the scores that other judges gave to the same sample; null if there are none. */
function otherJudges(explorer, row) {
  const { attempt } = explorer.index;
  const others = attempt.flatMap((one, other) => (one === attempt[row] && other !== row ? [other] : []));
  if (!others.length) return null;
  return element("ul", {}, ...others.map((other) => element("li", {},
    element("a", { href: `#all-samples?${explorer.sampleAddress(other)}` },
      element("bdi", { textContent: explorer.value("judge", other) }), `: HMS ${scoreText(explorer.index.scores.hms[other])}`))));
}

/** What is known about the run of a sample, as a list of names and values. */
function facts(explorer, row, details) {
  const column = (name) => explorer.value(name, row);
  const dollars = (value) => value !== null && value !== undefined && `$${value.toPrecision(3)}`;
  const whole = (value) => value !== null && value !== undefined && Math.round(value).toLocaleString("en");
  const all = new URLSearchParams({ id: column("id"), benchmark: column("benchmark") });
  const pairs = {
    Outcome: column("outcome"),
    Limit: details.limit,
    Submission: details.submission_source && { call: "by the tool submit", object: "a JSON object in the final message",
      labels: "the labels of the final message", quoted: "quoted by the judge from the final message",
      whole: "the whole final message" }[details.submission_source],
    Judge: column("judge"),
    Domain: column("domain"),
    Study: column("study"),
    Tokens: whole(details.tokens),
    Cost: dollars(details.cost),
    "Judge’s tokens": whole(details.judge_tokens),
    "Judge’s cost": dollars(details.judge_cost),
    Time: details.seconds !== null && `${whole(details.seconds)} s`,
    "Python cells": whole(details.cells),
    "Best trial": details.best_trial_hms !== null && `HMS ${scoreText(details.best_trial_hms)}`,
    "Same task": element("a", { href: `#all-samples?${all}`, textContent: "All samples of this task" }),
  };
  const known = Object.entries(pairs).filter(([, value]) => value && value !== "–");
  return element("dl", { className: "pairs" }, ...known.flatMap(([name, value]) => [
    element("dt", { textContent: name }), element("dd", {}, value instanceof Node ? value : element("bdi", { textContent: value }))]));
}

/** How to open the transcript in Inspect's viewer. */
function transcript(explorer, row) {
  const { index } = explorer;
  const log = index.logs[index.log[row]];
  const id = index.tasks[index.task[row]][0];
  const epoch = explorer.value("epoch", row);
  const address = `${VIEWER}#/logs/${encodeURIComponent(log.file)}/samples/sample/${encodeURIComponent(id)}/${epoch}/`;
  return block("Transcript",
    element("p", {}, "Start Inspect’s viewer, then open the address of this sample ",
      element("span", { className: "meta" }, "sample ", element("code", { textContent: id }), `, epoch ${epoch}, log `, element("code", { textContent: log.file }))),
    copyable(log.command, element("code", { textContent: log.command })),
    copyable(address, element("a", { href: address, target: "_blank", rel: "noopener noreferrer", textContent: address })));
}

/** A text with a button that copies it. Without access to the clipboard, the text is selected instead. */
function copyable(text, shown) {
  const button = element("button", { type: "button", textContent: "Copy" });
  button.setAttribute("aria-label", `Copy ${text}`);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shown);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return element("div", { className: "command" }, shown, button);
}

/** The markdown of explanations as elements: headings, bold text, lists and paragraphs. Everything else is text. */
function markdown(text) {
  const nodes = [];
  for (const line of text.split("\n").map((line) => line.trim()).filter(Boolean)) {
    if (/^#{1,6} /.test(line)) nodes.push(element("h4", { dir: "auto" }, ...inline(line.replace(/^#+ /, ""))));
    else if (line.startsWith("- ")) {
      if (nodes.at(-1)?.tagName !== "UL") nodes.push(element("ul"));
      nodes.at(-1).append(element("li", { dir: "auto" }, ...inline(line.slice(2))));
    } else nodes.push(element("p", { dir: "auto" }, ...inline(line)));
  }
  return nodes;
}

/** Bold parts and plain text of a line; a backslash makes the next character plain. */
function inline(line) {
  const plain = (text) => text.replace(/\\([*#`[\]\\])/g, "$1");
  const parts = line.split(/(?<!\\)\*\*(.+?)(?<!\\)\*\*/);
  return parts.map((part, i) => (i % 2 ? element("strong", { textContent: plain(part) }) : plain(part)));
}

// --- Start -----------------------------------------------------------------------------------------------------------

let explorer = null;

async function start() {
  startTheme();
  startTables();
  startContents();
  let followed = false;
  document.addEventListener("click", (event) => { followed = Boolean(event.target.closest?.('a[href^="#"]')); }, true);
  addEventListener("hashchange", () => {
    showAddress({ scroll: followed });
    followed = false;
  });
  byId("close-sample").addEventListener("click", leaveSample);
  byId("sample").addEventListener("cancel", (event) => {
    event.preventDefault();
    leaveSample();
  });
  byId("sample").addEventListener("click", (event) => { if (event.target === byId("sample")) leaveSample(); });
  explorer = new Explorer(await unpack("index"));
  await showAddress({ scroll: true });
  document.documentElement.dataset.ready = "true";
}

start();
