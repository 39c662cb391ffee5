/**
 * Forms of records in a real browser: values with parts, lists, maps and references have controls,
 * and need no JSON.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { RecordResponse, RecordsResponse } from "../../src/admin/api/records/records.ts";
import { compile } from "../../src/compile.ts";
import { axeClean, type ConsoleTested, fits, lookAt, openConsole, token } from "./open-console.ts";

const document = `# Interface Specification: Shelves

What is kept where. Everything that isn't said here is none.

## What the service does

- Purpose: keeps shelves
- Domain: none
- Behaviour: none

## Resources and their fields

### Shelf

- Identifier: id, made by \`random(8)\`

| Field    | Type                       | Rules                |
| -------- | -------------------------- | -------------------- |
| id       | string                     |                      |
| name     | string                     | required, length 1..40     |
| opened   | date                       |                      |
| size     | Size                       | required             |
| boxes    | list of Box                | items 0..3           |
| labels   | map of string              |                      |
| friends  | list of Shelf              |                      |
| kind     | one of open, closed        | default \`"open"\`     |

### Size

- Identifier: none

| Field | Type    | Rules            |
| ----- | ------- | ---------------- |
| width | integer | required, 1..500 |
| unit  | one of cm, inch | required |

### Box

- Identifier: none

| Field | Type           | Rules    |
| ----- | -------------- | -------- |
| name  | string         | required |
| size  | Size           |          |
| tags  | list of string |          |
`;

const rest = `
## States and transitions

none.

## Endpoints

none.

## Authentication

none.

## Events

none.

## Errors

none.

## Limits

none.

## Versioning

none.
`;

let folder = "";
let shelves: ConsoleTested;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "ninefold-forms-"));
  const file = join(folder, "shelves.md");
  const text = document + rest;
  const errors = compile(text, { file }).diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(errors, []);
  writeFileSync(file, text);
  shelves = await openConsole(file);
});
after(async () => {
  await shelves?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function stored(path: string): Promise<unknown> {
  const answer = await fetch(shelves.address + path, { headers: { Authorization: `Bearer ${token}` } });
  return answer.json();
}

test("a record with values, lists, maps and references is created without JSON, and edited", async () => {
  const { page, close } = await shelves.open("/data/Shelf", { expects: /422/ });
  await page.getByRole("button", { name: "New Shelf" }).click();
  const dialog = page.getByRole("dialog", { name: "New Shelf" });
  await dialog.getByLabel("name required").first().fill("First");
  await dialog.getByLabel("opened").fill("2026-11-28");
  const size = dialog.getByRole("group", { name: "size", exact: true });
  await size.getByText("From 1 to 500.").waitFor();
  await size.getByLabel("width required").fill("9000");
  await size.getByLabel("unit required").selectOption("cm");
  const boxes = dialog.getByRole("group", { name: "boxes", exact: true });
  await boxes.getByRole("button", { name: "Add item" }).click();
  await boxes.getByRole("button", { name: "Add item" }).click();
  await boxes.getByRole("button", { name: "Remove Item 2" }).click();
  const box = boxes.getByRole("group", { name: "boxes[0]", exact: true });
  await box.getByLabel("name required").fill("Box A");
  const inner = box.getByRole("group", { name: "boxes[0].size" });
  await inner.getByLabel("width required").fill("20");
  await inner.getByLabel("unit required").selectOption("inch");
  await box.getByLabel("tags").fill("red\nblue");
  const labels = dialog.getByRole("group", { name: "labels", exact: true });
  await labels.getByRole("button", { name: "Add entry" }).click();
  await labels.getByLabel("Key of entry 1").fill("room");
  await labels.getByLabel("Entry 1", { exact: true }).fill("north");
  await axeClean(page);
  await fits(page, 360);
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText(/width must be at most 500/).waitFor();
  await size.getByLabel("width required").fill("90");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "First" }).waitFor();
  const { records } = (await stored("/api/records/Shelf?whole=true")) as RecordsResponse;
  const [record] = records;
  const id = record?.id ?? "";
  assert.deepEqual(
    { ...record?.fields, id: null },
    {
      id: null,
      name: "First",
      opened: "2026-11-28",
      size: { width: 90, unit: "cm" },
      boxes: [{ name: "Box A", size: { width: 20, unit: "inch" }, tags: ["red", "blue"] }],
      labels: { room: "north" },
      friends: null,
      kind: "open",
    },
  );
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const form = page.getByRole("form", { name: "Edit record" });
  await form
    .getByRole("group", { name: "boxes", exact: true })
    .getByRole("button", { name: "Add item" })
    .click();
  await form.getByRole("group", { name: "boxes[1]", exact: true }).getByLabel("name required").fill("Box B");
  const friends = form.getByRole("group", { name: "friends", exact: true });
  await friends.getByRole("button", { name: "Add item" }).click();
  await friends.getByRole("combobox").click();
  await friends.getByRole("option", { name: /First/ }).click();
  await form.getByRole("button", { name: "Save 2 changes" }).click();
  await form.waitFor({ state: "detached" });
  const now = ((await stored(`/api/records/Shelf/${id}`)) as RecordResponse).record.fields;
  assert.match(JSON.stringify(now["boxes"]), /"name":"Box B"/);
  assert.deepEqual(now["friends"], [id]);
  await close();
});

test("a new record is filled in from a scenario that creates one", async () => {
  const desk = await lookAt("examples/parcel-desk.md");
  const { page, close } = await desk.open("/data/Parcel");
  await page.getByRole("button", { name: "New Parcel" }).click();
  const dialog = page.getByRole("dialog", { name: "New Parcel" });
  await dialog.getByRole("button", { name: "a parcel reaches its recipient" }).click();
  await dialog.getByRole("group", { name: "address" }).getByLabel("city required").waitFor();
  assert.equal(await dialog.getByLabel("city required").inputValue(), "Oslo");
  assert.equal(await dialog.getByLabel("weight_grams required").inputValue(), "1200");
  await close();
});
