/** The events page in a real browser: from a parcel's creation to the webhook about it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "../eventually.ts";
import { axeClean, type ConsoleTested, fits, openConsole, press, testOfOthers } from "./open-console.ts";
import { createDesk, type Desk } from "./parcel-desk.ts";

let tested: ConsoleTested;
let desk: Desk;

before(async () => {
  tested = await openConsole("examples/parcel-desk.md");
  desk = await createDesk(tested);
});
after(() => tested?.close());

test("an event without recipients says why, and one click creates a Hook that receives the next", async () => {
  const parcel = await desk.newParcel();
  const { page, close } = await tested.open("/events");
  await page.locator("tr", { hasText: parcel }).getByRole("link").click();
  await page.getByText("There is no Hook, so events have no receiver.").waitFor();
  await axeClean(page);
  await page.getByRole("button", { name: "Create a Hook for the built-in receiver" }).click();
  await page.waitForURL(/\/data\/Hook\/whk_/);
  const hook = new URL(page.url()).pathname.split("/").at(-1);
  await desk.newParcel();
  await page.goto(`${tested.address}/deliveries?view=receiver`);
  await page.locator("tr", { hasText: "parcel.registered" }).waitFor();
  // The page can't know which of two shops it belongs to.
  await page.getByRole("button", { name: "Create a Hook for the built-in receiver" }).click();
  const dialog = page.getByRole("dialog", { name: "New Hook" });
  await dialog.getByText("without it, no webhook is sent here").waitFor();
  await dialog.getByRole("combobox", { name: "shop" }).and(page.locator(":focus")).waitFor();
  await dialog.getByRole("checkbox", { name: "parcel.returned", checked: true }).waitFor();
  await close();
  await desk.request("DELETE", `/api/records/Hook/${hook}`);
});

test("a parcel is followed from its creation to the webhook about it", async () => {
  const { address } = await desk.request("GET", "/api/receiver");
  await desk.newHook(address);
  const { page, close } = await tested.open("/events");
  await page.getByRole("heading", { name: "Events" }).waitFor();
  const parcel = await desk.newParcel();
  const row = page.locator("tr", { hasText: parcel });
  await row.waitFor();
  await eventually(async () => assert.match((await row.textContent()) ?? "", /just now/));
  await row.getByRole("link").click();
  const detail = page.locator(".detail");
  await detail.getByRole("heading", { name: "parcel.registered" }).waitFor();
  await detail.getByText("POST /v1/parcels").waitFor();
  await detail.getByText("delivered", { exact: true }).waitFor();
  await axeClean(page);
  await fits(page, 360);
  await detail.locator('a[href^="/deliveries/dlv_"]').click();
  await page.locator(".detail").getByText("received").waitFor();
  await page.goto(`${tested.address}/deliveries?view=receiver`);
  const received = page.locator("tr", { hasText: "parcel.registered" }).first();
  await eventually(async () => assert.match((await received.textContent()) ?? "", /valid200/));
  await received.getByRole("link").click();
  await page.locator(".detail").getByText("webhook-signature").waitFor();
  await axeClean(page);
  await fits(page, 360);
  await close();
});

test("a list that is reloaded while the user has scrolled down keeps its position", async () => {
  for (let more = 0; more < 60; more += 1) await desk.newParcel();
  const release = Promise.withResolvers<void>();
  let requested = 0;
  const { page, close } = await tested.open("/events?type=parcel.registered", {
    before: (page) =>
      page.route("**/api/log?*", async (route) => {
        requested += 1;
        // The second request follows the start of the stream.
        if (requested > 1) await release.promise;
        await route.continue();
      }),
  });
  await page.locator("tbody tr").nth(49).waitFor();
  const last = page.locator("tbody tr").last().locator("code");
  const read = await last.innerText();
  await page.locator("tbody tr").last().scrollIntoViewIfNeeded();
  await desk.newParcel();
  const answered = page.waitForResponse(/\/api\/log\?/);
  release.resolve();
  await (await answered).finished();
  await page.getByRole("button", { name: "1 new event" }).waitFor();
  // The page has handled the response by the next frame but one.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))");
  assert.equal(await page.getByRole("button", { name: "1 new event" }).count(), 1);
  assert.equal(await page.locator("tbody tr").count(), 50);
  assert.equal(await last.innerText(), read);
  await close();
});

test("filters are in the address, and new rows don't move the rows that the user reads", async () => {
  for (let more = 0; more < 60; more += 1) await desk.newParcel();
  const { page, close } = await tested.open("/events?type=parcel.registered");
  await page.locator("a.row-link").first().waitFor();
  await eventually(async () => assert.equal(await page.locator("tbody tr").count(), 50));
  await page.locator("tbody tr").last().scrollIntoViewIfNeeded();
  await desk.newParcel();
  await page.getByRole("button", { name: "1 new event" }).waitFor();
  await eventually(async () => assert.equal(await page.locator("tbody tr").count(), 50));
  await page.getByRole("button", { name: "1 new event" }).click();
  await page.locator("tbody tr").nth(50).waitFor();
  const subjects = page.locator("tbody tr code");
  const before = await subjects.allInnerTexts();
  await page.getByRole("link", { name: "Next" }).click();
  await page.waitForURL(/cursor=\d+/);
  await page.getByText("Page 2 ·").waitFor();
  // Until the next page is loaded, the last one stays visible.
  await eventually(async () => {
    const now = await subjects.allInnerTexts();
    assert.ok(now.length > 0 && !now.some((row) => before.includes(row)));
  });
  await press(page, "j", "Enter");
  await page.locator(".detail h2").waitFor();
  await close();
});

test("times are filtered and shown in the chosen time zone", async () => {
  const { page, close } = await tested.open("/events", { timezoneId: "Asia/Kolkata" });
  await page.locator("a.row-link").first().waitFor();
  const time = page.locator("tbody time").first();
  const shown = async (way: string) => {
    await page.getByLabel("Time format").first().selectOption(way);
    return (await time.textContent()) ?? "";
  };
  const utc = Date.parse(`${await shown("utc")}Z`);
  await eventually(async () => assert.equal(Date.parse(`${await shown("local")}Z`) - utc, 5.5 * 3_600_000));
  await page.getByLabel("From").fill("2100-01-01T05:30");
  await page.getByText("No matches for these filters").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("from"), "2100-01-01T00:00:00.000Z");
  await eventually(async () => assert.equal(await page.getByLabel("From").inputValue(), "2100-01-01T05:30"));
  await axeClean(page);
  await fits(page, 360);
  await close();
});

testOfOthers("events", ".table, .empty");
