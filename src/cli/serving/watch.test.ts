/** Reload with `--watch` and SIGHUP: tests. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../testing/run-command.ts";
import { addressOf, served, type Watched } from "../testing/served-command.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("watch");

/** A notes document with these field rows, whose `GET /` returns `answer`. */
function notes(name: string, answer: string, ...rows: readonly string[]): string {
  return changedNotes(name, `"${answer}"`, "", ...rows);
}

/** The same with stored changes, and an expression as the response. */
function changedNotes(name: string, answer: string, changes: string, ...rows: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    `# Interface Specification: Notes

## What the service does

## Resources and their fields

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
${rows.map((row) => `${row}\n`).join("")}
## States and transitions

## Endpoints

### GET /

- Does: answer
- Returns: 200 \`${answer}\`

## Authentication

- Scheme: none

## Events

## Errors

## Limits

## Versioning

${changes}
`,
  );
  return path;
}

const text = "| text | string | |";
const tag = "| tag | string | |";

async function answerOf(origin: string): Promise<string> {
  return (await fetch(origin)).json() as Promise<string>;
}

/** Waits for a second greeting, of a restarted service. */
const again = (service: Watched) => service.until(/Try:[\s\S]*Try:/);

test("--watch keeps serving the former document if the new one would lose data, and reports what to write", async () => {
  const file = notes("loses.md", "first", text, tag);
  assert.equal((await runCommand("data", "add", file, "Note", 'text = "a", tag = "t"')).code, 0);
  const service = served([file, "--watch"]);
  try {
    const origin = await addressOf(service);
    notes("loses.md", "second", text);
    await service.until(
      /Would be lost:\n {2}- Note\.tag: its value in 1 Note: "t" \(1\)\n[\s\S]*--accept-data-loss[\s\S]*\nThe previous loses\.md is still served\.\n/,
    );
    assert.equal(await answerOf(origin), "first");
    // The kept records are served again once the document fits them.
    notes("loses.md", "third", text, tag);
    await again(service);
    assert.equal(await answerOf(origin), "third");
    // The comparison for callers is printed after the new document is served.
    await service.until(
      /^loses\.md: \d careful changes? for callers, the first: `GET \/ .*`ninefold check loses\.md --from OLD` lists them; OLD is the previous document .*, or a copy of the store from before/m,
    );
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("--accept-data-loss with --watch applies to each saved document, with a copy each time", async () => {
  const file = notes("accepts.md", "first", text, tag);
  assert.equal((await runCommand("data", "add", file, "Note", 'text = "a", tag = "t"')).code, 0);
  const service = served([file, "--watch", "--accept-data-loss"]);
  try {
    const origin = await addressOf(service);
    notes("accepts.md", "second", text);
    await again(service);
    // The order of output between the two streams of a process is undefined.
    await service.until(
      /no longer describes\n {2}- Note\.tag: its value in 1 Note: "t" \(1\)\nThis data was deleted\./,
    );
    assert.equal(await answerOf(origin), "second");
    assert.equal(
      readdirSync(folder).filter((candidate) => candidate.startsWith("accepts.ninefold.db.before-")).length,
      1,
    );
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("an error that only a start finds keeps the former document served", async () => {
  const file = notes("seeded.md", "first", text);
  const seed = join(folder, "seed.md");
  writeFileSync(seed, '- Given: `Note with text = "a"`\n- Given: `Note with text = "a"`\n');
  const service = served([file, "--watch", "--store", ":memory:", "--seed", seed]);
  try {
    const origin = await addressOf(service);
    notes("seeded.md", "second", "| text | string | unique |");
    await service.until(/text is already taken[\s\S]*The previous seeded\.md is still served\.\n/);
    assert.equal(await answerOf(origin), "first");
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("a store in memory is carried over to a changed document, as part 9 says; if that fails, the reason is printed and it is seeded anew", async () => {
  const file = changedNotes("memory.md", "Note.map(n, n.text)", "", text);
  const seed = join(folder, "memory-seed.md");
  writeFileSync(seed, '- Given: `Note with text = "a"`\n');
  const service = served([file, "--watch", "--store", ":memory:", "--seed", seed]);
  try {
    const origin = await addressOf(service);
    assert.deepEqual(await answerOf(origin), ["a"]);
    writeFileSync(seed, '- Given: `Note with text = "b"`\n');
    const renamed = "### Stored change: words\n\n- Renamed: Note.text to Note.words";
    changedNotes("memory.md", "Note.map(n, n.words)", renamed, "| words | string | required |");
    await service.until(/The previous memory\.md is still served/);
    writeFileSync(seed, '- Given: `Note with words = "b"`\n');
    changedNotes("memory.md", "Note.map(n, n.words)", `${renamed}\n`, "| words | string | required |");
    await service.until(
      /memory\.md has changed\.[\s\S]*with what was in memory before the change\n[\s\S]*Try:/,
    );
    await service.until(/A stored change was applied: words\.\n/);
    assert.deepEqual(await answerOf(origin), ["a"]);
    changedNotes("memory.md", "Note.map(n, n.words)", renamed, "| words | integer | required |");
    writeFileSync(seed, "- Given: `Note with words = 3`\n");
    await service.until(
      /empty, for what was in memory before the change doesn't fit:\n {4}Note\.words was string and is now integer, and 1 Note has a value: "a" \(1\)[\s\S]*seeded with 1 record\n[\s\S]*Try:/,
    );
    assert.deepEqual(await answerOf(origin), [3]);
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("a document saved during the first read is served, too", async () => {
  const file = notes("early.md", "first", text);
  const words = readFileSync(file, "utf8");
  writeFileSync(
    file,
    words.replace("## Authentication", "### GET /route\n\n- Does: handler route\n\n## Authentication"),
  );
  // The module is loaded between the reading of the document and the start of the service.
  writeFileSync(
    join(folder, "early.ts"),
    `import { readFileSync, writeFileSync } from "node:fs";
const file = new URL("early.md", import.meta.url);
const text = readFileSync(file, "utf8");
if (text.includes("first")) writeFileSync(file, text.replace("first", "second"));
export const route = () => "";
`,
  );
  const service = served([file, "--watch"]);
  try {
    await again(service);
    assert.equal(await answerOf(await addressOf(service)), "second");
  } finally {
    service.child.kill("SIGKILL");
  }
});
