/** Stored records, as an operator sees them. */
import { Type } from "typebox";
import { listRecords } from "../../engine/edit-records.ts";
import { resourceNamed } from "./resource-named.ts";
import { fields, limit, limitStandard, route } from "./route.ts";
import { recordAnswer, tellRecord } from "./tell.ts";

export const recordRoutes = [
  route({
    method: "GET",
    path: "/api/records",
    does: "the records of a `resource`",
    query: fields({ resource: Type.String(), limit }),
    answer: fields({ records: Type.Array(recordAnswer) }),
    async run(call) {
      const space = await call.space();
      const { service } = space;
      const resource = resourceNamed(service.model, call.query.resource);
      const records = await listRecords(service, resource, undefined, call.query.limit ?? limitStandard);
      return { records: records.map((record) => tellRecord(space, resource, record)) };
    },
  }),
];
