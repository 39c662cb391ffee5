/**
 * Record routes for operators: pages of records, their number, and one record with all that belongs
 * to it.
 */
import { type Static, Type } from "typebox";
import { bulkMax } from "../../../engine/admin/bulk.ts";
import { previewDeletion } from "../../../engine/admin/change-records.ts";
import { type RecordMatches, findRecords } from "../../../engine/admin/find-records.ts";
import {
  countMax,
  countRecords,
  pageOfRecords,
  type RecordPage,
  searchedFields,
} from "../../../engine/admin/list-records.ts";
import {
  dueTimes,
  historyOf,
  readOperatorRecord,
  readRepresentation,
} from "../../../engine/admin/read-record.ts";
import { possibleTransitions } from "../../../engine/admin/possible-transitions.ts";
import { referrersOf } from "../../../engine/admin/references.ts";
import type { Service } from "../../../engine/service.ts";
import { type RecordQueryParameters, recordQueryOf, recordQueryParameters } from "./record-query.ts";
import {
  dueSchema,
  deletedCountsSchema,
  historySchema,
  storedRecordSchema,
  toChangingRequestsResponse,
  toJournalChanges,
  toStoredRecordResponse,
  toTransitionResponse,
  transitionSchema,
} from "./record-responses.ts";
import { resourceNamed } from "../routing/find-resource.ts";
import { resourceSchema, resourcesSchema, toResourceResponse, toResourcesResponse } from "./resources.ts";
import { type Call, fields, json, nullable, route } from "../routing/route.ts";
import { pageSizeMax } from "../../../engine/admin/page-size.ts";

const recordsSchema = fields({
  resource: resourceSchema,
  resources: resourcesSchema.properties.resources,
  records: Type.Array(storedRecordSchema),
  next: Type.Optional(Type.String({ description: "the `cursor` of the next page" })),
  previous: Type.Optional(Type.String()),
  looks_at_all: Type.Boolean({
    description: "whether the query uses no index, so that it may take long with many records",
  }),
  found: Type.Optional(
    fields({
      in: Type.Array(Type.String(), { description: "the searched fields" }),
      more: Type.Boolean({ description: "a longer text gives fewer results" }),
    }),
  ),
});

export type RecordsResponse = Static<typeof recordsSchema>;

const countSchema = fields({
  count: Type.Integer({ maximum: countMax }),
  more: Type.Boolean({ description: "whether counting stopped here, so that there may be more" }),
  bulk: Type.Boolean({ description: "whether so many records can be changed at once" }),
});

export type CountResponse = Static<typeof countSchema>;

const recordSchema = fields({
  resource: resourceSchema,
  record: storedRecordSchema,
  shown: json,
  transitions: Type.Array(transitionSchema),
  due: Type.Array(dueSchema),
  referrers: Type.Array(
    fields({
      resource: Type.String(),
      field: Type.String(),
      on_delete: Type.Union([Type.Literal("cascade"), Type.Literal("restrict"), Type.Literal("clear")]),
      count: nullable(Type.Integer({ maximum: countMax, description: "null where it isn't counted" })),
      first: Type.Array(storedRecordSchema),
    }),
  ),
});

export type RecordResponse = Static<typeof recordSchema>;

export type HistoryResponse = Static<typeof historySchema>;

const deletionSchema = fields({
  gone: deletedCountsSchema,
  in_use_by: Type.Optional(Type.String({ description: "`Parcel.shop`: the field that prevents it" })),
});

export type DeletionResponse = Static<typeof deletionSchema>;

