// How the line that asks, or tells what others did, stands on a phone: one that two lines have no room for has three
// lower ones.

export function fitQuestion(table) {
  const ask = table.querySelector(".ask");
  if (!ask) return;
  ask.classList.remove("wordy");
  const words = document.createRange(); // its words alone: what a finger may press around a § reaches beyond its line
  words.selectNodeContents(ask);
  ask.classList.toggle("wordy", words.getBoundingClientRect().height > ask.clientHeight + 1);
}
