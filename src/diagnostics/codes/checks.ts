/** The diagnostics of the checks over the whole model, which see several parts at once. */
import { mistake, warning } from "../code.ts";
import { didYouMean, type Unlisted, unknownName } from "./form-codes.ts";

const oneTextHints = {
  input: "Add `as JSON` to its rules: the text then contains the object.",
  path: "Give each of the fields a segment of the path, or select the record with `- Where: …`.",
  page: "Write `cursor (after: after)`: the service encodes the position itself.",
} as const;

export interface Work {
  /** Nested scans: the second resource is scanned for each record of the first, and so on. */
  readonly through: readonly string[];
  /** Whether all that happens for each record of a page. */
  readonly page: boolean;
  readonly inWrite: boolean;
}

function scanWords({ through, page }: Work): string {
  const [first, ...others] = through.map((name) => `every ${name}`);
  const each = page ? `${first} for each record of a page` : `${first}`;
  return [each, ...others.map((every) => `for each of them ${every}`)].join(", ");
}

function stepsWords({ through, page }: Work): string {
  const records = 10_000;
  const steps = records ** through.length * (page ? 50 : 1);
  return `with ${records.toLocaleString("en")} records of each, that is ${steps.toLocaleString("en")} steps`;
}

const workHint = ({ through }: Work) =>
  `Select the ${through.at(-1)} records by \`==\` on a stored field (\`x.field == …\`), which an index can serve. Or store the result in a field, and set it where it changes.`;

export interface LongInlined {
  /** The number of names, values and operators. */
  readonly size: number;
  /** The computed field or the shape that contributes most. */
  readonly most?: string;
}

const inlinedMessage = ({ size, most }: LongInlined) =>
  `With its computed fields and shapes expanded, this expression has ${size.toLocaleString("en")} names, values and operators${most === undefined ? "" : `, most of them from ${most}`}`;

const inlinedHint = ({ most }: LongInlined) =>
  most?.includes(".")
    ? `Store the result of ${most} (\`on create …, on update …\`), or use it less often.`
    : "Store values that are computed several times in fields (`on create …, on update …`).";

type Embedding = {
  readonly event: string;
  readonly resource: string;
};

