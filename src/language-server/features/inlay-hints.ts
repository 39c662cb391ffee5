/**
 * Inlay hints: the types that a document doesn't state, of `Let` and of inputs without a type of
 * their own.
 */
import { type InlayHint, InlayHintKind, type Range } from "vscode-languageserver";
import { createReporter } from "../../diagnostics/diagnostic.ts";
import { bindExpression } from "../../expressions/bind.ts";
import { describeType } from "../../expressions/relations.ts";
import type { FieldType } from "../../fields/type.ts";
import { lineText } from "../../source/source.ts";
import type { Analysis } from "../analysis.ts";

export function inlayHintsIn(analysis: Analysis, { start, end }: Range): readonly InlayHint[] {
  const lines = Array.from({ length: end.line - start.line + 1 }, (_, at) => start.line + at);
  return [
    ...lines.flatMap((line) => letHint(analysis, line)),
    ...inputHints(analysis).filter(({ position: { line } }) => start.line <= line && line <= end.line),
  ];
}

/** @param line from 0 */
function letHint({ source, bindings, document }: Analysis, line: number): readonly InlayHint[] {
  const name = /^(\s*[-*+]\s+Let:\s*`?)(\w+)\s*=/i.exec(lineText(source, line + 1));
  if (!name) return [];
  const from = source.lineStarts[line] ?? 0;
  const until = source.lineStarts[line + 1] ?? source.text.length;
  const binding = bindings.findLast(({ phrase }) => from <= phrase.start && phrase.start < until);
  if (!binding) return [];
  const { phrase, scope, expected } = binding;
  const bound = bindExpression(phrase, scope, createReporter(phrase.source), expected);
  if (!bound) return [];
  const [, before = "", word = ""] = name;
  const position = document.positionAt(from + before.length + word.length);
  return [typeHint(position, describeType(bound.node.type))];
}

function inputHints({ source, compilation, document }: Analysis): readonly InlayHint[] {
  return (compilation.model?.endpoints ?? []).flatMap(({ inputs }) =>
    inputs.flatMap(({ name, type, position }) => {
      const row = lineText(source, position.start.line);
      const word = name.join(".");
      const at = row.indexOf(word);
      const words = typeText(type);
      if (words === undefined || !row.startsWith("|") || at === -1 || row.includes(words)) return [];
      const start = source.lineStarts[position.start.line - 1] ?? 0;
      return [typeHint(document.positionAt(start + at + word.length), words)];
    }),
  );
}

/**
 * The type as a cell of the column `Type` has it. Undefined for a type that is longer than a name.
 */
function typeText(type: FieldType): string | undefined {
  switch (type.kind) {
    case "reference":
    case "value":
      return type.resource;
    case "list":
    case "map":
    case "enum":
    case "json":
    case "not shown":
      return undefined;
    default:
      return type.kind;
  }
}

function typeHint(position: InlayHint["position"], words: string): InlayHint {
  return { position, label: `: ${words}`, kind: InlayHintKind.Type };
}
