/**
 * Invariants of events (part 6): each change stores its events, in the same write, and nothing else
 * does.
 */
import type { RecordValue } from "../../../src/expressions/value.ts";
import type { EventRow, EventTrigger, Field, Model } from "../../../src/model/model.ts";
import type { Invariant } from "../moment.ts";
import type { Write } from "../watched-store.ts";
import { keyOf } from "../expected-state.ts";

interface Net {
  readonly resource: string;
  readonly row: number;
  readonly before: RecordValue | null;
  after: RecordValue | null;
  /** Each state change in the write, including intermediate ones. */
  readonly states: (readonly [from: unknown, to: unknown])[];
}

/** The net change of each record in a write. */
function netOf(
  { touches }: Write,
  records: ReadonlyMap<string, RecordValue>,
  stateField: (name: string) => string | undefined,
) {
  const nets = new Map<string, Net>();
  for (const { resource, row, after } of touches) {
    const key = keyOf(resource, row);
    const net = nets.get(key) ?? { resource, row, before: records.get(key) ?? null, after: null, states: [] };
    const field = stateField(resource);
    const last = net.after ?? net.before;
    if (field !== undefined) net.states.push([last?.[field], after?.[field]]);
    net.after = after;
    nets.set(key, net);
  }
  return nets;
}

/**
 * Whether the trigger's change has happened to a record; undefined if that isn't visible from
 * outside.
 */
function hasHappened(trigger: EventTrigger, net: Net, shown: Shown): boolean | undefined {
  if (trigger.kind === "sent" || trigger.resource !== net.resource) return false;
  const isGone = net.after === null || net.after["#deleted"] === true;
  switch (trigger.kind) {
    case "created":
      return net.before === null ? (isGone ? undefined : true) : false;
    case "deleted":
      return net.before !== null && net.before["#deleted"] !== true && isGone;
    case "becomes":
      return net.states.some(([from, to]) => to === trigger.state && from !== to);
    case "updated":
      if (net.before === null || isGone || net.before["#deleted"] === true) return undefined;
      return changesOf(net, shown);
    default:
      return undefined;
  }
}

/** Whether a visible field has changed; undefined if only another field has. */
function changesOf({ resource, before, after }: Net, shown: Shown): boolean | undefined {
  const names = shown.get(resource) ?? [];
  if (names.some((name) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after?.[name] ?? null)))
    return true;
  return before?.["#revision"] === after?.["#revision"] ? false : undefined;
}

/** By resource, the stored fields in its default representation. */
type Shown = ReadonlyMap<string, readonly string[]>;

function shownOf({ resources }: Model): Shown {
  const hidden = new Set(["internal", "write-only", "computed", "shown once"]);
  const isShown = ({ rules, type }: Field) =>
    !rules.some(({ rule }) => hidden.has(rule)) && type.kind !== "password" && type.kind !== "credential";
  return new Map(
    resources.map(({ name, fields }) => [name, fields.filter(isShown).map((field) => field.name)]),
  );
}

export const eventsIffChanges: Invariant = ({ played, before, writes }) => {
  const { model } = played;
  const wrong: string[] = [];
  const machineField = (name: string) =>
    model.resources.find((resource) => resource.name === name)?.states?.field;
  const records = new Map(before.records);
  const shown = shownOf(model);
  for (const write of writes) {
    const nets = netOf(write, records, machineField);
    for (const event of model.events.events)
      if (!event.gap) wrong.push(...wrongOf(event, write, [...nets.values()], shown));
    for (const net of nets.values()) {
      const key = keyOf(net.resource, net.row);
      if (net.after === null) records.delete(key);
      else records.set(key, net.after);
    }
  }
  return wrong;
};

function wrongOf(event: EventRow, { events }: Write, nets: readonly Net[], shown: Shown): readonly string[] {
  const reported = events.filter(({ type }) => type === event.name);
  const wrong: string[] = [];
  for (const net of nets) {
    const ofNet = reported.filter(({ resource, row }) => resource === net.resource && row === net.row).length;
    const happened = event.triggers.map((trigger) => ({ trigger, holds: hasHappened(trigger, net, shown) }));
    const sure = happened.some(({ trigger, holds }) => holds === true && !trigger.when);
    const never = happened.every(({ holds }) => holds === false);
    const at = `${net.resource} ${net.row}`;
    if (sure && ofNet === 0) wrong.push(`${event.name} of ${at} has happened and is in no log`);
    if (never && ofNet > 0 && !event.triggers.some(({ kind }) => kind === "sent"))
      wrong.push(`${event.name} of ${at} is recorded, and hasn't happened`);
    if (event.triggers.length === 1 && event.triggers[0]?.kind === "created" && ofNet > 1)
      wrong.push(`${event.name} of ${at} is recorded ${ofNet} times`);
  }
  const isSent = event.triggers.some(({ kind }) => kind === "sent");
  const known = new Set(nets.map(({ resource, row }) => keyOf(resource, row)));
  for (const { resource, row } of reported)
    if (!isSent && !known.has(keyOf(resource, row)))
      wrong.push(`${event.name} of ${resource} ${row} is recorded, which nothing has changed`);
  return wrong;
}

/** The log's numbers are consecutive, and none is assigned twice. */
export function logWithoutGaps(): Invariant {
  let last: number | undefined;
  return ({ before, writes }) => {
    last ??= before.events.at(-1)?.sequence ?? 0;
    for (const { events } of writes) {
      for (const { sequence } of events) {
        if (sequence !== last + 1) return [`event ${sequence} stands behind ${last}`];
        last = sequence;
      }
    }
    return [];
  };
}
