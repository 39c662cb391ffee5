/** The diagnostics of the checks over the whole model, which see several parts at once: each code once, with its words. */
import { code } from "../code.ts";

const oneTextHints = {
  input: "Add `as JSON` to its rules: the text then holds the object.",
  path: "Give each of the fields a part of the path, or say with `- Where: …` which record is meant.",
  page: "Write `cursor (after: after)`: what its parameter holds is the service's own.",
} as const;

export interface Work {
  /** Resources, the second gone through for each record of the first, and so on. */
  readonly through: readonly string[];
  /** All that for each record of a page. */
  readonly page: boolean;
  readonly inWrite: boolean;
}

function waysWords({ through, page }: Work): string {
  const [first, ...others] = through.map((name) => `every ${name}`);
  const each = [page ? `for each record of a page at ${first}` : `at ${first}`];
  return [...each, ...others.map((every) => `for each of them at ${every}`)].join(", ");
}

function stepsWords({ through, page }: Work): string {
  const records = 10_000;
  const steps = records ** through.length * (page ? 50 : 1);
  return `with ${records.toLocaleString("en")} of each that is ${steps.toLocaleString("en")} steps`;
}

const workHint = ({ through }: Work) =>
  `Let \`==\` on a stored field say which ${through.at(-1)} are meant (\`x.field == …\`): an index then leads to them. Or keep what is asked in a field, and set it where it changes.`;

export interface LongInPlace {
  /** Names, values and operators. */
  readonly size: number;
  /** The computed field or the shape that makes up most of it. */
  readonly most?: string;
}

const inPlaceWords = ({ size, most }: LongInPlace) =>
  `this becomes ${size.toLocaleString("en")} names, values and operators${most === undefined ? "" : `, most of them those of ${most}`}`;

const inPlaceHint = ({ most }: LongInPlace) =>
  most?.includes(".")
    ? `Keep what ${most} works out (\`on create …, on update …\`), or name it less often.`
    : "Keep in fields (`on create …, on update …`) what is worked out several times.";

