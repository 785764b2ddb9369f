// The tool that other agents of the editor can call: a task in plain words in, its dossier out. It changes nothing, and the files
// it reads are those that Dossier shows anyway.

import * as vscode from "vscode";
import type { ContextText } from "./protocol";
import type { Server } from "./server";

interface Input {
  task: string;
}

/** Registers it where the host has tools at all. */
export function registerTool(server: Server, folder: () => string | undefined): vscode.Disposable {
  const tools = (vscode as { lm?: Partial<typeof vscode.lm> }).lm;
  if (!tools?.registerTool) return new vscode.Disposable(() => undefined);
  return tools.registerTool<Input>("dossier_context", {
    prepareInvocation: ({ input }) => ({ invocationMessage: `Dossier looks for the code of "${input.task}"` }),
    invoke: async ({ input }, token) => {
      const asked = { task: input.task, folder: folder(), format: "markdown" };
      const context = await server.ask<ContextText>("dossier/context", asked, token);
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(context.text)]);
    },
  });
}
