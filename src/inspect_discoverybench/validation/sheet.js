"use strict";
const verdicts = { right: ["Right", "R"], wrong: ["Wrong", "W"] };
const forms = {
  vote: {
    noun: "Pair",
    verb: "voted",
    questions: {
      choice: {
        heading: "Which hypothesis is closer to the gold hypothesis?",
        choices: { 1: ["Hypothesis 1 is closer", "1"], 2: ["Hypothesis 2 is closer", "2"], equal: ["Equal", "0"] },
      },
    },
  },
  label: {
    noun: "Sample",
    verb: "labelled",
    questions: {
      gold_context: { heading: "Context of the gold hypothesis", choices: verdicts },
      predicted_context: { heading: "Context of the predicted hypothesis", choices: verdicts },
      context_match: {
        heading: "Do the contexts match?",
        choices: verdicts,
        correct: { yes: ["The contexts match", "Y"], no: ["The contexts do not match", "N"] },
      },
      variables: { heading: "Variables: in gold, in predicted, shared", choices: verdicts, counts: true },
      relationship: {
        heading: "Relationship",
        choices: verdicts,
        correct: { A: ["very similar", "A"], B: ["similar, but the predicted one is more general", "B"], C: ["different", "C"] },
      },
    },
  },
};

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const { noun, verb, questions } = forms[data.form.name];
const names = Object.keys(questions);
const prefix = "discoverybench agree/" + document.body.dataset.sheet + "/";
let annotator = "";
let marks = {};  // what is filled in, by column, for each item
let index = 0;
let active = names[0];

const item = () => data.items[index];
const mark = () => marks[item().name] || {};
const judged = (name, of = item()) => of.answers[name]?.value ?? null;
const isOpen = (name, of = item()) => judged(name, of) !== "" && !marks[of.name]?.[name];
const isComplete = (of) => !names.some((name) => isOpen(name, of));
// A step in which the judge has no valid answer is not marked, but may have a correct answer.
const isWrong = (name) => judged(name) === "" || (judged(name) !== null && mark()[name] === "wrong");

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

function store(columns) {
  marks[item().name] = { ...mark(), ...columns };
  save("marks/" + annotator.toLowerCase(), JSON.stringify(marks));
  showProgress();
}

function choose(name, value) {
  active = name;
  store(value === "right" ? { [name]: value, ["true_" + name]: "" } : { [name]: value });
  show();
  const needsAnswer = value === "wrong" && (questions[name].counts || Object.keys(questions[name].correct || {}).length > 2);
  if (needsAnswer) focusOn(name);
  else advance();
}

function correct(name, value) {
  active = name;
  store({ ["true_" + name]: value });
  show();
  advance();
}

function advance() {
  const later = names.slice(names.indexOf(active) + 1).find((name) => isOpen(name)) || names.find((name) => isOpen(name));
  if (later) return focusOn(later);
  const order = data.items.map((_, step) => (index + step) % data.items.length);
  const next = order.find((place) => !isComplete(data.items[place]));
  if (next === undefined) show();
  else go(next);
}

function focusOn(name) {
  active = name;
  show();
  const section = byId("question_" + name);
  (isWrong(name) && section.querySelector("input[data-counts]") || section).focus();
  section.scrollIntoView({ block: "nearest" });
}

function go(to) {
  if (to < 0 || to >= data.items.length) return;
  index = to;
  active = names.find((name) => isOpen(name)) || names[0];
  byId("texts").replaceChildren(...Object.entries(item().texts).map(([column, text]) => {
    const heading = column.replaceAll("_", " ");
    const body = element("p", { className: "text", textContent: text });
    return column.endsWith("workflow")
      ? element("details", {}, element("summary", { textContent: heading }), body)
      : element("section", {}, element("h2", { textContent: heading }), body);
  }));
  show();
  showProgress();
  scrollTo(0, 0);
  byId("title").focus({ preventScroll: true });
}

function button(name, value, [label, key], pressed, press) {
  const properties = { ariaPressed: String(pressed), disabled: press === correct && value === judged(name) };
  const created = element("button", properties, label + " ", element("kbd", { textContent: key }));
  created.addEventListener("click", () => press(name, value));
  return created;
}

function show() {
  byId("questions").replaceChildren(...names.map((name) => {
    const { heading, choices, correct: answers, counts } = questions[name];
    const section = element("section", { id: "question_" + name, role: "group", ariaLabel: heading, tabIndex: -1 });
    section.classList.toggle("active", name === active);
    section.append(element("h2", { textContent: heading }));
    if (judged(name) !== null) {
      const { value, reason } = item().answers[name];
      const text = value === "" ? "No valid answer." : answers ? value + ": " + answers[value][0] : value;
      section.append(element("p", { className: "text answer", textContent: text }));
      section.append(element("p", { className: "text quiet", textContent: reason && "Reason: " + reason }));
    }
    if (judged(name) !== "") {
      const buttons = Object.entries(choices).map(([value, label]) =>
        button(name, value, label, mark()[name] === value, choose));
      section.append(element("div", { className: "row" }, ...buttons));
    }
    if (isWrong(name)) {
      const buttons = Object.entries(answers || {}).map(([value, label]) =>
        button(name, value, label, mark()["true_" + name] === value, correct));
      section.append(element("div", { className: "row" }, "Correct answer:", ...(answers ? buttons : input(name, counts))));
    }
    return section;
  }));
}

