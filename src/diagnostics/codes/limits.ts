/** The diagnostics of part `limits`: each code once, with its words. */
import { code } from "../code.ts";
import {
  formCodes,
  tableCodes,
  type UnknownName,
  unknownName,
  unknownResource,
  valueForRecord,
} from "./form-codes.ts";

export const limitsCodes = {
  ...formCodes("limits"),
  ...tableCodes("limits"),
  "limits/unknown-resource": unknownResource,
  "limits/value-for-record": valueForRecord,
  "limits/unknown-limit": unknownName(() => "limit called"),
  "limits/unknown-endpoint": unknownName(() => "endpoint"),
  "limits/repeated-limit": code<{ readonly name: string; readonly named: boolean }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There are two limits called \`${name}\`.`,
    hint: ({ named }) =>
      named ? "Give each a name of its own, `rate core` and `rate search`." : "Keep one of the two.",
  }),
  "limits/default-over-maximum": code<{ readonly default: number; readonly maximum: number }>({
    kind: "mistake",
    severity: "error",
    message: (params) =>
      `A page has ${params.default} records when nothing is asked for, but at most ${params.maximum}.`,
    hint: () => "Let the default be at most the maximum.",
  }),
  "limits/ambiguous-reference": code<{
    readonly resource: string;
    readonly to: string;
    readonly fields: readonly string[];
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, to, fields }) => `${resource} has ${fields.length} references to ${to}.`,
    hint: ({ fields }) => `Say which one: ${fields.map((field) => `\`per ${field}\``).join(" or ")}.`,
  }),
  "limits/no-reference": unknownName<UnknownName & { readonly resource: string }>(
    ({ resource }) => `reference of ${resource} to`,
  ),
  "limits/strangers-unlimited": code<{
    readonly by: string;
    readonly endpoint: string;
    readonly others: number;
  }>({
    kind: "mistake",
    severity: "warning",
    message: ({ by, endpoint, others }) =>
      `A rate by \`${by}\` does not count anonymous callers, and no other rate applies to ${endpoint}${others === 0 ? "" : ` and ${others} more`}.`,
    hint: () => "Add a row that counts them: `| rate anonymous | 60 per minute | address |`.",
  }),
  "limits/passwords-unlimited": code<{ readonly endpoint: string; readonly hasRate: boolean }>({
    kind: "mistake",
    severity: "warning",
    message: ({ endpoint, hasRate }) =>
      hasRate
        ? `${endpoint} takes passwords as often as anybody likes: its rates count by caller.`
        : `${endpoint} takes passwords as often as anybody likes: no rate applies to it.`,
    hint: ({ endpoint }) =>
      `Add a row to part 8: \`| rate sign-in | 10 per minute | address, ${endpoint} |\`.`,
  }),
};
