/** Every new or changed rule is checked for the stored records: violations are listed, and nothing is changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planStoreFor, planStoresOf } from "../../src/store/index.ts";
import { documentOf, modelOf, open, resource, value } from "./desk.ts";
import {
  change,
  changed,
  forgetRules,
  kept,
  onDatabase,
  refused,
  rowsOf,
  type Stored,
  testOnEach,
  reportedAtOpening,
} from "./support.ts";

const numbered = (count: number, fields: (at: number) => Stored[number][1], name = "Item"): Stored =>
  Array.from({ length: count }, (_, at): Stored[number] => [name, { id: `${at + 1}`, ...fields(at) }]);

/** The plan of a migration without obstacles. */
async function planOf(path: string, document: string) {
  const { steps, refused, warnings } = await planStoreFor(modelOf(document), path, {
    isRunning: () => false,
  });
  assert.equal(refused?.message, undefined);
  return { lines: steps.flatMap(({ lines }) => lines.map(({ text }) => text)), warnings };
}

testOnEach("for a new form rule, the start suggests a line that converts the records", async () => {
  const login = (rules: string, ...changes: readonly string[]) =>
    documentOf(
      resource("User", `email | string | ${rules}`, "nick | string |", "tags | list of string |"),
      ...changes,
    );
  const stored: Stored = [
    ["User", { id: "a", email: "Ada@x.org", nick: "", tags: ["A", "b"] }],
    ["User", { id: "b", email: "bob@x.org", nick: "Bob" }],
  ];
  const then = login("required, unique, lower case")
    .replace("| nick | string | |", "| nick | string | trimmed, empty is null |")
    .replace("| tags | list of string | |", "| tags | list of string | each lower case |");
  const error = await refused(login("required, unique"), stored, then);
  assert.deepEqual(error.obstacles, [
    'User.email must be stored in the form of its rules (lower case), and 1 User breaks that: "Ada@x.org" (a)',
    'User.nick must be stored in the form of its rules (trimmed, empty is null), and 1 User breaks that: "" (a)',
    'User.tags must be stored in the form of its rules (lower case), and 1 User breaks that: ["A","b"] (a)',
  ]);
  assert.deepEqual(error.paste, [
    "### Stored change: email",
    "",
    "- For each User: `email = lower(old.email)`",
    '- For each User: `nick = trim(old.nick) == "" ? null : trim(old.nick)`',
    "- For each User: `tags = old.tags`",
  ]);
  assert.deepEqual(await rowsOf(error.path, "SELECT email FROM User ORDER BY id"), [
    ["Ada@x.org"],
    ["bob@x.org"],
  ]);
  const pasted = then.replace(/\n$/, `\n${error.paste.join("\n")}\n`);
  await reportedAtOpening(pasted, error.path);
  assert.deepEqual(await rowsOf(error.path, "SELECT email, nick, tags FROM User ORDER BY id"), [
    ["ada@x.org", null, '["a","b"]'],
    ["bob@x.org", "Bob", null],
  ]);
  assert.deepEqual(await planOf(error.path, pasted), { lines: [], warnings: [] });
  // Two addresses become equal.
  const two = [...stored, ["User", { id: "c", email: "ADA@x.org" }]] as const;
  const same = await refused(login("required, unique"), two, pasted);
  assert.match(
    same.message,
    /User: email must be unique, and 1 value would repeat in 2 records: "ada@x\.org" \(a, c\)/,
  );
});

