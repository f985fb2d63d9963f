// How much may move: what the guest prefers, and what the system is set to.

const system = window.matchMedia("(prefers-reduced-motion: reduce)");

export const isStill = () => system.matches || document.documentElement.dataset.motion === "less";