export const checksCodes = {
  "expressions/much-work": code<Work>({
    kind: "mistake",
    severity: "warning",
    message: (work) => `This looks ${waysWords(work)}: ${stepsWords(work)}.`,
    hint: workHint,
  }),
  "expressions/too-much-work": code<Work>({
    kind: "mistake",
    severity: "error",
    message: (work) =>
      `This looks ${waysWords(work)}: ${stepsWords(work)}${work.inWrite ? ", and all changes wait for it" : ""}.`,
    hint: workHint,
  }),
  "expressions/long-in-place": code<LongInPlace>({
    kind: "mistake",
    severity: "warning",
    message: (long) =>
      `With computed fields and shapes in their places ${inPlaceWords(long)}, and may be more than a store takes.`,
    hint: inPlaceHint,
  }),
  "expressions/too-long-in-place": code<LongInPlace>({
    kind: "mistake",
    severity: "error",
    message: (long) => `With computed fields and shapes in their places ${inPlaceWords(long)}.`,
    hint: inPlaceHint,
  }),
  "expressions/unanswerable": code<{ readonly function: string; readonly picks: boolean }>({
    kind: "mistake",
    severity: "error",
    message: ({ function: name, picks }) =>
      picks
        ? `${name}() can't be asked of each stored record, to pick or to sort them.`
        : `${name}() can't be asked of stored records here.`,
    hint: ({ function: name }) =>
      `Keep what ${name}() gives in a field (\`on create\`, \`on update\`, \`Set\`), and ask for the field.`,
  }),
  "expressions/shape-unknown": code<{ readonly shape: string; readonly name: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ shape, name }) => `The shape ${shape} names ${name}, which isn't known here: it is null.`,
    hint: ({ shape }) => `Use a shape here that doesn't name it, beside ${shape}.`,
  }),
  "expressions/sequence-elsewhere": code<object>({
    kind: "mistake",
    severity: "error",
    message: () => "sequence() counts where a field is set, and nothing is set here.",
    hint: () => "Write it as an identifier's maker, in `on create` or `default`, in `Set` or in an effect.",
  }),
  "resources/identifier-repeats": code<{
    readonly resource: string;
    readonly field: string;
    readonly within: string;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, field, within }) =>
      `This counts within each \`${within}\`, so the first ${resource} of each would have the same \`${field}\`.`,
    hint: ({ field, within }) =>
      `Keep what it counts in in a field of the record, and write \`- Identifier: ${field}, made by sequence(${within})\` with that field's name.`,
  }),
  "resources/identifier-computed": code<{ readonly field: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ field }) => `\`${field}\` is worked out when it is read, so it can't identify records.`,
    hint: ({ field }) =>
      `Let it be stored: write \`on create\` in place of \`=\`, or \`- Identifier: ${field}, made by …\`.`,
  }),
  "endpoints/identified-in-one-text": code<{
    readonly name: string;
    readonly resource: string;
    readonly fields: readonly string[];
    readonly place: "input" | "path" | "page";
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, resource, fields }) =>
      `\`${name}\` is one text, and can't name a record of ${resource}, which ${fields.join(" and ")} identify together.`,
    hint: ({ place }) => oneTextHints[place],
  }),
  "endpoints/unused-item": code<{ readonly key: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ key }) =>
      `"${key}" of the whole part holds for no endpoint: each has its own, or it means nothing there.`,
    hint: () => "Take it out, or put it under the endpoint that it is meant for.",
  }),
  "endpoints/made-where-found": code<{
    readonly resource: string;
    readonly path: string;
    readonly field: string;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, path, field }) =>
      `This can't succeed: ${path} stands for a ${resource} that is there, and the new one takes its \`${field}\`.`,
    hint: ({ resource }) =>
      `Write \`- Does: upsert ${resource}\`, which makes it where it is not there, or take \`- Is: ${resource}\` from the path.`,
  }),
  "endpoints/fails-decided": code<{ readonly code: string; readonly holds: boolean; readonly field: string }>(
    {
      kind: "mistake",
      severity: "warning",
      message: ({ code: name, holds, field }) =>
        holds
          ? `"${name}" refuses every request: \`Set\` gives \`${field}\` its value before this is evaluated.`
          : `"${name}" never refuses: \`Set\` gives \`${field}\` its value before this is evaluated.`,
      hint: ({ field }) => `What the record had before is \`old.${field}\`.`,
    },
  ),
  "events/unknown-type": code<{ readonly name: string; readonly nearest: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `No event has the type "${name}".`,
    hint: ({ nearest }) =>
      nearest === undefined ? "Write the name of an event of part 6." : `Did you mean "${nearest}"?`,
  }),
  "resources/past-visible": code<{ readonly resource: string; readonly condition: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ resource }) =>
      `This reads every ${resource}, including those that \`Visible\` hides from the caller: an expression sees all records.`,
    hint: ({ resource, condition }) => {
      const variable = resource.slice(0, 1).toLowerCase();
      const narrowed = condition.replace(/\bthis\b/g, variable);
      return `Replace \`${resource}\` with \`${resource}.filter(${variable}, ${narrowed})\`. If all records are meant, write \`${resource}.filter(${variable}, true)\`.`;
    },
  }),
  "resources/visible-forgotten": code<{
    readonly resource: string;
    readonly field: string;
    readonly tenant: string;
    readonly other: string;
  }>({
    kind: "mistake",
    severity: "warning",
    message: ({ resource, tenant, other }) =>
      `${resource} belongs to a ${tenant} as ${other} does, but every caller sees the records of every ${tenant}.`,
    hint: ({ field }) =>
      `Add a \`Visible\` that compares \`this.${field}\`; \`- Visible: true\` says that this is meant.`,
  }),
  "endpoints/embeds-invisible": code<{
    readonly outer: string;
    readonly inner: string;
    readonly path: string;
  }>({
    kind: "mistake",
    severity: "warning",
    message: ({ outer, inner }) =>
      `This shows ${inner} records, of which not everybody may see each, to whoever sees the ${outer}.`,
    hint: ({ outer, inner, path }) =>
      `Show the identifier alone, give ${inner} a shape with what anybody may see, or ask ${inner}'s \`Visible\` of \`${path}\` in that of ${outer}.`,
  }),
  "endpoints/stream-tells-everybody": code<{ readonly event: string; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ event, resource }) =>
      `This sends "${event}" to everybody, but not everybody may see every ${resource} (its \`Visible\`).`,
    hint: () => "Add a condition: `- Sends: … when this.shop == caller.shop`.",
  }),
  "events/webhooks-tell-everybody": code<{
    readonly event: string;
    readonly resource: string;
    readonly receiver: string;
  }>({
    kind: "mistake",
    severity: "warning",
    message: ({ event, resource, receiver }) =>
      `Every ${receiver} is told "${event}" of each ${resource}, though not everybody may see them all (its \`Visible\`).`,
    hint: () => "Say which are told: `- Webhooks: to Hook.url when hook.shop == this.shop`.",
  }),
  "endpoints/ends-unsent": code<{ readonly event: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ event }) =>
      `The stream ends after "${event}", which it doesn't send, so that nobody could tell whose "${event}" ends it.`,
    hint: ({ event }) =>
      `Add \`- Sends: ${event} when …\`, or end it by a condition: \`- Ends: when parcel.status == "delivered"\`.`,
  }),
  "events/never-told": code<{ readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource }) =>
      `No event is told of ${resource}: its records are made of events, and there would be no end.`,
    hint: () => "Tell of the record that it is about: let an effect change that, and name its change here.",
  }),
  "events/delivery-made": code<{ readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource }) => `A ${resource} is made by the service alone, with the event that it carries.`,
    hint: () => "What is told again is told by an event of its own: name it in part 6, and send it.",
  }),
  "events/delivery-held": code<{ readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource }) =>
      `Records of ${resource} are forgotten when their time is over, and this reference would keep them.`,
    hint: () => "Add `on delete cascade` or `on delete clear`.",
  }),
  "events/never-sent": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ name }) => `No effect sends "${name}", so it never happens.`,
    hint: ({ name }) =>
      `Add the effect \`send ${name}\` where it happens, or name in \`When\` what makes it happen.`,
  }),
};
