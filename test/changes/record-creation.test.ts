/** `For each` of stored changes: queries other records, creates records, and deletes them. */
import assert from "node:assert/strict";
import { documentOf, made, modelOf, open, resource } from "./desk.ts";
import {
  change,
  changed,
  danglingOf,
  kept,
  newPath,
  refused,
  rowsOf,
  type Stored,
  testOnEach,
} from "./support.ts";

testOnEach("a text becomes a reference: one record for each text, made once", async () => {
  const before = documentOf(resource("Ticket", "category | string |", "title | string |"));
  const then = documentOf(
    made("Category", "name | string | required, unique", 'colour | string | default "grey"') +
      resource("Ticket", "category | Category |", "title | string |"),
    change(
      "categories",
      "For each Ticket: `upsert Category with name = old.category as c when old.category != null; category = c`",
    ),
  );
  const stored: Stored = [
    ["Ticket", { id: "1", category: "bug", title: "a" }],
    ["Ticket", { id: "2", category: "idea", title: "b" }],
    ["Ticket", { id: "3", category: "bug", title: "c" }],
    ["Ticket", { id: "4", category: null, title: "d" }],
  ];
  const { path } = await changed(before, stored, then);
  const categories = await rowsOf(path, `SELECT name, colour, "#revision" FROM Category ORDER BY "#row"`);
  assert.deepEqual(categories, [
    ["bug", "grey", 1],
    ["idea", "grey", 1],
  ]);
  assert.deepEqual(
    await rowsOf(
      path,
      "SELECT t.id, c.name FROM Ticket t LEFT JOIN Category c ON c.id = t.category ORDER BY t.id",
    ),
    [
      ["1", "bug"],
      ["2", "idea"],
      ["3", "bug"],
      ["4", null],
    ],
  );
  assert.deepEqual(await danglingOf(path), []);
  assert.deepEqual(await rowsOf(path, "SELECT name, records FROM ninefold_changes"), [["categories", 6]]);
});

