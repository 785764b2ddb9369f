// The tree of files: what a model would be given, best first, each with its reasons; then what was left out, and why. Its rows are
// what can be pinned, excluded or shown at another level.

import * as vscode from "vscode";
import type { ChosenFile, DroppedFile, Level, Reason, View } from "./protocol";

/** Signs of the levels, from the whole file to its mere name. */
const ICONS: Record<Level, string> = {
  full: "file-code", ranges: "list-selection", skeleton: "symbol-structure", mention: "bookmark",
};

export const LEVELS: { level: Level; label: string; detail: string }[] = [
  { level: "full", label: "full", detail: "the whole file" },
  { level: "ranges", label: "ranges", detail: "the items that matter, verbatim" },
  { level: "skeleton", label: "skeleton", detail: "signatures without their bodies" },
  { level: "mention", label: "mention", detail: "only that the file is there" },
];

export type Row =
  | { kind: "file"; file: ChosenFile }
  | { kind: "reason"; reason: Reason; path: string; index: number }
  | { kind: "group"; name: string; icon: string; rows: Row[] }
  | { kind: "dropped"; file: DroppedFile }
  | { kind: "excluded"; path: string }
  | { kind: "refused"; name: string; why: string };

export class FilesView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private view: View | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly tree: vscode.TreeView<Row>;

  constructor() {
    this.tree = vscode.window.createTreeView("dossier.files", { treeDataProvider: this, showCollapseAll: true });
  }

  /** One event for each view: the editor draws the first of a burst at once, and the next ones a fifth of a second later. */
  show(view: View | undefined): void {
    this.view = view;
    this.changed.fire();
    this.tree.description = view ? `${view.files.length} files, ${tokens(view.budget.used)}` : "";
  }

  dispose(): void {
    this.tree.dispose();
    this.changed.dispose();
  }

  getChildren(row?: Row): Row[] {
    if (!row) return this.view ? rootRows(this.view) : [];
    if (row.kind === "group") return row.rows;
    if (row.kind !== "file") return [];
    return row.file.reasons.map((reason, index) => ({ kind: "reason", reason, path: row.file.path, index }));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.kind) {
      case "file": return fileItem(row.file);
      case "reason": return reasonItem(row.reason, `${row.path} ${row.index}`);
      case "group": return groupItem(row.name, row.icon, row.rows.length);
      case "dropped": return droppedItem(row.file);
      case "excluded": return item({ id: `excluded ${row.path}`, label: row.path, icon: "circle-slash", contextValue: "dossier.excluded" });
      case "refused": return item({ id: `refused ${row.name}`, label: row.name, icon: "warning", description: row.why, tooltip: row.why });
    }
  }
}

function rootRows(view: View): Row[] {
  const groups: Row[] = [
    { kind: "group", name: "Pinned, but not to be had", icon: "warning", rows: view.refused.map((one) => ({ kind: "refused", ...one })) },
    { kind: "group", name: "Excluded by hand", icon: "circle-slash", rows: view.excluded.map((path) => ({ kind: "excluded", path })) },
    { kind: "group", name: "Left out", icon: "archive", rows: view.dropped.map((file) => ({ kind: "dropped", file })) },
  ];
  const files: Row[] = view.files.map((file) => ({ kind: "file", file }));
  return [...files, ...groups.filter((group) => group.kind === "group" && group.rows.length > 0)];
}

function fileItem(file: ChosenFile): vscode.TreeItem {
  const [name, folder] = split(file.path);
  const start = rangesOf(file)[0]?.start;
  const facts = [file.pinned ? `${file.level}, pinned` : file.level, tokens(file.tokens), folder];
  return item({
    id: `file ${file.path}`,
    label: name,
    description: facts.filter(Boolean).join(" · "),
    icon: file.pinned ? "pinned" : ICONS[file.level],
    tooltip: fileTooltip(file),
    contextValue: file.pinned ? "dossier.file.pinned" : "dossier.file",
    collapsible: file.reasons.length > 0,
    opens: [vscode.Uri.parse(file.uri), start && new vscode.Range(start, start)],
    spoken: `${file.rank}. ${file.path}, ${facts[0]}, ${facts[1]}`,
  });
}

