// The width of a text as the tree writes it.

const brush = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
/** @type {Map<string, number>} */
const widths = new Map();

/** Measured once for each text and font. @param {string} text @param {string} font */
export function textWidth(text, font) {
  const name = `${font} ${text}`;
  let width = widths.get(name);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    brush.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
    width = brush.measureText(text).width;
    widths.set(name, width);
  }
  return width;
}
