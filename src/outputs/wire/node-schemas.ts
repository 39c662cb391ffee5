/**
 * The JSON Schema of an expression in a response: the schema of what `expressions/write-json.ts`
 * writes, and whether the value may be null. Shapes, default representations and embedded values
 * are named schemas.
 */
import type { Expression, Node } from "../../expressions/node.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import { scalarTypes } from "../../fields/types/index.ts";
import type { Type } from "../../expressions/type.ts";
import type { Field, Resource, Shape } from "../../model/model.ts";
import { outputByName, shapeOutput, representationOutput } from "../../model/versions/output-nodes.ts";
import type { Json } from "../../support/json.ts";
import type { WireContext } from "./context.ts";
import { exclusionsByOutcome, keyOf, type Place, withExcluded, withLocal } from "./place.ts";
import { resultMayBeNull } from "../../expressions/functions/index.ts";
import { anyOf, isObject, mergedObjects, orNull, withoutNull, withoutValues } from "./json-schemas.ts";
import {
  identifierSchema,
  isAlwaysThere,
  missingWhenMade,
  objectOf,
  type ValueSchema,
  responseFieldSchema,
  type ReferenceSchemas,
} from "./field-schemas.ts";

export interface ResponseSchemas {
  /** For an expression of the document, in the names of the version. */
  of(node: Node, place?: Place): ValueSchema;
  /** The reference to a shape's schema. */
  shape(shape: Shape): JsonSchema;
  /** The reference to the schema of a resource's, or a value's, default representation. */
  representation(resource: Resource): JsonSchema;
  readonly words: ReferenceSchemas;
}

