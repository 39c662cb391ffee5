/** The diagnostics of part 3, states and transitions, and of effects in every part. */
import { mistake, warning } from "../code.ts";
import {
  duplicate,
  formCodes,
  nameInUse,
  tableCodes,
  type UnknownName,
  unknownErrorCode,
  unknownEvent,
  unknownName,
  unknownState,
  unknownTransition,
  valueForRecord,
  upsertWithoutKey,
} from "./form-codes.ts";

export const statesCodes = {
  ...formCodes("states"),
  ...tableCodes("states"),
  "states/value-for-record": valueForRecord,

  // ── Machines ──────────────────────────────────────────────────────────────────────────────────
  "states/duplicate-machine": duplicate<{ readonly name: string }>(
    ({ name }) => `state machine "${name}"`,
    "Merge both sections under one heading.",
  ),
  "states/no-machine": unknownName("state machine"),
  "states/identifier-as-state": mistake<{ readonly field: string }>(
    ({ field }) => `\`${field}\` is the identifier, so it can't be the state field.`,
    "Name another field. It needs no row in part 2.",
  ),
  "states/state-without-field": mistake<{ readonly state: string; readonly resource: string }>(
    ({ state, resource }) => `State "${state}" is not allowed here: ${resource} has no state field.`,
    "Add `- State field: status` under the heading, or `- State field: not shown`.",
  ),
  "states/unknown-state": unknownState,
  "states/unsound-state": mistake<{ readonly text: string }>(
    ({ text }) => `Invalid state name "${text}".`,
    "Write letters, digits, `_`, `-` and blanks, 64 characters at most. `any` is allowed only in From, `same` only in To.",
  ),
  "states/repeated-state": duplicate<{ readonly state: string }>(({ state }) => `state "${state}"`),
  "states/unreached-state": warning<{ readonly state: string; readonly resource: string }>(
    ({ state, resource }) => `Unreachable state "${state}" of ${resource}: no transition leads to it.`,
    "Add a transition to it, or correct its name.",
  ),

  // ── Transitions ───────────────────────────────────────────────────────────────────────────────
  "states/never-called": warning<{ readonly transition: string; readonly resource: string }>(
    ({ transition, resource }) =>
      `Transition "${transition}" of ${resource} never fires: no endpoint and no effect calls it.`,
    ({ transition, resource }) =>
      `Add an endpoint with \`- Does: ${transition} ${resource}\`, an effect \`do ${transition} on ${resource} where …\`, or another trigger.`,
  ),
  "states/row-without-name": mistake(
    "This row has no transition name.",
    "Write the name in the column `Transition`. Rows with the same name are ends of one transition.",
  ),
  "states/reserved-transition": mistake<{ readonly name: string }>(
    ({ name }) => `The name "${name}" is reserved in \`Does\` or \`When\`, so a transition can't have it.`,
    ({ name }) => `Choose another name, such as \`mark_${name}\`.`,
  ),
  "states/unknown-transition": unknownTransition,
  "states/unknown-end": unknownName<UnknownName & { readonly transition: string }>(
    "end",
    ({ transition }) => ` of transition "${transition}"`,
  ),
  "states/never-taken": warning<{ readonly transition: string }>(
    ({ transition }) =>
      `This row of transition "${transition}" never applies: an earlier row with that name always does.`,
    "Give the earlier row a guard, or move this row before it.",
  ),
  "states/second-guard": duplicate<{ readonly subject: string }>(
    ({ subject }) => `guard of ${subject}`,
    "Write both conditions in one guard, joined with `&&`.",
  ),
  "states/trigger-without-states": mistake<{ readonly trigger: string; readonly resource: string }>(
    ({ trigger, resource }) =>
      `Trigger \`${trigger}\` counts from a change of state, but ${resource} has no state field.`,
    "Add `- State field: …`, or wait for a field: `at <timestamp field>`.",
  ),
  "states/immediate-circle": mistake<{
    readonly transition: string;
    /** The transitions of the circle, back to the first. */
    readonly circle: readonly string[];
  }>(
    ({ transition, circle }) =>
      `Circular transitions: "${transition}" fires immediately, again and again${circle.length > 2 ? ` (${circle.join(" → ")})` : ""}.`,
    "Make sure that after each step the next guard does not hold: write guards that exclude each other (`this.left == 0` and `this.left > 0`), or change the value in an effect. Or trigger one step by `call` or `after 1 second`.",
  ),

  // ── Effects ───────────────────────────────────────────────────────────────────────────────────
  "states/repeated-clause": duplicate<{ readonly word: string }>(
    ({ word }) => `clause "${word}"`,
    "Write one clause, with conditions joined by `&&` and values by commas.",
  ),
  "states/copies-secret": mistake<{ readonly field: string; readonly secret: string }>(
    ({ field, secret }) =>
      `\`${field}\` can't be set to ${secret}: a secret is returned once and stored as a hash.`,
    ({ secret }) =>
      `Refer to the record that has ${secret}, or return it in the response to the request that sets it: in a body, a header or a cookie.`,
  ),
  "states/not-assignable": mistake<{
    readonly field: string;
    readonly resource: string;
    readonly why: "computed" | "state" | "identifier";
  }>(
    ({ field, resource, why }) => refusals[why](field, resource),
    ({ why, resource }) => refusalHints[why](resource),
  ),
  "states/required-cleared": mistake<{ readonly field: string; readonly resource: string }>(
    ({ field, resource }) => `\`${field}\` of ${resource} is required, so it can't be cleared.`,
    "Remove `required`, or set a value.",
  ),
  "states/incomplete-create": mistake<{ readonly resource: string; readonly missing: readonly string[] }>(
    ({ resource, missing }) =>
      `Missing values for a new ${resource}: ${missing.map((name) => `\`${name}\``).join(", ")}.`,
    ({ missing }) =>
      `Add \`${missing.map((name) => `${name} = …`).join(", ")}\` after \`with\`, or a \`default\` in part 2.`,
  ),
  "states/upsert-without-key": upsertWithoutKey,
  "states/assigned-twice": duplicate<{ readonly name: string }>(({ name }) => `assignment to "${name}"`),
  "states/no-record": mistake<{ readonly name: string }>(
    ({ name }) => `Setting \`${name}\` is not allowed here: there is no current record.`,
    "Write `update <Resource> where … set …`.",
  ),
  "states/unknown-target": unknownName("field or record"),
  "states/ambiguous-target": mistake<{ readonly name: string; readonly resource: string }>(
    ({ name, resource }) => `Ambiguous name "${name}": it is a field of ${resource} and also a record.`,
    ({ name }) =>
      `Give a record that an effect creates another name after \`as\`; change a record of the path by \`update … where this == ${name} set …\`.`,
  ),
  "states/not-a-reference": mistake<{ readonly name: string }>(
    ({ name }) => `\`${name}\` is not a reference to a record, so nothing after its dot can be set.`,
    ({ name }) => `Set \`${name}\` as a whole.`,
  ),
  "states/name-taken": nameInUse,
  "states/as-of-many": mistake<{ readonly name: string }>(
    ({ name }) => `\`as ${name}\` is not allowed here: \`for\` can create many records.`,
    ({ name }) => `Remove \`as ${name}\`. A later effect can find the records with \`update … where\`.`,
  ),
  "states/not-a-list": mistake<{ readonly text: string }>(
    ({ text }) => `\`${text}\` is not a list, so \`for\` can't iterate over it.`,
    "Write a list or a collection after `in`, as in `Seat.filter(s, s.venue == venue)`.",
  ),
  "states/unknown-code": unknownErrorCode,
  "states/unknown-event": unknownEvent,
};

type Refusal = "computed" | "state" | "identifier";

const refusals: Readonly<Record<Refusal, (field: string, resource: string) => string>> = {
  computed: (field, resource) =>
    `\`${field}\` of ${resource} is computed when it is read, so it can't be set.`,
  state: (field, resource) => `\`${field}\` is the state of ${resource}; only transitions change it.`,
  identifier: (field, resource) => `\`${field}\` is the identifier of ${resource}, so it can't be changed.`,
};

const refusalHints: Readonly<Record<Refusal, (resource: string) => string | undefined>> = {
  computed: () => "Set the fields that it is computed from.",
  state: (resource) =>
    `Write \`do <transition> on ${resource} where …\`; for a new record, \`Initial state\` in part 3 can be an expression.`,
  identifier: () => "Create a new record instead.",
};