export const checksCodes = {
  "expressions/much-work": warning<Work>(
    (work) => `This expression reads ${scanWords(work)}: ${stepsWords(work)}.`,
    workHint,
  ),
  "expressions/too-much-work": mistake<Work>(
    (work) =>
      `This expression reads ${scanWords(work)}: ${stepsWords(work)}${work.inWrite ? ", and all writes wait for it" : ""}.`,
    workHint,
  ),
  "expressions/long-in-place": warning<LongInlined>(
    (long) => `${inlinedMessage(long)}, which can exceed a limit of the database.`,
    inlinedHint,
  ),
  "expressions/too-long-in-place": mistake<LongInlined>(
    (long) => `${inlinedMessage(long)}, which is too many.`,
    inlinedHint,
  ),
  "expressions/unanswerable": mistake<{ readonly function: string; readonly picks: boolean }>(
    ({ function: name, picks }) =>
      `\`${name}()\` is not allowed here: the database can't compute it ${picks ? "to select or sort records" : "for stored records"}.`,
    ({ function: name }) =>
      `Store the result of ${name}() in a field (\`on create\`, \`on update\`, \`Set\`), and read the field.`,
  ),
  "expressions/other-case": warning<{ readonly function: string; readonly field: string }>(
    (params) =>
      `\`${params.function}\` maps all characters, and \`any case\` of ${params.field} ignores only the case of A to Z: "É" and "é" are equal here, and two values of the field.`,
    ({ field }) => `Compare \`${field}\` itself, or write \`lower case\` instead of \`any case\` in its row.`,
  ),
  "expressions/shape-unknown": warning<{ readonly shape: string; readonly name: string }>(
    ({ shape, name }) => `Unknown name "${name}" in the shape ${shape}: it does not exist here and is null.`,
    ({ shape, name }) => `Write another shape here, one like ${shape} that does not read \`${name}\`.`,
  ),
  "expressions/sequence-elsewhere": mistake(
    "`sequence()` is not allowed here: it counts only where a field is set.",
    "Write it after `made by` of an identifier, in `on create` or `default`, in `Set` or in an effect.",
  ),
  "resources/identifier-repeats": mistake<{
    readonly resource: string;
    readonly field: string;
    readonly within: string;
  }>(
    ({ resource, field, within }) =>
      `\`${field}\` does not identify one ${resource}: it counts within each \`${within}\`, so the first ${resource} of every \`${within}\` has the same number.`,
    ({ field, within }) =>
      `Store what it counts within in a field of the record, and write \`- Identifier: ${field}, made by sequence(${within})\` with that field's name.`,
  ),
  "resources/identifier-computed": mistake<{ readonly field: string }>(
    ({ field }) => `\`${field}\` is computed when it is read, so it can't be the identifier.`,
    ({ field }) =>
      `Store it: write \`on create\` instead of \`=\`, or \`- Identifier: ${field}, made by …\`.`,
  ),
  "endpoints/identified-in-one-text": mistake<{
    readonly name: string;
    readonly resource: string;
    readonly fields: readonly string[];
    readonly location: "input" | "path" | "page";
  }>(
    ({ name, resource, fields }) =>
      `\`${name}\` is one text and can't identify one ${resource}, whose identifier is ${fields.join(" and ")}.`,
    ({ location }) => oneTextHints[location],
  ),
  "endpoints/unused-item": warning<{ readonly key: string }>(
    ({ key }) => `Unused item "${key}" of the part: no endpoint uses it.`,
    "Remove it, or move it under the endpoint that it is for.",
  ),
  "endpoints/made-where-found": mistake<{
    readonly resource: string;
    readonly path: string;
    readonly field: string;
  }>(
    ({ resource, path, field }) =>
      `This create never succeeds: ${path} selects an existing ${resource}, and the new one has the same \`${field}\`.`,
    ({ resource }) =>
      `Write \`- Does: upsert ${resource}\`, which creates a missing record, or remove \`- Is: ${resource}\` from the path.`,
  ),
  "endpoints/fails-decided": warning<{
    readonly code: string;
    readonly holds: boolean;
    readonly field: string;
  }>(
    ({ code, holds, field }) =>
      `"${code}" rejects ${holds ? "every" : "no"} request: \`Set\` sets \`${field}\` before this is evaluated.`,
    ({ field }) => `Write \`old.${field}\` for the value before the change.`,
  ),
  "events/unknown-type": unknownName<Unlisted>(
    "event type",
    undefined,
    (params) => didYouMean(params) ?? "Write the name of an event of part 6.",
  ),
  "resources/past-visible": warning<{ readonly resource: string; readonly condition: string }>(
    ({ resource }) =>
      `This expression reads every ${resource}, including those that \`Visible\` hides from the caller: an expression reads all records.`,
    ({ resource, condition }) => {
      const variable = resource.slice(0, 1).toLowerCase();
      const narrowed = condition.replace(/\bthis\b/g, variable);
      return `Replace \`${resource}\` with \`${resource}.filter(${variable}, ${narrowed})\`. If all records are intended, write \`${resource}.filter(${variable}, true)\`.`;
    },
  ),
  "resources/among-own-records": warning<{ readonly code: string; readonly resource: string }>(
    ({ code, resource }) =>
      `"${code}" compares a changed ${resource} with itself, too, and a new one only with the others.`,
    ({ resource }) => {
      const variable = resource.slice(0, 1).toLowerCase();
      return `Leave the record itself out, \`${variable} != this\`, and add its own value where the rule needs it.`;
    },
  ),
  "resources/visible-forgotten": warning<{
    readonly resource: string;
    readonly field: string;
    readonly tenant: string;
    readonly other: string;
  }>(
    ({ resource, tenant, other }) =>
      `${resource} belongs to a ${tenant} as ${other} does, but every caller can read the ${resource} records of every ${tenant}.`,
    ({ field }) =>
      `Add a \`Visible\` that compares \`this.${field}\`, or \`- Visible: true\` if this is intended.`,
  ),
  "endpoints/embeds-invisible": warning<{
    readonly outer: string;
    readonly inner: string;
    readonly path: string;
  }>(
    ({ outer, inner }) =>
      `Responses return ${inner} records to every caller who can read ${inner === outer ? "another" : "the"} ${outer}, although ${inner} has a \`Visible\`.`,
    ({ outer, inner, path }) =>
      `Return only the identifier; or give ${inner} a shape with what every caller may read; or check the \`Visible\` of ${inner} on \`${path}\` ${inner === outer ? "before the record is returned" : `in the \`Visible\` of ${outer}`}.`,
  ),
  "endpoints/unfiltered-stream": mistake<Embedding>(
    ({ event, resource }) =>
      `This endpoint sends "${event}" to every caller, although ${resource} has a \`Visible\`.`,
    "Add a condition: `- Sends: … when this.shop == caller.shop`.",
  ),
  "events/unfiltered-webhooks": warning<Embedding & { readonly receiver: string }>(
    ({ event, resource, receiver }) =>
      `Every ${receiver} receives "${event}" of every ${resource}, although ${resource} has a \`Visible\`.`,
    "Add a condition: `- Webhooks: to Hook.url when hook.shop == this.shop`.",
  ),
  "endpoints/ends-unsent": mistake<{ readonly event: string }>(
    ({ event }) =>
      `The stream ends after "${event}" but does not send it, so no condition selects the "${event}" that ends it.`,
    ({ event }) =>
      `Add \`- Sends: ${event} when …\`, or end it by a condition: \`- Ends: when parcel.status == "delivered"\`.`,
  ),
  "events/event-of-own-record": mistake<{ readonly resource: string }>(
    ({ resource }) =>
      `Events of ${resource} are not allowed: its records are created by events, so each would cause another.`,
    "Add an effect that changes the record that the delivery refers to, and name that change here.",
  ),
  "events/delivery-made": mistake<{ readonly resource: string }>(
    ({ resource }) => `A ${resource} can't be created here: the service creates it with each event.`,
    "To send something again, declare an event in part 6 and send it.",
  ),
  "events/delivery-held": mistake<{ readonly resource: string }>(
    ({ resource }) =>
      `This reference would keep records of ${resource}, which the service deletes when they expire.`,
    "Add `on delete cascade` or `on delete clear`.",
  ),
  "events/never-sent": warning<{ readonly name: string }>(
    ({ name }) => `Event "${name}" never occurs: no effect sends it.`,
    ({ name }) => `Add the effect \`send ${name}\` where it occurs, or name its trigger in \`When\`.`,
  ),
};
