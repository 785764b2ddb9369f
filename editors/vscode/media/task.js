// The page of the task: shows what it is told, tells what the user did.
// @ts-check
(() => {
  // @ts-ignore: given by the editor
  const editor = acquireVsCodeApi();
  const get = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const [task, limit] = [get("task"), get("limit")];
  const number = (/** @type {number} */ value) => value.toLocaleString("en");
  let shownTask = "";

  task.value = editor.getState()?.draft ?? "";
  task.addEventListener("input", () => editor.setState({ draft: task.value }));

  const tell = (/** @type {string} */ kind) => {
    const words = task.value.trim();
    if (words) editor.postMessage({ kind, task: words });
    else task.focus();
  };
  get("explain").addEventListener("click", () => tell("explain"));
  get("ask").addEventListener("click", () => tell("ask"));
  task.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    tell(event.ctrlKey || event.metaKey ? "ask" : "explain");
  });
  limit.addEventListener("change", () => {
    const budget = Number(limit.value);
    if (Number.isInteger(budget) && budget > 0) editor.postMessage({ kind: "budget", budget });
  });
  get("free").addEventListener("click", () => editor.postMessage({ kind: "budget", budget: null }));

  window.addEventListener("message", ({ data }) => {
    document.body.classList.toggle("busy", data.isBusy);
    get("result").hidden = !data.view;
    if (data.view) show(data.view, data.isBudgetByHand);
  });
  editor.postMessage({ kind: "ready" });

  /** A task that came from elsewhere replaces what stands in the field, unless it is being typed in. */
  function show(view, isBudgetByHand) {
    if (view.task !== shownTask && document.activeElement !== task) task.value = view.task;
    shownTask = view.task;
    const { used, limit: most, tokenizer } = view.budget;
    get("used").style.width = `${Math.min(100, (100 * used) / Math.max(1, most))}%`;
    get("bar").setAttribute("aria-valuemax", most);
    get("bar").setAttribute("aria-valuenow", used);
    get("bar").title = `${number(used)} of ${number(most)} tokens, counted by ${tokenizer}`;
    get("counted").textContent = number(used);
    if (document.activeElement !== limit) limit.value = most;
    get("free").hidden = !isBudgetByHand;
    get("sure").textContent = `${Math.round(100 * view.confidence)}\u00a0% sure`;
    list("plan", view.plan);
    list("notes", view.notes.map((note) => note.text));
    view.notes.forEach((note, at) => get("notes").children[at].classList.add(note.level));
  }

  function list(id, lines) {
    get(id).replaceChildren(...lines.map((line) => {
      const row = document.createElement("li");
      row.textContent = line;
      return row;
    }));
  }
})();
