/** The responses of an imported operation: statuses and shapes, as far as the notation states them. */
import type { Answer, Operation } from "../description/operations.ts";
import { type OperationMeaning, typeText } from "../description/statements.ts";
import { textOf } from "../description/values.ts";
import { sharedValue, shapeName, type Writing } from "./context.ts";

/** The items of a stream, as a comment. The notation states events, and no media types of streams. */
function itemsText({ facts }: Writing, { items }: Answer): string {
  return items === undefined ? "" : `, whose items are ${typeText(facts.schemas.type(items)).slice(0, 200)}`;
}

export function returnsOf(
  writing: Writing,
  operation: Operation,
  deed: OperationMeaning | undefined,
  notes: string[],
): readonly string[] {
  const { facts, names, refusals } = writing;
  const { id, successes } = operation;
  const stated = successes.filter(({ code }) => /^2\d\d$/.test(code));
  const [success] = stated;
  if (!success || refusals.has(`returns ${id}`)) return ["not shown"];
  if (stated.length > 1)
    return stated.map((answer) => `${openReturnOf(writing, operation, answer, notes)} when not shown`);
  const draftOf = (text: string): readonly string[] => [text];
  if (success.types.length === 0) return draftOf(`${success.code} nothing`);
  if (success.schema === undefined) {
    notes.push(`an answer of ${success.types.join(", ")}${itemsText(writing, success)}`);
    return draftOf(`${success.code} not shown`);
  }
  const { resource, isList, key, rest } = facts.answered.get(operation) ?? {};
  const name = resource && names.resource(resource);
  if (name && isList && key !== undefined)
    notes.push(
      `${success.code} has a list of ${name} in "${key}"${rest?.length ? ` with ${rest.join(", ")}` : ""}`,
    );
  if (success.either !== undefined && deed && name)
    return draftOf(`${success.code} ${name} or list of ${name}`);
  if (success.either !== undefined) return draftOf(openReturnOf(writing, operation, success, notes));
  const isRecordInKey = /^[\w-]+$/.test(key ?? "") && !isList;
  if (name && isRecordInKey && !deed) notes.push(`${success.code} has ${name} in "${key}"`);
  if (name && key === undefined) return draftOf(`${success.code} ${isList ? "list of " : ""}${name}`);
  if (name && deed && isRecordInKey) return draftOf(`${success.code} \`{"${key}": ${name}(this)}\``);
  return draftOf(openReturnOf(writing, operation, success, notes));
}

/** An answer by its shape alone. */
function openReturnOf(
  writing: Writing,
  { method, path, node }: Operation,
  { code, types, schema }: Answer,
  notes: string[],
): string {
  if (types.length === 0) return `${code} nothing`;
  if (schema === undefined || writing.detail === "without answers") return `${code} not shown`;
  const type = writing.facts.schemas.type(schema);
  const shape = type.kind === "list" ? type.of : type;
  const isUnion = sharedValue(writing, shape) !== undefined;
  if (isUnion) notes.push(`an answer of type ${typeText(type).slice(0, 200)}: further keys`);
  else if (shape.kind !== "value") {
    notes.push(`an answer of type ${typeText(type).slice(0, 200)}`);
    return `${code} not shown`;
  }
  const owner = textOf(node["operationId"]) ?? `${method}_${path}`;
  return `${code} ${shapeName(writing, type, { owner, key: "answer" })}`;
}

/** Statuses of errors whose condition no row of part 7 states for this operation. */
export function openFailsOf({ conditions }: Writing, { answers, path, body }: Operation): string {
  const isStated = (code: string): boolean => {
    const condition = conditions.get(code);
    if (condition === "not found") return path.includes("{");
    if (condition === "too large" || condition === "unsupported media type") return body !== undefined;
    return (
      condition !== undefined && ["unauthenticated", "rate limited", "not acceptable"].includes(condition)
    );
  };
  const codes = answers.map(({ code }) => code).filter((code) => /^[345]\d\d$/.test(code) && !isStated(code));
  return codes.length === 0 ? "not shown" : `${codes.toSorted().join(", ")} when not shown`;
}