testOnEach("a new normalising rule is checked in fields, lists and parts", async () => {
  const texts = { "lower case": "Ada", trimmed: " ada", "empty is null": "" };
  for (const [rule, text] of Object.entries(texts)) {
    // An item of a list can't become null.
    const each = rule === "empty is null" ? "" : `each ${rule}`;
    const note = (own: string, ofItems: string) =>
      documentOf(
        value("Part", `text | string | ${own}`) +
          resource("Item", `text | string | ${own}`, "part | Part |", `tags | list of string | ${ofItems}`),
      );
    const stored: Stored = [
      ["Item", { id: "own", text }],
      ["Item", { id: "part", part: { text } }],
      ["Item", { id: "each", tags: ["ada", text] }],
    ];
    const { obstacles } = await refused(note("", ""), stored, note(rule, each));
    const broken = obstacles.flatMap((line) => line.match(/Item\.\w+/) ?? []);
    assert.deepEqual(broken.toSorted(), ["Item.part", ...(each ? ["Item.tags"] : []), "Item.text"], rule);
  }
});

testOnEach("a part that becomes required is checked, even if nothing else changes", async () => {
  const kinds = { Part: { n: 1 }, "list of Part": [{ n: 1 }], "map of Part": { a: { n: 1 } } };
  for (const [kind, stored] of Object.entries(kinds)) {
    const item = (rules: string) =>
      documentOf(
        value("Part", `text | string | ${rules}`, "n | integer |") + resource("Item", `part | ${kind} |`),
      );
    const { obstacles } = await refused(item(""), [["Item", { id: "a", part: stored }]], item("required"));
    assert.match(obstacles.join("\n"), /^Item\.part .*text.*\(a\)$/, kind);
  }
  const object = (rules: string) =>
    documentOf(resource("Item", "size | object |", `size.wide | integer | ${rules}`, "size.n | integer |"));
  const { obstacles } = await refused(
    object(""),
    [["Item", { id: "a", size: { n: 1 } }]],
    object("required"),
  );
  assert.match(obstacles.join("\n"), /^Item\.size .*wide.*\(a\)$/);
});

/** Each rule with a valid value, an invalid one, and the report. */
const restricting: readonly (readonly [
  type: string,
  rule: string,
  good: unknown,
  bad: unknown,
  reported: RegExp,
])[] = [
  ["integer", "1..9", 3, 12, /must be at most 9/],
  ["decimal", "..10", "9.99", "10.01", /must be at most 10/],
  ["duration", "..1 hour", 1000, 7_200_000, /must be at most 1 hour/],
  ["string", "length 2..3", "abc", "a", /must have at least 2 characters/],
  ["string", "pattern `[a-z]+`", "abc", "A1", /must match/],
  ["list of integer", "items 1..2", [1], [], /must have at least 1 item/],
  ["list of integer", "each 1..9", [1], [1, 12], /must be at most 9/],
  ["list of string", "distinct", ["a", "b"], ["a", "a"], /must not have duplicate items/],
  ["map of integer", "keys length 1..2", { ab: 1 }, { abc: 1 }, /has the key "abc"/],
  ["map of integer", "each 1..9", { ab: 1 }, { ab: 10 }, /must be at most 9/],
];

testOnEach(
  "a rule that restricts a field lists the records that break it, the first ten and how many",
  async () => {
    const rows = (isThen: boolean) =>
      restricting.map(([type, rule], at) => `f${at} | ${type} | ${isThen ? rule : ""}`);
    const stored = numbered(14, (at) =>
      Object.fromEntries(
        restricting.map(([, , good, bad], field) => [`f${field}`, (at === 0 ? good : bad) as never]),
      ),
    );
    const [before, then] = [false, true].map((isThen) => documentOf(resource("Item", ...rows(isThen)))) as [
      string,
      string,
    ];
    const { obstacles, path } = await refused(before, stored, then);
    assert.equal(obstacles.length, restricting.length);
    for (const [at, [, , , , reported]] of restricting.entries()) {
      assert.match(obstacles[at] as string, reported);
      assert.match(
        obstacles[at] as string,
        new RegExp(`^Item\\.f${at} .*, and 13 records of Item break that: .*\\(2\\), .*\\(11\\), …$`),
      );
    }
    assert.deepEqual(await rowsOf(path, `SELECT max("#revision"), count(*) FROM Item`), [[1, 14]]);
    // If all records satisfy the rule, the report says so, and later starts have nothing to do.
    const good = await kept(before, stored.slice(0, 1));
    const { lines } = await planOf(good, then);
    assert.equal(lines[0], "Item.f0: range 1..9 from now on");
    assert.equal(lines.length, restricting.length);
    await reportedAtOpening(then, good);
    assert.deepEqual((await planOf(good, then)).lines, []);
  },
);

