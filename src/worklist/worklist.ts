/**
 * The work list of a document: its open questions, with proposed answers where the document shows
 * enough to make one. An answer is proposed only if the document still compiles with it.
 */
import { compile } from "../compile.ts";
import { createReporter, type Diagnostic } from "../diagnostics/diagnostic.ts";
import type { LedgerEntry, Model } from "../model/model.ts";
import { createSource } from "../source/source.ts";
import { parseMarkdown } from "../syntax/markdown.ts";
import { kindOf, type Proposal } from "./document/answers.ts";
import { blockingQuestions } from "./blocking-questions.ts";
import { ordered, type RankedQuestion } from "./order.ts";
import { proposeErrorPayload } from "./proposals/error-payload.ts";
import { proposeErrors } from "./proposals/errors.ts";
import { proposeFields } from "./proposals/fields.ts";
import { proposeIdentifiers } from "./proposals/identifiers.ts";
import { proposeInputs } from "./proposals/inputs.ts";
import { proposeOperations } from "./proposals/operations.ts";
import { proposeRates } from "./proposals/rates.ts";
import { proposeReferences } from "./proposals/references.ts";
import { proposeResources } from "./proposals/resources.ts";
import { proposeHeaders } from "./proposals/headers.ts";
import { proposeRules } from "./proposals/rules.ts";
import { proposeScenarios } from "./proposals/scenarios.ts";
import { proposeSchemes } from "./proposals/schemes.ts";
import { proposeStates } from "./proposals/states.ts";
import { proposeVersions } from "./proposals/versions.ts";
import { questionsOf } from "./questions.ts";
import { rejectedKinds } from "./document/rejections.ts";
import { isSound, soundProposals } from "./proposals/sound-proposals.ts";
import { type SourceDocument, readSourceDocument } from "./document/source-document.ts";
import { RefusedError } from "../support/ninefold-error.ts";

export type { RankedQuestion };

export interface WorkList {
  readonly file: string;
  readonly document: SourceDocument;
  readonly model: Model;
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
  const found = find(document, model).filter(({ kind }) => !rejected.has(kind));
  // A named proposal is accepted alone, so that it excludes no other, and no other excludes it.
  const isNamed = ({ kind }: Proposal) => kindOf(kind).level === "named";
  const others = found.filter((proposal) => !isNamed(proposal));
  const { proposals: accepted, model: answered } = soundProposals(file, document, others, model);
  const named = found.filter(isNamed);
  const proposals = [...accepted, ...named.filter((proposal) => isSound(file, document, proposal))];
  const questions = questionsOf(document, ledger, proposals);
  return {
    file,
    document,
    model,
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
    ...proposeRates(document),
    ...proposeVersions(document),
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
