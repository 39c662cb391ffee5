/**
 * The deliveries page in a real browser: a failed delivery is sent again, alone and with all that
 * match a filter, and a receiver's state.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "../eventually.ts";
import { axeClean, type ConsoleTested, fits, openConsole, testOfOthers } from "./open-console.ts";
import { createDesk, type Desk } from "./parcel-desk.ts";

let tested: ConsoleTested;
let desk: Desk;

before(async () => {
  tested = await openConsole("examples/parcel-desk.md");
  desk = await createDesk(tested);
  await desk.newHook((await desk.request("GET", "/api/receiver")).address);
});
after(() => tested?.close());

test("a failed delivery is found, and sent again", async () => {
  const { page, close } = await tested.open("/deliveries?view=receiver");
  const reported = page.waitForResponse((answer) => answer.request().method() === "POST");
  await page.getByLabel("Response", { exact: true }).selectOption("fails");
  await reported;
  await desk.newParcel();
  await page.locator("tr", { hasText: "500" }).waitFor();
  await axeClean(page);
  await page.getByLabel("Response", { exact: true }).selectOption("ok");
  await page.getByRole("link", { name: "Deliveries", exact: true }).last().click();
  await page.getByLabel("All, failed or not").selectOption("true");
  await page.locator("tbody a.row-link").first().click();
  const detail = page.locator(".detail");
  await detail.getByText("configured to fail").first().waitFor();
  await detail.getByText("4 headers").click();
  const header = (name: string) => detail.locator("dt", { hasText: name }).locator("xpath=following::dd[1]");
  assert.match(await header("webhook-id").innerText(), /^dlv_/);
  assert.equal(await header("webhook-signature").innerText(), "hidden");
  await axeClean(page);
  await fits(page, 360);
  await detail.getByRole("button", { name: "Resend", exact: true }).click();
  await detail.getByText("delivered", { exact: true }).waitFor();
  await detail.getByRole("button", { name: "Resend", exact: true }).waitFor();
  await close();
});

test("all matches of a filter are counted, and sent again if the count is unchanged", async () => {
  const { page, close } = await tested.open("/deliveries?state=done", { expects: /409/ });
  await page.locator("a.row-link").first().waitFor();
  const { address } = await desk.request("GET", "/api/receiver");
  assert.ok((await page.locator("tbody tr").first().innerText()).includes(address));
  await page.getByRole("button", { name: "Resend these" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^\d+ deliver(y matches|ies match)/).waitFor();
  await axeClean(page);
  const { count } = await desk.request("GET", "/api/deliveries/count?state=done");
  await desk.newParcel();
  while ((await desk.request("GET", "/api/deliveries/count?state=done")).count === count)
    await new Promise((resolve) => setImmediate(resolve));
  await dialog.getByRole("button", { name: "Resend", exact: true }).click();
  await dialog.getByText("Changed meanwhile").waitFor();
  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.getByText(`${count + 1} deliveries match`).waitFor();
  await dialog.getByRole("button", { name: "Resend", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await close();
});

test("a receiver is paused and resumed on the page with its health", async () => {
  const { page, close } = await tested.open("/deliveries?view=receivers");
  const receiver = page.locator(".receivers li").first();
  await receiver.getByText("healthy").waitFor();
  await receiver.locator(".receiver-url").waitFor();
  assert.match(await receiver.locator(".receiver-url").innerText(), /^http/);
  await receiver.getByText(/^\d+ of the last \d+ delivered/).waitFor();
  await receiver.getByRole("button", { name: "Pause" }).click();
  await receiver.getByText("paused").waitFor();
  await axeClean(page);
  await fits(page, 360);
  await receiver.getByRole("button", { name: "Resume" }).click();
  await receiver.getByText("healthy").waitFor();
  await eventually(async () => assert.equal(await receiver.getByText("paused").count(), 0));
  await close();
});

test("the page of a webhook sends a test event, replays a time, disables and enables", async () => {
  await desk.newParcel();
  const { page, close } = await tested.open("/deliveries?view=receivers", { expects: /409/ });
  await page.locator(".receiver-name a").first().click();
  const detail = page.locator(".detail");
  await detail.getByText("Standard Webhooks").waitFor();
  await detail.locator("tbody tr", { hasText: "parcel.registered" }).first().waitFor();
  await detail.getByText(/^[1-9]\d* · \d+ failed · p95 /).waitFor();
  await detail.getByRole("img", { name: /^Attempts by minute/ }).waitFor();
  await detail.getByRole("img", { name: /^p95 by minute/ }).waitFor();
  assert.ok((await detail.locator(".chart rect.accent").count()) > 1);
  await axeClean(page);
  await fits(page, 360);

  await detail.getByRole("button", { name: "Send test event" }).click();
  const test = page.getByRole("dialog", { name: "Send a test event" });
  const before = (await desk.request("GET", "/api/receiver")).received.length;
  await test.getByRole("button", { name: "Send", exact: true }).click();
  await test.getByText("200", { exact: true }).waitFor();
  await axeClean(page);
  const { received } = await desk.request("GET", "/api/receiver");
  assert.deepEqual([received.length, received[0].signature], [before + 1, "fits"]);
  await test.getByLabel("Event").selectOption("parcel.delivered");
  await test.getByRole("button", { name: "Send", exact: true }).click();
  await test.getByText("The log has no parcel.delivered.").waitFor();
  await test.getByRole("button", { name: "Close" }).click();

  await detail.getByRole("button", { name: "Replay" }).click();
  const replay = page.getByRole("dialog", { name: "Replay deliveries" });
  await replay.getByLabel("Deliveries").selectOption({ label: "delivered" });
  await axeClean(page);
  await replay.getByRole("button", { name: /^Replay [1-9]/ }).click();
  await replay.waitFor({ state: "detached" });

  await detail.getByRole("button", { name: "Disable" }).click();
  const disable = page.getByRole("dialog", { name: "Disable this webhook?" });
  await disable.getByRole("button", { name: "Disable" }).click();
  await detail.locator(".detail-head").getByText("disabled").waitFor();
  // The list next to the detail shows the same state.
  await page.locator(".receivers").getByText("disabled").waitFor();
  const count = async () => (await desk.request("GET", "/api/deliveries/count")).count;
  const known = await count();
  await desk.newParcel();
  assert.equal(await count(), known);
  await detail.getByRole("button", { name: "Enable" }).click();
  await detail.locator(".detail-head").getByText("disabled").waitFor({ state: "detached" });
  await desk.newParcel();
  await eventually(async () => assert.equal(await count(), known + 1));
  await close();
});

test("a webhook that was sent nothing yet is listed with its URL", async () => {
  await desk.newHook("https://example.com/new");
  const { page, close } = await tested.open("/deliveries?view=receivers");
  await page.locator(".receivers li", { hasText: "https://example.com/new" }).waitFor();
  await close();
});

testOfOthers("deliveries", ".table, .empty");
