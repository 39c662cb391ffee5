/** The diagnostics of part `expressions`: each code once, with its words. */
import { code } from "../code.ts";

const near = (nearest: string | undefined) =>
  nearest === undefined ? undefined : `Did you mean "${nearest}"?`;

export const expressionsCodes = {
  // ── Reading ───────────────────────────────────────────────────────────────────────────────────
  "expressions/missing": code<object>({
    kind: "mistake",
    severity: "error",
    message: () => "An expression is missing here.",
    hint: () => "Write one in backticks, or take its key away.",
  }),
  "expressions/unreadable": code<{ readonly text: string; readonly expected: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" can't be read here.`,
    hint: ({ expected }) => `Write ${expected}.`,
  }),
  "expressions/unfinished": code<{ readonly expected: string }>({
    kind: "mistake",
    severity: "error",
    message: () => "The expression ends too early.",
    hint: ({ expected }) => `Write ${expected}.`,
  }),
  "expressions/open-text": code<{ readonly quote: string }>({
    kind: "mistake",
    severity: "error",
    message: () => "The text that starts here doesn't end.",
    hint: ({ quote }) => `Write the closing ${quote} on the same line.`,
  }),
  "expressions/too-long": code<{ readonly most: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ most }) => `The expression is longer than ${most} characters.`,
    hint: () => "Give parts of it names: computed fields, shapes, or `Let`.",
  }),
  "expressions/too-deep": code<{ readonly most: number; readonly what: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ most, what }) => `There are more than ${most} ${what} here.`,
    hint: () => "Give parts of it names: computed fields, shapes, or `Let`.",
  }),
  "expressions/too-many-macros": code<{ readonly most: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ most }) => `More than ${most} of .filter, .map and the like stand in one another here.`,
    hint: () => "Give the inner ones a name: a computed field, a shape, or `Let`.",
  }),
  "expressions/not-supported": code<{ readonly what: string; readonly instead: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ what }) => `${what} of CEL is not part of the notation.`,
    hint: ({ instead }) => `Write ${instead}.`,
  }),
  "expressions/integer-too-large": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `${text} is too large for an integer.`,
    hint: () => "Integers go from −9007199254740991 to 9007199254740991; write a decimal as a string.",
  }),

  // ── Names ─────────────────────────────────────────────────────────────────────────────────────
  "expressions/unknown-name": code<{
    readonly name: string;
    readonly nearest?: string | undefined;
    readonly instead?: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" is not a name that is known here.`,
    hint: ({ nearest, instead }) => instead ?? near(nearest),
  }),
  "expressions/unknown-field": code<{
    readonly name: string;
    readonly of: string;
    readonly nearest?: string | undefined;
    readonly instead?: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, of }) => `There is no "${name}" in ${of}.`,
    hint: ({ nearest, instead }) => instead ?? near(nearest),
  }),
  "expressions/unknown-function": code<{
    readonly name: string;
    readonly nearest?: string | undefined;
    readonly instead?: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" is not a function that is known here.`,
    hint: ({ name, nearest, instead }) =>
      instead ??
      near(nearest) ??
      `No function of the notation is called like this. One of your own module is named in part 4: \`- Functions: ${name}(…): string\`.`,
  }),
  "expressions/value-resource": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) =>
      `${name} is a value: it lives inside other resources and has no records of its own.`,
    hint: ({ name }) => `Reach it through the resource that has a field of type ${name}.`,
  }),

  "expressions/password-carried": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `${text} is kept as a hash, which is compared and never given on.`,
    hint: ({ text }) =>
      `Compare it where it stands: \`verify(${text}, body.old_password)\`, or \`${text} != null\`.`,
  }),

  "expressions/record-as-json": code<{ readonly found: string; readonly resource: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ found }) => `Here ${found} stands where JSON is wanted, with all that is stored of it.`,
    hint: ({ resource }) =>
      `Write a shape, \`${resource ?? "Parcel"}(…)\`, or \`.id\` and the like for what identifies it.`,
  }),

  // ── Calls ─────────────────────────────────────────────────────────────────────────────────────
  "expressions/argument-count": code<{ readonly name: string; readonly usage: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" is given too few or too many arguments.`,
    hint: ({ usage }) => `Write it as in \`${usage}\`.`,
  }),
  "expressions/argument-type": code<{
    readonly name: string;
    readonly found: string;
    readonly wanted: string;
    readonly instead?: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, found, wanted }) => `"${name}" takes ${wanted} here, but this is ${found}.`,
    hint: ({ instead }) => instead,
  }),
  "expressions/argument-value": code<{
    readonly text: string;
    readonly name: string;
    readonly wanted: string;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ text, name }) => `${text} is not what "${name}" takes here.`,
    hint: ({ wanted }) => `Write ${wanted}.`,
  }),
  "expressions/has-argument": code<object>({
    kind: "mistake",
    severity: "error",
    message: () => "has(…) asks whether a field was sent, so it takes a name with a dot.",
    hint: () => "Write it as in `has(body.note)`; whether a value is there is `value != null`.",
  }),
  "expressions/sequence-alone": code<object>({
    kind: "mistake",
    severity: "error",
    message: () => "sequence() is counted by the store, so it must be the whole expression.",
    hint: () =>
      'Keep it in a field of its own, and build the text in another: `= "INV-" + string(this.number)`.',
  }),
  "expressions/macro-variable": code<{ readonly macro: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ macro }) => `".${macro}" wants a name for the element first.`,
    hint: ({ macro }) => `Write it as in \`list.${macro}(x, …)\`.`,
  }),
  "expressions/not-a-list": code<{ readonly macro: string; readonly found: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ macro, found }) => `".${macro}" goes through a list or a collection, but this is ${found}.`,
    hint: () => "Write a list, or a resource's name for all its records.",
  }),
  "expressions/shape-argument": code<{
    readonly shape: string;
    readonly found: string;
    readonly wanted: string;
    readonly instead?: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ shape, found, wanted }) => `The shape ${shape} is of ${wanted}, but this is ${found}.`,
    hint: ({ instead }) => instead,
  }),

  // ── Types ─────────────────────────────────────────────────────────────────────────────────────
  "expressions/operand": code<{
    readonly operator: string;
    readonly left: string;
    readonly right: string;
    readonly instead?: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ operator, left, right }) => `"${operator}" doesn't take ${left} and ${right}.`,
    hint: ({ instead }) => instead,
  }),
  "expressions/sign": code<{ readonly operator: string; readonly found: string; readonly wanted: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ operator, found }) => `"${operator}" doesn't take ${found}.`,
    hint: ({ wanted }) => `Write ${wanted} behind it.`,
  }),
  "expressions/several-callers": code<{ readonly name: string; readonly resources: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, resources }) =>
      `Here \`${name}\` is a record of ${resources}, and nothing tells which.`,
    hint: ({ name }) =>
      `Name a field of it (\`${name}.id\`), show it with \`shape(${name})\`, or compare it with a record of one: \`post.author == ${name}\`.`,
  }),
  "expressions/never-equal": code<{
    readonly left: string;
    readonly right: string;
    readonly instead?: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ left, right }) => `${capital(left)} and ${right} can never be equal.`,
    hint: ({ instead }) => instead,
  }),
  "expressions/not-a-condition": code<{ readonly found: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ found }) => `A condition is true or false, but this is ${found}.`,
    hint: () => "Compare it with something; whether it is there is `… != null`.",
  }),
  "expressions/wrong-type": code<{
    readonly found: string;
    readonly wanted: string;
    readonly instead?: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ found, wanted }) => `This is ${found}, but ${wanted} is wanted here.`,
    hint: ({ instead }) => instead,
  }),
  "expressions/not-one-of": code<{
    readonly value: string;
    readonly values: readonly string[];
    readonly nearest?: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ value, values }) =>
      `"${value}" is none of ${values.slice(0, 12).join(", ")}${values.length > 12 ? ", …" : ""}.`,
    hint: ({ nearest }) => near(nearest),
  }),
  "expressions/not-of-form": code<{
    readonly value: string;
    readonly wanted: string;
    readonly example: string;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ value, wanted }) => `"${value}" is not ${wanted}.`,
    hint: ({ example }) => `Write it as in \`"${example}"\`.`,
  }),
  "expressions/not-indexed": code<{ readonly found: string; readonly instead?: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ found }) => `[…] takes an element of a list or of a map, but this is ${found}.`,
    hint: ({ instead }) => instead,
  }),
  "expressions/key-not-text": code<object>({
    kind: "mistake",
    severity: "error",
    message: () => "The keys of a map are written out as texts.",
    hint: () => 'Write it as in `{"key": value}`.',
  }),
  "expressions/duplicate-key": code<{ readonly key: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key }) => `The key "${key}" stands here twice.`,
    hint: () => "Take one of them away.",
  }),
  "expressions/forbidden-key": code<{ readonly key: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key }) => `"${key}" can't be a key.`,
    hint: () => "Write another key.",
  }),
};

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
