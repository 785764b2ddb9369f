// How long an explanation takes, from the key press to what is drawn.

import { LIMIT_MS } from "./editor.mjs";

/** Milliseconds from Enter to the first frame with the other task's files, sorted. Two tasks in turn, so that there is something to draw. */
export async function measure(editor, tasks, count) {
  const times = [];
  for (let run = -4; run < count; run++) {
    await editor.command("Dossier: Explain Context");
    await editor.type(tasks[run & 1]);
    await editor.page.evaluate(watchForDrawing, LIMIT_MS);
    await editor.page.keyboard.press("Enter");
    const time = await editor.page.evaluate(() => window.drawn);
    if (run >= 0) times.push(time);
    await new Promise((done) => setTimeout(done, 300));
  }
  return times.sort((a, b) => a - b);
}

/** Runs in the page: `window.drawn` becomes the time from the next key to the first frame with other rows. */
function watchForDrawing(limit) {
  const pane = [...document.querySelectorAll(".pane")].find((one) => one.querySelector('.pane-header[aria-label^="Context"]'));
  const rows = () => [...(pane ?? document).querySelectorAll(".monaco-list-row")].map((row) => row.textContent).join("\n");
  const before = pane ? rows() : "";
  window.drawn = new Promise((done, failed) => {
    let start;
    window.addEventListener("keydown", () => (start = performance.now()), { capture: true, once: true });
    const look = () => {
      if (start !== undefined && performance.now() - start > limit) return failed(new Error("nothing was drawn"));
      if (start !== undefined && rows() !== before && rows() !== "") return done(performance.now() - start);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}
