/**
 * Syntax tree of a document: nine parts, three forms and prose. It has headings, items, tables and
 * fenced blocks, and no field rules. `parts/` and `model/` interpret the phrases.
 */
import type { Phrase } from "../source/phrase.ts";
import type { Position, Source } from "../source/source.ts";

export const partTitles = {
  purpose: "What the service does",
  resources: "Resources and their fields",
  states: "States and transitions",
  endpoints: "Endpoints",
  authentication: "Authentication",
  events: "Events",
  errors: "Errors",
  limits: "Limits",
  versioning: "Versioning",
} as const;

export type PartName = keyof typeof partTitles;
export const partNames = Object.keys(partTitles) as readonly PartName[];

/** The 26 items in the order of the notation ("The 26 items"). Each name is also a key, in any case. */
export const itemsOfParts = {
  purpose: ["purpose", "domain", "behaviour"],
  resources: ["resources", "identifiers", "fields"],
  states: ["states", "transitions"],
  endpoints: ["methods", "path shapes", "payload shapes"],
  authentication: ["scheme", "credentials", "placement"],
  events: ["events", "webhooks", "notifications"],
  errors: ["error codes", "status codes", "payload shape"],
  limits: ["rate limits", "size limits", "time-outs", "pagination bounds"],
  versioning: ["version scheme", "compatibility rules"],
} as const satisfies Record<PartName, readonly string[]>;

export type ItemName = (typeof itemsOfParts)[PartName][number];

export interface DocumentNode {
  readonly source: Source;
  /** Text of the level-1 heading after `Interface Specification:`. */
  readonly name: Phrase | undefined;
  /** Content before the first part: description. */
  readonly intro: readonly Block[];
  readonly parts: Readonly<Partial<Record<PartName, PartNode>>>;
}

export interface PartNode {
  readonly part: PartName;
  readonly heading: Phrase;
  /** Content before the first level-3 heading. */
  readonly body: readonly Block[];
  readonly sections: readonly Section[];
  readonly position: Position;
}

/** A level-3 heading and its content. */
export interface Section {
  readonly heading: Phrase;
  readonly body: readonly Block[];
  readonly position: Position;
}

export type Block = ItemNode | TableNode | FenceNode | ProseNode;

/** `- Key: value`. A continued line is part of the value; its line break and indent count as one blank. */
export interface ItemNode {
  readonly kind: "item";
  readonly key: Phrase;
  readonly value: Phrase;
  /** A fenced block after an item without a value (`- Payload shape:` and a `cel` block). */
  readonly fence?: FenceNode;
  readonly position: Position;
}

export interface TableNode {
  readonly kind: "table";
  readonly columns: readonly Phrase[];
  readonly rows: readonly RowNode[];
  readonly position: Position;
}

/** Cells in the order of the columns. Missing cells are empty phrases at the end of the row. `\|` is read as `|`. */
export interface RowNode {
  readonly cells: readonly Phrase[];
  readonly position: Position;
}

export interface FenceNode {
  readonly kind: "fence";
  /** The first word of the info string, in lower case: `cel`, `http`, `json` or any other. */
  readonly language: string;
  readonly content: Phrase;
  readonly position: Position;
}

/**
 * A paragraph, a quotation, a heading of level 4 and deeper, a list without items: description,
 * never executed.
 */
export interface ProseNode {
  readonly kind: "prose";
  readonly text: Phrase;
}
