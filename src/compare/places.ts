/** Positions: where a document defines a member of a request or a response. */
import { refName } from "../outputs/wire/json-schemas.ts";
import type { Operation, Wire } from "../outputs/wire/wire.ts";
import type { Model, Resource } from "../model/model.ts";
import type { Position } from "../source/source.ts";
import type { Member } from "./schemas.ts";

/** The position of a field's row, an input's row or a shape's heading, otherwise of the endpoint's heading. */
export function positionOfMember(model: Model, wire: Wire, operation: Operation, member: Member): Position {
  const { owner, keys } = member;
  const [row] = model.errors.rows;
  const isOfErrors = owner === undefined ? keys[0] === "errors" : owner === refName(wire.anyError.schema);
  if (row && isOfErrors) return row.position;
  if (owner !== undefined) {
    const resource = resourceOfSchema(wire, owner);
    const shape = model.shapes.find((candidate) => candidate.name === owner);
    return (
      (resource && fieldAt(resource, keys)) ??
      shape?.position ??
      resource?.position ??
      operation.endpoint.position
    );
  }
  const [place, ...path] = keys;
  const parameter = operation.parameters.find(
    (candidate) => candidate.in === place && candidate.name === path[0],
  );
  if (parameter) return parameter.position;
  const input = operation.endpoint.inputs.find(
    (candidate) => candidate.in === place && candidate.name.every((name, at) => name === path[at]),
  );
  return input?.position ?? operation.endpoint.returns[0]?.position ?? operation.endpoint.position;
}

export function resourceOfSchema(wire: Wire, schema: string): Resource | undefined {
  return wire.resources.find((resource) => resource.shown === schema || resource.sent === schema)?.resource;
}

function fieldAt({ fields }: Resource, [name]: readonly string[]): Position | undefined {
  return fields.find((field) => field.name === name)?.position;
}

/** The subject of a difference: `Parcel.weight`, `POST /parcels body.weight`. */
export function subjectOf(operation: Operation, { owner, keys }: Member): string {
  const path = keys.join(".").replaceAll(".[]", "[]");
  if (owner === undefined) return `${nameOf(operation)}${path === "" ? "" : ` ${path}`}`;
  return path === "" ? owner : `${owner}.${path}`.replaceAll(".[]", "[]");
}

export function nameOf({ method, path }: Pick<Operation, "method" | "path">): string {
  return `${method} ${path || "/"}`;
}

/** The subject of a difference in an event: `event parcel.sent weight`, or `Parcel.weight` if the payload has a named shape. */
export function subjectOfEvent(event: string, { owner, keys }: Member): string {
  const path = keys.join(".").replaceAll(".[]", "[]");
  return `${owner === undefined ? `event ${event}` : owner}${path === "" ? "" : `${owner === undefined ? " " : "."}${path}`}`;
}
