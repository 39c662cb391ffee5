/** The diagnostics of part `authentication`: each code once, with its words. */
import { code } from "../code.ts";
import { formCodes, unknownField, unknownHeading, unknownResource, valueForRecord } from "./form-codes.ts";

export const authenticationCodes = {
  ...formCodes("authentication"),
  "authentication/unknown-heading": unknownHeading,
  "authentication/unknown-resource": unknownResource,
  "authentication/unknown-field": unknownField,
  "authentication/value-for-record": valueForRecord,
  "authentication/repeated-scheme": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There are two schemes called "${name}".`,
    hint: () => "Give each a name of its own.",
  }),
  "authentication/not-a-credential": code<{ readonly field: string; readonly type: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, type }) =>
      `A caller can't be found by ${field}: it is of type ${type} and not unique.`,
    hint: () => "Give the field the type `credential`, or name one that is unique.",
  }),
  "authentication/not-a-reference": code<{ readonly field: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ field }) => `${field} leads to no record, so it can't be what \`for\` names.`,
    hint: () => "Name a field whose type is a resource.",
  }),
  "authentication/unknown-algorithm": code<{ readonly name: string; readonly known: readonly string[] }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `Tokens can't be signed with "${name}".`,
    hint: ({ known }) => `Algorithms are ${known.join(", ")}.`,
  }),
  "authentication/wrong-key": code<{ readonly algorithm: string; readonly takes: "secret" | "keys" }>({
    kind: "mistake",
    severity: "error",
    message: ({ algorithm, takes }) =>
      takes === "keys"
        ? `${algorithm} needs public keys, not a shared secret.`
        : `${algorithm} needs a shared secret, not public keys.`,
    hint: ({ algorithm, takes }) =>
      `Write \`${algorithm}, ${takes === "keys" ? "keys at https://…" : "secret env JWT_SECRET"}\`, or name another algorithm.`,
  }),
  "authentication/signed-without-claim": code<{ readonly scheme: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ scheme }) => `Scheme "${scheme}" has signed tokens, but its credentials name no claim.`,
    hint: () => "Write `- Credentials: User by id, from claim sub`.",
  }),
  "authentication/ends-without-token": code<{ readonly scheme: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ scheme }) =>
      `The service makes no tokens of scheme "${scheme}", so \`Ends with\` would have no effect.`,
    hint: () =>
      "It is for `- Credentials: User by id, from claim sub` with `- Signed with: HS256, secret env JWT_SECRET`.",
  }),
  "authentication/token-outlives-password": code<{ readonly scheme: string; readonly field: string }>({
    kind: "mistake",
    severity: "note",
    message: ({ scheme, field }) =>
      `A token of scheme "${scheme}" stays good when the ${field} of its record changes.`,
    hint: ({ field }) =>
      `Add \`- Ends with: ${field}\` to end it then; \`- Ends with: none\` says that it stays.`,
  }),
  "authentication/places-and-fields": code<{ readonly fields: number; readonly places: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ fields, places }) =>
      `These credentials are ${fields === 1 ? "one field" : "two fields"}, but a request has ${places === 1 ? "one place" : "two places"} for them.`,
    hint: ({ fields }) =>
      fields === 1
        ? "Write `- Placement: basic user`."
        : "Write `- Placement: basic user and password`, or name one field.",
  }),
  "authentication/caller-no-record": code<{ readonly kind: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ kind }) => `A caller is a record, and this is of type ${kind}.`,
    hint: () => "Name a field whose type is a resource, `this.account`.",
  }),
  "authentication/different-callers": code<{ readonly endpoint: string; readonly callers: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ endpoint, callers }) => `\`caller\` of ${endpoint} is not of one type: it is ${callers}.`,
    hint: () =>
      "Say by `- Scheme: …` which scheme serves here, or let `- Caller: …` or `for …` lead to the same resource in all that do.",
  }),
  "authentication/token-unsigned": code<{ readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource }) => `No scheme signs tokens of ${resource} with a secret, so none can be made.`,
    hint: ({ resource }) =>
      `Add a scheme with \`- Credentials: ${resource} by …, from claim sub\` and \`- Signed with: HS256, secret env …\`.`,
  }),
  "authentication/tokens-alike": code<{
    readonly scheme: string;
    readonly other: string;
    readonly isRefused: boolean;
  }>({
    kind: "mistake",
    severity: "warning",
    message: ({ scheme, other, isRefused }) =>
      isRefused
        ? `No token that is made elsewhere is good for scheme "${scheme}": it might be meant for "${other}", which has the same secret and claim.`
        : `A token that is meant for scheme "${other}" is good for "${scheme}" too: the same keys and claim, and nothing else is asked of it.`,
    hint: () => "Give each scheme an `- Audience:` or an `- Issuer:` of its own, or another claim.",
  }),
};
