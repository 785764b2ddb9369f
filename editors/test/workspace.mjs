// Workspaces for the tests of the editors: copies of the fixtures in folders of their own, which a test may change. They go with the
// process that made them.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

const made = [];
process.on("exit", () => made.forEach((path) => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })));

/** An empty folder by its real path. */
export function folder(name) {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `dossier-${name}-`)));
  made.push(path);
  return path;
}

/** A copy of a fixture, as `auth_app`, in a git repository with one commit. */
export function fixture(name, within = folder(name)) {
  const to = join(within, name);
  cpSync(join(ROOT, "fixtures", name), to, { recursive: true, filter: (path) => !path.endsWith("/target") });
  const git = (...args) => execFileSync("git", ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", ...args], { cwd: to, stdio: "ignore" });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", `The fixture ${name}`);
  return to;
}

/** A folder without any Rust. */
export function withoutRust(within = folder("no-rust")) {
  const to = join(within, "notes");
  mkdirSync(to);
  writeFileSync(join(to, "README.md"), "# Notes\n\nNothing to build here.\n");
  return to;
}

/** A link to a folder, beside it. */
export function link(to) {
  const from = `${to}-link`;
  symlinkSync(to, from);
  return from;
}
