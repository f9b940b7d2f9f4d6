// What is seen, as a file: board, tree, whole tree and charts where they stand on the page, with their colours written into
// them; or the same as a PNG.

import { current } from "./store.js";

const SVG = "http://www.w3.org/2000/svg";
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-size",
  "font-weight",
  "font-family",
];
const SEEN = ["#board", "#tree", "#icicle", ".chart svg", ".chart figcaption", ".names li"];
const EDGE = 12,
  HEAD = 26;

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string | null} [text]
 */
const make = (name, attributes, text = null) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== null) element.textContent = text;
  return element;
};

/** A copy of a drawing that looks the same without the page's styles. @param {SVGElement} svg */
function copied(svg) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  const originals = [svg, ...svg.querySelectorAll("*")],
    copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, i) => {
    const seen = getComputedStyle(original);
    for (const name of STYLES) copies[i].setAttribute(name, seen.getPropertyValue(name));
    for (const name of ["class", "tabindex", "id", "role"]) copies[i].removeAttribute(name);
  });
  return copy;
}

export function drawingOf() {
  const parts = SEEN.flatMap((what) => [...document.querySelectorAll(`main ${what}`)]).map((element) => ({
    element,
    at: element.getBoundingClientRect(),
  }));
  const left = Math.min(...parts.map((p) => p.at.left)),
    top = Math.min(...parts.map((p) => p.at.top));
  const width = Math.ceil(Math.max(...parts.map((p) => p.at.right)) - left) + 2 * EDGE;
  const height = Math.ceil(Math.max(...parts.map((p) => p.at.bottom)) - top) + 2 * EDGE + HEAD;
  const style = getComputedStyle(document.body);
  const picture = make("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
  picture.append(make("rect", { width, height, fill: style.backgroundColor }));
  const session = current();
  picture.append(
    make(
      "text",
      { x: EDGE, y: EDGE + 10, fill: style.color, "font-size": "13", "font-family": style.fontFamily },
      [session.name, session.game, session.position.text, session.preset, session.simulations].filter(Boolean).join(" · "),
    ),
  );
  for (const { element, at } of parts) {
    const place = { x: at.left - left + EDGE, y: at.top - top + EDGE + HEAD, width: at.width, height: at.height };
    if (element instanceof HTMLImageElement) {
      if (element.src.startsWith("data:")) picture.append(make("image", { ...place, href: element.src }));
      continue;
    }
    if (!(element instanceof SVGElement)) {
      const swatch = element.querySelector(".swatch");
      const ink = { y: place.y + at.height - 5, fill: style.color, "font-size": "12", "font-family": style.fontFamily };
      if (swatch)
        picture.append(
          make("rect", {
            x: place.x,
            y: place.y + 4,
            width: 9,
            height: 9,
            rx: 3,
            fill: getComputedStyle(swatch).backgroundColor,
          }),
        );
      picture.append(make("text", { ...ink, x: place.x + (swatch ? 14 : 0) }, element.textContent));
      continue;
    }
    const copy = copied(element);
    for (const [key, value] of Object.entries({ ...place, viewBox: `0 0 ${at.width} ${at.height}` }))
      copy.setAttribute(key, String(value));
    picture.append(copy);
  }
  return { text: new XMLSerializer().serializeToString(picture), width, height };
}

/** @param {Blob} blob @param {string} ending */
function save(blob, ending) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${current().game}-${current().simulations}.${ending}`.replace(/[^\w.-]+/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export const saveSvg = () => save(new Blob([drawingOf().text], { type: "image/svg+xml" }), "svg");

export async function savePng() {
  const { text, width, height } = drawingOf(),
    scale = 2;
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    /** @type {Blob | null} */
    const picture = await new Promise((done) => canvas.toBlob(done, "image/png"));
    if (picture) save(picture, "png");
  } finally {
    URL.revokeObjectURL(address);
  }
}
