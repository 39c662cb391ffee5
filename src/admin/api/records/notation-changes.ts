/**
 * Record changes in the syntax of `ninefold data`, `FIELD = EXPRESSION, …`. Any field may be set,
 * as in a `Given`.
 */
import { Type } from "typebox";
import { editRecord } from "../../../engine/admin/edit-records.ts";
import { stepsOfFields } from "./given.ts";
import { recordAddressOf } from "./records.ts";
import { fields, route, writtenLengthMax } from "../routing/route.ts";
import { recordSchema, toRecordResponse } from "../routing/shared-responses.ts";

export const writtenChangeRoutes = [
  route({
    method: "POST",
    path: "/api/records/{resource}/{id}",
    does: 'changes a record by assignments in `set`: `name = "Ada", weight_grams = 500 * 2`',
    body: fields({ set: Type.String({ maxLength: writtenLengthMax }) }),
    answer: recordSchema,
    async run(call) {
      const { resource } = await recordAddressOf(call);
      const space = await call.space();
      const [step] = stepsOfFields(resource, call.body.set, space);
      const id = call.parameter("id");
      const record = await editRecord(space.service, id, step);
      space.service.internals.context.ports.log.info(
        { resource, id, fields: step.fields.map(({ field }) => field) },
        "the operator changed a record",
      );
      return toRecordResponse(space, resource, record);
    },
  }),
];
