const keys = { "1": "1", "2": "2", "0": "equal" };
const choosers = [...document.querySelectorAll("[data-choice]")];
const card = {
  noun: "Pair",
  marks: "votes",
  marked: "voted",
  done: "You have voted on every pair.",
  id: (pair) => pair.pair,
  columns: ["pair", "annotator", "choice"],
  row: (pair, choice) => [pair.pair, annotator, choice],
  complete: () => true,
  show(pair, choice) {
    for (const field of ["goal", "gold_hypothesis", "hypothesis_1", "hypothesis_2"]) byId(field).textContent = pair[field];
    for (const button of choosers) {
      const chosen = choice === button.dataset.choice;
      button.setAttribute("aria-pressed", chosen);
      const box = button.closest(".hypothesis");
      if (box) box.classList.toggle("chosen", chosen);
    }
  },
  press(key) {
    if (key in keys) vote(keys[key]);
  },
};

function vote(choice) {
  setMark(choice);
  goToNextOpen();
}

for (const button of choosers) button.addEventListener("click", () => vote(button.dataset.choice));
