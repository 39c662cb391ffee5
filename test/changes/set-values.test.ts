/**
 * Values that a stored change sets: in records that it creates among others, and in fields that a later change
 * removes.
 */
import assert from "node:assert/strict";
import { documentOf, made, resource } from "./desk.ts";
import { change, changed, refused, rowsOf, type Stored, testOnEach } from "./support.ts";

testOnEach("a list in a created record can't refer to a record that the same step deletes", async () => {
  const before = documentOf(resource("Note", "text | string |") + resource("Board", "note | Note |"));
  const then = documentOf(
    resource("Note", "text | string |") + resource("Board") + made("Pin", "notes | list of Note |"),
    change(
      "pins",
      "For each Board: `create Pin with notes = [old.note]`",
      'For each Note: `delete Note where this == old when old.text == "gone"`',
      "Removed: Board.note",
    ),
  );
  const stored: Stored = [
    ["Note", { id: "n1", text: "a" }],
    ["Note", { id: "n2", text: "gone" }],
    ["Board", { id: "x", note: "n1" }],
    ["Board", { id: "y", note: "n2" }],
  ];
  const { message } = await refused(before, stored, then);
  assert.match(message, /Pin [0-9a-f-]{36}: notes would refer to a Note that doesn't exist \("n2"\)/);
  const { path } = await changed(before, stored.slice(0, 3).toSpliced(1, 1), then);
  assert.deepEqual(await rowsOf(path, "SELECT notes FROM Pin"), [['["n1"]']]);
});

testOnEach("values of created records don't affect the checks of existing ones", async () => {
  const drafts = resource("Draft", "text | string |");
  const before = documentOf(drafts + resource("Note", "kind | one of a, b |"));
  const then = documentOf(
    drafts + resource("Note", "kind | one of a, c |"),
    change("notes", 'For each Draft: `create Note with id = "d" + old.id, kind = "a"`'),
  );
  const stored: Stored = [
    ["Draft", { id: "1", text: "x" }],
    ["Note", { id: "n", kind: "b" }],
  ];
  const { message, path } = await refused(before, stored, then);
  assert.match(message, /Note\.kind must now be one of a, c, and 1 Note has another value: "b" \(n\)/);
  assert.deepEqual(await rowsOf(path, "SELECT id, kind FROM Note"), [["n", "b"]]);
});

testOnEach("numbers that a step assigns are not assigned again, each within its own sequence", async () => {
  const issue =
    "### Issue\n\n- Identifier: repo and number\n\n| Field | Type | Rules |\n|---|---|---|\n| repo | Repo | |\n| number | integer | on create `sequence(this.repo)` |\n\n";
  const before = documentOf(resource("Repo", "old_number | integer |"));
  const then = documentOf(
    resource("Repo") + issue,
    change(
      "issues",
      "For each Repo: `create Issue with repo = old, number = old.old_number`",
      "Removed: Repo.old_number",
    ),
  );
  const { path } = await changed(
    before,
    [
      ["Repo", { id: "a", old_number: 7 }],
      ["Repo", { id: "b", old_number: 2 }],
    ],
    then,
  );
  assert.deepEqual(await rowsOf(path, "SELECT name, within, value FROM ninefold_sequences ORDER BY within"), [
    ["Issue.number", '"a"', 7],
    ["Issue.number", '"b"', 2],
  ]);
});

testOnEach("a field that exists only between two steps keeps its type and its sequence", async () => {
  const before = documentOf(resource("User", "n | integer |"));
  const then = documentOf(
    resource("User", "sum | integer |"),
    change("one", "For each User: `half = old.n * 10; on = old.n > 1`") +
      change(
        "two",
        "For each User: `sum = old.on ? old.half + 1 : old.half - 1`",
        "Removed: User.half, User.on, User.n",
      ),
  );
  const { path } = await changed(
    before,
    [
      ["User", { id: "1", n: 1 }],
      ["User", { id: "2", n: 2 }],
    ],
    then,
  );
  assert.deepEqual(await rowsOf(path, "SELECT id, sum FROM User ORDER BY id"), [
    ["1", 9],
    ["2", 21],
  ]);
});

testOnEach("a step that makes values of a unique field equal is reported by the first records", async () => {
  const desk = (changes = "") => documentOf(resource("Note", "text | string | unique"), changes);
  const stored: Stored = [..."abcdefg"].map((id) => ["Note", { id, text: id }]);
  const then = desk(change("same", 'For each Note: `text = "x" when old.id != "c"`'));
  const { obstacles } = await refused(desk(), stored, then);
  assert.deepEqual(obstacles, [
    'stored change same: Note: text must be unique, and 1 value would repeat in 6 records: "x" (a, b, d, e, f, …)',
  ]);
});

testOnEach("records in which a step doesn't set a field are checked against its new rule", async () => {
  const desk = (rules: string, changes = "") =>
    documentOf(resource("Note", `text | string | ${rules}`), changes);
  const stored: Stored = [
    ["Note", { id: "a", text: "long" }],
    ["Note", { id: "b", text: "longer" }],
  ];
  const some = change("short", 'For each Note: `text = "x" when old.id == "a"`');
  const { obstacles } = await refused(desk(""), stored, desk("length ..3", some));
  assert.deepEqual(obstacles, [
    'Note.text must have at most 3 characters, and 1 Note breaks that: "longer" (b)',
  ]);
  // What a step sets in all records is checked there.
  const all = change("short", 'For each Note: `text = "x"; text = old.text when old.id == "b"`');
  const { obstacles: set } = await refused(desk(""), stored, desk("length ..3", all));
  assert.deepEqual(set, ["stored change short: Note b: text must have at most 3 characters"]);
});
