import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runCommand } from "../testing/run-command.ts";
import { addressOf, served, type Watched } from "../testing/served.ts";

const folder = mkdtempSync(join(tmpdir(), "ninefold-watch-"));
after(() => rmSync(folder, { recursive: true }));

/** Notes with these rows of fields, and what `GET /` answers. */
function notes(name: string, answer: string, ...rows: readonly string[]): string {
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
- Returns: 200 \`"${answer}"\`

## Authentication

- Scheme: none

## Events

## Errors

## Limits

## Versioning
`,
  );
  return path;
}

const text = "| text | string | |";
const tag = "| tag | string | |";

async function answerOf(origin: string): Promise<string> {
  return (await fetch(origin)).json() as Promise<string>;
}

/** Until a second greeting, for a service that was started anew. */
const again = (service: Watched) => service.until(/Try:[\s\S]*Try:/);

test("--watch goes on with the former document where the new one would lose data, and says what would do", async () => {
  const file = notes("loses.md", "first", text, tag);
  assert.equal((await runCommand("data", "add", file, "Note", 'text = "a", tag = "t"')).code, 0);
  const service = served([file, "--watch"]);
  try {
    const origin = await addressOf(service);
    notes("loses.md", "second", text);
    await service.until(
      /Would be lost:\n {2}- Note\.tag: its value in 1 Note\n[\s\S]*--accept-data-loss[\s\S]*\nloses\.md goes on as it was\.\n/,
    );
    assert.equal(await answerOf(origin), "first");
    // What was kept is still served once it can be.
    notes("loses.md", "third", text, tag);
    await again(service);
    assert.equal(await answerOf(origin), "third");
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("--accept-data-loss beside --watch holds for what is saved later, with a copy each time", async () => {
  const file = notes("accepts.md", "first", text, tag);
  assert.equal((await runCommand("data", "add", file, "Note", 'text = "a", tag = "t"')).code, 0);
  const service = served([file, "--watch", "--accept-data-loss"]);
  try {
    const origin = await addressOf(service);
    notes("accepts.md", "second", text);
    await again(service);
    assert.match(service.told(), /no place any more for\n {2}- Note\.tag: its value in 1 Note\nIt goes\./);
    assert.equal(await answerOf(origin), "second");
    assert.equal(
      readdirSync(folder).filter((one) => one.startsWith("accepts.ninefold.db.before-")).length,
      1,
    );
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("what is found out only by starting leaves the former document served too", async () => {
  const file = notes("seeded.md", "first", text);
  const seed = join(folder, "seed.md");
  writeFileSync(seed, '- Given: `Note with text = "a"`\n- Given: `Note with text = "a"`\n');
  const service = served([file, "--watch", "--store", ":memory:", "--seed", seed]);
  try {
    const origin = await addressOf(service);
    notes("seeded.md", "second", "| text | string | unique |");
    await service.until(/text is already taken[\s\S]*seeded\.md goes on as it was\.\n/);
    assert.equal(await answerOf(origin), "first");
  } finally {
    service.child.kill("SIGKILL");
  }
});
