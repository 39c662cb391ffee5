/** The diagnostics of part `versioning`: each code once, with its words. */
import { code } from "../code.ts";
import {
  formCodes,
  tableCodes,
  type UnknownName,
  unknownField,
  unknownHeading,
  unknownName,
  unknownShape,
} from "./form-codes.ts";
import { storedCodes } from "./stored.ts";

export const versioningCodes = {
  ...formCodes("versioning"),
  ...tableCodes("versioning"),
  ...storedCodes,
  "versioning/unknown-heading": unknownHeading,
  "versioning/unknown-field": unknownField,
  "versioning/unknown-shape": unknownShape,
  "versioning/unknown-version": unknownName(() => "version"),
  "versioning/unknown-status": unknownName(() => "status"),
  "versioning/unknown-endpoint": unknownName(() => "endpoint"),
  "versioning/unknown-input": unknownName<UnknownName & { readonly endpoint: string }>(
    ({ endpoint }) => `input of ${endpoint} called`,
  ),
  "versioning/repeated-version": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The version ${name} stands in the table twice.`,
    hint: () => "Keep one of the two.",
  }),
  "versioning/no-current": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "None of the versions is current, so it is open which one this document describes.",
    hint: () => "Give one the status `current`.",
  }),
  "versioning/second-current": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `${name} is the second version that is current.`,
    hint: () => "A version that is served beside the current one is `supported`.",
  }),
  "versioning/current-until": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ name }) => `${name} is current and yet ends on a day.`,
    hint: () => "Leave the day out, or make the version `deprecated`.",
  }),
  "versioning/prefix-twice": code<{
    readonly version: string;
    readonly path: string;
    readonly instead: string;
  }>({
    kind: "mistake",
    severity: "warning",
    message: ({ version, path }) =>
      `The version stands before the base path already, so this is served at /${version}${path}.`,
    hint: ({ instead }) => `Write \`${instead}\`.`,
  }),
  "versioning/versions-without-scheme": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `No request can ask for ${name}: the version scheme is \`none\`.`,
    hint: () =>
      "Write how a version is named, `- Scheme: header Api-Version`, or keep the current version alone.",
  }),
  "versioning/changes-in-oldest": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ name }) =>
      `There is no version before ${name} in the table, so nobody is served by these changes.`,
    hint: () => "Add the version before to the table, or take the changes out.",
  }),
  "versioning/required-unknown": code<{
    readonly version: string;
    readonly name: string;
    readonly endpoint: string;
  }>({
    kind: "mistake",
    severity: "warning",
    message: ({ version, name, endpoint }) =>
      `Callers of ${version} don't know ${name}, which is required, so ${endpoint} can't take it from them.`,
    hint: ({ name, endpoint }) =>
      `Say what it is for them, \`- Default: ${name}, was …\`, give it a \`default\`, leave its \`required\` out, make it of what they send (\`- Removed: … of ${endpoint}, as …\`), or keep the endpoint from them: \`- Endpoint added: ${endpoint}\`.`,
  }),
  "versioning/renamed-elsewhere": code<{
    readonly from: string;
    readonly to: string;
    readonly part: string;
    readonly name: string;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ from, to }) => `A field of ${from} can't become one of ${to}.`,
    hint: ({ from, to, part, name }) =>
      `Write \`- Removed: ${from}.${part}, was <expr>\` and \`- Added: ${to}.${name}\`; or, where ${from} itself became ${to}, each in a line of its own.`,
  }),
  "versioning/said-twice": code<{ readonly name: string; readonly version: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ name, version }) => `Another line says already what became of ${name} in ${version}.`,
    hint: () => "Keep the one that is true.",
  }),
  "versioning/still-there": code<{ readonly name: string; readonly by: "renamed" | "removed" }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `${name} is still there, so this version can't have taken the name away.`,
    hint: ({ name, by }) =>
      by === "renamed"
        ? "Check which of the two names is the new one."
        : `Take ${name} out of the document, or this change.`,
  }),
};
