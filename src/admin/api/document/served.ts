/**
 * Summary of the served document: the frame of every console page, and the names that its search
 * finds. It counts no records, so its cost doesn't depend on the stored data.
 */
import { type Static, Type } from "typebox";
import { defaultSpace } from "../../../engine/sandbox/spaces.ts";
import { fields, nullable, route } from "../routing/route.ts";
import { clockSchema, storedResources, toClockResponse } from "../routing/shared-responses.ts";

export type ServedResponse = Static<typeof servedSchema>;

const named = fields({ name: Type.String(), line: Type.Integer() });

const servedSchema = fields({
  name: Type.String(),
  version: nullable(
    Type.String({ description: "the current one; null where the document has one without a name" }),
  ),
  file: Type.String(),
  service: Type.String({ description: "the service's address" }),
  sandbox: nullable(
    fields({ standard: Type.String({ description: "the data space of requests that name none" }) }),
  ),
  clock: clockSchema,
  resources: Type.Array(named),
  endpoints: Type.Array(named),
  events: Type.Array(named),
});

export const servedRoutes = [
  route({
    method: "GET",
    path: "/api/served",
    does: "a summary of the service: name, version, resources, endpoints, events",
    answer: servedSchema,
    async run(call) {
      const { model, document, origin, spaces } = call.admin;
      const { versions } = model.versioning;
      return {
        name: model.name,
        version: (versions.find((version) => version.status === "current") ?? versions[0])?.name ?? null,
        file: document.file,
        service: origin(),
        sandbox: spaces ? { standard: defaultSpace } : null,
        clock: toClockResponse(await call.space()),
        resources: storedResources(model.resources).map((resource) => lineOf(resource.name, resource)),
        endpoints: model.endpoints.map((endpoint) =>
          lineOf(`${endpoint.method} ${endpoint.path.text}`, endpoint),
        ),
        events: model.events.events.map((event) => lineOf(event.name, event)),
      };
    },
  }),
];

function lineOf(
  name: string,
  { position }: { readonly position: { readonly start: { readonly line: number } } },
) {
  return { name, line: position.start.line };
}