testOnEach(
  "rules of fields are checked for parts, in values, objects, lists and maps at any depth",
  async () => {
    const address = (...rows: readonly string[]) => value("Address", "city | string | required", ...rows);
    const item = (...rows: readonly string[]) =>
      resource(
        "Item",
        "address | Address | required",
        "former | list of Address |",
        "by | map of Address |",
        "size | object |",
        "size.wide | integer |",
        ...rows,
      );
    const stored: Stored = [
      ["Item", { id: "1", address: { city: "Utrecht" }, size: { wide: 3 } }],
      [
        "Item",
        { id: "2", address: { city: "Zeist" }, former: [{ city: "Bilt" }], by: { a: { city: "Doorn" } } },
      ],
    ];
    const before = documentOf(address() + item());
    const required = documentOf(
      address("street | string | required") + item("size.high | integer | required"),
    );
    const { obstacles } = await refused(before, stored, required);
    assert.deepEqual(obstacles, [
      'Item.address (street) is required, and 2 records of Item break that: {"city":"Utrecht","street":null} (1), {"city":"Zeist","street":null} (2)',
      'Item.former (street) is required, and 1 Item breaks that: [{"city":"Bilt","street":null}] (2)',
      'Item.by (a) (street) is required, and 1 Item breaks that: {"a":{"city":"Doorn","street":null}} (2)',
      'Item.size (high) is required, and 1 Item breaks that: {"wide":3,"high":null} (1)',
    ]);
    const city = await refused(
      before,
      stored,
      required
        .replace(/.*(?:street|high).*\n/g, "")
        .replace("| city | string | required |", "| city | string | required, length ..5 |"),
    );
    assert.match(
      city.message,
      /Item\.address \(city\) must have at most 5 characters, and 1 Item breaks that/,
    );
    // A literal default applies to existing parts, as it does to existing fields.
    const filled = required
      .replaceAll("| required |", "| required |")
      .replace("| street | string | required |", '| street | string | required, default `"?"` |')
      .replace("| size.high | integer | required |", "| size.high | integer | required, default `0` |");
    const { path } = await changed(before, stored, filled);
    const rows = (await rowsOf(
      path,
      "SELECT address, former, by, size FROM Item ORDER BY id",
    )) as readonly (readonly string[])[];
    assert.deepEqual(
      rows.map((row) => row.map((cell) => JSON.parse(cell ?? "null"))),
      [
        [{ city: "Utrecht", street: "?" }, null, null, { wide: 3, high: 0 }],
        [
          { city: "Zeist", street: "?" },
          [{ city: "Bilt", street: "?" }],
          { a: { city: "Doorn", street: "?" } },
          null,
        ],
      ],
    );
  },
);

testOnEach("a text is checked against the form of its new type, at any depth", async () => {
  const of = (type: string) => documentOf(resource("Item", `one | ${type} |`, `all | list of ${type} |`));
  const stored: Stored = [
    ["Item", { id: "1", one: "ada@x.org", all: ["ada@x.org"] }],
    ["Item", { id: "2", one: "ada", all: ["ada@x.org", "ada"] }],
  ];
  assert.deepEqual((await refused(of("string"), stored, of("email"))).obstacles, [
    'Item.one must be an email address, and 1 Item breaks that: "ada" (2)',
    'Item.all ([]) must be an email address, and 1 Item breaks that: ["ada@x.org","ada"] (2)',
  ]);
  assert.match(
    (await refused(of("string"), stored, of("one of ada, bob"))).message,
    /Item\.all \(\[\]\) must be one of ada, bob/,
  );
  await changed(of("email"), stored.slice(0, 1), of("string"));
  await changed(
    of("one of ada, bob"),
    [["Item", { id: "1", one: "ada", all: ["bob"] }]],
    of("one of ada, bob, eve"),
  );
});

