/**
 * Parses a Type cell (part 2, and the input tables of part 4). The reader of the table adds rows
 * for parts of an `object` (`field-parts.ts`).
 */
import { nonNull } from "../../../support/non-null.ts";
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import type { FieldType, PlainType } from "../../../fields/type.ts";
import { scalarTypes } from "../../../fields/types/index.ts";
import { type Phrase, positionIn, slice, splitOutside, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { ItemName, PartName } from "../../../syntax/nodes.ts";
import { afterWord, isNotShown } from "../../../syntax/read.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { Gap } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { nearestHint } from "../nearest-hint.ts";
import { isFormedText } from "../../../expressions/type.ts";

/** Context in which types and rules are read: the reporter, where gaps belong, and the resources. */
export interface FieldContext {
  readonly reporter: Reporter;
  readonly resources: ReadonlyMap<string, Pick<DeclaredResource, "isValue" | "identifier">>;
  /** The resource whose fields are read. Empty if there is none; then `state` is not a type. */
  readonly states?: readonly string[];
  /** Whether files are allowed, as for inputs. */
  readonly takesFiles?: true;
  gap(subject: string, position: Position): Gap;
}

/** The context for tables of other parts: gaps go under that part's item. */
export function fieldContext(context: BuildContext, part: PartName, item: ItemName): FieldContext {
  return {
    reporter: context.reporter,
    resources: context.declarations.resources,
    gap: (subject, position) => context.ledger.gap(part, item, subject, position),
  };
}

export interface ReadType {
  /** The type. `not shown` for a gap and for unreadable text; then nothing that depends on it is reported. */
  readonly type: FieldType;
  readonly gap?: Gap;
}

const plainTypes: ReadonlySet<string> = new Set(Object.keys(scalarTypes));

/** Words of other notations. */
const otherWords: Readonly<Record<string, string>> = {
  text: "string",
  str: "string",
  varchar: "string",
  char: "string",
  int: "integer",
  int32: "integer",
  int64: "integer",
  long: "integer",
  bigint: "integer",
  float: "number",
  double: "number",
  real: "number",
  numeric: "decimal",
  money: "decimal",
  bool: "boolean",
  datetime: "timestamp",
  "date-time": "timestamp",
  time: "timestamp",
  instant: "timestamp",
  interval: "duration",
  url: "uri",
  guid: "uuid",
  any: "json",
  jsonb: "json",
  array: "list of string",
  list: "list of string",
  map: "map of string",
  dictionary: "map of string",
  enum: "one of a, b, c",
  secret: "credential",
  hash: "password",
  // The content of a file is stored as a text.
  file: "string",
  blob: "string",
  binary: "string",
};

/** Maximum nesting of lists and maps. */
const depthMax = 4;

/** Maximum length of a value of `one of`, in UTF-16 units. */
const choiceLengthMax = 128;

const unreadType: FieldType = { kind: "not shown" };

/** @param subject the owner of the type, for the gap: `Parcel.weight` */
export function parseFieldType(
  cell: Phrase | undefined,
  subject: string,
  at: Position,
  context: FieldContext,
): ReadType {
  const phrase = cell && unquote(cell);
  // An empty cell is a silent gap: nothing is assumed.
  if (!phrase || phrase.text === "" || isNotShown(phrase)) {
    return {
      type: unreadType,
      gap: context.gap(`the type of ${subject}`, phrase?.text ? positionIn(phrase) : at),
    };
  }
  return parseType(phrase, subject, context, 0);
}

function parseType(phrase: Phrase, subject: string, context: FieldContext, depth: number): ReadType {
  const pieces = depth === 0 && !afterWord(phrase, "one of") ? alternatives(phrase) : [];
  if (pieces.length > 1) return parseEither(pieces, subject, context);
  for (const kind of ["list", "map"] as const) {
    const of = afterWord(phrase, `${kind} of`);
    if (of) return parseMany(kind, unquote(of), subject, context, depth);
  }
  const choices = afterWord(phrase, "one of");
  if (choices) return parseChoices(choices, subject, context);
  const files = context.takesFiles && /^file(?=\s+of\s|$)/.test(phrase.text) ? phrase : undefined;
  if (files) return readFileType(files, context);
  const { text } = phrase;
  if (plainTypes.has(text)) return { type: { kind: text as PlainType } };
  if (text === "object") return { type: { kind: "object", parts: [] } };
  if (text === "state" && context.states) return { type: { kind: "state", states: context.states } };
  if (isNotShown(phrase))
    return { type: unreadType, gap: context.gap(`the type of ${subject}`, positionIn(phrase)) };
  return parseResourceType(phrase, context);
}

/** Reads `file`, `file of image/png, image/*`. */
function readFileType(phrase: Phrase, { reporter }: FieldContext): ReadType {
  const of = afterWord(phrase, "file of");
  const types = of ? splitOutside(of, ",").map(unquote) : [];
  const wrong = types.find(({ text }) => !/^[a-z]+\/(?:\*|[a-z0-9][a-z0-9.+-]*)$/.test(text));
  if (!wrong) return { type: { kind: "file", types: types.map(({ text }) => text) } };
  const expected = "media types separated by commas: `file of image/png, image/*`";
  reporter.report("resources/unreadable", positionIn(wrong), { text: wrong.text, expected });
  return { type: unreadType };
}

/** Splits `string or list of string`. Everything after `one of` is a value. */
function alternatives(phrase: Phrase): readonly Phrase[] {
  const or = /\s+or\s+/.exec(phrase.text);
  if (!or || /\bone\s+of\b/.test(phrase.text.slice(0, or.index))) return [phrase];
  const rest = slice(phrase, or.index + or[0].length);
  return [slice(phrase, 0, or.index), ...(afterWord(rest, "one of") ? [rest] : alternatives(rest))];
}

function parseEither(pieces: readonly Phrase[], subject: string, context: FieldContext): ReadType {
  if (pieces.every(({ text }) => isValue(text, context))) {
    const first = nonNull(pieces[0]);
    const last = nonNull(pieces.at(-1));
    const text = pieces.map((piece) => piece.text).join(" or ");
    const instead = `one of ${pieces.map((piece) => piece.text).join(", ")}`;
    const position = { start: positionIn(first).start, end: positionIn(last).end };
    const params = { text, instead, isRules: false, nearest: undefined, known: [] };
    context.reporter.report("resources/unknown-type", position, params);
    return { type: unreadType };
  }
  const read = pieces.map((piece) => ({ piece, ...parseType(unquote(piece), subject, context, 1) }));
  const unknown = read.find(({ type }) => type.kind === "not shown");
  if (unknown) return { type: unreadType, ...(unknown.gap ? { gap: unknown.gap } : {}) };
  const refused = read.filter(({ type }) => !isTypedByJson(type));
  for (const { piece } of refused)
    context.reporter.report("resources/type-not-in-choice", positionIn(piece), { type: piece.text });
  if (refused.length > 0) return { type: unreadType };
  return { type: { kind: "json", either: read.map(({ type }) => type) } };
}

/** Whether a word is meant as a value: in lower case, and not a type of any notation, like `open` in `open or closed`. */
function isValue(text: string, { resources }: FieldContext): boolean {
  const isWord = /^["']?[a-z][\w -]*["']?$/.test(text);
  return (
    isWord && !resources.has(text) && inOurWords(text, [...plainTypes]) === undefined && text !== "object"
  );
}

/**
 * Types whose values JSON determines, so that they can be stored as JSON; and files, which no field
 * stores and every form determines.
 */
function isTypedByJson(type: FieldType): boolean {
  if (type.kind === "list" || type.kind === "map") return isAnyJson(type.of) || isTypedByJson(type.of);
  return (
    isFormedText(type.kind) || ["file", "string", "integer", "number", "boolean", "enum"].includes(type.kind)
  );
}

function isAnyJson(type: FieldType): boolean {
  return type.kind === "json" && !type.either;
}

function parseMany(
  kind: "list" | "map",
  of: Phrase,
  subject: string,
  context: FieldContext,
  depth: number,
): ReadType {
  if (depth >= depthMax) {
    context.reporter.report("resources/type-too-deep", positionIn(of), { depthMax });
    return { type: unreadType };
  }
  const inner = parseType(of, subject, context, depth + 1);
  const refused = whyNotMany(inner.type);
  if (refused) {
    context.reporter.report("resources/type-not-in-many", positionIn(of), {
      type: of.text,
      many: kind,
      why: refused,
    });
    return { type: unreadType };
  }
  if (inner.type.kind === "object" && kind === "map") {
    context.reporter.report("resources/type-not-in-many", positionIn(of), {
      type: of.text,
      many: kind,
      why: "value",
    });
    return { type: unreadType };
  }
  return { type: { kind, of: inner.type }, ...(inner.gap ? { gap: inner.gap } : {}) };
}

/** Why a list can't have the type: secrets are stored as hashes in their own column, and a state belongs to one record. */
function whyNotMany(type: FieldType): "secret" | "state" | undefined {
  if (type.kind === "password" || type.kind === "credential") return "secret";
  return type.kind === "state" ? "state" : undefined;
}

function parseChoices(phrase: Phrase, subject: string, context: FieldContext): ReadType {
  const values: string[] = [];
  let gap: Gap | undefined;
  for (const piece of splitOutside(phrase, ",").map(unquote)) {
    const value = unquoteText(piece);
    if (isNotShown(piece)) gap = context.gap(`some values of ${subject}`, positionIn(piece));
    else if (value.text === "" || value.text.length > choiceLengthMax || /^(or|and)\s/.test(value.text)) {
      const expected = "values separated by commas: `one of small, large`";
      context.reporter.report("resources/unreadable", positionIn(piece), { text: piece.text, expected });
    } else if (values.includes(value.text)) {
      context.reporter.report("resources/repeated-choice", positionIn(value), { text: value.text });
    } else values.push(value.text);
  }
  if (values.length === 0) return { type: unreadType, ...(gap ? { gap } : {}) };
  return { type: { kind: "enum", values }, ...(gap ? { gap } : {}) };
}

/** `"on hold"` → `on hold`. */
function unquoteText(phrase: Phrase): Phrase {
  const quoted = /^"[^"\\]*"$|^'[^'\\]*'$/.test(phrase.text);
  return quoted ? slice(phrase, 1, phrase.text.length - 1) : phrase;
}

function parseResourceType(phrase: Phrase, context: FieldContext): ReadType {
  const { text } = phrase;
  const { reporter, resources } = context;
  const resource = resources.get(text);
  if (resource?.isValue) return { type: { kind: "value", resource: text } };
  if (resource) return { type: { kind: "reference", resource: text } };
  const known = [...plainTypes, "object", ...(context.states ? ["state"] : []), ...resources.keys()];
  reporter.report("resources/unknown-type", positionIn(phrase), {
    text,
    instead: inOurWords(text, known),
    isRules: isRules(text),
    ...nearestHint(text, known),
  });
  return { type: unreadType };
}

/** The equivalent of other notations' types: `int`, `String`, `string[]`, `enum(a, b)`. Undefined if none is certain. */
function inOurWords(text: string, known: readonly string[]): string | undefined {
  const word = text.toLowerCase();
  if (Object.hasOwn(otherWords, word)) return otherWords[word];
  if (plainTypes.has(word)) return word;
  const sized = /^(\w+)\s*\(\s*(\d+)(?:\s*,\s*\d+)?\s*\)$/.exec(word);
  if (sized) {
    const type = plainTypes.has(nonNull(sized[1])) ? sized[1] : otherWords[nonNull(sized[1])];
    return type === "string" ? `string\`, and \`length ..${sized[2]}\` in the column \`Rules` : type;
  }
  const ids = /^(?:foreign key|fk|reference|ref)\s*(?:to\b|\(|:|<)\s*(\w+)/i.exec(text)?.[1];
  if (ids !== undefined && known.includes(ids)) return ids;
  const element =
    /^(.+?)\s*\[\]$/.exec(text)?.[1] ??
    /^(?:array|list)\s*(?:<|\(|\[|of\b)\s*(.+?)\s*[>)\]]?$/i.exec(text)?.[1];
  if (element === undefined) {
    const choices = /^(?:enum|choice)\s*[(:[]?\s*(.+?)\s*[)\]]?$/i.exec(text)?.[1];
    return choices && `one of ${choices.split(/\s*[,|/]\s*/).join(", ")}`;
  }
  const type = known.includes(element) ? element : inOurWords(element, known);
  return type && `list of ${type}`;
}

/** Whether the text starts like a rule. */
function isRules(text: string): boolean {
  return /^(?:required|nullable|trimmed|immutable|unique|read-only|write-only|internal|shown once|lower case|on create|on update|on delete|default|length|items|pattern|=)(?![\w-])/i.test(
    text,
  );
}
