/**
 * Writes answers into a document atomically: the compiler checks the document with an answer, and a
 * mistake leaves the document unchanged.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { compile } from "../compile.ts";
import { createSource } from "../source/source.ts";
import { canonicalPrint } from "../syntax/canonical.ts";
import { type Answer, isKindName, kindOf, type Proposal } from "./document/answers.ts";
import { applyEdits, linesOf } from "./document/edits.ts";
import { cellEdit } from "./document/cell-edit.ts";
import { hasOpenRule, hasHiddenRule, rulesWith } from "./proposals/fields.ts";
import { identifierAnswer, proposeIdentifiers } from "./proposals/identifiers.ts";
import { lineOfQuestion } from "./document/answer-place.ts";
import { answersCausing, soundProposals } from "./proposals/sound-proposals.ts";
import { soundDocument, type WorkList, workListOf } from "./worklist.ts";
import { lineOf, type SourceDocument, type SourceField } from "./document/source-document.ts";
import { RefusedError } from "../support/ninefold-error.ts";

/** Why answers were not written. */
export class AnswerRefused extends RefusedError {
  override name = "AnswerRefused";
}

export interface Accepted {
  readonly text: string;
  /** The number of answered places by kind. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Maximum number of rounds: an accepted operation raises questions about its inputs. */
const roundsMax = 8;

/**
 * Accepts kinds of proposals (`list`, `likely`), numbers of the work list and single places
 * (`list:GET /pets`).
 *
 * @param listOf the list whose proposals are accepted
 * @throws AnswerRefused
 * @throws DocumentRejected
 */
export function accept(
  file: string,
  text: string,
  wanted: readonly string[],
  listOf: (file: string, text: string) => WorkList = workListOf,
): Accepted {
  const first = listOf(file, text);
  const names = new Set(wanted.map((name) => (/^\d+$/.test(name) ? questionAt(first, Number(name)) : name)));
  for (const name of names) if (!isKnown(first, name)) throw new AnswerRefused(unknownText(first, name));
  const counts = new Map<string, number>();
  let current = text;
  for (let round = 0; round < roundsMax; round++) {
    const list = round === 0 ? first : listOf(file, current);
    const wanted = list.proposals.filter((proposal) => isChosen(proposal, names));
    const chosen = withoutConflicts(together(file, list, wanted));
    if (chosen.length === 0) break;
    current = written(file, list.document, chosen);
    for (const { kind } of chosen) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return { text: canonical(file, current), counts };
}

/**
 * Answers an open question by hand.
 *
 * @param id `identifiers` (all of them without a proposal), `identifiers:Pet`, `fields` (all that
 * the service sets), `fields:Pet`, or the subject of a single gap (`answer-place.ts`)
 * @throws AnswerRefused
 * @throws DocumentRejected
 */
export function answerByHand(file: string, text: string, id: string, answer: string): Accepted {
  if (/[\r\n]/.test(answer)) throw new AnswerRefused("An answer has one line.");
  const { document } = soundDocument(file, text);
  const [kind = "", subject] = id.split(/:(.*)/s);
  const byHand = { identifiers: identifiersByHand, fields: fieldsByHand };
  const answers =
    kind === "identifiers" || kind === "fields"
      ? byHand[kind](document, answer, subject)
      : gapByHand(document, id, answer);
  if (answers.length === 0)
    throw new AnswerRefused(
      `${file} has no open question "${id}". Name \`identifiers\`, \`identifiers:RESOURCE\`, \`fields\`, \`fields:RESOURCE\`, \`Pet.name\`, \`GET /pets kind\`, an item, or \`line:N\` of a line with \`not shown\`.`,
    );
  const fitting = subject === undefined ? withoutMistakes(file, document, answers) : answers;
  // If none fits, the mistake of the first is the reason.
  const chosen = fitting.length > 0 ? fitting : answers;
  const current = written(file, document, chosen);
  return { text: canonical(file, current), counts: new Map([[id, chosen.length]]) };
}

/** One answer for many questions is not written where it would be a mistake: those questions stay open. */
function withoutMistakes(
  file: string,
  document: SourceDocument,
  answers: readonly Answer[],
): readonly Answer[] {
  let left = answers;
  for (let round = 0; round < roundsMax && left.length > 0; round++) {
    const result = applyEdits(
      document,
      left.flatMap(({ edits }) => edits),
    );
    const { diagnostics } = compile(result.text, { file });
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const blamed = errors.length === 0 ? new Set() : answersCausing(document, left, result, errors);
    if (blamed.size === 0) return left;
    left = left.filter((answer) => !blamed.has(answer));
  }
  return left;
}

function identifiersByHand(document: SourceDocument, answer: string, subject?: string): readonly Answer[] {
  const proposed = new Set(proposeIdentifiers(document).map((proposal) => proposal.subject));
  return document.resources
    .filter(
      ({ name, identifier }) =>
        identifier.isOpen && (subject === undefined ? !proposed.has(name) : name === subject),
    )
    .map((resource) => identifierAnswer(resource, answer.replace(/^made by /, "").replaceAll("`", "")));
}

/** Fields whose rules aren't shown, all or those of one resource or value. */
function fieldsByHand(document: SourceDocument, answer: string, subject?: string): readonly Answer[] {
  return [...document.resources, ...document.values]
    .filter(({ name }) => subject === undefined || name === subject)
    .flatMap(({ name, fields }) =>
      fields.filter(hasHiddenRule).flatMap((field) => fieldAnswer(document, name, field, answer)),
    );
}

function fieldAnswer(
  document: SourceDocument,
  shape: string,
  field: SourceField,
  answer: string,
): readonly Answer[] {
  const edit = cellEdit(document, field, "rules", rulesWith(field, answer));
  return edit ? [{ subject: `${shape}.${field.name}`, at: edit.line, edits: [edit] }] : [];
}

/** The answer of a single gap, by its subject. */
function gapByHand(document: SourceDocument, id: string, answer: string): readonly Answer[] {
  const [, shape, name] = /^(\w+)\.(\w+)$/.exec(id) ?? [];
  if (shape !== undefined)
    return [...document.resources, ...document.values]
      .filter((of) => of.name === shape)
      .flatMap(({ fields }) => fields.filter((field) => field.name === name && hasOpenRule(field)))
      .flatMap((field) => fieldAnswer(document, shape, field, answer));
  const at = lineOfQuestion(document, id);
  const line = document.source.text.split("\n")[(at ?? 0) - 1];
  if (at === undefined || line === undefined || !/\bnot shown\b/.test(line)) return [];
  const cell = answer === "none" ? noneOf(document, at) : answer.replace(/(?<!\\)\|/g, "\\|");
  const written = line.startsWith("|") ? cell : answer;
  return [{ subject: id, at, edits: [{ line: at, text: line.replace(/\bnot shown\b/, () => written) }] }];
}

/**
 * The cell for `none`. An input that no expression reads is accepted without an effect; for one that
 * an expression reads, the expression states it.
 */
function noneOf({ endpoints, source }: SourceDocument, line: number): string {
  const input = endpoints.flatMap(({ inputs }) => inputs).find(({ row }) => lineOf(row) === line);
  return input === undefined || source.text.includes(`${input.in}.${input.name}`) ? "" : "none";
}

function questionAt({ questions }: WorkList, number: number): string {
  const question = questions[number - 1];
  if (!question) throw new AnswerRefused(`There is no question ${number}. There are ${questions.length}.`);
  return question.id;
}

function isKnown({ questions }: WorkList, name: string): boolean {
  const [kind = ""] = name.split(":");
  if (/^(likely|possible)$/.test(name) || isKindName(kind)) return true;
  return questions.some(({ id, level }) => id === name && level !== "open");
}

function unknownText({ questions }: WorkList, name: string): string {
  const open = questions.find(({ id }) => id === name);
  if (open) return `"${name}" has no proposed answer. Answer it with --set, or in the document.`;
  const known = questions.filter(({ level }) => level !== "open").map(({ id }) => id);
  return `There is no proposal "${name}". ${known.length === 0 ? "There are none." : `There are ${known.join(", ")}.`}`;
}

function isChosen({ kind, subject }: Proposal, names: ReadonlySet<string>): boolean {
  return names.has(kind) || names.has(kindOf(kind).level) || names.has(`${kind}:${subject}`);
}

/** Proposals of kinds that are accepted by name may exclude each other: the first ones are accepted. */
function together(
  file: string,
  { document, model }: WorkList,
  wanted: readonly Proposal[],
): readonly Proposal[] {
  const isByName = wanted.some(({ kind }) => kindOf(kind).level === "named");
  return isByName ? soundProposals(file, document, wanted, model).proposals : wanted;
}

/** Where answers would edit the same line, only the first. */
function withoutConflicts(proposals: readonly Proposal[]): readonly Proposal[] {
  const used = new Set<number>();
  return proposals.filter(({ edits }) => {
    const lines = linesOf(edits);
    if (lines.some((line) => used.has(line))) return false;
    for (const line of lines) used.add(line);
    return true;
  });
}

function written(file: string, document: SourceDocument, answers: readonly Answer[]): string {
  const result = applyEdits(
    document,
    answers.flatMap(({ edits }) => edits),
  );
  const errors = compile(result.text, { file }).diagnostics.filter(({ severity }) => severity === "error");
  const [error] = errors;
  if (!error) return result.text;
  const [blamed] = answersCausing(document, answers, result, errors);
  throw new AnswerRefused(refusalText(file, error, blamed, result.text));
}

function refusalText(file: string, error: Diagnostic, blamed: Answer | undefined, text: string): string {
  const about = blamed ? `The answer for ${blamed.subject} (${file}:${blamed.at})` : "An answer";
  const line = text.split("\n")[error.position.start.line - 1]?.trim() ?? "";
  return `${about} would be a mistake: ${error.message} In the line: ${line}`;
}

/** The canonical form, unless formatting would change the meaning. */
function canonical(file: string, text: string): string {
  const print = canonicalPrint(createSource(file, text));
  return print.kind === "printed" ? print.text : text;
}
