/** Erasure routes: preview and erase a record with all records that belong to it. */
import { type Static, Type } from "typebox";
import { type Erasure, eraseRecordByOperator, previewErasure } from "../../../engine/admin/erase.ts";
import { deletedCountsSchema } from "./record-responses.ts";
import { recordAddressOf } from "./records.ts";
import { fields, route } from "../routing/route.ts";

const restricted = Type.Enum(["restrict", "clear", "cascade"], {
  description: "how records that refer to it under `restrict` are handled",
});

const erasureSchema = fields({
  gone: deletedCountsSchema,
  in_use_by: Type.Optional(Type.String({ description: "`Parcel.shop`: the field that prevents it" })),
  events: Type.Integer({ description: 'events in the log, whose payload becomes `{"erased":true}`' }),
  deliveries: Type.Integer(),
  answers: Type.Integer({ description: "responses kept for repeated requests" }),
  clean: Type.Optional(
    Type.Boolean({
      description:
        "whether the store's files no longer contain it; false while another process reads the log",
    }),
  ),
});
export type ErasureResponse = Static<typeof erasureSchema>;

export const erasureRoutes = [
  route({
    method: "GET",
    path: "/api/erasures/{resource}/{id}",
    does: "what an erasure of a record would also erase, or what prevents it",
    query: fields({ restricted }),
    answer: erasureSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const identifier = call.parameter("id");
      return toErasureResponse(
        await previewErasure(service, { resource, identifier, restricted: call.query.restricted }),
      );
    },
  }),
  route({
    method: "POST",
    path: "/api/erasures/{resource}/{id}",
    does: "erases a record with everything that belongs to it, in the log, in deliveries and in kept responses too",
    body: fields({ restricted }),
    answer: erasureSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const identifier = call.parameter("id");
      const erasure = await eraseRecordByOperator(service, {
        resource,
        identifier,
        restricted: call.body.restricted,
      });
      // The identifier is left out, because the process log would keep it after the erasure.
      service.internals.context.ports.log.info(
        { resource, events: erasure.events },
        "the operator erased a record",
      );
      return toErasureResponse(erasure);
    },
  }),
];

function toErasureResponse({
  deleted,
  inUseBy,
  isClean,
  events,
  deliveries,
  answers,
}: Erasure): ErasureResponse {
  return {
    gone: [...deleted],
    ...(inUseBy === undefined ? {} : { in_use_by: inUseBy }),
    events,
    deliveries,
    answers,
    ...(isClean === undefined ? {} : { clean: isClean }),
  };
}
