// Finds the program: where the setting says, else on PATH, else in cargo's bin folder. A workspace has no say in it: the setting
// cannot stand in a workspace's settings, and folders of PATH that are relative or inside the workspace are passed over.

import { execFile } from "node:child_process";
import { constants, promises as fs } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

/** The first version that speaks what this extension needs. */
export const MINIMUM = "0.1.0";

/** A program that says nothing for so long is not ours, or broken. */
const LIMIT_MS = 10_000;

/** What the user is offered where the program is missing. It is typed into a terminal, and not run. */
export const INSTALL = "cargo install --locked --path FOLDER-OF-DOSSIER";

export type Found =
  | { kind: "found"; path: string; version: string }
  | { kind: "missing" | "old" | "failed"; path?: string; why: string };

/** Looks where the setting says and nowhere else, or where programs are found usually. */
export async function find(setting: string | null | undefined, workspace: readonly string[]): Promise<Found> {
  if (setting) {
    const file = setting.startsWith("~/") ? path.join(os.homedir(), setting.slice(2)) : setting;
    if (!path.isAbsolute(file)) {
      return { kind: "missing", why: `the setting dossier.server.path is "${setting}": a whole path is needed` };
    }
    if (!(await isProgram(file))) {
      return { kind: "missing", path: file, why: `there is no program at ${file}, which the setting dossier.server.path names` };
    }
    return probe(file);
  }
  const folders = usualFolders(workspace);
  for (const folder of folders) {
    const file = path.join(folder, process.platform === "win32" ? "dossier.exe" : "dossier");
    if (await isProgram(file)) return probe(file);
  }
  return { kind: "missing", why: `there is no program "dossier" on PATH, and none in ${folders.at(-1)}` };
}

function usualFolders(workspace: readonly string[]): string[] {
  const isOutside = (folder: string) => workspace.every((root) => path.relative(root, folder).startsWith(".."));
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((one) => path.isAbsolute(one) && isOutside(one));
  const cargo = process.env["CARGO_HOME"] ?? path.join(os.homedir(), ".cargo");
  return [...folders, path.join(cargo, "bin")];
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await fs.access(file, constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}

/** Whether it runs, is new enough, and can serve an editor. */
async function probe(file: string): Promise<Found> {
  const [said, lsp] = await Promise.all([run(file, ["--version"]), run(file, ["lsp", "--help"])]);
  if (said.error) return { kind: "failed", path: file, why: `\`${file} --version\` fails: ${said.error}` };
  const version = /(\d+\.\d+\.\d+)/.exec(said.output)?.[1];
  if (!version || !/dossier/i.test(said.output)) {
    return { kind: "failed", path: file, why: `${file} is another program: it calls itself "${said.output.trim().slice(0, 80)}"` };
  }
  if (isOlder(version, MINIMUM)) {
    return { kind: "old", path: file, why: `${file} is version ${version}; ${MINIMUM} or newer is needed` };
  }
  if (lsp.error) {
    return { kind: "old", path: file, why: `${file} (version ${version}) cannot serve an editor yet: it has no command "lsp"` };
  }
  return { kind: "found", path: file, version };
}

function isOlder(version: string, minimum: string): boolean {
  return version.localeCompare(minimum, "en", { numeric: true }) < 0;
}

function run(file: string, args: string[]): Promise<{ output: string; error?: string }> {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: LIMIT_MS, cwd: os.homedir() }, (error, stdout, stderr) => {
      const reason = error?.killed ? `no answer within ${LIMIT_MS / 1000} seconds` : stderr.trim().split("\n")[0] || error?.message;
      resolve(error ? { output: stdout, error: reason ?? "it ended with an error" } : { output: stdout });
    });
  });
}
