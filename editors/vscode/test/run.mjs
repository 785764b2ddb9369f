// Tries the packaged extension in a real VS Code, as a user would: keys, clicks, and what can be read on the screen.
//
// Environment: DOSSIER, the program; CODE_SERVER, BROWSER; VSIX, STAND_IN, the two extensions; RUST_ANALYZER, the real one; PICTURES,
// a folder for screenshots. ci/vscode.sh sets them. DOSSIER_BENCH_WORKSPACE, a large workspace for the measurement, with two tasks of
// which other files come: DOSSIER_BENCH_TASK, DOSSIER_BENCH_OTHER_TASK.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { fixture, folder, link, withoutRust } from "../../test/workspace.mjs";
import { Editor, until } from "./editor.mjs";
import { measure } from "./speed.mjs";

const { DOSSIER, RUST_ANALYZER, DOSSIER_BENCH_WORKSPACE } = process.env;
const { DOSSIER_BENCH_TASK: BENCH_TASK, DOSSIER_BENCH_OTHER_TASK: BENCH_OTHER_TASK } = process.env;
const TASK = "Implement the login";
const OTHER_TASK = "Round the tax on each invoice line";
/** Long enough for rust-analyzer to load a small crate on a busy machine. */
const LOAD_MS = 120_000;

/** What a file's row is told by. */
const LOGIN_FILE = "auth/mod.rs";

/** Runs the steps of a test in one editor; a picture and the log tell of a failure. */
function inEditor(options, steps) {
  return async (t) => {
    const workspace = options.workspace();
    const editor = await Editor.open(workspace, options.editor?.(workspace) ?? withProgram());
    try {
      for (const [name, step] of Object.entries(steps)) {
        await t.test(name, async () => {
          try {
            await step(editor, workspace);
          } catch (error) {
            await editor.picture(`failed ${name.replaceAll(/\W+/g, "-")}`);
            console.log(editor.log().split("\n").slice(-30).join("\n"));
            throw error;
          }
        });
      }
    } finally {
      await editor.close();
    }
  };
}

const withProgram = (settings = {}, more = {}) => ({ settings: { "dossier.server.path": DOSSIER, ...settings }, ...more });

let ollama;
const ollamaLog = join(folder("ollama"), "log");

before(async () => {
  const script = fileURLToPath(new URL("../../test/ollama.mjs", import.meta.url));
  const server = spawn(process.execPath, [script], { env: { ...process.env, OLLAMA_LOG: ollamaLog }, stdio: ["ignore", "pipe", "inherit"] });
  const host = await new Promise((done) => server.stdout.once("data", (line) => done(String(line).trim())));
  ollama = { host, server };
});

after(() => ollama.server.kill());
process.on("exit", () => ollama?.server.kill());

/** What the model was asked so far; what it was cancelled with. */
function heard() {
  const lines = existsSync(ollamaLog) ? readFileSync(ollamaLog, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)) : [];
  return { chats: lines.filter((line) => line.path === "/api/chat").map((line) => line.body), left: lines.filter((line) => line.left) };
}

const model = (name) => ({ "dossier.model.ollamaHost": ollama.host, "dossier.model.name": name });

// The key is made up; its form is that of a real one.
const SECRET = `ghp_${"0123456789abcdefghijklmnopqrstuvwxyz"}`;

function workspaceWithSecret() {
  const workspace = fixture("auth_app");
  appendFileSync(join(workspace, "src/auth/mod.rs"), `\n/// For the login of the mirror.\npub const LOGIN_TOKEN: &str = "${SECRET}";\n`);
  return workspace;
}

const budgetField = (editor) => editor.task().locator("#limit");

async function usedTokens(editor) {
  return Number((await editor.task().locator("#counted").innerText()).replaceAll(",", ""));
}