testOnEach("fields move into new and existing resources; an existing record is updated", async () => {
  const before = documentOf(
    resource("Shop", "town | string |") + resource("Order", "street | string |", "shop | string |"),
  );
  const then = documentOf(
    made("Address", "street | string |") +
      resource("Shop", "town | string |", "orders | string |") +
      resource("Order", "address | Address |"),
    change(
      "addresses",
      "For each Order: `create Address with street = old.street as a; address = a`",
      'For each Order: `upsert Shop with id = old.shop, orders = "some" when old.shop != null`',
      "Removed: Order.street, Order.shop",
    ),
  );
  const stored: Stored = [
    ["Shop", { id: "s", town: "Oslo" }],
    ["Order", { id: "1", street: "Harbour 1", shop: "s" }],
    ["Order", { id: "2", street: "Harbour 1", shop: "new" }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(
    await rowsOf(
      path,
      "SELECT o.id, a.street FROM [Order] o JOIN Address a ON a.id = o.address ORDER BY o.id",
    ),
    [
      ["1", "Harbour 1"],
      ["2", "Harbour 1"],
    ],
  );
  assert.deepEqual(await rowsOf(path, "SELECT count(*) FROM Address"), [[2]]);
  assert.deepEqual(await rowsOf(path, `SELECT id, town, orders, "#revision" FROM Shop ORDER BY id`), [
    ["new", null, "some", 1],
    ["s", "Oslo", "some", 3],
  ]);
});

testOnEach("each element of a list becomes a record, with what others say of it", async () => {
  const before = documentOf(
    resource("Product", "code | string |", "price | integer |") +
      resource("Order", "codes | list of string |"),
  );
  const then = documentOf(
    resource("Product", "code | string |", "price | integer |") +
      resource("Order") +
      made("Line", "order | Order |", "product | Product |", "price | integer |"),
    change(
      "lines",
      'For each Order: `create Line for code in old.codes with order = old, product = Product.first(p, p.code == code), price = or(Product.first(p, p.code == code).price, 0) when code != "none"`',
      "Removed: Order.codes",
    ),
  );
  const stored: Stored = [
    ["Product", { id: "p1", code: "a", price: 3 }],
    ["Product", { id: "p2", code: "b", price: 5 }],
    ["Order", { id: "1", codes: ["a", "b", "none"] }],
    ["Order", { id: "2", codes: [] }],
    ["Order", { id: "3", codes: ["gone"] }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, `SELECT [order], product, price FROM Line ORDER BY "#row"`), [
    ["1", "p1", 3],
    ["1", "p2", 5],
    ["3", null, 0],
  ]);
});

testOnEach("expressions read the snapshot before the step: values change places", async () => {
  const before = documentOf(
    resource("Team", "title | string |", "lead | User |") +
      resource("User", "name | string |", "team | Team |"),
  );
  const then = documentOf(
    resource("Group", "title | string |", "lead | Person |", "size | integer |") +
      resource("Person", "name | string |", "team | Group |", "boss | string |"),
    change(
      "swap",
      "Renamed: Team to Group",
      "Renamed: User to Person",
      "For each Person: `name = old.team.title; boss = old.team.lead.name`",
      "For each Group: `title = old.lead.name; size = User.count(u, u.team == old)`",
    ),
  );
  const path = await kept(before, [
    ["Team", { id: "t", title: "Engines" }],
    ["User", { id: "1", name: "Ada", team: "t" }],
    ["User", { id: "2", name: "Grace", team: "t" }],
  ]);
  const store = await open(before, path);
  await store.write(async (transaction) => {
    const model = modelOf(before);
    assert.ok(model);
    await transaction.insert("Team", { id: "s", title: "Sails", lead: "2" });
  });
  await store.close();
  await (await open(then, path)).close();
  assert.deepEqual(await rowsOf(path, "SELECT id, name, boss, team FROM Person ORDER BY id"), [
    ["1", "Engines", null, "t"],
    ["2", "Engines", null, "t"],
  ]);
  assert.deepEqual(await rowsOf(path, "SELECT id, title, size FROM [Group] ORDER BY id"), [
    ["s", "Grace", 0],
    ["t", null, 2],
  ]);
});

testOnEach(
  "duplicates are resolved in favour of the oldest record, and unused records are deleted",
  async () => {
    const before = documentOf(
      resource("User", "email | string |", "age | integer |") +
        resource("Draft", "author | User |", "text | string |"),
    );
    const then = documentOf(
      resource("User", "email | string | unique", "age | integer |") +
        resource("Note", "author | User | on delete cascade", "text | string |"),
      change(
        "tidy",
        "For each User: `email = null when User.first(u, u.email == old.email) != old`",
        "For each User: `delete Note where this.author == old && old.age < 18`",
        "Renamed: Draft to Note",
      ),
    );
    const stored: Stored = [
      ["User", { id: "1", email: "a@x", age: 20 }],
      ["User", { id: "2", email: "a@x", age: 10 }],
      ["User", { id: "3", email: "b@x", age: 30 }],
      ["Draft", { id: "d1", author: "1", text: "x" }],
      ["Draft", { id: "d2", author: "2", text: "y" }],
    ];
    const { path } = await changed(before, stored, then);
    assert.deepEqual(await rowsOf(path, "SELECT id, email FROM User ORDER BY id"), [
      ["1", "a@x"],
      ["2", null],
      ["3", "b@x"],
    ]);
    assert.deepEqual(await rowsOf(path, "SELECT id FROM Note"), [["d1"]]);
  },
);

testOnEach("a removed field leaves its values in records that were created from it", async () => {
  const before = documentOf(resource("Draft", "text | string |") + resource("Note", "text | string |"));
  const both = documentOf(
    resource("Note", "text | string |", "was | string |"),
    change(
      "one",
      'For each Draft: `create Note with id = "d" + old.id, text = old.text, was = "draft"`',
      "Removed: Draft",
    ),
  );
  const stored: Stored = [
    ["Draft", { id: "1", text: "a" }],
    ["Note", { id: "1", text: "b" }],
  ];
  const { path } = await changed(before, stored, both);
  assert.deepEqual(await rowsOf(path, "SELECT id, text, was FROM Note ORDER BY id"), [
    ["1", "b", null],
    ["d1", "a", "draft"],
  ]);
});

testOnEach("sequences continue after numbers that a step assigns, under new names, too", async () => {
  const counted = (name: string, number: string) =>
    `### ${name}\n\n- Identifier: ${number}, made by \`sequence()\`\n\n| Field | Type | Rules |\n|---|---|---|\n| ${number} | integer | |\n| title | string | |\n\n`;
  const before = documentOf(counted("Ticket", "number"));
  const then = documentOf(
    counted("Case", "no") + counted("Remark", "number"),
    change(
      "case",
      "Renamed: Ticket to Case",
      "Renamed: Case.number to Case.no",
      "For each Case: `create Remark with title = old.title`",
    ),
  );
  const path = await newPath();
  const first = await open(before, path);
  await first.write(async (transaction) => {
    for (const title of ["a", "b", "c"])
      await transaction.insert("Ticket", { number: await transaction.next("Ticket.number", ""), title });
  });
  await first.close();
  const store = await open(then, path);
  const next = await store.write(async (transaction) => [
    await transaction.next("Case.no", ""),
    await transaction.next("Remark.number", ""),
  ]);
  await store.close();
  assert.deepEqual(next, [4, 4]);
  assert.deepEqual(await rowsOf(path, "SELECT number, title FROM Remark ORDER BY number"), [
    [1, "a"],
    [2, "b"],
    [3, "c"],
  ]);
});

testOnEach("later steps may rename, set or remove what a step has set", async () => {
  const before = documentOf(resource("User", "name | string |"));
  const then = documentOf(
    resource("Person", "given | string | required", "rank | string |"),
    change(
      "split",
      'For each User: `first = old.name.split(" ", 2)[0]; last = or(old.name.split(" ", 2)[1], ""); rank = int("7"); boss = old`',
      "Removed: User.name",
    ) +
      change("person", "Renamed: User to Person", "Renamed: Person.first to Person.given") +
      change(
        "rank",
        'For each Person: `rank = "no. " + string(old.rank) + " of " + old.boss.given + old.last`',
      ) +
      change("short", "Removed: Person.last, Person.boss"),
  );
  const { path } = await changed(before, [["User", { id: "1", name: "Ada Lovelace" }]], then);
  assert.deepEqual(await rowsOf(path, "SELECT id, given, rank FROM Person"), [
    ["1", "Ada", "no. 7 of AdaLovelace"],
  ]);
  assert.deepEqual(await rowsOf(path, "SELECT name FROM ninefold_changes ORDER BY place"), [
    ["split"],
    ["person"],
    ["rank"],
    ["short"],
  ]);
});

testOnEach("parts of values are removed, in lists, too", async () => {
  const value = (name: string, ...rows: readonly string[]) =>
    `### ${name}\n\n- Identifier: none\n\n| Field | Type | Rules |\n|---|---|---|\n${rows.map((row) => `| ${row} |\n`).join("")}\n`;
  const order = resource("Order", "to | Address |", "lines | list of Line |");
  const before = documentOf(
    value("Address", "street | string |", "town | string |") +
      value("Line", "code | string |", "note | string |") +
      order,
  );
  const then = documentOf(
    value("Address", "street | string |") + value("Line", "code | string |") + order,
    change("parts", "Removed: Address.town, Line.note"),
  );
  const stored: Stored = [
    ["Order", { id: "1", to: { street: "a", town: "b" }, lines: [{ code: "x", note: "y" }] }],
    ["Order", { id: "2", to: null, lines: null }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, "SELECT [to], lines FROM [Order] ORDER BY id"), [
    ['{"street":"a"}', '[{"code":"x"}]'],
    [null, null],
  ]);
});

testOnEach(
  "a record that can't be created is reported by its source record, and nothing is changed",
  async () => {
    const before = documentOf(resource("Ticket", "category | string |"));
    const then = documentOf(
      made("Category", "name | string | required, unique, length 2..9") +
        made("Log", "text | string | unique") +
        resource("Ticket", "category | Category |"),
      change(
        "x",
        'For each Ticket: `upsert Category with name = old.category as c; category = c; create Log with text = "same"`',
      ),
    );
    const stored: Stored = [
      ["Ticket", { id: "1", category: "bug" }],
      ["Ticket", { id: "2", category: "x" }],
      ["Ticket", { id: "3", category: null }],
    ];
    const { message, path } = await refused(before, stored, then);
    assert.match(
      message,
      /stored change x: Ticket 2: the Category made of it: name must have at least 2 characters/,
    );
    assert.match(message, /stored change x: Ticket 3: the Category made of it: name is required/);
    assert.deepEqual(await rowsOf(path, `SELECT category, "#revision" FROM Ticket ORDER BY id`), [
      ["bug", 1],
      ["x", 1],
      [null, 1],
    ]);
    const repeated = await refused(
      before,
      [stored[0], ["Ticket", { id: "2", category: "idea" }]] as Stored,
      then,
    );
    assert.match(repeated.message, /text must be unique, and 1 value would repeat in 2 records: "same" /);
  },
);

testOnEach(
  "records of one resource may create others of it; two steps that create each other's are reported as needing separate changes",
  async () => {
    const before = documentOf(resource("A", "n | integer |") + resource("B", "n | integer |"));
    const doubled = documentOf(
      resource("A", "n | integer |", "twin | A |") + resource("B", "n | integer |"),
      change(
        "twins",
        'For each A: `create A with id = old.id + "x", n = old.n * 2, twin = old as t; twin = t`',
      ),
    );
    const stored: Stored = [
      ["A", { id: "1", n: 1 }],
      ["A", { id: "2", n: 2 }],
      ["B", { id: "1", n: 1 }],
    ];
    const { path } = await changed(before, stored, doubled);
    assert.deepEqual(await rowsOf(path, "SELECT id, n, twin FROM A ORDER BY id"), [
      ["1", 1, "1x"],
      ["1x", 2, "1"],
      ["2", 2, "2x"],
      ["2x", 4, "2"],
    ]);
    const crossed = documentOf(
      resource("A", "n | integer |") + resource("B", "n | integer |"),
      change(
        "x",
        'For each A: `create B with id = old.id + "a", n = old.n`',
        'For each B: `create A with id = old.id + "b", n = old.n`',
      ),
    );
    assert.match(
      (await refused(before, stored, crossed)).message,
      /A and B create records of each other; move one `For each` under a heading of its own/,
    );
  },
);

testOnEach("an Always of part 2 is checked for what was changed", async () => {
  const before = documentOf(resource("Bill", "paid | integer |", "sum | integer |"));
  const then = documentOf(
    resource("Bill", "paid | integer |", "sum | integer |").replace(
      "- Identifier: id, given",
      "- Identifier: id, given\n- Always: `this.paid <= this.sum`",
    ),
    change("half", "For each Bill: `sum = old.sum / 2`"),
  );
  const stored: Stored = [
    ["Bill", { id: "1", paid: 1, sum: 2 }],
    ["Bill", { id: "2", paid: 2, sum: 2 }],
  ];
  const { message, path } = await refused(before, stored, then);
  assert.match(message, /Bill 2: `Always: this\.paid <= this\.sum` \(line \d+\) wouldn't hold/);
  assert.deepEqual(await rowsOf(path, "SELECT sum FROM Bill"), [[2], [2]]);
  await changed(before, stored.slice(0, 1), then);
});

testOnEach("a record that a list or a value still refers to isn't deleted", async () => {
  const value =
    "### Pin\n\n- Identifier: none\n\n| Field | Type | Rules |\n|---|---|---|\n| on | Note | |\n\n";
  const rest =
    value + resource("Note", "text | string |") + resource("Board", "notes | list of Note |", "pin | Pin |");
  const stored: Stored = [
    ["Note", { id: "n1", text: "a" }],
    ["Note", { id: "n2", text: "b" }],
    ["Board", { id: "x", notes: ["n2", "n1"], pin: null }],
    ["Board", { id: "y", notes: [], pin: { on: "n1" } }],
  ];
  const step = (condition: string) =>
    documentOf(rest, change("x", `For each Note: \`delete Note where this == old when ${condition}\``));
  const { message, path } = await refused(documentOf(rest), stored, step('old.text == "a"'));
  assert.match(message, /Board x: notes would refer to a Note that doesn't exist \("n1"\)/);
  assert.match(message, /Board y: pin would refer to a Note that doesn't exist \("n1"\)/);
  assert.deepEqual(await rowsOf(path, "SELECT id FROM Note ORDER BY id"), [["n1"], ["n2"]]);
  await changed(documentOf(rest), stored, step('old.text == "c"'));
});

testOnEach("a reference that a step puts into a list must exist", async () => {
  const before = documentOf(resource("Note", "text | string |") + resource("Board", "first | string |"));
  const then = documentOf(
    resource("Note", "text | string |") + resource("Board", "notes | list of Note |"),
    change("x", "For each Board: `notes = [old.first]`", "Removed: Board.first"),
  );
  const stored: Stored = [
    ["Note", { id: "n1", text: "a" }],
    ["Board", { id: "x", first: "n1" }],
    ["Board", { id: "y", first: "n9" }],
  ];
  const diagnosticOrRefusal = await refused(before, stored, then).catch((error: unknown) => error as Error);
  assert.match(
    diagnosticOrRefusal.message,
    /Board y: notes would refer to a Note that doesn't exist|is a string/,
  );
});

testOnEach(
  "what SQL can't express is evaluated in the engine: which records are deleted, and whether an Always holds",
  async () => {
    const noteWith = (line: string) =>
      resource("Note", "text | string |").replace(
        "- Identifier: id, given",
        `- Identifier: id, given${line}`,
      );
    const always = '\n- Always: `this.text.replace("o", "0") != "n0"`';
    const stored: Stored = [
      ["Note", { id: "n1", text: "a" }],
      ["Note", { id: "n2", text: "c" }],
      ["Note", { id: "n3", text: "b" }],
    ];
    const then = (effect: string) =>
      documentOf(noteWith(always), change("tidy", `For each Note: \`${effect}\``));
    const gone = 'delete Note where this == old && this.text.replace("a", "b") == "b"';
    const { path } = await changed(documentOf(noteWith("")), stored, then(gone));
    assert.deepEqual(await rowsOf(path, "SELECT id FROM Note"), [["n2"]]);
    const broken = 'text = old.text == "b" ? "no" : old.text';
    const { message } = await refused(documentOf(noteWith("")), stored, then(broken));
    assert.match(message, /Note n3: `Always: this\.text\.replace.* wouldn't hold/);
  },
);

testOnEach(
  "what SQL can't express is evaluated for as many records as there are, slice by slice",
  async () => {
    const note = resource("Note", "text | string |");
    const owner = resource("Owner", "text | string |");
    const deleted = change("tidy", 'For each Owner: `delete Note where this.text.replace("a", "b") == "b"`');
    const counted = change(
      "count",
      'For each Owner: `notes = Note.count(n, n.text.replace("a", "b") == "b")`',
    );
    // A slice has 500 records.
    for (const all of [499, 500, 501, 1001]) {
      const stored: Stored = [
        ["Owner", { id: "o", text: "o" }],
        ...Array.from({ length: all }, (_, at): Stored[number] => [
          "Note",
          { id: `n${at}`, text: at === all - 1 || at % 2 === 0 ? "a" : "c" },
        ]),
      ];
      const fitting = stored.filter(([, { text }]) => text === "a").length;
      const { path } = await changed(documentOf(note + owner), stored, documentOf(note + owner, deleted));
      assert.deepEqual(await rowsOf(path, "SELECT count(*) FROM Note"), [[all - fitting]], `${all}`);
      const more = documentOf(note + resource("Owner", "text | string |", "notes | integer |"), counted);
      const other = await changed(documentOf(note + owner), stored, more);
      assert.deepEqual(await rowsOf(other.path, "SELECT notes FROM Owner"), [[fitting]], `${all}`);
    }
  },
);

testOnEach("an upsert sets every field but the key that finds the record", async () => {
  const resources =
    resource("User", "email | string | unique", "name | string |").replace(
      "| id | string | |",
      "| id | string | any case |",
    ) + resource("Login", "user | string |", "email | string |");
  const before = documentOf(resources);
  const then = documentOf(
    resources,
    change("sync", 'For each Login: `upsert User with id = old.user, email = old.email, name = "synced"`'),
  );
  const stored: Stored = [
    ["User", { id: "a", email: "a", name: null }],
    ["User", { id: "b", email: "b", name: null }],
    ["Login", { id: "1", user: "A", email: "new" }],
    ["Login", { id: "2", user: "b", email: null }],
    ["Login", { id: "3", user: "c", email: "b" }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, "SELECT id, email, name FROM User ORDER BY id"), [
    ["a", "new", "synced"],
    ["b", null, "synced"],
    ["c", "b", "synced"],
  ]);
  const taken = await refused(before, [...stored, ["Login", { id: "4", user: "d", email: "new" }]], then);
  assert.match(taken.message, /email must be unique/);
});

testOnEach("an upsert by a unique field that is null finds no record", async () => {
  const resources =
    made("User", "email | string | unique", "name | string |") +
    resource("Login", "email | string |", "name | string |");
  const { path } = await changed(
    documentOf(resources),
    [
      ["Login", { id: "1", email: null, name: "Ann" }],
      ["Login", { id: "2", email: null, name: "Bob" }],
      ["Login", { id: "3", email: "c", name: "Eve" }],
      ["Login", { id: "4", email: "c", name: "Eva" }],
    ],
    documentOf(
      resources,
      change("sync", "For each Login: `upsert User with email = old.email, name = old.name`"),
    ),
  );
  assert.deepEqual(await rowsOf(path, "SELECT email, name FROM User ORDER BY name"), [
    [null, "Ann"],
    [null, "Bob"],
    ["c", "Eva"],
  ]);
});
