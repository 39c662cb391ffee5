/**
 * Read analysis: the names, fields and resources that an expression reads, by its bound nodes and
 * not by its text or JSON. Unread values needn't be computed, and values that aren't known yet may
 * not be read; both rely on this.
 */
import { memoizeBy } from "../../support/memoize-by.ts";
import { nodesThroughout, representedResources, withBodies } from "./bodies.ts";
import { expressionsIn } from "./expressions-in.ts";
import type { FixedName, Node } from "../node.ts";
import { partsOfNode, someNode } from "../nodes.ts";
import type { Meaning } from "../scope.ts";

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
  const isRead = (node: Node): boolean => {
    const member = memberRead(node);
    if (member) return requested.some((read) => isOf(read, member));
    return requested.some((read) => readsEntirely(read, node)) || partsOfNode(node).some(isRead);
  };
  return (meaning ? withBodies(node, meaning) : [node]).some(isRead);
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
  const represents = (resource: string): boolean =>
    representedResources(resource, meaning).some((resourceName) =>
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
  return withBodies(node, meaning).some((body) => someNode(body, readsItself));
}

/**
 * Which resources an expression reads besides its own record: through collections, references,
 * computed fields and shapes.
 */
export function resourcesRead(node: Node, meaning: Meaning): ReadonlySet<string> {
  const found = new Set<string>();
  for (const inner of nodesThroughout(node, meaning)) {
    if (inner.op === "collection") found.add(inner.resource);
    if (inner.op !== "field" && inner.op !== "has") continue;
    const { of } = inner;
    const isOwn = of.op === "fixed" && of.name === "this";
    if (of.type.kind === "record" && !isOwn) found.add(of.type.resource);
  }
  return found;
}

/** The name in `namesRead` of a macro's variable. */
export function variableName(depth: number | undefined): string {
  return `local ${depth}`;
}

/**
 * The names that an expression reads from its surroundings: `this`, `named shop`, `local 0`. The variables of macros
 * in it aren't among them.
 */
export const namesRead: (node: Node) => ReadonlySet<string> = memoizeBy((node) => {
  if (node.op === "fixed") return new Set([node.name]);
  if (node.op === "named" || node.op === "parameter") return new Set([`${node.op} ${node.name}`]);
  if (node.op === "local") return new Set([variableName(node.depth)]);
  const names = new Set(partsOfNode(node).flatMap((part) => [...namesRead(part)]));
  if (node.op === "macro") names.delete(variableName(node.depth));
  // A shape without argument has the same `this`.
  if (node.op === "shape" && !node.of) names.add("this");
  return names;
});

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