testOnEach("new record rules, `Always` and `Fails`, over one record and over others", async () => {
  const item = (rules: string) =>
    documentOf(
      resource(
        "Item",
        "starts | integer | required",
        "ends | integer | required",
        "twice | integer | = `this.ends * 2`",
      ).replace("- Identifier: id, given\n", `- Identifier: id, given\n${rules}`),
    ).replace(
      "## Errors\n",
      "## Errors\n\n- Payload shape: problem details\n\n| Code | Status | When | Message |\n|---|---|---|---|\n| x | 422 | | x |\n",
    );
  const stored = numbered(13, (at) => ({ starts: at === 0 ? 1 : 5, ends: 4 }));
  const reported = async (rules: string) => (await refused(item(""), stored, item(rules))).obstacles;
  const records = "2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 others";
  assert.deepEqual(await reported("- Always: `this.ends >= this.starts`\n"), [
    `Item ${records}: \`Always: this.ends >= this.starts\` (line 10) wouldn't hold`,
  ]);
  assert.deepEqual(await reported("- Fails: x when `this.twice < this.starts * 2`\n"), [
    `Item ${records}: \`Fails: this.twice < this.starts * 2\` (line 10) would reject it`,
  ]);
  const [ofOthers = ""] = await reported(
    "- Fails: x when `Item.exists(i, i.id != this.id && i.starts < this.starts)`\n",
  );
  assert.match(ofOthers, new RegExp(`^Item ${records}: .Fails: Item\\.exists`));
  // A condition about the request can't be checked for stored records; the report says so.
  const ofNow = item('- Fails: x when `this.ends < 5 && now > timestamp("2020-01-01T00:00:00Z")`\n');
  const path = await kept(item(""), stored);
  const { lines } = await planOf(path, ofNow);
  assert.match(
    lines.join(),
    /^Item: `Fails: .*` from now on; it reads the request, the time or the service, so stored records aren't checked$/,
  );
  await reportedAtOpening(ofNow, path);
  assert.deepEqual((await planOf(path, ofNow)).lines, []);
  // A computed field that a rule reads is a part of it.
  const rule = item("- Fails: x when `this.twice > 8`\n");
  const fine = await kept(rule, stored);
  const { message } = await open(rule.replace("this.ends * 2", "this.ends * 3"), fine).then(
    () => assert.fail("it was opened"),
    (error: Error) => error,
  );
  assert.match(message, /`Fails: this\.twice > 8` \(line 10\) would reject it/);
});

testOnEach(
  "a stored change is checked against `Fails`, also for records that read the changed ones",
  async () => {
    const errors = (text: string) =>
      text.replace(
        "## Errors\n",
        "## Errors\n\n- Payload shape: problem details\n\n| Code | Status | When | Message |\n|---|---|---|---|\n| x | 422 | | x |\n",
      );
    const rule = (name: string, item: string, text: string) =>
      text.replace(
        `### ${name}\n\n- Identifier: id, given\n`,
        `### ${name}\n\n- Identifier: id, given\n- ${item}\n`,
      );
    const product = (...rows: readonly string[]) => resource("Product", "price | integer |", ...rows);
    const order = resource("Order", "product | Product |", "paid | integer |");
    const document = (changes: string) =>
      errors(
        rule(
          "Order",
          "Always: `this.paid <= this.product.price`",
          rule("Product", "Fails: x when `this.price > 100`", documentOf(product() + order, changes)),
        ),
      );
    const stored: Stored = [
      ["Product", { id: "p", price: 60 }],
      ["Order", { id: "o", product: "p", paid: 50 }],
    ];
    const dear = await refused(
      document(""),
      stored,
      document(change("x", "For each Product: `price = old.price * 2`")),
    );
    assert.deepEqual(dear.obstacles, ["Product p: `Fails: this.price > 100` (line 10) would reject it"]);
    const cheap = await refused(
      document(""),
      stored,
      document(change("x", "For each Product: `price = 40`")),
    );
    assert.deepEqual(cheap.obstacles, [
      "Order o: `Always: this.paid <= this.product.price` (line 19) wouldn't hold",
    ]);
    assert.deepEqual(await rowsOf(cheap.path, "SELECT price FROM Product"), [[60]]);
  },
);

