/**
 * Snapshot reads: a stored change reads the store as it was before, independently of its own
 * inserts, updates and deletes.
 */
import assert from "node:assert/strict";
import { documentOf, resource } from "./desk.ts";
import { change, changed, lastRowOf, rowsOf, type Stored, testOnEach } from "./support.ts";

testOnEach("queries see deleted records, and no created ones", async () => {
  const user = (...rows: readonly string[]) => resource("User", "name | string |", ...rows);
  const note = resource("Note", "text | string | unique", "age | integer |");
  const before = documentOf(note + user());
  const then = documentOf(
    note + user("notes | integer |", "old_notes | integer |"),
    change(
      "notes",
      "For each Note: `delete Note where this == old when old.age > 1`",
      "For each Note: `age = old.age + 10`",
      "For each User: `notes = Note.count(n, true); old_notes = Note.count(n, n.age > 1)`",
      'For each User: `create Note with id = "of " + old.id, text = old.name, age = 5`',
    ),
  );
  const stored: Stored = [
    ["Note", { id: "n1", text: "a", age: 1 }],
    ["Note", { id: "n2", text: "Ada", age: 2 }],
    ["Note", { id: "n3", text: "c", age: 3 }],
    ["User", { id: "u1", name: "Ada" }],
    ["User", { id: "u2", name: "Grace" }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, `SELECT id, notes, old_notes, "#revision" FROM User ORDER BY id`), [
    ["u1", 3, 2, 2],
    ["u2", 3, 2, 2],
  ]);
  // The text of a deleted record may be used again, and its row number may not.
  assert.deepEqual(await rowsOf(path, `SELECT id, text, age, "#row", "#revision" FROM Note ORDER BY id`), [
    ["n1", "a", 11, 1, 2],
    ["of u1", "Ada", 5, 4, 1],
    ["of u2", "Grace", 5, 5, 1],
  ]);
  assert.equal(await lastRowOf(path, "Note"), 5);
});

testOnEach("a table to which a step only adds keeps its records and their revisions", async () => {
  const tag = resource("Tag", "text | string | unique");
  const before = documentOf(tag + resource("Note", "tag | string |"));
  const then = documentOf(
    tag + resource("Note", "tag | Tag |"),
    change("tags", "For each Note: `upsert Tag with id = old.tag, text = old.tag as t; tag = t`"),
  );
  const stored: Stored = [
    ["Tag", { id: "a", text: "a" }],
    ["Note", { id: "n1", tag: "a" }],
    ["Note", { id: "n2", tag: "b" }],
    ["Note", { id: "n3", tag: "b" }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, `SELECT id, "#row", "#revision" FROM Tag ORDER BY id`), [
    ["a", 1, 1],
    ["b", 2, 1],
  ]);
  assert.deepEqual(await rowsOf(path, "SELECT id, tag FROM Note ORDER BY id"), [
    ["n1", "a"],
    ["n2", "b"],
    ["n3", "b"],
  ]);
  assert.deepEqual(await rowsOf(path, "SELECT name, records FROM ninefold_changes"), [["tags", 4]]);
});
