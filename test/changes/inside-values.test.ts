/**
 * Stored changes inside embedded values, objects, lists and maps: parts have the same types as in
 * the served document.
 */
import assert from "node:assert/strict";
import { documentOf, resource, value } from "./desk.ts";
import { change, changed, refused, rowsOf, type Stored, testOnEach } from "./support.ts";

const line = value(
  "Line",
  "quantity | decimal | required",
  "price | decimal | required",
  "at | timestamp |",
  "wait | duration |",
  "product | Product |",
);
const product = resource("Product", "name | string |", "price | decimal |");
const order = (...rows: readonly string[]) =>
  `${line}${product}\n${resource("Order", "lines | list of Line |", ...rows)}`;
const stored: Stored = [
  ["Product", { id: "p", name: "Pen", price: "2.5" }],
  [
    "Order",
    {
      id: "a",
      lines: [
        {
          quantity: "3",
          price: "1.50",
          at: "2026-11-20T10:00:00.000Z",
          wait: 60_000,
          product: "p",
        },
        { quantity: "10", price: "1.00", at: "2026-11-21T10:00:00.000Z", wait: 30_000, product: null },
      ],
    },
  ],
  ["Order", { id: "b", lines: null }],
];

testOnEach("parts of values in a list are computed with by their types", async () => {
  const then = documentOf(
    order(
      "total | decimal |",
      "most | decimal |",
      "last | string |",
      "late | boolean |",
      "wait | duration |",
      "names | list of string |",
    ),
    change(
      "totals",
      [
        "For each Order: `total = old.lines.sum(l, l.quantity * l.price)",
        "most = old.lines.map(l, l.quantity).max()",
        "last = string(old.lines.map(l, l.at).max())",
        'late = old.lines.exists(l, l.at > timestamp("2026-11-20T12:00:00Z"))',
        "wait = old.lines.sum(l, l.wait)",
        "names = old.lines.map(l, or(l.product.name, 'none'))`",
      ].join("; "),
    ),
  );
  const { path } = await changed(documentOf(order()), stored, then);
  assert.deepEqual(
    await rowsOf(path, "SELECT total, most, last, late, wait, names FROM [Order] ORDER BY id"),
    [
      ["14.5", "10", "2026-11-21T10:00:00.000Z", 1, 90_000, '["Pen","none"]'],
      [null, null, null, null, null, null],
    ],
  );
});

testOnEach("parts of objects and maps, and values inside of themselves, have their types too", async () => {
  const box = value("Box", "weight | decimal |", "inner | list of Box |");
  const item = (...rows: readonly string[]) =>
    box +
    resource(
      "Item",
      "size | object |",
      "size.width | decimal |",
      "by | map of decimal |",
      "box | Box |",
      ...rows,
    );
  const before = documentOf(item());
  const then = documentOf(
    item("area | decimal |", "sum | decimal |", "weight | decimal |"),
    change(
      "sums",
      "For each Item: `area = old.size.width * 2; sum = old.by.sum(k, old.by[k]); weight = old.box.inner.sum(b, b.weight * 2) + old.box.inner[0].inner[0].weight`",
    ),
  );
  const items: Stored = [
    [
      "Item",
      {
        id: "1",
        size: { width: "1.25" },
        by: { a: "1.5", b: "2" },
        box: {
          weight: "1",
          inner: [
            { weight: "2.5", inner: [{ weight: "0.5", inner: null }] },
            { weight: "10", inner: null },
          ],
        },
      },
    ],
  ];
  const { path } = await changed(before, items, then);
  assert.deepEqual(await rowsOf(path, "SELECT area, sum, weight FROM Item"), [["2.5", "3.5", "25.5"]]);
});

