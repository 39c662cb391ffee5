/**
 * The records pages in a real browser: find, read and change records by keyboard alone, and never
 * overwrite another user's change.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import type { RecordsResponse } from "../../src/admin/api/records/records.ts";
import {
  axeClean,
  type ConsoleTested,
  fits,
  focused,
  lookAt,
  openConsole,
  press,
  shownDocuments,
  token,
} from "./open-console.ts";

let desk: ConsoleTested;
before(async () => {
  desk = await openConsole("examples/parcel-desk.md");
});
after(() => desk?.close());

async function api(method: string, path: string, body?: unknown) {
  const answered = await fetch(desk.address + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json: unknown = await answered.json();
  assert.equal(answered.status, 200, JSON.stringify(json));
  return json;
}

/** The parcel of this recipient. */
async function parcelOf(recipient: string) {
  const filter = encodeURIComponent(`recipient = ${recipient}`);
  const { records } = (await api("GET", `/api/records/Parcel?filter=${filter}`)) as RecordsResponse;
  return records[0] as RecordsResponse["records"][number];
}

const rowNames = (page: Page) => page.locator("tbody a.row-link").allTextContents();

/** Presses Tab until the focused element has this name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let steps = 0; steps < 80; steps += 1) {
    if (name.test(await focused(page))) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${name} is not reached by Tab`);
}

test("a file has a dry run that reports mistakes by line, and is imported if it has none", async () => {
  const { page, close } = await desk.open("/data/Shop");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Import records of Shop" });
  const choose = (name: string, text: string) =>
    dialog.getByLabel("File").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await choose("shops.jsonl", '{"name": "Imported One"}\n{"nam": "Two"}\n');
  await dialog.getByText("1 line refused").waitFor();
  await dialog.getByText(/^Line 2: nam /).waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Import", exact: true }).isDisabled());
  await axeClean(page);
  await choose("shops.csv", "name\nImported One\nImported Two\n");
  await dialog.getByText("2 to create, 0 to update").waitFor();
  const before = ((await api("GET", "/api/counts/Shop")) as { count: number }).count;
  await dialog.getByRole("button", { name: "Import 2 records" }).click();
  await page.getByText("Imported Two").first().waitFor();
  assert.equal(((await api("GET", "/api/counts/Shop")) as { count: number }).count, before + 2);
  // The other tests expect the records of the seed.
  const { records } = (await api("GET", "/api/records/Shop")) as RecordsResponse;
  for (const { id, revision } of records.slice(0, 2))
    await api("DELETE", `/api/records/Shop/${id}?revision=${revision}`);
  await close();
});

test("a list is filtered, put in order and shared by its address", async () => {
  const { page, close } = await desk.open("/data");
  await page.waitForURL(/\/data\/Shop$/);
  await page.getByRole("link", { name: "Parcel", exact: true }).click();
  await page.getByRole("table", { name: "Records of Parcel" }).waitFor();
  await page.getByText("4 of 4").waitFor();
  await page.getByLabel("Field to filter by").selectOption("price");
  await page.getByLabel("Comparison").selectOption(">");
  await page.getByLabel("Value", { exact: true }).fill("600");
  await page.getByLabel("Value", { exact: true }).press("Enter");
  await page.getByText("3 of 3").waitFor();
  await page.getByRole("link", { name: "price", exact: true }).click();
  await page.waitForURL(/sort=price/);
  await page.locator('th[aria-sort="ascending"]').waitFor();
  const other = await desk.open(new URL(page.url()).pathname + new URL(page.url()).search);
  await other.page.getByText("3 of 3").waitFor();
  await eventually(async () => assert.deepEqual(await rowNames(other.page), await rowNames(page)));
  await eventually(async () =>
    assert.deepEqual(await other.page.locator("tbody td:nth-child(7)").allTextContents(), [
      "625",
      "670",
      "1165",
    ]),
  );
  await other.close();
  await page.getByRole("link", { name: /^Remove the filter price > 600/ }).click();
  await page.getByText("4 of 4").waitFor();
  await close();
});

test("a search matches the start of an identifier, or else any visible text", async () => {
  const { id } = await parcelOf("Grace Hopper");
  const { page, close } = await desk.open("/data/Parcel");
  await page.getByRole("table").waitFor();
  await press(page, "f");
  await page.keyboard.type(id.slice(0, 12));
  await press(page, "Enter");
  await page.getByText("Searched id.").waitFor();
  await eventually(async () => assert.deepEqual(await rowNames(page), [id]));
  await page.getByRole("searchbox").fill("hopper");
  await page.getByRole("searchbox").press("Enter");
  await page.getByText("No index applies").waitFor();
  await eventually(async () => assert.deepEqual(await rowNames(page), [id]));
  await close();
});

test("a record is read and changed by keyboard alone, with errors at the field", async () => {
  const { id } = await parcelOf("Edsger Dijkstra");
  const { page, close } = await desk.open("/data/Parcel", { expects: /422/ });
  await page.getByRole("table").waitFor();
  await press(page, "j", "Enter");
  await page.waitForURL(new RegExp(`/data/Parcel/${id}`));
  await page.getByRole("heading", { name: "Edsger Dijkstra" }).waitFor();
  await press(page, "e");
  await page.getByRole("form", { name: "Edit record" }).waitFor();
  await page.getByLabel("weight_grams").focus();
  await press(page, "Control+a");
  await page.keyboard.type("0");
  await press(page, "Enter");
  await page.getByText("must be at least 1").waitFor();
  await eventually(async () =>
    assert.match(await focused(page), /^input/, "the field that is wrong has the focus"),
  );
  await eventually(async () =>
    assert.equal(await page.getByLabel("weight_grams").getAttribute("aria-invalid"), "true"),
  );
  await press(page, "Control+a");
  await page.keyboard.type("450");
  await press(page, "Enter");
  await page.getByRole("form", { name: "Edit record" }).waitFor({ state: "detached" });
  await page.locator(".detail").getByText("rev 2").waitFor();
  assert.equal((await parcelOf("Edsger Dijkstra")).fields["weight_grams"], 450);
  await close();
});

test("a conflict shows both values, and overwrites nothing without confirmation", async () => {
  const parcel = await parcelOf("Katherine Johnson");
  const path = `/api/records/Parcel/${parcel.id}`;
  const { page, close } = await desk.open(`/data/Parcel/${parcel.id}`, { expects: /409/ });
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("reference").fill("Mine");
  await api("PATCH", path, { revision: parcel.revision, fields: { reference: "Theirs" } });
  await page.getByText("changed meanwhile").waitFor();
  await page.getByRole("button", { name: "Save 1 change" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit conflict" });
  await dialog.waitFor();
  await eventually(async () =>
    assert.deepEqual(await dialog.locator("tbody td").allTextContents(), ["A-1003", "Theirs", "Mine"]),
  );
  assert.equal((await parcelOf("Katherine Johnson")).fields["reference"], "Theirs");
  await axeClean(page);
  await dialog.getByRole("button", { name: "Overwrite with mine" }).click();
  await page.getByRole("form", { name: "Edit record" }).waitFor({ state: "detached" });
  assert.equal((await parcelOf("Katherine Johnson")).fields["reference"], "Mine");
  await close();
});

test("changes before the stream started are shown, and a user who edits is warned", async () => {
  const parcel = await parcelOf("Katherine Johnson");
  const path = `/api/records/Parcel/${parcel.id}`;
  const begins = Promise.withResolvers<void>();
  const before = (page: Page) =>
    page.route("**/api/stream?*", async (route) => {
      await begins.promise;
      await route.continue().catch(() => {});
    });
  const list = await desk.open("/data/Parcel", { before });
  const editing = await desk.open(`/data/Parcel/${parcel.id}`, { before });
  await list.page.getByRole("cell", { name: "A-1002" }).waitFor();
  await editing.page.getByRole("button", { name: "Edit" }).click();
  await editing.page.getByLabel("reference").fill("Mine");
  await api("PATCH", path, { revision: parcel.revision, fields: { reference: "Unseen" } });
  begins.resolve();
  await editing.page.getByText("changed meanwhile").waitFor();
  assert.equal(await editing.page.getByLabel("reference").inputValue(), "Mine");
  await list.page.getByRole("cell", { name: "Unseen" }).waitFor();
  await Promise.all([list.close(), editing.close()]);
});

