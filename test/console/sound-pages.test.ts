/**
 * Pages that the examination of all pages (`npm run examine-pages`) found faults on: none may come
 * back.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { faultsOf, forms } from "../pages/examine.ts";
import { type ConsoleTested, openConsole } from "./open-console.ts";
import { createDesk, type Desk } from "./parcel-desk.ts";

let tested: ConsoleTested;
let desk: Desk;
before(async () => {
  tested = await openConsole("examples/parcel-desk.md", ["--sandbox"]);
  desk = await createDesk(tested);
  await desk.newHook((await desk.request("GET", "/api/receiver")).address);
  for (let count = 0; count < 3; count += 1) await desk.newParcel();
});
after(() => tested?.close());

const [desktop] = forms;

/** Waits for the text, and asserts that the page has no fault. */
async function isSound(path: string, text: string): Promise<void> {
  const { page, close } = await tested.open(path, desktop?.context);
  await page.getByText(text).first().waitFor();
  if (desktop) assert.deepEqual(await faultsOf(page, desktop), [], path);
  await close();
}

test("a list is shown although its address has `wide` without a detail", () =>
  isSound("/data/Shop?wide=true", "Ada & Co"));

test("a wide detail has one page heading, and its links can be seen and hit", async () => {
  const { records } = await desk.request("GET", "/api/records/Shop");
  const { id } = records.find(({ fields }: { fields: { name: string } }) => fields.name === "Try");
  await isSound(`/data/Shop/${id}?wide=true`, "Parcel by shop");
  await isSound(
    "/scenarios/of/a%20parcel%20reaches%20its%20recipient?wide=true",
    "Show request and response",
  );
});

test("a long value of a record has a tooltip", () => isSound("/data/Hook", "whk_"));

test("each due timer has a button with its visible text in its name", () =>
  isSound("/sandbox", "Advance to it"));

test("an address with a receiver's resource alone lists all deliveries", () =>
  isSound("/deliveries?resource=Hook", "parcel.registered"));

test("the coverage of scenarios that were not run is no error", () =>
  isSound("/scenarios/coverage", "No scenario was run yet"));
