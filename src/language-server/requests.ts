/** Requests of the analysis thread: one for each feature of the editor. */
import type {
  CodeAction,
  CodeLens,
  Diagnostic,
  DocumentSymbol,
  FoldingRange,
  Hover,
  InlayHint,
  Location,
  Position,
  Range,
  SelectionRange,
  SemanticTokens,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver";
import type { Model } from "../model/model.ts";
import type { Preview } from "./features/preview.ts";
import type { Completion } from "./completion/completion.ts";

/** A seed of a document: its `Given` items use the names of the document's resources and fields. */
export interface SeedText {
  readonly uri: string;
  readonly text: string;
}

/** The requests of an editor, each with its parameters and its answer. */
export interface Requests {
  readonly diagnostics: { readonly params: null; readonly answer: readonly Diagnostic[] };
  readonly hover: { readonly params: Position; readonly answer: Hover | null };
  readonly completion: { readonly params: Position; readonly answer: Completion };
  readonly definition: { readonly params: Position; readonly answer: readonly Location[] };
  readonly references: {
    readonly params: { readonly position: Position; readonly includesDefinition: boolean };
    readonly answer: readonly Location[];
  };
  readonly renameRange: { readonly params: Position; readonly answer: Range | null };
  readonly rename: {
    readonly params: {
      readonly position: Position;
      readonly name: string;
      /** The document's seed, if it has one, whose names are renamed too. */
      readonly seed: SeedText | undefined;
    };
    readonly answer: WorkspaceEdit | { readonly refused: string };
  };
  readonly symbols: { readonly params: null; readonly answer: readonly DocumentSymbol[] };
  readonly folding: { readonly params: null; readonly answer: readonly FoldingRange[] };
  readonly formatting: { readonly params: null; readonly answer: readonly TextEdit[] };
  readonly actions: { readonly params: Range; readonly answer: readonly CodeAction[] };
  readonly lenses: { readonly params: { readonly isServed: boolean }; readonly answer: readonly CodeLens[] };
  readonly selections: { readonly params: readonly Position[]; readonly answer: readonly SelectionRange[] };
  readonly hints: { readonly params: Range; readonly answer: readonly InlayHint[] };
  readonly preview: { readonly params: null; readonly answer: Preview };
  readonly tokens: { readonly params: null; readonly answer: SemanticTokens };
  /** The model for a run of its scenarios; null where the document has errors. */
  readonly model: { readonly params: null; readonly answer: Model | null };
}

export type Method = keyof Requests;

/** A document in one state. The thread keeps the newest state of each. */
export interface DocumentState {
  readonly uri: string;
  readonly version: number;
  readonly text: string;
}

export type ThreadRequest =
  | {
      readonly kind: "request";
      readonly id: number;
      readonly method: Method;
      readonly params: unknown;
      /** The text is absent if the thread has this version. */
      readonly state: Omit<DocumentState, "text"> & { readonly text?: string };
    }
  | { readonly kind: "close"; readonly uri: string };

export interface ThreadAnswer {
  readonly id: number;
  /** Null where the document is not a specification. */
  readonly answer: unknown;
}
