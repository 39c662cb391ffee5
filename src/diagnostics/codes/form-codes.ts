/**
 * What a part can get wrong in the three forms: an unknown key, a column twice, a value that can't be read. The words are the
 * same in every part that uses them, so they stand here once; each part declares those that it can report under its own name.
 */
import { type CodeDefinition, code } from "../code.ts";

/** A name that is not defined, and what the author may have meant. */
export interface UnknownName {
  readonly name: string;
  readonly nearest: string | undefined;
  readonly known: readonly string[];
}

/** Such a name, where it may be known what other notations mean by it. */
export interface OtherWord extends UnknownName {
  readonly instead?: string | undefined;
}

/** What to write instead of a word of another notation, else what its author may have meant. */
function inOurWords(params: OtherWord): string | undefined {
  return params.instead === undefined ? didYouMean(params) : `Write ${params.instead}.`;
}

/** What to write instead of a name that is not defined. */
export function didYouMean({ nearest, known }: UnknownName): string | undefined {
  if (nearest !== undefined) return `Did you mean \`${nearest}\`?`;
  if (known.length === 0) return undefined;
  return `There ${known.length === 1 ? "is" : "are"} ${known.map((name) => `\`${name}\``).join(", ")}.`;
}

/** Declares the code for an unknown name; `what` says of what kind the name should be. */
export function unknownName<P extends UnknownName = UnknownName>(
  what: (params: P) => string,
): CodeDefinition<P> {
  return code<P>({
    kind: "mistake",
    severity: "error",
    message: (params) => `There is no ${what(params)} \`${params.name}\`.`,
    hint: didYouMean,
  });
}

const forms = {
  unreadable: code<{ readonly text: string; readonly expected: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => (text === "" ? "Something is missing here." : `"${text}" can't be read here.`),
    hint: ({ expected }) => `Write ${expected}.`,
  }),
  "unknown-item": code<OtherWord>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" is no item that can stand here.`,
    hint: inOurWords,
  }),
  "repeated-item": code<{ readonly key: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key }) => `"${key}" is said a second time.`,
    hint: () => "Keep one of the two.",
  }),
  "empty-item": code<{ readonly key: string; readonly expected: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key }) => `"${key}" has no value.`,
    hint: ({ expected }) => `Write ${expected}, or \`not shown\`.`,
  }),
};

const tables = {
  "unknown-column": code<OtherWord>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" is no column that can stand here.`,
    hint: inOurWords,
  }),
  "other-table": code<{ readonly column: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ column }) => `This table has no column "${column}", so it is read as description.`,
    hint: ({ column }) => `Give the column for it the heading \`${column}\`, if the table is to count.`,
  }),
};

type Named<P extends string, C> = { readonly [K in keyof C as `${P}/${K & string}`]: C[K] };

/** The codes of items, under the name of a part. */
export function formCodes<P extends string>(part: P): Named<P, typeof forms> {
  return named(part, forms);
}

/** The codes of tables, under the name of a part. */
export function tableCodes<P extends string>(part: P): Named<P, typeof tables> {
  return named(part, tables);
}

function named<P extends string, C extends object>(part: P, definitions: C): Named<P, C> {
  return Object.fromEntries(
    Object.entries(definitions).map(([slug, definition]) => [`${part}/${slug}`, definition]),
  ) as Named<P, C>;
}

/** `…/unknown-heading` */
export const unknownHeading = code<{ readonly heading: string; readonly expected: string }>({
  kind: "mistake",
  severity: "error",
  message: ({ heading }) => `What stands under "${heading}" is not read.`,
  hint: ({ expected }) => `Headings of level 3 in this part are ${expected}.`,
});

/** `…/unknown-resource` */
export const unknownResource = unknownName(() => "resource");

/** `…/unknown-code`, of part 7 */
export const unknownErrorCode = code<UnknownName>({
  kind: "mistake",
  severity: "error",
  message: ({ name }) => `There is no error code \`${name}\`.`,
  hint: (params) => didYouMean(params) ?? `Add a row \`| ${params.name} | 409 | | … |\` to part 7.`,
});

/** `…/unknown-field` */
export const unknownField = unknownName<UnknownName & { readonly resource: string }>(
  ({ resource }) => `field of ${resource} called`,
);

/** `…/unknown-shape` */
export const unknownShape = unknownName(() => "shape or resource");

/** `…/value-for-record` */
export const valueForRecord = code<{ readonly resource: string }>({
  kind: "mistake",
  severity: "error",
  message: ({ resource }) =>
    `${resource} is a value (its identifier is \`none\`); there are no records of it.`,
  hint: () => "Name a resource with an identifier.",
});
