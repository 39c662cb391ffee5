/**
 * The inputs of a request by their types and rules, in the names of the version. Dotted names are
 * grouped into objects.
 */
import type { ResourceSpec } from "../../fields/field-reader.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import { type FieldRule, hasRule, isHidden, isServiceSet, rulesOfSent } from "../../fields/rule.ts";
import { fieldSchema, type SchemaContext } from "../../fields/schema.ts";
import type { FieldType } from "../../fields/type.ts";
import { partPaths } from "../../fields/types/reference.ts";
import type { Endpoint, Input, Resource } from "../../model/model.ts";
import { unknownFieldsIn } from "../../model/endpoints/unknown-inputs.ts";
import type { WireContext } from "./context.ts";
import { isObject, orNull } from "./json-schemas.ts";
import { rulesCheckedAsSent } from "./rules-as-sent.ts";
import { identifierSchema, type ReferenceSchemas } from "./field-schemas.ts";

/** An input, or a part of one: without its leading names. */
export type InputWithin = Omit<Input, "name"> & { readonly name: readonly string[] };

/** The schemas of requests: those whose objects allow no other keys, and those that say nothing about them. */
export interface RequestSchemasByKeys {
  /** The schemas for the part of a request. */
  of(place: "query" | "body", endpoint?: Endpoint): RequestSchemas;
  /** The name under which a value is sent; undefined if no input accepts one. */
  nameOf(resource: Resource): string | undefined;
}

export function createSchemasByKeys(context: WireContext, words: ReferenceSchemas): RequestSchemasByKeys {
  const part = context.model.endpointsPart;
  const rejectsIn = (place: "query" | "body", endpoint?: Endpoint) =>
    unknownFieldsIn(place, part, endpoint) === "rejected";
  const usual = rejectsIn("body");
  const [closed, open] = [true, false].map(
    (rejects) => new RequestSchemas(context, words, rejects, rejects === usual),
  ) as [RequestSchemas, RequestSchemas];
  return {
    of: (place, endpoint) => (rejectsIn(place, endpoint) ? closed : open),
    nameOf: (resource) =>
      (usual ? closed : open).nameOf(resource) ?? (usual ? open : closed).nameOf(resource),
  };
}

/** @param isUsual whether the schemas are those of most endpoints, so that they get the short names */
/** The schemas of requests whose objects either allow no other keys, or say nothing about them. */
export class RequestSchemas {
  readonly #rejects: boolean;
  readonly #isUsual: boolean;
  readonly #context: WireContext;
  readonly #schemaContext: SchemaContext;
  /** What an object says about other keys. */
  readonly closed: JsonSchema;

