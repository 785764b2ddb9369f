// Stands in for the extension rust-lang.rust-analyzer: it starts the real server, which the environment variable RUST_ANALYZER names,
// and exports its client the same way (`RustAnalyzerExtensionApi` in rust-analyzer's editors/code/src/main.ts). Every request that
// comes through the client is noted in the file that RUST_ANALYZER_LOG names. Besides, it stands in for an agent: its command calls
// Dossier's language-model tool, and shows what came.

import { appendFileSync } from "node:fs";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<{ readonly client: LanguageClient | undefined }> {
  context.subscriptions.push(vscode.commands.registerCommand("standIn.callTool", callTool));
  const [command, log] = [process.env["RUST_ANALYZER"], process.env["RUST_ANALYZER_LOG"]];
  if (!command) return { client };
  client = new LanguageClient("rust-analyzer", "rust-analyzer", { command }, {
    documentSelector: [{ scheme: "file", language: "rust" }],
    initializationOptions: { cargo: { buildScripts: { enable: false } }, procMacro: { enable: false }, checkOnSave: false, cachePriming: { enable: false } },
    middleware: {
      sendRequest: (type, param, token, next) => {
        if (log) appendFileSync(log, `${typeof type === "string" ? type : type.method}\n`);
        return next(type, param, token);
      },
    },
  });
  // As the real one: activation does not wait until the server has started.
  void client.start();
  return { get client() { return client; } };
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function callTool(): Promise<void> {
  const task = await vscode.window.showInputBox({ prompt: "Task for the tool" });
  const result = await vscode.lm.invokeTool("dossier_context", { input: { task }, toolInvocationToken: undefined });
  const text = result.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: `The tool says:\n${text}` }));
}