testOnEach("if a step sets a field for some records, the others are checked", async () => {
  const before = documentOf(resource("User", "name | string |", "kind | string |"));
  const then = (rules: string, type = "string") =>
    documentOf(
      resource("User", `name | string | ${rules}`, `kind | ${type} |`),
      change("some", 'For each User: `name = "x" when old.id == "1"; kind = "a" when old.id == "1"`'),
    );
  const stored: Stored = [
    ["User", { id: "1", name: "Ada", kind: "b" }],
    ["User", { id: "2", name: null, kind: "b" }],
  ];
  assert.match(
    (await refused(before, stored, then("required"))).message,
    /User\.name is required, and 1 User breaks that: 2/,
  );
  assert.match(
    (await refused(before, stored, then("", "one of a, c"))).message,
    /User\.kind must be one of a, c, and 1 User breaks that: "b" \(2\)/,
  );
  assert.match(
    (await refused(before, stored.slice(0, 1), then("length 2.."))).message,
    /User 1: name must have at least 2 characters/,
  );
});

testOnEach("a formerly computed field is rejected, and a line with its expression is suggested", async () => {
  const item = (...rows: readonly string[]) =>
    documentOf(resource("Item", "price | integer | required", ...rows));
  const computed = item("half | integer | = `this.price * 2`", "total | integer | = `this.half + 1`");
  const then = item(
    "half | integer | = `this.price * 2`",
    "total | integer | on create `this.half + 1`, on update `this.half + 1`",
  );
  const stored = numbered(2, (at) => ({ price: 5 + at }));
  const { obstacles, paste, path } = await refused(computed, stored, then);
  assert.deepEqual(obstacles, [
    "Item.total was computed when read (`this.half + 1`) and is now stored, and 2 records of Item have no stored value",
  ]);
  assert.equal(paste.at(-1), "- For each Item: `total = (old.price * 2) + 1`");
  await reportedAtOpening(`${then}\n${paste.join("\n")}\n`, path);
  assert.deepEqual(await rowsOf(path, "SELECT total FROM Item ORDER BY id"), [[11], [13]]);
  // The same for a part of a value, at any depth.
  const line = (rules: string) =>
    documentOf(
      value("Line", "price | integer |", `tax | integer | ${rules}`) +
        resource("Item", "lines | list of Line |", "by | map of Line |"),
    );
  const parts = await refused(
    line("= `this.price / 5`"),
    [
      ["Item", { id: "1", lines: [{ price: 10 }] }],
      ["Item", { id: "2", by: {} }],
    ],
    line(""),
  );
  assert.deepEqual(parts.obstacles, [
    "Item.lines[].tax was computed when read (`this.price / 5`) and is now stored, and 1 Item has no stored value",
  ]);
  assert.equal(parts.paste.at(-1), "- For each Item: `lines = VALUE`");
  await reportedAtOpening(
    line("").replace(
      "- Scheme: none\n",
      `- Scheme: none\n\n${change("tax", 'For each Item: `lines = old.lines.map(l, {"price": l.price, "tax": l.price / 5})`')}`,
    ),
    parts.path,
  );
  assert.deepEqual(await rowsOf(parts.path, "SELECT lines FROM Item WHERE id = '1'"), [
    ['[{"price":10,"tax":2}]'],
  ]);
  // Without records, nothing is lost.
  await changed(computed, [], then);
  const from = planStoresOf(modelOf(computed), modelOf(then));
  assert.match(from.refused?.message ?? "", /Item\.total was computed when read/);
});

