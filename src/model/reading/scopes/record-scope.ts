/**
 * Scope of an expression about one record: `this`, and the record by its small name (notation,
 * "Names").
 */
import { type Scope, withFixed, withNamed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import type { Declarations, RecordOf } from "../declarations.ts";

/**
 * @param resource the resource of `this`, or several that uses must distinguish (`binding/resource-choice.ts`). Undefined if
 * unknown; then `this` may be anything
 */
export function recordScope(
  declarations: Declarations,
  resource: RecordOf | undefined,
  scope?: Scope,
): Scope {
  const base = scope ?? declarations.baseScope;
  if (resource !== undefined && typeof resource !== "string")
    return {
      ...withFixed(base, { this: types.any }),
      several: { ...base.several, this: resource, old: resource },
    };
  const declared = resource === undefined ? undefined : declarations.resources.get(resource);
  if (!declared) return withFixed(base, { this: types.any });
  const type: Type = { kind: declared.isValue ? "value" : "record", resource: declared.name };
  return withNamed(withFixed(base, { this: type }), declared.variableName, type);
}
