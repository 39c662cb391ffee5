/** Shared responses: data spaces and their records as plain JSON, with the schemas. */
import { type Static, Type } from "typebox";
import { plainRecord } from "../../../engine/admin/edit-records.ts";
import { countMax } from "../../../engine/admin/list-records.ts";
import type { GivenRecord } from "../../../engine/given.ts";
import { wireIdentifier } from "../../../engine/records/stored-form.ts";
import type { RecordValue } from "../../../expressions/value.ts";
import type { Resource } from "../../../model/model.ts";
import type { Json } from "../../../support/json.ts";
import type { AdminSpace } from "../../context.ts";
import { fields, json, time } from "./route.ts";

export const clockSchema = fields({
  now: time,
  stopped: Type.Boolean({ description: "whether the clock is stopped, in a sandbox" }),
});

export const spaceSchema = fields({
  space: Type.String({ description: "the data space's name" }),
  clock: clockSchema,
  records: Type.Record(Type.String(), Type.Integer({ maximum: countMax }), {
    description: `how many there are, by resource, counted up to ${countMax}`,
  }),
  snapshots: Type.Array(Type.String()),
});

export const recordSchema = fields({
  as: Type.Optional(Type.String({ description: "the name that it was given" })),
  resource: Type.String(),
  identifier: json,
  record: json,
  shown: Type.Optional(Type.Array(Type.String(), { description: "fields with secrets, shown this once" })),
});

export function toClockResponse({
  clock,
  sandbox,
}: Pick<AdminSpace, "clock" | "sandbox">): Static<typeof clockSchema> {
  return { now: new Date(clock.now()).toISOString(), stopped: sandbox?.clock.isStopped ?? false };
}

export async function toSpaceResponse(space: AdminSpace): Promise<Static<typeof spaceSchema>> {
  return {
    space: space.name,
    clock: toClockResponse(space),
    records: await countRecords(space),
    snapshots: space.sandbox?.snapshots.map(({ name }) => name) ?? [],
  };
}

/** Counts the records of each resource, up to the number that can be counted quickly. */
async function countRecords({ service, clock }: AdminSpace): Promise<Record<string, number>> {
  const { context, newFrame } = service.internals;
  const frame = { ...newFrame(clock.now()), page: { limit: countMax, offset: 0 } };
  const counts: Record<string, number> = {};
  for (const { name } of storedResources(context.model.resources)) {
    const query = context.store.prepareCount({
      resource: name,
      where: [],
      includesDeleted: true,
      limited: true,
    });
    counts[name] = await context.store.session.count(query, frame);
  }
  return counts;
}

export function storedResources(resources: readonly Resource[]): readonly Resource[] {
  return resources.filter((resource) => resource.identifier.kind !== "none" && !resource.gap);
}

export function toCreatedResponse(
  { step, record, shown }: GivenRecord,
  space: AdminSpace,
): Static<typeof recordSchema> {
  return {
    ...(step.as === undefined ? {} : { as: step.as }),
    ...toRecordResponse(space, step.resource, record, shown),
  };
}

/** Serializes a record. Secrets appear only in the response that created them. */
export function toRecordResponse(
  { service }: AdminSpace,
  resource: string,
  record: RecordValue,
  shown: Readonly<Record<string, string>> = {},
): Static<typeof recordSchema> {
  const { context } = service.internals;
  const plan = context.resource(resource);
  return {
    resource,
    identifier: wireIdentifier(context, resource, plan.identifierOf(record)) as Json,
    record: plainRecord(context, plan.resource, record, shown) as Json,
    ...(Object.keys(shown).length === 0 ? {} : { shown: Object.keys(shown) }),
  };
}
