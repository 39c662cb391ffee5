/** A record changed as `ninefold data` writes it, `FIELD = EXPRESSION, …`: any field may be given, as in a `Given`. */
import { Type } from "typebox";
import { editRecord } from "../../engine/admin/edit-records.ts";
import { stepsOfFields } from "./given.ts";
import { placeOf } from "./records.ts";
import { fields, route, writtenLengthMax } from "./route.ts";
import { recordAnswer, tellRecord } from "./tell.ts";

export const writtenChangeRoutes = [
  route({
    method: "POST",
    path: "/api/records/{resource}/{id}",
    does: 'changes a record by what is `set`: `name = "Ada", weight_grams = 500 * 2`',
    body: fields({ set: Type.String({ maxLength: writtenLengthMax }) }),
    answer: recordAnswer,
    async run(call) {
      const { resource } = await placeOf(call);
      const space = await call.space();
      const [step] = stepsOfFields(resource, call.body.set, space);
      const id = call.parameter("id");
      const record = await editRecord(space.service, id, step);
      space.service.inside.context.ports.log.info(
        { resource, id, fields: step.fields.map(({ field }) => field) },
        "the operator changed a record",
      );
      return tellRecord(space, resource, record);
    },
  }),
];