describe("a trusted workspace", () => {
  test("from the task to the answer", inEditor({
    workspace: workspaceWithSecret,
    // A key that opens nothing: that nothing is sent must not be for want of one.
    editor: () => withProgram(model("qwen2.5-coder:7b"), { env: { OPENAI_API_KEY: "none" } }),
  }, {
    "explains a task": async (editor) => {
      await editor.explain(TASK);
      await editor.rows(LOGIN_FILE).first().waitFor();
      await editor.task().locator("#plan li").first().waitFor();
      assert.ok((await usedTokens(editor)) > 100);
      await editor.rows(LOGIN_FILE).first().locator(".monaco-tl-twistie").click();
      await editor.rows(/[+−]\d\.\d\d /).first().waitFor();
      await until(async () => /\d+ files/.test(await editor.statusBar().innerText()), "the index in the status bar");
    },
    "opens a file at its range, and tints what was chosen": async (editor) => {
      await editor.rows(LOGIN_FILE).first().click();
      await editor.tab("mod.rs").waitFor();
      await until(() => editor.page.locator(".view-overlays [class*='ced-']").count(), "tinted lines");
      await editor.picture("explain");
      await editor.rows(LOGIN_FILE).first().locator(".monaco-tl-twistie").click();
    },
    "pins a file, and the pack follows": async (editor) => {
      const row = editor.rows("session.rs").first();
      await editor.act(row, "Pin");
      await editor.rows(/session\.rs.*pinned/).first().waitFor();
    },
    "follows another budget, and keeps what is pinned": async (editor) => {
      const before = await usedTokens(editor);
      await budgetField(editor).fill("1000");
      await budgetField(editor).press("Enter");
      await until(async () => (await usedTokens(editor)) <= 1000, "a smaller pack");
      assert.ok((await usedTokens(editor)) < before);
      await editor.rows(/session\.rs.*pinned/).first().waitFor();
      await editor.command("Dossier: Change Budget");
      await editor.answer("4096");
      await until(async () => (await budgetField(editor).inputValue()) === "4096", "the budget by command");
    },
    "excludes a file, and takes it back": async (editor) => {
      const row = editor.rows(LOGIN_FILE).first();
      await editor.act(row, "Exclude");
      const group = editor.rows("Excluded by hand");
      await group.waitFor();
      await group.click();
      await editor.act(editor.rows("src/auth/mod.rs"), "Take Back");
      await group.waitFor({ state: "detached" });
      await editor.rows(LOGIN_FILE).first().waitFor();
    },
    "shows a file at another level": async (editor) => {
      await editor.act(editor.rows(LOGIN_FILE).first(), "Change Level");
      await editor.page.locator(".quick-input-list .monaco-list-row", { hasText: "skeleton" }).click();
      await editor.rows(/auth\/mod\.rs.*skeleton/).first().waitFor();
    },
    "pins an item by its name": async (editor) => {
      await editor.command("Dossier: Pin File or Item by Name");
      await editor.answer("src/billing/tax.rs");
      await editor.rows(/tax\.rs.*pinned/).waitFor();
      await editor.rows(LOGIN_FILE).first().locator(".monaco-tl-twistie").click();
      await editor.rows("user.rs").first().click();
      await editor.tab("user.rs").waitFor();
      await editor.picture("by hand");
      await editor.rows(LOGIN_FILE).first().locator(".monaco-tl-twistie").click();
    },
    "undoes all changes by hand": async (editor) => {
      await editor.command("Dossier: Undo All Changes by Hand");
      await editor.rows(/pinned/).first().waitFor({ state: "detached" });
      await editor.rows(/auth\/mod\.rs.*(full|ranges)/).first().waitFor();
    },
    "shows exactly what would be sent, secrets masked": async (editor) => {
      const before = heard().chats.length;
      await editor.command("Dossier: Preview What Is Sent");
      await editor.waitForText(/Nothing has been sent/);
      await editor.waitForText(/secrets? masked/);
      await editor.picture("preview");
      const text = await editor.text();
      assert.match(text, /on this machine/);
      assert.match(text, /─ instructions ─/);
      assert.ok(!text.includes(SECRET));
      assert.equal(heard().chats.length, before);
      await editor.dismissToasts();
    },
    "copies the context": async (editor) => {
      await editor.command("Dossier: Copy Context");
      await editor.toast("Dossier: copied").waitFor();
      const copied = await editor.page.evaluate(() => navigator.clipboard.readText());
      assert.match(copied, /src\/auth\/mod\.rs/);
      assert.ok(!copied.includes(SECRET));
      await editor.dismissToasts();
    },
    "reads what is not saved yet": async (editor, workspace) => {
      await editor.open("inventory/reorder.rs");
      await editor.page.locator(".editor-instance .view-line").first().click();
      await editor.page.keyboard.press("Control+Home");
      await editor.page.keyboard.insertText("pub fn quarantine_pallets() {}\n");
      await editor.explain("Who calls quarantine_pallets?");
      await editor.rows(/^.*reorder\.rs/).first().waitFor();
      assert.ok(!readFileSync(join(workspace, "src/inventory/reorder.rs"), "utf8").includes("quarantine"));
      await editor.command("Revert File");
    },
    "explains the item at the cursor, by a code action": async (editor) => {
      await editor.open("auth/password.rs");
      await editor.page.keyboard.press("Control+G");
      await editor.answer(":26");
      await editor.command("Source Action...");
      await editor.page.locator(".action-widget .monaco-list-row.focused", { hasText: "Explain the context for" }).waitFor();
      await editor.page.keyboard.press("Enter");
      await until(async () => /PasswordPolicy/.test(await editor.task().locator("#task").inputValue()), "the item as the task");
      await editor.rows("password.rs").first().waitFor();
    },
    "streams an answer; its places are links": async (editor) => {
      await editor.open("auth/session.rs");
      await editor.command("Dossier: Ask with Context");
      await editor.answer(TASK);
      await editor.waitForText(/stops at `src\/auth\/mod\.rs:43`/);
      await editor.waitForText(/qwen2\.5-coder:7b: sent [\d,]+ tokens/);
      await editor.page.locator(".detected-link, .detected-link-active").first().waitFor();
      const sent = heard().chats.at(-1);
      assert.ok(JSON.stringify(sent.messages).includes("src/auth/mod.rs"));
      assert.ok(!JSON.stringify(sent.messages).includes(SECRET));
      await editor.picture("answer");
    },
    "copies and inserts code of the answer": async (editor) => {
      const lens = (text) => editor.page.locator(".codelens-decoration a", { hasText: text }).first();
      await lens("Copy").click();
      await until(async () => (await editor.page.evaluate(() => navigator.clipboard.readText())).includes("if !self.hasher.verify"), "code in the clipboard");
      await lens("Insert at Cursor").click();
      await editor.page.locator(".tab.active.dirty", { hasText: "session.rs" }).waitFor();
      await editor.waitForText(/self\.hasher\.verify/);
      await editor.command("Revert File");
    },
    "cancels an answer, and keeps what has come": async (editor) => {
      await editor.set(model("slow:7b"));
      const before = heard().left.length;
      await editor.command("Dossier: Ask with Context");
      await editor.answer(TASK);
      await editor.waitForText(/stops at/);
      await editor.picture("asking");
      await editor.toast("the model answers").locator("a.monaco-button", { hasText: "Cancel" }).click();
      await editor.waitForText(/Cancelled\./);
      assert.match(await editor.text(), /stops at/);
      await until(() => heard().left.length > before, "the model to be let go");
    },
    "keeps what had come when the model breaks off": async (editor) => {
      await editor.set(model("dies:7b"));
      await editor.command("Dossier: Ask with Context");
      await editor.answer(TASK);
      await editor.waitForText(/not all of it/);
      assert.match(await editor.text(), /stops at/);
      await editor.toast("Dossier:").first().waitFor();
      await editor.picture("broken off");
      await editor.dismissToasts();
    },
    "says that the model cannot be reached, and goes on": async (editor) => {
      await editor.set({ ...model("qwen2.5-coder:7b"), "dossier.model.ollamaHost": "127.0.0.1:9" });
      await editor.command("Dossier: Ask with Context");
      await editor.answer(TASK);
      await editor.toast(/Ollama/).first().waitFor();
      await editor.dismissToasts();
      await editor.explain(OTHER_TASK);
      await editor.rows("tax.rs").first().waitFor();
    },
    "sends nothing to a model elsewhere without the setting": async (editor) => {
      await editor.set({ "dossier.model.provider": "openai", "dossier.model.name": "gpt-test", "dossier.model.baseUrl": "https://model.invalid/v1/" });
      await editor.command("Dossier: Ask with Context");
      await editor.answer(TASK);
      await editor.toast("Dossier:").locator("a.monaco-button", { hasText: "Open Setting" }).waitFor();
      await editor.picture("remote");
      await editor.dismissToasts();
      await editor.set({ "dossier.model.provider": "ollama", "dossier.model.baseUrl": null, ...model("qwen2.5-coder:7b") });
    },
    "sends what was previewed": async (editor) => {
      const before = heard().chats.length;
      await editor.command("Dossier: Preview What Is Sent");
      await editor.toast("would go to").locator("a.monaco-button", { hasText: "Send" }).click();
      await until(() => heard().chats.length > before, "the model to be asked");
      await editor.waitForText(/sent [\d,]+ tokens/);
    },
    "shows its status": async (editor) => {
      await editor.command("Dossier: Show Status");
      await editor.waitForText(/Program: version \d+\.\d+\.\d+/);
      await editor.waitForText(/files/);
      await editor.picture("status");
    },
    "starts a program that ended again, but not for ever": async (editor) => {
      await editor.explain(TASK);
      await editor.act(editor.rows("session.rs").first(), "Pin");
      await editor.rows(/session\.rs.*pinned/).first().waitFor();
      for (let end = 1; end <= 3; end++) {
        const pid = await until(() => editor.server(), "the program");
        process.kill(pid, "SIGKILL");
        await until(() => editor.server() !== pid, "its end");
        if (end === 3) break;
        await until(() => editor.server(), "the next one");
        await editor.explain(end === 1 ? OTHER_TASK : TASK);
        await editor.rows(end === 1 ? "tax.rs" : LOGIN_FILE).first().waitFor();
      }
      await editor.toast(/ended 3 times/).waitFor();
      await editor.picture("ended");
      assert.equal(editor.server(), undefined);
      await editor.toast(/ended 3 times/).locator("a.monaco-button", { hasText: "Try Again" }).click();
      await until(() => editor.server(), "the program that the user wants");
      // It knows what the ones before knew.
      await editor.act(editor.rows("user.rs").first(), "Pin");
      await editor.rows(/user\.rs.*pinned/).first().waitFor();
      await editor.rows(/session\.rs.*pinned/).first().waitFor();
    },
  }));
});

