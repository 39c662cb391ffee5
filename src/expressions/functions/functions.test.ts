/** Properties that every function of the registry has. `../evaluate.test.ts` tests the single functions. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isChance, isPure } from "../compiling/mixed-expressions.ts";
import { compileFunction } from "../evaluate.ts";
import type { Node } from "../node.ts";
import { bind, frameOf, meaning, ports, scope } from "../testing/fixtures.ts";
import { type Type, types } from "../type.ts";
import type { Value } from "../value.ts";
import { functionNamed, functions, resultMayBeNull } from "./index.ts";
import { randomText } from "./random.ts";

/** A scope for the examples of the reference, with all of their names. The types are unknown. */
const open = Object.fromEntries(
  ["hook", "delivery", "query", "path", "credential", "repository", "request"].map((name) => [
    name,
    types.any,
  ]),
);
const exampleScope = {
  ...scope,
  fixed: {
    ...scope.fixed,
    this: types.any,
    body: types.any,
    caller: { kind: "record", resource: "Shop" } as Type,
  },
  named: { ...scope.named, ...open },
};

const documented = functions.filter((definition) => !definition.internal);

/** A value of a type, for calls whose result is not checked. */
function sample(type: Type): Value {
  switch (type.kind) {
    case "enum":
      return type.values[0] as string;
    case "integer":
    case "number":
    case "duration":
      return 1;
    case "boolean":
      return true;
    case "decimal":
      return "1.5";
    case "timestamp":
      return "2026-11-20T10:00:00.000Z";
    case "date":
      return "2026-11-20";
    case "bytes":
      return new Uint8Array([1]);
    case "list":
      return ["a"];
    case "map":
      return { a: 1 };
    default:
      return "a";
  }
}

describe("functions", () => {
  it("have unique names, a sentence, and a correct example", () => {
    assert.equal(new Set(functions.map((definition) => definition.name)).size, functions.length);
    for (const { name, sentence, example } of documented) {
      assert.match(sentence, /^[A-Z0-9].*\.$/, name);
      assert.ok(example.includes(name), name);
      // A shape accepts records of its resource, but here the type of `this` is unknown.
      const text = example.replace("Summary(this)", '{"title": this.title}');
      assert.deepEqual(
        bind(text, undefined, exampleScope)
          .diagnostics.filter(({ severity }) => severity === "error")
          .map((diagnostic) => diagnostic.message),
        [],
        example,
      );
    }
  });

  it("give null for a null argument, unless they take nulls", () => {
    for (const definition of documented.filter(
      (definition) => !definition.takesNulls && definition.name !== "sequence",
    )) {
      for (const signature of definition.signatures.filter((signature) => signature.parameters.length > 0)) {
        const args = signature.parameters.map(
          (type, at): Node => ({ op: "literal", value: at === 0 ? null : (sample(type) as string), type }),
        );
        const node: Node = { op: "call", function: definition.name, args, type: types.any };
        assert.equal(compileFunction(node, meaning)(frameOf()), null, definition.name);
      }
    }
  });

  it("are left to the store unless they depend on chance, the service or the caller", () => {
    const names = (own: (name: string) => boolean) =>
      functions
        .map(({ name }) => name)
        .filter((name) => own(name))
        .sort();
    const chance = ["random", "randomBytes", "uuid", "uuidv7"];
    assert.deepEqual(names(isChance), chance);
    assert.deepEqual(
      names((name) => functionNamed(name)?.deterministic === false),
      [...chance, "sequence", "token"].sort(),
    );
    assert.deepEqual(
      names((name) => !isPure(name)),
      ["hash credential", ...chance, "sequence", "token", "verify"].sort(),
    );
  });

  it("never throw, whatever value an argument of unknown type has", () => {
    const values: readonly Value[] = [
      null,
      true,
      -1,
      0.5,
      1e300,
      "",
      "2026",
      "\ud800",
      [],
      [null, 1],
      {},
      new Uint8Array(2),
    ];
    for (const definition of documented.filter(
      (definition) => definition.name !== "sequence" && definition.name !== "merge",
    )) {
      for (const { parameters } of definition.signatures) {
        for (const value of values) {
          const args = parameters.map(
            (_, at): Node => ({ op: "named", name: `argument${at}`, type: types.any }),
          );
          const named = Object.fromEntries(args.map((_, at) => [`argument${at}`, value]));
          const node: Node = { op: "call", function: definition.name, args, type: types.any };
          assert.doesNotThrow(
            () => compileFunction(node, meaning)(frameOf({ named })),
            `${definition.name}(${String(value)})`,
          );
        }
      }
    }
  });
});

describe("texts of bytes", () => {
  it("are null if the bytes are not a valid text", () => {
    const textOf = (bytes: readonly number[]) => {
      const node: Node = {
        op: "call",
        function: "string",
        args: [{ op: "named", name: "bytes", type: types.bytes }],
        type: types.string,
      };
      return compileFunction(node, meaning)(frameOf({ named: { bytes: Uint8Array.from(bytes) } }));
    };
    assert.equal(textOf([97, 98]), "ab");
    assert.equal(textOf([97, 0, 98]), null);
    assert.equal(textOf([0xc3]), null);
  });
});

describe("random texts", () => {
  it("draw every character equally often", () => {
    const counts = new Map<string, number>();
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    for (const letter of randomText(248, { randomBytes: () => bytes }))
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    assert.equal(counts.size, 62);
    assert.deepEqual(new Set(counts.values()), new Set([4]));
  });
});

describe("UUIDs of version 7", () => {
  it("sort in the order of creation, also if a millisecond has more of them than numbers", () => {
    let nowMs = Date.parse("2026-11-20T10:00:00Z");
    let draws = 0;
    const own = {
      ...ports,
      now: () => nowMs,
      // With all bits set, the counter starts at its maximum.
      randomBytes(count: number) {
        draws += 1;
        return new Uint8Array(count).fill(draws % 2 === 0 ? 0 : 0xff);
      },
    };
    const make = compileFunction(bind("uuidv7()").node as Node, meaning);
    const made: string[] = [];
    for (let at = 0; at < 10_000; at += 1) made.push(String(make({ ...frameOf(), ports: own })));
    nowMs += 1000;
    made.push(String(make({ ...frameOf(), ports: own })));
    assert.deepEqual(made, [...new Set(made)].sort());
    for (const uuid of made)
      assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt((made.at(-1) as string).replace("-", "").slice(0, 12), 16), nowMs);
  });
});

describe("a conversion", () => {
  it("may have no result for a text or a value of unknown type, and always has one for a number", () => {
    for (const name of ["int", "double", "decimal", "timestamp", "duration"]) {
      assert.equal(resultMayBeNull(name, false, types.string), true, name);
      assert.equal(resultMayBeNull(name, false, types.any), true, name);
      assert.equal(resultMayBeNull(name, false, types.integer), false, name);
      assert.equal(resultMayBeNull(name, true, types.integer), true, name);
    }
    assert.equal(resultMayBeNull("string", false, types.bytes), true);
    assert.equal(resultMayBeNull("string", false, types.integer), false);
  });
});
