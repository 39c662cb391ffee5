/**
 * Random values in requests: mostly valid ones from small ranges, so that they collide; some equal
 * to values of other records, and some invalid.
 */
import type { FieldType } from "../../src/fields/type.ts";
import { type FieldRule, isServiceSet, ruleOf } from "../../src/fields/rule.ts";
import type { Model } from "../../src/model/model.ts";
import { type Plain, valueFor } from "../tenancy/values.ts";
import type { Draw } from "./draw.ts";

export interface Sending {
  readonly model: Model;
  readonly draw: Draw;
  readonly nowMs: number;
  /** The prefix of every generated text. */
  readonly word: string;
  /** A reference to a record of a resource; undefined if there is none. */
  reference(resource: string): Plain;
  /** An existing value of the field. */
  known(): Plain;
}

export function sentValue(type: FieldType, rules: readonly FieldRule[], sending: Sending): Plain {
  const { draw } = sending;
  if (draw.happens(2)) return draw.oneOf([null, "", -1, "nonsense", [], {}, true, 1e15]);
  if (draw.happens(15)) {
    const known = sending.known();
    if (known !== undefined) return known;
  }
  return goodValue(type, rules, sending);
}

function goodValue(type: FieldType, rules: readonly FieldRule[], sending: Sending): Plain {
  const { draw, model } = sending;
  const within = (inner: FieldType, innerRules: readonly FieldRule[]) =>
    sentValue(inner, innerRules, sending);
  switch (type.kind) {
    case "integer":
    case "number": {
      const { min = 0, max = Number.POSITIVE_INFINITY } = ruleOf(rules, "range") ?? {};
      return Math.min(max, min + draw.below(draw.happens(80) ? 6 : 1000));
    }
    case "decimal":
      return `${draw.below(50)}.${draw.below(10)}0`;
    case "boolean":
      return draw.happens(50);
    case "enum":
      return draw.oneOf(type.values);
    case "timestamp":
      return new Date(sending.nowMs + (draw.below(300) - 30) * 60_000).toISOString();
    case "date":
      return new Date(sending.nowMs + (draw.below(60) - 10) * 86_400_000).toISOString().slice(0, 10);
    case "reference":
      return sending.reference(type.resource);
    case "list": {
      const { min = 0, max = 3 } = ruleOf(rules, "items") ?? {};
      const count = Math.max(min, Math.min(max, draw.below(4)));
      const each = rules.flatMap((rule) => (rule.rule === "each" ? [rule.of] : []));
      return Array.from({ length: count }, () => within(type.of, each)).filter((item) => item !== undefined);
    }
    case "map":
      return { [`k${draw.below(3)}`]: within(type.of, []) };
    case "value":
      return partsOf(
        model.resources.find((resource) => resource.name === type.resource)?.fields ?? [],
        sending,
      );
    case "object":
      return partsOf(type.parts, sending);
    case "json":
      return type.either
        ? within(draw.oneOf(type.either), [])
        : draw.oneOf<Plain>([{ a: draw.below(5) }, "text", 3]);
    default:
      return valueFor(
        type,
        rules,
        { word: sending.word, count: draw.below(draw.happens(50) ? 9 : 100_000), reference: () => undefined },
        model,
      );
  }
}

function partsOf(
  parts: readonly { readonly name: string; readonly type: FieldType; readonly rules: readonly FieldRule[] }[],
  sending: Sending,
): Plain {
  const pairs = parts
    .filter((part) => !isServiceSet(part.rules))
    .filter((part) => part.rules.some(({ rule }) => rule === "required") || sending.draw.happens(60))
    .map((part) => [part.name, sentValue(part.type, part.rules, sending)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}
