/** The diagnostics of part 5, authentication. */
import { mistake, note, warning } from "../code.ts";
import {
  duplicate,
  formCodes,
  unknownField,
  unknownHeading,
  unknownName,
  unknownResource,
  valueForRecord,
} from "./form-codes.ts";

export const authenticationCodes = {
  ...formCodes("authentication"),
  "authentication/unknown-heading": unknownHeading,
  "authentication/unknown-resource": unknownResource,
  "authentication/unknown-field": unknownField,
  "authentication/value-for-record": valueForRecord,
  "authentication/repeated-scheme": duplicate<{ readonly name: string }>(
    ({ name }) => `scheme "${name}"`,
    "Rename one of the two.",
  ),
  "authentication/not-a-credential": mistake<{ readonly field: string; readonly type: string }>(
    ({ field, type }) => `\`${field}\` can't identify a caller: it is a ${type} and not unique.`,
    "Give the field the type `credential`, or name one that is unique.",
  ),
  "authentication/not-a-reference": mistake<{ readonly field: string }>(
    ({ field }) => `\`${field}\` is not a reference to a record, so \`for\` can't name it.`,
    "Name a field whose type is a resource.",
  ),
  "authentication/unknown-algorithm": unknownName<{
    readonly name: string;
    readonly known: readonly string[];
  }>("signing algorithm"),
  "authentication/wrong-key": mistake<{ readonly algorithm: string; readonly takes: "secret" | "keys" }>(
    ({ algorithm, takes }) =>
      takes === "keys"
        ? `${algorithm} needs public keys, not a shared secret.`
        : `${algorithm} needs a shared secret, not public keys.`,
    ({ algorithm, takes }) =>
      `Write \`${algorithm}, ${takes === "keys" ? "keys at https://…" : "secret env JWT_SECRET"}\`, or name another algorithm.`,
  ),
  "authentication/signed-without-claim": mistake<{ readonly scheme: string }>(
    ({ scheme }) => `Scheme "${scheme}" has signed tokens, but its credentials name no claim.`,
    "Add the claim that identifies the caller, as in `- Credentials: User by id, from claim sub`.",
  ),
  "authentication/ends-without-token": mistake<{ readonly scheme: string }>(
    ({ scheme }) => `\`Ends with\` has no effect: the service issues no tokens of scheme "${scheme}".`,
    "Remove this item. It needs `- Credentials: User by id, from claim sub` with `- Signed with: HS256, secret env JWT_SECRET`.",
  ),
  "authentication/token-outlives-password": note<{ readonly scheme: string; readonly field: string }>(
    ({ scheme, field }) =>
      `A token of scheme "${scheme}" stays valid after the ${field} of its record changes.`,
    ({ field }) =>
      `Add \`- Ends with: ${field}\` to revoke it then, or \`- Ends with: none\` to keep it valid.`,
  ),
  "authentication/places-and-fields": mistake<{ readonly fields: number; readonly places: number }>(
    ({ fields, places }) =>
      `The credentials have ${fields === 1 ? "one field" : "two fields"}, but a request has ${places === 1 ? "one place" : "two places"} for them.`,
    ({ fields }) =>
      fields === 1
        ? "Write `- Placement: basic user`."
        : "Write `- Placement: basic user and password`, or name one field.",
  ),
  "authentication/caller-no-record": mistake<{ readonly kind: string }>(
    ({ kind }) => `The caller must be a record, but this is of type ${kind}.`,
    "Name a field whose type is a resource, such as `this.account`.",
  ),
  "authentication/different-callers": mistake<{ readonly endpoint: string; readonly callers: string }>(
    ({ endpoint, callers }) => `Ambiguous \`caller\` of ${endpoint}: it is ${callers}.`,
    "Name the scheme of this endpoint with `- Scheme: …`, or make `- Caller: …` or `for …` of all its schemes lead to the same resource.",
  ),
  "authentication/token-unsigned": mistake<{ readonly resource: string }>(
    ({ resource }) => `No scheme signs tokens of ${resource} with a secret, so none can be issued.`,
    ({ resource }) =>
      `Add a scheme with \`- Credentials: ${resource} by …, from claim sub\` and \`- Signed with: HS256, secret env …\`.`,
  ),
  "authentication/tokens-alike": warning<{
    readonly scheme: string;
    readonly other: string;
    readonly isRefused: boolean;
  }>(
    ({ scheme, other, isRefused }) =>
      isRefused
        ? `Scheme "${scheme}" accepts no token from another issuer: it could be for "${other}", which has the same secret and claim.`
        : `Scheme "${scheme}" also accepts tokens of "${other}": both have the same keys and claim.`,
    "Give each scheme an `- Audience:` or an `- Issuer:` of its own, or another claim.",
  ),
};
