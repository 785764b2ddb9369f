// The extension: its parts put together, and its commands. All that is decided is decided by `dossier lsp` (docs/lsp.md); here it is
// started, asked and shown.

import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";
import { Answers } from "./answer";
import { INSTALL } from "./binary";
import { Documents } from "./documents";
import { answerForwarded, lent, watchLent } from "./lend";
import { Present } from "./present";
import { noteLines, showExplanation, showPrompt } from "./preview";
import type { Ask, Changed, ContextText, Places, Preview, View } from "./protocol";
import { NotRunning, Server, type ServerState } from "./server";
import { StatusBar, statusText } from "./status";
import { type Done, TaskView } from "./task";
import { tell, tellNotRunning } from "./tell";
import { Tint } from "./tint";
import { registerTool } from "./tool";
import { FilesView, LEVELS, type Row, tokens } from "./view";

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const extension = new Extension(context);
  running = extension.server;
  void extension.server.start();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

class Extension {
  readonly server: Server;
  private readonly log = vscode.window.createOutputChannel("Dossier", { log: true });
  private readonly documents = new Documents();
  private readonly answers: Answers;
  private readonly present: Present;
  private readonly status: StatusBar;

  constructor(context: vscode.ExtensionContext) {
    this.server = new Server({
      log: this.log, lent, middleware: this.middleware(), connected: (client) => this.connected(client),
    });
    this.answers = new Answers(this.server, this.documents);
    this.status = new StatusBar(this.server);
    const task = new TaskView(vscode.Uri.joinPath(context.extensionUri, "media"), (done) => this.done(done));
    const [files, tint] = [new FilesView(), new Tint()];
    this.present = new Present(this.server, task, files, tint, () => this.setContext());
    context.subscriptions.push(
      this.log, this.server, this.status, files, tint, task.register(), this.documents.register(), this.answers.register(),
      this.server.onDidChange((state) => this.onState(state)),
      registerTool(this.server, () => this.folder()),
      watchLent((now) => void this.server.notify("dossier/lend", now)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.server.notify("dossier/trust", { trusted: true })),
      vscode.workspace.onDidChangeConfiguration((event) => this.onSettings(event)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.server.state.kind === "noFolder" && void this.server.start()),
      ...this.commands(),
    );
    this.setContext();
  }