  constructor(context: WireContext, words: ReferenceSchemas, rejects: boolean, isUsual: boolean) {
    this.#rejects = rejects;
    this.#isUsual = isUsual;
    this.#context = context;
    this.closed = rejects ? { additionalProperties: false } : {};
    this.#schemaContext = {
      timestamps: context.form.timestamps,
      value: (name) => {
        const resource = context.resources.get(name);
        return resource ? this.#value(resource) : {};
      },
      reference: (name) => identifierSchema(context, name, words, rulesCheckedAsSent),
    };
  }

  /** The key of a schema of its own, and the names that it may get. */
  keyOf(key: string): string {
    return `${key}${this.#isUsual ? "" : " otherwise"}`;
  }

  namesFor(name: string): readonly string[] {
    return this.#isUsual ? [name] : [`${name}${this.#rejects ? "Closed" : "Open"}`];
  }

  describe(inputWithin: InputWithin): string {
    const field =
      inputWithin.sets ??
      (inputWithin.filter && "field" in inputWithin.filter ? inputWithin.filter.field : undefined);
    if (field === undefined) return "";
    const owner = this.#context.model.endpoints.find((endpoint) =>
      endpoint.inputs.some((candidate) => candidate.position === inputWithin.position),
    );
    return meaningOf(this.#context.resources.get(owner?.resource ?? ""), field);
  }

  /** One input, without the text of its row. */
  input(inputWithin: InputWithin): JsonSchema {
    return ranged(inputWithin, this.#input(inputWithin));
  }

  /** Inputs of a body as the object that is sent. */
  object(inputs: readonly InputWithin[]): JsonSchema {
    return this.#object(inputs, 0, (inputWithin) => this.#input(inputWithin));
  }

  /** The same, with each input converted by the caller. */
  objectOf(inputs: readonly InputWithin[], schemaOf: (input: InputWithin) => JsonSchema): JsonSchema {
    return this.#object(inputs, 0, schemaOf);
  }

  /** The name under which a value is sent; undefined if no input accepts one. */
  nameOf(resource: Resource): string | undefined {
    return this.#context.schemas.nameOf(this.keyOf(`sent ${resource.name}`));
  }

  #value(resource: Resource): JsonSchema {
    const subject = { subject: `the inputs of ${resource.name}`, position: resource.position };
    return this.#context.schemas.named(
      this.keyOf(`sent ${resource.name}`),
      this.namesFor(`${resource.name}Input`),
      subject,
      () => {
        if (resource.gap) return {};
        const { view } = this.#context;
        const spec: ResourceSpec = view ? view.resource(resource) : resource;
        const prose = resource.prose.trim();
        const fields = spec.fields.filter((field) => !isServiceSet(field.rules));
        return {
          type: "object",
          properties: Object.fromEntries(
            fields.map((field) => [
              field.name,
              field.type.kind === "not shown"
                ? {}
                : this.#described(field.type, field.rules, meaningOf(resource, field.name)),
            ]),
          ),
          ...requiredOf(
            fields.filter((field) => hasRule(field.rules, "required")).map((field) => field.name),
          ),
          ...this.closed,
          ...(prose === "" ? {} : { description: prose }),
        };
      },
    );
  }

  #described(type: FieldType, rules: readonly FieldRule[], meaning: string): JsonSchema {
    const schema = this.#schemaOf(type, rules);
    return {
      ...schema,
      ...(meaning === "" ? {} : { description: meaning }),
      ...(isHidden(rules) || type.kind === "password" || type.kind === "credential"
        ? { writeOnly: true }
        : {}),
    };
  }

  #schemaOf(type: FieldType, rules: readonly FieldRule[]): JsonSchema {
    const judged = rulesCheckedAsSent(rulesOfSent(rules));
    const schema = this.#closedWithin(fieldSchema(type, judged, this.#schemaContext));
    if (hasRule(rules, "merged")) {
      // Null removes a key, and null for the whole removes all keys.
      const of = schema["additionalProperties"];
      return orNull({ ...schema, ...(isObject(of) ? { additionalProperties: orNull(of) } : {}) });
    }
    const mayBeEmpty =
      this.#context.model.endpointsPart.emptyInputs === "null" || hasRule(rules, "empty is null");
    return mayBeEmpty && hasRule(rules, "nullable") ? orEmpty(schema) : schema;
  }

  /** Objects of the document's own rows accept no other keys, if the document says so. */
  #closedWithin(schema: JsonSchema): JsonSchema {
    if (!this.#rejects) return schema;
    const { properties, items, additionalProperties } = schema;
    const inner = (property: unknown) =>
      isObject(property as JsonSchema)
        ? this.#closedWithin(property as JsonSchema)
        : (property as JsonSchema);
    return {
      ...schema,
      ...(isObject(properties)
        ? {
            properties: Object.fromEntries(
              Object.entries(properties).map(([key, property]) => [key, inner(property)]),
            ),
            additionalProperties: false,
          }
        : {}),
      ...(isObject(items) ? { items: inner(items) } : {}),
      ...(isObject(additionalProperties) ? { additionalProperties: inner(additionalProperties) } : {}),
    };
  }

  #input(inputWithin: InputWithin): JsonSchema {
    if (inputWithin.type.kind === "not shown") return {};
    // A field's own `default` applies to the input only where the endpoint uses it.
    const rules = inputWithin.rules.filter((rule) => rule.rule !== "default");
    const schema = this.#described(inputWithin.type, rules, this.describe(inputWithin));
    const fallback = inputWithin.default?.node;
    return fallback?.op === "literal" && fallback.value !== null
      ? { ...schema, default: fallback.value }
      : schema;
  }

  #object(
    inputs: readonly InputWithin[],
    depth: number,
    schemaOf: (input: InputWithin) => JsonSchema,
  ): JsonSchema {
    const groups = Map.groupBy(inputs, (inputWithin) => inputWithin.name[depth] ?? "");
    const required: string[] = [];
    const properties = Object.fromEntries(
      [...groups].map(([name, group]): [string, JsonSchema] => {
        const alone = group.find((inputWithin) => inputWithin.name.length === depth + 1);
        if (group.some(isRequiredInput)) required.push(name);
        return [name, alone ? ranged(alone, schemaOf(alone)) : this.#object(group, depth + 1, schemaOf)];
      }),
    );
    return { type: "object", properties, ...requiredOf(required), ...this.closed };
  }
}

export function isRequiredInput({
  required,
  default: fallback,
}: Pick<Input, "required" | "default">): boolean {
  return required && fallback === undefined;
}

/** `range`: the value itself, or its bounds. */
function ranged({ filter }: Pick<Input, "filter">, schema: JsonSchema): JsonSchema {
  if (filter?.kind !== "range") return schema;
  const { description, default: fallback, ...bound } = schema;
  return {
    anyOf: [
      bound,
      {
        type: "object",
        properties: { gt: bound, gte: bound, lt: bound, lte: bound },
        additionalProperties: false,
      },
    ],
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

function meaningOf(resource: Resource | undefined, name: string): string {
  return resource?.fields.find((field) => field.name === name)?.meaning.trim() ?? "";
}

function requiredOf(names: readonly string[]): JsonSchema {
  return names.length === 0 ? {} : { required: names };
}

/** The empty text means null. */
function orEmpty(schema: JsonSchema): JsonSchema {
  if (schema["type"] === "string" && Object.keys(schema).length === 1) return schema;
  return { anyOf: [schema, { type: "string", const: "" }] };
}

/** The names of an input in a query if its target has several identifying fields. */
export function isJoint({ type }: Input, { resources }: WireContext): boolean {
  return (
    type.kind === "reference" && partPaths(type.resource, (name) => resources.get(name) as never).length > 0
  );
}
