// The program's life: found, started, asked, ended, started again. It is started again by itself a few times only; what is wrong
// and how to heal it stands in `state`.

import { type ChildProcess, spawn } from "node:child_process";
import * as os from "node:os";
import * as vscode from "vscode";
import {
  CloseAction, ErrorAction, LanguageClient, LSPErrorCodes, ProgressType, ResponseError, RevealOutputChannelOn, State, WorkDoneProgress,
  type LanguageClientOptions, type Middleware,
} from "vscode-languageclient/node";
import { find } from "./binary";
import type { Ask, Lent, Progress } from "./protocol";

/** A program that has not said hello by then is taken for broken. */
const START_LIMIT_MS = 30_000;
/** How often it may end by itself within how long, until it is let be. */
const ENDS = 3;
const ENDS_WITHIN_MS = 180_000;
const PAUSE_MS = 500;
/** How much of its last words is kept for messages, and how long they may take to come. */
const LAST_WORDS = 2000;
const LAST_WORDS_MS = 500;

/** What the index reads: of so much the editor's unsaved texts are told. */
const DOCUMENTS = [
  { scheme: "file", language: "rust" },
  { scheme: "file", pattern: "**/*.{toml,md,markdown,txt,sql,proto,html,htm,j2,jinja,jinja2,tera,hbs,askama,tmpl,json,yaml,yml,ron}" },
  { scheme: "file", pattern: "**/{Dockerfile,Makefile,justfile}" },
];

export type ServerState =
  | { kind: "starting" | "stopped" | "noFolder" }
  | { kind: "ready"; path: string; version: string; process: number | undefined }
  | { kind: "missing" | "old" | "failed"; why: string };

/** Why there is no answer: the program does not run. */
export class NotRunning extends Error {
  constructor(readonly state: ServerState) {
    super("why" in state ? state.why : "it does not run");
  }
}

export interface Options {
  log: vscode.LogOutputChannel;
  lent: () => Lent[];
  middleware: Middleware;
  /** Is called with each new connection, before it starts. */
  connected: (client: LanguageClient) => void;
}

