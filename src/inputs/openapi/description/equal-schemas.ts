/**
 * Equal schemas: schemas that are written out at several places become one value. Each node of the
 * description has the number of its content, so equal nodes are found in one pass.
 */
import type { Files } from "./files.ts";
import type { Operation } from "./operations.ts";
import type { Schema } from "./schemas.ts";
import { closureOf } from "./sent-schemas.ts";
import type { Facts } from "./statements.ts";
import { isPlain, member, plainOf } from "./values.ts";

/** Schemas with the same content. */
export interface SchemaClass {
  readonly key: string;
  /** The name of the first of them that the description names. */
  readonly name: string | undefined;
  /** Whether operations have several of them. */
  readonly isShared: boolean;
}

export interface EqualSchemas {
  classOf(schema: Schema): SchemaClass;
}

/** Nodes that are nested more deeply equal only themselves. */
const depthMax = 200;

/** Keys of any schema that a value of the document doesn't have. */
const isPassedOver = (key: string): boolean => key.startsWith("x-") || /^(examples?|title)$/.test(key);
/** Keys of a map of properties are names, whatever they are. */
const isName = (): boolean => false;
/** Keys that are about the place where a schema is used. */
const isAboutUse = (key: string): boolean =>
  /^(description|default|nullable|readOnly|writeOnly|deprecated)$/.test(key);

export function createEqualSchemas(
  files: Files,
  { schemas, sent }: Facts,
  operations: readonly Operation[],
): EqualSchemas {
  const contents = createContents(files);
  const keyOf = ({ identity }: Schema): string => {
    const content = contents.of(identity, isAboutUse);
    // What a request requires and what a response has are written differently.
    return `${content}${sent.has(identity) ? " sent" : ""}`;
  };
  const names = new Map<string, string>();
  const components = plainOf(member(member(files.first, "components"), "schemas"));
  for (const [name, node] of Object.entries(components)) {
    const key = keyOf(schemas.read(node));
    if (!names.has(key)) names.set(key, name);
  }
  const numbers = new Map<string, number>();
  const roots = operations.flatMap(({ body, answers }) => [
    body?.schema,
    ...answers.map(({ schema }) => schema),
  ]);
  for (const schema of closureOf(schemas, roots).values()) {
    if (schema.properties.size === 0) continue;
    const key = keyOf(schema);
    numbers.set(key, (numbers.get(key) ?? 0) + 1);
  }
  return {
    classOf(schema) {
      const key = keyOf(schema);
      return { key, name: names.get(key), isShared: (numbers.get(key) ?? 0) > 1 };
    },
  };
}

/** The numbers of contents. A reference has that of its target as an object, whatever that contains. */
function createContents(files: Files): { of(node: unknown, isLeftOut: (key: string) => boolean): number } {
  const numbers = new Map<string, number>();
  const known = new Map<object, number>();
  const targets = new Map<unknown, number>();
  const number = (text: string): number => {
    const found = numbers.get(text) ?? numbers.size;
    numbers.set(text, found);
    return found;
  };
  const contentOf = (node: unknown, depth: number, isLeftOut = isPassedOver): number => {
    if (typeof node !== "object" || node === null) return number(`${typeof node} ${JSON.stringify(node)}`);
    const found = known.get(node);
    if (found !== undefined) return found;
    // A node within itself, or nested too deeply, equals no other.
    known.set(node, number(`itself ${known.size}`));
    if (depth > depthMax) return known.get(node) ?? 0;
    const content = number(textOf(node, depth, isLeftOut));
    known.set(node, content);
    return content;
  };
  const textOf = (node: object, depth: number, isLeftOut: (key: string) => boolean): string => {
    if (Array.isArray(node)) return `[${node.map((item) => contentOf(item, depth + 1)).join()}]`;
    if (isPlain(node) && typeof node["$ref"] === "string") {
      const target = files.follow(node);
      targets.set(target, targets.get(target) ?? targets.size);
      return `target ${targets.get(target)}`;
    }
    const entries = Object.entries(node).filter(([key]) => !isLeftOut(key));
    return `{${entries
      .map(([key, value]) => {
        const isOfNames = key === "properties" && isLeftOut !== isName;
        return `${JSON.stringify(key)}:${contentOf(value, depth + 1, isOfNames ? isName : isPassedOver)}`;
      })
      .toSorted()
      .join()}}`;
  };
  return {
    of: (node, isLeftOut) =>
      typeof node === "object" && node !== null
        ? number(textOf(node, 0, (key) => isPassedOver(key) || isLeftOut(key)))
        : contentOf(node, 0),
  };
}
