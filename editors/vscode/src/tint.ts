// Tints the lines that a model would be given, in every editor that shows one of their files.

import * as vscode from "vscode";
import type { View } from "./protocol";
import { rangesOf } from "./view";

export class Tint implements vscode.Disposable {
  private chosen = new Map<string, vscode.Range[]>();
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("dossier.chosenBackground"),
    borderColor: new vscode.ThemeColor("dossier.chosenBorder"),
    borderStyle: "solid",
    borderWidth: "0 0 0 2px",
    overviewRulerColor: new vscode.ThemeColor("dossier.chosenBorder"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly listening = vscode.Disposable.from(
    vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("dossier.view.tint") && this.draw()),
  );

  show(view: View | undefined): void {
    const files = view?.files ?? [];
    this.chosen = new Map(files.map((file) => [vscode.Uri.parse(file.uri).toString(), rangesOf(file)]));
    this.draw();
  }

  dispose(): void {
    this.listening.dispose();
    this.decoration.dispose();
  }

  private draw(): void {
    const isOn = vscode.workspace.getConfiguration("dossier").get("view.tint", true);
    for (const editor of vscode.window.visibleTextEditors) {
      const ranges = isOn ? this.chosen.get(editor.document.uri.toString()) : undefined;
      editor.setDecorations(this.decoration, ranges ?? []);
    }
  }
}
