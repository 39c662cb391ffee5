/** Interface of a plain type (part 2). Each type has a file; `index.ts` lists them. */
import type { Value } from "../../expressions/value.ts";
import type { Json } from "../../support/json.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { PlainType } from "../type.ts";
import type { TimestampForm } from "../../expressions/writing/wire.ts";

/** The document's settings for values on the wire. */
export interface ReadForm {
  readonly timestamps: TimestampForm;
}

export interface ScalarType {
  readonly kind: PlainType;
  /** Reads a JSON value that isn't null into its run-time form (`expressions/value.ts`). */
  read(json: Json, form: ReadForm): Value | Refusal;
  /** Reads a text of a form, a query, a header or a path. */
  readText(text: string, form: ReadForm): Value | Refusal;
  schema(form: ReadForm): JsonSchema;
  /** The expected value in a sentence: `a whole number`. */
  readonly sentence: string;
}

/** Why a value does not have a type. `words` is a predicate to the field's name: `must be an integer`. */
export class Refusal {
  readonly words: string;
  constructor(words: string) {
    this.words = words;
  }
}

/** A type whose JSON form is a text, which is read in the same way from every source. */
export function textType(
  kind: PlainType,
  words: { readonly refusal: string; readonly sentence: string; readonly schema: JsonSchema },
  read: (text: string) => Value | Refusal | undefined,
): ScalarType {
  const refusal = new Refusal(words.refusal);
  const readText = (text: string) => read(text) ?? refusal;
  return {
    kind,
    sentence: words.sentence,
    read: (json) => (typeof json === "string" ? readText(json) : refusal),
    readText,
    schema: () => words.schema,
  };
}
