// What the store looks for in a browser, for tests of modules that read it: import this first.

globalThis.matchMedia = () => ({ matches: false, addEventListener() {} });
globalThis.requestAnimationFrame = (draw) => setTimeout(draw);
if (!globalThis.navigator) globalThis.navigator = { language: "en-GB" };
