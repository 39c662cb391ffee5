/** `keys <rule>`: for each key of a map. */
import type { Value } from "../../expressions/value.ts";
import type { FieldType } from "../type.ts";
import type { RuleWords } from "./field-rule-notation.ts";
import { readInner, type RuleOfParts } from "./rule-of-parts.ts";

/** Keys are stored as they are sent: two of them could become the same one. */
const formRules: ReadonlySet<string> = new Set(["lower case", "trimmed"]);

const keyType: FieldType = { kind: "string" };

/** Maximum length of a key that a problem quotes. */
const quotedKeyMax = 40;

export const keys: RuleWords<RuleOfParts<"keys">> = {
  rule: "keys",
  forStored: "restricts",
  read: (rest, reading) => readInner("keys", rest, "`length` or `pattern`", reading),
  named: ({ of }, any) => `keys ${any.named(of)}`,
  takes: "maps",
  applies: (type) => type.kind === "map",
  innerType: () => keyType,
  misfit: ({ of }) =>
    formRules.has(of.rule)
      ? {
          subject: "the keys of a map, which are stored as they are sent",
          fitting: ["keys length 1..40", "keys pattern ^[a-z]+$"],
        }
      : undefined,
  compile: ({ of }, _type, any) => {
    const check = any.check(of, keyType);
    if (!check) return () => undefined;
    return (value: Value) => {
      for (const key of Object.keys(value as object)) {
        const problem = check(key);
        if (problem !== undefined) return `has the key "${key.slice(0, quotedKeyMax)}", which ${problem}`;
      }
      return undefined;
    };
  },
  schema: ({ of }, _type, any) => ({ propertyNames: any.schema(of, keyType) }),
  sentence: ({ of }, _type, any) => `Of its keys: ${any.sentence(of, keyType)}`,
};
