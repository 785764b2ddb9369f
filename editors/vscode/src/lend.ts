// Lends the editor's rust-analyzer: what the program would ask a rust-analyzer of its own, this one answers. Its extension
// (rust-lang.rust-analyzer) exports its language client as `client`, which it makes anew whenever it starts the server anew.

import * as vscode from "vscode";
import { ErrorCodes, type LanguageClient, LSPErrorCodes, ResponseError, State } from "vscode-languageclient/node";
import type { Forward, Lent } from "./protocol";

const EXTENSION = "rust-lang.rust-analyzer";
const SERVER = "rust-analyzer";

/** Nothing tells when the other extension starts its server or makes another client: it is looked at so often. */
const LOOK_MS = 2000;

/** Requests that only read. No other is passed on. */
const READS = new Set([
  "textDocument/definition", "textDocument/declaration", "textDocument/typeDefinition", "textDocument/implementation",
  "textDocument/references", "textDocument/documentSymbol", "textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls",
  "callHierarchy/outgoingCalls", "workspace/symbol", "rust-analyzer/relatedTests",
]);

/** The servers that are lent now: none where the workspace is not trusted. */
export function lent(): Lent[] {
  const client = borrowed();
  if (!client) return [];
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
  const positionEncoding = client.initializeResult?.capabilities.positionEncoding ?? "utf-16";
  return [{ server: SERVER, positionEncoding, folders: folders.map((folder) => client.code2ProtocolConverter.asUri(folder.uri)) }];
}

/** Answers what the program asks of the lent server. */
export function answerForwarded(client: LanguageClient): void {
  client.onRequest("dossier/forward", async (asked: Forward, token) => {
    if (!READS.has(asked.method)) throw new ResponseError(ErrorCodes.MethodNotFound, `${asked.method} is not passed on: it may not only read`);
    const server = asked.server === SERVER ? borrowed() : undefined;
    if (!server) throw new ResponseError(LSPErrorCodes.ServerCancelled, `${asked.server} does not run in this editor now`);
    try {
      return await server.sendRequest(asked.method, asked.params, token);
    } catch (error) {
      // Another extension's error is of another class, which the connection would not pass on as it is.
      const { code, message } = error as { code?: number; message?: string };
      throw new ResponseError(typeof code === "number" ? code : ErrorCodes.InternalError, message ?? String(error));
    }
  });
}

/** Tells whenever what is lent has changed. */
export function watchLent(tell: (lent: Lent | { server: string; positionEncoding: string; folders: [] }) => void): vscode.Disposable {
  let told = JSON.stringify(lent());
  const timer = setInterval(() => {
    const now = lent();
    if (JSON.stringify(now) === told) return;
    told = JSON.stringify(now);
    tell(now[0] ?? { server: SERVER, positionEncoding: "utf-16", folders: [] });
  }, LOOK_MS);
  return new vscode.Disposable(() => clearInterval(timer));
}

/** What the status says of it. */
export function lendingInWords(): string {
  if (!vscode.extensions.getExtension(EXTENSION)) return "the extension rust-analyzer is not here";
  if (!isWanted()) return "off (`dossier.languageServer.lend`)";
  if (!vscode.workspace.isTrusted) return "not while the workspace is not trusted";
  return borrowed() ? "the editor's rust-analyzer answers Dossier too" : "the editor's rust-analyzer does not run yet";
}

const isWanted = () => vscode.workspace.getConfiguration("dossier").get("languageServer.lend", true);

function borrowed(): LanguageClient | undefined {
  if (!vscode.workspace.isTrusted || !isWanted()) return undefined;
  const extension = vscode.extensions.getExtension<{ client?: LanguageClient }>(EXTENSION);
  const client = extension?.isActive ? extension.exports?.client : undefined;
  return client?.state === State.Running ? client : undefined;
}
