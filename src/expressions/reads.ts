/**
 * Which names an expression reads, by its bound nodes and not by its text or JSON. Unread values
 * needn't be computed, and values that aren't known yet may not be read; both rely on this.
 */
import { expressionsIn } from "./expressions-in.ts";
import type { FixedName, Node } from "./node.ts";
import { partsOfNode } from "./nodes.ts";
import type { Meaning } from "./scope.ts";
import type { Type } from "./type.ts";

/**
 * A name and one member of it, or all members of a kind: `request.body`. An expression that reads the name alone
 * reads all members.
 */
export interface NameRead {
  readonly name: FixedName;
  readonly member?: string | ((name: string) => boolean);
}

/**
 * Whether an expression reads one of the names.
 * @param meaning if given, the bodies of used shapes and computed fields are followed
 */
export function readsName(node: Node, reads: NameRead | readonly NameRead[], meaning?: Meaning): boolean {
  const requested = Array.isArray(reads) ? (reads as readonly NameRead[]) : [reads as NameRead];
  const visited = new Set<Node>();
  const visit = (node: Node): boolean => {
    const member = memberRead(node);
    if (
      member
        ? requested.some((read) => isOf(read, member))
        : requested.some((read) => readsEntirely(read, node))
    )
      return true;
    if (!member && partsOfNode(node).some(visit)) return true;
    return meaning !== undefined && bodiesOf(node, meaning).some(visitOnce);
  };
  const visitOnce = (body: Node): boolean => {
    if (visited.has(body)) return false;
    visited.add(body);
    return visit(body);
  };
  return visit(node);
}

/**
 * Whether an expression reads one of the fields: by its name, or within a default representation.
 * @param isRead decides for a field, given whether it is read by its name
 */
export function readsField(
  node: Node,
  isRead: (resource: string, field: string, byName: boolean) => boolean,
  meaning: Meaning,
): boolean {
  const visited = new Set<Node>();
  const represents = (resource: string): boolean =>
    representedResources(resource, meaning, new Set()).some((resourceName) =>
      [...(meaning.vocabulary.resource(resourceName)?.fields.values() ?? [])].some(
        ({ name, hidden }) => !hidden && isRead(resourceName, name, false),
      ),
    );
  const readsItself = (node: Node): boolean => {
    if (node.op === "representation") return represents(node.resource);
    if (node.op !== "field" && node.op !== "has") return false;
    const { type } = node.of;
    return (type.kind === "record" || type.kind === "value") && isRead(type.resource, node.name, true);
  };
  const visit = (node: Node): boolean => {
    if (visited.has(node)) return false;
    visited.add(node);
    return readsItself(node) || partsOfNode(node).some(visit) || bodiesOf(node, meaning).some(visit);
  };
  return visit(node);
}

/** Whether an expression tests which resource `this` or `old` belongs to (`binding/resource-choice.ts`). */
export function readsResource(node: Node, meaning?: Meaning): boolean {
  const member = "#resource";
  return readsName(
    node,
    [
      { name: "this", member },
      { name: "old", member },
    ],
    meaning,
  );
}

/** The same for all expressions in a part of the model. */
export function pieceReads(
  piece: unknown,
  reads: NameRead | readonly NameRead[],
  meaning?: Meaning,
): boolean {
  for (const { expression } of expressionsIn(piece))
    if (readsName(expression.node, reads, meaning)) return true;
  return false;
}

interface MemberRead {
  readonly of: FixedName;
  readonly name: string;
}

/**
 * `request.body`, `has(request.body)`, `request["body"]`. An index that is computed at run time may be any member, so
 * all are read.
 */
function memberRead(node: Node): MemberRead | undefined {
  if (node.op !== "field" && node.op !== "has" && node.op !== "index") return undefined;
  if (node.of.op !== "fixed") return undefined;
  if (node.op !== "index") return { of: node.of.name, name: node.name };
  const { index } = node;
  return index.op === "literal" && typeof index.value === "string"
    ? { of: node.of.name, name: index.value }
    : undefined;
}

function isOf({ name, member }: NameRead, read: MemberRead): boolean {
  if (name !== read.of) return false;
  return member === undefined || (typeof member === "string" ? member === read.name : member(read.name));
}

function readsEntirely({ name }: NameRead, node: Node): boolean {
  return node.op === "fixed" && node.name === name;
}

/** The bodies of the shapes and computed fields that a node uses. */
function bodiesOf(node: Node, meaning: Meaning): readonly Node[] {
  switch (node.op) {
    case "shape":
      return listed(meaning.shapeBody(node.shape));
    case "representation":
      return representationBodies(node.resource, meaning, new Set());
    case "field":
    case "has": {
      const { type } = node.of;
      return type.kind === "record" || type.kind === "value"
        ? listed(meaning.computed(type.resource, node.name))
        : [];
    }
    default:
      return [];
  }
}

/** The computed fields of a default representation, and of the values within it. */
function representationBodies(resource: string, meaning: Meaning, visited: Set<string>): readonly Node[] {
  return representedResources(resource, meaning, visited).flatMap((name) =>
    [...(meaning.vocabulary.resource(name)?.fields.keys() ?? [])].flatMap((field) =>
      listed(meaning.computed(name, field)),
    ),
  );
}

/** A resource, and the values in its default representation. */
function representedResources(resource: string, meaning: Meaning, visited: Set<string>): readonly string[] {
  if (visited.has(resource)) return [];
  visited.add(resource);
  const fields = [...(meaning.vocabulary.resource(resource)?.fields.values() ?? [])];
  return [
    resource,
    ...fields.flatMap((field) =>
      valuesIn(field.type).flatMap((value) => representedResources(value, meaning, visited)),
    ),
  ];
}

function valuesIn(type: Type): readonly string[] {
  switch (type.kind) {
    case "value":
      return [type.resource];
    case "list":
    case "map":
      return valuesIn(type.of);
    case "object":
      return Object.values(type.fields).flatMap(valuesIn);
    default:
      return [];
  }
}

function listed(body: Node | undefined): readonly Node[] {
  return body ? [body] : [];
}