  private commands(): vscode.Disposable[] {
    const commands: Record<string, (...args: never[]) => unknown> = {
      explainContext: () => this.explain(),
      askWithContext: () => this.ask(),
      copyContext: () => this.copy(),
      previewPrompt: () => this.preview(),
      showStatus: async () => this.documents.show(this.documents.create("Status.md", await statusText(this.server), []), { preview: true }),
      showExplanation: () => this.present.view && showExplanation(this.documents, this.present.view, this.present.roots()),
      changeBudget: () => this.changeBudget(),
      pinByName: () => this.pinByName(),
      reset: () => this.present.edit({ reset: true }),
      restartServer: () => this.server.restart(),
      showLog: () => this.log.show(),
      install: () => install(),
      pinFile: (row: Row) => this.present.edit({ pin: [pathOf(row)] }),
      unpinFile: (row: Row) => this.present.edit({ unpin: [pathOf(row)] }),
      excludeFile: (row: Row) => this.present.edit({ exclude: [pathOf(row)] }),
      includeFile: (row: Row) => this.present.edit({ include: [pathOf(row)] }),
      changeLevel: (row: Row) => this.changeLevel(row),
    };
    return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`dossier.${name}`, async (...args: never[]) => {
      try {
        await run(...args);
      } catch (error) {
        tell(error);
      }
    }));
  }

  private async explain(): Promise<void> {
    const ask = await this.askFor("What is to be done? Shows what a model would be given for it");
    if (ask) await this.showExplained(ask);
  }

  /** Field and side bar are there at once, whatever the answer takes. */
  private async showExplained(ask: Ask): Promise<void> {
    const shown = vscode.commands.executeCommand("dossier.files.focus", { preserveFocus: true });
    await Promise.all([shown, this.present.explain(ask)]);
  }

  private async ask(): Promise<void> {
    const ask = await this.askFor("What is the model to do? It is sent the task and its context");
    if (ask) await this.showAnswer(ask);
  }

  /** What is sent is shown in the side bar first, then sent. */
  private async showAnswer(ask: Ask): Promise<void> {
    if (!(await this.present.explain(ask))) return;
    await this.answers.ask(ask, ask.task ?? this.present.view?.task ?? "", this.present.roots());
  }

  private async copy(): Promise<void> {
    const ask = this.present.asked ?? (await this.askFor("Whose context is to be copied?"));
    if (ask) await this.copied(await this.waiting("Dossier: looking for the context", (token) => this.server.ask<ContextText>("dossier/context", ask, token)));
  }

  private async copied(context: ContextText): Promise<void> {
    await vscode.env.clipboard.writeText(context.text);
    void vscode.window.showInformationMessage(`Dossier: copied ${tokens(context.tokens)} of ${context.files.length} files.`);
  }

  private async preview(): Promise<void> {
    const ask = this.present.asked ?? (await this.askFor("What is the model to do? Shows what it would be sent"));
    if (!ask) return;
    const preview = await this.waiting("Dossier: putting it together", (token) =>
      this.server.ask<Preview>("dossier/prompt", { ...ask, preview: true }, token));
    if (await showPrompt(this.documents, preview, this.present.roots())) {
      const title = ask.task ?? this.present.view?.task ?? "";
      await this.answers.ask({ ...ask, previewed: preview.id }, title, this.present.roots());
    }
  }

  private async changeBudget(): Promise<void> {
    const now = this.present.view?.budget.limit;
    const typed = await vscode.window.showInputBox({
      title: "Dossier: Budget", prompt: "Tokens that the dossier may have; nothing: as in the settings", value: now ? String(now) : "",
      validateInput: (text) => (/^\d*$/.test(text.trim()) ? undefined : "A number of tokens, as 8192"),
    });
    if (typed !== undefined) await this.present.edit({ budget: typed.trim() ? Number(typed) : null });
  }

  private async pinByName(): Promise<void> {
    const name = await vscode.window.showInputBox({
      title: "Dossier: Pin", prompt: "What must be in: a file (src/lib.rs) or an item (Auth::login)", placeHolder: "Type::method",
    });
    if (name?.trim()) await this.present.edit({ pin: [name.trim()] });
  }

  private async changeLevel(row: Row): Promise<void> {
    const path = pathOf(row);
    const automatic = { label: "automatic", detail: "as the ranking and the budget have it", level: null };
    const chosen = await vscode.window.showQuickPick([...LEVELS, automatic], { title: `How much of ${path}?` });
    if (chosen) await this.present.edit({ levels: { [path]: chosen.level } });
  }

  private done(done: Done): void {
    const work = {
      explain: () => done.kind === "explain" && this.present.explain({ task: done.task, ...this.where() }),
      ask: () => done.kind === "ask" && this.showAnswer({ task: done.task, ...this.where() }),
      budget: () => done.kind === "budget" && this.present.edit({ budget: done.budget }),
    };
    void Promise.resolve(work[done.kind]()).catch(tell);
  }

  /** Asks for a task; what is selected in a Rust file is its subject. */
  private async askFor(prompt: string): Promise<Ask | undefined> {
    const subject = selection();
    const lines = subject && `, about lines ${subject.range.start.line + 1} to ${subject.range.end.line + 1}`;
    const task = await vscode.window.showInputBox({
      title: "Dossier", prompt: prompt + (lines ?? ""), value: subject ? "" : this.present.view?.task ?? "", placeHolder: "Implement authentication",
      ignoreFocusOut: true,
    });
    return task?.trim() ? { task: task.trim(), ...this.where(), ...subject } : undefined;
  }

  private where(): Ask {
    const folder = this.folder();
    return folder ? { folder } : {};
  }

  /** The folder of the file in front, else that of the present task, else the first. */
  private folder(): string | undefined {
    const inFront = vscode.window.activeTextEditor?.document.uri;
    const own = inFront && vscode.workspace.getWorkspaceFolder(inFront);
    return own?.uri.toString() ?? this.present.view?.folder ?? vscode.workspace.workspaceFolders?.[0]?.uri.toString();
  }

  private waiting<T>(title: string, work: (token: vscode.CancellationToken) => Promise<T>): Thenable<T> {
    const options = { location: vscode.ProgressLocation.Window, title };
    return vscode.window.withProgress(options, (_, token) => work(token));
  }

  private connected(client: LanguageClient): void {
    answerForwarded(client);
    client.onNotification("dossier/changed", (changed: Changed) => this.status.changed(changed));
  }

  /** Commands that the server's code actions name: their results are shown here as everywhere. */
  private middleware(): Middleware {
    return {
      executeCommand: async (command, args, next) => {
        const ask = (args[0] ?? {}) as Ask;
        try {
          if (command === "dossier.prompt") return await this.showAnswer(ask);
          if (command === "dossier.explain") return await this.showExplained(ask);
          await this.showResult(command, await next(command, args));
        } catch (error) {
          tell(error);
        }
      },
    };
  }

  private async showResult(command: string, result: unknown): Promise<unknown> {
    if (command === "dossier.context") return this.copied(result as ContextText);
    // Without a task there is nothing to show yet: the result is what was changed alone.
    if (command === "dossier.pin" || command === "dossier.exclude") return (result as Partial<View>).files && this.present.show(result as View);
    if (command === "dossier.tests") return showPlaces(result as Places);
    return vscode.commands.executeCommand("dossier.showStatus");
  }

  private onState(state: ServerState): void {
    this.setContext();
    this.status.draw();
    if (state.kind === "ready") void this.present.restore();
    if (state.kind === "missing" || state.kind === "old" || state.kind === "failed") tellNotRunning(new NotRunning(state));
  }

  private onSettings(event: vscode.ConfigurationChangeEvent): void {
    if (!event.affectsConfiguration("dossier")) return;
    if (event.affectsConfiguration("dossier.server")) void this.server.restart();
    else void this.server.notify("workspace/didChangeConfiguration", { settings: null });
  }

  private setContext(): void {
    const { kind } = this.server.state;
    const state = kind === "ready" ? this.present.nothing ?? kind : kind;
    void vscode.commands.executeCommand("setContext", "dossier.state", state);
  }
}

