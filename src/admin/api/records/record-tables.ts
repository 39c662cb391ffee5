/**
 * Record export as CSV: the records of a query in its order, or those that an operator has
 * selected.
 */
import { type Static, Type } from "typebox";
import { pageOfRecords } from "../../../engine/admin/list-records.ts";
import { readOperatorRecord } from "../../../engine/admin/read-record.ts";
import { pageSizeMax } from "../../../engine/admin/page-size.ts";
import type { OperatorRecord } from "../../../engine/admin/operator-record.ts";
import type { Service } from "../../../engine/service.ts";
import { recordsAsCsv } from "../../record-columns.ts";
import { type RecordQueryParameters, recordQueryOf, recordQueryParameters } from "./record-query.ts";
import { selectedIds } from "./record-changes.ts";
import { recordAddressOf } from "./records.ts";
import { toResourceResponse } from "./resources.ts";
import { fields, route } from "../routing/route.ts";

/**
 * The maximum number of records, and of characters, in one table. The table ends at the end of a
 * page.
 */
const rowsMax = 10_000;
const charactersMax = 16 * 1024 * 1024;

const tableSchema = fields({
  csv: Type.String({ description: "with a row of names; `ninefold data import` reads it" }),
  count: Type.Integer(),
  more: Type.Boolean({ description: "there are more than these; `ninefold data export` has no limit" }),
});

export type TableResponse = Static<typeof tableSchema>;

export const recordTableRoutes = [
  route({
    method: "POST",
    path: "/api/tables/{resource}",
    does: `the records that match filters, or those with \`ids\`, as CSV, at most ${rowsMax}; changes nothing`,
    body: fields({
      ...recordQueryParameters,
      sort: Type.Optional(Type.String({ maxLength: 200 })),
      ids: selectedIds,
    }),
    answer: tableSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const { ids, ...query } = call.body;
      const found = ids
        ? { records: await selected(service, resource, ids), more: false }
        : await allOf(service, resource, query);
      const { records, more } = found;
      const csv = recordsAsCsv(
        toResourceResponse(service, resource),
        records.map((record) => record.fields),
      );
      return { csv, count: records.length, more };
    },
  }),
];

async function selected(
  service: Service,
  resource: string,
  ids: readonly string[],
): Promise<readonly OperatorRecord[]> {
  const records: OperatorRecord[] = [];
  for (const id of ids) records.push(await readOperatorRecord(service, resource, id));
  return records;
}

async function allOf(
  service: Service,
  resource: string,
  parameters: RecordQueryParameters & { readonly sort?: string },
) {
  const question = recordQueryOf(resource, { ...parameters, everywhere: true });
  const records: OperatorRecord[] = [];
  let characters = 0;
  for (let cursor: string | undefined; ; ) {
    const page = await pageOfRecords(service, question, {
      ...(cursor === undefined ? {} : { cursor }),
      limit: pageSizeMax,
      whole: true,
    });
    records.push(...page.records);
    characters += JSON.stringify(page.records).length;
    cursor = page.next;
    if (cursor === undefined) return { records, more: false };
    if (records.length >= rowsMax || characters > charactersMax) return { records, more: true };
  }
}
