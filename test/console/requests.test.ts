/**
 * The requests page in a real browser: live rows with the deciding line, copies of a request,
 * keyboard, phone, and both themes.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "../eventually.ts";
import {
  axeClean,
  type ConsoleTested,
  fits,
  lookAt,
  openConsole,
  press,
  shownDocuments,
} from "./open-console.ts";
import { createDesk } from "./parcel-desk.ts";

let desk: ConsoleTested;
before(async () => {
  desk = await openConsole("examples/parcel-desk.md");
});
after(() => desk.close());

const key = { Authorization: "Bearer sk_ada_4f1c09", "Parcel-Version": "2026-11-01" };
const courier = { Authorization: "Bearer sk_courier_77b2e1", "Parcel-Version": "2026-11-01" };
const json = { "Content-Type": "application/json" };

const request = (method: string, path: string, headers: Record<string, string> = key, body?: unknown) =>
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

test("requests appear when they are answered, and a rejected one has its reason", async () => {
  const { page, close } = await desk.open("/requests", { expects: /Failed to load resource/ });
  await page.getByText("No requests yet").waitFor();
  const made = (await (await request("POST", "/parcels", key, parcel)).json()) as { id: string };
  await page.getByRole("link", { name: /POST.*\/v1\/parcels/ }).waitFor();
  await request("POST", `/parcels/${made.id}/deliver`, courier, { signed_by: "G" });
  await page.getByRole("link", { name: /deliver/ }).click();
  const detail = page.locator(".detail");
  await detail.getByText("| deliver | in_transit | delivered |").waitFor();
  await eventually(async () =>
    assert.equal(await detail.getByText("illegal transition (wrong_state)").count(), 1),
  );
  await eventually(async () => assert.equal(await detail.getByText("sk_courier_77b2e1").count(), 0));
  await axeClean(page);
  // A key returns to the list, and opens the request with changes.
  await press(page, "Escape");
  await page.locator(".detail").waitFor({ state: "detached" });
  await page.getByRole("link", { name: /POST.*\/v1\/parcels$/ }).click();
  const changed = page.locator(".detail").getByRole("link", { name: `Parcel ${made.id}` });
  await eventually(async () =>
    assert.match((await changed.getAttribute("href")) ?? "", new RegExp(`^/data/Parcel/${made.id}$`)),
  );
  await fits(page, 360);
  await close();
});

test("while the list is paused, new requests are counted, and shown when it resumes", async () => {
  const { page, close } = await desk.open("/requests");
  await page.getByRole("table").waitFor();
  const rows = await page.getByRole("row").count();
  await press(page, "p");
  await page.getByRole("button", { name: "Resume" }).waitFor();
  for (let count = 0; count < 3; count += 1) await request("GET", `/parcels?limit=${count + 1}`);
  await page.getByRole("button", { name: /Resume.*3 new/ }).waitFor();
  await eventually(async () => assert.equal(await page.getByRole("row").count(), rows));
  await page.getByRole("button", { name: /Resume/ }).click();
  await page.getByRole("link", { name: /limit=3/ }).waitFor();
  await eventually(async () => assert.equal(await page.getByRole("row").count(), rows + 3));
  await close();
});

test("a list that is reloaded while it is paused moves no row, and counts the new ones", async () => {
  await request("GET", "/parcels?limit=10");
  const release = Promise.withResolvers<void>();
  let requested = 0;
  const { page, close } = await desk.open("/requests", {
    before: (page) =>
      page.route("**/api/requests?*", async (route) => {
        requested += 1;
        // The second request follows the start of the stream.
        if (requested > 1) await release.promise;
        await route.continue();
      }),
  });
  await page.getByRole("table").waitFor();
  const rows = await page.getByRole("row").count();
  await press(page, "p");
  await page.getByRole("button", { name: "Resume" }).waitFor();
  for (let count = 0; count < 3; count += 1) await request("GET", `/parcels?limit=${count + 11}`);
  const answered = page.waitForResponse(/\/api\/requests\?/);
  release.resolve();
  await (await answered).finished();
  await page.getByRole("button", { name: /Resume.*3 new/ }).waitFor();
  await eventually(async () => assert.equal(await page.getByRole("row").count(), rows));
  await close();
});

test("a list that loads after the start of the stream is shown, too", async () => {
  await request("GET", "/parcels?limit=15");
  const release = Promise.withResolvers<void>();
  let requested = 0;
  const { page, close } = await desk.open("/requests", {
    before: (page) =>
      page.route("**/api/requests?*", async (route) => {
        requested += 1;
        // The first response is held until `begin` makes the page fetch again; all later responses
        // are held forever.
        if (requested === 1)
          await page.locator("[title='The page updates as things happen']").last().waitFor();
        else await release.promise;
        await route.continue();
      }),
  });
  await page.getByRole("table").waitFor();
  release.resolve();
  await close();
});

