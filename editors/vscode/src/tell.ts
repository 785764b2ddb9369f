// Tells what went wrong in the editor's own way, with what heals it as buttons.

import * as vscode from "vscode";
import { ResponseError } from "vscode-languageclient/node";
import { isCancelled, NotRunning } from "./server";

/** What went wrong, in one sentence. */
export function inWords(error: unknown): string {
  if (isCancelled(error)) return "cancelled";
  return error instanceof Error ? error.message : String(error);
}

/** The kind of a failure, as docs/lsp.md names them. */
export function kindOf(error: unknown): string | undefined {
  return error instanceof ResponseError ? (error.data as { kind?: string } | undefined)?.kind : undefined;
}

/** Shows a failure, unless somebody wanted it. Returns at once. */
export function tell(error: unknown): void {
  if (isCancelled(error)) return;
  if (error instanceof NotRunning) return tellNotRunning(error);
  const text = `Dossier: ${inWords(error)}`;
  switch (kindOf(error)) {
    case "no_workspace":
    case "nothing_found":
      return show(vscode.window.showInformationMessage, text, {});
    case "remote_not_allowed":
      return show(vscode.window.showWarningMessage, text, { "Open Setting": settings("dossier.model.allowRemote") });
    case "model":
      return show(vscode.window.showErrorMessage, text, { "Model Settings": settings("dossier.model"), "Show Log": "dossier.showLog" });
    case "budget":
      return show(vscode.window.showWarningMessage, text, { "Change Budget": "dossier.changeBudget" });
    default:
      return show(vscode.window.showErrorMessage, text, { "Show Log": "dossier.showLog" });
  }
}

/** Shows that the program does not run, and what to do. */
export function tellNotRunning({ state, message }: NotRunning): void {
  const again = { "Try Again": "dossier.restartServer" };
  switch (state.kind) {
    case "missing":
      return show(vscode.window.showErrorMessage, `Dossier: ${message}.`, {
        Install: "dossier.install", "Where Is It?": settings("dossier.server.path"), ...again,
      });
    case "old":
      return show(vscode.window.showErrorMessage, `Dossier: ${message}.`, { "Install the New One": "dossier.install", ...again });
    case "noFolder":
      return show(vscode.window.showInformationMessage, "Dossier: open a folder with a Cargo workspace first.", { "Open Folder": "vscode.openFolder" });
    default:
      return show(vscode.window.showErrorMessage, `Dossier: ${message}`, { ...again, "Show Log": "dossier.showLog" });
  }
}

type Remedy = string | [command: string, argument: unknown];
type Shown = (message: string, ...items: string[]) => Thenable<string | undefined>;

const settings = (query: string): Remedy => ["workbench.action.openSettings", query];

function show(how: Shown, text: string, remedies: Record<string, Remedy>): void {
  void how(text, ...Object.keys(remedies)).then((chosen) => {
    const remedy = chosen === undefined ? undefined : remedies[chosen];
    if (typeof remedy === "string") return vscode.commands.executeCommand(remedy);
    return remedy && vscode.commands.executeCommand(...remedy);
  });
}
