/**
 * `list of T`. The rules of its elements (`each …`) are checked at the element, so that a problem
 * has its path.
 */
import type { Value } from "../../expressions/value.ts";
import type { FieldContext, FieldReader } from "../field-reader.ts";
import type { Findings } from "../findings.ts";
import { elementsOf, onlyText } from "../form.ts";
import type { FieldRule } from "../rule.ts";
import type { FieldType } from "../type.ts";

export function compileList(of: FieldType, rules: readonly FieldRule[], context: FieldContext): FieldReader {
  const element = context.whole.compile(of, elementRules(of, rules));
  return {
    json(json, path, findings) {
      if (!Array.isArray(json)) return findings.refuse("invalid field", path, "must be a list", json);
      return readAll(json, path, findings, element.json);
    },
    form(node, path, findings) {
      const nodes = elementsOf(node);
      if (!nodes) return findings.refuse("invalid field", path, "must be a list", onlyText(node));
      return readAll(nodes, path, findings, element.form);
    },
  };
}

/**
 * All elements are read, so that all problems are reported. The list is returned only if all are
 * valid.
 */
function readAll<T>(
  given: readonly T[],
  path: string,
  findings: Findings,
  read: (given: T, path: string, findings: Findings) => Value | undefined,
): Value | undefined {
  const values: Value[] = [];
  for (let index = 0; index < given.length; index += 1) {
    const value = read(given[index] as T, `${path}[${index}]`, findings);
    if (value !== undefined) values.push(value);
  }
  return values.length === given.length ? values : undefined;
}

/** The rules of a list or map that apply to each element. */
export function rulesOfEach(rules: readonly FieldRule[]): readonly FieldRule[] {
  return rules.flatMap((rule) => (rule.rule === "each" ? rule.of : []));
}

/**
 * The same for readers of elements. Elements of type `json` (part 2) may be null, as at any depth.
 */
export function elementRules(of: FieldType, rules: readonly FieldRule[]): readonly FieldRule[] {
  const itemRules = rulesOfEach(rules);
  return of.kind === "json" ? [...itemRules, { rule: "nullable" }] : itemRules;
}
