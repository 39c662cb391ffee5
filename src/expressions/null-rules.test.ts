/** Null rules (notation, "Null") over random values: properties of every expression, whatever its values are. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc, times } from "../../test/fixed-seed.ts";
import { compileFunction } from "./evaluate.ts";
import { frameOf, meaning, nodeOf } from "./testing/fixtures.ts";
import type { Value } from "./value.ts";

const perhaps = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null, freq: 3 });
const small = fc.integer({ min: -3, max: 3 });

const body = fc.record(
  {
    n: perhaps(small),
    m: perhaps(small),
    x: perhaps(fc.constantFrom(-1.5, 0, 0.1, 2)),
    y: perhaps(fc.constantFrom(-1.5, 0, 0.1, 2)),
    d: perhaps(fc.constantFrom("-1.5", "0", "0.1", "2")),
    e: perhaps(fc.constantFrom("-1.5", "0", "0.1", "2")),
    s: perhaps(fc.constantFrom("", "a", "b", "\u{1F600}", "\uFF5E")),
    t: perhaps(fc.constantFrom("", "a", "b", "\u{1F600}", "\uFF5E")),
    b: perhaps(fc.boolean()),
    c: perhaps(fc.boolean()),
    at: perhaps(fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z")),
    until: perhaps(fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z")),
    list: perhaps(fc.array(perhaps(small), { maxLength: 4 })),
  },
  { requiredKeys: [] },
);

/** Pairs of values of the same kind, and of kinds that can be mixed. */
const pairs = [
  ["n", "m"],
  ["x", "y"],
  ["d", "e"],
  ["s", "t"],
  ["at", "until"],
  ["n", "x"],
  ["n", "d"],
  ["d", "x"],
  ["b", "c"],
] as const;

function rule(
  texts: readonly string[],
  holds: (values: readonly Value[], read: (name: string) => Value) => void,
): void {
  const compiled = texts.map((text) => compileFunction(nodeOf(text), meaning));
  fc.assert(
    fc.property(body, (given) => {
      const sent = given as unknown as Record<string, Value>;
      const frame = frameOf({ body: sent });
      holds(
        compiled.map((run) => run(frame)),
        (name) => sent[name] ?? null,
      );
    }),
    { numRuns: times(60) },
  );
}

describe("the null rules", () => {
  it("== is true only of two values, and != is its opposite", () => {
    for (const [a, b] of pairs) {
      rule(
        [`body.${a} == body.${b}`, `body.${a} != body.${b}`, `body.${b} == body.${a}`],
        ([same, different, turned], read) => {
          assert.equal(typeof same, "boolean");
          assert.equal(different, !same);
          assert.equal(turned, same);
          if (read(a) === null || read(b) === null) assert.equal(same, false);
        },
      );
    }
  });

  it("comparisons are false with null, and exactly one of <, ==, > holds without", () => {
    for (const [a, b] of pairs) {
      rule(
        [
          `body.${a} < body.${b}`,
          `body.${a} == body.${b}`,
          `body.${a} > body.${b}`,
          `body.${a} <= body.${b}`,
        ],
        ([less, same, greater, most], read) => {
          const there = read(a) !== null && read(b) !== null;
          assert.equal([less, same, greater].filter((result) => result === true).length, there ? 1 : 0);
          assert.equal(most, less === true || same === true);
        },
      );
    }
  });

  it("arithmetic with null is null", () => {
    for (const operator of ["+", "-", "*"]) {
      for (const [a, b] of [
        ["n", "m"],
        ["x", "y"],
        ["d", "e"],
        ["n", "d"],
        ["n", "x"],
      ] as const) {
        rule([`body.${a} ${operator} body.${b}`], ([value], read) => {
          assert.equal(value === null, read(a) === null || read(b) === null);
        });
      }
    }
  });

  it("a null condition is false, so logic gives true or false alone", () => {
    rule(
      [
        "!body.b",
        "body.b && body.c",
        "body.b || body.c",
        "!(body.b && body.c) == (!body.b || !body.c)",
        "body.b ? 1 : 2",
      ],
      (values, read) => {
        const [b, c] = [read("b") === true, read("c") === true];
        assert.deepEqual(values, [!b, b && c, b || c, true, b ? 1 : 2]);
      },
    );
  });

  it("a comparison with the literal null tests whether a value exists", () => {
    rule(["body.n == null", "body.n != null", "has(body.n)"], ([absent, there, sent], read) => {
      assert.equal(absent, read("n") === null);
      assert.equal(there, !absent);
      if (there) assert.equal(sent, true);
    });
  });

  it("macros exclude nulls, and sort them last", () => {
    rule(
      [
        "body.list.sum()",
        "body.list.min()",
        "body.list.sort()",
        "body.list.all(x, x > 0)",
        "body.list.count(x, x != null)",
        "body.n in body.list",
      ],
      ([sum, min, sorted, all, count, inside], read) => {
        const list = read("list") as readonly (number | null)[] | null;
        if (list === null) {
          assert.deepEqual([sum, min, sorted, all, count, inside], [null, null, null, null, null, false]);
          return;
        }
        const there = list.filter((list) => list !== null);
        assert.equal(
          sum,
          there.reduce((total, item) => total + item, 0),
        );
        assert.equal(min, there.length === 0 ? null : Math.min(...there));
        assert.deepEqual(sorted, [...there.sort((a, b) => a - b), ...list.filter((list) => list === null)]);
        assert.equal(
          all,
          list.every((list) => list !== null && list > 0),
        );
        assert.equal(count, there.length);
        assert.equal(inside, read("n") !== null && there.includes(read("n") as number));
      },
    );
  });
});
