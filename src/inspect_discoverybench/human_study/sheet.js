"use strict";
const verdicts = { right: ["Right", "R"], wrong: ["Wrong", "W"] };
const forms = {
  vote: {
    choice: {
      heading: "Which hypothesis is closer to the gold hypothesis?",
      choices: { 1: ["Hypothesis 1 is closer", "1"], 2: ["Hypothesis 2 is closer", "2"], equal: ["Equal", "0"] },
    },
  },
  label: {
    gold_context: { heading: "Context of the gold hypothesis" },
    predicted_context: { heading: "Context of the predicted hypothesis" },
    context_match: { heading: "Do the contexts match?", names: { yes: "they match", no: "they do not match" } },
    variables: { heading: "Variables: in gold, in predicted, shared", asksCounts: true },
    relationship: {
      heading: "Relationship",
      names: { A: "very similar", B: "similar, but the predicted one is more general", C: "different" },
      asksLetter: true,
    },
  },
};
const maxGoldVariables = 50;  // as in scorer/facets.py

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const questions = forms[data.form];
const names = Object.keys(questions);
const prefix = "discoverybench agree/" + document.body.dataset.sheet + "/";
let annotator = "";
let marks = {};  // what is filled in, by column, for each item
let index = 0;

const isOpen = (name, item) => !marks[item.name]?.[name];
const isComplete = (item) => !names.some((name) => isOpen(name, item));

function element(tag, properties = {}, ...children) {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
}

// Some browsers have no local storage for pages opened from a file.
function load(key) {
  try { return localStorage.getItem(prefix + key); } catch { byId("unsaved").hidden = false; return null; }
}
function save(key, value) {
  try { localStorage.setItem(prefix + key, value); } catch { byId("unsaved").hidden = false; }
}

function loadMarks() {
  return JSON.parse(load("marks/" + annotator.toLowerCase()) || "{}");
}

// The page may also be open in another tab, which has stored other items since.
function withMarksOfOtherTabs() {
  return { ...marks, ...loadMarks() };
}

function go(to) {
  if (to < 0 || to >= data.items.length) return;
  index = to;
  const item = data.items[index];
  byId("texts").replaceChildren(...Object.entries(item.texts).map(([column, text]) => {
    const heading = column.replaceAll("_", " ");
    const body = element("p", { className: "text", textContent: text });
    return column.endsWith("workflow")
      ? element("details", {}, element("summary", { textContent: heading }), body)
      : element("section", {}, element("h2", { textContent: heading }), body);
  }));
  byId("questions").replaceChildren(...names.map((name) => question(name, item)));
  showProgress();
  scrollTo(0, 0);
  byId(names.find((name) => isOpen(name, item)) || names[0]).focus({ preventScroll: true });
}

function question(name, item) {
  const { heading, choices = verdicts, names: meanings = {}, asksCounts, asksLetter } = questions[name];
  const answer = item.answers[name];
  const created = element("fieldset", { id: name, tabIndex: -1 }, element("legend", { textContent: heading }));
  if (answer) {
    const meaning = meanings[answer.value];
    const text = meaning ? answer.value + ": " + meaning : answer.value;
    created.append(element("p", { className: "text answer", textContent: text }));
    created.append(element("p", { className: "text quiet", textContent: answer.reason && "Reason: " + answer.reason }));
  }
  created.append(element("div", { className: "row" }, ...radios(name, choices, item)));
  if (asksCounts) created.append(element("div", { className: "row correct" }, "Correct answer:", countsInput(name, item)));
  if (asksLetter) {
    const others = Object.entries(meanings).filter(([letter]) => letter !== answer.value);
    const letters = Object.fromEntries(others.map(([letter, meaning]) => [letter, [meaning, letter]]));
    created.append(element("div", { className: "row correct" }, "Correct answer:", ...radios("true_" + name, letters, item)));
  }
  return created;
}

function countsInput(name, item) {
  return element("input", {
    name: "true_" + name, value: marks[item.name]?.["true_" + name] || "", autocomplete: "off", ariaLabel: "Correct answer",
    pattern: "\\d+ \\d+ \\d+", placeholder: "such as 4 3 2", title: "Three numbers, such as 4 3 2",
  });
}

// Why `agree votes` would refuse three numbers; empty if it would not. The input's pattern refuses all other texts.
function countsProblem(text) {
  const [gold, predicted, shared] = text.split(" ").map(Number);
  if (gold < 1 && text) return "The gold hypothesis has at least one variable.";
  if (gold > maxGoldVariables) return `The gold hypothesis has at most ${maxGoldVariables} variables.`;
  if (shared > Math.min(gold, predicted)) return "There cannot be more shared variables than in gold or in predicted.";
  return "";
}