function input(name, counts) {
  const problem = element("span", { role: "alert" });
  const created = element("input", { value: mark()["true_" + name] || "", autocomplete: "off", ariaLabel: "Correct answer" });
  if (counts) Object.assign(created, { placeholder: "such as 4 3 2", inputMode: "numeric" }).dataset.counts = "";
  created.addEventListener("input", () => {
    const text = created.value.trim().replace(/[\s,;/]+/g, " ");
    if (text === judged(name)) problem.textContent = "This is the judge's answer.";
    else problem.textContent = counts && text && !areCounts(text) ? "Write three whole numbers: in gold (at least 1), in "
      + "predicted, shared (at most the smaller one)." : "";
    store({ ["true_" + name]: problem.textContent ? "" : text });
  });
  created.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") focusOn(name), byId("question_" + name).focus();
    if (event.key === "Enter") active = name, advance();
  });
  return [created, problem];
}

function areCounts(text) {
  const [gold, predicted, shared] = text.split(" ").map(Number);
  return /^\d+ \d+ \d+$/.test(text) && gold >= 1 && Math.max(gold, predicted) <= 50 && shared <= Math.min(gold, predicted);
}

function showProgress() {
  const complete = data.items.filter(isComplete).length;
  byId("title").textContent = noun + " " + (index + 1) + " of " + data.items.length;
  byId("progress").textContent = complete + " of " + data.items.length + " " + verb;
  byId("done").hidden = complete < data.items.length;
  byId("back").disabled = index === 0;
  byId("next").disabled = index === data.items.length - 1;
  byId("download").disabled = Object.keys(marks).length === 0;
  byId("all").replaceChildren(...data.items.map((of, place) => {
    const properties = { textContent: place + 1, ariaLabel: noun + " " + (place + 1), ariaCurrent: String(place === index) };
    const created = element("button", { ...properties, className: isComplete(of) ? "main" : "" });
    created.addEventListener("click", () => go(place));
    return created;
  }));
}

// An apostrophe keeps a spreadsheet from running a cell as a formula. It is removed when the file is read.
function cell(text) {
  const safe = /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? "'" + text : text;
  return /[",;\t\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
}

function download() {
  const { item: name, columns } = data.form;
  const marked = data.items.filter((of) => marks[of.name]).map((of) => of.name);
  const rows = marked.map((of) => [of, annotator, ...columns.map((column) => marks[of][column] || "")]);
  const text = [[name, "annotator", ...columns], ...rows].map((row) => row.map(cell).join(",") + "\n").join("");
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
  link.download = data.form.name + "s_" + annotator.replace(/[^\p{L}\p{N}]+/gu, "_") + ".csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function press(key) {
  const { choices, correct: answers } = questions[active];
  const value = (options) => Object.keys(options || {}).find((option) => options[option][1] === key.toUpperCase());
  const place = names.indexOf(active) + ({ ArrowUp: -1, ArrowDown: 1 }[key] || 0);
  if (key === "ArrowLeft") go(index - 1);
  else if (key === "ArrowRight") go(index + 1);
  else if (key === "ArrowUp" || key === "ArrowDown") focusOn(names[Math.min(Math.max(place, 0), names.length - 1)]);
  else if (judged(active) !== "" && value(choices)) choose(active, value(choices));
  else if (isWrong(active) && value(answers) && value(answers) !== judged(active)) correct(active, value(answers));
  else return false;
  return true;
}

for (const introduction of document.querySelectorAll("[data-form]")) {
  introduction.hidden = introduction.dataset.form !== data.form.name;
}
byId("download").textContent = "Download " + data.form.name + "s";
byId("back").addEventListener("click", () => go(index - 1));
byId("next").addEventListener("click", () => go(index + 1));
byId("download").addEventListener("click", download);
byId("rename").addEventListener("click", () => {
  byId("marking").hidden = true;
  byId("start").hidden = false;
  byId("annotator").select();
});
byId("who").addEventListener("submit", (event) => {
  event.preventDefault();
  annotator = byId("annotator").value.trim().replace(/\s+/g, " ");
  if (!annotator) return;
  marks = JSON.parse(load("marks/" + annotator.toLowerCase()) || "{}");
  save("name", annotator);
  byId("start").hidden = true;
  byId("marking").hidden = false;
  byId("rename").textContent = annotator;
  go(Math.max(0, data.items.findIndex((of) => !isComplete(of))));
});
document.addEventListener("keydown", (event) => {
  if (byId("marking").hidden || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (press(event.key)) event.preventDefault();  // else the letter would be typed into the input that is focused now
});
byId("annotator").value = load("name") || "";
byId("annotator").focus();
