/**
 * The schema that most errors of a description have, as a comment of part 7. What fills its members
 * is in no description: the work list proposes it by their names.
 */
import type { Draft } from "./draft.ts";
import { commentText } from "./comment-text.ts";
import type { ErrorCodes } from "../description/error-codes.ts";
import type { Answer, Operation } from "../description/operations.ts";
import type { Schema } from "../description/schemas.ts";
import type { Writing } from "./context.ts";

const lengthMax = 2000;
const depthMax = 4;

/** Writes the comment, if one schema is that of at least half of the errors, with two statuses. */
export function writeErrorSchema(
  draft: Draft,
  writing: Writing,
  operations: readonly Operation[],
  codes: ErrorCodes,
): void {
  const { schemas } = writing.facts;
  const texts = new Map<object, string>();
  const textOf = ({ schema }: Answer): string => {
    const read = schemas.read(schema);
    const text =
      texts.get(read.identity) ?? commentText(JSON.stringify(shapeOf(writing, read, memberOf(codes))));
    texts.set(read.identity, text);
    return text;
  };
  const errors = operations
    .flatMap(({ answers }) => answers)
    .filter(({ code, schema }) => /^([45]|default$)/.test(code) && schema !== undefined);
  const [most] = [...Map.groupBy(errors, textOf)].toSorted(([, a], [, b]) => b.length - a.length);
  if (!most) return;
  const [text, same] = most;
  const statuses = new Set(same.map(({ code }) => code));
  const areSeveral = statuses.size > 1 || statuses.has("default");
  if (same.length * 2 < errors.length || !areSeveral) return;
  if (!text.startsWith("{") || text.length > lengthMax) return;
  const media = same.every(isProblem) ? " as problem details" : "";
  draft.count("error payload", "comment");
  draft.add(`<!-- openapi error payload${media} (${same.length} of ${errors.length} errors): ${text} -->`);
  draft.gap();
}

function isProblem({ types }: Answer): boolean {
  return types.length > 0 && types.every((type) => type === "application/problem+json");
}

/**
 * The members of an object by their keys, with `?` for those that may be absent; else a type, or
 * `code` for the member that has the code.
 */
type Shape = string | { readonly [key: string]: Shape };

/** The path of the member that is known to have the codes, if a status has one of its own. */
function memberOf({ path, stated }: ErrorCodes): string | undefined {
  return stated.size === 0 ? undefined : path;
}

function shapeOf(
  writing: Writing,
  schema: Schema,
  codeAt: string | undefined,
  path: readonly string[] = [],
): Shape {
  const { kinds, union, values, properties, required } = schema;
  if (path.join(".") === codeAt) return "code";
  const [only, more] = values ?? [];
  if (only !== undefined && more === undefined && typeof only !== "object")
    return `= ${JSON.stringify(only)}`;
  const isObject = kinds.length === 1 && kinds[0] === "object" && !union && properties.size > 0;
  if (!isObject || path.length === depthMax) return union ? "json" : kinds.join(" or ");
  const members = [...properties].map(
    ([key, node]) =>
      [
        required.has(key) ? key : `${key}?`,
        shapeOf(writing, writing.facts.schemas.read(node), codeAt, [...path, key]),
      ] as const,
  );
  return Object.fromEntries(members);
}
