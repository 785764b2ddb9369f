// What goes between the editor and `dossier lsp`: the shapes of docs/lsp.md, and no more of them than is used here.

import type { Range } from "vscode-languageclient/node";

export interface Ask {
  task?: string;
  textDocument?: { uri: string };
  range?: Range;
  folder?: string;
  /** Of `dossier/prompt`: what was previewed under this name is sent as it was shown. */
  previewed?: string;
}

export type Level = "full" | "ranges" | "skeleton" | "mention";

export interface Reason {
  signal: string;
  weight: number;
  detail: string;
  source?: string | null;
}

export interface ChosenFile {
  uri: string;
  path: string;
  rank: number;
  level: Level;
  tokens: number;
  ranges: Range[];
  reasons: Reason[];
  pinned?: boolean;
}

export interface DroppedFile {
  uri: string;
  path: string;
  rank: number;
  score: number;
  why: string;
}

export interface Note {
  level: string;
  text: string;
}

export interface LanguageServer {
  name?: string;
  state: string;
  version?: string | null;
  loadedPercent?: number | null;
  choice?: string;
}

/** What a model would be given for a task, and why. */
export interface View {
  task: string;
  folder: string;
  root: string;
  plan: string[];
  confidence: number;
  files: ChosenFile[];
  dropped: DroppedFile[];
  budget: { limit: number; used: number; tokenizer: string };
  pinned: string[];
  excluded: string[];
  levels: Record<string, Level>;
  refused: { name: string; why: string }[];
  explanation: string;
  languageServer?: LanguageServer | null;
  notes: Note[];
}

export interface Edit {
  folder: string;
  pin?: string[];
  unpin?: string[];
  exclude?: string[];
  include?: string[];
  levels?: Record<string, Level | null>;
  budget?: number | null;
  reset?: boolean;
}

export interface ContextText {
  text: string;
  format: string;
  tokens: number;
  limit: number;
  files: unknown[];
  notes: Note[];
}

export interface Preview {
  id: string;
  model: string;
  isRemote: boolean;
  isAllowed: boolean;
  system: string;
  messages: string[];
  tokens: number;
  masked: number;
  files: unknown[];
  notes: Note[];
}

export interface Answer {
  model: string;
  answer: string;
  isComplete: boolean;
  sent?: number | null;
  received?: number | null;
  tookMs?: number | null;
  files: { uri: string; path: string }[];
  notes: Note[];
}

/** What comes while an answer, or an explanation that waits for the language server, is on its way. */
export type Progress = { text?: string; note?: string; view?: View };

export interface Places {
  symbol?: string;
  places: { uri: string; range: Range; name?: string; path?: string }[];
  notes?: Note[];
}

export interface Changed {
  folder: string;
  files: number | null;
  indexAgeMs?: number | null;
  languageServer?: LanguageServer | null;
}

export interface Status {
  version: string;
  process: number;
  source: { kind: string; process?: number | null; memory?: number | null; why?: string | null };
  folders: FolderStatus[];
  model: { name: string; isRemote: boolean; isAllowed: boolean };
}

export interface FolderStatus {
  folder: string;
  root?: string | null;
  isRust: boolean;
  files?: number | null;
  indexAgeMs?: number | null;
  generation?: number | null;
  isWatched?: boolean;
  languageServer?: LanguageServer | null;
  task?: string | null;
  notes?: Note[];
}

/** A language server that the editor runs, and answers for. */
export interface Lent {
  server: string;
  positionEncoding: string;
  folders: string[];
}

export interface Forward {
  server: string;
  method: string;
  params: unknown;
}