function radios(name, options, item) {
  return Object.entries(options).map(([value, [label, key]]) => element("label", {},
    element("input", { type: "radio", name, value, checked: marks[item.name]?.[name] === value }),
    label + " ", element("kbd", { textContent: key })));
}

// Handles a change of any input: keeps what is filled in, then moves on to what is still open.
function store({ target }) {
  const item = data.items[index];
  if (target.type === "text") target.setCustomValidity(countsProblem(target.value));
  const filled = Object.fromEntries(new FormData(byId("questions")));
  // A correct answer stays in its hidden input if the verdict is changed to "right".
  for (const name of names) if (filled[name] === "right") delete filled["true_" + name];
  const invalid = byId("questions").querySelector('fieldset:has([value="wrong"]:checked) input:invalid');
  if (invalid) delete filled[invalid.name];
  marks = { ...withMarksOfOtherTabs(), [item.name]: filled };
  save("marks/" + annotator.toLowerCase(), JSON.stringify(marks));
  showProgress();
  if (invalid) return invalid.reportValidity();
  const fieldset = target.closest("fieldset");
  const answer = fieldset.querySelector(".correct input");
  if (target.value !== "wrong" || !answer) advance(fieldset.id);
  else if (answer.type === "text") answer.focus();
}

// Goes to the next open question after this one, then to an earlier one of the item, then to the next incomplete item.
function advance(from) {
  const item = data.items[index];
  const next = [...names.slice(names.indexOf(from) + 1), ...names].find((name) => isOpen(name, item));
  if (next) return byId(next).focus();
  // From this item to the last, and on from the first.
  const order = data.items.map((_, step) => (index + step) % data.items.length);
  const open = order.find((place) => !isComplete(data.items[place]));
  if (open !== undefined) go(open);
}

function showProgress() {
  const complete = data.items.filter(isComplete).length;
  byId("title").textContent = "Item " + (index + 1) + " of " + data.items.length;
  byId("progress").textContent = complete + " of " + data.items.length + " complete";
  byId("done").hidden = complete < data.items.length;
}

// An apostrophe keeps a spreadsheet from running a cell as a formula. It is removed when the file is read.
function cell(text) {
  const safe = /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? "'" + text : text;
  return /[",;\t\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
}

function download() {
  marks = withMarksOfOtherTabs();
  showProgress();
  const columns = data.columns;
  const marked = data.items.filter((item) => marks[item.name]).map((item) => item.name);
  const rows = marked.map((item) => [item, annotator, ...columns.map((column) => marks[item][column] || "")]);
  const text = [["item", "annotator", ...columns], ...rows].map((row) => row.map(cell).join(",") + "\n").join("");
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
  link.download = data.form + "s_" + annotator.replace(/[^\p{L}\p{N}]+/gu, "_") + ".csv";
  link.click();
}

// Acts on a key. Returns whether it has a meaning here.
function press(key) {
  const active = document.activeElement.closest("fieldset") || byId(names[0]);
  // Correct answers are hidden until the verdict is "wrong". A hidden label has no offsetParent.
  const label = [...active.querySelectorAll("label")].find(
    (label) => label.offsetParent && label.querySelector("kbd")?.textContent === key.toUpperCase());
  if (key === "ArrowLeft") go(index - 1);
  else if (key === "ArrowRight") go(index + 1);
  else if (label?.control.checked) advance(active.id);
  else if (label) label.control.click();
  else return false;
  return true;
}

byId("download").textContent = "Download " + data.form + "s";
byId("back").addEventListener("click", () => go(index - 1));
byId("next").addEventListener("click", () => go(index + 1));
byId("download").addEventListener("click", download);
byId("questions").addEventListener("change", store);
byId("questions").addEventListener("submit", (event) => event.preventDefault());
byId("who").addEventListener("submit", (event) => {
  event.preventDefault();
  annotator = byId("annotator").value.trim().replace(/\s+/g, " ");
  if (!annotator) return;
  marks = loadMarks();
  save("name", annotator);
  byId("start").hidden = true;
  byId("marking").hidden = false;
  go(Math.max(0, data.items.findIndex((item) => !isComplete(item))));
});
document.addEventListener("keydown", (event) => {
  if (byId("marking").hidden || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const isText = event.target.matches("input:not([type=radio])");
  if (!isText && press(event.key)) event.preventDefault();
});
byId("annotator").value = load("name") || "";
byId("annotator").focus();
