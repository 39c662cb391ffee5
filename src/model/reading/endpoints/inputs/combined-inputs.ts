/**
 * Types of `body`, `query` and `path` in an expression about any endpoint (part 7): the inputs of
 * all endpoints combined.
 */
import { type Type, types } from "../../../../expressions/type.ts";
import type { Endpoint, EndpointsPart } from "../../../model.ts";
import { pageParameters } from "../lists/pagination.ts";
import { inputsType } from "../scopes.ts";

export interface AllEndpoints {
  readonly endpoints: readonly Endpoint[];
  readonly endpointsPart: EndpointsPart;
}

type Location = "body" | "query" | "path";

/** The types before endpoints are read. */
export const untypedInputs: Readonly<Record<Location, Type>> = {
  body: types.any,
  query: types.any,
  path: types.any,
};

export function typesOfAllInputs({
  endpoints,
  endpointsPart,
}: AllEndpoints): Readonly<Record<Location, Type>> {
  // An endpoint that isn't completely shown may have other inputs.
  const open = endpoints.some((endpoint) => endpoint.gap !== undefined);
  const expansion = endpointsPart.expansion === undefined ? {} : { [endpointsPart.expansion]: types.any };
  const of = (location: Location): Type => {
    const fields: Record<string, Type> = {};
    for (const { inputs, pagination } of endpoints) {
      const further = location === "path" ? {} : { ...pageParameters(pagination), ...expansion };
      const type = inputsType(inputs, location, further);
      if (type.kind !== "object") continue;
      for (const [name, field] of Object.entries(type.fields))
        fields[name] = Object.hasOwn(fields, name) ? either(fields[name] as Type, field) : field;
    }
    return { kind: "object", fields, ...(open ? { open: true } : {}) };
  };
  return { body: of("body"), query: of("query"), path: of("path") };
}

/** The common type of inputs of one name: objects are combined by their parts, and everything else is open. */
function either(a: Type, b: Type): Type {
  if (a.kind === "object" && b.kind === "object") {
    const fields = { ...a.fields };
    for (const [name, field] of Object.entries(b.fields))
      fields[name] = Object.hasOwn(fields, name) ? either(fields[name] as Type, field) : field;
    return { kind: "object", fields, ...(a.open || b.open ? { open: true } : {}) };
  }
  return JSON.stringify(a) === JSON.stringify(b) ? a : types.any;
}