export const recordRoutes = [
  route({
    method: "GET",
    path: "/api/records/{resource}",
    does: "a page of the records that match the `filter`s and the `search`, in the order of `sort` (`price`, `-price`)",
    query: fields({
      ...recordQueryParameters,
      sort: Type.Optional(Type.String({ maxLength: 200 })),
      cursor: Type.Optional(Type.String({ maxLength: 4_096 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax })),
      oldest: Type.Optional(Type.Boolean({ description: "oldest first" })),
      whole: Type.Optional(Type.Boolean({ description: "whether long values are complete" })),
    }),
    answer: recordsSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const { records, ...page } = await findPage(service, resource, call.query);
      return {
        resource: toResourceResponse(service, resource),
        ...toResourcesResponse(service),
        records: records.map(toStoredRecordResponse),
        ...page,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/counts/{resource}",
    does: `the number of records that match, counted up to ${countMax}`,
    query: fields(recordQueryParameters),
    answer: countSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const count = await countRecords(service, recordQueryOf(resource, call.query));
      return { count, more: count === countMax, bulk: count <= bulkMax };
    },
  }),
  route({
    method: "GET",
    path: "/api/records/{resource}/{id}",
    does: "one record with its possible transitions and its references in both directions",
    answer: recordSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const id = call.parameter("id");
      const record = await readOperatorRecord(service, resource, id);
      const [shown, transitions, referrers, due] = await Promise.all([
        readRepresentation(service, resource, id),
        possibleTransitions(service, resource, id),
        referrersOf(service, resource, id),
        dueTimes(service, resource, record.row),
      ]);
      return {
        resource: toResourceResponse(service, resource),
        record: toStoredRecordResponse(record),
        shown,
        transitions: transitions.map((transition) =>
          toTransitionResponse(service.internals.context, transition),
        ),
        due: [...due],
        referrers: referrers.map(({ onDelete, first, ...of }) => ({
          ...of,
          on_delete: onDelete,
          first: first.map(toStoredRecordResponse),
        })),
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/records/{resource}/{id}/history",
    does: "the history of a record, newest first: `before` a sequence number",
    query: fields({ before: Type.Optional(Type.Integer({ minimum: 1 })) }),
    answer: historySchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const { row } = await readOperatorRecord(service, resource, call.parameter("id"));
      const { events, ...more } = await historyOf(service, resource, row, call.query.before);
      const space = await call.space();
      return {
        ...toJournalChanges(space, resource, row),
        requests: toChangingRequestsResponse(space, resource, row),
        events: [...events],
        ...more,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/records/{resource}/{id}/deletion",
    does: "what a deletion of a record would delete with it, or what prevents it",
    answer: deletionSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const { deleted, inUseBy } = await previewDeletion(service, resource, call.parameter("id"));
      return { gone: [...deleted], ...(inUseBy === undefined ? {} : { in_use_by: inUseBy }) };
    },
  }),
];

/** The service and the resource of a call. @throws OperationRefusal */
export async function recordAddressOf(call: Pick<Call, "space" | "parameter">) {
  const { service } = await call.space();
  return { service, resource: resourceNamed(service.model, call.parameter("resource")) };
}

type PageParameters = RecordQueryParameters & {
  readonly sort?: string;
  readonly cursor?: string;
  readonly limit?: number;
  readonly oldest?: boolean;
  readonly whole?: boolean;
};

/** Finds one page. An indexed search has only one page; all other lists may have more. */
async function findPage(service: Service, resource: string, parameters: PageParameters) {
  const { search, everywhere, oldest } = parameters;
  const question = { ...recordQueryOf(resource, parameters), ...(oldest ? { oldestFirst: true } : {}) };
  if (search !== undefined && search !== "" && !everywhere) {
    const found = await findRecords(service, question, search);
    if (found.records.length > 0 || !(await areFew(service, resource))) return toFoundResponse(found);
    return findPage(service, resource, { ...parameters, everywhere: true });
  }
  const page = await pageOfRecords(service, question, parameters);
  const plan = service.internals.context.resource(resource);
  return toPageResponse(page, question.containing === undefined ? undefined : searchedFields(plan));
}

/** Whether a resource has few enough records to read all their texts at once. */
async function areFew(service: Service, resource: string): Promise<boolean> {
  return (await countRecords(service, { resource, filters: [] })) < countMax;
}

function toFoundResponse({ records, more, fields: looked }: RecordMatches) {
  return { records, looks_at_all: false, found: { in: [...looked], more } };
}

function toPageResponse(
  { mayReadMany, ...page }: RecordPage,
  looked: ReturnType<typeof searchedFields> | undefined,
) {
  return {
    ...page,
    looks_at_all: mayReadMany,
    ...(looked ? { found: { in: looked.map(({ name }) => name), more: false } } : {}),
  };
}
