/**
 * Scan analysis: how many records an expression may read, by its structure alone. Each scan of a
 * resource is a power of its size, and nested scans multiply. An equality with a stored field uses
 * an index (`store/indexes.ts` creates it) and doesn't count. Lists don't count either, because
 * their sizes are limited.
 */
import { equalitySets, type IsCandidate } from "./equalities.ts";
import type { MacroName, Node } from "../node.ts";
import { partsOfNode } from "../nodes.ts";
import { namesRead, variableName } from "./reads.ts";
import type { Meaning } from "../scope.ts";

/** A way in which a statement reads records. */
export interface Scan {
  /** The resources whose records are all read: those of the second for each record of the first, and so on. */
  readonly through: readonly string[];
  /** The names that it reads. It is evaluated again for each record bound to one of them. */
  readonly reads: ReadonlySet<string>;
}

/** Bodies of computed fields and shapes that are left out: `field User.orders`, `shape Card`. */
export type IsExcluded = (body: string) => boolean;

/** Maximum number of scans of an expression that are distinguished, the longest first. */
const scansMax = 32;

/** Macros whose condition must hold for each element that they return. */
const picking: ReadonlySet<MacroName> = new Set(["filter", "exists", "exists_one", "count", "first", "last"]);
/** Macros that return elements of their list. */
const chaining: ReadonlySet<MacroName> = new Set(["filter", "map", "sort", "distinct", "flatten"]);

type Macro = Extract<Node, { op: "macro" }>;

export class ScanFinder {
  readonly #meaning: Meaning;
  readonly #leftOut: IsExcluded;
  readonly #bodies = new Map<string, readonly Scan[]>();

  constructor(meaning: Meaning, leftOut: IsExcluded = () => false) {
    this.#meaning = meaning;
    this.#leftOut = leftOut;
  }

  /** The scans of an expression. Empty if it only reads records by their keys. */
  of(node: Node): readonly Scan[] {
    switch (node.op) {
      case "collection":
        return [{ through: [node.resource], reads: new Set() }];
      case "macro":
        return longest(this.#ofMacro(node));
      case "field": {
        const { kind } = node.of.type;
        const own =
          kind === "record" || kind === "value" ? this.#computed(node.of.type.resource, node.name) : [];
        return longest([...this.of(node.of), ...this.#scanned(own, node.of)]);
      }
      case "shape": {
        const own = this.#ofBody(`shape ${node.shape}`, this.#meaning.shapeBody(node.shape));
        return longest([...(node.of ? this.of(node.of) : []), ...this.#scanned(own, node.of)]);
      }
      case "representation": {
        const fields = [...(this.#meaning.vocabulary.resource(node.resource)?.fields.values() ?? [])];
        const visible = fields.filter((field) => field.computed && !field.hidden);
        const own = visible.flatMap(({ name }) => this.#computed(node.resource, name));
        return longest([...this.of(node.of), ...this.#scanned(own, node.of)]);
      }
      default:
        return longest(partsOfNode(node).flatMap((node) => this.of(node)));
    }
  }

  /** Whether an index finds the few records for which all conditions may hold. */
  isNarrowed(resource: string, conditions: readonly Node[], isCandidate: IsCandidate): boolean {
    const fields = this.#meaning.vocabulary.resource(resource)?.fields;
    const leadsToFew = (name: string): boolean => {
      const field = fields?.get(name);
      return field !== undefined && !field.computed && !unselective.has(field.type.kind);
    };
    return equalitySets(conditions, isCandidate).every((set) => set.some(leadsToFew));
  }

  /**
   * The scans of a computed field's or shape's body. A cycle, which another check reports, ends at
   * itself.
   */
  #ofBody(key: string, body: Node | undefined): readonly Scan[] {
    if (!body || this.#leftOut(key)) return [];
    const known = this.#bodies.get(key);
    if (known) return known;
    this.#bodies.set(key, []);
    const found = this.of(body);
    this.#bodies.set(key, found);
    return found;
  }

  /** Within a body, only its own `this` is known. */
  #scanned(scans: readonly Scan[], record: Node | undefined): readonly Scan[] {
    return record === undefined
      ? scans
      : scans.map(({ through, reads }) => {
          const fieldReads = [...reads].filter((name) => !name.startsWith("local ") && name !== "this");
          return {
            through,
            reads: new Set(reads.has("this") ? [...fieldReads, ...namesRead(record)] : fieldReads),
          };
        });
  }

  #computed(resource: string, field: string): readonly Scan[] {
    return this.#ofBody(`field ${resource}.${field}`, this.#meaning.computed(resource, field));
  }

  #ofMacro(macro: Macro): readonly Scan[] {
    const chain = chainOf(macro);
    const base = chain.at(-1)?.of as Node;
    const resource = base.op === "collection" ? base.resource : undefined;
    const narrowed = resource === undefined || chain.some((macro) => this.#narrows(macro, resource));
    const own = narrowed ? [] : [resource];
    const reads = namesRead(macro);
    const inside = chain.flatMap(({ body, depth }) =>
      (body ? this.of(body) : []).map(
        (scan): Scan =>
          scan.reads.has(variableName(depth)) ? { through: [...own, ...scan.through], reads } : scan,
      ),
    );
    const around = resource === undefined ? this.of(base) : own.length > 0 ? [{ through: own, reads }] : [];
    return [...around, ...inside];
  }

  #narrows({ macro, of: over, depth, body }: Macro, resource: string): boolean {
    // After `map` the elements are not records of the resource any more.
    if (!body || !picking.has(macro) || chainOf(over).some((macro) => macro.macro === "map")) return false;
    return this.isNarrowed(resource, [body], (node) => node.op === "local" && node.depth === depth);
  }
}

/** Types with so few values that an index returns a large part of all records, and types without an index. */
const unselective: ReadonlySet<string> = new Set([
  "boolean",
  "enum",
  "list",
  "map",
  "object",
  "value",
  "any",
  "null",
]);

/** The macro and the macros before it in the chain, the innermost last. */
function chainOf(node: Node): readonly Macro[] {
  if (node.op !== "macro") return [];
  const inner = node.of.op === "macro" && chaining.has(node.of.macro) ? chainOf(node.of) : [];
  return [node, ...inner];
}

/** The longest scans, without duplicates. */
function longest(scans: readonly Scan[]): readonly Scan[] {
  if (scans.length < 2) return scans;
  const unlike = new Map(scans.map((scan) => [[...scan.through, "|", ...scan.reads].join(" "), scan]));
  return [...unlike.values()].sort((a, b) => b.through.length - a.through.length).slice(0, scansMax);
}
