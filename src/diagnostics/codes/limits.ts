/** The diagnostics of part 8, limits. */
import { mistake, warning } from "../code.ts";
import {
  didYouMean,
  duplicate,
  formCodes,
  keepOne,
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
  "limits/unknown-limit": unknownName("limit"),
  "limits/unknown-endpoint": unknownName("endpoint"),
  "limits/repeated-limit": duplicate<{ readonly name: string; readonly named: boolean }>(
    ({ name }) => `limit "${name}"`,
    ({ named }) => (named ? "Rename one of the two." : keepOne),
  ),
  "limits/default-over-maximum": mistake<{ readonly default: number; readonly maximum: number }>(
    (params) => `The default page size ${params.default} is above the maximum ${params.maximum}.`,
    ({ maximum }) => `Write a default of ${maximum} at most.`,
  ),
  "limits/ambiguous-reference": mistake<{
    readonly resource: string;
    readonly to: string;
    readonly fields: readonly string[];
  }>(
    ({ resource, to, fields }) =>
      `Ambiguous reference: ${resource} has ${fields.length} references to ${to}.`,
    ({ fields }) => `Write ${fields.map((field) => `\`per ${field}\``).join(" or ")}.`,
  ),
  "limits/no-reference": mistake<UnknownName & { readonly resource: string }>(
    ({ name, resource }) => `Unknown reference of ${resource} to "${name}".`,
    didYouMean,
  ),
  "limits/strangers-unlimited": warning<{
    readonly by: string;
    readonly endpoint: string;
    readonly others: number;
    readonly free: string;
  }>(
    ({ by, endpoint, others }) =>
      `A rate by \`${by}\` does not count anonymous callers, and no other rate applies to ${endpoint}${others === 0 ? "" : ` and ${others} more`}.`,
    ({ free }) => `Add a row below it: \`| rate ${free} | 60 per minute | address |\`.`,
  ),
  "limits/passwords-unlimited": warning<{
    readonly endpoint: string;
    readonly hasRate: boolean;
    /** A name that no rate has yet. */
    readonly free: string;
  }>(
    ({ endpoint, hasRate }) =>
      `Unlimited password attempts at ${endpoint}: ${hasRate ? "its rates count by caller" : "no rate applies to it"}.`,
    ({ endpoint, free }) =>
      `Add a row to part 8: \`| rate ${free} | 10 per minute | address, ${endpoint} |\`.`,
  ),
};
