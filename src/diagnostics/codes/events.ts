/** The diagnostics of part 6, events. */
import { mistake } from "../code.ts";
import {
  duplicate,
  formCodes,
  tableCodes,
  unknownField,
  unknownHeading,
  unknownResource,
  unknownShape,
  unknownState,
  unknownTransition,
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
  "events/repeated-event": duplicate<{ readonly name: string }>(
    ({ name }) => `event "${name}"`,
    "Write all its triggers in one cell, separated by commas: `Parcel give_back, Parcel lapse`.",
  ),
  "events/never-reached": mistake<{ readonly text: string }>(
    ({ text }) => `Unreachable entry "${text}": the entry before it has no condition.`,
    "Keep one of the two, or move the one without `when` to the end.",
  ),
  "events/unknown-transition": unknownTransition,
  "events/unknown-state": unknownState,
  "events/no-address": mistake<{ readonly field: string; readonly type: string | undefined }>(
    ({ field, type }) =>
      type === undefined
        ? `Unknown field "${field}" for the webhook address.`
        : `\`${field}\` is of type ${type}, but a webhook address is a \`uri\`.`,
    "Name the field of type `uri` that holds the address of the webhook.",
  ),
  "events/no-secret": mistake<{ readonly text: string; readonly type: string }>(
    ({ text, type }) =>
      type === "credential" || type === "password"
        ? `\`${text}\` can't sign: it is a ${type}, and only its hash is stored.`
        : `\`${text}\` can't sign: it is of type ${type}, but a secret is a text or a list of texts.`,
    'Sign with a `string` field, ``on create `"whsec_" + base64(randomBytes(24))`, shown once``.',
  ),
  "events/payload-of-other": mistake<{
    readonly shape: string;
    readonly of: string;
    readonly resource: string;
  }>(
    ({ shape, of, resource }) =>
      `"${shape}" is a shape of ${of}, but the record of this event is of ${resource}.`,
    ({ resource }) => `Name a shape of ${resource}, or write an expression in backticks.`,
  ),
};
