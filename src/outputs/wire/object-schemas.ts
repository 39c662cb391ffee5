/** Operations on schemas of objects that follow references: one member, fewer keys, a merge. */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { NamedSchemas } from "./context.ts";
import type { ValueSchema } from "./field-schemas.ts";
import { anyOf, isObject, mergedObjects, withoutNull } from "./json-schemas.ts";

/** Maximum number of variants that a merge of alternatives lists. */
const combinationsMax = 32;

export class ObjectSchemas {
  readonly #schemas: NamedSchemas;

  constructor(schemas: NamedSchemas) {
    this.#schemas = schemas;
  }

  /** A key of a known schema: its schema, and whether it is always present. */
  member(schema: JsonSchema, key: string): ValueSchema | undefined {
    const properties = this.#schemas.open(schema)?.["properties"];
    const found = isObject(properties) ? properties[key] : undefined;
    if (!isObject(found)) return undefined;
    const required = this.#schemas.open(schema)?.["required"];
    const isRequired = Array.isArray(required) && (required as readonly unknown[]).includes(key);
    const bare = withoutNull(found);
    return { schema: bare ?? found, nullable: bare !== undefined || !isRequired };
  }

  /** The same objects with all keys optional. */
  withOptionalKeys(whole: JsonSchema): JsonSchema {
    return anyOf(this.#alternatives(whole).map(({ required: _, ...rest }) => rest));
  }

  /** Each combination of the parts; if there are too many, only that the result is an object. */
  merged(parts: readonly JsonSchema[]): JsonSchema {
    const combinations = parts.reduce<readonly (readonly JsonSchema[])[] | undefined>(
      (known, part) => {
        const more =
          known &&
          this.#alternatives(part).flatMap((object) => known.map((combination) => [...combination, object]));
        return more && more.length <= combinationsMax ? more : undefined;
      },
      [[]],
    );
    return combinations ? anyOf(combinations.map(mergedObjects)) : { type: "object" };
  }

  /** The objects that a schema allows; one without `properties` where its keys aren't known. */
  #alternatives(schema: JsonSchema): readonly JsonSchema[] {
    const open = this.#schemas.open(schema);
    const options = open?.["anyOf"];
    if (!Array.isArray(options)) return [isObject(open?.["properties"]) ? open : { type: "object" }];
    return (options as readonly JsonSchema[])
      .filter((option) => option["type"] !== "null")
      .flatMap((option) => this.#alternatives(option));
  }
}
