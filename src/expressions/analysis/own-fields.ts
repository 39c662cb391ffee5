/**
 * Own fields: the fields of its own record that an expression reads. Computed fields and messages
 * must be evaluated after those.
 */
import type { Node } from "../node.ts";
import { partsOfNode } from "../nodes.ts";

export interface OwnRecord {
  readonly resource: string;
  /** The name of the record besides `this`. */
  readonly variableName: string;
  readonly fields: readonly string[];
  readonly identifier: readonly string[];
  /** The fields of its default representation. */
  readonly visible: readonly string[];
  /** The expression of a computed field. */
  computed(field: string): Node | undefined;
  shapeBody(shape: string): Node | undefined;
}

/**
 * Follows computed fields and shapes of the record. The default representation reads its visible
 * fields; a comparison of the record reads its key.
 */
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
  const visit = (node: Node): void => {
    if ((node.op === "field" || node.op === "has") && isOwn(node.of, record)) {
      read(node.name);
      return;
    }
    if (node.op === "shape" && node.of && isOwn(node.of, record)) {
      if (!shapes.has(node.shape)) readShape(node.shape);
      return;
    }
    if (node.op === "representation" && isOwn(node.of, record)) {
      record.visible.forEach(read);
      return;
    }
    if (isOwn(node, record)) record.identifier.forEach(read);
    partsOfNode(node).forEach(visit);
  };
  visit(node);
  return found;
}

function isOwn(node: Node, { resource, variableName }: OwnRecord): boolean {
  if (node.type.kind === "record" && node.type.resource !== resource) return false;
  return node.op === "fixed" ? node.name === "this" : node.op === "named" && node.name === variableName;
}
