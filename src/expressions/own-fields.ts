/** Which fields of its own record an expression reads: what is filled in, or told, must come after those. */
import type { Node } from "./node.ts";
import { partsOfNode } from "./nodes.ts";

export interface OwnRecord {
  readonly resource: string;
  /** The record's name besides `this`. */
  readonly smallName: string;
  readonly fields: readonly string[];
  readonly identifier: readonly string[];
  /** Those that its standing shape shows. */
  readonly shown: readonly string[];
  /** The expression of a computed field. */
  computed(field: string): Node | undefined;
  shapeBody(shape: string): Node | undefined;
}

/** Computed fields and shapes of the record are gone into. The standing shape reads what it shows; comparing the record asks who it is. */
export function ownFieldsRead(node: Node, record: OwnRecord): ReadonlySet<string> {
  const found = new Set<string>();
  const shapes = new Set<string>();
  const read = (field: string): void => {
    if (found.has(field)) return;
    found.add(field);
    const body = record.computed(field);
    if (body) visit(body);
  };
  const readShape = (shape: string): void => {
    shapes.add(shape);
    const body = record.shapeBody(shape);
    if (body) visit(body);
  };
  const visit = (one: Node): void => {
    if ((one.op === "field" || one.op === "has") && isOwn(one.of, record)) {
      read(one.name);
      return;
    }
    if (one.op === "shape" && one.of && isOwn(one.of, record)) {
      if (!shapes.has(one.shape)) readShape(one.shape);
      return;
    }
    if (one.op === "standing" && isOwn(one.of, record)) {
      record.shown.forEach(read);
      return;
    }
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
