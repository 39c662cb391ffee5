/**
 * Shared diagnostics: one shape for each kind of mistake that several parts report (a duplicate, an
 * unknown name, unreadable text, an item that is not allowed). Each part declares them under its
 * own name.
 */
import { type CodeDefinition, mistake, warning } from "../code.ts";

export const keepOne = "Keep one of the two.";

/** `Duplicate scheme "key".` */
export function duplicate<P>(
  what: (params: P) => string,
  hint: string | ((params: P) => string | undefined) = keepOne,
): CodeDefinition<P> {
  return mistake<P>((params) => `Duplicate ${what(params)}.`, hint);
}

/** An undefined name, and the defined name that the author may have meant. */
export interface Unlisted extends Named {
  readonly nearest: string | undefined;
}

/** An undefined name, and all names that are defined. */
export interface UnknownName extends Unlisted {
  readonly known: readonly string[];
}

/** An undefined name, and its equivalent if it is a word of another notation. */
export interface ForeignWord extends UnknownName {
  readonly instead?: string | undefined;
}

export interface Named {
  readonly name: string;
}

/** Suggestions for an undefined name. */
interface Suggested {
  readonly nearest?: string | undefined;
  readonly known?: readonly string[];
}

/** The hint for an undefined name: the nearest name, or all names. */
export function didYouMean({ nearest, known = [] }: Suggested): string | undefined {
  if (nearest !== undefined) return `Did you mean \`${nearest}\`?`;
  if (known.length === 0) return undefined;
  return `Write ${oneOf(known)}.`;
}

/** "`a`", "one of `a`, `b`" */
export function oneOf(names: readonly string[]): string {
  return `${names.length === 1 ? "" : "one of "}${names.map((name) => `\`${name}\``).join(", ")}`;
}

/** The hint for a word of another notation, else for an undefined name. */
export function foreignWordHint(params: Omit<ForeignWord, "name">): string | undefined {
  return params.instead === undefined ? didYouMean(params) : `Write ${params.instead}.`;
}

/** `Unknown field "colour" of Parcel.`: `what` is the kind of name, `where` follows it. */
export function unknownName<P extends Suggested & Named = UnknownName>(
  what: string,
  where: (params: P) => string = () => "",
  hint: (params: P) => string | undefined = didYouMean,
): CodeDefinition<P> {
  return mistake<P>((params) => `Unknown ${what} "${params.name}"${where(params)}.`, hint);
}

/** `Cannot read "14 daze" as a time.` */
export function unreadable<P extends { readonly text: string } = { readonly text: string }>(
  what: string,
  hint: string | ((params: P) => string | undefined),
): CodeDefinition<P> {
  return mistake<P>(
    ({ text }) => (text === "" ? "Missing value." : `Cannot read "${text}" as ${what}.`),
    hint,
  );
}

/** `…/unreadable`: the value of a known item, cell or clause. */
export const unreadableValue = mistake<{ readonly text: string; readonly expected: string }>(
  ({ text }) => (text === "" ? "Missing value." : `Cannot read "${text}".`),
  ({ expected }) => `Write ${expected}.`,
);

const forms = {
  unreadable: unreadableValue,
  "unknown-item": mistake<ForeignWord>(({ name }) => `Unknown item "${name}" here.`, foreignWordHint),
  "repeated-item": duplicate<{ readonly key: string }>(({ key }) => `item "${key}"`),
  "empty-item": mistake<{ readonly key: string; readonly expected: string }>(
    ({ key }) => `Item "${key}" has no value.`,
    ({ expected }) => `Write ${expected}, or \`not shown\`.`,
  ),
};

const tables = {
  "unknown-column": mistake<ForeignWord>(
    ({ name }) => `Unknown column "${name}" in this table.`,
    foreignWordHint,
  ),
  "other-table": warning<{ readonly column: string }>(
    ({ column }) => `This table has no column "${column}", so it is read as description.`,
    ({ column }) => `Name a column \`${column}\`. If the table is description, write it as sentences.`,
  ),
};

type UnderPart<P extends string, C> = { readonly [K in keyof C as `${P}/${K & string}`]: C[K] };

/** The codes of items, under the name of a part. */
export function formCodes<P extends string>(part: P): UnderPart<P, typeof forms> {
  return named(part, forms);
}

/** The codes of tables, under the name of a part. */
export function tableCodes<P extends string>(part: P): UnderPart<P, typeof tables> {
  return named(part, tables);
}

function named<P extends string, C extends object>(part: P, definitions: C): UnderPart<P, C> {
  return Object.fromEntries(
    Object.entries(definitions).map(([slug, definition]) => [`${part}/${slug}`, definition]),
  ) as UnderPart<P, C>;
}

/** `…/unknown-heading` */
export const unknownHeading = mistake<{ readonly heading: string; readonly expected: string }>(
  ({ heading }) => `Unknown heading "${heading}" in this part.`,
  ({ expected }) => `Write ${expected}, or move the text out of this part.`,
);

/** `…/unknown-resource` */
export const unknownResource = unknownName("resource");

/** `…/unknown-code`, of part 7 */
export const unknownErrorCode = unknownName(
  "error code",
  undefined,
  (params) => didYouMean(params) ?? `Add a row \`| ${params.name} | 409 | | … |\` to part 7.`,
);

const ofResource = ({ resource }: { readonly resource: string }) => ` of ${resource}`;

type NameOfResource = UnknownName & { readonly resource: string };

/** `…/unknown-field`, `…/unknown-transition`, `…/unknown-state` */
export const unknownField = unknownName<NameOfResource>("field", ofResource);
export const unknownTransition = unknownName<NameOfResource>("transition", ofResource);
export const unknownState = unknownName<NameOfResource>("state", ofResource);

/** `…/unknown-shape` */
export const unknownShape = unknownName("shape or resource");

/** `…/unknown-event` */
export const unknownEvent = unknownName("event");

/** `…/value-for-record` */
export const valueForRecord = mistake<{ readonly resource: string }>(
  ({ resource }) => `${resource} is a value (\`Identifier: none\`), so it has no records of its own.`,
  "Name a resource with an identifier, or give this one an identifier.",
);

/** An `upsert` whose values can't find a record. */
export const upsertWithoutKey = mistake<{ readonly resource: string; readonly by: readonly string[] }>(
  ({ resource }) => `The values here can't identify one ${resource}.`,
  ({ resource, by }) =>
    by.length > 0
      ? `Give ${by.map((name) => `\`${name}\``).join(" or ")}, or write \`create ${resource} …\`.`
      : `Make one of its fields \`unique\`, or write \`create ${resource} …\`.`,
);

/** `…/name-taken` */
export const nameInUse = mistake<Named>(
  ({ name }) => `The name "${name}" is already in use here.`,
  "Choose another name.",
);

/** `4 columns`, `1 column` */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
