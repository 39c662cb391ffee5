/**
 * Test fixtures for expressions: two resources with references, a tree of values, shapes, computed
 * fields.
 */
import { createReporter, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { phraseOf } from "../../source/phrase.ts";
import { createSource } from "../../source/source.ts";
import { bindExpression } from "../bind.ts";
import { newFrame } from "../frame.ts";
import type { Node } from "../node.ts";
import type { FieldWords, Meaning, ResourceWords, Scope, Vocabulary } from "../scope.ts";
import { type Type, types } from "../type.ts";
import type { ExpressionPorts, Frame, Value } from "../value.ts";

const record = (resource: string): Type => ({ kind: "record", resource });
const listOf = (of: Type): Type => ({ kind: "list", of });

const twenty = JSON.stringify(Array.from({ length: 20 }, (_, at) => at));

interface Plan {
  readonly fields: Readonly<Record<string, Type>>;
  readonly identifier?: readonly string[];
  readonly computed?: Readonly<Record<string, string>>;
  readonly hidden?: readonly string[];
  readonly anyCase?: readonly string[];
  readonly deletedMarked?: boolean;
}

const plans: Readonly<Record<string, Plan>> = {
  Shop: {
    fields: { id: types.string, name: types.string, owner: record("Shop") },
    identifier: ["id"],
    anyCase: ["name"],
  },
  Parcel: {
    fields: {
      id: types.string,
      shop: record("Shop"),
      weight: types.integer,
      rate: types.number,
      cost: types.decimal,
      fragile: types.boolean,
      status: { kind: "enum", values: ["registered", "in_transit", "delivered"] },
      tags: listOf(types.string),
      lines: listOf({ kind: "value", resource: "Line" }),
      address: { kind: "object", fields: { city: types.string, zip: types.string } },
      labels: { kind: "map", of: types.string },
      extra: types.any,
      created_at: types.timestamp,
      day: types.date,
      wait: types.duration,
      reviewers: listOf(record("Shop")),
      secret: { kind: "password" },
      key: { kind: "credential" },
      price: types.integer,
      twin_price: types.integer,
      siblings: types.integer,
      lighter: types.integer,
    },
    identifier: ["id"],
    computed: {
      price: "490 + this.weight * 15 / 100",
      twin_price: "this.price * 2",
      siblings: "Parcel.count(p, p.shop == this.shop)",
      lighter: "Parcel.count(p, p.weight < this.weight)",
    },
    hidden: ["key", "lighter", "siblings", "twin_price"],
    deletedMarked: true,
  },
  Step: { fields: { number: types.integer, parcel: record("Parcel") }, identifier: ["number"] },
  Like: { fields: { parcel: record("Parcel"), shop: record("Shop") }, identifier: ["parcel", "shop"] },
  Line: {
    fields: {
      sku: types.string,
      amount: types.integer,
      parts: listOf({ kind: "value", resource: "Line" }),
      total: types.integer,
    },
    identifier: [],
    computed: { total: "this.amount * 2" },
  },
  Box: {
    fields: {
      size: { kind: "object", fields: { width: types.integer, height: types.integer } },
      pairings: types.boolean,
    },
    identifier: [],
    computed: {
      pairings: ["a", "b", "c", "d"].reduce((body, name) => `${twenty}.all(${name}, ${body})`, "true"),
    },
    hidden: ["pairings"],
  },
};

const shapePlans: Readonly<Record<string, { readonly of?: string; readonly body: string }>> = {
  Brief: { of: "Parcel", body: `{"id": this.id, "weight": this.weight, "note?": this.extra}` },
  Full: {
    of: "Parcel",
    body: `merge(Brief(this), {"price": this.price, "weight?": null, "shop": this.shop})`,
  },
  Neighbour: { of: "Parcel", body: `{"id": this.id, "others": Parcel.count(p, p.shop == this.shop)}` },
  Signed: {
    of: "Parcel",
    body: `{"id": this.id, "token": token(this), "others": Parcel.count(p, p.shop == this.shop)}`,
  },
  Stamped: {
    of: "Parcel",
    body: `{"by": caller.id, "at": now, "token": token(this), "others": Parcel.count(p, p.shop == this.shop)}`,
  },
  Tree: { of: "Line", body: `{"sku": this.sku, "parts": this.parts.map(p, Tree(p))}` },
  Loop: { of: "Parcel", body: `{"again": Loop(this)}` },
  Page: { body: `{"total": page.total, "items": page.items.map(x, x)}` },
};

const resources = new Map<string, ResourceWords>(
  Object.entries(plans).map(([name, plan]) => [name, resourceWords(name, plan)]),
);

function resourceWords(name: string, plan: Plan): ResourceWords {
  const fields = new Map<string, FieldWords>(
    Object.entries(plan.fields).map(([field, type]) => [
      field,
      {
        name: field,
        type,
        computed: Object.hasOwn(plan.computed ?? {}, field),
        hidden: plan.hidden?.includes(field) ?? false,
        anyCase: plan.anyCase?.includes(field) ?? false,
      },
    ]),
  );
  const identifier = plan.identifier ?? [];
  return {
    name,
    isValue: identifier.length === 0,
    fields,
    identifier,
    deletedMarked: plan.deletedMarked ?? false,
  };
}

const words: Vocabulary = {
  resourceNames: [...resources.keys()],
  resource: (name) => resources.get(name),
  shapeNames: Object.keys(shapePlans),
  shape(name) {
    const plan = Object.hasOwn(shapePlans, name) ? shapePlans[name] : undefined;
    return plan && { name, ...(plan.of ? { of: plan.of } : {}), type: () => types.any };
  },
  handlerFunction: (name) =>
    name === "route" ? { arguments: [types.string], returns: types.string } : undefined,
};

export const scope: Scope = {
  fixed: {
    this: record("Parcel"),
    old: record("Parcel"),
    caller: record("Shop"),
    body: {
      kind: "object",
      fields: {
        a: types.any,
        n: types.integer,
        m: types.integer,
        x: types.number,
        y: types.number,
        d: types.decimal,
        e: types.decimal,
        s: types.string,
        t: types.string,
        b: types.boolean,
        c: types.boolean,
        list: listOf(types.integer),
        names: listOf(types.string),
        lists: listOf(listOf(types.integer)),
        at: types.timestamp,
        until: types.timestamp,
        span: types.duration,
        day: types.date,
        key: { kind: "credential" },
        password: { kind: "password" },
        shop: record("Shop"),
        lines: listOf({ kind: "value", resource: "Line" }),
        box: { kind: "value", resource: "Box" },
      },
    },
    headers: { kind: "map", of: types.string },
    path: { kind: "object", fields: { id: types.string, shop_id: types.string, number: types.integer } },
    page: { kind: "object", fields: { items: listOf(record("Parcel")), total: types.integer } },
    now: types.timestamp,
    request: { kind: "object", fields: { id: types.string } },
  },
  named: { shop: record("Shop"), step: record("Step"), like: record("Like") },
  locals: [],
  vocabulary: words,
  hasClaims: true,
};

export interface Bound {
  readonly node: Node | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export function bind(text: string, expected?: Type, within: Scope = scope): Bound {
  const source = createSource("test.md", text);
  const reporter = createReporter(source);
  const expression = bindExpression(phraseOf(source, 0, text.length), within, reporter, expected);
  return { node: expression?.node, diagnostics: reporter.diagnostics };
}

/** The node of a text without mistakes. */
export function nodeOf(text: string, expected?: Type): Node {
  const { node, diagnostics } = bind(text, expected);
  if (!node) throw new Error(`${text}: ${diagnostics.map((diagnostic) => diagnostic.message).join(" ")}`);
  return node;
}

/** The mistakes of a text, each as `16-22 expressions/not-one-of`. */
export function mistakesOf(text: string, expected?: Type): string[] {
  return bind(text, expected).diagnostics.map(
    (diagnostic) =>
      `${diagnostic.position.start.column}-${diagnostic.position.end.column} ${diagnostic.code}`,
  );
}

const bodies = new Map<string, Node>();

function body(key: string, text: string, of: string | undefined): Node {
  let node = bodies.get(key);
  if (!node) {
    const { this: _this, ...withoutThis } = scope.fixed;
    const type: Type | undefined =
      of === undefined
        ? undefined
        : resources.get(of)?.isValue
          ? { kind: "value", resource: of }
          : record(of);
    node = bind(text, undefined, {
      ...scope,
      fixed: type ? { ...withoutThis, this: type } : withoutThis,
    }).node;
    if (!node) throw new Error(`${key} has mistakes`);
    bodies.set(key, node);
  }
  return node;
}

export const meaning: Meaning = {
  vocabulary: words,
  computed(resource, field) {
    const computed = plans[resource]?.computed ?? {};
    const text = Object.hasOwn(computed, field) ? computed[field] : undefined;
    return text === undefined ? undefined : body(`${resource}.${field}`, text, resource);
  },
  shapeBody(name) {
    const plan = shapePlans[name];
    return plan && body(name, plan.body, plan.of);
  },
};

/** Deterministic ports: bytes count up; tokens and hashes contain their input. */
export const ports: ExpressionPorts = {
  randomBytes: (count) => Uint8Array.from({ length: count }, (_, at) => (at * 37) % 256),
  now: () => Date.UTC(2026, 10, 20, 10),
  token: (resource, record) => `token of ${resource} ${String(record.id)}`,
  verifyPassword: (stored, text) => stored === `hash of ${text}`,
  hashCredential: (text) => `keyed ${text}`,
  hashPassword: (text) => `hash of ${text}`,
  functions: { route: (line) => `via ${String(line)}` },
};

export function frameOf(given: Partial<Omit<Frame, "ports">> = {}): Frame {
  return newFrame(ports, { now: "2026-11-20T10:00:00.000Z", ...given });
}

export function parcel(fields: Readonly<Record<string, Value>> = {}): Value {
  return {
    "#row": 1,
    "#revision": 1,
    "#deleted": false,
    id: "pcl_1",
    shop: "shp_1",
    weight: 1200,
    ...fields,
  };
}

export function shop(fields: Readonly<Record<string, Value>> = {}): Value {
  return { "#row": 1, "#revision": 1, id: "shp_1", name: "Ada & Co", owner: null, ...fields };
}
