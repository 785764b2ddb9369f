// What a dossier looks like before it goes anywhere: exactly what a model would be sent, and the explanation as text.

import * as vscode from "vscode";
import type { Documents } from "./documents";
import type { Note, Preview, View } from "./protocol";
import { tokens } from "./view";

const RULE = "─".repeat(20);

/** Shows to the letter what a model would be sent for this task; whether it is to be sent. */
export async function showPrompt(documents: Documents, preview: Preview, roots: readonly vscode.Uri[]): Promise<boolean> {
  const document = documents.create("What is sent.md", promptText(preview), roots);
  await documents.show(document, { preview: true });
  if (!preview.isRemote || preview.isAllowed) {
    const send = "Send";
    const text = `Dossier: ${tokens(preview.tokens)} would go to ${preview.model}.`;
    return (await vscode.window.showInformationMessage(text, send)) === send;
  }
  const open = "Open Setting";
  const text = `Dossier: ${preview.model} is not on this machine. Nothing is sent there until the setting dossier.model.allowRemote says so.`;
  if ((await vscode.window.showWarningMessage(text, open)) === open) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "dossier.model.allowRemote");
  }
  return false;
}

function promptText(preview: Preview): string {
  const place = preview.isRemote ? (preview.isAllowed ? "not on this machine; allowed" : "not on this machine; NOT allowed") : "on this machine";
  const masked = preview.masked === 1 ? "1 secret masked" : `${preview.masked} secrets masked`;
  const parts = [
    `To ${preview.model} (${place}): ${tokens(preview.tokens)}, ${preview.files.length} files, ${masked}. Nothing has been sent.`,
    ...noteLines(preview.notes),
    "", `${RULE} instructions ${RULE}`, preview.system,
  ];
  preview.messages.forEach((message, at) => {
    parts.push(`${RULE} message${preview.messages.length > 1 ? ` ${at + 1}` : ""} ${RULE}`, message);
  });
  return parts.join("\n");
}

/** Shows all of an explanation as the shell prints it. */
export async function showExplanation(documents: Documents, view: View, roots: readonly vscode.Uri[]): Promise<void> {
  await documents.show(documents.create("Explanation.md", view.explanation, roots), { preview: true });
}

/** Notes as lines of Markdown. */
export function noteLines(notes: readonly Note[] | undefined): string[] {
  return (notes ?? []).map((note) => `> ${note.level === "warning" ? "⚠ " : ""}${note.text.replaceAll("\n", "\n> ")}`);
}
