// The ghosts of choices, laid over the main picture. Fetched once, those of all places that are offered in one piece.

const AHEAD = 32; // how many are fetched before they are asked for

export class Ghosts {
  constructor(table, mark) {
    this.address = (actions) => `${table}/ghosts/${actions.join(",")}?mark=${encodeURIComponent(mark)}`;
    this.kept = new Map(); // by action, a promise of its drawing
    this.shown = null; // the action whose ghost is wanted
    this.ends = new AbortController();
  }

  // No more of them: what has not come yet is not needed any longer.
  end() {
    this.ends.abort();
    this.show(null);
  }

  async show(action) {
    this.shown = action;
    if (action === null) return this.clear();
    this.fetch([action]);
    const drawing = await this.kept.get(action);
    if (this.shown !== action) return; // another one has been asked for meanwhile
    this.clear();
    const picture = document.querySelector("#board svg");
    if (!drawing || !picture) return;
    picture.append(document.importNode(drawing, true));
    picture.dispatchEvent(new Event("ghost", { bubbles: true }));
  }

  clear() {
    document.querySelectorAll("#board .ghost").forEach((ghost) => ghost.remove());
  }

  prepare(actions) {
    this.fetch(actions.slice(0, AHEAD));
  }

  // Fetch those that are not there and not on their way.
  fetch(actions) {
    const missing = actions.filter((action) => !this.kept.has(action));
    if (!missing.length) return;
    const drawn = this.load(missing);
    for (const action of missing) this.kept.set(action, drawn.then((found) => found.get(action) ?? null));
  }

  async load(actions) {
    const found = new Map();
    try {
      const answer = await fetch(this.address(actions), { headers: { Accept: "image/svg+xml" }, signal: this.ends.signal });
      if (answer.status !== 200) return found; // the table has moved on; the page is about to follow
      const drawn = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
      for (const group of drawn.querySelectorAll("[data-ghost]")) found.set(Number(group.dataset.ghost), group.firstElementChild);
    } catch {
      for (const action of actions) this.kept.delete(action); // the line is down; the next look tries again
    }
    return found;
  }
}
