// A model's answer: streams into a read-only Markdown document, can be cancelled, and stays there whatever happens to the model.
// Its code can be copied, or inserted where the cursor was last in a file.

import * as vscode from "vscode";
import { type Document, type Documents, SCHEME } from "./documents";
import { noteLines } from "./preview";
import type { Answer, Ask } from "./protocol";
import { isCancelled, type Server } from "./server";
import { inWords, tell } from "./tell";

/** A block of code in Markdown: its fence, and what is inside. */
const FENCE = /^([ \t]*)(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^\1\2[ \t]*$/gm;

export class Answers implements vscode.CodeLensProvider {
  private count = 0;
  /** What can be cancelled, by the document's address. */
  private readonly running = new Map<string, vscode.CancellationTokenSource>();
  /** Where code is inserted: at the cursor of the file that was in front last. It may be closed by now. */
  private last: { uri: vscode.Uri; selection: vscode.Selection; viewColumn: vscode.ViewColumn | undefined } | undefined;
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensesChanged.event;

  constructor(private readonly server: Server, private readonly documents: Documents) {
    this.remember(vscode.window.activeTextEditor);
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME, language: "markdown" }, this),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.remember(editor)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.remember(textEditor)),
      vscode.commands.registerCommand("dossier.cancelAnswer", () => this.cancel()),
      vscode.commands.registerCommand("dossier.copyCode", (code: string) => copy(code)),
      vscode.commands.registerCommand("dossier.insertCode", (code: string) => this.insert(code)),
      this.lensesChanged,
    );
  }

  /** Asks the model, and shows its answer as it comes. Ends when the answer does; failures are told. */
  async ask(ask: Ask, title: string, roots: readonly vscode.Uri[]): Promise<void> {
    const document = this.documents.create(`Answer ${++this.count}.md`, `# ${oneLine(title)}\n\n`, roots);
    const editor = await this.documents.show(document, { preserveFocus: false });
    const cancel = new vscode.CancellationTokenSource();
    this.setRunning(document, cancel);
    const follow = new Follow(editor, document);
    try {
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: "Dossier: the model answers", cancellable: true },
        (_, button) => {
          button.onCancellationRequested(() => cancel.cancel());
          return this.stream(ask, document, cancel.token);
        },
      );
    } catch (error) {
      document.end(`---\n${isCancelled(error) ? "*Cancelled.*" : `**No answer, or not all of it**: ${inWords(error)}`}`);
      tell(error);
    } finally {
      follow.dispose();
      this.setRunning(document, undefined);
      cancel.dispose();
    }
  }

  /** What happens besides is written down when the answer goes on after it: what comes last is in the result too. */
  private async stream(ask: Ask, document: Document, token: vscode.CancellationToken): Promise<void> {
    const notes: string[] = [];
    let written = 0;
    let hasText = false;
    const answer = await this.server.ask<Answer>("dossier/prompt", ask, token, (progress) => {
      if (progress.note) notes.push(progress.note);
      if (!progress.text) return;
      for (; written < notes.length; written++) document.append(`> ${notes[written]}\n\n`);
      document.append(progress.text);
      hasText = true;
    });
    if (!hasText) document.append(answer.answer);
    const news = answer.notes.filter((note) => !notes.includes(note.text));
    document.end(`---\n${[receipt(answer), ...noteLines(news)].join("\n\n")}`);
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const lens = (line: number, title: string, command: string, ...args: unknown[]) =>
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: args });
    const lenses: vscode.CodeLens[] = [];
    if (this.running.has(document.uri.toString())) lenses.push(lens(0, "$(debug-stop) Cancel", "dossier.cancelAnswer"));
    if (!/^\/Answer \d+\.md$/.test(document.uri.path)) return lenses;
    for (const match of document.getText().matchAll(FENCE)) {
      const { line } = document.positionAt(match.index);
      const code = unindented(match[3] ?? "", match[1] ?? "");
      lenses.push(lens(line, "$(copy) Copy", "dossier.copyCode", code), lens(line, "$(insert) Insert at Cursor", "dossier.insertCode", code));
    }
    return lenses;
  }

  /** The answer in front, else all that run. */
  private cancel(): void {
    const inFront = this.running.get(vscode.window.activeTextEditor?.document.uri.toString() ?? "");
    for (const one of inFront ? [inFront] : this.running.values()) one.cancel();
  }

  private async insert(code: string): Promise<void> {
    if (!this.last) {
      void vscode.window.showInformationMessage("Dossier: put the cursor into a file first, where the code is to go.");
      return;
    }
    const { uri, selection, viewColumn } = this.last;
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document, { selection, ...(viewColumn && { viewColumn }) });
    await editor.edit((edit) => edit.replace(selection, code));
  }

  private remember(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.uri.scheme !== "file" && editor?.document.uri.scheme !== "untitled") return;
    this.last = { uri: editor.document.uri, selection: editor.selection, viewColumn: editor.viewColumn };
  }

  private setRunning(document: Document, cancel: vscode.CancellationTokenSource | undefined): void {
    const key = document.uri.toString();
    if (cancel) this.running.set(key, cancel);
    else this.running.delete(key);
    void vscode.commands.executeCommand("setContext", "dossier.isAnswering", this.running.size > 0);
    this.lensesChanged.fire();
  }
}

/** Keeps the end of a growing answer in sight, unless its reader has scrolled away from it. */
class Follow implements vscode.Disposable {
  private lines: number;
  private readonly listening: vscode.Disposable;

  constructor(private readonly editor: vscode.TextEditor, document: Document) {
    this.lines = editor.document.lineCount;
    this.listening = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document.uri.toString() === document.uri.toString()) this.reveal();
    });
  }

  dispose(): void {
    this.listening.dispose();
  }

  private reveal(): void {
    const seen = this.editor.visibleRanges.at(-1)?.end.line ?? 0;
    const wasAtEnd = seen >= this.lines - 2;
    this.lines = this.editor.document.lineCount;
    if (wasAtEnd) this.editor.revealRange(new vscode.Range(this.lines - 1, 0, this.lines - 1, 0));
  }
}

async function copy(code: string): Promise<void> {
  await vscode.env.clipboard.writeText(code);
  vscode.window.setStatusBarMessage("$(check) Code copied", 2000);
}

function receipt(answer: Answer): string {
  const number = (count: number | null | undefined) => (count ?? 0).toLocaleString("en");
  const facts = [`sent ${number(answer.sent)} tokens`, `received ${number(answer.received)}`];
  if (answer.tookMs) facts.push(`${(answer.tookMs / 1000).toFixed(1)} s`);
  return `*${answer.model}: ${facts.join(", ")}${answer.isComplete ? "" : "; the answer is not complete"}*`;
}

function unindented(code: string, indent: string): string {
  return indent ? code.split("\n").map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join("\n") : code;
}

function oneLine(text: string): string {
  const first = text.trim().split("\n")[0] ?? "";
  return first.length > 120 ? `${first.slice(0, 119)}…` : first;
}
