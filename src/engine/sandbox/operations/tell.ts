/** What the operations API answers about data spaces, as plain JSON. */
import type { RecordValue } from "../../../expressions/value.ts";
import type { Resource } from "../../../model/model.ts";
import type { LoggedEvent } from "../../../store/store.ts";
import type { Json } from "../../../support/json.ts";
import { plainRecord } from "../../edit-records.ts";
import type { MadeRecord } from "../../given.ts";
import { identifierShown } from "../../records/stored-form.ts";
import type { SandboxClock } from "../clock.ts";
import type { Snapshot } from "../snapshots.ts";
import type { Space } from "../space.ts";

export function tellClock(clock: SandboxClock) {
  return { now: new Date(clock.now()).toISOString(), stopped: clock.isStopped };
}

export async function tellSpace(space: Space) {
  return {
    space: space.name,
    clock: tellClock(space.clock),
    records: await countRecords(space),
    snapshots: space.snapshots.map(({ name }) => name),
  };
}

/** How many records there are, by resource. */
async function countRecords(space: Space): Promise<Readonly<Record<string, number>>> {
  const { context, newFrame } = space.service.inside;
  const frame = newFrame(space.clock.now());
  const counts: Record<string, number> = {};
  for (const { name } of storedResources(context.model.resources)) {
    const query = context.store.prepareCount({ resource: name, where: [], deletedToo: true });
    counts[name] = await context.store.session.count(query, frame);
  }
  return counts;
}

export function storedResources(resources: readonly Resource[]): readonly Resource[] {
  return resources.filter((one) => one.identifier.kind !== "none" && !one.gap);
}

export function tellSnapshot({ name, nowMs, store }: Snapshot) {
  return { name, now: new Date(nowMs).toISOString(), bytes: store.bytes };
}

export function tellEvent(event: LoggedEvent) {
  const { sequence, id, type, time, resource, subject, payload } = event;
  return { sequence, id, type, time, resource, subject, payload: JSON.parse(payload) as Json };
}

export function tellMade({ step, record, shown }: MadeRecord, space: Space) {
  return {
    ...(step.as === undefined ? {} : { as: step.as }),
    ...tellRecord(space, step.resource, record, shown),
  };
}

/** Secrets that were made just now are shown this once. */
export function tellRecord(
  space: Space,
  resource: string,
  record: RecordValue,
  shown: Readonly<Record<string, string>> = {},
) {
  const { context } = space.service.inside;
  const plan = context.resource(resource);
  return {
    resource,
    identifier: identifierShown(context, resource, plan.identifierOf(record)) as Json,
    record: plainRecord(context, plan.resource, record, shown) as Json,
  };
}
