/**
 * A resource that takes the name of a removed one: references to the removed records don't become
 * references to the new ones.
 */
import assert from "node:assert/strict";
import { documentOf, resource, value } from "./desk.ts";
import { change, changed, refused, reportedAtOpening, rowsOf, type Stored, testOnEach } from "./support.ts";

const person = (field: string): string => resource("Person", `${field} | string |`);
const team = resource("Team", "title | string |");
const note = value("Note", "by | Person |");
const tickets = (rows: readonly string[]): string =>
  resource("Ticket", ...rows) + (rows.some((row) => row.includes("Note")) ? note : "");
const people: Stored = [
  ["Person", { id: "1", name: "Ada" }],
  ["Person", { id: "2", name: "Grace" }],
  ["Team", { id: "1", title: "Red" }],
];
const fields: readonly (readonly [row: string, name: string, value: Stored[number][1][string]])[] = [
  ["owner | Person |", "owner", "1"],
  ["watch | list of Person |", "watch", ["1", "2"]],
  ["by | map of Person |", "by", { k: "2" }],
  ["note | Note |", "note", { by: "1" }],
];

for (const [row, name, kept] of fields)
  testOnEach(`a reference in "${row}" stops the start`, async () => {
    const before = documentOf(person("name") + team + tickets([row]));
    const stored: Stored = [...people, ["Ticket", { id: "t", [name]: kept }]];
    const step = change("c", "Removed: Person", "Renamed: Team to Person");
    const then = documentOf(person("title") + tickets([row]), step);
    const error = await refused(before, stored, then);
    assert.equal(error.obstacles.length, 1);
    assert.match(
      error.obstacles[0] as string,
      new RegExp(
        `^Ticket\\.${name} was a reference to Person \\(removed\\) and is now a reference to Person, and 1 Ticket has a value: .*\\(t\\)$`,
      ),
    );
    assert.deepEqual(error.paste, [
      `### Stored change: ${name}`,
      "",
      `- For each Ticket: \`${name} = VALUE\``,
    ]);
    const pasted = then.replace(/\n$/, `\n${error.paste.join("\n").replace("VALUE", "null")}\n`);
    await reportedAtOpening(pasted, error.path);
    assert.deepEqual(await rowsOf(error.path, `SELECT ${name} FROM Ticket`), [[null]]);
    assert.deepEqual(await rowsOf(error.path, "SELECT title FROM Person"), [["Red"]]);
  });

testOnEach("without values, nothing stops the start", async () => {
  const rows = fields.map(([row]) => row);
  const before = documentOf(person("name") + team + tickets(rows));
  const step = change("c", "Removed: Person", "Renamed: Team to Person");
  const { path } = await changed(
    before,
    [...people, ["Ticket", { id: "t" }]],
    documentOf(person("title") + tickets(rows), step),
  );
  assert.deepEqual(await rowsOf(path, "SELECT owner, watch FROM Ticket"), [[null, null]]);
});

testOnEach("the references of a removed resource can lead to another one", async () => {
  const before = documentOf(person("name") + team + tickets(["watch | list of Person |"]));
  const stored: Stored = [...people, ["Ticket", { id: "t", watch: ["1"] }]];
  const withTeams = team + resource("Ticket", "watch | list of Team |");
  const then = documentOf(withTeams, change("c", "Removed: Person"));
  assert.match(
    (await refused(before, stored, then)).message,
    /Ticket\.watch was a reference to Person \(removed\) and is now a reference to Team/,
  );
});
