/**
 * Kinds of answers that the work list proposes. The level of a kind depends on its measured
 * precision: `test/exports/proposals.test.ts` compares each proposal with documents whose content
 * is known, and allows `likely` only for kinds without a wrong proposal.
 */
import type { Edit } from "./edits.ts";

/** A `named` proposal is accepted by its name only, because it changes what every request needs. */
export type Level = "likely" | "possible" | "named";

interface AnswerKind {
  readonly level: Level;
  /** The text of all answers of this kind, after their number. */
  readonly title: string;
}

export const answerKinds = {
  resources: { level: "possible", title: "a value that is read at an item is a resource" },
  "resources-by-name": {
    level: "possible",
    title: "a value that only its item returns, and that the path is named after, is a resource",
  },
  identifiers: { level: "likely", title: "identifiers are made as their type says" },
  "identifier-patterns": { level: "possible", title: "identifiers are made as their pattern says" },
  list: { level: "possible", title: "lists return all records that `Visible` shows" },
  "list-in-envelope": {
    level: "possible",
    title: "lists in an envelope return all records that `Visible` shows",
  },
  "list-beneath": { level: "possible", title: "lists below a record return the records that refer to it" },
  "list-within": {
    level: "possible",
    title: "lists below a path without a field for it return the records created there",
  },
  read: { level: "possible", title: "reads return the record of the path" },
  "read-beneath": { level: "likely", title: "reads below a record return the record that refers to it" },
  "read-within": {
    level: "possible",
    title: "reads below a path without a field for it return the record created there",
  },
  create: { level: "likely", title: "a POST at a collection creates" },
  "create-beneath": { level: "likely", title: "a POST below a record creates a record that refers to it" },
  "create-within": {
    level: "possible",
    title: "a POST below a path without a field for it creates a record there",
  },
  update: { level: "possible", title: "a PATCH at an item updates" },
  "put-updates": { level: "possible", title: "a PUT at an item updates the inputs that are sent" },
  "put-replaces": { level: "possible", title: "a PUT at an item replaces the record" },
  "put-upserts": {
    level: "possible",
    title: "a PUT at an item that returns 200 or 201 creates the record if there is none",
  },
  "post-updates": { level: "possible", title: "a POST at an item updates" },
  "update-beneath": {
    level: "possible",
    title: "updates below a record change the record that refers to it",
  },
  "update-within": {
    level: "possible",
    title: "updates below a path without a field for it change the record created there",
  },
  "update-state": {
    level: "possible",
    title: "updates with a state among their inputs set it like any field",
  },
  delete: { level: "possible", title: "a DELETE at an item deletes" },
  "delete-beneath": {
    level: "possible",
    title: "a DELETE below a record deletes the record that refers to it",
  },
  "delete-within": {
    level: "possible",
    title: "a DELETE below a path without a field for it deletes the record created there",
  },
  "in-own-shape": {
    level: "possible",
    title: "operations with some of a record's fields in their response create, update or delete it",
  },
  states: { level: "possible", title: "paths such as `/cancel` lead from every other state to one" },
  references: {
    level: "possible",
    title: "fields named after a resource and `id` refer to its records",
  },
  "references-by-name": { level: "possible", title: "fields named after a resource refer to its records" },
  "belongs-to": {
    level: "possible",
    title: "records beneath another one in the path belong to it",
  },
  immutable: { level: "likely", title: "fields that only a POST sends are immutable" },
  forbidden: { level: "possible", title: "403 is the status of *forbidden*" },
  "error-codes": { level: "possible", title: "codes of errors have the status of their example or name" },
  "bearer-placement": { level: "possible", title: "tokens of OAuth 2.0 are sent after Bearer" },
  scopes: {
    level: "named",
    title: "credentials have the scopes of a scheme, and operations need theirs",
  },
  "error-payload": {
    level: "possible",
    title: "the names of an error's members say what fills them",
  },
  "rate-limits": { level: "possible", title: "rates that descriptions have are limits" },
  versions: { level: "possible", title: "a header, a parameter or the base path names the version" },
  filter: { level: "possible", title: "inputs of a list filter by the field of their name" },
  pagination: { level: "possible", title: "inputs of a list choose its page" },
  order: { level: "possible", title: "inputs of a list choose the field and the direction of its order" },
  inputs: { level: "possible", title: "inputs set the field of their name" },
  "inputs-alike": {
    level: "possible",
    title: "inputs set the field whose name differs by case and separators",
  },
  idempotency: { level: "possible", title: "a request with a key that was seen gets the first response" },
  preconditions: { level: "possible", title: "If-Match and If-None-Match compare the record's ETag" },
  "created-times": { level: "likely", title: "times of creation are the time of the request" },
  "updated-times": { level: "likely", title: "times of the last change are the time of the request" },
  "null-or-updated-times": {
    level: "possible",
    title: "times of the last change that may be null are set on creation, too",
  },
  scenarios: { level: "possible", title: "operations respond as in their example, in a scenario" },
  "scenarios-beneath": {
    level: "possible",
    title: "operations below a record that no example has respond as in their example, in a scenario",
  },
} as const satisfies Readonly<Record<string, AnswerKind>>;

export type AnswerKindName = keyof typeof answerKinds;

/**
 * What recorded traffic shows (`learn`). `seen-…` has evidence for and against: other answers were
 * refuted. `maybe-…` has evidence on one side only.
 */
const learnedTitles = {
  identifiers: "identifiers are made like those that were seen",
  times: "fields have the time of the request",
  defaults: "fields that weren't sent have a default",
  order: "lists are in one order",
  filters: "inputs of a list filter by the field of their name",
  pages: "bounds of pages",
  statuses: "statuses of error codes",
  "error-shapes": "the payload of errors",
  responses: "what endpoints return",
  "initial-states": "new records are in one state",
  transitions: "transitions lead from and to states",
} as const;

export type LearnedSubject = keyof typeof learnedTitles;
export type LearnedKindName = `${"seen" | "maybe"}-${LearnedSubject}`;
export type KindName = AnswerKindName | LearnedKindName;

function isLearned(word: string): word is LearnedKindName {
  const [, subject = ""] = /^(?:seen|maybe)-(.+)$/.exec(word) ?? [];
  return Object.hasOwn(learnedTitles, subject);
}

function isSuggested(word: string): word is AnswerKindName {
  return Object.hasOwn(answerKinds, word);
}

/** Whether a word names a kind of proposals. */
export function isKindName(word: string): word is KindName {
  return isSuggested(word) || isLearned(word);
}

/** The level and the title of a kind. */
export function kindOf(name: KindName): AnswerKind {
  if (isSuggested(name)) return answerKinds[name];
  const subject = subjects.find((known) => name.endsWith(`-${known}`));
  return {
    level: name.startsWith("seen-") ? "likely" : "possible",
    title: subject === undefined ? name : learnedTitles[subject],
  };
}

const subjects = [
  "identifiers",
  "times",
  "defaults",
  "order",
  "filters",
  "pages",
  "statuses",
  "error-shapes",
  "responses",
  "initial-states",
  "transitions",
] as const satisfies readonly LearnedSubject[];

/** An answer to one open question, as edits of the document. */
export interface Answer {
  /** Its subject: `GET /pets`, `Pet`. */
  readonly subject: string;
  /** The line of the question. */
  readonly at: number;
  readonly edits: readonly Edit[];
}

/** An answer that the document itself suggests. */
export interface Proposal extends Answer {
  readonly kind: KindName;
  /** JSON pointers into the imported description, or lines of the document. */
  readonly evidence: readonly string[];
}
