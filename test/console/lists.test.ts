/**
 * Lists of records in a real browser: the kept view of each resource, selected rows, CSV, and a
 * record on a whole page.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { axeClean, type ConsoleTested, fits, focused, openConsole, press, token } from "./open-console.ts";

let desk: ConsoleTested;
before(async () => {
  desk = await openConsole("examples/parcel-desk.md");
});
after(() => desk?.close());

test("each resource keeps its columns, filters and order, and its link has them", async () => {
  const { page, context, close } = await desk.open("/data/Parcel");
  await page.getByText("4 of 4").waitFor();
  await page.getByRole("link", { name: "price", exact: true }).click();
  await page.getByText(/Sorted by price, which has no index/).waitFor();
  await page.getByLabel("Field to filter by").selectOption("price");
  await page.getByLabel("Comparison").selectOption(">");
  await page.getByLabel("Value", { exact: true }).fill("600");
  await page.getByLabel("Value", { exact: true }).press("Enter");
  await page.getByText("3 of 3").waitFor();
  await page.getByRole("link", { name: "Shop", exact: true }).click();
  await page.waitForURL(/\/data\/Shop$/);
  assert.match(
    (await page.getByRole("link", { name: "Parcel", exact: true }).getAttribute("href")) ?? "",
    /sort=price/,
  );
  // The resource that was shown last opens first, as the user left it.
  await page.getByRole("link", { name: "Parcel", exact: true }).click();
  await page.getByText("3 of 3").waitFor();
  const another = await context.newPage();
  await another.goto(`${desk.address}/data`);
  await another.waitForURL(/\/data\/Parcel\?filter=price\+%3E\+600&sort=price$/);
  await another.getByText("3 of 3").waitFor();
  // A link with its own filter shows that filter, and doesn't replace the kept view.
  await another.goto(`${desk.address}/data/Parcel?filter=price+%3E+1000`);
  await another.getByText("1 of 1").waitFor();
  await another.goto(`${desk.address}/data/Parcel`);
  await another.waitForURL(/sort=price$/);
  await another.getByRole("link", { name: /^Remove the filter/ }).click();
  await another.getByText("4 of 4").waitFor();
  await another.goto(`${desk.address}/data/Parcel`);
  await another.getByText("4 of 4").waitFor();
  await close();
});

test("rows are selected by pointer and keys, saved as CSV, and changed together", async () => {
  const { page, close } = await desk.open("/data/Parcel");
  await page.getByText("4 of 4").waitFor();
  await page.getByText("4 records", { exact: true }).waitFor();
  await press(page, "j", "x", "j", "x");
  await page.getByText("2 selected").waitFor();
  await axeClean(page);
  await fits(page, 360);
  const saved = async () => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "Parcel.csv");
    return (await readFile(await download.path(), "utf8")).trim().split("\r\n");
  };
  const some = await saved();
  assert.equal(some.length, 3);
  assert.match(some[0] ?? "", /^id,.*address\.line/);
  await page.getByRole("button", { name: "Clear selection" }).click();
  assert.equal((await saved()).length, 5);
  await page.getByLabel("Select all of this page").check();
  await page.getByText("4 selected").waitFor();
  await page.getByLabel("Select all of this page").uncheck();
  await page
    .getByRole("row", { name: /Edsger/ })
    .getByRole("checkbox")
    .check();
  await page.getByRole("button", { name: "Change 1" }).click();
  const dialog = page.getByRole("dialog", { name: "Change 1 record" });
  await dialog.getByText("The selected records.").waitFor();
  await dialog.getByLabel("Action").selectOption({ label: "Delete" });
  await dialog.getByRole("button", { name: "Delete 1" }).click();
  await page.getByText("3 of 3").waitFor();
  assert.equal(await page.getByText("Edsger").count(), 0);
  await close();
});

test("a record has a full page with its transitions, references and history", async () => {
  const { page, close } = await desk.open("/data/Parcel");
  await page.getByRole("row", { name: /Alan/ }).getByRole("link").first().click();
  await page.getByRole("link", { name: "Full page" }).click();
  await page.waitForURL(/wide=true/);
  const detail = page.getByRole("region", { name: "Alan Turing" });
  for (const name of ["Fields", "Transitions", "Refers to", "Referred by", "History"])
    await detail.getByRole("heading", { name, exact: true }).waitFor();
  await detail.getByText("Fire deliver").waitFor();
  assert.equal(await page.getByRole("table", { name: "Records of Parcel" }).isVisible(), false);
  await axeClean(page);
  await fits(page, 360);
  await page.getByRole("link", { name: "Next to the list" }).click();
  await page.getByRole("table", { name: "Records of Parcel" }).waitFor();
  await close();
});

test("the history has the changes by timers, with old and new values", async () => {
  const sandbox = await openConsole("examples/parcel-desk.md", ["--sandbox"]);
  try {
    const moved = await fetch(`${sandbox.address}/api/clock`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ advance: "15 days" }),
    });
    assert.equal(moved.status, 200, await moved.text());
    const { page, close } = await sandbox.open("/data/Parcel?tab=history");
    await page.getByRole("row", { name: /Grace/ }).getByRole("link").first().click();
    const change = page.getByRole("listitem").filter({ hasText: "fired lapse" }).first();
    await change.getByText("time", { exact: true }).waitFor();
    assert.match((await change.textContent()) ?? "", /status "registered" → "returned"/);
    await close();
  } finally {
    await sandbox.close();
  }
});

test("on a phone a card opens its record, and its check box selects it", async () => {
  const { page, close } = await desk.open("/data/Parcel", {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await page.getByText(/\d of \d/).waitFor();
  await page.locator("tbody input[type=checkbox]").first().tap();
  await page.getByText("1 selected").waitFor();
  await axeClean(page);
  await page.locator("tbody a.row-link").first().tap();
  await page.getByRole("tab", { name: "Fields" }).waitFor();
  await axeClean(page);
  await close();
});

test("with more than 1,000 records the list says how to change all, and pages have numbers", async () => {
  const many = await openConsole("examples/parcel-desk.md");
  try {
    const text = Array.from({ length: 1_001 }, (_, at) => JSON.stringify({ name: `Shop ${at}` })).join("\n");
    const made = await fetch(`${many.address}/api/import-files/Shop`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ text, form: "jsonl", mode: "add", events: false, dry: false }),
    });
    assert.equal(made.status, 200, await made.text());
    const { page, close } = await many.open("/data/Shop");
    await page.getByText("To change all, filter to at most 1,000").waitFor();
    await page.getByText(/Page 1 · \d+ of 1,002/).waitFor();
    await page.getByRole("link", { name: "Next", exact: true }).click();
    await page.getByText(/Page 2 · \d+ of 1,002/).waitFor();
    await page.getByRole("link", { name: "Previous", exact: true }).click();
    await page.getByText(/Page 1 · /).waitFor();
    await close();
  } finally {
    await many.close();
  }
});

test("three steps of Tab lead to the rows", async () => {
  const { page, close } = await desk.open("/data/Parcel");
  await page.getByText(/\d of \d/).waitFor();
  await press(page, "Tab", "Tab");
  assert.match(await focused(page), /^button: Skip to the rows/);
  await press(page, "Enter");
  assert.match(await focused(page), /^a: pcl_/);
  await close();
});
