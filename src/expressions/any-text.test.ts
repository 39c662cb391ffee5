/** Any text can be bound, and every bound expression can be evaluated: neither throws, whatever the frame contains. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { fc, times } from "../../test/fixed-seed.ts";
import { CostExceeded, compileFunction, compileMixed, readsStore, unanswerable } from "./evaluate.ts";
import { functions } from "./functions/index.ts";
import type { Node } from "./node.ts";
import { someNode } from "./nodes.ts";
import { bind, frameOf, meaning, parcel, shop } from "./testing/fixtures.ts";
import type { Value } from "./value.ts";
import { compileJson } from "./write-json.ts";

const names = functions.map((definition) => definition.name).filter((name) => name !== "sequence");

/** Pieces from which expressions arise more often than from random characters. */
const atom = fc.constantFrom(
  "this",
  "old",
  "caller",
  "shop",
  "body",
  "page.items",
  "null",
  "true",
  "1",
  "-2",
  "0.5",
  '"a"',
  '"2026-01-01"',
  "now",
  "this.weight",
  "this.cost",
  "this.shop",
  "this.tags",
  "this.lines",
  "this.status",
  "this.price",
  "this.extra",
  "this.address.city",
  "body.n",
  "body.x",
  "body.d",
  "body.s",
  "body.b",
  "body.list",
  "body.names",
  "body.at",
  "body.span",
  "body.day",
  "body.shop",
  "body.a",
  "Parcel",
  "Shop",
  "Line",
  'duration("1h")',
  "x",
  "y",
  "headers",
  "[]",
  "{}",
);

const expression: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: atom },
    fc
      .tuple(
        tie("any"),
        fc.constantFrom("+", "-", "*", "/", "%", "==", "!=", "<", ">=", "in", "&&", "||"),
        tie("any"),
      )
      .map(([a, o, b]) => `(${a} ${o} ${b})`),
    fc.tuple(tie("any"), tie("any"), tie("any")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(tie("any"), fc.constantFrom("weight", "shop", "id", "name", "price", "sku", "total", "zz"))
      .map(([a, f]) => `${a}.${f}`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `${a}[${b}]`),
    fc
      .tuple(
        fc.constantFrom(...names, "Brief", "Full", "Signed", "Tree", "shape", "has"),
        fc.array(tie("any"), { maxLength: 3 }),
      )
      .map(([f, args]) => `${f}(${args.join(", ")})`),
    fc
      .tuple(
        tie("any"),
        fc.constantFrom("filter", "map", "sort", "exists", "all", "count", "sum", "min", "max", "first"),
        fc.constantFrom("x", "y"),
        tie("any"),
      )
      .map(([a, m, v, b]) => `${a}.${m}(${v}, ${b})`),
    fc
      .tuple(
        tie("any"),
        fc.constantFrom("distinct", "flatten", "count", "first", "sort", "max", "sum", "size"),
      )
      .map(([a, m]) => `${a}.${m}()`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `{"k": ${a}, "o?": ${b}}`),
    tie("any").map((a) => `!${a}`),
    tie("any").map((a) => `-${a}`),
  ),
})).any;

const odd: fc.Arbitrary<Value> = fc.constantFrom<Value>(
  null,
  true,
  3,
  -0.5,
  "a",
  "2026-01-01T00:00:00.000Z",
  [1, null, "b"],
  { k: 1, name: "n" },
);

const frames = fc
  .record({ a: odd, s: fc.constantFrom(null, "", "abc"), n: fc.constantFrom(null, 0, 7) })
  .map(({ a, s, n }) =>
    frameOf({
      this: parcel({
        cost: "2.50".slice(0, 3),
        tags: ["a"],
        lines: [{ sku: "l", amount: 2, parts: [] }],
        extra: a,
        address: { city: s },
      }),
      caller: shop(),
      body: {
        a,
        s,
        n,
        list: [3, null, 1],
        names: ["b", "a"],
        d: "1.5",
        b: true,
        at: "2026-01-01T00:00:00.000Z",
      },
      page: { items: [parcel({ id: "p" })] },
      named: Object.assign(Object.create(null), { shop: null }),
    }),
  );

/** Evaluates with every evaluator. Only the cost limit may stop it. */
function evaluateBoth(node: Node, frame: ReturnType<typeof frameOf>): void {
  try {
    if (readsStore(node, meaning)) {
      if (unanswerable(node, meaning) !== undefined) return;
      const mixed = compileMixed(node, meaning);
      assert.equal(
        mixed.queries.every((query) => readsStore(query, meaning)),
        true,
      );
      mixed.evaluate(
        frame,
        mixed.queries.map(() => null),
      );
      return;
    }
    const value = compileFunction(node, meaning)(frame);
    const text = compileJson(node, meaning, { timestamps: "milliseconds", nulls: true })(frame);
    const written = JSON.parse(text);
    if (!isRandom(node) && !maybeHidden.has(node.type.kind)) assert.equal(written === null, value === null);
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error;
  }
}

const isRandom = (node: Node) =>
  someNode(
    node,
    (node) => node.op === "call" && !functions.find((f) => f.name === node.function)?.deterministic,
  );

/** Types that may contain what is never written: a password, or a complete record of unknown type. */
const maybeHidden: ReadonlySet<string> = new Set(["password", "record", "any"]);

it("every bound expression can be evaluated", () => {
  let bound = 0;
  fc.assert(
    fc.property(expression, frames, (text, frame) => {
      const { node, diagnostics } = bind(text);
      const isRefused = diagnostics.some(({ severity }) => severity === "error");
      assert.equal(node === undefined, isRefused, text);
      if (!node) return;
      bound += 1;
      evaluateBoth(node, frame);
    }),
    { numRuns: times(2000) },
  );
  assert.ok(bound > 200, `only ${bound} texts could be bound`);
});

it("no text makes the binder throw", () => {
  const signs = fc.constantFrom(
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    ":",
    "?",
    '"',
    "'",
    "\\",
    "`",
    "=",
    "!",
    "-",
    "&&",
    "|",
    " ",
    "\n",
    "//",
    "1",
    "0x",
    "1e",
    "in",
    "a",
    "é",
    "\u{1F600}",
    "\ud800",
    "this",
    'r"',
    "b'",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(signs, atom), { maxLength: 20 }), (pieces) => {
      const { node, diagnostics } = bind(pieces.join(""));
      assert.equal(node === undefined, diagnostics.length > 0);
    }),
    { numRuns: times(1500) },
  );
});