describe("rust-analyzer", () => {
  test("restricted, then trusted", inEditor({
    workspace: () => {
      const workspace = fixture("auth_app");
      // What a hostile workspace does: a wrapper around rustc that leaves a trace.
      mkdirSync(join(workspace, ".cargo"));
      const wrapper = join(workspace, ".cargo", "wrapper.sh");
      writeFileSync(wrapper, `#!/bin/sh\ntouch '${workspace}/was-run'\nexec "$@"\n`);
      chmodSync(wrapper, 0o755);
      writeFileSync(join(workspace, ".cargo", "config.toml"), `[build]\nrustc-wrapper = "${wrapper}"\n`);
      mkdirSync(join(workspace, ".vscode"));
      writeFileSync(join(workspace, ".vscode", "settings.json"), JSON.stringify({ "dossier.server.path": `${workspace}/was-run`, "dossier.model.allowRemote": true }));
      return workspace;
    },
    editor: (workspace) => withProgram({}, {
      trusted: false, standIn: true, env: { RUST_ANALYZER, RUST_ANALYZER_LOG: `${workspace}.log` },
    }),
  }, {
    "explains without starting anything that could run the workspace's code": async (editor, workspace) => {
      await editor.explain(TASK);
      await editor.rows(LOGIN_FILE).first().waitFor();
      await editor.command("Dossier: Show Status");
      await editor.waitForText(/restricted/);
      await editor.waitForText(/rust-analyzer: (the extension rust-analyzer is not here|not while the workspace is not trusted)/);
      await editor.picture("restricted");
      // What would be started is started by now.
      await new Promise((done) => setTimeout(done, 3000));
      assert.ok(!existsSync(`${workspace}.log`), "the editor's rust-analyzer was asked");
      assert.ok(!existsSync(join(workspace, "was-run")), "the workspace's wrapper was run");
    },
    "takes up the editor's rust-analyzer when the workspace is trusted": async (editor, workspace) => {
      await editor.command("Workspaces: Manage Workspace Trust");
      await editor.page.locator(".workspace-trust-editor a.monaco-button", { hasText: /^Trust$/ }).click();
      await until(async () => {
        await editor.explain(TASK);
        await editor.rows(LOGIN_FILE).first().waitFor();
        return forwarded(workspace).length > 0;
      }, "a question to the lent rust-analyzer", LOAD_MS);
      await editor.command("Dossier: Show Status");
      await editor.waitForText(/the editor's rust-analyzer answers Dossier too/);
      await editor.picture("lent");
    },
    "answers other agents as a tool": async (editor) => {
      await editor.command("Stand-in: Call Dossier's Tool");
      await editor.answer(TASK);
      await editor.waitForText(/The tool says:/);
      await editor.waitForText(/src\/auth\/mod\.rs/);
    },
  }));
});

/** What was asked through the lent client that only Dossier asks. */
function forwarded(workspace) {
  const asked = existsSync(`${workspace}.log`) ? readFileSync(`${workspace}.log`, "utf8").split("\n") : [];
  return asked.filter((method) => ["workspace/symbol", "textDocument/references", "textDocument/prepareCallHierarchy"].includes(method));
}

describe("what goes wrong", () => {
  test("the program", inEditor({
    workspace: () => fixture("auth_app"),
    // Nothing is found in a PATH that has only what code-server needs, nor in a new home.
    editor: () => ({ env: { CARGO_HOME: folder("cargo"), PATH: "/usr/bin:/bin" } }),
  }, {
    "is missing": async (editor) => {
      await editor.toast(/no program "dossier" on PATH/).waitFor();
      await editor.page.locator('.activitybar a[aria-label^="Dossier"]').click();
      await editor.page.getByText("was not found: neither where the settings say").waitFor();
      await editor.picture("missing");
      await editor.toast(/no program/).locator("a.monaco-button", { hasText: "Install" }).click();
      await editor.page.locator(".terminal-wrapper").waitFor();
      await editor.toast(/put the folder of Dossier's repository/).waitFor();
      await editor.dismissToasts();
    },
    "is old": async (editor) => {
      await editor.set({ "dossier.server.path": program("old", 'case "$1" in --version) echo dossier 0.0.9;; *) exit 2;; esac') });
      await editor.toast(/is version 0\.0\.9/).waitFor();
      await editor.dismissToasts();
      await editor.set({ "dossier.server.path": program("lame", 'case "$1" in --version) echo dossier 0.1.0;; *) exit 2;; esac') });
      await editor.toast(/cannot serve an editor/).waitFor();
      await editor.dismissToasts();
    },
    "is another one": async (editor) => {
      await editor.set({ "dossier.server.path": program("other", "echo other 1.2.3") });
      await editor.toast(/is another program/).waitFor();
      await editor.dismissToasts();
    },
    "crashes at its start, and is let be": async (editor) => {
      const crash = program("crash", `case "$*" in --version) echo dossier 0.1.0;; "lsp --help") ;; *) echo started >>"$0.log"; echo "no such luck" >&2; exit 101;; esac`);
      await editor.set({ "dossier.server.path": crash });
      await editor.toast(/does not start: no such luck/).waitFor();
      await editor.picture("crash");
      await new Promise((done) => setTimeout(done, 3000));
      assert.equal(readFileSync(`${crash}.log`, "utf8").trim().split("\n").length, 1);
      await editor.command("Dossier: Explain Context");
      await editor.answer(TASK);
      await editor.toast(/no such luck/).first().waitFor();
      await editor.dismissToasts();
    },
    "is there after all": async (editor) => {
      await editor.set({ "dossier.server.path": DOSSIER });
      await editor.explain(TASK);
      await editor.rows(LOGIN_FILE).first().waitFor();
    },
  }));

  test("a folder without Rust", inEditor({ workspace: () => withoutRust() }, {
    "says so, and nothing breaks": async (editor) => {
      await editor.explain(TASK);
      await editor.page.getByText("There is no Cargo workspace in this folder").waitFor();
      await editor.picture("no rust");
    },
  }));

  test("a folder opened over a link", inEditor({ workspace: () => link(fixture("auth_app")) }, {
    "opens the files under the link's own path": async (editor, workspace) => {
      await editor.explain(TASK);
      await editor.rows(LOGIN_FILE).first().click();
      await editor.tab("mod.rs").waitFor();
      const place = await editor.page.locator(".tab.active").getAttribute("data-resource-name");
      assert.equal(place, "mod.rs");
      await until(() => editor.page.locator(".view-overlays [class*='ced-']").count(), "tinted lines");
      // A file outside of the folder would be shown with its whole path.
      await editor.page.locator(".breadcrumbs-below-tabs .monaco-breadcrumb-item", { hasText: /^src$/ }).first().waitFor();
      assert.equal(await editor.page.locator(".breadcrumbs-below-tabs .monaco-breadcrumb-item", { hasText: /^tmp$/ }).count(), 0, workspace);
    },
  }));
});

/** A small program of this behaviour, in shell. */
function program(name, script) {
  const file = join(folder(name), "dossier");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe("speed", () => {
  const target = { "the fixture": () => fixture("auth_app") };
  if (DOSSIER_BENCH_WORKSPACE) target[DOSSIER_BENCH_WORKSPACE] = () => DOSSIER_BENCH_WORKSPACE;
  for (const [name, workspace] of Object.entries(target)) {
    test(`an explanation in ${name}`, inEditor({ workspace }, {
      "warm, from the key to the drawn rows": async (editor) => {
        const times = await measure(editor, [BENCH_TASK ?? TASK, BENCH_OTHER_TASK ?? OTHER_TASK], 20);
        const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(0);
        console.log(`explain, warm, key press to drawn, ${name}: p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, most ${at(1)} ms of ${times.length}`);
      },
    }));
  }
});
