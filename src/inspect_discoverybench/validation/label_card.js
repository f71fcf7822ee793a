const headings = {
  gold_context: "Context of the gold hypothesis",
  predicted_context: "Context of the predicted hypothesis",
  context_match: "Do the contexts match?",
  variables: "Variables",
  relationship: "Relationship",
};
const relationships = { A: "very similar", B: "predicted is more general", C: "different" };
const counts = ["in gold", "in predicted", "shared"];
const steps = Object.keys(headings);
const groups = new Map();
let active = steps[0];

const card = {
  noun: "Sample",
  marks: "labels",
  marked: "labelled",
  done: "You have labelled every sample.",
  id: (item) => item.item,
  columns: ["item", "annotator", ...steps.flatMap((step) => [step, "true_" + step])],
  row: (item, mark) =>
    [item.item, annotator, ...steps.flatMap((step) => [mark[step]?.verdict || "", mark[step]?.answer || ""])],
  complete: (item, mark) => steps.every((step) => !item.steps[step].decided || mark[step]?.verdict),
  show(item, mark, moved) {
    for (const field of ["goal", "gold_hypothesis", "predicted_hypothesis"]) byId(field).textContent = item[field];
    byId("gold_workflow").textContent = item.gold_workflow || "Not public. The judge did not see it.";
    byId("predicted_workflow").textContent = item.predicted_workflow || "No workflow was submitted.";
    if (moved) {
      const open = steps.find((step) => isOpen(step));
      active = open || steps[0];
      for (const step of steps) showCorrect(item.steps[step], step);
    }
    for (const step of steps) showStep(item.steps[step], step, mark?.[step] || {});
  },
  press(key, event) {
    const letter = key.toUpperCase();
    const { decided } = items[index].steps[active];
    if ("RW".includes(letter) && decided) {
      event.preventDefault();  // else the letter would be typed into the input that is focused now
      decide(active, letter === "R" ? "right" : "wrong");
    } else if (active === "relationship" && letter in relationships && isWrong(active)) correct(active, letter);
    else if (active === "context_match" && "YN".includes(letter) && !decided) correct(active, letter === "Y" ? "yes" : "no");
    else if (key === "ArrowUp" || key === "ArrowDown") {
      event.preventDefault();
      activate(steps[Math.min(Math.max(steps.indexOf(active) + (key === "ArrowUp" ? -1 : 1), 0), steps.length - 1)]);
    }
  },
};

function markOf(step) { return marks.get(card.id(items[index]))?.[step] || {}; }
function isOpen(step) { return items[index].steps[step].decided && !markOf(step).verdict; }
// A step without a valid answer has no verdict, but may have a correct answer.
function isWrong(step) { return !items[index].steps[step].decided || markOf(step).verdict === "wrong"; }
function change(step, fields) {
  setMark({ ...marks.get(card.id(items[index])), [step]: { ...markOf(step), ...fields } });
}

function activate(step) {
  active = step;
  showAll();
  groups.get(step).focus({ preventScroll: true });
  groups.get(step).scrollIntoView({ block: "nearest" });
}

function advance() {
  const later = steps.slice(steps.indexOf(active) + 1).find(isOpen) || steps.find(isOpen);
  if (later) activate(later);
  else goToNextOpen();
}

function decide(step, verdict) {
  active = step;
  change(step, verdict === "right" ? { verdict, answer: "", parts: [] } : { verdict });
  if (verdict === "right") showCorrect(items[index].steps[step], step);
  if (verdict === "wrong" && step === "variables") groups.get(step).querySelector("input").focus();
  else if (verdict === "wrong" && step === "relationship") activate(step);
  else advance();
}

function correct(step, answer) {
  active = step;
  change(step, { answer });
  advance();
}

// Only counts that are possible, and that are not the judge's, are an answer.
function correctCounts() {
  const inputs = [...groups.get("variables").querySelectorAll("input")];
  const parts = inputs.map((input) => input.value.trim());
  const [gold, predicted, shared] = parts.map(Number);
  let problem = "";
  if (parts.every((part) => /^\d{1,4}$/.test(part))) {
    if (gold < 1) problem = "A gold hypothesis has at least one variable.";
    else if (shared > Math.min(gold, predicted)) problem = "There cannot be more shared variables than in either hypothesis.";
    else if (parts.map(Number).join(" ") === items[index].steps.variables.value) problem = "These are the judge's counts.";
  } else if (parts.some((part) => part && !/^\d{1,4}$/.test(part))) problem = "Enter whole numbers.";
  else problem = parts.some(Boolean) ? "Enter all three counts." : "";
  byId("counts_problem").textContent = problem;
  change("variables", { parts, answer: problem || !parts.every(Boolean) ? "" : parts.map(Number).join(" ") });
}

