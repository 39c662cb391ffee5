/** The diagnostics of part 9, versioning. Those of its stored changes are in `stored.ts`. */
import { mistake, warning } from "../code.ts";
import {
  duplicate,
  formCodes,
  tableCodes,
  type UnknownName,
  unknownField,
  unknownHeading,
  unknownName,
  unknownShape,
  type Named,
} from "./form-codes.ts";
import { storedCodes } from "./stored.ts";

export const versioningCodes = {
  ...formCodes("versioning"),
  ...tableCodes("versioning"),
  ...storedCodes,
  "versioning/unknown-heading": unknownHeading,
  "versioning/unknown-field": unknownField,
  "versioning/unknown-shape": unknownShape,
  "versioning/unknown-version": unknownName("version"),
  "versioning/unknown-status": unknownName("status"),
  "versioning/unknown-endpoint": unknownName("endpoint"),
  "versioning/unknown-input": unknownName<UnknownName & { readonly endpoint: string }>(
    "input",
    ({ endpoint }) => ` of ${endpoint}`,
  ),
  "versioning/repeated-version": duplicate<Named>(({ name }) => `version "${name}"`),
  "versioning/no-current": mistake(
    'Missing status "current" of the version that this document describes.',
    "Give one version the status `current`.",
  ),
  "versioning/second-current": duplicate<Named>(
    ({ name }) => `status "current": version ${name} has it too`,
    "Give a version that is served in addition to the current one the status `supported`.",
  ),
  "versioning/current-until": warning<Named>(
    ({ name }) => `Version ${name} is current but has an end date.`,
    "Remove the date, or give the version the status `deprecated`.",
  ),
  "versioning/prefix-twice": warning<{
    readonly version: string;
    readonly path: string;
    readonly instead: string;
  }>(
    ({ version, path }) => `Duplicate version prefix "${version}": this is served at /${version}${path}.`,
    ({ instead }) => `Write \`${instead}\`.`,
  ),
  "versioning/versions-without-scheme": mistake<Named>(
    ({ name }) => `No request can select version ${name}: the version scheme is \`none\`.`,
    "Write how a request selects a version, `- Scheme: header Api-Version`, or keep only the current version.",
  ),
  "versioning/changes-in-oldest": warning<Named>(
    ({ name }) => `The changes in ${name} have no effect: the table has no earlier version.`,
    "Add the earlier version to the table, or remove the changes.",
  ),
  "versioning/required-unknown": warning<{
    readonly version: string;
    readonly name: string;
    readonly endpoint: string;
  }>(
    ({ version, name, endpoint }) =>
      `Breaking for version ${version}: ${endpoint} requires ${name}, which that version does not have.`,
    ({ name, endpoint }) =>
      `State its value for that version, \`- Default: ${name}, was …\`; or give it a \`default\`; or remove its \`required\`; or derive it from what clients send, \`- Removed: … of ${endpoint}, as …\`; or hide the endpoint from that version, \`- Endpoint added: ${endpoint}\`.`,
  ),
  "versioning/replaced-selects": warning<{
    readonly name: string;
    readonly endpoint: string;
    readonly by: "path" | "filter" | "range" | "order";
  }>(
    ({ name, endpoint, by }) => {
      switch (by) {
        case "path":
          return `${endpoint} selects records by the current ${name}, which older versions see converted.`;
        case "filter":
          return `${endpoint} can find only some of the records: older versions can see several values of ${name} as one, and the filter compares with one.`;
        case "range":
          return `${endpoint} compares with the current ${name}, which may have another order than what older versions see.`;
        default:
          return `${endpoint} is in the order of the current ${name}, which may be another than that of what older versions see.`;
      }
    },
    ({ name, by }) => {
      switch (by) {
        case "path":
          return `Leave ${name} as it is, and add a field with the new form: a path is not converted.`;
        case "order":
          return "Write the order as an expression that reads `request.version`.";
        default:
          return "Write the filter as an input with a `Where` that reads `request.version`.";
      }
    },
  ),
  "versioning/renamed-elsewhere": mistake<{
    readonly from: string;
    readonly to: string;
    readonly part: string;
    readonly name: string;
  }>(
    ({ from, to }) => `A field can't be renamed from ${from} to ${to}.`,
    ({ from, to, part, name }) =>
      `Write \`- Removed: ${from}.${part}, was <expr>\` and \`- Added: ${to}.${name}\`; or, if ${from} itself was renamed to ${to}, write each change in a line of its own.`,
  ),
  "versioning/said-twice": warning<Named & { readonly version: string }>(
    ({ name, version }) => `Duplicate change of "${name}" in ${version}.`,
    "Keep one of the two.",
  ),
  "versioning/still-there": mistake<Named & { readonly by: "renamed" | "removed" }>(
    ({ name, by }) => `${name} is ${by} in this version, but it still exists in the document.`,
    ({ name, by }) =>
      by === "renamed"
        ? `Write the old name before \`to\` and the new one after it, or remove ${name} from the document.`
        : `Remove ${name} from the document, or remove this change.`,
  ),
};
