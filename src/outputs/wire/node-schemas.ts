/**
 * The JSON Schema of an expression in a response: the schema of what `expressions/write-json.ts`
 * writes, and whether the value may be null. Shapes, default representations and embedded values
 * are named schemas.
 */
import type { Node } from "../../expressions/node.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Type } from "../../expressions/type.ts";
import type { Resource, Shape } from "../../model/model.ts";
import { outputByName, shapeOutput, representationOutput } from "../../model/versions/output-nodes.ts";
import type { WireContext } from "./context.ts";
import { exclusionsByOutcome, keyOf, type Place, withExcluded, withLocal } from "./place.ts";
import { resultMayBeNull } from "../../expressions/functions/index.ts";
import { anyOf, isObject, orNull, withoutNull, withoutValues } from "./json-schemas.ts";
import {
  identifierSchema,
  objectOf,
  type ValueSchema,
  responseFieldSchema,
  type ReferenceSchemas,
} from "./field-schemas.ts";
import { ObjectSchemas } from "./object-schemas.ts";
import { TypeSchemas } from "./type-schemas.ts";

/** The schemas of responses in one version. */
export class ResponseSchemas {
  readonly #context: WireContext;
  readonly #types: TypeSchemas;
  readonly #objects: ObjectSchemas;
  /** The shapes whose nullability is being computed. */
  readonly #computing = new Set<string>();
  readonly words: ReferenceSchemas;

  constructor(context: WireContext) {
    this.#context = context;
    this.words = {
      value: (name) => {
        const resource = context.resources.get(name);
        return resource ? this.representation(resource) : {};
      },
    };
    this.#types = new TypeSchemas(context, this.words);
    this.#objects = new ObjectSchemas(context.schemas);
  }

  /** For an expression of the document, in the names of the version. */
  of(node: Node, place?: Place): ValueSchema {
    const { model, view } = this.#context;
    return this.#resultOf(outputByName(model, node, view), place);
  }

