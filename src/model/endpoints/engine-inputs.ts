/**
 * Implicit inputs of an endpoint, without a row: those of a page, if a list is requested with a
 * body, and the one that requests the expansion of references.
 */
import { nestedKeys } from "../../fields/parameter-keys.ts";
import type { Endpoint, Input, Model, Pagination } from "../model.ts";

/** The implicit inputs of every endpoint, unless its own table has them. */
export function expansionInputs(model: Pick<Model, "endpointsPart">, endpoint: Endpoint): readonly Input[] {
  const name = model.endpointsPart.expansion;
  if (name === undefined || endpoint.inputs.some((input) => input.name[0] === name)) return [];
  const input = (location: "query" | "body"): Input => ({
    name: [name],
    in: location,
    type: { kind: "list", of: { kind: "string" } },
    rules: [],
    required: false,
    position: endpoint.position,
  });
  const takesBody =
    endpoint.method !== "GET" && endpoint.method !== "DELETE" && endpoint.bodyIs === undefined;
  return takesBody ? [input("query"), input("body")] : [input("query")];
}

/** The inputs of a list's page in its body; none if its method has no body. */
export function pageInputs(endpoint: Endpoint): readonly Input[] {
  if (!takesPagesInBody(endpoint)) return [];
  return pageParameters(endpoint.pagination).map((name) => ({
    name: nestedKeys(name),
    in: "body",
    // The readers of pages check their form.
    type: { kind: "json" },
    rules: [{ rule: "nullable" }],
    required: false,
    position: endpoint.position,
  }));
}

/** If the complete body is one input, it has no room for others. */
export function takesPagesInBody({ method, pagination, does, bodyIs }: Endpoint): boolean {
  return (
    pagination !== undefined &&
    bodyIs === undefined &&
    method !== "GET" &&
    does.some((action) => action.kind === "list")
  );
}

export function pageParameters(pagination: Pagination | undefined): readonly string[] {
  if (!pagination || pagination.kind === "none") return [];
  const { size } = pagination;
  const places =
    pagination.kind === "page"
      ? [pagination.page]
      : pagination.kind === "offset"
        ? [pagination.offset]
        : [pagination.after, pagination.before, pagination.kind === "cursor" ? pagination.at : undefined];
  return [size, ...places].filter((name) => name !== undefined);
}
