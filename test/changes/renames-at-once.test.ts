/**
 * The renames and removals of one stored change happen at once, over the names before it. Fields and
 * parts may swap names, or take the name of a removed one. This holds at every depth of a value.
 */
import assert from "node:assert/strict";
import { planStoreFor } from "../../src/store/index.ts";
import { documentOf, modelOf, open, resource, value } from "./desk.ts";
import { change, kept, refused, reportedAtOpening, rowsOf, type Stored, testOnEach } from "./support.ts";

/** Opens the store with the later document, and returns the columns of the only record of `A`. */
async function stored(before: string, records: Stored, then: string, columns: string) {
  const path = await kept(before, records);
  await reportedAtOpening(then, path);
  const plan = await planStoreFor(modelOf(then), path, { isRunning: () => false });
  assert.deepEqual([plan.refused?.message, plan.steps], [undefined, []]);
  const [row = []] = await rowsOf(path, `SELECT ${columns} FROM A`);
  return { row: row.map((cell) => (/^[[{]/.test(String(cell)) ? JSON.parse(String(cell)) : cell)) };
}

const fields = (names: readonly string[]) => resource("A", ...names.map((name) => `${name} | string |`));

for (const order of [
  ["x", "y"],
  ["y", "x"],
])
  testOnEach(`a renamed field takes the name of a removed one (${order.join(", ")})`, async () => {
    const then = documentOf(fields(["y"]), change("c", "Removed: A.y", "Renamed: A.x to A.y"));
    const { row } = await stored(documentOf(fields(order)), [["A", { id: "a", x: "X", y: "Y" }]], then, "y");
    assert.deepEqual(row, ["X"]);
  });

testOnEach("the plan shows a removed field and the renamed one with its name", async () => {
  const path = await kept(documentOf(fields(["x", "y"])), [["A", { id: "a", x: "X", y: "Y" }]]);
  const then = documentOf(fields(["y"]), change("c", "Removed: A.y", "Renamed: A.x to A.y"));
  const plan = await planStoreFor(modelOf(then), path, { isRunning: () => false });
  assert.deepEqual(
    plan.steps.flatMap(({ lines }) => lines.map(({ text }) => text)),
    ["A.x is renamed to A.y: 1 record", "A.y is removed: its value in 1 record"],
  );
});

testOnEach("unique keys, references and sequences follow a field that takes a removed name", async () => {
  const of = (...rows: readonly string[]) => `${resource("B")}\n${resource("A", ...rows)}`;
  const path = await kept(
    documentOf(of("code | string | unique", "other | string | unique", "to | B |", "was | B |")),
    [
      ["B", { id: "1" }],
      ["B", { id: "2" }],
      ["A", { id: "a", code: "C", other: "O", to: "1", was: "2" }],
    ],
  );
  const then = documentOf(
    of("other | string | unique", "was | B |"),
    change("c", "Removed: A.other", "Renamed: A.code to A.other", "Removed: A.was", "Renamed: A.to to A.was"),
  );
  const store = await open(then, path);
  await assert.rejects(
    store.write((transaction) => transaction.insert("A", { id: "b", other: "C", was: null })),
  );
  await store.write((transaction) => transaction.insert("A", { id: "c", other: "O", was: "2" }));
  await store.close();
  assert.deepEqual(await rowsOf(path, "SELECT id, other, was FROM A ORDER BY id"), [
    ["a", "C", "1"],
    ["c", "O", "2"],
  ]);
});

const part = (...names: readonly string[]) =>
  documentOf(resource("A", "o | object |", ...names.map((name) => `o.${name} | string |`)));

for (const [what, names, items, expected] of [
  ["swap names", ["x", "y"], ["Renamed: A.o.x to A.o.y", "Renamed: A.o.y to A.o.x"], { x: "Y", y: "X" }],
  ["pass names on", ["y", "z"], ["Renamed: A.o.x to A.o.y", "Renamed: A.o.y to A.o.z"], { y: "X", z: "Y" }],
  [
    "pass names on, the last first",
    ["y", "z"],
    ["Renamed: A.o.y to A.o.z", "Renamed: A.o.x to A.o.y"],
    { y: "X", z: "Y" },
  ],
  ["take a removed name", ["y"], ["Removed: A.o.y", "Renamed: A.o.x to A.o.y"], { y: "X" }],
] as const)
  testOnEach(`parts ${what}`, async () => {
    const then = part(...names).replace("- Scheme: none", `- Scheme: none\n\n${change("c", ...items)}`);
    const { row } = await stored(part("x", "y"), [["A", { id: "a", o: { x: "X", y: "Y" } }]], then, "o");
    assert.deepEqual(row, [expected]);
  });

testOnEach("parts of a renamed part and a renamed field swap names, with their rules", async () => {
  const before = resource(
    "A",
    "o | object |",
    "o.in | object |",
    "o.in.x | string | length 1..1",
    "o.in.y | integer | 1..9",
  );
  const after = resource(
    "A",
    "p | object |",
    "p.out | object |",
    "p.out.x | integer | 1..9",
    "p.out.y | string | length 1..1",
  );
  const items = ["A.o to A.p", "A.p.in to A.p.out", "A.p.out.x to A.p.out.y", "A.p.out.y to A.p.out.x"];
  const then = documentOf(after, change("c", ...items.map((item) => `Renamed: ${item}`)));
  const records: Stored = [["A", { id: "a", o: { in: { x: "X", y: 2 } } }]];
  const { row } = await stored(documentOf(before), records, then, "p");
  assert.deepEqual(row, [{ out: { x: 2, y: "X" } }]);
});

testOnEach("the values of an enumeration swap names in a renamed part", async () => {
  const of = (name: string, changes = "") =>
    documentOf(
      resource("A", "o | object |", `o.${name} | one of low, high |`, "all | list of one of low, high |"),
      changes,
    );
  const items = [
    "A.o.x to A.o.y",
    'A.o.y "low" to "high"',
    'A.o.y "high" to "low"',
    'A.all "low" to "high"',
    'A.all "high" to "low"',
  ];
  const then = of("y", change("c", ...items.map((item) => `Renamed: ${item}`)));
  const records: Stored = [["A", { id: "a", o: { x: "low" }, all: ["low", "high"] }]];
  const { row } = await stored(of("x"), records, then, "o, [all]");
  assert.deepEqual(row, [{ y: "high" }, ["high", "low"]]);
});

testOnEach("parts of values swap names in every field, also with references", async () => {
  const of = (a: string, c: string, changes = "") =>
    documentOf(
      `${resource("B")}\n${resource("C")}\n${value("N", `a | ${a} |`, `c | ${c} |`)}${resource("A", "n | list of N |", "m | map of N |")}`,
      changes,
    );
  const records: Stored = [
    ["B", { id: "1" }],
    ["C", { id: "2" }],
    ["A", { id: "a", n: [{ a: "1", c: "2" }], m: { k: { a: "1", c: null } } }],
  ];
  const then = of("C", "B", change("c", "Renamed: N.a to N.c", "Renamed: N.c to N.a"));
  const { row } = await stored(of("B", "C"), records, then, "n, m");
  assert.deepEqual(row, [[{ a: "2", c: "1" }], { k: { a: null, c: "1" } }]);
});

testOnEach("`For each` of the same step reads parts by their former names", async () => {
  const object = (x: string, y: string) => ["o | object |", `o.x | ${x} |`, `o.y | ${y} |`];
  const then = documentOf(
    resource("A", ...object("integer", "string"), "s | string |", "n | integer |"),
    change(
      "c",
      "Renamed: A.o.x to A.o.y",
      "Renamed: A.o.y to A.o.x",
      "For each A: `s = old.o.x`; `n = old.o.y + 1`",
    ),
  );
  const before = documentOf(resource("A", ...object("string", "integer")));
  const { row } = await stored(before, [["A", { id: "a", o: { x: "X", y: 1 } }]], then, "o, s, n");
  assert.deepEqual(row, [{ x: 1, y: "X" }, "X", 2]);
});

const tree = (first: readonly string[], changes = "") =>
  documentOf(
    `${value("N", ...first, "kids | list of N |", "by | map of list of N |", "m | M |")}${value("M", "n | N |", "q | string |")}${resource("A", "root | N |", "all | list of N |")}`,
    changes,
  );

testOnEach("a value that contains itself changes at every depth", async () => {
  const leaf = { a: "5", c: "x", k: "low", kids: null, by: null, m: null };
  const of = (a: string, kids: unknown) => ({ ...leaf, a, kids });
  const deep = { ...of("2", [of("3", [leaf])]), by: { z: [[leaf][0]] }, m: { n: of("4", [leaf]), q: "Q" } };
  const root = of("1", [deep]);
  const records = [["A", { id: "a", root, all: [root] }]] as unknown as Stored;
  const before = tree(["a | string | required", "c | string |", "k | one of low, high |"]);
  const then = tree(
    ["b | string | required", "k | one of high, low |"],
    change(
      "c",
      "Renamed: N.a to N.b",
      "Removed: N.c",
      'Renamed: N.k "low" to "high"',
      'Renamed: N.k "high" to "low"',
    ),
  );
  const { row } = await stored(before, records, then, "root, [all]");
  const renamed = JSON.parse(
    JSON.stringify(root).replaceAll('"a":', '"b":').replaceAll('"c":"x",', "").replaceAll('"low"', '"high"'),
  );
  assert.deepEqual(row, [renamed, [renamed]]);
});

testOnEach("a rename to a name that the store has is refused, because a value would be lost", async () => {
  const already = (owner: string, name: string) =>
    `${owner} already has ${name}; rename or remove it in the same stored change`;
  const obstaclesOf = async (before: string, then: string, records: Stored): Promise<readonly string[]> => {
    const { obstacles } = await refused(before, records, then);
    return obstacles.map((obstacle) => obstacle.replace(/^.*?line \d+: /, ""));
  };
  const both: Stored = [["A", { id: "a", x: "X", y: "Y" }]];
  assert.deepEqual(
    await obstaclesOf(
      documentOf(fields(["x", "y"])),
      documentOf(fields(["y"]), change("c", "Renamed: A.x to A.y")),
      both,
    ),
    [already("A", "y")],
  );
  const parts = (names: string) =>
    documentOf(
      resource("A", `o | object | |\n| o.${names.split(" ").join(" | string | |\n| o.")} | string |`),
    );
  assert.deepEqual(
    await obstaclesOf(
      parts("x y"),
      parts("y").replace("- Scheme: none\n", `- Scheme: none\n${change("c", "Renamed: A.o.x to A.o.y")}`),
      [["A", { id: "a", o: { x: "X", y: "Y" } }]],
    ),
    [already("o", "y")],
  );
  assert.deepEqual(
    await obstaclesOf(
      documentOf(`${fields(["x"])}\n${resource("B", "x | string |")}`),
      documentOf(resource("B", "x | string |"), change("c", "Renamed: A to B")),
      [["A", { id: "a", x: "X" }]],
    ),
    [already("the store", "B")],
  );
});