function reasonItem(reason: Reason, id: string): vscode.TreeItem {
  const source = reason.source ? ` · ${reason.source}` : "";
  return item({
    id: `reason ${id}`,
    label: reason.detail || reason.signal,
    description: `${weight(reason.weight)} ${reason.signal}${source}`,
    icon: reason.weight < 0 ? "remove" : "add",
    tooltip: `${reason.detail}\n${reason.signal}: ${weight(reason.weight)}${source}`,
  });
}

function droppedItem(file: DroppedFile): vscode.TreeItem {
  const [name, folder] = split(file.path);
  return item({
    id: `dropped ${file.path}`,
    label: name,
    description: [file.why, folder].filter(Boolean).join(" · "),
    icon: "file",
    tooltip: `${file.path}\nrank ${file.rank}, score ${file.score.toFixed(2)}\n${file.why}`,
    contextValue: "dossier.dropped",
    opens: [vscode.Uri.parse(file.uri), undefined],
  });
}

function groupItem(name: string, icon: string, count: number): vscode.TreeItem {
  return item({ id: `group ${name}`, label: name, description: String(count), icon, collapsible: true });
}

interface ItemParts {
  id: string;
  label: string;
  icon: string;
  description?: string;
  tooltip?: string | vscode.MarkdownString;
  contextValue?: string;
  collapsible?: boolean;
  opens?: [vscode.Uri, vscode.Range | undefined];
  spoken?: string;
}

function item(parts: ItemParts): vscode.TreeItem {
  const state = parts.collapsible ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None;
  const made = new vscode.TreeItem(parts.label, state);
  made.id = parts.id;
  made.iconPath = new vscode.ThemeIcon(parts.icon);
  if (parts.description) made.description = parts.description;
  if (parts.tooltip) made.tooltip = parts.tooltip;
  if (parts.contextValue) made.contextValue = parts.contextValue;
  if (parts.spoken) made.accessibilityInformation = { label: parts.spoken };
  if (parts.opens) {
    const [uri, selection] = parts.opens;
    const options: vscode.TextDocumentShowOptions = selection ? { selection } : {};
    made.command = { command: "vscode.open", title: "Open", arguments: [uri, options] };
  }
  return made;
}

function fileTooltip(file: ChosenFile): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  const lines = rangesOf(file).map((range) => `${range.start.line + 1}–${range.end.line + 1}`).join(", ");
  text.appendText(`${file.rank}. ${file.path}\n`);
  text.appendText(`${file.level}${lines ? `, lines ${lines}` : ""}, ${tokens(file.tokens)}\n`);
  for (const reason of file.reasons) {
    text.appendMarkdown("\n- ").appendText(`${weight(reason.weight)}  ${reason.detail || reason.signal}`);
  }
  return text;
}

/** The lines of a file that the pack shows. A range that ends where a line begins does not hold that line. */
export function rangesOf(file: ChosenFile): vscode.Range[] {
  return file.ranges.map(({ start, end }) => {
    const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
    return new vscode.Range(start.line, 0, last, Number.MAX_SAFE_INTEGER);
  });
}

/** A name to tell it by, and the folder. Of the many `mod.rs` each is told by its folder. */
function split(path: string): [name: string, folder: string] {
  const parts = path.split("/");
  const own = /^(mod|lib|main)\.rs$/.test(parts.at(-1) ?? "") ? 2 : 1;
  return [parts.slice(-own).join("/"), parts.slice(0, -own).join("/")];
}

const weight = (value: number) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

export const tokens = (count: number) => `${count.toLocaleString("en")} tokens`;
