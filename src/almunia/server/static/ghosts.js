// The ghost of a choice, laid over the main picture. Fetched once, and ahead of time.

const AHEAD = 24; // how many are fetched before they are asked for

export class Ghosts {
  constructor(table, mark) {
    this.address = (action) => `${table}/ghost/${action}?mark=${encodeURIComponent(mark)}`;
    this.kept = new Map();
    this.shown = null; // the action whose ghost is wanted
    this.waiting = [];
    this.ends = new AbortController();
  }

  // No more of them: what has not come yet is not needed any longer.
  end() {
    this.waiting = [];
    this.ends.abort();
    this.show(null);
  }

  async show(action) {
    this.shown = action;
    if (action === null) return this.clear();
    const drawing = await this.fetch(action);
    if (this.shown !== action) return; // another one has been asked for meanwhile
    this.clear();
    const picture = document.querySelector("#board svg");
    if (drawing && picture) picture.append(document.importNode(drawing, true));
  }

  clear() {
    document.querySelectorAll("#board .ghost").forEach((ghost) => ghost.remove());
  }

  fetch(action) {
    if (!this.kept.has(action)) this.kept.set(action, this.load(action));
    return this.kept.get(action);
  }

  async load(action) {
    try {
      const answer = await fetch(this.address(action), { headers: { Accept: "image/svg+xml" }, signal: this.ends.signal });
      if (answer.status !== 200) return null; // the table has moved on; the page is about to follow
      const text = await answer.text();
      return new DOMParser().parseFromString(text, "image/svg+xml").documentElement.firstElementChild;
    } catch {
      this.kept.delete(action); // the line is down; the next look tries again
      return null;
    }
  }

  async prepare(actions) {
    this.waiting = actions.slice(0, AHEAD);
    const mine = this.waiting;
    for (const action of mine) {
      if (this.waiting !== mine) return;
      await this.fetch(action);
    }
  }
}