testOnEach("rules that loosen are not checked, and reported", async () => {
  const of = (...rules: readonly string[]) =>
    documentOf(
      resource(
        "Item",
        `name | string | ${rules[0]}`,
        `size | integer | ${rules[1]}`,
        `all | list of string | ${rules[2]}`,
      ),
    );
  const path = await kept(of("required, length 2..5, lower case", "1..9", "each length 1..2"), [
    ["Item", { id: "1", name: "ab", size: 3, all: ["a"] }],
  ]);
  // Values that no request could have stored: a check would find them.
  const then = of("length 1..", "0..10", "each length ..3");
  assert.deepEqual((await planOf(path, then)).lines, [
    "Item.name: length 1.. from now on, instead of length 2..5",
    "Item.name: no longer required",
    "Item.name: no longer lower case",
    "Item.size: range 0..10 from now on, instead of range 1..9",
    "Item.all[]: length ..3 from now on, instead of length 1..2",
  ]);
  await reportedAtOpening(then, path);
  const from = planStoresOf(
    modelOf(of("length 1..", "0..10", "")),
    modelOf(of("length 1..", "0..5", "each length ..3")),
  );
  assert.deepEqual(
    [from.refused, from.warnings],
    [
      undefined,
      [
        "Item.size is now range 0..5: a record that breaks it would prevent the migration",
        "Item.all[] is now length ..3: a record that breaks it would prevent the migration",
      ],
    ],
  );
});

testOnEach("a reference to another resource or to another identifier is rejected", async () => {
  const people = (rows: string, of = "User") =>
    documentOf(
      resource("User", "name | string |") +
        resource("Team", "name | string |") +
        resource("Item", `owner | ${of} |`, `all | list of ${of} |`) +
        rows,
    );
  const stored: Stored = [
    ["User", { id: "1", name: "n" }],
    ["Team", { id: "1", name: "n" }],
    ["Item", { id: "1", owner: "1", all: ["1"] }],
  ];
  assert.deepEqual((await refused(people(""), stored, people("", "Team"))).obstacles, [
    'Item.owner was a reference to User and is now a reference to Team, and 1 Item has a value: "1" (1)',
    'Item.all was a reference to User and is now a reference to Team, and 1 Item has a value: ["1"] (1)',
  ]);
  const byName = people("").replace(
    "### User\n\n- Identifier: id, given",
    "### User\n\n- Identifier: name, given",
  );
  assert.match(
    (await refused(people(""), stored, byName)).message,
    /Item\.all refers to User, which now has another identifier, in 1 Item/,
  );
  await changed(people(""), stored.slice(0, 2), byName);
  // Renaming the resource changes nothing else.
  const renamed = people("", "Person").replace("### User\n", "### Person\n");
  const { path } = await changed(people(""), stored, `${renamed}\n${change("p", "Renamed: User to Person")}`);
  assert.deepEqual((await planOf(path, `${renamed}\n${change("p", "Renamed: User to Person")}`)).lines, []);
});

testOnEach("a store of an earlier release is checked against all rules once", async () => {
  const address = value("Address", "city | string | required");
  const item = (rules: string) =>
    documentOf(address + resource("Item", `name | string | ${rules}`, "at | Address |"));
  const strict = item("required, lower case");
  // Values that an earlier release accepted.
  const path = await kept(strict, [
    ["Item", { id: "1", name: "Ada", at: { city: "Bilt" } }],
    ["Item", { id: "2", name: "bob", at: { city: null } }],
  ]);
  assert.deepEqual(await planOf(path, strict), { lines: [], warnings: [] });
  await forgetRules(path);
  const { message } = await open(strict, path).then(
    () => assert.fail("it was opened"),
    (error: Error) => error,
  );
  assert.match(
    message,
    /Item\.name must be stored in the form of its rules \(lower case\), and 1 Item breaks that: "Ada" \(1\)/,
  );
  assert.match(message, /Item\.at \(city\) is required, and 1 Item breaks that/);
  const good = await kept(strict, [["Item", { id: "1", name: "ada", at: { city: "Bilt" } }]]);
  await forgetRules(good);
  assert.deepEqual(await planOf(good, strict), { lines: [], warnings: [] });
  await reportedAtOpening(strict, good);
  assert.deepEqual((await planOf(good, item("required, lower case, length ..3"))).lines, [
    "Item.name: length ..3 from now on",
  ]);
});

