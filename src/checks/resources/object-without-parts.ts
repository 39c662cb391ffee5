/** Part 2: an object without rows for its parts doesn't say what a request may send. */
import type { FieldType } from "../../fields/type.ts";
import type { Check } from "../check.ts";

export const objectWithoutParts: Check = ({ resources }, reporter) => {
  for (const { name, position, type } of resources.flatMap((resource) => resource.fields))
    for (const empty of emptyWithin(type, name))
      reporter.report("resources/object-without-parts", position, empty);
};

/** Objects without parts, by their path. */
function emptyWithin(
  type: FieldType,
  name: string,
  many = false,
): readonly { name: string; many: boolean }[] {
  if (type.kind === "list") return emptyWithin(type.of, name, true);
  if (type.kind !== "object") return [];
  if (type.parts.length === 0) return [{ name, many }];
  return type.parts.flatMap((part) => emptyWithin(part.type, `${name}${many ? "[]" : ""}.${part.name}`));
}
