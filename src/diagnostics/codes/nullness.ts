/**
 * The diagnostics of expressions in which a null decides silently
 * (`checks/expressions/null-decisions.ts`).
 */
import { warning } from "../code.ts";

export interface MayBeNull {
  /** The value that may be null, as the author writes it. */
  readonly value: string;
  /** Whether it is a field, so that a rule can keep it from being null. */
  readonly isField: boolean;
}

const orRequired = ({ isField }: MayBeNull) => (isField ? ", or make the field `required`" : "");

export const nullnessCodes = {
  "expressions/unknown-operand": warning<{
    readonly text: string;
    readonly of: string;
    readonly conversion?: string | undefined;
  }>(
    ({ text, of }) => `Unknown type of \`${text}\`: ${of} gives null if the value has another type.`,
    ({ text, conversion }) =>
      conversion === undefined
        ? "Write `int(…)`, `string(…)` or another conversion around it."
        : `Write \`${conversion}(${text})\`.`,
  ),
  "expressions/null-passes": warning<MayBeNull>(
    ({ value }) =>
      `\`${value}\` may be null, and then the comparison is false and this \`Fails\` does not apply.`,
    (params) =>
      `Write \`${params.value} == null || …\` to reject it, or compare \`or(${params.value}, …)\`${orRequired(params)}. If a null may pass, write \`, null passes\` at the end of the line.`,
  ),
  "expressions/null-permits": warning<
    MayBeNull & { readonly item: "Allowed" | "Visible" | "Where" | "Always" }
  >(
    ({ value, item }) => `\`${value}\` may be null, and then this comparison in \`${item}\` is true.`,
    (params) =>
      `Write \`${params.value} != null && …\`, or \`${params.value} == null || …\` if a null is meant to pass${orRequired(params)}.`,
  ),
  "expressions/null-breaks-always": warning<MayBeNull>(
    ({ value }) =>
      `\`${value}\` may be null, and then this rule is false: every change of such a record ends with an internal error.`,
    (params) => `Write \`${params.value} == null || …\`${orRequired(params)}.`,
  ),
  "expressions/null-overwrites": warning<MayBeNull & { readonly field: string }>(
    ({ value, field }) => `\`${value}\` may be null, and then the result is null and overwrites "${field}".`,
    (params) => `Write \`or(${params.value}, …)\` with the value to use${orRequired(params)}.`,
  ),
  "expressions/null-required": warning<
    MayBeNull & { readonly field: string; readonly at: "endpoint" | "transition" }
  >(
    ({ value, field, at }) =>
      `\`${value}\` may be null, but ${field} is required: ${at === "endpoint" ? "the request then ends with an internal error" : "the transition then fails"}.`,
    (params) =>
      `${params.at === "endpoint" ? `Reject it with \`- Fails: … when ${params.value} == null\`` : `Add the guard \`${params.value} != null\``}, or write \`or(${params.value}, …)\`${orRequired(params)}.`,
  ),
};
