// The log and the board point at each other.

export function linkLog(root = document) {
  const light = (target, on) => {
    document.getElementById(target)?.classList.toggle("lit", on);
    root.querySelectorAll(`[data-ref="${CSS.escape(target)}"]`).forEach((link) => link.closest("li, p")?.classList.toggle("lit", on));
  };
  const targetOf = (element) => {
    const link = element.closest?.("[data-ref]");
    if (link) return link.dataset.ref;
    const piece = element.closest?.("svg [id]");
    return piece && root.querySelector(`[data-ref="${CSS.escape(piece.id)}"]`) ? piece.id : null;
  };
  let lit = null;
  const follow = (event) => {
    const next = targetOf(event.target);
    if (next === lit) return;
    if (lit) light(lit, false);
    lit = next;
    if (lit) light(lit, true);
  };
  document.addEventListener("pointerover", follow);
  document.addEventListener("focusin", follow);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-ref]")) return;
    event.preventDefault(); // a tap lights up; the page stays where it is
    follow(event);
  });
}

// The first line that is new in view, or the newest of all.
export function showNewest() {
  const log = document.querySelector("#log");
  if (!log) return;
  const first = log.querySelector(".new");
  log.style.removeProperty("--rest");
  log.scrollTop = first ? first.offsetTop - log.offsetTop : log.scrollHeight;
  const top = log.getBoundingClientRect().top;
  const boxes = [...log.querySelectorAll("li")].map((line) => line.getBoundingClientRect());
  const cut = boxes.find((box) => box.top < top - 1 && box.bottom > top + 1);
  if (!cut) return;
  log.style.setProperty("--rest", `${cut.bottom - top}px`); // so much further up, and whole lines are seen
  log.scrollTop += cut.bottom - top;
}
