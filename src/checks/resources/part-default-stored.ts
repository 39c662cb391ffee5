/**
 * Part 2, `default`: a part of a value or of an object that wasn't sent is filled in while the request is read, before the store is asked
 * of anything. A default there that reads stored records can't be worked out, and null is not what it says.
 */
import { readsStore } from "../../expressions/evaluate.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import { createMeaning } from "../../model/meaning.ts";
import type { Check } from "../check.ts";

export const partDefaultStored: Check = (model, reporter) => {
  const meaning = createMeaning(model);
  // A part stands in as many types as name it, and is told once.
  const reported = new Set<FieldPart>();
  const check = (part: FieldPart): void => {
    if (reported.has(part)) return;
    reported.add(part);
    const byDefault = ruleOf(part.rules, "default")?.value;
    if (byDefault && readsStore(byDefault.node, meaning))
      reporter.report("resources/part-default-stored", byDefault.position, { name: part.name });
    checkParts(part.type);
  };
  const checkParts = (type: FieldType): void => {
    if (type.kind === "list" || type.kind === "map") checkParts(type.of);
    if (type.kind === "object") type.parts.forEach(check);
  };
  for (const resource of model.resources) {
    if (resource.identifier.kind === "none") resource.fields.forEach(check);
    for (const { type } of resource.fields) checkParts(type);
  }
  for (const { inputs } of model.endpoints) for (const { type } of inputs) checkParts(type);
};
