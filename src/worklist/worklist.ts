/**
 * The work list of a document: its open questions, with proposed answers where the document shows
 * enough to make one. An answer is proposed only if the document still compiles with it.
 */
import { compile } from "../compile.ts";
import { createReporter, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { LedgerEntry, Model } from "../model/model.ts";
import { createSource, textAt } from "../source/source.ts";
import { parseMarkdown } from "../syntax/markdown.ts";
import type { Answer, Proposal } from "./answers.ts";
import { type EditedText, applyEdits } from "./edits.ts";
import { blockingQuestions } from "./blocking-questions.ts";
import { ordered, type RankedQuestion } from "./order.ts";
import { proposeErrorPayload } from "./propose-error-payload.ts";
import { proposeErrors } from "./propose-errors.ts";
import { proposeFields } from "./propose-fields.ts";
import { proposeIdentifiers } from "./propose-identifiers.ts";
import { proposeInputs } from "./propose-inputs.ts";
import { proposeOperations } from "./propose-operations.ts";
import { proposeReferences } from "./propose-references.ts";
import { proposeResources } from "./propose-resources.ts";
import { proposeHeaders } from "./propose-headers.ts";
import { proposeRules } from "./propose-rules.ts";
import { proposeScenarios } from "./propose-scenarios.ts";
import { proposeSchemes } from "./propose-schemes.ts";
import { proposeStates } from "./propose-states.ts";
import { questionsOf } from "./questions.ts";
import { rejectedKinds } from "./rejections.ts";
import { type SourceDocument, readSourceDocument } from "./source-document.ts";
import { RefusedError } from "../support/ninefold-error.ts";

export type { RankedQuestion };

export interface WorkList {
  readonly file: string;
  readonly document: SourceDocument;
  readonly proposals: readonly Proposal[];
  /** Ordered by the number of enabled endpoints per answer. */
  readonly questions: readonly RankedQuestion[];
}

/** The document has mistakes, so its open questions can't be determined. */
export class DocumentRejected extends RefusedError {
  override name = "DocumentRejected";
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super("The document has mistakes.");
    this.diagnostics = diagnostics;
  }
}

/**
 * The open questions of a document.
 *
 * @throws DocumentRejected
 */
export function workListOf(file: string, text: string): WorkList {
  return listOfProposals(file, text, proposalsFor);
}

/**
 * The open questions of a document with the proposals that a function finds.
 *
 * @throws DocumentRejected
 */
export function listOfProposals(
  file: string,
  text: string,
  find: (document: SourceDocument, model: Model) => readonly Proposal[],
): WorkList {
  const { document, model, ledger } = soundDocument(file, text);
  const rejected = rejectedKinds(text);
  const { proposals, model: answered } = soundProposals(
    file,
    document,
    find(document, model).filter(({ kind }) => !rejected.has(kind)),
    model,
  );
  const questions = questionsOf(document, ledger, proposals);
  return {
    file,
    document,
    proposals,
    questions: ordered(questions, blockingQuestions(document, model, answered, proposals)),
  };
}

/** All answers that the document suggests; some of them may not compile. */
function proposalsFor(document: SourceDocument, model: Model): readonly Proposal[] {
  const operations = proposeOperations(document);
  return [
    ...proposeResources(document),
    ...proposeIdentifiers(document),
    ...operations,
    ...proposeReferences(document, operations),
    ...proposeInputs(document),
    ...proposeFields(document),
    ...proposeStates(document),
    ...proposeRules(document),
    ...proposeHeaders(document),
    ...proposeErrors(document),
    ...proposeErrorPayload(document),
    ...proposeSchemes(document),
    ...proposeScenarios(document, model),
  ];
}

interface SoundDocument {
  readonly document: SourceDocument;
  readonly model: Model;
  readonly ledger: readonly LedgerEntry[];
}

/** @throws DocumentRejected */
export function soundDocument(file: string, text: string): SoundDocument {
  const { model, ledger, diagnostics } = compile(text, { file });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (!model || errors.length > 0) throw new DocumentRejected(errors);
  const source = createSource(file, text);
  return { document: readSourceDocument(parseMarkdown(source, createReporter(source))), model, ledger };
}

/** Maximum number of rounds, after which proposals that are still rejected are dropped. */
const roundsMax = 6;

interface Sound {
  readonly proposals: readonly Proposal[];
  /** The model with all of these proposals. */
  readonly model: Model;
}

/**
 * The proposals with which the document compiles. Those on whose lines it has errors are withdrawn.
 */
function soundProposals(
  file: string,
  document: SourceDocument,
  proposals: readonly Proposal[],
  unchanged: Model,
): Sound {
  let left = proposals;
  for (let round = 0; round < roundsMax && left.length > 0; round++) {
    const result = applyEdits(
      document,
      left.flatMap(({ edits }) => edits),
    );
    const { model, diagnostics } = compile(result.text, { file });
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    if (model && errors.length === 0) return { proposals: left, model };
    const blamed = answersCausing(document, left, result, errors);
    if (blamed.size === 0) break;
    left = left.filter((proposal) => !blamed.has(proposal));
  }
  return { proposals: [], model: unchanged };
}

/**
 * The answers that cause errors: those in whose section an error is, else those about a resource
 * that the section names.
 */
export function answersCausing<A extends Answer>(
  { source, endpoints, resources }: SourceDocument,
  answers: readonly A[],
  { text, original }: EditedText,
  errors: readonly Diagnostic[],
): ReadonlySet<A> {
  const sections = [...endpoints, ...resources].map(({ section }) => section.position);
  const found = errors.flatMap(({ position }) => {
    const line = original[position.start.line - 1] ?? 0;
    const section = sections.find(({ start, end }) => start.line <= line && line <= end.line);
    if (!section) {
      const here = answers.filter(({ at }) => at === line);
      const block = blockAt(text, position.start.line);
      const own = here.filter(({ edits }) =>
        edits.some((edit) => "after" in edit && edit.lines.includes(block)),
      );
      return own.length > 0 ? own : here;
    }
    const inside = answers.filter(({ at }) => section.start.line <= at && at <= section.end.line);
    const words = new Set(textAt(source, section).match(/\w+/g));
    return inside.length > 0 ? inside : answers.filter(({ subject }) => words.has(subject));
  });
  return new Set(found);
}

/** The heading above a line. Several answers may add sections at one place. */
function blockAt(text: string, line: number): string {
  return (
    text
      .split("\n")
      .slice(0, line)
      .findLast((written) => written.startsWith("### ")) ?? ""
  );
}
