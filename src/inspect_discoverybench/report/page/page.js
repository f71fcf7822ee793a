"use strict";
// Makes tables and the list of samples sortable, and the list filterable. Without JavaScript, all rows are shown in their order.
// Text from models and logs is only ever set as text, never as HTML.

/** Create an element with properties and children. */
function element(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

const collator = new Intl.Collator("en", { numeric: true });
const FIRST_ROWS = 100; // so that what follows the samples is not far away
const MORE_ROWS = 500;
const isMissing = (text) => text === "–" || text === "";

/** Compare two cells; missing values are last in either direction. */
function compare(a, b, isNumber, descending) {
  if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
  const number = (text) => parseFloat(text.replace(/[,<]/g, ""));
  const order = isNumber ? number(a) - number(b) : collator.compare(a, b);
  return descending ? -order : order;
}

/** Put a button into each heading. Numbers are first sorted from the largest, text from A. */
function addButtons(headings, sort) {
  headings.forEach((heading, column) => {
    const isNumber = heading.classList.contains("number");
    const button = element("button", { type: "button", textContent: heading.textContent });
    button.addEventListener("click", () => {
      const current = heading.getAttribute("aria-sort");
      const descending = current ? current === "ascending" : isNumber;
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sort(column, isNumber, descending);
    });
    heading.replaceChildren(button);
  });
}

function makeSortable(table) {
  const [body] = table.tBodies;
  addButtons([...table.tHead.rows[0].cells], (column, isNumber, descending) => {
    const text = (row) => row.cells[column].textContent;
    body.append(...[...body.rows].sort((a, b) => compare(text(a), text(b), isNumber, descending)));
  });
}

/** Put a text search and a menu for each heading with `data-filter` above the samples, and sort them by headings. */
function makeListUsable(list) {
  const head = list.querySelector(".head");
  const headings = [...head.children];
  const samples = [...list.querySelectorAll(".sample")].map((node) => {
    const cells = [...node.firstElementChild.children].map((cell) => cell.textContent);
    // The verdicts and the way to the transcript, which are last, have words that are the same for all samples.
    const texts = [...node.querySelectorAll("dd")].slice(0, -2).map((text) => text.textContent);
    return { node, cells, words: [...cells, ...texts].join("\n").toLowerCase() };
  });
  const search = element("input", { type: "search" });
  const form = element("form", { className: "filters" }, element("label", {}, "Search all texts", search));
  const menus = [];
  headings.forEach((heading, column) => {
    if (!("filter" in heading.dataset)) return;
    const values = [...new Set(samples.map((sample) => sample.cells[column]))].sort(collator.compare);
    // The value "" is that of "all". Values of cells begin with "=", because a cell may be empty, too.
    const menu = element("select", {}, element("option", { value: "", textContent: "all" }));
    menu.append(...values.map((text) => element("option", { value: `=${text}`, textContent: text })));
    menus.push({ menu, column });
    form.append(element("label", {}, heading.textContent, menu));
  });
  const tally = element("p", { className: "tally", role: "status" });
  const more = element("button", { type: "button", className: "more", textContent: "Show more" });
  let limit = FIRST_ROWS;
  const show = () => {
    const words = search.value.toLowerCase();
    const chosen = menus.filter(({ menu }) => menu.value !== "");
    let matching = 0;
    for (const sample of samples) {
      const isMatch =
        chosen.every(({ menu, column }) => `=${sample.cells[column]}` === menu.value) &&
        (words === "" || sample.words.includes(words));
      if (isMatch) matching += 1;
      sample.node.hidden = !isMatch || matching > limit;
    }
    tally.textContent =
      `${matching.toLocaleString("en")} of ${samples.length.toLocaleString("en")} samples` +
      (matching > limit ? `, the first ${limit.toLocaleString("en")} are shown` : "");
    more.hidden = matching <= limit;
  };
  addButtons(headings, (column, isNumber, descending) => {
    samples.sort((a, b) => compare(a.cells[column], b.cells[column], isNumber, descending));
    list.append(...samples.map((sample) => sample.node));
    show();
  });
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => {
    limit += MORE_ROWS;
    show();
  });
  list.before(form, tally);
  list.after(more);
  show();
}

makeListUsable(document.querySelector(".samples"));
document.querySelectorAll("table.sortable").forEach(makeSortable);
