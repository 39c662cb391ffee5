/** Groups the gaps of a document into questions: proposals by kind, then gaps by subject. */
import type { Gap, LedgerEntry } from "../model/model.ts";
import { partTitles } from "../syntax/nodes.ts";
import { type KindName, kindOf, type Level, type Proposal } from "./document/answers.ts";
import { type Edit, internalRow } from "./document/edits.ts";
import type { SourceDocument } from "./document/source-document.ts";

/** One place of a question. */
export interface Place {
  /** `GET /pets`, `Pet`, `Pet.name` */
  readonly subject: string;
  /** Its line in the document. */
  readonly at: number;
  /** Lines to write there; for a gap without a proposal, the line to fill in. */
  readonly lines: readonly string[];
  readonly evidence: readonly string[];
}

export interface Question {
  /** `list`, `identifiers`, `fields-Pet`: the id for `--accept` and `--set`. */
  readonly id: string;
  readonly kind: string;
  readonly level: Level | "open";
  readonly title: string;
  readonly places: readonly Place[];
  /** How many answers it takes: one answers all proposals of a kind, or all identifiers. */
  readonly answers: number;
}

/** The questions of a document, unordered. */
export function questionsOf(
  document: SourceDocument,
  ledger: readonly LedgerEntry[],
  proposals: readonly Proposal[],
): readonly Question[] {
  const proposed = [...Map.groupBy(proposals, ({ kind }) => kind)].map(([kind, members]) =>
    proposedQuestion(kind, members),
  );
  const answered = new Set(proposals.flatMap(answeredLines));
  const gaps = ledger
    .flatMap(({ smallerGaps }) => smallerGaps)
    .filter(({ position }) => !answered.has(position.start.line));
  const open = [...Map.groupBy(gaps, idOf)].map(([id, members]) => openQuestion(document, id, members));
  return [...proposed, ...open, ...ledger.filter(isOpenItem).map(itemQuestion)];
}

/** The lines whose gaps a proposal answers: those of its edits, and its own. */
export function answeredLines({ at, edits }: Proposal): readonly number[] {
  return [at, ...edits.flatMap((edit) => ("line" in edit ? [edit.line] : []))];
}

function proposedQuestion(kind: KindName, members: readonly Proposal[]): Question {
  const { level, title } = kindOf(kind);
  return {
    id: kind,
    kind,
    level,
    title: `${title}: ${members.length}`,
    places: members.map(placeOf),
    answers: 1,
  };
}

function placeOf({ subject, at, edits, evidence }: Proposal): Place {
  return { subject, at, lines: edits.flatMap(writtenLines), evidence };
}

function writtenLines(edit: Edit): readonly string[] {
  if ("after" in edit) return edit.lines;
  if ("limit" in edit) return [edit.limit];
  if ("bound" in edit) return [`| page | ${edit.bound} | ${edit.endpoint} |`];
  if ("internal" in edit) return [internalRow(edit)];
  return edit.text === undefined ? [] : [edit.text];
}

/** The question that a gap without a proposal belongs to. */
export function idOf({ item, subject }: Gap): string {
  if (/^what [A-Z]+ \/\S* does$/.test(subject)) return "does";
  if (/^how the identifier of \w+ is created$/.test(subject)) return "identifiers-by-hand";
  if (/^what the input \S+ does$/.test(subject)) return "inputs-by-hand";
  if (item === "fields") return `fields-${/ of (\w+)/.exec(subject)?.[1] ?? "others"}`;
  return item.replaceAll(" ", "-");
}

const titles: Readonly<Record<string, string>> = {
  does: "what endpoints do isn't shown",
  "identifiers-by-hand": "identifiers whose creation isn't shown",
  "inputs-by-hand": "inputs whose effect isn't shown",
};

function openQuestion(document: SourceDocument, id: string, gaps: readonly Gap[]): Question {
  const [first] = gaps;
  const resource = /^fields-(.+)$/.exec(id)?.[1];
  const title =
    resource === undefined ? (titles[id] ?? `${first?.item}, smaller gaps`) : `fields of ${resource} to fill`;
  const places = gaps.map(({ subject, position: { start } }) => ({
    subject,
    at: start.line,
    lines: [lineToFill(document, start.line)],
    evidence: [],
  }));
  return {
    id,
    kind: id.replace(/^fields-.*/, "fields"),
    level: "open",
    title: `${title}: ${gaps.length}`,
    places,
    answers: id === "identifiers-by-hand" || resource !== undefined ? 1 : gaps.length,
  };
}

/** The line of a gap, with `…` at the place to fill in. */
function lineToFill({ source }: SourceDocument, line: number): string {
  const text = source.text.slice(source.lineStarts[line - 1], source.lineStarts[line] ?? source.text.length);
  return text.trim().replace(/ {2,}/g, " ").replaceAll("not shown", "…");
}

function isOpenItem({ answer, smallerGaps }: LedgerEntry): boolean {
  return answer === "silent" || (answer === "not shown" && smallerGaps.length === 0);
}

function itemQuestion({ part, item, position }: LedgerEntry): Question {
  const line = `- ${item.charAt(0).toUpperCase()}${item.slice(1)}: …`;
  const place = { subject: partTitles[part], at: position.start.line, lines: [line], evidence: [] };
  const id = `item-${item.replaceAll(" ", "-")}`;
  return { id, kind: "items", level: "open", title: `${item}: not shown`, places: [place], answers: 1 };
}
