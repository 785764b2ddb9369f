// A real VS Code (code-server) with the packaged extension, and a real browser in front of it.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { folder } from "../../test/workspace.mjs";

export const LIMIT_MS = 40_000;
const { DOSSIER, CODE_SERVER, BROWSER, PICTURES, VSIX, STAND_IN } = process.env;

/** What the fixture's test run needs of the machine; everything else is new and empty. */
const KEPT = ["PATH", "LANG", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"];

/** Editors that are open: a run that is broken off ends them too. */
const open = new Set();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));
process.on("exit", () => open.forEach((editor) => editor.end()));

export class Editor {
  /**
   * Opens a folder. `settings` are the user's; `trusted` is whether the workspace is trusted from the start; `standIn` whether
   * there is an extension rust-analyzer; `env` is added to the environment.
   */
  static async open(workspace, { settings = {}, trusted = true, standIn = false, env = {}, home = folder("home") } = {}) {
    const editor = new Editor();
    editor.home = home;
    const [user, extensions] = [join(home, "user"), join(home, "extensions")];
    const all = { ...SETTINGS, ...settings };
    for (const place of ["User", "Machine"]) {
      mkdirSync(join(user, place), { recursive: true });
      writeFileSync(join(user, place, "settings.json"), JSON.stringify(all));
    }
    editor.settingsFiles = ["User", "Machine"].map((place) => join(user, place, "settings.json"));
    editor.settings = all;
    editor.env = { ...environment(home), ...env };
    const config = join(home, "config.yaml");
    const port = await freePort();
    writeFileSync(config, `bind-addr: 127.0.0.1:${port}\nauth: none\ncert: false\n`);
    const common = ["--config", config, "--user-data-dir", user, "--extensions-dir", extensions];
    for (const vsix of standIn ? [VSIX, STAND_IN] : [VSIX]) {
      const installed = spawnSync(CODE_SERVER, [...common, "--install-extension", vsix], { env: editor.env, encoding: "utf8" });
      assert.equal(installed.status, 0, installed.stderr + installed.stdout);
    }
    const args = [...common, "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override", "--ignore-last-opened"];
    if (trusted) args.push("--disable-workspace-trust");
    open.add(editor);
    // A group of its own: whatever it starts ends with it.
    editor.process = spawn(CODE_SERVER, args, { env: editor.env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const log = createWriteStream(join(home, "code-server.log"));
    editor.process.stdout.pipe(log);
    editor.process.stderr.pipe(log);
    await answers(port);
    editor.browser = await chromium.launch({
      executablePath: BROWSER, args: ["--no-sandbox"], handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false,
    });
    const context = await editor.browser.newContext({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    editor.page = await context.newPage();
    editor.page.setDefaultTimeout(LIMIT_MS);
    await editor.page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`);
    await editor.page.waitForSelector(".monaco-workbench .part.statusbar", { timeout: 2 * LIMIT_MS });
    return editor;
  }

  async close() {
    await this.browser?.close().catch(() => undefined);
    this.end();
  }

  /** Ends all that was started for it, at once. */
  end() {
    open.delete(this);
    // The daemon lives longer than an editor: that is what it is for.
    spawnSync(DOSSIER, ["daemon", "stop"], { env: this.env, timeout: LIMIT_MS });
    try {
      if (this.process) process.kill(-this.process.pid, "SIGKILL");
    } catch {
      // It has ended. The browser ends when nobody listens to it.
    }
  }

  /** Runs a command as a user finds it: by its words. */
  async command(words) {
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: words }).first();
    for (let attempt = 0; ; attempt++) {
      await this.page.keyboard.press("F1");
      await this.page.waitForSelector(".quick-input-widget .quick-input-box input");
      await this.page.keyboard.type(words);
      const isThere = await row.waitFor({ timeout: 5000 }).then(() => true, () => false);
      if (isThere) break;
      assert.ok(attempt < 3, `no command "${words}"`);
      await this.page.keyboard.press("Escape");
    }
    await row.click();
  }

  /** Types into the field that a command has opened, and leaves it at that. */
  async type(text) {
    const input = this.page.locator(".quick-input-widget .quick-input-box input");
    await input.waitFor();
    await input.fill(text);
  }

  async answer(text) {
    await this.type(text);
    await this.page.keyboard.press("Enter");
  }

  async explain(task) {
    await this.command("Dossier: Explain Context");
    await this.answer(task);
  }

  /** Rows of the tree of files. */
  rows(text) {
    const rows = this.page.locator('.pane:has(.pane-header[aria-label^="Context"]) .monaco-list-row');
    return text === undefined ? rows : rows.filter({ hasText: text });
  }

  /** Clicks one of the signs that a row shows under the mouse, once the rows have come to rest. */
  async act(row, action) {
    await new Promise((done) => setTimeout(done, 500));
    await row.hover();
    await row.locator(`.action-label[aria-label^="${action}"]`).click();
  }

  /** The page of the task. */
  task() {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  }

  /** Opens a file by the end of its path. */
  async open(path) {
    await this.page.keyboard.press("Control+P");
    await this.type(path);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: path.split("/").at(-1) }).first().click();
    await this.tab(path.split("/").at(-1)).waitFor();
  }

  /** The tab in front, if it is this one. */
  tab(name) {
    return this.page.locator(".tab.active", { hasText: name });
  }

  /** The text of the editor in front, as far as it is drawn, with single spaces: lines may be wrapped. */
  async text() {
    const lines = this.page.locator(".editor-group-container.active .editor-instance .view-line");
    const drawn = await lines.evaluateAll((all) => all.map((line) => ({ top: parseFloat(line.style.top), text: line.textContent })));
    return drawn.sort((a, b) => a.top - b.top).map((line) => line.text).join(" ").replaceAll(/\s+/g, " ");
  }

  async waitForText(expected) {
    await until(async () => (await this.text()).match(expected), `${expected} in the editor`, LIMIT_MS, () => this.text());
  }

  toast(text) {
    return this.page.locator(".notifications-toasts .notification-list-item", { hasText: text });
  }

  statusBar() {
    return this.page.locator("#dossier\\.dossier\\.dossier\\.status, [id$='dossier.status']").first();
  }

  async dismissToasts() {
    await this.command("Notifications: Clear All Notifications");
  }

  /** Changes the user's settings, as if in the file. */
  async set(settings) {
    this.settings = { ...this.settings, ...settings };
    for (const file of this.settingsFiles) writeFileSync(file, JSON.stringify(this.settings));
    await new Promise((done) => setTimeout(done, 1500));
  }

  /** What Dossier has written into its log. */
  log() {
    const found = spawnSync("find", [join(this.home, "user", "logs"), "-name", "*Dossier*.log"], { encoding: "utf8" });
    return found.stdout.split("\n").filter(Boolean).map((file) => readFileSync(file, "utf8")).join("\n");
  }

  /** The process of the language server of this editor, not of the daemon. */
  server() {
    const lists = spawnSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).stdout.split("\n").map((line) => line.trim().split(/\s+/));
    const children = new Map();
    for (const [pid, parent, ...args] of lists) children.set(parent, [...(children.get(parent) ?? []), { pid, args }]);
    const open = [String(this.process.pid)];
    for (let parent = open.pop(); parent; parent = open.pop()) {
      for (const child of children.get(parent) ?? []) {
        if (child.args[0]?.endsWith("/dossier") && child.args[1] === "lsp") return Number(child.pid);
        open.push(child.pid);
      }
    }
    return undefined;
  }

  async picture(name) {
    if (!PICTURES) return;
    await this.page.mouse.move(640, 500);
    await new Promise((done) => setTimeout(done, 700));
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }
}

const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.tips.enabled": false,
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "editor.minimap.enabled": false,
  "files.autoSave": "off",
  "chat.commandCenter.enabled": false,
  "extensions.ignoreRecommendations": true,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "never",
  "telemetry.telemetryLevel": "off",
  "git.enabled": false,
  // Whoever tests has no use for a small model that plans.
  "dossier.model.planner": "heuristic",
};

/** Nothing of the user who tests gets in, and nothing of the tests gets out. */
function environment(home) {
  const env = {};
  for (const name of KEPT) if (process.env[name]) env[name] = process.env[name];
  env.RUSTUP_HOME ??= join(process.env.HOME, ".rustup");
  env.CARGO_HOME ??= join(process.env.HOME, ".cargo");
  const runtime = join(home, "run");
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  return {
    ...env, HOME: home, XDG_RUNTIME_DIR: runtime, XDG_CONFIG_HOME: join(home, "config"), XDG_DATA_HOME: join(home, "data"),
    XDG_CACHE_HOME: join(home, "cache"), XDG_STATE_HOME: join(home, "state"),
  };
}

/** Waits until something is so. */
export async function until(isSo, what, limit = LIMIT_MS, found = () => "") {
  const end = Date.now() + limit;
  for (;;) {
    const value = await isSo();
    if (value) return value;
    if (Date.now() > end) assert.fail(`waited ${limit} ms for ${what}; found: ${await found()}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function answers(port) {
  await until(() => fetch(`http://127.0.0.1:${port}/healthz`).then((reply) => reply.ok, () => false), "code-server");
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
