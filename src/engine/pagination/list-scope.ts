/**
 * List scope: the values that a list's conditions read from the caller. By part 2, Visible, a
 * cursor must not lead to a record that is not visible. A caller for whom the conditions give the
 * same values, such as a second key of one shop, may use the cursor.
 */
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Vocabulary } from "../../expressions/scope.ts";
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";

type Identity = "caller" | "credential";

/** @returns a text that is equal for callers who see the same records; empty if all callers do */
export function planListScope(conditions: readonly Node[], vocabulary: Vocabulary): (frame: Frame) => string {
  const read = new Map<string, (frame: Frame) => Value>();
  for (const condition of conditions) collect(condition, read, vocabulary);
  const readers = [...read.values()];
  if (readers.length === 0) return () => "";
  return (frame) => JSON.stringify(readers.map((reader) => reader(frame)));
}

function collect(node: Node, read: Map<string, (frame: Frame) => Value>, vocabulary: Vocabulary): void {
  const who = node.op === "field" ? identityOf(node.of) : undefined;
  if (node.op === "field" && who && node.name === "#resource") {
    read.set(`${who} of`, (frame) => recordOf(frame[who])?.["#resource"] ?? null);
    return;
  }
  if (node.op === "field" && who && isStored(node.of, node.name, vocabulary)) {
    read.set(`${who}.${node.name}`, (frame) => recordOf(frame[who])?.[node.name] ?? null);
    return;
  }
  const identity = identityOf(node);
  if (identity) read.set(identity, (frame) => recordOf(frame[identity])?.["#row"] ?? null);
  // Computed fields and shapes may read the caller indirectly.
  if (node.op === "shape" || (node.op === "field" && isComputed(node.of, node.name, vocabulary)))
    read.set("caller", (frame) => recordOf(frame.caller)?.["#row"] ?? null);
  for (const part of partsOfNode(node)) collect(part, read, vocabulary);
}

function identityOf(node: Node): Identity | undefined {
  return node.op === "fixed" && (node.name === "caller" || node.name === "credential")
    ? node.name
    : undefined;
}

function recordOf(value: Value): RecordValue | undefined {
  return typeof value === "object" && value !== null && "#row" in value ? (value as RecordValue) : undefined;
}

function isStored(of: Node, name: string, vocabulary: Vocabulary): boolean {
  return fieldOf(of, name, vocabulary)?.computed === false;
}

function isComputed(of: Node, name: string, vocabulary: Vocabulary): boolean {
  return fieldOf(of, name, vocabulary)?.computed === true;
}

function fieldOf({ type }: Node, name: string, vocabulary: Vocabulary) {
  return type.kind === "record" ? vocabulary.resource(type.resource)?.fields.get(name) : undefined;
}
