/** Hidden fields: which fields are never returned, and how they are stored. */
import { hasRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Field } from "../../model/model.ts";

/** Whether a field is stored as a hash: `password` and `credential`. */
export function isHashed(type: FieldType): boolean {
  return type.kind === "password" || type.kind === "credential";
}

/** Whether a field is never returned after the request that set it. */
export function isHidden({ type, rules }: Pick<Field, "type" | "rules">): boolean {
  return (
    isHashed(type) ||
    hasRule(rules, "internal") ||
    hasRule(rules, "write-only") ||
    hasRule(rules, "shown once")
  );
}