  /** The reference to a shape's schema. */
  shape(target: Shape): JsonSchema {
    const subject = { subject: `the shape ${target.name}`, position: target.position };
    return this.#context.schemas.named(`shape ${target.name}`, [target.name], subject, () =>
      target.gap ? {} : this.#resultOf(shapeOutput(this.#context.model, target, this.#context.view)).schema,
    );
  }

  /** The reference to the schema of a resource's, or a value's, default representation. */
  representation(resource: Resource): JsonSchema {
    const { name, position } = resource;
    const subject = { subject: `the default representation of ${name}`, position };
    const isTaken = this.#context.model.shapes.some((shape) => shape.name === name);
    const preferred = isTaken ? [`${name}Record`] : [name];
    return this.#context.schemas.named(`representation ${name}`, preferred, subject, () => {
      if (resource.gap) return {};
      const prose = resource.prose.trim();
      const { schema } = this.#resultOf(
        representationOutput(this.#context.model, resource, this.#context.view),
      );
      return { ...schema, ...(prose === "" ? {} : { description: prose }) };
    });
  }

  #resultOf(node: Node, place: Place = {}): ValueSchema {
    const value = this.#valueOf(node, place);
    const excluded = place.excluded?.get(keyOf(node));
    if (!excluded) return value;
    return {
      schema: withoutValues(value.schema, excluded),
      nullable: value.nullable && !excluded.includes(null),
    };
  }

  #valueOf(node: Node, place: Place): ValueSchema {
    switch (node.op) {
      case "literal":
        return this.#types.literal(node.value, node.type);
      case "fixed":
      case "named":
        return this.#ofName(node, place);
      case "local":
        return place.locals?.[node.depth] ?? this.#types.value(node.type, true);
      case "field":
        return this.#ofField(node, place);
      case "has":
      case "not":
      case "and":
      case "or":
        return { schema: { type: "boolean" }, nullable: false };
      case "negate":
        return { schema: this.#types.schema(node.type), nullable: this.#resultOf(node.of, place).nullable };
      case "binary":
        return this.#ofBinary(node, place);
      case "if":
        return this.#ofChoice(node, place);
      case "list": {
        const items = node.items.map((item) => withNullability(this.#resultOf(item, place)));
        return {
          schema: { type: "array", ...(items.length === 0 ? {} : { items: anyOf(items) }) },
          nullable: false,
        };
      }
      case "map":
        return this.#ofMap(node, place);
      case "call":
        return this.#ofCall(node, place);
      case "macro":
        return this.#ofMacro(node, place);
      case "key":
        return { schema: identifierSchema(this.#context, node.resource, this.words), nullable: true };
      case "shape": {
        const found = this.#context.model.shapes.find((shape) => shape.name === node.shape);
        if (!found) return this.#types.value(node.type, true);
        const inner = node.of ? this.#resultOf(node.of, place) : { nullable: false };
        // A shape of values that the engine sets (a page, an error) has its type only there.
        if (!node.of)
          return this.#resultOf(shapeOutput(this.#context.model, found, this.#context.view), {
            ...place,
            locals: [],
          });
        return { schema: this.shape(found), nullable: inner.nullable || this.#bodyMayBeNull(found) };
      }
      case "representation": {
        const resource = this.#context.resources.get(node.resource);
        return resource
          ? { schema: this.representation(resource), nullable: this.#resultOf(node.of, place).nullable }
          : this.#types.value(node.type, true);
      }
      default:
        return this.#types.value(node.type, true);
    }
  }

  #bodyMayBeNull({ body, gap, name: own }: Shape): boolean {
    if (gap || this.#computing.has(own)) return false;
    this.#computing.add(own);
    const { nullable } = body.node.op === "map" ? { nullable: false } : this.#resultOf(body.node);
    this.#computing.delete(own);
    return nullable;
  }

  /** A record in an expression is written as its identifier. */
  #ofName(node: Extract<Node, { op: "fixed" | "named" }>, place: Place): ValueSchema {
    const members = place.fixed?.[node.name];
    if (members) return { schema: this.#types.members(members), nullable: false };
    const mayMiss = node.name === "caller" || node.name === "credential" || node.name === "old";
    const isRecord = node.type.kind === "record" || node.type.kind === "value";
    const isThere = node.name === "now" || node.name === "service" || node.name === "created";
    return {
      schema: this.#types.schema(node.type),
      nullable: place.missing?.has(node.name) === true || mayMiss || !(isRecord || isThere),
    };
  }

  #ofField(node: Extract<Node, { op: "field" }>, place: Place): ValueSchema {
    const { of: from, name: key } = node;
    if (from.op === "fixed") {
      const known = place.fixed?.[from.name]?.[key];
      if (known) return known;
    }
    const { type } = from;
    const outer = this.#resultOf(from, place);
    if (type.kind === "record" || type.kind === "value") {
      const resource = this.#context.resources.get(type.resource);
      const declared = resource?.fields.find((field) => field.name === key);
      if (resource && declared) {
        const computed = this.#context.meaning.computed(resource.name, key);
        const isKey = declared.type.kind === "reference" && computed && computed.type.kind !== "record";
        const ofKey = isKey ? this.#types.schema(computed.type) : undefined;
        const value = responseFieldSchema(this.#context, resource, declared, this.words, ofKey);
        const { readOnly: _everything, ...schema } = value.schema;
        return {
          schema: from.op === "fixed" && from.name === "this" ? value.schema : schema,
          nullable: value.nullable || outer.nullable,
        };
      }
      return this.#types.value(node.type, outer.nullable || key !== "deleted");
    }
    const member = this.#objects.member(outer.schema, key);
    return member
      ? { schema: member.schema, nullable: member.nullable || outer.nullable }
      : this.#types.value(node.type, true);
  }

  #ofBinary(node: Extract<Node, { op: "binary" }>, place: Place): ValueSchema {
    if (node.type.kind === "boolean") return { schema: { type: "boolean" }, nullable: false };
    const [left, right] = [this.#resultOf(node.left, place), this.#resultOf(node.right, place)];
    // Division by zero gives null. An integer beyond ±(2^53−1) does too, but listing that for every
    // sum would only be noise.
    const divides = node.operator === "/" || node.operator === "%";
    const byZero = divides && !(node.right.op === "literal" && node.right.value !== 0);
    return { schema: this.#types.schema(node.type), nullable: left.nullable || right.nullable || byZero };
  }

  #ofChoice(node: Extract<Node, { op: "if" }>, place: Place): ValueSchema {
    const [yes, no] = exclusionsByOutcome(node.condition);
    const then = this.#resultOf(node.then, withExcluded(place, yes));
    const otherwise = this.#resultOf(node.else, withExcluded(place, no));
    const schemas = [then.schema, otherwise.schema].filter((schema) => schema["type"] !== "null");
    return {
      schema: schemas.length === 0 ? { type: "null" } : anyOf(schemas),
      nullable: then.nullable || otherwise.nullable,
    };
  }

  #ofMap(node: Extract<Node, { op: "map" }>, place: Place): ValueSchema {
    const members = node.entries.map(({ key, optional, value }) => ({
      name: key,
      optional,
      ...this.#expandable(value, this.#resultOf(value, place)),
    }));
    return { schema: objectOf(members, this.#context.form.nulls), nullable: false };
  }

  /**
   * Part 4, `Expansion`: a client may request the referenced record in full, in its resource's
   * representation.
   */
  #expandable({ type, op }: Node, value: ValueSchema): ValueSchema {
    if (this.#context.model.endpointsPart.expansion === undefined) return value;
    if (type.kind === "record") return { ...value, schema: this.#inFullToo(value.schema, type.resource) };
    if (type.kind !== "list" || type.of.kind !== "record" || op === "macro") return value;
    const { items } = value.schema;
    if (!isObject(items)) return value;
    return { ...value, schema: { ...value.schema, items: this.#inFullToo(items, type.of.resource) } };
  }

  #inFullToo({ readOnly, description, ...schema }: JsonSchema, name: string): JsonSchema {
    const resource = this.#context.resources.get(name);
    const own = this.#context.model.shapes.find((shape) => shape.name === name && shape.of === name);
    const full = own ? this.shape(own) : resource ? this.representation(resource) : {};
    return {
      ...anyOf([schema, full]),
      ...(description === undefined ? {} : { description }),
      ...(readOnly === undefined ? {} : { readOnly }),
    };
  }

  #ofCall(node: Extract<Node, { op: "call" }>, place: Place): ValueSchema {
    const args = node.args.map((argument) => this.#resultOf(argument, place));
    const canBeNull = ({ nullable }: ValueSchema) => nullable;
    const someNull = args.some(canBeNull);
    switch (node.function) {
      case "merge":
        return { schema: this.#objects.merged(args.map((value) => value.schema)), nullable: someNull };
      case "pick":
        return {
          schema: this.#objects.withOptionalKeys(args[0]?.schema ?? {}),
          nullable: args[0]?.nullable ?? true,
        };
      case "or":
        return { schema: anyOf(args.map(({ schema }) => schema)), nullable: args.every(canBeNull) };
      case "map of entries": {
        const { items } = args[0]?.schema ?? {};
        const value = isObject(items) ? this.#objects.member(items, "value") : undefined;
        const values = value ? withNullability(value) : {};
        return { schema: { type: "object", additionalProperties: values }, nullable: someNull };
      }
      case "min":
      case "max":
        return { schema: this.#types.schema(node.type), nullable: args.every(canBeNull) };
      default:
        return {
          schema: this.#types.schema(node.type),
          nullable: resultMayBeNull(node.function, someNull, node.args[0]?.type),
        };
    }
  }

  #ofMacro(node: Extract<Node, { op: "macro" }>, place: Place): ValueSchema {
    const list: ValueSchema =
      node.of.op === "collection"
        ? {
            schema: { type: "array", items: identifierSchema(this.#context, node.of.resource, this.words) },
            nullable: false,
          }
        : this.#resultOf(node.of, place);
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
        return { schema: this.#types.schema(node.type), nullable: true };
      case "filter":
      case "sort":
      case "distinct":
        return isKeyed ? { schema: { type: "array", items: keys }, nullable: list.nullable } : list;
      case "map": {
        if (!node.body || node.depth === undefined) return this.#types.value(node.type, true);
        const body = this.#resultOf(
          node.body,
          withLocal(place, node.depth, this.#localOf(node.of.type, element)),
        );
        return { schema: { type: "array", items: withNullability(body) }, nullable: list.nullable };
      }
      case "flatten":
        return element?.["type"] === "array" && isObject(element["items"])
          ? { schema: { type: "array", items: element["items"] }, nullable: list.nullable }
          : this.#types.value(node.type, list.nullable);
      default: {
        // `first`, `last`, `min` and `max` of an empty list are null.
        if (node.macro === "min" || node.macro === "max" || !element)
          return this.#types.value(node.type, true);
        return { schema: withoutNull(element) ?? element, nullable: true };
      }
    }
  }

  #localOf(type: Type, element: JsonSchema | undefined): ValueSchema {
    if (type.kind === "collection")
      return { schema: identifierSchema(this.#context, type.resource, this.words), nullable: false };
    const bare = element && withoutNull(element);
    if (element)
      return { schema: bare ?? element, nullable: bare !== undefined || Object.keys(element).length === 0 };
    return type.kind === "list" ? this.#types.value(type.of, true) : this.#types.value(type, true);
  }
}

/** The schema with null if the value may be null. */
export function withNullability({ schema, nullable }: ValueSchema): JsonSchema {
  return nullable ? orNull(schema) : schema;
}
