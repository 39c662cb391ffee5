/** The diagnostics of part 3, states and transitions, and of effects wherever they stand: each code once, with its words. */
import { code } from "../code.ts";
import {
  didYouMean,
  formCodes,
  tableCodes,
  type UnknownName,
  unknownErrorCode,
  unknownName,
  valueForRecord,
} from "./form-codes.ts";

export const statesCodes = {
  ...formCodes("states"),
  ...tableCodes("states"),
  "states/value-for-record": valueForRecord,

  // ── Machines ──────────────────────────────────────────────────────────────────────────────────
  "states/duplicate-machine": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The states of ${name} stand here a second time.`,
    hint: () => "Bring what stands under both headings together under one.",
  }),
  "states/no-machine": code<UnknownName>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There is no heading \`### ${name}\` with a table of transitions.`,
    hint: didYouMean,
  }),
  "states/identifier-as-state": code<{ readonly field: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ field }) => `\`${field}\` is the identifier, so it can't be the state field.`,
    hint: () => "Name another field; it needs no row in part 2.",
  }),
  "states/state-without-field": code<{ readonly state: string; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ state, resource }) => `"${state}" is a state, but ${resource} has no state field.`,
    hint: () => "Add `- State field: status` under the heading, or `- State field: not shown`.",
  }),
  "states/unknown-state": unknownName<UnknownName & { readonly resource: string }>(
    ({ resource }) => `state of ${resource} called`,
  ),
  "states/unsound-state": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" can't be the name of a state.`,
    hint: () =>
      "A state has letters, digits, `_`, `-` and blanks, 64 characters at most. `any` stands in From alone, `same` in To.",
  }),
  "states/repeated-state": code<{ readonly state: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ state }) => `"${state}" stands twice in this cell.`,
    hint: () => "Name each state once.",
  }),
  "states/unreached-state": code<{ readonly state: string; readonly resource: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ state, resource }) => `No ${resource} ever comes into the state "${state}".`,
    hint: () => "Add a transition to it, or mend its name.",
  }),

  // ── Transitions ───────────────────────────────────────────────────────────────────────────────
  "states/never-called": code<{ readonly transition: string; readonly resource: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ transition, resource }) =>
      `Nothing calls "${transition}": no endpoint does it, and no effect, so no ${resource} ever takes it.`,
    hint: ({ transition, resource }) =>
      `Add an endpoint with \`- Does: ${transition} ${resource}\`, an effect \`do ${transition} on ${resource} where …\`, or another trigger.`,
  }),
  "states/row-without-name": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "This row names no transition.",
    hint: () => "Write its name in the column `Transition`; rows of one name are ends of one transition.",
  }),
  "states/reserved-transition": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) =>
      `A transition can't be called \`${name}\`, for that word means something else in \`Does\` or \`When\`.`,
    hint: ({ name }) => `Call it otherwise: \`mark_${name}\`, perhaps.`,
  }),
  "states/unknown-transition": unknownName<UnknownName & { readonly resource: string }>(
    ({ resource }) => `transition of ${resource} called`,
  ),
  "states/unknown-end": code<UnknownName & { readonly transition: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, transition }) => `No row of \`${transition}\` leads to "${name}".`,
    hint: didYouMean,
  }),
  "states/never-taken": code<{ readonly transition: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ transition }) =>
      `This end of \`${transition}\` is never taken: an earlier row of that name always is.`,
    hint: () => "Give the earlier row a guard, or bring this one before it.",
  }),
  "states/second-guard": code<{ readonly subject: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ subject }) => `${subject} has a guard already.`,
    hint: () => "Join the two with `&&`.",
  }),
  "states/trigger-without-states": code<{ readonly trigger: string; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ trigger, resource }) =>
      `\`${trigger}\` counts from a change of state, and ${resource} has no state field.`,
    hint: () => "Add `- State field: …`, or wait for a field: `at <timestamp field>`.",
  }),
  "states/immediate-circle": code<{
    readonly transition: string;
    /** From it back to it. */
    readonly circle: readonly string[];
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ transition, circle }) =>
      `\`${transition}\` is taken immediately, again and again${circle.length > 2 ? `: ${circle.join(" → ")}` : ""}.`,
    hint: () =>
      "Let each step make sure that the next one's guard doesn't hold: by guards that exclude each other (`this.left == 0` and `this.left > 0`), or by its effect; let one be a `call`; or wait: `after 1 second`.",
  }),

  // ── Effects ───────────────────────────────────────────────────────────────────────────────────
  "states/repeated-clause": code<{ readonly word: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ word }) => `\`${word}\` stands a second time in this effect.`,
    hint: () => "Keep one; conditions are joined with `&&`, values with commas.",
  }),
  "states/copies-secret": code<{ readonly field: string; readonly secret: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, secret }) =>
      `"${field}" would be given ${secret}, which is shown once and kept as a hash: no other field may hold it.`,
    hint: ({ secret }) =>
      `Refer to the record that has ${secret}, or show it in the answer to the request that sets it: in a body, a header or a cookie.`,
  }),
  "states/not-assignable": code<{
    readonly field: string;
    readonly resource: string;
    readonly why: "computed" | "state" | "identifier";
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, resource, why }) => refusals[why](field, resource),
    hint: ({ why, resource }) => refusalHints[why](resource),
  }),
  "states/required-cleared": code<{ readonly field: string; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, resource }) => `\`${field}\` of ${resource} is required, so it can't be cleared.`,
    hint: () => "Take `required` away, or give it a value.",
  }),
  "states/incomplete-create": code<{ readonly resource: string; readonly missing: readonly string[] }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, missing }) =>
      `A new ${resource} needs ${missing.map((name) => `\`${name}\``).join(", ")} too.`,
    hint: ({ missing }) =>
      `Add \`${missing.map((name) => `${name} = …`).join(", ")}\` behind \`with\`, or a \`default\` in part 2.`,
  }),
  "states/assigned-twice": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `\`${name}\` is set twice here.`,
    hint: () => "Keep one of the two.",
  }),
  "states/no-record": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There is no record here whose \`${name}\` could be set.`,
    hint: () => "Use `update <Resource> where … set …`.",
  }),
  "states/unknown-target": code<UnknownName>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `\`${name}\` is no field and no record that could be changed here.`,
    hint: didYouMean,
  }),
  "states/ambiguous-target": code<{ readonly name: string; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, resource }) =>
      `\`${name}\` is both a field of ${resource} and a record with that name.`,
    hint: ({ name }) =>
      `Give a record that an effect makes another name behind \`as\`; one of the path is changed by \`update … where this == ${name} set …\`.`,
  }),
  "states/not-a-reference": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `\`${name}\` is no reference to a record, so nothing behind its dot can be set.`,
    hint: ({ name }) => `Set \`${name}\` as a whole.`,
  }),
  "states/name-taken": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `\`${name}\` has a meaning here already.`,
    hint: () => "Give the record another name behind `as`.",
  }),
  "states/as-of-many": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `\`for\` may make many records, so \`${name}\` can't stand for one of them.`,
    hint: () => "Leave `as` away; a later effect can find them with `update … where`.",
  }),
  "states/not-a-list": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `\`${text}\` is no list to go through.`,
    hint: () => "Behind `in` stands a list, or records: `Seat.filter(s, s.venue == venue)`.",
  }),
  "states/unknown-code": unknownErrorCode,
  "states/unknown-event": unknownName(() => "event"),
};

type Refusal = "computed" | "state" | "identifier";

const refusals: Readonly<Record<Refusal, (field: string, resource: string) => string>> = {
  computed: (field, resource) =>
    `\`${field}\` of ${resource} is worked out when it is read, so it can't be set.`,
  state: (field, resource) => `\`${field}\` is the state of ${resource}; only transitions change it.`,
  identifier: (field, resource) => `\`${field}\` identifies a ${resource}, so it can't be changed.`,
};

const refusalHints: Readonly<Record<Refusal, (resource: string) => string | undefined>> = {
  computed: () => "Set the fields that it is worked out from.",
  state: (resource) =>
    `Write \`do <transition> on ${resource} where …\`; for a new record, \`Initial state\` in part 3 may be an expression.`,
  identifier: () => "Make a new record instead.",
};
