/** Code actions: the fixes of diagnostics, and the answers that a gap may have. */
import { type CodeAction, CodeActionKind, type Range, type TextEdit } from "vscode-languageserver";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { compile } from "../../compile.ts";
import { lineText } from "../../source/source.ts";
import { type ItemName, partTitles } from "../../syntax/nodes.ts";
import { type Analysis, rangeBetween, rangeOf } from "../analysis.ts";
import { toProtocol } from "./diagnostics.ts";

/** Most actions for one range. */
const actionsMax = 20;

export function actionsIn(analysis: Analysis, range: Range): readonly CodeAction[] {
  const { document, compilation } = analysis;
  const [from, to] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  return compilation.diagnostics
    .filter(({ position: { start, end } }) => start.offset <= to && from <= end.offset)
    .flatMap((diagnostic) => [...fixOf(analysis, diagnostic), ...gapAnswers(analysis, diagnostic)])
    .slice(0, actionsMax);
}

function fixOf(analysis: Analysis, diagnostic: Diagnostic): readonly CodeAction[] {
  const { fix, hint } = diagnostic;
  if (!fix) return [];
  const edit = { range: rangeOf(analysis, fix.position), newText: fix.text };
  return [action(analysis, diagnostic, hint ?? `Write \`${fix.text}\`.`, edit, true)];
}

function action(
  analysis: Analysis,
  diagnostic: Diagnostic,
  title: string,
  edit: TextEdit,
  isPreferred: boolean,
): CodeAction {
  return {
    title,
    kind: CodeActionKind.QuickFix,
    diagnostics: [toProtocol(analysis, diagnostic)],
    edit: { changes: { [analysis.uri]: [edit] } },
    ...(isPreferred ? { isPreferred } : {}),
  };
}

/**
 * `none` and `not shown` for an item that the part doesn't mention, and `none` for one that is not
 * shown. Only what `check` accepts without an error is offered.
 */
function gapAnswers(analysis: Analysis, diagnostic: Diagnostic): readonly CodeAction[] {
  if (diagnostic.code === "document/silent") return silentAnswers(analysis, diagnostic);
  if (diagnostic.code !== "document/not-shown") return [];
  const { start, end } = diagnostic.position;
  const written = analysis.source.text.slice(start.offset, end.offset);
  const at = written.lastIndexOf("not shown");
  if (at === -1) return [];
  const from = start.offset + at;
  return offered(analysis, diagnostic, "State that there is none.", from, from + "not shown".length, "none");
}

function silentAnswers(analysis: Analysis, diagnostic: Diagnostic): readonly CodeAction[] {
  const entry = analysis.compilation.ledger.find(
    ({ answer, part, item, position }) =>
      answer === "silent" &&
      position.start.offset === diagnostic.position.start.offset &&
      diagnostic.message.includes(`${item} (${partTitles[part]})`),
  );
  if (!entry) return [];
  const key = keyOf(entry.item);
  const at = lineBehind(analysis, entry.position.start.line);
  const isHeading = /^##\s/.test(lineText(analysis.source, entry.position.start.line));
  if (!isHeading) return [];
  return ["none", "not shown"].flatMap((answer) =>
    offered(analysis, diagnostic, `Write \`- ${key}: ${answer}\`.`, at, at, `\n- ${key}: ${answer}\n`),
  );
}

/** `Webhooks` of `webhooks`. */
function keyOf(item: ItemName): string {
  return `${item.charAt(0).toUpperCase()}${item.slice(1)}`;
}

/** The offset behind the line break of a line. */
function lineBehind({ source }: Analysis, line: number): number {
  return source.lineStarts[line] ?? source.text.length;
}

function offered(
  analysis: Analysis,
  diagnostic: Diagnostic,
  title: string,
  start: number,
  end: number,
  newText: string,
): readonly CodeAction[] {
  const { text } = analysis.source;
  const after = compile(text.slice(0, start) + newText + text.slice(end), { file: analysis.file });
  if (errorsIn(after.diagnostics) > errorsIn(analysis.compilation.diagnostics)) return [];
  const edit = { range: rangeBetween(analysis.document, start, end), newText };
  return [action(analysis, diagnostic, title, edit, false)];
}

function errorsIn(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.filter(({ severity }) => severity === "error").length;
}
