/** The diagnostics of part `errors`: each code once, with its words. */
import { code } from "../code.ts";
import {
  didYouMean,
  formCodes,
  tableCodes,
  type UnknownName,
  unknownField,
  unknownHeading,
  unknownName,
} from "./form-codes.ts";

export const errorsCodes = {
  ...formCodes("errors"),
  ...tableCodes("errors"),
  "errors/unknown-heading": unknownHeading,
  "errors/unknown-field": unknownField,
  "errors/unknown-shape": unknownName(() => "shape"),
  "errors/unknown-condition": unknownName(() => "condition"),
  "errors/unknown-subject": code<UnknownName & { readonly condition: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, condition }) =>
      `"${condition}" can't be of \`${name}\`: there is nothing of that name.`,
    hint: didYouMean,
  }),
  "errors/unknown-type": unknownName(() => "type"),
  "errors/type-of-no-input": code<{ readonly condition: string; readonly conditions: readonly string[] }>({
    kind: "mistake",
    severity: "error",
    message: ({ condition }) => `"${condition}" is not about an input, so it has no type.`,
    hint: ({ conditions }) => `\`of type …\` follows ${conditions.map((one) => `\`${one}\``).join(", ")}.`,
  }),
  "errors/never-about": code<{
    readonly condition: string;
    readonly subject: "resource" | "field" | "transition";
    readonly conditions: readonly string[];
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ condition, subject }) =>
      `"${condition}" is never about a ${subject}, so this row would never match.`,
    hint: ({ subject, conditions }) =>
      `Leave out what follows \`of\`. Rows about a ${subject} are those of ${conditions.map((one) => `\`${one}\``).join(", ")}.`,
  }),
  "errors/never-matched": code<{ readonly condition: string; readonly of: string; readonly why: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ condition, of, why }) => `No request meets "${condition} of ${of}": ${why}.`,
    hint: () => "Take this case out, or name what an endpoint works on.",
  }),
  "errors/never-named": code<{ readonly code: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ code: name }) => `Nothing names the code \`${name}\`, so this row never answers.`,
    hint: ({ code: name }) =>
      `Give it a condition under When, or name it: \`- Fails: ${name} when …\`. A guard names it behind \`else\`.`,
  }),
  "errors/borrowed-message": code<{
    readonly condition: string;
    readonly row: string;
    readonly resource: string | undefined;
  }>({
    kind: "mistake",
    severity: "warning",
    message: ({ condition, row, resource }) =>
      `"${condition}"${resource === undefined ? "" : ` of ${resource}`} has no row of its own, so it is answered with this message, which tells of "${row}".`,
    hint: ({ condition }) =>
      `Add a row with \`${condition}\` in its When, name it beside the other in this row's, or let the message say what is wrong: \`{error.problem}\`.`,
  }),
  "errors/no-error-status": code<{ readonly status: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ status }) => `${status} is no status of an error.`,
    hint: () =>
      "Write a status from 400 to 599; a service that tells errors with a 2xx needs one with a body, 200.",
  }),
  "errors/unclosed-brace": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "This brace is never closed.",
    hint: () => 'Write `{error.field}`; a brace that is meant as such is written `{"{"}`.',
  }),
  "errors/repeated-condition": code<{ readonly condition: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ condition }) =>
      `Two rows are about "${condition}" of the same thing, so it is open which is answered.`,
    hint: () => "Keep one, or say of what each is, `of Parcel`.",
  }),
  "errors/repeated-code": code<{ readonly code: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ code: name }) =>
      `Two rows of \`${name}\` have no condition, so it is open which one \`Fails: ${name}\` takes.`,
    hint: () => "Keep one of the two.",
  }),
  "errors/idle-row": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "This row has neither a code nor a condition, so it is never answered.",
    hint: () => "Name a condition under `When`, or a code that `Fails` can name.",
  }),
  "errors/shape-of-record": code<{ readonly shape: string; readonly of: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ shape, of }) => `${shape} is a shape of ${of}, a value, and no error is about a value.`,
    hint: ({ shape }) =>
      `Write \`### Shape: ${shape}\` without \`of\`, or name a shape of the resource that the error is about.`,
  }),
  "errors/taken-column": code<{ readonly column: string; readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ column, name }) =>
      `The column "${column}" would be \`error.${name}\`, which has a meaning already.`,
    hint: () => "Give the column another name.",
  }),
};
