/* The cell of `playout.widget`: buttons, and the search as the kernel draws it. While Run is on, each picture that arrives asks for
   the next batch. */

function button(label, title, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.title = title;
  made.addEventListener("click", act);
  return made;
}

function render({ model, el }) {
  let running = false;
  const ask = (message) => model.send(message);
  const more = () => ask({ do: "run", n: model.get("batch") });

  const run = button("Run", "Grow the tree until Stop", () => {
    running = !running;
    label();
    if (running) more();
  });
  const once = (what) => () => {
    running = false;
    label();
    ask({ do: what });
  };
  const step = button("Step", "Run one simulation and show its four phases", once("step"));
  const back = button("Back", "Take the last simulation back", once("back"));
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  const bar = document.createElement("div");
  bar.className = "playout-bar";
  bar.append(run, step, back, count);

  const shown = document.createElement("div");
  shown.className = "playout-search";
  const phases = document.createElement("pre");
  phases.className = "playout-step";
  const error = document.createElement("p");
  error.className = "playout-error";
  error.setAttribute("role", "alert");
  el.classList.add("playout-widget");
  el.append(bar, error, phases, shown);

  function label() {
    run.textContent = running ? "Stop" : "Run";
    run.setAttribute("aria-pressed", String(running));
  }

  function draw() {
    const view = model.get("view");
    if (view.error || view.done) running = false;
    label();
    count.textContent = `${view.simulations.toLocaleString("en")} simulations`;
    back.disabled = view.simulations === 0;
    error.textContent = view.error;
    error.hidden = !view.error;
    phases.textContent = view.step;
    phases.hidden = !view.step;
    shown.innerHTML = view.html; // drawn by the kernel, which escapes texts of games
    if (running) more();
  }

  model.on("change:view", draw);
  draw();
  return () => {
    running = false;
    model.off("change:view", draw);
  };
}

export default { render };
