// Read-only documents under the scheme `dossier:`: previews, answers, explanations. They keep their text for as long as the window
// lives, also where their tab was closed. Places that a text names (`src/auth/mod.rs:42`) are links where the file is there.

import * as vscode from "vscode";

export const SCHEME = "dossier";

/** A text that comes piece by piece is drawn this often. */
const DRAW_MS = 120;

/** A path with a folder or an ending, and perhaps lines behind it. */
const PLACE = /(?<![\w/.:@-])((?:[\w.@-]+\/)*[\w@-][\w.@-]*\.[A-Za-z]\w*)(?::(\d+)(?::\d+)?(?:[-–](\d+))?)?/g;

/** A text names hardly more places than this; each costs a look at the disk. */
const MOST_PLACES = 500;

/** One document. Its text can be changed as often as one likes. */
export class Document {
  private shown: string;
  private timer: NodeJS.Timeout | undefined;

  constructor(readonly uri: vscode.Uri, private content: string, readonly roots: readonly vscode.Uri[], private readonly draw: () => void) {
    this.shown = content;
  }

  get text(): string {
    return this.shown;
  }

  append(text: string): void {
    this.content += text;
    this.timer ??= setTimeout(() => this.flush(), DRAW_MS);
  }

  /** Appends the last words, on a line of their own, and draws them. A block of code that is still open is closed before them. */
  end(text: string): void {
    const fences = this.content.match(/^[ \t]*(```|~~~)/gm) ?? [];
    const closing = fences.length % 2 === 1 ? `\n${fences.at(-1)?.trim()}` : "";
    this.content = `${this.content.trimEnd()}${closing}\n\n${text}\n`;
    this.flush();
  }

  /** Draws what has come. */
  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.shown = this.content;
    this.draw();
  }
}

export class Documents implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider {
  private readonly all = new Map<string, Document>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, this),
    );
  }

  /** A document by its name, with this text from now on; `roots` are the folders that paths in it are of. */
  create(name: string, text: string, roots: readonly vscode.Uri[]): Document {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    const document = new Document(uri, text, roots, () => this.changed.fire(uri));
    this.all.set(uri.toString(), document);
    this.changed.fire(uri);
    return document;
  }

  async show(document: Document, options: vscode.TextDocumentShowOptions = {}): Promise<vscode.TextEditor> {
    return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(document.uri), { preview: false, ...options });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.all.get(uri.toString())?.text ?? "This text was of an earlier window, and is gone.\n";
  }

  async provideDocumentLinks(document: vscode.TextDocument): Promise<vscode.DocumentLink[]> {
    const roots = this.all.get(document.uri.toString())?.roots ?? [];
    const text = document.getText();
    const files = new Map<string, Promise<vscode.Uri | undefined>>();
    const links: vscode.DocumentLink[] = [];
    for (const match of [...text.matchAll(PLACE)].slice(0, MOST_PLACES)) {
      const [whole, path = "", first, last] = match;
      if (!files.has(path)) files.set(path, existing(roots, path));
      const file = await files.get(path);
      if (!file) continue;
      const range = new vscode.Range(document.positionAt(match.index), document.positionAt(match.index + whole.length));
      const fragment = first ? `L${first}${last ? `-L${last}` : ""}` : "";
      const link = new vscode.DocumentLink(range, file.with({ fragment }));
      link.tooltip = "Open in the editor";
      links.push(link);
    }
    return links;
  }
}

/** The file of this path in the first folder that has it; nothing outside of the folders. */
async function existing(roots: readonly vscode.Uri[], path: string): Promise<vscode.Uri | undefined> {
  if (path.split("/").includes("..")) return undefined;
  for (const root of roots) {
    const uri = vscode.Uri.joinPath(root, path);
    const found = await vscode.workspace.fs.stat(uri).then((stat) => (stat.type & vscode.FileType.File) !== 0, () => false);
    if (found) return uri;
  }
  return undefined;
}
