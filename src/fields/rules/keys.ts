/** `keys <rule>`: of each key of a map. */
import type { Value } from "../../expressions/value.ts";
import type { FieldType } from "../type.ts";
import type { RuleWords } from "./field-rule-words.ts";

const keyType: FieldType = { kind: "string" };

/** Longest key that a problem repeats. */
const shownKeyMax = 40;

export const keys: RuleWords<"keys"> = {
  rule: "keys",
  written: "keys <rule>",
  takes: "maps",
  applies: (type) => type.kind === "map",
  compile: (rule, _type, words) => {
    const check = words(rule.of.rule).compile?.(rule.of, keyType, words);
    if (!check) return () => undefined;
    return (value: Value) => {
      for (const key of Object.keys(value as object)) {
        const problem = check(key);
        if (problem !== undefined) return `has the key "${key.slice(0, shownKeyMax)}", which ${problem}`;
      }
      return undefined;
    };
  },
  schema: (rule, _type, words) => ({ propertyNames: words(rule.of.rule).schema(rule.of, keyType, words) }),
  sentence: (rule, _type, words) => `Of its keys: ${words(rule.of.rule).sentence(rule.of, keyType, words)}`,
};
