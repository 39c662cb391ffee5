/** The diagnostics of part 7, errors. */
import { mistake, warning } from "../code.ts";
import {
  didYouMean,
  duplicate,
  formCodes,
  keepOne,
  tableCodes,
  type UnknownName,
  unknownField,
  unknownHeading,
  unknownName,
} from "./form-codes.ts";

const named = (subject: string) => `${/^[aeiou]/.test(subject) ? "An" : "A"} ${subject}`;

export const errorsCodes = {
  ...formCodes("errors"),
  ...tableCodes("errors"),
  "errors/unknown-heading": unknownHeading,
  "errors/unknown-field": unknownField,
  "errors/unknown-shape": unknownName(
    "shape",
    undefined,
    (params) => didYouMean(params) ?? `Add \`### Shape: ${params.name}\` with a \`cel\` block.`,
  ),
  "errors/unknown-condition": unknownName("condition"),
  "errors/unknown-subject": unknownName<UnknownName & { readonly condition: string }>(
    "subject",
    ({ condition }) => ` of "${condition}"`,
  ),
  "errors/unknown-type": unknownName("type"),
  "errors/type-of-no-input": mistake<{
    readonly condition: string;
    readonly type: string;
    readonly conditions: readonly string[];
  }>(
    ({ condition }) => `\`of type …\` is not allowed here: "${condition}" has no input.`,
    ({ type, conditions }) =>
      `Remove \`of type ${type}\`. It is allowed after ${conditions.map((condition) => `\`${condition}\``).join(", ")}.`,
  ),
  "errors/never-about": mistake<{
    readonly condition: string;
    readonly subject: string;
    readonly text: string;
    readonly conditions: readonly string[];
  }>(
    ({ condition, subject }) =>
      `${named(subject)} is not allowed here: "${condition}" never refers to one, so this row never matches.`,
    ({ subject, text, conditions }) =>
      `Remove \`of ${text}\`. ${named(subject)} is allowed after ${conditions.map((condition) => `\`${condition}\``).join(", ")}.`,
  ),
  "errors/text-payload": mistake<{ readonly mediaType: string }>(
    ({ mediaType }) => `The payload is not a text, so it can't be sent as \`${mediaType}\`.`,
    'Write a payload that is a text, as in `"<p>" + error.message + "</p>"`, or a JSON media type.',
  ),
  "errors/never-matched": warning<{
    readonly condition: string;
    readonly of: string;
    readonly why: string;
  }>(
    ({ condition, of, why }) => `"${condition} of ${of}" never matches: ${why}.`,
    "Remove this condition, or name a subject that an endpoint uses.",
  ),
  "errors/never-named": warning<{ readonly code: string }>(
    ({ code }) => `Unused error code "${code}": nothing names it, so this row never applies.`,
    ({ code }) =>
      `Add a condition under When, or name it: \`- Fails: ${code} when …\`, or after \`else\` of a guard.`,
  ),
  "errors/borrowed-message": warning<{
    readonly condition: string;
    readonly row: string;
    readonly resource: string | undefined;
  }>(
    ({ condition, row, resource }) =>
      `"${condition}"${resource === undefined ? "" : ` of ${resource}`} has no row of its own, so its errors have this message, which is for "${row}".`,
    ({ condition }) =>
      `Add a row with \`${condition}\` in its When, add the condition to the When of this row, or write a message that fits both: \`{error.problem}\`.`,
  ),
  "errors/no-error-status": mistake<{ readonly status: string }>(
    ({ status }) => `Status ${status} is not allowed for an error.`,
    "Write a status from 400 to 599, or 200 if the service reports errors in a body only.",
  ),
  "errors/unclosed-brace": mistake(
    "This brace is not closed.",
    'Add the closing `}`, as in `{error.field}`. For a literal brace, write `{"{"}`.',
  ),
  "errors/repeated-condition": duplicate<{ readonly condition: string }>(
    ({ condition }) => `condition "${condition}"`,
    "Keep one of the two, or add the resource of each, as in `not found of Parcel`.",
  ),
  "errors/repeated-code": duplicate<{ readonly code: string }>(
    ({ code }) => `error code "${code}" in rows without a condition`,
    keepOne,
  ),
  "errors/idle-row": mistake(
    "This row has neither a code nor a condition, so it is never used.",
    "Write a condition under `When`, or a code that `Fails` can name.",
  ),
  "errors/shape-of-record": mistake<{ readonly shape: string; readonly of: string }>(
    ({ shape, of }) => `"${shape}" is a shape of the value ${of}, but an error has no value.`,
    ({ shape }) =>
      `Write \`### Shape: ${shape}\` without \`of\`, or name a shape of the resource that the error refers to.`,
  ),
  "errors/taken-column": mistake<{ readonly column: string; readonly name: string }>(
    ({ column, name }) => `The column name "${column}" is already in use: \`error.${name}\` has a meaning.`,
    "Choose another name.",
  ),
};
