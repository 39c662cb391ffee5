/**
 * Part 2, `default`: the default of a part of a value or an object is applied while the request is
 * read, before any query. A default that reads stored records can't be evaluated there, and null
 * would be wrong.
 */
import { readsStore } from "../../expressions/evaluate.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Check } from "../check.ts";

export const partDefaultStored: Check = (model, reporter) => {
  const meaning = meaningOf(model);
  // Several types may share a part, which is reported once.
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
};
