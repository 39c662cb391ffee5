/**
 * Test values for any field, as CEL for a `Given` and as JSON for a request. Every text has a mark,
 * so that it is recognized wherever it occurs.
 */
import type { Field, Model } from "../../src/model/model.ts";
import type { FieldRule } from "../../src/fields/rule.ts";
import type { FieldType } from "../../src/fields/type.ts";

/** The owner of the values. Every text of a side starts with the side's word. */
export interface Side {
  readonly word: string;
  /** Counts the values, so that no two values of a side are equal. */
  count: number;
  /** Called with the resource of a reference; returns undefined if this side has no such record. */
  reference(resource: string): string | number | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a value of any type
export type Plain = any;

const bounds = (rules: readonly FieldRule[], name: "range" | "length" | "items") => {
  const found = rules.find((rule) => rule.rule === name) as { min?: number; max?: number } | undefined;
  return { min: found?.min ?? 0, max: found?.max ?? Number.POSITIVE_INFINITY };
};

/**
 * Returns a value that the type and the rules accept, in wire format; undefined if this function
 * has none.
 */
export function valueFor(type: FieldType, rules: readonly FieldRule[], side: Side, model: Model): Plain {
  side.count += 1;
  const number = side.count;
  switch (type.kind) {
    case "string":
    case "password":
    case "credential":
      return textFor(rules, `${side.word}${number}`);
    case "integer":
    case "number": {
      const { min, max } = bounds(rules, "range");
      return Math.min(max, Math.max(min, 100 + number));
    }
    case "decimal":
      return `${100 + number}.25`;
    case "boolean":
      return true;
    case "timestamp":
      return `2031-01-01T00:${String(number % 60).padStart(2, "0")}:00.000Z`;
    case "date":
      return `2031-01-${String(1 + (number % 28)).padStart(2, "0")}`;
    case "duration":
      return `${number}s`;
    case "uuid":
      return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    case "email":
      return `${side.word}${number}@test.example`;
    case "uri":
      return `https://${side.word}${number}.test.example/`;
    case "enum":
      return type.values[0];
    case "json":
      return { [side.word]: `${side.word}${number}` };
    case "list": {
      const item = valueFor(type.of, eachOf(rules), side, model);
      return item === undefined ? [] : [item];
    }
    case "map":
      return { k: valueFor(type.of, eachOf(rules), side, model) };
    case "reference":
      return side.reference(type.resource);
    case "value":
      return partsFor(
        model.resources.find((resource) => resource.name === type.resource)?.fields ?? [],
        side,
        model,
      );
    case "object":
      return partsFor(type.parts, side, model);
    default:
      return undefined;
  }
}

function eachOf(rules: readonly FieldRule[]): readonly FieldRule[] {
  return rules.flatMap((rule) => (rule.rule === "each" ? [rule.of] : []));
}

function partsFor(parts: readonly Pick<Field, "name" | "type" | "rules">[], side: Side, model: Model): Plain {
  const sent = parts.filter((part) => !part.rules.some((rule) => serviceSet.has(rule.rule)));
  const pairs = sent.map((part) => [part.name, valueFor(part.type, part.rules, side, model)]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

const serviceSet: ReadonlySet<string> = new Set([
  "computed",
  "on update",
  "on create",
  "read-only",
  "internal",
]);

const alphabets = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"];

/**
 * Returns the marked text. If a pattern does not allow it, the text has characters or digits that
 * differ from side to side.
 */
function textFor(rules: readonly FieldRule[], marked: string): string | undefined {
  const { min, max } = bounds(rules, "length");
  const pattern = rules.find((rule) => rule.rule === "pattern") as { pattern: string } | undefined;
  const fits = (text: string) =>
    text.length >= min &&
    text.length <= max &&
    (!pattern || new RegExp(`^(?:${pattern.pattern})$`, "u").test(text));
  const padded = marked.padEnd(min, "x").slice(0, max);
  if (fits(padded)) return padded;
  const from = [...marked].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 7);
  for (const alphabet of alphabets)
    for (let length = 24; length > 0; length -= 1) {
      const text = Array.from(
        { length },
        (_, at) => alphabet[(from * (at + 3) + at * at) % alphabet.length],
      ).join("");
      if (fits(text)) return text;
    }
  return undefined;
}

/** Writes the value as CEL in a `Given`. */
export function celOf(value: Plain, type: FieldType): string {
  if (type.kind === "duration") return `duration(${JSON.stringify(value)})`;
  if (type.kind === "decimal") return `decimal(${JSON.stringify(value)})`;
  return JSON.stringify(value);
}

/** Returns a similar value that does not exist: with other digits, or another last letter. */
export function lookalike(value: string | number): string | number {
  if (typeof value === "number") return value + 5000;
  const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value);
  const turned = [...value].map((character, at) =>
    /\d/.test(character) && !(isUuid && (at === 14 || at === 19))
      ? String((Number(character) + 3) % 10)
      : character,
  );
  const text = turned.join("");
  if (text !== value) return text;
  const last = value.at(-1) ?? "";
  return value.slice(0, -1) + (last === "q" ? "r" : last === "Q" ? "R" : last >= "a" ? "q" : "Q");
}
