/**
 * Tenant analysis of an expression: follows it and reports where it leaves the tenant of the
 * request. Each value belongs to that tenant, to any tenant, or to none. Records found by a
 * condition stay within the tenant only if every alternative of the condition leads to it.
 */
import type { MacroName, Node } from "../../expressions/node.ts";
import { conjuncts, partsOfNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { Ways } from "./ways.ts";

/**
 * `own`: of the current tenant; `any`: of any tenant; `plain`: no record, or a record without a
 * tenant.
 */
export type Ownership = "own" | "any" | "plain";

export interface Around {
  readonly self: Ownership;
  readonly names: ReadonlyMap<string, Ownership>;
  /** Of the variables of macros, by their depth. */
  readonly locals: ReadonlyMap<number, Ownership>;
}

/** Told where records of a resource are found, or led to, past the tenant. */
export type ReportCrossing = (resource: string, how: "all" | "led to" | "by identifier") => void;

type Is = (node: Node) => boolean;
type Macro = Extract<Node, { op: "macro" }>;

const picking: ReadonlySet<MacroName> = new Set(["filter", "exists", "exists_one", "count", "first", "last"]);

export class Reader {
  readonly #ways: Ways;
  readonly #meaning: Meaning;
  /** Resources whose records are seen by their own tenant alone: what refers to one stays there. */
  readonly #isolated: ReadonlySet<string>;
  readonly #report: ReportCrossing;
  readonly #bodies = new Set<string>();

  constructor(ways: Ways, meaning: Meaning, isolated: ReadonlySet<string>, report: ReportCrossing) {
    this.#ways = ways;
    this.#meaning = meaning;
    this.#isolated = isolated;
    this.#report = report;
  }

  read(node: Node, around: Around): Ownership {
    const found = this.#found(node, around);
    // All records of a resource, and nothing that narrows them.
    if (node.type.kind === "collection" && found === "any") this.#report(node.type.resource, "all");
    return found;
  }

  /** Whether candidates for which all conditions hold are of the tenant. */
  isHeld(resource: string, conditions: readonly Node[], isCandidate: Is, around: Around): boolean {
    const quiet = this.#quiet();
    const holds = (term: Node): boolean => {
      if (term.op === "or") return holds(term.left) && holds(term.right);
      if (term.op === "and") return conjuncts(term).some(holds);
      if (term.op !== "binary" || term.operator !== "==") return false;
      const ties = (left: Node, right: Node) =>
        leadsFrom(left, isCandidate) && this.#isTied(left) && quiet.#isOwn(right, around);
      return ties(term.left, term.right) || ties(term.right, term.left);
    };
    return this.#ways.of(resource) === undefined || conditions.some(holds);
  }

  /** A record of the tenant, or what identifies one. */
  #isOwn(node: Node, around: Around): boolean {
    return this.read(identified(node, this.#meaning), around) === "own";
  }

  /** What the field leads to belongs to a tenant. */
  #isTied(node: Node): boolean {
    const { type } = identified(node, this.#meaning);
    return type.kind === "record" && this.#ways.of(type.resource) !== undefined;
  }

  #found(node: Node, around: Around): Ownership {
    switch (node.op) {
      case "fixed":
        if (node.name === "this" || node.name === "old") return around.self;
        return node.name === "caller" ? "own" : "plain";
      case "named":
        return around.names.get(node.name) ?? this.#atHand(node);
      case "local":
        return around.locals.get(node.depth) ?? "plain";
      case "collection":
        return this.#ways.of(node.resource) === undefined ? "plain" : "any";
      case "field":
        return this.#field(node, around);
      case "if":
        this.read(node.condition, around);
        return either(this.read(node.then, around), this.read(node.else, around));
      case "macro":
        return this.#macro(node, around);
      case "key":
        return this.#key(node, around);
      case "shape":
        return this.#body(`shape ${node.shape}`, this.#meaning.shapeBody(node.shape), node.of, around);
      case "representation":
        return this.#representation(node, around);
      default:
        return this.#parts(node, around);
    }
  }

  /** Records that were made on the way, or that a transition is about. */
  #atHand({ type }: Node): Ownership {
    return type.kind === "record" && this.#ways.of(type.resource) !== undefined ? "own" : "plain";
  }

  #parts(node: Node, around: Around): Ownership {
    const found = partsOfNode(node).map((part) => this.read(part, around));
    const passesOn =
      node.op === "index" || node.op === "list" || (node.op === "call" && node.function === "or");
    return passesOn ? found.reduce(either, "plain") : "plain";
  }

  #field(node: Extract<Node, { op: "field" }>, around: Around): Ownership {
    const of = this.read(node.of, around);
    const from = node.of.type;
    if (identified(node, this.#meaning) === node) this.#follow(node.of, of, around);
    if (from.kind === "record" || from.kind === "value") {
      const body = this.#meaning.computed(from.resource, node.name);
      if (body) return this.#body(`${from.resource}.${node.name}`, body, node.of, around);
    }
    if (node.type.kind === "record") return this.#reference(node, of);
    const passesOn = from.kind === "object" || from.kind === "any" || node.type.kind === "list";
    return passesOn ? of : "plain";
  }

  /** Follows a reference whose record is read. */
  #follow(to: Node, ownership: Ownership, around: Around): void {
    if (to.op !== "field" || to.type.kind !== "record" || ownership !== "any") return;
    if (this.#quiet().read(to.of, around) !== "any") this.#report(to.type.resource, "led to");
  }

  /** Where a reference leads: what is sent leads to what its sender may see. */
  #reference({ type, of: { type: from }, name }: Extract<Node, { op: "field" }>, of: Ownership): Ownership {
    const target = type.kind === "record" ? type.resource : "";
    if (this.#ways.of(target) === undefined) return "plain";
    if (of === "any") return "any";
    const isOnWay = from.kind === "record" && this.#ways.of(from.resource)?.[0] === name;
    const isTenant = of === "own" && target === this.#ways.tenant;
    return isOnWay || isTenant || this.#isolated.has(target) ? "own" : "any";
  }

  #quiet(): Reader {
    return new Reader(this.#ways, this.#meaning, this.#isolated, () => {});
  }

  #macro(node: Macro, around: Around): Ownership {
    const { of, body, depth } = node;
    const before = of.type.kind === "collection" ? this.#found(of, around) : this.read(of, around);
    const within = (ownership: Ownership): Around =>
      depth === undefined ? around : { ...around, locals: new Map([...around.locals, [depth, ownership]]) };
    let ownership = before;
    if (of.type.kind === "collection" && before === "any") {
      const isCandidate: Is = (node) => node.op === "local" && node.depth === depth;
      const isHeld =
        body && picking.has(node.macro) && this.isHeld(of.type.resource, [body], isCandidate, within("any"));
      if (isHeld) ownership = "own";
      else if (node.type.kind !== "collection") {
        this.#report(of.type.resource, "all");
      }
    }
    const made = body ? this.read(body, within(ownership)) : "plain";
    if (node.type.kind === "collection") return ownership;
    return node.macro === "map" ? made : picksRecords(node) ? ownership : "plain";
  }

  #key(node: Extract<Node, { op: "key" }>, around: Around): Ownership {
    const parts = node.parts.map((part) => this.read(identified(part, this.#meaning), around));
    if (this.#ways.of(node.resource) === undefined) return "plain";
    if (parts.includes("own") || this.#isolated.has(node.resource)) return "own";
    this.#report(node.resource, "by identifier");
    return "any";
  }

  #representation(node: Extract<Node, { op: "representation" }>, around: Around): Ownership {
    for (const field of this.#meaning.vocabulary.resource(node.resource)?.fields.keys() ?? [])
      this.#body(`${node.resource}.${field}`, this.#meaning.computed(node.resource, field), node.of, around);
    return "plain";
  }

  /**
   * The body of a computed field or a shape, with `this` as its argument. It is followed once for
   * each ownership.
   */
  #body(name: string, body: Node | undefined, of: Node | undefined, around: Around): Ownership {
    const self = of ? this.read(of, around) : "plain";
    if (of) this.#follow(of, self, around);
    const key = `${name} of ${self}`;
    if (!body || this.#bodies.has(key)) return "plain";
    this.#bodies.add(key);
    const found = this.read(body, { self, names: new Map(), locals: new Map() });
    this.#bodies.delete(key);
    return found;
  }
}

/** `x.id` is equivalent to `x`. */
function identified(node: Node, { vocabulary }: Meaning): Node {
  if (node.op !== "field" || node.of.type.kind !== "record") return node;
  const identifier = vocabulary.resource(node.of.type.resource)?.identifier ?? [];
  return node.type.kind !== "record" && identifier.length === 1 && identifier[0] === node.name
    ? node.of
    : node;
}

/** The candidate, or what its references lead to. */
function leadsFrom(node: Node, isCandidate: Is): boolean {
  return isCandidate(node) || (node.op === "field" && leadsFrom(node.of, isCandidate));
}

function picksRecords({ macro }: Macro): boolean {
  return (
    macro === "first" || macro === "last" || macro === "filter" || macro === "sort" || macro === "distinct"
  );
}

function either(left: Ownership, right: Ownership): Ownership {
  if (left === "any" || right === "any") return "any";
  return left === "own" || right === "own" ? "own" : "plain";
}