function showStep(judged, step, mark) {
  const group = groups.get(step);
  group.querySelector(".answer").textContent = judged.answer;
  group.querySelector(".reason").textContent = judged.reason && "Reason: " + judged.reason;
  group.querySelector(".reason").hidden = !judged.reason;
  group.querySelector(".verdicts").hidden = !judged.decided;
  group.querySelector(".correct").hidden = judged.decided && mark.verdict !== "wrong";
  group.classList.toggle("active", step === active);
  if (step === active) group.setAttribute("aria-current", "step");
  else group.removeAttribute("aria-current");
  group.classList.toggle("right", mark.verdict === "right");
  group.classList.toggle("wrong", mark.verdict === "wrong");
  for (const button of group.querySelectorAll("[data-verdict]")) {
    button.setAttribute("aria-pressed", mark.verdict === button.dataset.verdict);
  }
  for (const button of group.querySelectorAll("[data-answer]")) {
    button.setAttribute("aria-pressed", mark.answer === button.dataset.answer);
    button.disabled = button.dataset.answer === judged.value;
  }
}

// Inputs are filled when the sample changes, and not while they are edited.
function showCorrect(judged, step) {
  const box = groups.get(step).querySelector(".correct");
  const mark = markOf(step);
  if (step === "context_match") {
    box.replaceChildren(...(judged.decided
      ? [text("Correct answer: the contexts " + (judged.value === "yes" ? "do not match." : "match."))]
      : [text("Correct answer:"), choice(step, "yes", "Match", "Y"), choice(step, "no", "Do not match", "N")]));
  } else if (step === "relationship") {
    const choices = Object.entries(relationships).map(([letter, label]) => choice(step, letter, label, letter));
    box.replaceChildren(text("Correct answer:"), ...choices);
  } else if (step === "variables") {
    const fields = counts.map((label, i) => field(label, mark.parts?.[i] || "", "numeric", correctCounts));
    const problem = text("");
    problem.id = "counts_problem";
    problem.setAttribute("role", "alert");
    box.replaceChildren(text("Correct number of variables:"), ...fields, problem);
  } else {
    const save = (event) => change(step, { answer: event.target.value.trim() });
    box.replaceChildren(field("Correct context (optional)", mark.answer || "", "text", save));
  }
}

function text(content) {
  const span = document.createElement("span");
  span.textContent = content;
  return span;
}

function choice(step, answer, label, key) {
  const button = document.createElement("button");
  const shortcut = document.createElement("kbd");
  button.dataset.answer = answer;
  shortcut.textContent = key;
  button.append(label + " ", shortcut);
  button.addEventListener("click", () => correct(step, answer));
  return button;
}

function field(label, value, mode, save) {
  const wrapper = document.createElement("label");
  const input = document.createElement("input");
  input.value = value;
  input.inputMode = mode;
  input.autocomplete = "off";
  input.className = mode;
  input.addEventListener("input", save);
  input.addEventListener("focus", () => {
    active = input.closest(".step").dataset.step;
    showAll();
  });
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") activate(active);
    if (event.key !== "Enter") return;
    const inputs = [...input.closest(".correct").querySelectorAll("input")];
    const next = inputs[inputs.indexOf(input) + 1];
    if (next) next.focus();
    else advance();
  });
  wrapper.append(label + " ", input);
  return wrapper;
}

for (const step of steps) {
  const group = byId("step").content.firstElementChild.cloneNode(true);
  const heading = group.querySelector("h2");
  group.dataset.step = step;
  heading.id = "heading_" + step;
  heading.textContent = headings[step];
  group.setAttribute("aria-labelledby", heading.id);
  for (const button of group.querySelectorAll("[data-verdict]")) {
    button.addEventListener("click", () => decide(step, button.dataset.verdict));
  }
  groups.set(step, group);
  byId("steps").append(group);
}
