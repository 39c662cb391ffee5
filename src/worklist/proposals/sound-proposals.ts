/**
 * The proposals with which a document compiles. Those that cause its errors are withdrawn. If no
 * proposal can be blamed for an error, the conflicting ones are found by bisection.
 */
import { compile } from "../../compile.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Model } from "../../model/model.ts";
import { textAt } from "../../source/source.ts";
import type { Answer, Proposal } from "../document/answers.ts";
import { type EditedText, applyEdits } from "../document/edits.ts";
import type { SourceDocument } from "../document/source-document.ts";

/** Maximum number of rounds in which proposals are blamed. */
const roundsMax = 6;

/** Maximum number of compilations of a bisection, and of the characters that they read together. */
const trialsMax = 64;
const charactersMax = 16 * 1024 * 1024;

export interface Sound {
  readonly proposals: readonly Proposal[];
  /** The model with all of these proposals. */
  readonly model: Model;
}

/**
 * The proposals with which the document compiles.
 *
 * @param unchanged the model without any of them
 */
export function soundProposals(
  file: string,
  document: SourceDocument,
  proposals: readonly Proposal[],
  unchanged: Model,
): Sound {
  let left = proposals;
  for (let round = 0; round < roundsMax && left.length > 0; round++) {
    const { model, result, errors } = trial(file, document, left);
    if (model) return { proposals: left, model };
    const blamed = answersCausing(document, left, result, errors);
    if (blamed.size === 0) break;
    left = left.filter((proposal) => !blamed.has(proposal));
  }
  return bisected(file, document, left, unchanged);
}

/** Whether the document compiles with a proposal alone. */
export function isSound(file: string, document: SourceDocument, proposal: Proposal): boolean {
  return trial(file, document, [proposal]).model !== undefined;
}

interface Trial {
  /** Undefined if the document has errors. */
  readonly model: Model | undefined;
  readonly result: EditedText;
  readonly errors: readonly Diagnostic[];
}

function trial(file: string, document: SourceDocument, proposals: readonly Proposal[]): Trial {
  const result = applyEdits(
    document,
    proposals.flatMap(({ edits }) => edits),
  );
  const { model, diagnostics } = compile(result.text, { file });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return { model: errors.length === 0 ? model : undefined, result, errors };
}

/**
 * Adds the proposals in their order, and halves each group that causes an error. Groups that are
 * still untried after the maximum number of compilations are withdrawn.
 */
function bisected(
  file: string,
  document: SourceDocument,
  proposals: readonly Proposal[],
  unchanged: Model,
): Sound {
  let sound: Sound = { proposals: [], model: unchanged };
  let trials = Math.min(trialsMax, Math.floor(charactersMax / (document.source.text.length + 1)));
  const groups = halvesOf(proposals);
  for (let group = groups.shift(); group && trials > 0; group = groups.shift(), trials--) {
    const together = [...sound.proposals, ...group];
    const { model } = trial(file, document, together);
    if (model) sound = { proposals: together, model };
    else if (group.length > 1) groups.unshift(...halvesOf(group));
  }
  return sound;
}

function halvesOf(proposals: readonly Proposal[]): (readonly Proposal[])[] {
  const middle = Math.ceil(proposals.length / 2);
  return [proposals.slice(0, middle), proposals.slice(middle)].filter((half) => half.length > 0);
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
