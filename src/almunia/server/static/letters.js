// How large the letters of a picture are on the screen.

export const LEAST = 12; // pixels of the smallest that can be read

// How large a text is, whatever its picture and its style sheet do to it; 0 if it is not shown.
function size(text) {
  return (parseFloat(getComputedStyle(text).fontSize) * text.getBoundingClientRect().height) / (text.getBBox().height || 1);
}

// The sizes of all letters that are shown.
export function sizes(picture) {
  const letters = [...picture.querySelectorAll("text")].filter((text) => !text.closest("defs, .traces"));
  return letters.map(size).filter((pixels) => pixels > 0);
}
