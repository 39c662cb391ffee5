/**
 * Renamed values of an identifying enumeration: all references to the records follow, at any depth,
 * and so do the keys that contain them.
 */
import assert from "node:assert/strict";
import { documentOf, open, resource, value } from "./desk.ts";
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

/** A resource with this identifier. */
const identified = (name: string, by: string, ...rows: readonly string[]): string =>
  resource(name, ...rows)
    .replace("Identifier: id, given", `Identifier: ${by}`)
    .replace("| id | string | |\n", "");

const genre = (codes: string) =>
  identified("Genre", "code, given", `code | one of ${codes} |`, "parent | Genre |");
const toNovel = change("novel", 'Renamed: Genre.code "nov" to "novel"');

testOnEach("references to renamed keys follow: in fields, lists, maps and values", async () => {
  const others =
    value("Tag", "on | Genre |") +
    resource(
      "Book",
      "genre | Genre |",
      "genres | list of Genre |",
      "by | map of Genre |",
      "tags | list of Tag |",
    );
  const stored: Stored = [
    ["Genre", { code: "sci", parent: null }],
    ["Genre", { code: "nov", parent: "sci" }],
    ["Book", { id: "a", genre: "nov", genres: ["sci", "nov"], by: { x: "nov" }, tags: [{ on: "nov" }] }],
    ["Book", { id: "b", genre: null, genres: ["nov"], by: null, tags: null }],
  ];
  const { path } = await changed(
    documentOf(genre("nov, sci") + others),
    stored,
    documentOf(genre("novel, sci") + others, toNovel),
  );
  assert.deepEqual(await rowsOf(path, "SELECT code, parent FROM Genre ORDER BY 1"), [
    ["novel", "sci"],
    ["sci", null],
  ]);
  assert.deepEqual(await rowsOf(path, `SELECT genre, genres, "by", tags FROM Book ORDER BY id`), [
    ["novel", '["sci","novel"]', '{"x":"novel"}', '[{"on":"novel"}]'],
    [null, '["novel"]', null, null],
  ]);
  assert.deepEqual(await danglingOf(path), []);
});

testOnEach(
  "keys that swap their names, and are renamed with their field and resource, are followed",
  async () => {
    const before =
      identified("Genre", "code, given", "code | one of a, b |") +
      resource("Book", "genres | list of Genre |");
    const then =
      identified("Kind", "name, given", "name | one of a, b |") + resource("Book", "genres | list of Kind |");
    const step = change(
      "swap",
      "Renamed: Genre to Kind",
      "Renamed: Kind.code to Kind.name",
      'Renamed: Kind.name "a" to "b"',
      'Renamed: Kind.name "b" to "a"',
    );
    const stored: Stored = [
      ["Genre", { code: "a" }],
      ["Genre", { code: "b" }],
      ["Book", { id: "1", genres: ["a", "b", "b"] }],
    ];
    const { path } = await changed(documentOf(before), stored, documentOf(then, step));
    assert.deepEqual(await rowsOf(path, `SELECT name FROM Kind ORDER BY "#row"`), [["b"], ["a"]]);
    assert.deepEqual(await rowsOf(path, "SELECT genres FROM Book"), [['["b","a","a"]']]);
  },
);

testOnEach("keys that contain a renamed key follow, and the sequences within them", async () => {
  const others =
    identified("Shelf", "genre, given", "genre | Genre |", "size | integer |") +
    identified(
      "Copy",
      "shelf and number",
      "shelf | Shelf |",
      "number | integer | on create `sequence(this.shelf)`",
    ) +
    resource("Loan", "copies | list of Copy |", "shelf | Shelf |", "first | Copy |");
  const path = await newPath();
  const store = await open(documentOf(genre("nov, sci") + others), path);
  await store.write(async (transaction) => {
    await transaction.insert("Genre", { code: "nov", parent: null });
    await transaction.insert("Shelf", { genre: "nov", size: 3 });
    await transaction.next("Copy.number", '"nov"');
    await transaction.insert("Copy", { shelf: "nov", number: 1 });
    await transaction.insert("Loan", { id: "l", copies: ['["nov",1]'], shelf: "nov", first: '["nov",1]' });
  });
  await store.close();
  await (await open(documentOf(genre("novel, sci") + others, toNovel), path)).close();
  assert.deepEqual(await rowsOf(path, "SELECT genre, size FROM Shelf"), [["novel", 3]]);
  assert.deepEqual(await rowsOf(path, `SELECT shelf, number, "#key" FROM Copy`), [
    ["novel", 1, '["novel",1]'],
  ]);
  assert.deepEqual(await rowsOf(path, `SELECT copies, shelf, "first" FROM Loan`), [
    ['["[\\"novel\\",1]"]', "novel", '["novel",1]'],
  ]);
  assert.deepEqual(await rowsOf(path, "SELECT name, within, value FROM ninefold_sequences"), [
    ["Copy.number", '"novel"', 1],
  ]);
  assert.deepEqual(await danglingOf(path), []);
});

testOnEach("a joint key with a renamed value is followed", async () => {
  const slot = (days: string) =>
    identified("Slot", "day and hour", `day | one of ${days} |`, "hour | integer |") +
    resource("Plan", "main | Slot |", "slots | list of Slot |");
  const stored: Stored = [
    ["Slot", { day: "mo", hour: 9 }],
    ["Slot", { day: "tu", hour: 9 }],
    ["Plan", { id: "p", main: '["mo",9]', slots: ['["tu",9]', '["mo",9]'] }],
  ];
  const { path } = await changed(
    documentOf(slot("mo, tu")),
    stored,
    documentOf(slot("monday, tu"), change("days", 'Renamed: Slot.day "mo" to "monday"')),
  );
  assert.deepEqual(await rowsOf(path, `SELECT "#key" FROM Slot ORDER BY "#row"`), [
    ['["monday",9]'],
    ['["tu",9]'],
  ]);
  assert.deepEqual(await rowsOf(path, "SELECT main, slots FROM Plan"), [
    ['["monday",9]', '["[\\"tu\\",9]","[\\"monday\\",9]"]'],
  ]);
  assert.deepEqual(await danglingOf(path), []);
});

testOnEach("two keys that would become one are reported, and nothing is changed", async () => {
  const book = resource("Book", "genres | list of Genre |");
  const stored: Stored = [
    ["Genre", { code: "nov", parent: null }],
    ["Genre", { code: "novel", parent: null }],
    ["Book", { id: "1", genres: ["nov"] }],
  ];
  const { message, path } = await refused(
    documentOf(genre("nov, novel") + book),
    stored,
    documentOf(genre("novel") + book, toNovel),
  );
  assert.match(message, /Genre nov, novel: would all be novel, and 2 can't have one identifier/);
  assert.deepEqual(await rowsOf(path, "SELECT genres FROM Book"), [['["nov"]']]);
});

testOnEach("a step that renames keys and sets references finds records by their former keys", async () => {
  const book = resource("Book", "genre | Genre |", "title | string |");
  const path = await kept(documentOf(genre("nov, sci") + book), [
    ["Genre", { code: "nov", parent: null }],
    ["Book", { id: "1", genre: null, title: "x" }],
  ]);
  const step = change(
    "novel",
    'Renamed: Genre.code "nov" to "novel"',
    'For each Book: `genre = Genre.first(g, g.code == "nov")`',
  );
  await (await open(documentOf(genre("novel, sci") + book, step), path)).close();
  assert.deepEqual(await rowsOf(path, "SELECT genre FROM Book"), [["novel"]]);
});
