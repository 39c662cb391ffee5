/** The diagnostics of part `events`: each code once, with its words. */
import { code } from "../code.ts";
import {
  formCodes,
  tableCodes,
  type UnknownName,
  unknownField,
  unknownHeading,
  unknownName,
  unknownResource,
  unknownShape,
  valueForRecord,
} from "./form-codes.ts";

export const eventsCodes = {
  ...formCodes("events"),
  ...tableCodes("events"),
  "events/unknown-heading": unknownHeading,
  "events/unknown-resource": unknownResource,
  "events/unknown-field": unknownField,
  "events/unknown-shape": unknownShape,
  "events/value-for-record": valueForRecord,
  "events/repeated-event": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The event "${name}" stands in the table twice.`,
    hint: () => "Write what makes it in one cell, parted by commas: `Parcel give_back, Parcel lapse`.",
  }),
  "events/never-reached": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" is never reached: what stands before it has no condition.`,
    hint: () => "Keep one of the two, or put the one without `when` last.",
  }),
  "events/unknown-transition": unknownName<UnknownName & { readonly resource: string }>(
    ({ resource }) => `transition of ${resource} called`,
  ),
  "events/unknown-state": unknownName<UnknownName & { readonly resource: string }>(
    ({ resource }) => `state of ${resource} called`,
  ),
  "events/no-address": code<{ readonly field: string; readonly type: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, type }) =>
      type === undefined
        ? `${field} leads nowhere.`
        : `${field} is of type ${type}; an address is a \`uri\`.`,
    hint: () => "Name the field that holds the address of the webhook.",
  }),
  "events/no-secret": code<{ readonly text: string; readonly type: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text, type }) =>
      type === "credential" || type === "password"
        ? `${text} is a ${type}: only its hash is kept, and nothing can be signed with that.`
        : `${text} is of type ${type}; a secret is a text, or a list of texts.`,
    hint: () => 'Sign with a `string` field, ``on create `"whsec_" + base64(randomBytes(24))`, shown once``.',
  }),
  "events/payload-of-other": code<{ readonly shape: string; readonly of: string; readonly resource: string }>(
    {
      kind: "mistake",
      severity: "error",
      message: ({ shape, of, resource }) =>
        `${shape} is a shape of ${of}, but this event is about ${resource}.`,
      hint: ({ resource }) => `Name a shape of ${resource}, or write an expression in backticks.`,
    },
  ),
};
