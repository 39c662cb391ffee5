/**
 * Part 4, "Paths": the record of a path must exist. A `create` can't succeed if its new record has
 * the values by which the path finds it. Without such a record the response is *not found*, and
 * with it there would be two.
 */
import type { Node } from "../../expressions/node.ts";
import type { Endpoint, PathRecord } from "../../model/model.ts";
import type { Check } from "../check.ts";
import { ofEndpoints } from "../of-endpoints.ts";

export const madeWhereFound: Check = ofEndpoints((endpoint, reporter) => {
  const { does, resource } = endpoint;
  if (resource === undefined || !does.every(({ kind }) => kind === "create")) return;
  const found = endpoint.records.find((record) => record.resource === resource && isGiven(record, endpoint));
  const [first] = does;
  if (!found?.by || !first) return;
  reporter.report(
    "endpoints/made-where-found",
    first.position,
    { resource, path: found.path, field: found.by.field },
    [{ position: found.position, message: "The path selects an existing record here." }],
  );
});

/** Whether the new record gets the value by which the path finds it. */
function isGiven({ by, name }: PathRecord, { set, inputs }: Endpoint): boolean {
  if (!by) return false;
  const { field, parameter } = by;
  const isSame = (node: Node): boolean =>
    node.op === "field" &&
    ((node.name === parameter && node.of.op === "fixed" && node.of.name === "path") ||
      (node.name === field && node.of.op === "named" && node.of.name === name));
  return (
    set.some(
      (effect) =>
        effect.kind === "assign" &&
        !effect.of &&
        !effect.when &&
        effect.field === field &&
        isSame(effect.value.node),
    ) || inputs.some((input) => input.in === "path" && input.name[0] === parameter && input.sets === field)
  );
}
