/** Scope of the texts of an error row (3.7), and of the headers of error responses. */
import { type Scope, withFixed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { memoizeBy } from "../../../support/memoize-by.ts";
import { itemsOf, keyText } from "../../../syntax/read.ts";
import type { BuildContext } from "../any-part/context.ts";
import { errorType } from "./error-type.ts";
import { recordScope } from "./record-scope.ts";

/**
 * Scope of a row's texts. An error can come from any endpoint, so it has every name of any
 * endpoint: the records of paths by their small names, and the names of `Let`. Names that don't
 * exist when the error occurs read as null.
 */
export function templateScope(
  context: BuildContext,
  sent: Readonly<Record<"body" | "query" | "path", Type>>,
  resource: string | undefined,
): Scope {
  const any = withFixed(anyErrorScope(context), sent);
  if (resource !== undefined) return recordScope(context.declarations, resource, any);
  const records = [...context.declarations.resources.values()].filter((resource) => !resource.isValue);
  const [only] = records;
  if (only && records.length === 1) return recordScope(context.declarations, only.name, any);
  const scope = withFixed(any, { this: types.any, old: types.any });
  // If a resource isn't shown, any name may be a field.
  if (records.length === 0 || records.some((record) => record.gap)) return scope;
  const names = records.map((record) => record.name);
  return { ...scope, several: { ...scope.several, this: names, old: names } };
}

const anyErrorScope = memoizeBy((context: BuildContext): Scope => {
  const { declarations, document } = context;
  const named: Record<string, Type> = Object.fromEntries(letNames(context).map((name) => [name, types.any]));
  for (const declared of declarations.resources.values()) {
    if (!declared.isValue) named[declared.variableName] = { kind: "record", resource: declared.name };
  }
  const base = { ...declarations.baseScope, named };
  const error = errorType(document);
  return withFixed(base, { error, old: types.any });
});

function letNames({ document }: BuildContext): string[] {
  return (document.parts.endpoints?.sections ?? []).flatMap((section) =>
    itemsOf(section.body)
      .filter((item) => keyText(item.key) === "let")
      .flatMap((item) => /^`?\s*([A-Za-z_]\w*)\s*=/.exec(item.value.text.trim())?.[1] ?? []),
  );
}
