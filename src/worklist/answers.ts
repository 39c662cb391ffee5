/**
 * Kinds of answers that the work list proposes. The level of a kind comes from its record:
 * `test/exports/proposals.test.ts` compares each proposal with documents whose content is known,
 * and allows `likely` only for kinds without a wrong one.
 */
import type { Edit } from "./edits.ts";

export type Level = "likely" | "possible";

interface AnswerKind {
  readonly level: Level;
  /** What all of its answers say, behind their number. */
  readonly title: string;
}

export const answerKinds = {
  resources: { level: "possible", title: "a value that is read at an item is a resource" },
  identifiers: { level: "likely", title: "identifiers are made as their type says" },
  "identifier-patterns": { level: "possible", title: "identifiers are made as their pattern says" },
  list: { level: "possible", title: "lists return all that `Visible` leaves" },
  "list-in-envelope": { level: "possible", title: "lists in an envelope return all that `Visible` leaves" },
  "list-beneath": { level: "possible", title: "lists beneath a record return those that name it" },
  read: { level: "possible", title: "reads return the record of the path" },
  "read-beneath": { level: "likely", title: "reads beneath a record return the one that names it" },
  create: { level: "likely", title: "a POST at a collection creates" },
  "create-beneath": { level: "likely", title: "a POST beneath a record creates one that names it" },
  update: { level: "possible", title: "a PATCH at an item updates" },
  "put-updates": { level: "possible", title: "a PUT at an item updates" },
  "post-updates": { level: "possible", title: "a POST at an item updates" },
  "update-beneath": { level: "possible", title: "updates beneath a record change the one that names it" },
  delete: { level: "possible", title: "a DELETE at an item deletes" },
  "delete-beneath": { level: "possible", title: "a DELETE beneath a record deletes the one that names it" },
  filter: { level: "possible", title: "inputs of a list filter by the field of their name" },
  pagination: { level: "possible", title: "inputs of a list choose its page" },
  inputs: { level: "possible", title: "inputs set the field of their name" },
} as const satisfies Readonly<Record<string, AnswerKind>>;

export type AnswerKindName = keyof typeof answerKinds;

/** An answer to one open question, as edits of the document. */
export interface Answer {
  /** What it is about: `GET /pets`, `Pet`. */
  readonly subject: string;
  /** The line of the question. */
  readonly at: number;
  readonly edits: readonly Edit[];
}

/** An answer that the document suggests. */
export interface Proposal extends Answer {
  readonly kind: AnswerKindName;
  /** JSON pointers into the imported description, or lines of the document. */
  readonly evidence: readonly string[];
}
