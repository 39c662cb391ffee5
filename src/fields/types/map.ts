/**
 * `map of T`: any keys, in an object without a prototype, so that `__proto__` is an ordinary key.
 * With the rule `merged`, and in a merge patch, null removes a key and stays in the value as its
 * mark.
 */
import type { Value } from "../../expressions/value.ts";
import type { Json } from "../../support/json.ts";
import type { FieldContext, FieldReader } from "../field-reader.ts";
import type { Findings } from "../findings.ts";
import { onlyText } from "../form.ts";
import { type FieldRule, hasRule } from "../rule.ts";
import type { FieldType } from "../type.ts";
import { elementRules } from "./list.ts";
import { Refusal } from "./scalar-type.ts";
import { readString } from "./string.ts";

export function compileMap(of: FieldType, rules: readonly FieldRule[], context: FieldContext): FieldReader {
  const itemRules = elementRules(of, rules);
  const takesOut = context.patches || hasRule(rules, "merged");
  const value = context.compile(of, takesOut ? [...itemRules, { rule: "nullable" }] : itemRules);
  return {
    json(json, path, findings) {
      if (typeof json !== "object" || json === null || Array.isArray(json)) {
        return findings.refuse("invalid field", path, "must be an object", json);
      }
      const object = json as { readonly [key: string]: Json };
      const keys = Object.keys(object);
      return readAll(keys, path, findings, (key, at) => value.json(object[key] as Json, at, findings));
    },
    form(node, path, findings) {
      const parts = node.parts;
      if (!parts || node.items || node.texts.length > 0) {
        return findings.refuse("invalid field", path, "must be an object", onlyText(node));
      }
      return readAll([...parts.keys()], path, findings, (key, at) =>
        value.form(parts.get(key) ?? { texts: [] }, at, findings),
      );
    },
  };
}

function readAll(
  keys: readonly string[],
  path: string,
  findings: Findings,
  read: (key: string, path: string) => Value | undefined,
): Value | undefined {
  const values: Record<string, Value> = Object.create(null);
  let good = true;
  for (const key of keys) {
    const name = readString(key);
    if (name instanceof Refusal) {
      good = false;
      findings.refuse("invalid field", path, `has a key that ${name.words}`);
      continue;
    }
    const value = read(key, `${path}.${key}`);
    if (value === undefined) good = false;
    else values[key] = value;
  }
  return good ? values : undefined;
}
