/** Outline of a document: symbols of parts, sections and rows; ranges that an editor can fold. */
import { type DocumentSymbol, type FoldingRange, type Range, SymbolKind } from "vscode-languageserver";
import { createReporter } from "../../diagnostics/diagnostic.ts";
import { positionIn } from "../../source/phrase.ts";
import type { Position } from "../../source/source.ts";
import { parseMarkdown } from "../../syntax/markdown.ts";
import type { Block, PartName, PartNode, Section } from "../../syntax/nodes.ts";
import { type Analysis, rangeOf } from "../analysis.ts";

export function symbolsOf(analysis: Analysis): readonly DocumentSymbol[] {
  return partsOf(analysis).map((part) => ({
    name: part.heading.text,
    kind: SymbolKind.Module,
    range: wholeRange(analysis, part.position),
    selectionRange: rangeOf(analysis, positionIn(part.heading)),
    children: part.sections.map((section) => sectionSymbol(analysis, part.part, section)),
  }));
}

function partsOf({ source }: Analysis): readonly PartNode[] {
  return Object.values(parseMarkdown(source, createReporter(source)).parts);
}

/** A range that has its selection in it, as the protocol requires. */
function wholeRange(analysis: Analysis, position: Position): Range {
  const { start, end } = rangeOf(analysis, position);
  return { start: { line: start.line, character: 0 }, end };
}

const sectionKinds: Readonly<Record<PartName, SymbolKind>> = {
  purpose: SymbolKind.Event,
  resources: SymbolKind.Class,
  states: SymbolKind.Enum,
  endpoints: SymbolKind.Method,
  authentication: SymbolKind.Key,
  events: SymbolKind.Struct,
  errors: SymbolKind.Struct,
  limits: SymbolKind.Constant,
  versioning: SymbolKind.Package,
};

function sectionSymbol(analysis: Analysis, part: PartName, section: Section): DocumentSymbol {
  return {
    name: section.heading.text.trim() || "(untitled)",
    kind: sectionKinds[part],
    range: wholeRange(analysis, section.position),
    selectionRange: rangeOf(analysis, positionIn(section.heading)),
    children: section.body.flatMap((block) => rowSymbols(analysis, part, block)),
  };
}

/** Fields and transitions: rows by their first cells. */
function rowSymbols(analysis: Analysis, part: PartName, block: Block): readonly DocumentSymbol[] {
  if (block.kind !== "table" || (part !== "resources" && part !== "states")) return [];
  return block.rows.flatMap((row) => {
    const [first] = row.cells;
    if (!first || first.text.trim() === "") return [];
    return [
      {
        name: first.text.trim(),
        kind: part === "resources" ? SymbolKind.Field : SymbolKind.EnumMember,
        range: wholeRange(analysis, row.position),
        selectionRange: rangeOf(analysis, positionIn(first)),
      },
    ];
  });
}

/** Parts, sections and blocks of more than one line. */
export function foldingRangesOf(analysis: Analysis): readonly FoldingRange[] {
  return partsOf(analysis).flatMap((part) => [
    ...folded(part.position),
    ...part.sections.flatMap((section) => [
      ...folded(section.position),
      ...section.body.flatMap((block) => (block.kind === "prose" ? [] : folded(block.position))),
    ]),
  ]);
}

function folded({ start, end }: Position): readonly FoldingRange[] {
  const last = end.column === 1 ? end.line - 1 : end.line;
  return last > start.line ? [{ startLine: start.line - 1, endLine: last - 1 }] : [];
}