testOnEach("a part that the store doesn't have is rejected, and nothing is changed", async () => {
  const then = documentOf(
    order("total | decimal |").replace("| price | decimal | required |", "$&\n| tax | decimal | |"),
    change("total", "For each Order: `total = old.lines.sum(l, l.price + l.tax)`"),
  );
  const { message } = await refused(documentOf(order()), stored, then);
  assert.match(message, /stored change total, line \d+: .*tax/);
});

testOnEach("a field that one step sets and a later one removes has its type between the two", async () => {
  const then = documentOf(
    order("total | decimal |"),
    `${change("slim", 'For each Order: `slim = old.lines.map(l, {"of": l.quantity * l.price, "n": l.quantity})`')}
${change("total", "For each Order: `total = old.slim.map(s, s.of).max()`", "Removed: Order.slim")}`,
  );
  const { path } = await changed(documentOf(order()), stored, then);
  assert.deepEqual(await rowsOf(path, "SELECT total FROM [Order] ORDER BY id"), [["10"], [null]]);
});

testOnEach(
  "expressions over removed fields use the stored types, which a start knows and `check` doesn't",
  async () => {
    const before = documentOf(order());
    const then = (total: string) =>
      documentOf(
        `${line}${product}\n${resource("Order", "total | decimal |")}`,
        change("total", `For each Order: \`total = ${total}\``, "Removed: Order.lines"),
      );
    const { path } = await changed(before, stored, then("old.lines.sum(l, l.quantity * l.price)"));
    assert.deepEqual(await rowsOf(path, "SELECT total FROM [Order] ORDER BY id"), [["14.5"], [null]]);
    const wrong = await refused(before, stored, then("old.lines.map(l, l.at).max()"));
    assert.match(wrong.message, /stored change total, line \d+: Expected a decimal, but this is a timestamp/);
  },
);

testOnEach("a part that a step removes from some records is reported as a loss for the others", async () => {
  const user = (...parts: readonly string[]) =>
    value("Address", "street | string |", ...parts) + resource("User", "home | Address |");
  const then = (condition: string) =>
    documentOf(user(), change("homes", `For each User: \`home = {"street": old.home.street}${condition}\``));
  const homes: Stored = [
    ["User", { id: "u1", home: { street: "A", zip: "1" } }],
    ["User", { id: "u2", home: { street: "B", zip: "2" } }],
    ["User", { id: "u3", home: { street: "C", zip: null } }],
  ];
  const before = documentOf(user("zip | string |"));
  const error = await refused(before, homes, then(' when old.id == "u1"'));
  assert.deepEqual(error.obstacles, [
    "stored change homes: User u2: home has parts that part 2 doesn't have, and the step doesn't set it",
  ]);
  const { path } = await changed(before, homes, then(' when old.id != "u3"'));
  assert.deepEqual(await rowsOf(path, "SELECT home FROM User ORDER BY id"), [
    ['{"street":"A"}'],
    ['{"street":"B"}'],
    ['{"street":"C"}'],
  ]);
});

testOnEach("values in lists and maps are renamed, and swapped at once", async () => {
  const tags = (values: string) =>
    resource("Ticket", `levels | list of one of ${values} |`, `by | map of list of one of ${values} |`);
  const { path } = await changed(
    documentOf(tags("low, high, none")),
    [
      ["Ticket", { id: "a", levels: ["low", "none", "high"], by: { x: ["high"], y: [] } }],
      ["Ticket", { id: "b", levels: null, by: null }],
    ],
    documentOf(
      tags("low, high, never"),
      change(
        "levels",
        ...["levels", "by"].flatMap((field) => [
          `Renamed: Ticket.${field} "low" to "high"`,
          `Renamed: Ticket.${field} "high" to "low"`,
          `Renamed: Ticket.${field} "none" to "never"`,
        ]),
      ),
    ),
  );
  assert.deepEqual(await rowsOf(path, "SELECT levels, by FROM [Ticket] ORDER BY id"), [
    ['["high","never","low"]', '{"x":["low"],"y":[]}'],
    [null, null],
  ]);
});
