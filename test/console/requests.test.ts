/** The page Requests: live, with the line that decided, in a real browser; what can be made of a request; by keyboard, on a phone, in both themes. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axeClean, type ConsoleTested, fits, openConsole, press, shownDocuments } from "./open-console.ts";

let desk: ConsoleTested;
before(async () => {
  desk = await openConsole("examples/parcel-desk.md");
});
after(() => desk.close());

const key = { Authorization: "Bearer sk_ada_4f1c09", "Parcel-Version": "2026-11-01" };
const courier = { Authorization: "Bearer sk_courier_77b2e1", "Parcel-Version": "2026-11-01" };
const json = { "Content-Type": "application/json" };

const ask = (method: string, path: string, headers: Record<string, string> = key, body?: unknown) =>
  fetch(desk.service + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : json) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const parcel = {
  recipient: "Grace",
  address: { line: "1 Harbour St", city: "Oslo", country: "NO" },
  weight_grams: 1200,
};

test("requests come as they are answered, and one tells why it was refused", async () => {
  const { page, close } = await desk.open("/requests", { expects: /Failed to load resource/ });
  await page.getByText("No requests yet").waitFor({ timeout: 10_000 });
  const made = (await (await ask("POST", "/parcels", key, parcel)).json()) as { id: string };
  await page.getByRole("link", { name: /POST.*\/v1\/parcels/ }).waitFor({ timeout: 10_000 });
  await ask("POST", `/parcels/${made.id}/deliver`, courier, { signed_by: "G" });
  await page.getByRole("link", { name: /deliver/ }).click({ timeout: 10_000 });
  const detail = page.locator(".detail");
  await detail.getByText("| deliver | in_transit | delivered |").waitFor({ timeout: 10_000 });
  assert.equal(await detail.getByText("illegal transition (wrong_state)").count(), 1);
  assert.equal(await detail.getByText("sk_courier_77b2e1").count(), 0);
  await axeClean(page);
  // Back to the list by a key, and on to the one that changed something.
  await press(page, "Escape");
  await page.locator(".detail").waitFor({ state: "detached" });
  await page.getByRole("link", { name: /POST.*\/v1\/parcels$/ }).click();
  const changed = page.locator(".detail").getByRole("link", { name: `Parcel ${made.id}` });
  assert.match((await changed.getAttribute("href")) ?? "", new RegExp(`^/data/Parcel/${made.id}$`));
  await fits(page, 360);
  await close();
});

test("while it is paused what comes is counted, and shown when it goes on", async () => {
  const { page, close } = await desk.open("/requests");
  await page.getByRole("table").waitFor({ timeout: 10_000 });
  const rows = await page.getByRole("row").count();
  await press(page, "p");
  for (let count = 0; count < 3; count += 1) await ask("GET", `/parcels?limit=${count + 1}`);
  await page.getByRole("button", { name: /Go on.*3 new/ }).waitFor({ timeout: 10_000 });
  assert.equal(await page.getByRole("row").count(), rows);
  await page.getByRole("button", { name: /Go on/ }).click();
  await page.getByRole("link", { name: /limit=3/ }).waitFor({ timeout: 10_000 });
  assert.equal(await page.getByRole("row").count(), rows + 3);
  await close();
});

test("filters stand in the address, and hold for what comes live", async () => {
  const { page, close } = await desk.open("/requests?status=404&text=nowhere");
  await ask("GET", "/nowhere/at/all");
  await ask("GET", "/parcels");
  await ask("GET", "/nowhere/again");
  await page.getByRole("link", { name: /again/ }).waitFor({ timeout: 10_000 });
  assert.equal(await page.getByRole("row").count(), 3);
  await page.getByRole("link", { name: "Clear filters" }).click();
  await page
    .getByRole("link", { name: /GET.*\/v1\/parcels$/ })
    .first()
    .waitFor({ timeout: 10_000 });
  await close();
});

test("a request is repeated, copied as curl, and kept as a scenario", async () => {
  await ask("POST", "/parcels", key, { ...parcel, reference: "kept-1" });
  const { page, context, close } = await desk.open("/requests", { expects: /Failed to load resource/ });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: desk.address });
  await page.getByRole("link", { name: /POST/ }).first().click();
  const detail = page.locator(".detail");
  await detail.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor({ state: "attached" });
  const curl = (await page.evaluate("navigator.clipboard.readText()")) as string;
  assert.match(curl, /\$CREDENTIAL/);
  assert.doesNotMatch(curl, /sk_ada/);
  await detail.getByRole("button", { name: "Keep as scenario" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/### Scenario: POST \/parcels is answered with 201/).waitFor({ timeout: 10_000 });
  await axeClean(page);
  await press(page, "Escape");
  await detail.getByRole("button", { name: "Repeat" }).click();
  // The reference is taken by now: the new request is shown, with why.
  await detail.getByText("- Unique: shop, reference").waitFor({ timeout: 10_000 });
  await close();
});

for (const document of shownDocuments.slice(1))
  test(`it is shown with ${document}`, async () => {
    const other = await openConsole(document);
    try {
      await fetch(`${other.service}/nothing-there`);
      const { page, close } = await other.open("/requests");
      await page.getByRole("link", { name: /nothing-there/ }).click();
      await page.locator(".detail").getByText("Decided by").waitFor({ timeout: 10_000 });
      await axeClean(page);
      await fits(page, 360);
      await close();
    } finally {
      await other.close();
    }
  });
