/**
 * Record changes by operators, under the document's own rules. A change names the revision that it
 * is based on; a change of many records names their number. The process log records who changed
 * what. For the document, the change has no caller.
 */
import { type Static, Type } from "typebox";
import { type BulkChange, bulkMax, changeMany, changeIdentified } from "../../../engine/admin/bulk.ts";
import {
  changeRecord,
  deleteByOperator,
  type CreatedByOperator,
  makeRecord,
  fireTransitionByOperator,
} from "../../../engine/admin/change-records.ts";
import type { SentFields } from "../../../engine/admin/read-fields.ts";
import type { Service } from "../../../engine/service.ts";
import { recordQueryOf, recordQueryParameters } from "./record-query.ts";
import { deletedCountsSchema, createdRecordSchema, toCreatedRecordResponse } from "./record-responses.ts";
import { recordAddressOf } from "./records.ts";
import { badRequest } from "../routing/refusal.ts";
import { type Call, fields, json, route } from "../routing/route.ts";

const sentFields = Type.Record(Type.String(), json, { expects: "an object of values by field" });
const revision = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: "the revision that the change is based on; any other is rejected with 409",
  }),
);

/** The records that the operator selected one by one, instead of by a query. */
export const selectedIds = Type.Optional(
  Type.Array(Type.String({ maxLength: 2_000 }), {
    minItems: 1,
    maxItems: bulkMax,
    description: "identifiers of records, instead of filters",
  }),
);

export type CreatedRecordResponse = Static<typeof createdRecordSchema>;

const deletedSchema = fields({ gone: deletedCountsSchema });
export type DeletedResponse = Static<typeof deletedSchema>;

const bulkSchema = fields({ changed: Type.Integer() });
export type BulkResponse = Static<typeof bulkSchema>;

export const recordChangeRoutes = [
  route({
    method: "POST",
    path: "/api/records/{resource}",
    does: "creates a record from `fields`; for others, the document's defaults apply",
    body: fields({ fields: sentFields }),
    answer: createdRecordSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      return toCreatedRecordResponse(await createRecordByOperator(service, resource, call.body.fields));
    },
  }),
  route({
    method: "PATCH",
    path: "/api/records/{resource}/{id}",
    does: "changes some `fields` of a record",
    body: fields({ fields: sentFields, revision }),
    answer: createdRecordSchema,
    async run(call) {
      const { service, target } = await targetOf(call, call.body.revision);
      const changed = await changeRecord(service, target, call.body.fields);
      note(service, "changed a record", { ...idOf(target), fields: Object.keys(call.body.fields) });
      return toCreatedRecordResponse(changed);
    },
  }),
  route({
    method: "DELETE",
    path: "/api/records/{resource}/{id}",
    does: "deletes a record, and applies `on delete` to records that refer to it",
    query: fields({ revision }),
    answer: deletedSchema,
    async run(call) {
      const { service, target } = await targetOf(call, call.query.revision);
      const deletedCounts = await deleteByOperator(service, target);
      note(service, "deleted a record", idOf(target));
      return { gone: [...deletedCounts] };
    },
  }),
  route({
    method: "POST",
    path: "/api/records/{resource}/{id}/transitions/{transition}",
    does: "fires a transition that can be called, with the `inputs` of its endpoints",
    body: fields({ inputs: Type.Optional(sentFields), revision }),
    answer: createdRecordSchema,
    async run(call) {
      const { service, target } = await targetOf(call, call.body.revision);
      const transition = call.parameter("transition");
      const fired = await fireTransitionByOperator(service, target, transition, call.body.inputs ?? {});
      note(service, "fired a transition", { ...idOf(target), transition });
      return toCreatedRecordResponse(fired);
    },
  }),
  route({
    method: "POST",
    path: "/api/changes/{resource}",
    does: `deletes the records that match filters, or those with \`ids\` (at most ${bulkMax}), or fires a \`transition\` of each; refused if their number isn't \`count\``,
    body: fields({
      ...recordQueryParameters,
      ids: selectedIds,
      count: Type.Integer({ minimum: 1, description: "how many were shown" }),
      do: Type.Union([Type.Literal("delete"), Type.Literal("transition")]),
      transition: Type.Optional(Type.String()),
    }),
    answer: bulkSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const { count, do: kind, transition, ids, ...query } = call.body;
      const change = changeOf(kind, transition);
      const changed = ids
        ? await changeIdentified(service, resource, ids, change)
        : await changeMany(service, recordQueryOf(resource, { ...query, everywhere: true }), count, change);
      note(service, "changed many records", { resource, changed, ...change });
      return { changed };
    },
  }),
];

/** @throws FieldsRefused */
export async function createRecordByOperator(
  service: Service,
  resource: string,
  sent: SentFields,
): Promise<CreatedByOperator> {
  const made = await makeRecord(service, resource, sent);
  note(service, "made a record", { resource, id: made.record.id });
  return made;
}

function changeOf(kind: "delete" | "transition", transition: string | undefined): BulkChange {
  if (kind === "delete") return { kind };
  if (transition === undefined) throw badRequest('Send {"do": "transition", "transition": "…"}.');
  return { kind, transition };
}

async function targetOf(call: Pick<Call, "space" | "parameter">, expectedRevision: number | undefined) {
  const { service, resource } = await recordAddressOf(call);
  const target = {
    resource,
    identifier: call.parameter("id"),
    ...(expectedRevision === undefined ? {} : { revision: expectedRevision }),
  };
  return { service, target };
}

function idOf({ resource, identifier }: { readonly resource: string; readonly identifier: string }) {
  return { resource, id: identifier };
}

/**
 * Logs a change without its values, because they may be secrets. In a sandbox the log line names
 * the data space.
 */
function note({ internals }: Service, did: string, what: object): void {
  internals.context.ports.log.info({ ...what }, `the operator ${did}`);
}
