/** The scope of an expression that is asked of one record: `this`, and the record by its small name (section 4, "Names"). */
import { type Scope, withFixed, withNamed } from "../../expressions/scope.ts";
import { type Type, types } from "../../expressions/type.ts";
import type { Declarations } from "../declarations.ts";

/** `resource` is undefined where the record may be of several resources: then `this` is anything. */
export function recordScope(declarations: Declarations, resource: string | undefined, scope?: Scope): Scope {
  const base = scope ?? declarations.baseScope;
  const declared = resource === undefined ? undefined : declarations.resources.get(resource);
  if (!declared) return withFixed(base, { this: types.any });
  const type: Type = { kind: declared.isValue ? "value" : "record", resource: declared.name };
  return withNamed(withFixed(base, { this: type }), declared.smallName, type);
}