test("a record is created, changed and deleted, and other viewers see the changes", async () => {
  const watching = await desk.open("/data/Parcel");
  await watching.page.getByText("4 of 4").waitFor();
  const { page, close } = await desk.open("/data/Parcel", { expects: /422/ });
  await page.getByRole("table").waitFor();
  await press(page, "n");
  const dialog = page.getByRole("dialog", { name: "New Parcel" });
  await page.setViewportSize({ width: 1280, height: 600 });
  const create = await dialog.getByRole("button", { name: "Create" }).boundingBox();
  assert.ok(create && create.y + create.height <= 600, "the buttons of a long dialog stay visible");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("is required").first().waitFor();
  await eventually(async () => assert.equal(await dialog.getByText("is required").count(), 3));
  await dialog.getByLabel("recipient").fill("Barbara Liskov");
  const address = dialog.getByRole("group", { name: "address" });
  await address.getByLabel("line").fill("1 Main St");
  await address.getByLabel("city").fill("Boston");
  await dialog.getByLabel("weight_grams").fill("100");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("country is required").waitFor();
  await address.getByLabel("country").fill("US");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Barbara Liskov" }).waitFor();
  await watching.page.getByRole("button", { name: "Refresh" }).waitFor();
  await eventually(async () =>
    assert.equal((await rowNames(watching.page)).length, 4, "rows stay where they are"),
  );
  await watching.page.getByRole("button", { name: "Refresh" }).click();
  await watching.page.getByText("5 of 5").waitFor();

  await page.getByRole("tab", { name: /^Transitions/ }).click();
  await page.getByText("It is registered; the transition is possible while it is in_transit.").waitFor();
  await page.getByRole("button", { name: "Fire collect" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Fire collect" }).click();
  await page.locator(".detail-head .chip", { hasText: "in_transit" }).waitFor();
  await watching.page.locator("tr.is-changed").waitFor();
  await page.getByRole("button", { name: "Fire deliver" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Fire deliver" }).click();
  await page.getByRole("dialog").getByText("is required").waitFor();
  await page.getByLabel("signed_by").fill("B. Liskov");
  await press(page, "Enter");
  await page.locator(".detail-head .chip", { hasText: "delivered" }).waitFor();
  await page.getByRole("tab", { name: "History" }).click();
  await page.getByRole("link", { name: "parcel.delivered" }).waitFor();
  const changes = await page.locator(".history").first().locator("li").allTextContents();
  assert.match(
    changes.join("\n"),
    /operator fired deliver.*signed_by null → "B\. Liskov"[\s\S]*operator fired collect.*status "registered" → "in_transit"[\s\S]*operator created it/,
  );

  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByText("1 Parcel").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/data\/Parcel$/);
  await page.getByText("4 of 4").waitFor();
  await watching.close();
  await close();
});

test("a Hook is created by keyboard: its shop is found by name, and its events are chosen", async () => {
  const { page, close } = await desk.open("/data/Hook");
  await page.getByText("No Hook yet").waitFor();
  await press(page, "n");
  const dialog = page.getByRole("dialog", { name: "New Hook" });
  const shop = dialog.getByRole("combobox", { name: "shop" });
  await dialog.getByText("it stays null unless you set it").waitFor();
  await shop.focus();
  await page.keyboard.type("ada");
  await dialog.getByRole("option", { name: /^Ada & Co/ }).waitFor();
  await axeClean(page);
  await press(page, "Escape");
  await dialog.getByRole("option").first().waitFor({ state: "hidden" });
  await press(page, "ArrowDown");
  await dialog.getByRole("option").first().waitFor();
  await press(page, "ArrowDown", "Enter");
  await eventually(async () => assert.match(await shop.inputValue(), /^shp_/));
  await dialog.getByText("Ada & Co", { exact: true }).waitFor();
  await dialog.getByLabel("url").fill("https://example.com/hook");
  await dialog.getByRole("checkbox", { name: "parcel.collected" }).check();
  await dialog.getByLabel("Other values of events").fill("parcel.lost");
  await axeClean(page);
  await fits(page, 360);
  await dialog.getByRole("button", { name: "Create" }).click();
  // The secret is shown only once.
  await page.getByRole("button", { name: "Open the record" }).click();
  await page.locator(".detail-head").getByText("rev 1").waitFor();
  const { records } = (await api("GET", "/api/records/Hook")) as RecordsResponse;
  assert.deepEqual(records[0]?.fields["events"], ["parcel.collected", "parcel.lost"]);
  assert.equal(records[0]?.references["shop"]?.label, "Ada & Co");
  await close();
});

test("a double click on Save saves once, and on a value it edits that value", async () => {
  const { id } = await parcelOf("Alan Turing");
  const { page, close } = await desk.open(`/data/Parcel/${id}`);
  await page.locator(".detail dd", { hasText: "A-1002" }).dblclick();
  await page.getByLabel("reference").and(page.locator(":focus")).waitFor();
  await page.getByLabel("reference").fill("A-1002b");
  await page.getByRole("button", { name: "Save 1 change" }).dblclick();
  await page.locator(".detail dd", { hasText: "A-1002b" }).waitFor();
  await eventually(async () => assert.equal(await page.getByRole("dialog").count(), 0));
  await eventually(async () =>
    assert.equal(await page.getByRole("form", { name: "Edit record" }).count(), 0),
  );
  await press(page, "e");
  await page.getByLabel("recipient").and(page.locator(":focus")).waitFor();
  await close();
});

test("a record in use names its references, and a bulk change affects the counted records", async () => {
  const shop = (await parcelOf("Grace Hopper")).references["shop"]?.id as string;
  const { page, close } = await desk.open(`/data/Shop/${shop}?tab=referred`);
  await page.getByRole("link", { name: "Parcel by shop" }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("It can't be deleted: ApiKey.shop still refers to it.").waitFor();
  await eventually(async () =>
    assert.ok(await page.getByRole("dialog").getByRole("button", { name: "Delete" }).isDisabled()),
  );
  await press(page, "Escape");
  await page.getByRole("link", { name: "Parcel by shop" }).click();
  await page.getByText("4 of 4").waitFor();
  await page.getByRole("button", { name: "Change all 4" }).click();
  // No state has the colour of gaps.
  const gapColour = await page.evaluate(`(() => {
    const chip = document.body.appendChild(document.createElement("span"));
    chip.className = "chip gap";
    const { color } = getComputedStyle(chip);
    chip.remove();
    return color;
  })()`);
  const stateColour = await page.evaluate(`getComputedStyle(document.querySelector("td .chip")).color`);
  assert.notEqual(stateColour, gapColour);
  // No transition is selected yet: the button must not look as if it had an action.
  const apply = page.getByRole("dialog").getByRole("button", { name: "Apply" });
  await apply.waitFor();
  const groundOf = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`);
  assert.equal(await apply.isDisabled(), true);
  assert.notEqual(await groundOf("dialog button:disabled"), await groundOf("button.main:not(:disabled)"));
  await page.getByLabel("Action").selectOption("collect");
  await tabTo(page, /Fire collect on 4/);
  await close();
});

test("tabs and rows are reachable by keyboard, and axe finds no violation", async () => {
  const { id } = await parcelOf("Alan Turing");
  const { page, close } = await desk.open(`/data/Parcel/${id}`);
  await page.locator(".detail dl").waitFor();
  await axeClean(page);
  await tabTo(page, /^button: Fields/);
  for (const panel of ["Transitions", "Refers to", "Referred by", "History"]) {
    await press(page, "ArrowRight");
    await page.getByRole("tabpanel", { name: new RegExp(`^${panel}`) }).waitFor();
  }
  await press(page, "Shift+Tab", "Escape");
  await page.waitForURL(/\/data\/Parcel$/);
  await fits(page, 360);
  await page.goto(`${desk.address}/data/Parcel/${id}?tab=possible`);
  await page.locator(".transitions").waitFor();
  await fits(page, 360);
  await axeClean(page);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("form", { name: "Edit record" }).waitFor();
  await axeClean(page);
  await fits(page, 360);
  await close();
});

for (const document of shownDocuments.slice(1)) {
  test(`the records of ${document} are shown`, async () => {
    const { page, close } = await (await lookAt(document)).open("/data");
    // The document of nine gaps shows no resource.
    const shown = page.getByText(/No \w+ yet|\d+ of \d+|shows no resource with records/).first();
    await shown.waitFor();
    await axeClean(page);
    await fits(page, 360);
    if (/no resource/.test((await shown.textContent()) ?? "")) return await close();
    await page.getByRole("button", { name: /^New / }).click();
    await page.getByRole("dialog").waitFor();
    await axeClean(page);
    await close();
  });
}

test("columns can be chosen, and deleted records are shown if the resource keeps them", async () => {
  const twin = await openConsole("examples/twins/stripe.md");
  try {
    const given = [
      'Account with name = "Shop", key = "sk_test_shop" as shop',
      'Customer with account = shop, name = "Ada", email = "ada@example.com"',
      'Customer with account = shop, name = "Grace", email = "grace@example.com"',
    ];
    const made = await fetch(`${twin.address}/api/records`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ given }),
    });
    assert.equal(made.status, 200, await made.text());
    const { page, close } = await twin.open("/data/Customer");
    const heads = async () => (await page.locator("thead th").allTextContents()).map((text) => text.trim());
    await page.getByRole("button", { name: "Columns" }).click();
    const dialog = page.getByRole("dialog", { name: "Columns" });
    await dialog.getByRole("checkbox", { name: /^balance/ }).uncheck();
    await dialog.getByRole("checkbox", { name: /^address/ }).check();
    await press(page, "Escape");
    await dialog.waitFor({ state: "detached" });
    assert.match(page.url(), /columns=/);
    assert.ok((await heads()).includes("address"));
    assert.ok(!(await heads()).includes("balance"));

    await page.getByRole("row", { name: /Ada/ }).getByRole("link").first().click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("row", { name: /Ada/ }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Show deleted" }).click();
    await page.getByRole("row", { name: /Ada/ }).getByText("deleted", { exact: true }).waitFor();
    await axeClean(page);
    await page.getByRole("link", { name: "Hide deleted" }).click();
    await page.getByRole("row", { name: /Ada/ }).waitFor({ state: "detached" });
    await close();
  } finally {
    await twin.close();
  }
});
