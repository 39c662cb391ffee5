/** Code actions: the fixes of diagnostics, and the possible answers of a gap. */
import { type CodeAction, CodeActionKind, type Range, type TextEdit } from "vscode-languageserver";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { compile } from "../../compile.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { kindOf, type Proposal } from "../../worklist/document/answers.ts";
import { applyEdits } from "../../worklist/document/edits.ts";
import { answeredLines } from "../../worklist/questions.ts";
import { DocumentRejected, type WorkList, workListOf } from "../../worklist/worklist.ts";
import { TextDocument } from "vscode-languageserver-textdocument";
import { lineText } from "../../source/source.ts";
import { type ItemName, partTitles } from "../../syntax/nodes.ts";
import { type Analysis, rangeBetween, rangeOf } from "../analysis.ts";
import { completionAt } from "../completion/completion.ts";
import { toProtocol } from "./diagnostics.ts";
import { editBetween } from "./formatting.ts";

/** Maximum number of actions for one range. */
const actionsMax = 20;

export function actionsIn(analysis: Analysis, range: Range): readonly CodeAction[] {
  const { document, compilation } = analysis;
  const [from, to] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  return compilation.diagnostics
    .filter(({ position: { start, end } }) => start.offset <= to && from <= end.offset)
    .flatMap((diagnostic) => [
      ...fixOf(analysis, diagnostic),
      ...proposalsFor(analysis, diagnostic),
      ...gapAnswers(analysis, diagnostic),
    ])
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

/** The proposals of `ninefold next` for the line of a gap. */
function proposalsFor(analysis: Analysis, diagnostic: Diagnostic): readonly CodeAction[] {
  if (diagnostic.kind !== "gap") return [];
  const { line } = diagnostic.position.start;
  return proposalsOf(analysis)
    .filter((proposal) => answeredLines(proposal).includes(line))
    .flatMap(({ kind, edits, subject }) => {
      const { document } = workListFor(analysis) ?? {};
      const edit = document && editBetween(analysis, applyEdits(document, edits).text);
      const title = `${subject}: ${kindOf(kind).title} (${kindOf(kind).level}).`;
      return edit ? [action(analysis, diagnostic, title, edit, false)] : [];
    });
}

function proposalsOf(analysis: Analysis): readonly Proposal[] {
  return workListFor(analysis)?.proposals ?? [];
}

/** The open questions, computed once for a state. Undefined for a document with errors. */
const workListFor = memoizeBy(({ file, source }: Analysis): WorkList | undefined => {
  try {
    return workListOf(file, source.text);
  } catch (error) {
    if (error instanceof DocumentRejected) return undefined;
    throw error;
  }
});

/** Maximum number of answers that completion offers in place of a gap. */
const statedMax = 3;

/** Possible answers between two offsets, with the text around them. */
function statedAnswers(
  analysis: Analysis,
  diagnostic: Diagnostic,
  start: number,
  end: number,
  around: (answer: string) => string,
): readonly CodeAction[] {
  const { text } = analysis.source;
  const empty = around("");
  const cursor = start + empty.trimEnd().length + 1;
  const document = TextDocument.create(
    analysis.uri,
    "markdown",
    0,
    text.slice(0, start) + empty + text.slice(end),
  );
  const at = empty === "" ? start : cursor;
  return completionAt(analysis, document, at)
    .items.map(({ label }) => label)
    .filter((label) => label !== "none" && label !== "not shown")
    .slice(0, 2 * statedMax)
    .flatMap((label) =>
      offered(analysis, diagnostic, `State it: \`${label}\`.`, start, end, around(label), true),
    )
    .slice(0, statedMax);
}

/**
 * `none` and `not shown` for an item that the part doesn't mention, and `none` for one that is not
 * shown. Only what `check` accepts without an error is offered.
 */
function gapAnswers(analysis: Analysis, diagnostic: Diagnostic): readonly CodeAction[] {
  if (diagnostic.code === "document/silent") return silentAnswers(analysis, diagnostic);
  if (diagnostic.code !== "document/not-shown" && diagnostic.code !== "document/smaller-gap") return [];
  const { start, end } = diagnostic.position;
  const written = analysis.source.text.slice(start.offset, end.offset);
  const at = written.lastIndexOf("not shown");
  if (at === -1) return [];
  const from = start.offset + at;
  const to = from + "not shown".length;
  return [
    ...statedAnswers(analysis, diagnostic, from, to, (answer) => answer),
    ...offered(analysis, diagnostic, "State that there is none.", from, to, "none"),
  ];
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
  return [
    ...statedAnswers(analysis, diagnostic, at, at, (answer) => `\n- ${key}: ${answer}\n`),
    ...["none", "not shown"].flatMap((answer) =>
      offered(analysis, diagnostic, `Write \`- ${key}: ${answer}\`.`, at, at, `\n- ${key}: ${answer}\n`),
    ),
  ];
}

/** `Webhooks` for `webhooks`. */
function keyOf(item: ItemName): string {
  return `${item.charAt(0).toUpperCase()}${item.slice(1)}`;
}

/** The offset after a line's line break. */
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
  isAnswer = false,
): readonly CodeAction[] {
  const { text } = analysis.source;
  const after = compile(text.slice(0, start) + newText + text.slice(end), { file: analysis.file });
  const before = analysis.compilation.diagnostics;
  if (errorsIn(after.diagnostics) > errorsIn(before)) return [];
  // `unknown` and `TBD` are gaps too.
  if (isAnswer && gapsIn(after.diagnostics) >= gapsIn(before)) return [];
  const edit = { range: rangeBetween(analysis.document, start, end), newText };
  return [action(analysis, diagnostic, title, edit, false)];
}

function gapsIn(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.filter(({ kind }) => kind === "gap").length;
}

function errorsIn(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.filter(({ severity }) => severity === "error").length;
}