export function createResponseSchemas(context: WireContext): ResponseSchemas {
  const { model, meaning, schemas, resources, form, view } = context;
  const computing = new Set<string>();
  const nullFields = new Map<string, boolean>();

  const words: ReferenceSchemas = {
    value: (name) => {
      const resource = resources.get(name);
      return resource ? representation(resource) : {};
    },
    mayBeNull,
  };

  function mayBeNull(resource: Resource, field: Field): boolean {
    const key = `${resource.name}.${field.name}`;
    const known = nullFields.get(key);
    if (known !== undefined) return known;
    // A cycle of computed fields: the result is unknown.
    if (computing.has(key)) return true;
    computing.add(key);
    const computed = meaning.computed(resource.name, field.name);
    const place = { missing: missingWhenMade(context, resource) };
    const isNull = ({ node }: Expression) => of(node, place).nullable;
    const found = computed ? of(computed).nullable : !isAlwaysThere(context, resource, field, isNull);
    computing.delete(key);
    nullFields.set(key, found);
    return found;
  }

  function shape(target: Shape): JsonSchema {
    const subject = { subject: `the shape ${target.name}`, position: target.position };
    return schemas.named(`shape ${target.name}`, [target.name], subject, () =>
      target.gap ? {} : of(shapeOutput(model, target, view)).schema,
    );
  }

  function representation(resource: Resource): JsonSchema {
    const { name, position } = resource;
    const subject = { subject: `the default representation of ${name}`, position };
    const isTaken = model.shapes.some((shape) => shape.name === name);
    const preferred = isTaken ? [`${name}Record`] : [name];
    return schemas.named(`representation ${name}`, preferred, subject, () => {
      if (resource.gap) return {};
      const prose = resource.prose.trim();
      const { schema } = of(representationOutput(model, resource, view));
      return { ...schema, ...(prose === "" ? {} : { description: prose }) };
    });
  }

  function of(node: Node, place: Place = {}): ValueSchema {
    const value = plain(node, place);
    const excluded = place.excluded?.get(keyOf(node));
    if (!excluded) return value;
    return {
      schema: withoutValues(value.schema, excluded),
      nullable: value.nullable && !excluded.includes(null),
    };
  }

  function plain(node: Node, place: Place): ValueSchema {
    switch (node.op) {
      case "literal":
        return literal(node.value, node.type);
      case "fixed":
      case "named":
        return name(node, place);
      case "local":
        return place.locals?.[node.depth] ?? byType(node.type, true);
      case "field":
        return field(node, place);
      case "has":
      case "not":
      case "and":
      case "or":
        return { schema: { type: "boolean" }, nullable: false };
      case "negate":
        return { schema: typeSchema(node.type), nullable: of(node.of, place).nullable };
      case "binary":
        return binary(node, place);
      case "if":
        return choice(node, place);
      case "list": {
        const items = node.items.map((item) => withNullability(of(item, place)));
        return {
          schema: { type: "array", ...(items.length === 0 ? {} : { items: anyOf(items) }) },
          nullable: false,
        };
      }
      case "map":
        return map(node, place);
      case "call":
        return call(node, place);
      case "macro":
        return macro(node, place);
      case "key":
        return { schema: identifierSchema(context, node.resource, words), nullable: true };
      case "shape": {
        const found = model.shapes.find((shape) => shape.name === node.shape);
        if (!found) return byType(node.type, true);
        const inner = node.of ? of(node.of, place) : { nullable: false };
        // A shape of values that the engine sets (a page, an error) has its type only there.
        if (!node.of) return of(shapeOutput(model, found, view), { ...place, locals: [] });
        return { schema: shape(found), nullable: inner.nullable || bodyMayBeNull(found) };
      }
      case "representation": {
        const resource = resources.get(node.resource);
        return resource
          ? { schema: representation(resource), nullable: of(node.of, place).nullable }
          : byType(node.type, true);
      }
      default:
        return byType(node.type, true);
    }
  }

  function bodyMayBeNull({ body, gap, name: own }: Shape): boolean {
    if (gap || computing.has(`shape ${own}`)) return false;
    computing.add(`shape ${own}`);
    const { nullable } = body.node.op === "map" ? { nullable: false } : of(body.node);
    computing.delete(`shape ${own}`);
    return nullable;
  }

  /** A record in an expression is written as its identifier. */
  function name(node: Extract<Node, { op: "fixed" | "named" }>, place: Place): ValueSchema {
    const members = place.fixed?.[node.name];
    if (members) return { schema: membersSchema(members), nullable: false };
    const mayMiss = node.name === "caller" || node.name === "credential" || node.name === "old";
    const isRecord = node.type.kind === "record" || node.type.kind === "value";
    const isThere = node.name === "now" || node.name === "service" || node.name === "created";
    return {
      schema: typeSchema(node.type),
      nullable: place.missing?.has(node.name) === true || mayMiss || !(isRecord || isThere),
    };
  }

  function membersSchema(members: Readonly<Record<string, ValueSchema>>): JsonSchema {
    return objectOf(
      Object.entries(members).map(([key, member]) => ({ name: key, ...member })),
      form.nulls,
    );
  }

  function field(node: Extract<Node, { op: "field" }>, place: Place): ValueSchema {
    const { of: from, name: key } = node;
    if (from.op === "fixed") {
      const known = place.fixed?.[from.name]?.[key];
      if (known) return known;
    }
    const { type } = from;
    const outer = of(from, place);
    if (type.kind === "record" || type.kind === "value") {
      const resource = resources.get(type.resource);
      const declared = resource?.fields.find((field) => field.name === key);
      if (resource && declared) {
        const value = responseFieldSchema(context, resource, declared, words);
        const { readOnly: _everything, ...schema } = value.schema;
        return {
          schema: from.op === "fixed" && from.name === "this" ? value.schema : schema,
          nullable: value.nullable || outer.nullable,
        };
      }
      return byType(node.type, outer.nullable || key !== "deleted");
    }
    const member = memberOf(outer.schema, key);
    return member
      ? { schema: member.schema, nullable: member.nullable || outer.nullable }
      : byType(node.type, true);
  }

  /** A key of a known schema: its schema, and whether it is always present. */
  function memberOf(schema: JsonSchema, key: string): ValueSchema | undefined {
    const properties = schemas.open(schema)?.["properties"];
    const found = isObject(properties) ? properties[key] : undefined;
    if (!isObject(found)) return undefined;
    const required = schemas.open(schema)?.["required"];
    const isRequired = Array.isArray(required) && (required as readonly unknown[]).includes(key);
    const bare = withoutNull(found);
    return { schema: bare ?? found, nullable: bare !== undefined || !isRequired };
  }

  function literal(value: Json, type: Type): ValueSchema {
    if (value === null) return { schema: { type: "null" }, nullable: true };
    if (typeof value === "object") return { schema: typeSchema(type), nullable: false };
    const kind = typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
    const isWritten = type.kind === "timestamp" || type.kind === "duration" || type.kind === "any";
    return { schema: isWritten ? typeSchema(type) : { type: kind, const: value }, nullable: false };
  }

  function binary(node: Extract<Node, { op: "binary" }>, place: Place): ValueSchema {
    if (node.type.kind === "boolean") return { schema: { type: "boolean" }, nullable: false };
    const [left, right] = [of(node.left, place), of(node.right, place)];
    // Division by zero gives null. An integer beyond ±(2^53−1) does too, but listing that for every
    // sum would only be noise.
    const divides = node.operator === "/" || node.operator === "%";
    const byZero = divides && !(node.right.op === "literal" && node.right.value !== 0);
    return { schema: typeSchema(node.type), nullable: left.nullable || right.nullable || byZero };
  }

  function choice(node: Extract<Node, { op: "if" }>, place: Place): ValueSchema {
    const [yes, no] = exclusionsByOutcome(node.condition);
    const then = of(node.then, withExcluded(place, yes));
    const otherwise = of(node.else, withExcluded(place, no));
    const schemas = [then.schema, otherwise.schema].filter((schema) => schema["type"] !== "null");
    return {
      schema: schemas.length === 0 ? { type: "null" } : anyOf(schemas),
      nullable: then.nullable || otherwise.nullable,
    };
  }

  function map(node: Extract<Node, { op: "map" }>, place: Place): ValueSchema {
    const members = node.entries.map(({ key, optional, value }) => ({
      name: key,
      optional,
      ...expandable(value, of(value, place)),
    }));
    return { schema: objectOf(members, form.nulls), nullable: false };
  }

  /**
   * Part 4, `Expansion`: a client may request the referenced record in full, in its resource's
   * representation.
   */
  function expandable({ type, op }: Node, value: ValueSchema): ValueSchema {
    if (model.endpointsPart.expansion === undefined) return value;
    if (type.kind === "record") return { ...value, schema: inFullToo(value.schema, type.resource) };
    if (type.kind !== "list" || type.of.kind !== "record" || op === "macro") return value;
    const { items } = value.schema;
    if (!isObject(items)) return value;
    return { ...value, schema: { ...value.schema, items: inFullToo(items, type.of.resource) } };
  }

  function inFullToo({ readOnly, description, ...schema }: JsonSchema, name: string): JsonSchema {
    const resource = resources.get(name);
    const own = model.shapes.find((shape) => shape.name === name && shape.of === name);
    const full = own ? shape(own) : resource ? representation(resource) : {};
    return {
      ...anyOf([schema, full]),
      ...(description === undefined ? {} : { description }),
      ...(readOnly === undefined ? {} : { readOnly }),
    };
  }

  function call(node: Extract<Node, { op: "call" }>, place: Place): ValueSchema {
    const args = node.args.map((argument) => of(argument, place));
    const canBeNull = ({ nullable }: ValueSchema) => nullable;
    const someNull = args.some(canBeNull);
    switch (node.function) {
      case "merge":
        return { schema: merged(args.map((value) => value.schema)), nullable: someNull };
      case "pick":
        return { schema: somePicked(args[0]?.schema ?? {}), nullable: args[0]?.nullable ?? true };
      case "or":
        return { schema: anyOf(args.map(({ schema }) => schema)), nullable: args.every(canBeNull) };
      case "map of entries": {
        const { items } = args[0]?.schema ?? {};
        const value = isObject(items) ? memberOf(items, "value") : undefined;
        const values = value ? withNullability(value) : {};
        return { schema: { type: "object", additionalProperties: values }, nullable: someNull };
      }
      case "min":
      case "max":
        return { schema: typeSchema(node.type), nullable: args.every(canBeNull) };
      default:
        return { schema: typeSchema(node.type), nullable: resultMayBeNull(node.function, someNull) };
    }
  }

  /** The same objects with all keys optional. */
  function somePicked(whole: JsonSchema): JsonSchema {
    return anyOf(objectsOf(whole).map(({ required: _, ...rest }) => rest));
  }

  /** Each combination of the parts; if there are too many, only that the result is an object. */
  function merged(parts: readonly JsonSchema[]): JsonSchema {
    const combinations = parts.reduce<readonly (readonly JsonSchema[])[] | undefined>(
      (known, part) => {
        const more =
          known && objectsOf(part).flatMap((object) => known.map((combination) => [...combination, object]));
        return more && more.length <= waysMax ? more : undefined;
      },
      [[]],
    );
    return combinations ? anyOf(combinations.map(mergedObjects)) : { type: "object" };
  }

  /** The objects that a schema allows; one without `properties` where its keys aren't known. */
  function objectsOf(schema: JsonSchema): readonly JsonSchema[] {
    const open = schemas.open(schema);
    const options = open?.["anyOf"];
    if (!Array.isArray(options)) return [isObject(open?.["properties"]) ? open : { type: "object" }];
    return (options as readonly JsonSchema[])
      .filter((option) => option["type"] !== "null")
      .flatMap(objectsOf);
  }

  function macro(node: Extract<Node, { op: "macro" }>, place: Place): ValueSchema {
    const list: ValueSchema =
      node.of.op === "collection"
        ? {
            schema: { type: "array", items: identifierSchema(context, node.of.resource, words) },
            nullable: false,
          }
        : of(node.of, place);
    const { items } = list.schema;
    // Iteration over a map yields its keys.
    const isKeyed = node.of.type.kind === "map" || node.of.type.kind === "object";
    const keys: JsonSchema = { type: "string" };
    const element = isKeyed ? keys : isObject(items) ? items : undefined;
    switch (node.macro) {
      case "count":
        return { schema: { type: "integer", format: "int64", minimum: 0 }, nullable: list.nullable };
      case "exists":
      case "exists_one":
      case "all":
        return { schema: { type: "boolean" }, nullable: false };
      case "sum":
        return { schema: typeSchema(node.type), nullable: true };
      case "filter":
      case "sort":
      case "distinct":
        return isKeyed ? { schema: { type: "array", items: keys }, nullable: list.nullable } : list;
      case "map": {
        if (!node.body || node.depth === undefined) return byType(node.type, true);
        const body = of(node.body, withLocal(place, node.depth, localOf(node.of.type, element)));
        return { schema: { type: "array", items: withNullability(body) }, nullable: list.nullable };
      }
      case "flatten":
        return element?.["type"] === "array" && isObject(element["items"])
          ? { schema: { type: "array", items: element["items"] }, nullable: list.nullable }
          : byType(node.type, list.nullable);
      default: {
        // `first`, `last`, `min` and `max` of an empty list are null.
        if (node.macro === "min" || node.macro === "max" || !element) return byType(node.type, true);
        return { schema: withoutNull(element) ?? element, nullable: true };
      }
    }
  }

  function localOf(type: Type, element: JsonSchema | undefined): ValueSchema {
    if (type.kind === "collection")
      return { schema: identifierSchema(context, type.resource, words), nullable: false };
    const bare = element && withoutNull(element);
    if (element)
      return { schema: bare ?? element, nullable: bare !== undefined || Object.keys(element).length === 0 };
    return type.kind === "list" ? byType(type.of, true) : byType(type, true);
  }

  function byType(type: Type, nullable: boolean): ValueSchema {
    return { schema: typeSchema(type), nullable: nullable || type.kind === "any" || type.kind === "null" };
  }

  function typeSchema(type: Type): JsonSchema {
    switch (type.kind) {
      case "null":
        return { type: "null" };
      case "any":
        return {};
      case "bytes":
        return { type: "string", contentEncoding: "base64" };
      case "enum":
        return { type: "string", enum: type.values };
      case "list":
        return { type: "array", items: orNull(typeSchema(type.of)) };
      case "map":
        return { type: "object", additionalProperties: orNull(typeSchema(type.of)) };
      case "object":
        return {
          type: "object",
          properties: Object.fromEntries(
            Object.entries(type.fields).map(([key, fieldType]) => [
              key.replace(/\?$/, ""),
              orNull(typeSchema(fieldType)),
            ]),
          ),
        };
      case "record":
        return identifierSchema(context, type.resource, words);
      case "value":
        return words.value(type.resource);
      case "collection":
        return { type: "array", items: identifierSchema(context, type.resource, words) };
      case "password":
      case "credential":
        return { type: "null" };
      default:
        return scalarTypes[type.kind].schema({ timestamps: form.timestamps });
    }
  }

  return { of: (node, place) => of(outputByName(model, node, view), place), shape, representation, words };
}

/** Maximum number of variants that a merge of alternatives lists. */
const waysMax = 32;

/** The schema with null if the value may be null. */
export function withNullability({ schema, nullable }: ValueSchema): JsonSchema {
  return nullable ? orNull(schema) : schema;
}
