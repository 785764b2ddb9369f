// The folder's present task and its pack: asked for, changed by hand, shown in every part of the editor that shows it.

import * as vscode from "vscode";
import type { Ask, Edit, Status, View } from "./protocol";
import type { Server } from "./server";
import type { TaskView } from "./task";
import { kindOf, tell } from "./tell";
import type { Tint } from "./tint";
import type { FilesView } from "./view";

export class Present {
  view: View | undefined;
  /** What was asked for to get it. */
  asked: Ask | undefined;
  /** Why there is nothing to show, where that is so. */
  nothing: "noRust" | "nothing" | undefined;
  private isBudgetByHand = false;
  private asking: vscode.CancellationTokenSource | undefined;

  constructor(
    private readonly server: Server, private readonly task: TaskView, private readonly files: FilesView, private readonly tint: Tint,
    private readonly changed: () => void,
  ) {}

  /** Shows what a model would be given for a task: whether that went well. A new task calls off the one before. */
  async explain(ask: Ask): Promise<boolean> {
    const isDone = await this.update((token) => {
      const early = ({ view }: { view?: View }) => view && !token.isCancellationRequested && this.show(view);
      return this.server.ask<View>("dossier/explain", ask, token, early);
    });
    if (isDone) this.asked = ask;
    return isDone;
  }

  /** A change by hand to what is shown; the pack follows. */
  async edit(change: Omit<Edit, "folder">): Promise<void> {
    const folder = this.view?.folder;
    if (!folder) return void vscode.window.showInformationMessage("Dossier: explain a task first.");
    const isDone = await this.update((token) => this.server.ask<View>("dossier/edit", { folder, ...change }, token));
    if (!isDone) return;
    if (change.budget !== undefined) this.isBudgetByHand = change.budget !== null;
    if (change.reset) this.isBudgetByHand = false;
    if (change.budget !== undefined || change.reset) this.show(this.view);
  }

  /** Tells a program that was started anew what the one before knew: the task, and what was changed by hand. */
  async restore(): Promise<void> {
    const { view: before, asked } = this;
    if (!before || !asked) return;
    const isChanged = before.pinned.length + before.excluded.length + Object.keys(before.levels).length > 0 || this.isBudgetByHand;
    await this.update(async (token) => {
      const view = await this.server.ask<View>("dossier/explain", asked, token);
      if (!isChanged) return view;
      const budget = this.isBudgetByHand ? { budget: before.budget.limit } : {};
      const edit = { folder: before.folder, pin: before.pinned, exclude: before.excluded, levels: before.levels, ...budget };
      return this.server.ask<View>("dossier/edit", edit, token);
    });
  }

  show(view: View | undefined): void {
    this.view = view;
    this.files.show(view);
    this.tint.show(view);
    this.task.show(view, false, this.isBudgetByHand);
    const isChanged = view && (view.pinned.length > 0 || view.excluded.length > 0 || Object.keys(view.levels).length > 0);
    void vscode.commands.executeCommand("setContext", "dossier.hasContext", view !== undefined);
    void vscode.commands.executeCommand("setContext", "dossier.isChanged", Boolean(isChanged) || this.isBudgetByHand);
    this.changed();
  }

  /** Folders that the paths of this pack are of. */
  roots(): vscode.Uri[] {
    const roots = this.view ? [vscode.Uri.parse(this.view.folder), vscode.Uri.file(this.view.root)] : [];
    return [...roots, ...(vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri)];
  }

  private async update(work: (token: vscode.CancellationToken) => Promise<View>): Promise<boolean> {
    this.asking?.cancel();
    const asking = (this.asking = new vscode.CancellationTokenSource());
    this.task.show(this.view, true, this.isBudgetByHand);
    try {
      const view = await vscode.window.withProgress({ location: { viewId: "dossier.files" } }, () => work(asking.token));
      if (asking.token.isCancellationRequested) return false;
      this.nothing = view.files.length > 0 ? undefined : (await this.isRust(view.folder)) ? "nothing" : "noRust";
      this.show(view);
      return true;
    } catch (error) {
      if (this.asking === asking) this.failed(error);
      return false;
    } finally {
      if (this.asking === asking) this.asking = undefined;
      asking.dispose();
    }
  }

  private async isRust(folder: string): Promise<boolean> {
    const status = await this.server.ask<Status>("dossier/status", {});
    return status.folders.find((one) => one.folder === folder)?.isRust ?? true;
  }

  /** What was shown before stays. */
  private failed(error: unknown): void {
    if (kindOf(error) === "no_workspace") this.nothing = "noRust";
    this.task.show(this.view, false, this.isBudgetByHand);
    this.changed();
    tell(error);
  }
}
