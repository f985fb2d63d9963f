// Measures a table's page, for tools/page_player.py, which adds it to every page as `measure`.

window.measure = (() => {
  const UNSEEN = ".below, dialog, [popover]";
  const NUMBER = /^[+−-]?\d+$/;
  const EDGE = 8; // pixels by which a number may exceed its target
  const LETTER = 11.75; // pixels; a browser may render 12 as this

  const all = (what, around = document) => [...around.querySelectorAll(what)];
  const seen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.closest(UNSEEN);
  const name = (one) => one.getAttribute("aria-label") ?? one.querySelector("h2")?.textContent.trim() ?? name(one.parentElement);
  const box = (one) => one.getBoundingClientRect();
  const pressed = (one) => getComputedStyle(one).pointerEvents !== "none";
  const targets = () => all("svg [data-action]:not(.away), svg [data-part]").filter((one) => seen(one) && pressed(one));

  // Whether an element reaches beyond the window, or beyond a scrolled container.
  function beyond(one) {
    const own = box(one);
    if (own.bottom > innerHeight + 2 || own.right > innerWidth + 2) return true;
    for (let around = one.parentElement; around !== document.documentElement; around = around.parentElement) {
      const edge = box(around);
      const cuts = getComputedStyle(around).overflowY !== "visible" && around !== document.body && edge.height > 0;
      if (cuts && (own.bottom > edge.bottom + 2 || own.right > edge.right + 2)) return true;
    }
    return false;
  }

  // The sizes of all letters, inside and outside pictures.
  function letters() {
    const size = (one) => parseFloat(getComputedStyle(one).fontSize);
    const scale = (one) => parseFloat(getComputedStyle(one).scale) || 1; // its matrix does not include it
    const drawn = all("#table text").filter((one) => one.textContent.trim() && seen(one) && box(one).width && !one.closest("defs, symbol"));
    const found = drawn.map((one) => size(one) * scale(one) * Math.hypot(one.getScreenCTM().c, one.getScreenCTM().d));
    const words = document.createTreeWalker(document.querySelector("#table"), NodeFilter.SHOW_TEXT);
    while (words.nextNode()) {
      const one = words.currentNode.parentElement;
      const read = words.currentNode.data.trim() && seen(one) && !one.closest("svg, .visually-hidden, noscript");
      if (read) found.push(size(one));
    }
    return found;
  }

  function looks() {
    const parts = all("#table #board, #table .drawn, #table .seat, #table .pane, #table .panel").filter(seen);
    const sides = all("#table svg, #table .seat, #question").filter(seen).map(box);
    const wide = Math.max(...sides.map(({ right }) => right)) - Math.min(...sides.map(({ left }) => left));
    const sizes = letters();
    return {
      beyond: [...new Set(parts.filter(beyond).map(name))],
      least: Math.min(...sizes),
      small: sizes.filter((size) => size < LETTER).length,
      wide: wide / innerWidth,
    };
  }

  const valueOf = (one) => Number(one.textContent.trim().replace("−", "-"));

  // Whether the centre of one box is on another box, or at its edge.
  function liesOn(small, large) {
    const [x, y] = [(small.left + small.right) / 2, (small.top + small.bottom) / 2];
    return x >= large.left - EDGE && x <= large.right + EDGE && y >= large.top - EDGE && y <= large.bottom + EDGE;
  }

  // The bar, the board, the smallest target, and how many of the targets show what they earn.
  function state() {
    const [bar, board] = [".dock, #question", "#board"].map((one) => box(document.querySelector(one)));
    const sizes = targets().map(box).filter(({ width }) => width);
    const whole = targets().filter((one) => one.dataset.action);
    const numbers = all("#table svg text").filter((one) => NUMBER.test(one.textContent.trim()) && seen(one));
    const shown = (one) => numbers.filter((number) => liesOn(box(number), box(one))).map(valueOf);
    const gainOf = (one) => Number(document.querySelector(`#choices [name=action][value="${one.dataset.action}"]`)?.dataset.gain ?? 0);
    const earning = whole.filter(gainOf);
    return {
      bar: Math.round(bar.height),
      foot: Math.round(innerHeight - bar.bottom),
      board: Math.round(board.y + scrollY),
      least: sizes.length ? Math.min(...sizes.flatMap(({ width, height }) => [width, height])) : null,
      targets: whole.length,
      gains: whole.filter((one) => shown(one).length).length,
      earning: earning.length,
      told: earning.filter((one) => shown(one).includes(gainOf(one))).length,
    };
  }

  // A move out of the first third of the list, with the parts to pick for it: [name, value, words of a button].
  function one(share) {
    const buttons = all("#choices button[name=action]");
    const chosen = buttons[Math.floor((share * buttons.length) / 3)];
    const known = Object.fromEntries(JSON.parse(document.querySelector("#choices").dataset.parts).map((part) => [part.name, part]));
    const parts = Object.entries(known).filter(([part]) => chosen.hasAttribute(`data-of-${part}`));
    const wanted = parts.map(([part, { label, turns }]) => {
      const value = chosen.getAttribute(`data-of-${part}`);
      return [part, value, turns || `${label} ${value}`];
    });
    return { action: chosen.value, parts: wanted };
  }

  // Records the times at which the board changes.
  const changes = [];
  function watch() {
    const inside = ({ target }) => (target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement)?.closest("#board");
    const note = (found) => { if (found.some(inside)) changes.push(performance.now()); };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  }

  const free = ([x, y]) => !document.elementFromPoint(x, y)?.closest("[data-action], [data-part], a, button");
  return { looks, state, one, watch, free, taken: () => changes.splice(0) };
})();
