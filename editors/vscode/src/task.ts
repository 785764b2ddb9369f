// The upper part of the side bar: the task, the plan in words, the budget as a bar. A page of its own (media/task.*), because a tree
// has no text field and no bar; it is told what to show, and tells what the user did.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { View } from "./protocol";

/** What the user did there. */
export type Done =
  | { kind: "explain" | "ask"; task: string }
  | { kind: "budget"; budget: number | null };

interface Shown {
  view: Pick<View, "task" | "plan" | "confidence" | "budget" | "notes" | "languageServer"> | null;
  isBusy: boolean;
  isBudgetByHand: boolean;
}

export class TaskView implements vscode.WebviewViewProvider {
  private webview: vscode.Webview | undefined;
  private shown: Shown = { view: null, isBusy: false, isBudgetByHand: false };

  constructor(private readonly media: vscode.Uri, private readonly onDone: (done: Done) => void) {}

  register(): vscode.Disposable {
    return vscode.window.registerWebviewViewProvider("dossier.task", this);
  }

  show(view: View | undefined, isBusy: boolean, isBudgetByHand: boolean): void {
    const picked = view && {
      task: view.task, plan: view.plan, confidence: view.confidence, budget: view.budget, notes: view.notes,
      languageServer: view.languageServer ?? null,
    };
    this.shown = { view: picked ?? null, isBusy, isBudgetByHand };
    this.post();
  }

  resolveWebviewView({ webview, onDidDispose }: vscode.WebviewView): void {
    webview.options = { enableScripts: true, localResourceRoots: [this.media] };
    webview.onDidReceiveMessage((said: Done | { kind: "ready" }) => (said.kind === "ready" ? this.post() : this.onDone(said)));
    webview.html = this.page(webview);
    this.webview = webview;
    onDidDispose(() => (this.webview = undefined));
  }

  private post(): void {
    void this.webview?.postMessage(this.shown);
  }

  private page(webview: vscode.Webview): string {
    const nonce = randomBytes(16).toString("base64");
    const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(this.media, name)).toString();
    return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
  <link rel="stylesheet" href="${file("task.css")}">
  <title>Dossier</title>
</head>
<body>
  <textarea id="task" rows="2" aria-label="Task" placeholder="What is to be done? (Enter explains the context)"></textarea>
  <div class="buttons">
    <button id="explain" title="What a model would be given, and why">Explain</button>
    <button id="ask" class="secondary" title="Send the task and its context to the model">Ask</button>
  </div>
  <section id="result" hidden>
    <div class="budget">
      <div class="bar" id="bar" role="meter" aria-label="Budget" aria-valuemin="0"><div id="used"></div></div>
      <div class="numbers">
        <span id="counted"></span>
        <label>of <input id="limit" type="number" min="256" step="1024" aria-label="Budget in tokens" title="Tokens that the dossier may have: change it, and the dossier follows"> tokens</label>
        <button id="free" class="link" title="Back to the budget of the settings" aria-label="Back to the budget of the settings" hidden>↺</button>
        <span id="sure" title="How likely the first file is one that the task is about"></span>
      </div>
    </div>
    <ul id="plan" aria-label="Plan"></ul>
    <ul id="notes" aria-label="Notes"></ul>
  </section>
  <script nonce="${nonce}" src="${file("task.js")}"></script>
</body>
</html>`;
  }
}