export class Server implements vscode.Disposable {
  state: ServerState = { kind: "stopped" };
  private client: LanguageClient | undefined;
  private starting: Promise<void> | undefined;
  private ends: number[] = [];
  private requests = 0;
  private readonly changed = new vscode.EventEmitter<ServerState>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly options: Options) {}

  /** Starts it, unless it runs or is being started. */
  start(): Promise<void> {
    this.starting ??= this.startOnce().finally(() => (this.starting = undefined));
    return this.starting;
  }

  /** Because the user asks: what went wrong before does not count. */
  async restart(): Promise<void> {
    await this.starting;
    this.ends = [];
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.become({ kind: "stopped" });
    await client?.dispose(2000).catch((error: unknown) => this.options.log.warn(`dossier lsp: ${error}`));
  }

  dispose(): void {
    this.changed.dispose();
  }

  async notify(method: string, params: unknown): Promise<void> {
    if (this.client?.state === State.Running) await this.client.sendNotification(method, params);
  }

  /** Asks; `onProgress` gets what comes before the result. Fails with `NotRunning`, or with the program's own error. */
  async ask<T>(
    method: string, params: Ask | object, token?: vscode.CancellationToken, onProgress?: (value: Progress) => void,
  ): Promise<T> {
    await this.starting;
    const client = this.client;
    if (!client) throw new NotRunning(this.state);
    const watched: vscode.Disposable[] = [];
    const sent: Record<string, unknown> = { ...params };
    if (onProgress) {
      const name = `dossier-${++this.requests}`;
      sent["partialResultToken"] = name;
      sent["workDoneToken"] = `${name}-work`;
      watched.push(client.onProgress(new ProgressType<Progress>(), name, onProgress));
      watched.push(client.onProgress(WorkDoneProgress.type, `${name}-work`, () => undefined));
    }
    try {
      return await client.sendRequest<T>(method, sent, token);
    } catch (error) {
      if (token?.isCancellationRequested) throw new vscode.CancellationError();
      // A connection that closes takes its requests with it; why it closed is known a moment later.
      if (client.state !== State.Running) throw new NotRunning({ kind: "failed", why: "the program ended before it answered" });
      throw error;
    } finally {
      vscode.Disposable.from(...watched).dispose();
    }
  }

  private async startOnce(): Promise<void> {
    if (this.client) return;
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
    if (folders.length === 0) return this.become({ kind: "noFolder" });
    this.become({ kind: "starting" });
    const settings = vscode.workspace.getConfiguration("dossier");
    const found = await find(settings.get<string | null>("server.path"), folders.map((folder) => folder.uri.fsPath));
    if (found.kind !== "found") return this.become({ kind: found.kind, why: found.why });
    const args = ["lsp", ...settings.get<string[]>("server.extraArguments", [])];
    this.options.log.info(`${found.path} ${args.join(" ")} (version ${found.version})`);
    const run = new Run(found.path, args, this.options.log);
    const client = new QuietClient("dossier", "Dossier", () => Promise.resolve(run.spawn()), this.clientOptions(run));
    this.client = client;
    this.options.connected(client);
    try {
      await within(START_LIMIT_MS, Promise.race([client.start(), run.ended]));
    } catch (error) {
      if (this.client === client) this.client = undefined;
      void client.dispose().catch(() => undefined);
      // A connection may break before the last words are read, which say why.
      run.kill();
      await within(LAST_WORDS_MS, run.ended).catch(() => undefined);
      const said = run.lastWords.trim() || (error instanceof Error ? error.message : String(error));
      return this.become({ kind: "failed", why: `\`${found.path} lsp\` does not start: ${said}` });
    }
    this.become({ kind: "ready", path: found.path, version: found.version, process: run.process?.pid });
  }

  private clientOptions(run: Run): LanguageClientOptions {
    return {
      documentSelector: DOCUMENTS,
      outputChannel: this.options.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: {
        lend: this.options.lent(), trusted: vscode.workspace.isTrusted, shows: true,
      },
      initializationFailedHandler: () => false,
      middleware: this.options.middleware,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.onClosed(run);
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    };
  }

  /** It ended without being told to: perhaps it is started again. */
  private onClosed(run: Run): void {
    if (this.starting || !this.client || this.state.kind !== "ready") return;
    this.client = undefined;
    const now = Date.now();
    this.ends = [...this.ends.filter((end) => now - end < ENDS_WITHIN_MS), now];
    const said = run.lastWords.trim();
    this.options.log.warn(`dossier lsp ended by itself${said ? `: ${said}` : ""}`);
    if (this.ends.length < ENDS) {
      this.become({ kind: "starting" });
      setTimeout(() => void this.start(), PAUSE_MS);
      return;
    }
    const why = `\`${run.file} lsp\` ended ${ENDS} times within ${ENDS_WITHIN_MS / 60_000} minutes`;
    this.become({ kind: "failed", why: said ? `${why}: ${said}` : why });
  }

  private become(state: ServerState): void {
    this.state = state;
    this.changed.fire(state);
  }
}

/** What goes wrong is told once, by this extension, with what heals it: not by the library too. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** One process of the program. */
class Run {
  process: ChildProcess | undefined;
  lastWords = "";
  private fail: (error: Error) => void = () => undefined;
  /** Fails when it ends. */
  readonly ended = new Promise<never>((_, reject) => (this.fail = reject));

  constructor(readonly file: string, private readonly args: string[], private readonly log: vscode.LogOutputChannel) {
    this.ended.catch(() => undefined);
  }

  spawn(): ChildProcess {
    const child = spawn(this.file, this.args, { cwd: os.homedir(), stdio: "pipe" });
    this.process = child;
    child.stderr?.on("data", (bytes: Buffer) => (this.lastWords = (this.lastWords + bytes.toString()).slice(-LAST_WORDS)));
    child.on("error", (error) => this.fail(error));
    child.on("exit", (code, signal) => {
      this.log.info(`dossier lsp ended: ${signal ?? code}`);
      const end = () => this.fail(new Error(`it ended at once (${signal ?? `exit code ${code}`})`));
      child.on("close", end);
      // Something that it started may hold its streams open.
      setTimeout(end, LAST_WORDS_MS);
    });
    return child;
  }

  kill(): void {
    if (this.process?.exitCode === null) this.process.kill();
  }
}

function within<T>(limit: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limit / 1000} seconds`)), limit);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Whether somebody called it off: nothing to be told. */
export function isCancelled(error: unknown): boolean {
  return error instanceof vscode.CancellationError
    || (error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled);
}
