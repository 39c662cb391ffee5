/**
 * The states page in a real browser: live counts and flow, the conditions of a transition, and
 * refused callers.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "../eventually.ts";
import {
  axeClean,
  type ConsoleTested,
  fits,
  openConsole,
  press,
  testOfOthers,
  lookAt,
} from "./open-console.ts";
import { createDesk, type Desk } from "./parcel-desk.ts";

let tested: ConsoleTested;
let desk: Desk;

before(async () => {
  tested = await openConsole("examples/parcel-desk.md");
  desk = await createDesk(tested);
});
after(() => tested?.close());

test("counts follow changes, and a transition lists its rejected callers", async () => {
  const { page, close } = await tested.open("/states");
  const state = (name: string) =>
    page.locator(".diagram .box", { has: page.getByText(name, { exact: true }) });
  const countOf = async (name: string) => Number(await state(name).locator(".count").textContent());
  await page.locator(".diagram .count", { hasText: /^\d+$/ }).first().waitFor();
  const counted = await countOf("in_transit");
  const parcel = await desk.newParcel();
  await desk.collect(parcel);
  await state("in_transit")
    .locator(".count", { hasText: new RegExp(`^${counted + 1}$`) })
    .waitFor();
  await eventually(async () =>
    assert.match((await page.locator(".diagram .label", { hasText: "collect" }).textContent()) ?? "", /● 1$/),
  );
  await desk.collect(parcel);
  await page.getByRole("link", { name: /^collect ● 1: fired/ }).click();
  const detail = page.locator(".detail");
  await detail.getByText(`POST /v1/parcels/${parcel}/collect`).waitFor();
  const words = (await detail.textContent()) ?? "";
  for (const part of ["collected_at = now", '"courier" in caller.scopes', "409"])
    assert.ok(words.includes(part), `${part} in ${words}`);
  assert.match(page.url(), /\/states\/Parcel\?transition=collect$/);
  await axeClean(page);
  await press(page, "Escape");
  await detail.waitFor({ state: "detached" });
  await fits(page, 360);
  // As cards, cells with a value have a label.
  await page.setViewportSize({ width: 360, height: 740 });
  const inTransit = page.getByRole("table").last().locator("tr", { hasText: "in_transit" });
  await eventually(async () => assert.deepEqual(await inTransit.locator("td:visible").count(), 2));
  await close();
});

test("the diagram is the same each time, and its links are reachable by keyboard", async () => {
  const { page, close } = await tested.open("/states/Parcel");
  const picture = () =>
    page.locator(".diagram svg").evaluate((svg: { innerHTML: string }) => {
      return svg.innerHTML.replace(/<(text|tspan|title)[^>]*>[^<]*/g, "").replace(/aria-label="[^"]*"/g, "");
    });
  await page.waitForSelector(".diagram svg");
  const first = await picture();
  await page.reload();
  await page.waitForSelector(".diagram svg");
  assert.equal(await picture(), first);
  const link = page.locator('.diagram a[href*="filter=status"]').first();
  await link.focus();
  await press(page, "Enter");
  await page.waitForURL(/\/data\/Parcel\?filter=status\+%3D\+/);
  await close();
});

test("a long path and a long guard are shown completely", async () => {
  const { page, close } = await (await lookAt("examples/twins/stripe.md")).open("/states/PaymentIntent", {
    viewport: { width: 1440, height: 900 },
  });
  await page.locator("td").first().waitFor();
  const cut = await page.evaluate(
    `[...document.querySelectorAll("main td")].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)`,
  );
  assert.deepEqual(cut, []);
  const destinations = await page.getByRole("row", { name: /^confirm/ }).allInnerTexts();
  assert.ok(destinations.length >= 4, destinations.join("\n"));
  await close();
});

testOfOthers("states", ".diagram svg, .empty, .machine table");