testOnEach("a field that becomes a sequence continues after the existing numbers", async () => {
  const numbered_ = documentOf(
    resource("Shop", "name | string |") + resource("Item", "shop | Shop |", "number | integer |"),
  );
  const id = (text: string) =>
    text
      .replace("### Item\n\n- Identifier: id, given", "### Item\n\n- Identifier: id, made by `sequence()`")
      .replace(/(### Item[\s\S]*)\| id \| string \| \|/, "$1| id | integer | |");
  const before = id(numbered_).replace("made by `sequence()`", "given");
  const then = id(numbered_).replace(
    "| number | integer | |",
    "| number | integer | on create `sequence(shop)` |",
  );
  const { path } = await changed(
    before,
    [
      ["Shop", { id: "a" }],
      ["Shop", { id: "b" }],
      ["Item", { id: 3, shop: "a", number: 7 }],
      ["Item", { id: 9, shop: "b", number: 2 }],
    ],
    then,
  );
  assert.deepEqual(
    await rowsOf(path, "SELECT name, within, value FROM ninefold_sequences ORDER BY name, within"),
    [
      ["Item.id", "", 9],
      ["Item.number", '"a"', 7],
      ["Item.number", '"b"', 2],
    ],
  );
});

test("the last of many records is checked, with its new fields", () =>
  onDatabase(false, async () => {
    const of = (rule: string, ...rows: readonly string[]) =>
      documentOf(
        resource("Item", "n | integer |", "kinds | list of one of a, b, c |", ...rows).replace(
          "given\n",
          `given\n${rule === "" ? "" : `- Always: \`${rule}\`\n`}`,
        ),
      );
    // More records than one slice.
    const path = await kept(
      of(""),
      numbered(1_001, (at) => ({ n: at, kinds: at === 1_000 ? ["c"] : ["a"] })),
    );
    const message = (document: string) =>
      open(document, path).then(
        () => assert.fail("it was opened"),
        (error: Error) => error.message,
      );
    const fewer = of("").replace("one of a, b, c", "one of a, b");
    assert.match(
      await message(fewer),
      /Item\.kinds \(\[\]\) must be one of a, b, and 1 Item breaks that: \["c"\] \(1001\)/,
    );
    assert.match(await message(of("this.n < 1000")), /^ {2}- Item 1001: `Always: this\.n < 1000`/m);
    // The check sees the default of a new field.
    await reportedAtOpening(of("this.level > 0", "level | integer | default `1`"), path);
  }));

testOnEach("each element of a choice of types", async () => {
  const tags = (rule: string) => documentOf(resource("Item", `tags | string or list of string | ${rule}`));
  const stored: Stored = [
    ["Item", { id: "a", tags: ["abc", "ABCDEF"] }],
    ["Item", { id: "b", tags: "ABCDEF" }],
  ];
  for (const rule of ["each length ..3", "each lower case", "each pattern ^[a-z]+$"]) {
    const { obstacles } = await refused(tags(""), stored, tags(rule));
    assert.equal(obstacles.length, 1, rule);
    assert.match(obstacles[0] as string, /^Item\.tags .*, and 1 Item breaks that: \["abc","ABCDEF"\] \(a\)$/);
  }
  await changed(tags("each length ..9"), stored, tags("each length ..10"));
});
