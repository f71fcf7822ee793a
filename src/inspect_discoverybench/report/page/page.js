"use strict";
// Makes tables sortable, and the table of samples filterable. Without JavaScript, all rows are shown in their order.
// Text from models and logs is only ever set as text, never as HTML.

/** Create an element with properties and children. */
function element(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

const collator = new Intl.Collator("en", { numeric: true });
const MAX_ROWS = 500; // that are laid out at once
const isMissing = (text) => text === "–" || text === "";

/** Sort rows by a column; missing values are last in either direction. */
function sortRows(table, column, isNumber, descending) {
  const value = (text) => (isNumber ? parseFloat(text.replace(/[,<]/g, "")) : text);
  const keyed = [...table.tBodies[0].rows].map((row) => ({ row, text: row.cells[column].textContent }));
  for (const entry of keyed) entry.value = value(entry.text);
  keyed.sort((a, b) => {
    if (isMissing(a.text) || isMissing(b.text)) return isMissing(a.text) - isMissing(b.text);
    const order = isNumber ? a.value - b.value : collator.compare(a.value, b.value);
    return descending ? -order : order;
  });
  table.tBodies[0].append(...keyed.map((entry) => entry.row));
}

/** Put a button into each heading of a table. Numbers are first sorted from the largest, text from A. */
function makeSortable(table) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const isNumber = heading.classList.contains("number");
    const button = element("button", { type: "button", textContent: heading.textContent });
    button.addEventListener("click", () => {
      const current = heading.getAttribute("aria-sort");
      const descending = current ? current === "ascending" : isNumber;
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sortRows(table, column, isNumber, descending);
      table.dispatchEvent(new Event("sort"));
    });
    heading.replaceChildren(button);
  });
}

/** Put a text search and a menu for each heading with `data-filter` and several values above a table. */
function makeFilterable(table) {
  const rows = [...table.tBodies[0].rows];
  const headings = [...table.tHead.rows[0].cells];
  const search = element("input", { type: "search" });
  const form = element("form", { className: "filters" }, element("label", {}, "Search all columns", search));
  const menus = [];
  headings.forEach((heading, column) => {
    if (!("filter" in heading.dataset)) return;
    const values = [...new Set(rows.map((row) => row.cells[column].textContent))].sort(collator.compare);
    if (values.length < 2) return;
    const menu = element("select", {}, element("option", { value: "", textContent: "all" }));
    menu.append(...values.map((text) => element("option", { value: `=${text}`, textContent: text })));
    menus.push({ menu, column });
    form.append(element("label", {}, heading.textContent, menu));
  });
  const count = element("p", { className: "count", role: "status" });
  const show = () => {
    const words = search.value.toLowerCase();
    const chosen = menus.filter(({ menu }) => menu.value !== "");
    let matching = 0;
    for (const row of table.tBodies[0].rows) {
      const isMatch =
        chosen.every(({ menu, column }) => `=${row.cells[column].textContent}` === menu.value) &&
        (words === "" || row.textContent.toLowerCase().includes(words));
      matching += isMatch;
      row.hidden = !isMatch || matching > MAX_ROWS;
    }
    count.textContent =
      `${matching.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows` +
      (matching > MAX_ROWS ? `, the first ${MAX_ROWS} are shown` : "");
  };
  form.addEventListener("input", show);
  table.addEventListener("sort", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  table.parentElement.before(form, count);
  show();
}

makeFilterable(document.querySelector("#samples table"));
document.querySelectorAll("table").forEach(makeSortable);
