/**
 * Plain data: converts between run-time values and the JSON data of handlers and functions. Plain
 * data has the engine's own wire format, whatever format the document states for timestamps. The
 * document's types and rules validate it.
 */
import type { Node } from "../../expressions/node.ts";
import type { Type } from "../../expressions/type.ts";
import type { Frame, Value } from "../../expressions/value.ts";
import { compileValueWriter, type WireForm } from "../../expressions/write-json.ts";
import { createFieldContext, type FieldReader } from "../../fields/field-reader.ts";
import { Findings } from "../../fields/findings.ts";
import { type FieldRule, hasRule } from "../../fields/rule.ts";
import { expressionType, type FieldType } from "../../fields/type.ts";
import type { Gap } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { jsonLimits } from "../../support/formats/json-reader.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { NotShown } from "../problem.ts";
import { HandlerMistake } from "../handler-module.ts";

/** The wire format of handlers: timestamps in milliseconds, and null values included. */
export const plainWire: WireForm = { timestamps: "milliseconds", nulls: true };

/** Builds the record that handlers see: all fields except secrets. */
export function plainRecordNode(plan: ResourcePlan): Node {
  const entries = plan.resource.fields
    .filter(({ type }) => !isSecret(type))
    .map((field) => ({
      key: field.name,
      optional: false,
      value: fieldNode(thisOf(plan.name), field.name, expressionType(field.type)),
    }));
  const fields = Object.fromEntries(entries.map((entry) => [entry.key, entry.value.type]));
  return { op: "map", entries, type: { kind: "object", fields } };
}

export function isSecret(type: FieldType): boolean {
  return type.kind === "password" || type.kind === "credential";
}

/** Converts values of a type to plain data. */
export function plainWriter(context: PlanContext, type: Type): (value: Value, frame: Frame) => Json {
  const write = compileValueWriter(type, context.meaning, plainWire);
  return (value, frame) => JSON.parse(write(value, frame)) as Json;
}

/**
 * Parses plain data by a type and its rules.
 * @throws HandlerMistake with the problem of `subject`
 */
export type PlainReader = (given: Json, subject: string) => Value;

export function plainReader(
  context: PlanContext,
  type: FieldType,
  rules: readonly FieldRule[] = [],
  gap?: Gap,
): PlainReader {
  const fields = createFieldContext({
    ...context.reading,
    timestamps: "milliseconds",
    unknownFields: "rejected",
    emptyInputs: undefined,
  });
  const isText = type.kind === "password" || type.kind === "credential";
  const reader: FieldReader = fields.compile(isText ? { kind: "string" } : type, rules, gap);
  const isRequired = hasRule(rules, "required");
  return (given, subject) => {
    if (given === null) {
      if (isRequired) throw new HandlerMistake(`${subject} must not be null`);
      return null;
    }
    const findings = new Findings();
    const value = reader.json(given, subject, findings);
    const [gap] = findings.gaps;
    if (gap) throw new NotShown({ part: "resources", item: "fields", ...gap.gap });
    const problems = findings.problems();
    if (value === undefined || problems.length > 0)
      throw new HandlerMistake(problems.map((problem) => `${problem.field} ${problem.problem}`).join("; "));
    return value;
  };
}

/**
 * Converts a handler's result to JSON data. Stored records become their identifiers, dates become
 * timestamps, and absent values are omitted.
 * @throws HandlerMistake for values that are not data
 */
export function toJson(given: unknown, identifierOf: (object: object) => Json | undefined, depth = 0): Json {
  if (depth > jsonLimits.depthMax)
    throw new HandlerMistake(`a value is nested deeper than ${jsonLimits.depthMax} levels`);
  switch (typeof given) {
    case "string":
    case "boolean":
      return given;
    case "number":
      if (!Number.isFinite(given))
        throw new HandlerMistake(`${given} is not a number that JSON can represent`);
      return given;
    case "object": {
      if (given === null) return null;
      if (given instanceof Date) return given.toISOString();
      if (Array.isArray(given)) return given.map((item) => toJson(item ?? null, identifierOf, depth + 1));
      const identifier = depth > 0 ? identifierOf(given) : undefined;
      if (identifier !== undefined) return identifier;
      return Object.fromEntries(
        Object.entries(given).flatMap(([key, member]) =>
          member === undefined ? [] : [[key, toJson(member, identifierOf, depth + 1)]],
        ),
      );
    }
    default:
      throw new HandlerMistake(`a ${typeof given} is not JSON data`);
  }
}

/** Returns the field type whose values an expression of the type has. */
export function fieldTypeOf(type: Type): FieldType {
  switch (type.kind) {
    case "enum":
      return type;
    case "list":
    case "map":
      return { kind: type.kind, of: fieldTypeOf(type.of) };
    case "record":
      return { kind: "reference", resource: type.resource };
    case "value":
      return { kind: "value", resource: type.resource };
    case "object":
      if (type.open) return { kind: "json" };
      return {
        kind: "object",
        parts: Object.entries(type.fields).map(([name, fieldType]) => ({
          name,
          type: fieldTypeOf(fieldType),
          rules: [{ rule: "nullable" }],
        })),
      };
    case "any":
    case "null":
    case "bytes":
    case "collection":
      return { kind: "json" };
    default:
      return { kind: type.kind };
  }
}
