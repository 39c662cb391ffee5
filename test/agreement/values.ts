/**
 * Random values of a type: nulls, empty texts and lists, characters beyond the Basic Multilingual
 * Plane, numbers at the limits.
 */
import { fc } from "../fixed-seed.ts";
import type { Vocabulary } from "../../src/expressions/scope.ts";
import type { Type } from "../../src/expressions/type.ts";
import type { Value } from "../../src/expressions/value.ts";

/** Texts that are often equal, partly equal, or equal except for case. */
const texts = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "",
      "a",
      "A",
      "ab",
      "Ab",
      "b",
      "a b",
      "ä",
      "Ä",
      "ß",
      "x-1",
      "1",
      "12.50",
      "true",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "😀",
      "a😀b",
      "\uffff",
      "\u{10000}",
      "e\u0301",
      "\u2028",
      'q"uo\\te',
      "tab\there",
      "O'Hara",
      "%_",
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: "grapheme", maxLength: 8 })
      .map((text) => text.replaceAll("\u0000", "").toWellFormed()),
  },
);

const integers = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -5, max: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 53 - 1, -(2 ** 53) + 1, 2 ** 31, 1e15, -1e15, 3037000500) },
  { weight: 1, arbitrary: fc.maxSafeInteger() },
);

const numbers = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 0.1, 0.2, 0.5, -1.5, 3, 1e21, 1.5e-7, 123456789012345.6, -2) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0) },
);

const decimals = fc.constantFrom(
  "0",
  "1",
  "-1",
  "1.5",
  "-1.5",
  "12.5",
  "12.50",
  "1.500",
  "0.0",
  "0.001",
  "-0.001",
  "100",
  "99.99",
  "123456789012345678901234.5",
  "-12",
);
const timestamps = fc.oneof(
  fc.constantFrom(
    "1970-01-01T00:00:00.000Z",
    "2026-11-20T10:00:00.000Z",
    "2026-11-20T10:00:00.001Z",
    "1969-12-31T23:59:59.999Z",
    "2024-02-29T12:00:00.500Z",
    "9999-12-31T23:59:59.999Z",
    "0001-01-01T00:00:00.000Z",
  ),
  fc.integer({ min: -2e12, max: 4e12 }).map((at) => new Date(at).toISOString()),
);
const dates = fc.constantFrom(
  "2026-11-20",
  "1970-01-01",
  "2024-02-29",
  "2025-12-31",
  "0001-01-01",
  "9999-12-31",
);
const durations = fc.constantFrom(0, 1, 999, 1000, 60_000, 86_400_000, -5000, 90_061_001);

export interface Choices {
  readonly words: Vocabulary;
  /** Returns the identifiers of the existing records. */
  identifiers(resource: string): readonly Value[];
}

export function valuesOf(type: Type, choices: Choices, depth = 0): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 5, arbitrary: present(type, choices, depth) },
  );
}

function present(type: Type, choices: Choices, depth: number): fc.Arbitrary<Value> {
  const most = depth > 1 ? 2 : 4;
  switch (type.kind) {
    case "integer":
      return integers;
    case "number":
      return numbers;
    case "decimal":
      return decimals;
    case "boolean":
      return fc.boolean();
    case "timestamp":
      return timestamps;
    case "date":
      return dates;
    case "duration":
      return durations;
    case "enum":
      return fc.constantFrom(...(type.values as [string, ...string[]]));
    case "uuid":
      return fc.uuid();
    case "bytes":
      return fc.uint8Array({ maxLength: 4 });
    case "list":
      return fc.array(valuesOf(type.of, choices, depth + 1), { maxLength: most });
    case "map":
      return fc.dictionary(fc.constantFrom("a", "b", "c d", "é"), valuesOf(type.of, choices, depth + 1), {
        maxKeys: most,
      });
    case "object":
      return objects(type.fields, choices, depth);
    case "value":
      return objects(fieldsOf(type.resource, choices), choices, depth);
    case "record": {
      const known = choices.identifiers(type.resource);
      return known.length > 0 ? fc.constantFrom(...known) : fc.constant(null);
    }
    case "any":
      return fc.oneof(
        texts,
        integers,
        fc.boolean(),
        numbers,
        fc.array(integers, { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b"), integers, { maxKeys: 2 }),
      );
    case "null":
      return fc.constant(null);
    default:
      return texts;
  }
}

function objects(
  fields: Readonly<Record<string, Type>>,
  choices: Choices,
  depth: number,
): fc.Arbitrary<Value> {
  const parts = Object.fromEntries(
    Object.entries(fields).map(([name, type]) => [
      name,
      depth > 3 ? fc.constant(null) : valuesOf(type, choices, depth + 1),
    ]),
  );
  return fc.record(parts) as fc.Arbitrary<Value>;
}

function fieldsOf(resource: string, { words }: Choices): Record<string, Type> {
  const fields = [...(words.resource(resource)?.fields.values() ?? [])].filter((field) => !field.computed);
  return Object.fromEntries(fields.map((field) => [field.name, field.type]));
}
