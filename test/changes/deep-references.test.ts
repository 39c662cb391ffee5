/** References at any depth of a value that contains itself get the new keys of a stored change. */
import assert from "node:assert/strict";
import type { Value } from "../../src/expressions/value.ts";
import { documentOf, resource, value } from "./desk.ts";
import { change, changed, refused, rowsOf, testOnEach } from "./support.ts";

const documentWith = (changes: string): string =>
  documentOf(
    [
      resource("Product", "stock | integer |"),
      resource("Order", "tree | Node |", "trees | list of Node |"),
      value("Node", "product | Product |", "children | list of Node |", "named | map of Node |"),
    ].join("\n"),
    changes,
  );

testOnEach("a new key reaches the references at any depth", async () => {
  const tree = (product: string) => {
    const leaf = { product, children: [], named: {} };
    const inner = { product, children: [leaf, leaf], named: { leaf } };
    const middle = { product, children: [inner], named: { inner } };
    return { product, children: [middle], named: { middle, leaf } };
  };
  const { path } = await changed(
    documentWith(""),
    [
      ["Product", { id: "a", stock: 5 }],
      ["Order", { id: "o", tree: tree("a"), trees: [tree("a")] }],
    ],
    documentWith(change("keys", 'For each Product: `id = "new-" + old.id`')),
  );
  const [row] = await rowsOf(path, "SELECT tree, trees FROM [Order]");
  const [single, list] = (row ?? []).map((json): unknown => JSON.parse(String(json)));
  assert.deepEqual(single, tree("new-a"));
  assert.deepEqual(list, [tree("new-a")]);
});

testOnEach("a step that deletes the target of a reference at any depth is rejected", async () => {
  const node = (product: string, ...children: Value[]): Value => ({ product, children, named: {} });
  const step = change("less", 'For each Product: `delete Product where this == old when old.id == "a"`');
  const { obstacles } = await refused(
    documentWith(""),
    [
      ["Product", { id: "a", stock: 5 }],
      ["Product", { id: "b", stock: 5 }],
      ["Order", { id: "o", tree: node("b", node("b", node("b", node("a")))), trees: [] }],
    ],
    documentWith(step),
  );
  assert.deepEqual(obstacles, [
    'stored change less: Order o: tree would refer to a Product that doesn\'t exist ("a")',
  ]);
});
