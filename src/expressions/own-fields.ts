/** Which fields of its own record an expression reads: what is filled in, or told, must come after those. */
import type { Node } from "./node.ts";
import { partsOfNode } from "./nodes.ts";

export interface OwnRecord {
  readonly resource: string;
  /** The record's name besides `this`. */
  readonly smallName: string;
  readonly fields: readonly string[];
  readonly identifier: readonly string[];
  /** The expression of a computed field. */
  computed(field: string): Node | undefined;
}

/** Computed fields are gone into. A shape reads every field; comparing the record asks who it is. */
export function ownFieldsRead(node: Node, record: OwnRecord): ReadonlySet<string> {
  const found = new Set<string>();
  const read = (field: string): void => {
    if (found.has(field)) return;
    found.add(field);
    const body = record.computed(field);
    if (body) visit(body);
  };
  const visit = (one: Node): void => {
    if ((one.op === "field" || one.op === "has") && isOwn(one.of, record)) {
      read(one.name);
      return;
    }
    const shows = one.op === "shape" || one.op === "standing";
    if (shows && partsOfNode(one).some((part) => isOwn(part, record))) record.fields.forEach(read);
    if (isOwn(one, record)) record.identifier.forEach(read);
    partsOfNode(one).forEach(visit);
  };
  visit(node);
  return found;
}

function isOwn(node: Node, { resource, smallName }: OwnRecord): boolean {
  if (node.type.kind === "record" && node.type.resource !== resource) return false;
  return node.op === "fixed" ? node.name === "this" : node.op === "named" && node.name === smallName;
}
