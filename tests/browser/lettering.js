// Every letter of the pictures that is on the screen, with its colour and that of what lies under it.
() => {
  const all = new CSSStyleSheet();
  all.replaceSync("svg, svg * { pointer-events: all !important; }");
  document.adoptedStyleSheets.push(all);
  const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const read = (colour) => {
    if (!known.has(colour)) {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = colour;
      pixel.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = pixel.getImageData(0, 0, 1, 1).data;
      known.set(colour, [red / 255, green / 255, blue / 255, alpha / 255]);
    }
    return known.get(colour);
  };
  const over = (top, ground) => ground.map((value, i) => top[3] * top[i] + (1 - top[3]) * value);
  const shares = new Map([[null, 1]]); // of an element's own colours that are seen, since it and those around it fade
  const faded = (element) => {
    if (!shares.has(element)) shares.set(element, Number(getComputedStyle(element).opacity) * faded(element.parentElement));
    return shares.get(element);
  };
  const paint = (element) => {
    const style = getComputedStyle(element);
    if (!(element instanceof SVGElement)) return read(style.backgroundColor);
    if (element instanceof SVGUseElement) return paint(document.querySelector(`:is(${element.href.baseVal}, ${element.href.baseVal} *):is(path, circle, rect)`)); // its ground
    if (!(element instanceof SVGGeometryElement) || !/^(rgb|color|#|oklab|lab)/.test(style.fill)) return [0, 0, 0, 0];
    const [red, green, blue, alpha] = read(style.fill);
    return [red, green, blue, alpha * Number(style.fillOpacity) * faded(element)];
  };
  const found = [];
  for (const text of document.querySelectorAll("#table svg text")) {
    const style = getComputedStyle(text);
    const box = text.getBoundingClientRect();
    const share = faded(text);
    if (!text.textContent.trim() || !box.width || share < 0.05 || style.visibility === "hidden") continue;
    const stack = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const place = stack.findIndex((one) => one === text || text.contains(one));
    if (place < 0) continue; // beyond the screen, or something lies over it
    const layers = stack.slice(place + 1).map(paint);
    const first = layers.findIndex((layer) => layer[3] > 0.99);
    let ground = first < 0 ? [1, 1, 1] : layers[first].slice(0, 3);
    for (const layer of layers.slice(0, first < 0 ? layers.length : first).reverse()) ground = over(layer, ground);
    const outlined = style.stroke !== "none" && style.paintOrder.startsWith("stroke");
    if (outlined) ground = over(read(style.stroke), ground);
    const [red, green, blue, alpha] = read(style.fill);
    const size = parseFloat(style.fontSize) * Math.abs(text.getScreenCTM().a || text.getScreenCTM().b);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const colour = over([red, green, blue, alpha * Number(style.fillOpacity) * share], ground);
    found.push([text.textContent, text.closest("[class]").getAttribute("class"), large, colour, ground]);
  }
  document.adoptedStyleSheets.pop();
  return found;
}