test("a request that the stream sends while the list is loading stays, even if the response lacks it", async () => {
  const fetched = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let requested = 0;
  const { page, close } = await desk.open("/requests", {
    before: (page) =>
      page.route("**/api/requests?*", async (route) => {
        requested += 1;
        const response = await route.fetch();
        if (requested > 1) {
          fetched.resolve();
          await release.promise;
        }
        await route.fulfill({ response });
      }),
  });
  await fetched.promise;
  await request("GET", "/parcels?limit=21");
  await request("GET", "/parcels?limit=22");
  const link = page.getByRole("link", { name: /limit=21/ });
  await link.waitFor();
  const answered = page.waitForResponse(/\/api\/requests\?/);
  release.resolve();
  await (await answered).finished();
  // The page has handled the response by the next frame but one.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))");
  await eventually(async () => assert.equal(await link.count(), 1));
  await close();
});

test("filters are in the address, and apply to live rows", async () => {
  const { page, close } = await desk.open("/requests?status=404&text=nowhere");
  await request("GET", "/nowhere/at/all");
  await request("GET", "/parcels");
  await request("GET", "/nowhere/again");
  await page.getByRole("link", { name: /again/ }).waitFor();
  await eventually(async () => assert.equal(await page.getByRole("row").count(), 3));
  await page.getByRole("link", { name: "Clear filters" }).click();
  await page
    .getByRole("link", { name: /GET.*\/v1\/parcels$/ })
    .first()
    .waitFor();
  await close();
});

test("a request that is saved as a scenario can be run at once, and passes", async () => {
  await request("POST", "/parcels", key, { ...parcel, reference: "kept-0" });
  const { page, close } = await desk.open("/requests");
  await page.getByRole("link", { name: /POST/ }).first().click();
  await page.getByRole("button", { name: "Save as scenario" }).click();
  await page.getByRole("button", { name: "Run it before pasting" }).click();
  await page.getByText("Running …").waitFor();
  await page.locator(".verdict.is-passed", { hasText: "It passes" }).waitFor();
  const isCut = `(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)(document.querySelector("textarea"))`;
  await eventually(async () =>
    assert.equal(await page.evaluate(isCut), false, "all of the Markdown is seen"),
  );
  await axeClean(page);
  await fits(page, 360);
  await close();
});

test("a request is repeated, copied as curl, and saved as a scenario", async () => {
  await request("POST", "/parcels", key, { ...parcel, reference: "kept-1" });
  const { page, context, close } = await desk.open("/requests", { expects: /Failed to load resource/ });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: desk.address });
  await page.getByRole("link", { name: /POST/ }).first().click();
  const detail = page.locator(".detail");
  await detail.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor({ state: "attached" });
  const curl = (await page.evaluate("navigator.clipboard.readText()")) as string;
  assert.match(curl, /\$CREDENTIAL/);
  assert.doesNotMatch(curl, /sk_ada/);
  await detail.getByRole("button", { name: "Save as scenario" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/### Scenario: POST \/parcels responds with 201/).waitFor();
  await axeClean(page);
  await press(page, "Escape");
  await detail.getByRole("button", { name: "Repeat" }).click();
  // The reference is already used: the new request is shown with its reason.
  await detail.getByText("- Unique: shop, reference").waitFor();
  await close();
});

for (const document of shownDocuments.slice(1))
  test(`it is shown with ${document}`, async () => {
    const other = await lookAt(document);
    await fetch(`${other.service}/nothing-there`);
    const { page, close } = await other.open("/requests");
    await page.getByRole("link", { name: /nothing-there/ }).click();
    await page.locator(".detail").getByText("Decided by").waitFor();
    await axeClean(page);
    await fits(page, 360);
    await close();
  });

test("requests are grouped by endpoint over the last hour, and a rejection says why in one sentence", async () => {
  const busy = await openConsole("examples/parcel-desk.md");
  try {
    const parcels = await createDesk(busy);
    const id = await parcels.newParcel();
    assert.equal(await parcels.collect(id), 200);
    assert.equal(await parcels.collect(id), 409);
    const { page, close } = await busy.open("/requests");
    await page.getByRole("link", { name: "Endpoints, last hour" }).click();
    const row = page.getByRole("row", { name: /POST \/parcels\/\{id\}\/collect/ });
    await row.getByText("1 (50.0 %)").waitFor();
    await axeClean(page);
    await fits(page, 360);
    await row.getByRole("link").click();
    const detail = page.getByRole("region", { name: "POST /parcels/{id}/collect" });
    await detail.getByRole("img", { name: /^Requests by minute.*at most 2/ }).waitFor();
    await axeClean(page);
    await fits(page, 360);
    await detail.getByRole("link", { name: "Show its last requests" }).click();
    await page.waitForURL(/\/requests\?endpoint=/);
    await eventually(async () => assert.equal(await page.locator("tbody a.row-link").count(), 2));
    await page.locator("tbody a.row-link").first().click();
    await page
      .getByText(
        /can't collect while it is in_transit .*possible while it is registered; possible now: deliver/,
      )
      .waitFor();
    await axeClean(page);
    await fits(page, 360);
    await close();
  } finally {
    await busy.close();
  }
});
