/** About: describes the running service and lists the routes of the operations API. */
import { type Static, Type } from "typebox";
import { fields, nullable, type Route, route } from "./routing/route.ts";
import { spaceSchema, toSpaceResponse } from "./routing/shared-responses.ts";

export type AboutResponse = Static<typeof aboutSchema>;

const aboutSchema = fields({
  document: Type.String({ description: "its name" }),
  file: Type.String(),
  service: Type.String({ description: "the service's address" }),
  sandbox: nullable(
    fields({
      space_header: Type.String({
        description: "the request header that names a data space",
      }),
      spaces_max: Type.Integer(),
    }),
  ),
  ...spaceSchema.properties,
  operations: Type.Array(Type.String(), { description: "every route with its description" }),
});

/** @param routes all routes of the API, including this one */
export const aboutRoutes = (routes: () => readonly Route[]) => [
  route({
    method: "GET",
    path: "/api",
    does: "the service, its document and the data space",
    answer: aboutSchema,
    async run(call) {
      const { admin } = call;
      const { spaces } = admin;
      return {
        document: admin.model.name,
        file: admin.document.file,
        service: admin.origin(),
        sandbox: spaces
          ? { space_header: spaces.options.spaceHeader, spaces_max: spaces.options.spacesMax }
          : null,
        ...(await toSpaceResponse(await call.space())),
        operations: routes().map((route) => `${route.method} ${route.path}: ${route.does}`),
      };
    },
  }),
];
