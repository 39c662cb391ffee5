/** Scope of a rule's expression (part 2), and of a machine's initial state. */
import { type Scope, withFixed } from "../../../expressions/scope.ts";
import type { Type } from "../../../expressions/type.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { BuildContext } from "../any-part/context.ts";

/** The scope of a rule's expression: `this` is the record, or the value. */
export function ruleScope(declared: DeclaredResource, context: BuildContext): Scope {
  const self: Type = { kind: declared.isValue ? "value" : "record", resource: declared.name };
  return withFixed(context.declarations.baseScope, { this: self });
}
