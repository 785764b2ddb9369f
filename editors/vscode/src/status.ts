// The status bar: the index and the language server in a few signs; and all that is known as a text.

import * as vscode from "vscode";
import { lendingInWords } from "./lend";
import type { Changed, FolderStatus, LanguageServer, Status } from "./protocol";
import type { Server, ServerState } from "./server";
import { inWords } from "./tell";

const MEBIBYTE = 1024 * 1024;

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("dossier.status", vscode.StatusBarAlignment.Left, 0);
  private readonly folders = new Map<string, Changed>();

  constructor(private readonly server: Server) {
    this.item.name = "Dossier";
    this.item.command = "dossier.showStatus";
    this.draw();
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }

  changed(what: Changed): void {
    const known = this.folders.get(what.folder);
    this.folders.set(what.folder, { ...what, files: what.files ?? known?.files ?? null });
    this.draw();
  }

  draw(): void {
    const { state } = this.server;
    if (state.kind !== "ready") this.folders.clear();
    const files = [...this.folders.values()].reduce((sum, one) => sum + (one.files ?? 0), 0);
    const languageServer = [...this.folders.values()].map((one) => one.languageServer).find(Boolean);
    const facts = files > 0 ? [`${files.toLocaleString("en")} files`, sign(languageServer)].filter(Boolean).join(" ") : "";
    this.item.text = `${stateSign(state)} Dossier${facts ? `: ${facts}` : ""}`;
    this.item.tooltip = this.tooltip(state, files, languageServer);
    const isWrong = state.kind === "missing" || state.kind === "old" || state.kind === "failed";
    this.item.backgroundColor = isWrong ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  }

  private tooltip(state: ServerState, files: number, languageServer: LanguageServer | null | undefined): string {
    if (state.kind !== "ready") return `Dossier: ${stateInWords(state)}`;
    const lines = [`Dossier ${state.version}`];
    if (files > 0) lines.push(`${files.toLocaleString("en")} files in the index`);
    if (languageServer) lines.push(inWordsOf(languageServer));
    if (!vscode.workspace.isTrusted) lines.push("Restricted: nothing is started that could run the workspace's code");
    return lines.join("\n");
  }
}

/** All that is known, as Markdown: of the program where it runs, else why it does not. */
export async function statusText(server: Server): Promise<string> {
  const lines = ["# Dossier", "", `- Program: ${stateInWords(server.state)}`];
  lines.push(`- Workspace: ${vscode.workspace.isTrusted ? "trusted" : "restricted: nothing is started that could run its code"}`);
  lines.push(`- rust-analyzer: ${lendingInWords()}`);
  if (server.state.kind !== "ready") return `${lines.join("\n")}\n`;
  try {
    const status = await server.ask<Status>("dossier/status", {});
    lines.push(...programLines(status), ...status.folders.flatMap(folderLines));
  } catch (error) {
    lines.push(`- It does not answer: ${inWords(error)}`);
  }
  return `${lines.join("\n")}\n`;
}

function programLines({ source, model }: Status): string[] {
  const who = source.kind === "daemon" ? "the daemon" : "this window's own process";
  const facts = [source.process ? `process ${source.process}` : "", source.memory ? `${Math.round(source.memory / MEBIBYTE)} MiB` : "", source.why ?? ""];
  const place = model.isRemote ? (model.isAllowed ? "not on this machine; allowed" : "not on this machine; not allowed") : "on this machine";
  return [`- Index: ${who}${inBrackets(facts)}`, `- Model: ${model.name} (${place})`];
}

function folderLines(status: FolderStatus): string[] {
  const lines = ["", `## ${vscode.Uri.parse(status.folder).fsPath}`, ""];
  if (!status.isRust) return [...lines, "- No Cargo workspace here"];
  if (status.root) lines.push(`- Workspace: ${status.root}`);
  const age = typeof status.indexAgeMs === "number" ? `${(status.indexAgeMs / 1000).toFixed(1)} s old` : "";
  lines.push(`- Index: ${(status.files ?? 0).toLocaleString("en")} files${inBrackets([age, status.isWatched ? "watched" : ""])}`);
  if (status.languageServer) lines.push(`- Language server: ${inWordsOf(status.languageServer)}`);
  if (status.task) lines.push(`- Present task: ${status.task}`);
  return [...lines, ...(status.notes ?? []).map((note) => `- ${note.text}`)];
}

const inBrackets = (facts: string[]) => (facts.some(Boolean) ? ` (${facts.filter(Boolean).join(", ")})` : "");

/** A language server's state as a sign and a few letters. */
function sign(server: LanguageServer | null | undefined): string {
  switch (server?.state) {
    case "ready":
    case "kept": return "$(check)";
    case "loading": return `$(sync~spin)${typeof server.loadedPercent === "number" ? ` ${server.loadedPercent} %` : ""}`;
    case "untrusted": return "$(shield)";
    case "failed": return "$(warning)";
    default: return "";
  }
}

function inWordsOf(server: LanguageServer): string {
  const choice: Record<string, string> = { lent: "the editor's own", daemon: "the daemon's", own: "its own" };
  const percent = server.state === "loading" && typeof server.loadedPercent === "number" ? ` ${server.loadedPercent} %` : "";
  const whose = choice[server.choice ?? ""];
  return `${server.name ?? "rust-analyzer"}: ${server.state}${percent}${whose ? `, ${whose}` : ""}`;
}

function stateSign(state: ServerState): string {
  switch (state.kind) {
    case "ready": return "$(list-ordered)";
    case "starting": return "$(loading~spin)";
    case "stopped":
    case "noFolder": return "$(circle-slash)";
    default: return "$(warning)";
  }
}

export function stateInWords(state: ServerState): string {
  switch (state.kind) {
    case "ready": return `version ${state.version}, ${state.path}, process ${state.process}`;
    case "starting": return "is being started";
    case "stopped": return "does not run";
    case "noFolder": return "does not run: no folder is open";
    case "missing": return `not found: ${state.why}`;
    case "old": return `too old: ${state.why}`;
    case "failed": return `does not run: ${state.why}`;
  }
}