/** What is selected, where something is. */
function selection(): Required<Pick<Ask, "textDocument" | "range">> | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== "rust" || editor.selection.isEmpty) return undefined;
  const { start, end } = editor.selection;
  return { textDocument: { uri: editor.document.uri.toString() }, range: { start, end } };
}

/** The path of a row. The editor does not know which row was meant while it draws the rows anew. */
function pathOf(row: Row | undefined): string {
  if (!row) throw new Error("the files were just being drawn anew: try it again.");
  if (row.kind === "file" || row.kind === "dropped") return row.file.path;
  return row.kind === "excluded" ? row.path : "";
}

async function showPlaces({ symbol, places, notes }: Places): Promise<void> {
  const [first] = places;
  if (!first) {
    void vscode.window.showInformationMessage(`Dossier: nothing found${symbol ? ` of ${symbol}` : ""}. ${noteLines(notes).join(" ")}`);
    return;
  }
  const locations = places.map(({ uri, range: { start, end } }) =>
    new vscode.Location(vscode.Uri.parse(uri), new vscode.Range(start.line, start.character, end.line, end.character)));
  const editor = vscode.window.activeTextEditor;
  const from = editor?.document.uri ?? vscode.Uri.parse(first.uri);
  const at = editor?.selection.active ?? new vscode.Position(0, 0);
  await vscode.commands.executeCommand("editor.action.goToLocations", from, at, locations, "peek", "Nothing found");
}

/** Types the command into a terminal, for the user to complete and run. */
async function install(): Promise<void> {
  const terminal = vscode.window.createTerminal("Install Dossier");
  terminal.show();
  terminal.sendText(INSTALL, false);
  const again = "Try Again";
  const text = "Dossier: put the folder of Dossier's repository into the command, run it, and come back here.";
  if ((await vscode.window.showInformationMessage(text, again)) === again) await vscode.commands.executeCommand("dossier.restartServer");
}
