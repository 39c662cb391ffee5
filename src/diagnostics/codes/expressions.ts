/** The diagnostics of expressions, in every part. */
import { mistake } from "../code.ts";
import { capital, didYouMean, duplicate } from "./form-codes.ts";

/** The replacement, where it is known. */
type Instead = {
  readonly instead?: string | undefined;
};

type Unlisted = Instead & {
  readonly name: string;
  readonly nearest?: string | undefined;
};

const instead = (params: Instead & { readonly nearest?: string | undefined }) =>
  params.instead ?? didYouMean({ nearest: params.nearest });

const nameParts = "Give parts of it names: computed fields, shapes, or `Let`.";

export const expressionsCodes = {
  // ── Reading ───────────────────────────────────────────────────────────────────────────────────
  "expressions/missing": mistake("Missing expression.", "Write one in backticks, or remove its key."),
  "expressions/unreadable": mistake<{ readonly text: string; readonly expected: string }>(
    ({ text }) => `Cannot read "${text}" in this expression.`,
    ({ expected }) => `Write ${expected}.`,
  ),
  "expressions/unfinished": mistake<{ readonly expected: string }>(
    "The expression is incomplete.",
    ({ expected }) => `Add ${expected} at its end.`,
  ),
  "expressions/open-text": mistake<{ readonly quote: string }>(
    "The text that starts here is not closed.",
    ({ quote }) => `Write the closing ${quote} on the same line.`,
  ),
  "expressions/too-long": mistake<{ readonly most: number }>(
    ({ most }) => `The expression is longer than ${most} characters.`,
    nameParts,
  ),
  "expressions/too-deep": mistake<{ readonly most: number; readonly what: string }>(
    ({ most, what }) => `There are more than ${most} ${what} here.`,
    nameParts,
  ),
  "expressions/too-many-macros": mistake<{ readonly most: number }>(
    ({ most }) => `More than ${most} of .filter, .map and the like are nested here.`,
    "Give the inner ones a name: a computed field, a shape, or `Let`.",
  ),
  "expressions/not-supported": mistake<{ readonly what: string; readonly instead: string }>(
    ({ what }) => `${what} is not supported.`,
    (params) => `Write ${params.instead}.`,
  ),
  "expressions/integer-too-large": mistake<{ readonly text: string }>(
    ({ text }) => `"${text}" is too large for an integer.`,
    "Write an integer from −9007199254740991 to 9007199254740991, or a decimal as a string.",
  ),

  // ── Names ─────────────────────────────────────────────────────────────────────────────────────
  "expressions/unknown-name": mistake<Unlisted>(({ name }) => `Unknown name "${name}".`, instead),
  "expressions/unknown-field": mistake<
    Unlisted & { readonly of: string; readonly known?: readonly string[] }
  >(
    ({ name, of }) => `Unknown field "${name}" of ${of}.`,
    (params) =>
      instead(params) ??
      didYouMean({ known: [...new Set(params.known)].slice(0, 12) }) ??
      "Remove it, or declare it first.",
  ),
  "expressions/unknown-function": mistake<Unlisted>(
    ({ name }) => `Unknown function "${name}".`,
    (params) =>
      instead(params) ??
      `Remove it. If your module has it, add it to part 4: \`- Functions: ${params.name}(…): string\`.`,
  ),
  "expressions/value-resource": mistake<{ readonly name: string }>(
    ({ name }) => `${name} is a value (\`Identifier: none\`), so it has no records of its own.`,
    ({ name }) => `Read it through the resource that has a field of type ${name}.`,
  ),

  "expressions/password-carried": mistake<{ readonly text: string }>(
    ({ text }) => `\`${text}\` is not allowed here: it is stored as a hash, which can only be compared.`,
    ({ text }) => `Remove it, or compare it: \`verify(${text}, body.old_password)\`, or \`${text} != null\`.`,
  ),

  "expressions/record-as-json": mistake<{ readonly found: string; readonly resource: string | undefined }>(
    ({ found }) =>
      `${capital(found)} is not allowed here: as JSON, it would return everything that is stored of it.`,
    ({ resource }) => `Write a shape, \`${resource ?? "Parcel"}(…)\`, or its identifier, such as \`.id\`.`,
  ),

  // ── Calls ─────────────────────────────────────────────────────────────────────────────────────
  "expressions/argument-count": mistake<{ readonly name: string; readonly usage: string }>(
    ({ name }) => `Wrong number of arguments of "${name}".`,
    ({ usage }) => `Write it as in \`${usage}\`.`,
  ),
  "expressions/argument-type": mistake<
    Instead & { readonly name: string; readonly found: string; readonly expected: string }
  >(
    ({ name, found, expected }) => `"${name}" expects ${expected} here, but this is ${found}.`,
    (params) => instead(params) ?? `Write ${params.expected}.`,
  ),
  "expressions/argument-value": mistake<{
    readonly text: string;
    readonly name: string;
    readonly expected: string;
  }>(
    ({ text, name }) => `Invalid argument ${text} of "${name}".`,
    ({ expected }) => `Write ${expected}.`,
  ),
  "expressions/has-argument": mistake(
    "`has(…)` checks whether a field was sent, so it expects a name with a dot.",
    "Write it as in `has(body.note)`. To check whether a value exists, write `value != null`.",
  ),
  "expressions/sequence-alone": mistake(
    "`sequence()` is not allowed here: the store counts it, so it must be the whole expression.",
    'Write it in a field of its own, and build the text in another: `= "INV-" + string(this.number)`.',
  ),
  "expressions/condition-alone": mistake<{ readonly name: string }>(
    ({ name }) =>
      `\`${name}\` is not allowed here: it returns a condition, which only the \`Where\` of a list can use.`,
    ({ name }) =>
      `Write \`- Where: any of FIELD by ${name}(…)\`, with the fields that the condition may name.`,
  ),
  "expressions/macro-variable": mistake<{ readonly macro: string }>(
    ({ macro }) => `".${macro}" expects a name for the element first.`,
    ({ macro }) => `Write it as in \`list.${macro}(x, …)\`.`,
  ),
  "expressions/not-a-list": mistake<{ readonly macro: string; readonly found: string }>(
    ({ macro, found }) => `".${macro}" expects a list or a collection, but this is ${found}.`,
    "Write a list, or the name of a resource for all its records.",
  ),
  "expressions/shape-argument": mistake<
    Instead & { readonly shape: string; readonly found: string; readonly expected: string }
  >(
    ({ shape, found, expected }) => `The shape ${shape} expects ${expected}, but this is ${found}.`,
    (params) => instead(params) ?? `Write ${params.expected}, or another shape.`,
  ),
  "expressions/shape-refuses": mistake<{
    readonly shape: string;
    readonly why: string;
    readonly inBlock?: string | undefined;
  }>(
    ({ shape, why }) => `Invalid argument of the shape ${shape}. ${why}`,
    (params) =>
      `Write another argument, or change the block of the shape.${params.inBlock === undefined ? "" : ` There: ${params.inBlock}`}`,
  ),

  // ── Types ─────────────────────────────────────────────────────────────────────────────────────
  "expressions/operand": mistake<
    Instead & { readonly operator: string; readonly left: string; readonly right: string }
  >(
    ({ operator, left, right }) => `Invalid operands of "${operator}": ${left} and ${right}.`,
    (params) => instead(params) ?? "Write operands of types that the operator accepts.",
  ),
  "expressions/sign": mistake<{
    readonly operator: string;
    readonly found: string;
    readonly expected: string;
  }>(
    ({ operator, found }) => `Invalid operand of "${operator}": ${found}.`,
    ({ expected }) => `Write ${expected} after the sign.`,
  ),
  "expressions/several-callers": mistake<{ readonly name: string; readonly resources: string }>(
    ({ name, resources }) => `Ambiguous \`${name}\`: here it is a record of ${resources}.`,
    ({ name }) =>
      `Write a field of it (\`${name}.id\`), return it with \`shape(${name})\`, or compare it with a record of one resource: \`post.author == ${name}\`.`,
  ),
  "expressions/never-equal": mistake<Instead & { readonly left: string; readonly right: string }>(
    ({ left, right }) => `${capital(left)} and ${right} are never equal.`,
    (params) => {
      const advice = instead(params);
      return advice === undefined
        ? "Compare values of one type."
        : `${advice.replace(/\.$/, "")}, or compare values of one type.`;
    },
  ),
  "expressions/not-a-condition": mistake<{ readonly found: string }>(
    ({ found }) => `A condition must be true or false, but this is ${found}.`,
    "Compare it with a value. To check whether it exists, write `… != null`.",
  ),
  "expressions/wrong-type": mistake<Instead & { readonly found: string; readonly expected: string }>(
    ({ found, expected }) => `Expected ${expected}, but this is ${found}.`,
    (params) => instead(params) ?? `Write ${params.expected}.`,
  ),
  "expressions/not-one-of": mistake<{
    readonly value: string;
    readonly values: readonly string[];
    readonly nearest?: string | undefined;
  }>(
    ({ value, values }) =>
      `Unknown value "${value}": expected ${values.slice(0, 12).join(", ")}${values.length > 12 ? ", …" : ""}.`,
    ({ nearest, values }) =>
      didYouMean({
        nearest: nearest === undefined ? undefined : `"${nearest}"`,
        known: values.slice(0, 12).map((value) => `"${value}"`),
      }),
  ),
  "expressions/not-of-form": mistake<{
    readonly value: string;
    readonly expected: string;
    readonly example: string;
  }>(
    ({ value, expected }) => `Cannot read "${value}" as ${expected}.`,
    ({ example }) => `Write it as in \`"${example}"\`.`,
  ),
  "expressions/not-indexed": mistake<Instead & { readonly found: string }>(
    ({ found }) => `\`[…]\` expects a list or a map, but this is ${found}.`,
    (params) => instead(params) ?? "Remove the brackets, or write a list or a map before them.",
  ),
  "expressions/key-not-text": mistake(
    "A key of a map must be a literal text.",
    'Write it as in `{"key": value}`, or compute keys with `list.toMap(x, key, value)`.',
  ),
  "expressions/duplicate-key": duplicate<{ readonly key: string }>(({ key }) => `key "${key}"`),
  "expressions/forbidden-key": mistake<{ readonly key: string }>(
    ({ key }) => `Key "${key}" is not allowed here.`,
    "Choose another name.",
  ),
};
