/** Answers the requests of an editor about one analysed state of a document. */
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Model } from "../model/model.ts";
import type { Analysis } from "./analysis.ts";
import { completionAt } from "./completion/completion.ts";
import { actionsIn } from "./features/actions.ts";
import { diagnosticsOf } from "./features/diagnostics.ts";
import { formattingOf } from "./features/formatting.ts";
import { hoverAt } from "./features/hover.ts";
import { foldingRangesOf, symbolsOf } from "./features/outline.ts";
import { inlayHintsIn } from "./features/inlay-hints.ts";
import { lensesOf } from "./features/lenses.ts";
import { previewOf } from "./features/preview.ts";
import { selectionRangesAt } from "./features/selection-ranges.ts";
import { tokensOf } from "./features/semantic-tokens.ts";
import { definitionAt, referencesAt, renameAt, renameRangeAt } from "./names/navigation.ts";
import { RenameRefused } from "./names/rename.ts";
import type { Method, Requests } from "./requests.ts";

/** Only methods whose analysis may be older need the newest text. */
type Answerers = {
  readonly [M in Method]: (
    analysis: Analysis,
    params: Requests[M]["params"],
    newest: TextDocument,
  ) => Requests[M]["answer"] | Promise<Requests[M]["answer"]>;
};

export const answerers: Answerers = {
  diagnostics: diagnosticsOf,
  hover: (analysis, position) => hoverAt(analysis, analysis.document.offsetAt(position)) ?? null,
  completion: (analysis, position, newest) => completionAt(analysis, newest, newest.offsetAt(position)),
  definition: (analysis, position) => definitionAt(analysis, analysis.document.offsetAt(position)),
  references: (analysis, { position, includesDefinition }) =>
    referencesAt(analysis, analysis.document.offsetAt(position), includesDefinition),
  renameRange: (analysis, position) => renameRangeAt(analysis, analysis.document.offsetAt(position)) ?? null,
  rename(analysis, { position, name, seed }) {
    try {
      return renameAt(analysis, analysis.document.offsetAt(position), name, seed);
    } catch (error) {
      if (error instanceof RenameRefused) return { refused: error.message };
      throw error;
    }
  },
  symbols: symbolsOf,
  folding: foldingRangesOf,
  formatting: formattingOf,
  actions: actionsIn,
  lenses: lensesOf,
  selections: (analysis, positions) =>
    selectionRangesAt(
      analysis,
      positions.map((position) => analysis.document.offsetAt(position)),
    ),
  hints: inlayHintsIn,
  preview: previewOf,
  tokens: tokensOf,
  model: soundModelOf,
};

/** The model of a document without errors. */
export function soundModelOf({ compilation: { model, diagnostics } }: Analysis): Model | null {
  return model && diagnostics.every(({ severity }) => severity !== "error") ? model : null;
}
