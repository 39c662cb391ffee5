/** Indexes after a migration equal those of a new store. */
import assert from "node:assert/strict";
import { documentOf, open, resource } from "./desk.ts";
import { kept, newPath, rowsOf, type Stored, testOnEach, reportedAtOpening } from "./support.ts";

function indexesOf(path: string): Promise<readonly (readonly unknown[])[]> {
  return rowsOf(
    path,
    path.startsWith("postgres")
      ? "SELECT indexname, regexp_replace(indexdef, ' ON [^.]+[.]', ' ON ') FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1"
      : "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY 1",
  );
}

const user = (...rows: readonly string[]) => resource("User", "name | string |", ...rows);
const note = (...rows: readonly string[]) => resource("Note", "text | string |", "owner | User |", ...rows);
const stored: Stored = [
  ["User", { id: "u", name: "Ada" }],
  ["Note", { id: "n", text: "a", owner: "u" }],
];

testOnEach("indexes are created and dropped with their queries, and unchanged ones stay", async () => {
  const counted = "notes | integer | = `Note.count(n, n.text == this.name)`";
  const [plain, looking, more] = [
    user() + note(),
    user(counted) + note(),
    user() + note("rank | integer |"),
  ].map((resources) => documentOf(resources)) as [string, string, string];
  const path = await kept(plain, stored);
  for (const document of [
    looking,
    more,
    looking,
    plain.replace("| text | string | |", "| text | string | unique |"),
  ]) {
    const fresh = await newPath();
    await (await open(document, fresh)).close();
    await reportedAtOpening(document, path);
    assert.deepEqual(await indexesOf(path), await indexesOf(fresh));
  }
  assert.deepEqual(await rowsOf(path, "SELECT text, owner FROM Note"), [["a", "u"]]);
});
