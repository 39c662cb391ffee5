/**
 * The *Try it* page: forms made from inputs, a request sent by the service as a typed or signed
 * caller, errors at their fields.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import {
  axeClean,
  fits,
  focused,
  lookAt,
  openConsole,
  press,
  shownDocuments,
  token,
} from "./open-console.ts";

const wait = { timeout: 120_000 };

const photos = smallDocument({
  resources: `### Photo

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| name | string | |
| size | integer | |
| sum | string | |`,
  endpoints: `### POST /photos

- Does: create Photo
- Accepts: multipart/form-data
- Body: title
- Set: \`name = body.photo.name; size = body.photo.size; sum = hex(hash("sha256", unbase64(body.photo.content)))\`
- Returns: 201 Photo

| Input | In | Type | Rules |
|---|---|---|---|
| photo | body | file of image/* | required |

### GET /photos/{id}

- Does: read Photo
- Returns: 200 Photo`,
});

/** Each part of the address has a field of its own. */
async function fillAddress(page: Page): Promise<void> {
  const address = page.getByRole("group", { name: "address" });
  await address.getByLabel("line required").fill("1 Harbour St");
  await address.getByLabel("city required").fill("Oslo");
  await address.getByLabel("country required").fill("NO");
}

test("an endpoint is tried with a typed credential: an error is at its field, and the corrected request succeeds", async () => {
  const desk = await openConsole("examples/parcel-desk.md");
  try {
    const { page, close } = await desk.open("/try?endpoint=POST%20/parcels");
    // The seed's key and the displayed version are sent, so the user needs to know neither.
    await page.getByText("Sent as Parcel-Version: 2026-11-01").waitFor(wait);
    await page.getByLabel("recipient required").fill("Grace");
    await fillAddress(page);
    await page.getByLabel("weight_grams required").fill("a lot");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("must be an integer").first().waitFor(wait);
    await eventually(async () =>
      assert.equal(await page.getByLabel("weight_grams required").getAttribute("aria-invalid"), "true"),
    );
    await page.getByText("| weight_grams | integer | required").waitFor(wait);
    await axeClean(page);
    await fits(page, 360);
    await page.getByLabel("weight_grams required").fill("1200");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await eventually(async () =>
      assert.match(String(await page.evaluate("navigator.clipboard.readText()")), /"weight_grams":1200/),
    );
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".try-answer").getByText("201", { exact: true }).waitFor(wait);
    await eventually(async () => assert.equal(await page.getByText('"registered"').count(), 1));
    await page.getByRole("button", { name: "a parcel reaches its recipient" }).click();
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".try-answer").getByText("201", { exact: true }).waitFor(wait);
    await page.getByLabel("Credential").fill("");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".try-answer").getByText("no_key").first().waitFor(wait);
    await page.getByLabel("Version").selectOption("2026-03-01");
    await page.getByText("Sent as Parcel-Version: 2026-03-01").waitFor(wait);
    await page.getByLabel("recipient required").fill("Grace");
    await fillAddress(page);
    await page.getByLabel("weight required").fill("900");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".try-answer").getByText('"weight"').waitFor(wait);
    await page.getByLabel("Version").selectOption("2026-11-01");
    await page.getByText("Sent as Parcel-Version: 2026-11-01").waitFor(wait);
    await page.getByRole("button", { name: "address as JSON" }).click();
    await page.getByRole("textbox", { name: "address as JSON" }).fill("{");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/Not valid JSON/).waitFor(wait);
    // Keyboard only: a scenario's request is filled in and sent.
    await page.getByLabel("Endpoint").focus();
    const tabTo = async (text: RegExp) => {
      for (let count = 0; count < 30 && !text.test(await focused(page)); count += 1) await press(page, "Tab");
      await eventually(async () => assert.match(await focused(page), text));
    };
    await tabTo(/^button: an uncollected parcel is returned/);
    await press(page, "Enter");
    await eventually(async () =>
      assert.equal(await page.getByLabel("weight_grams required").inputValue(), "400"),
    );
    await page.getByText("integer · From 1 to 30000").waitFor(wait);
    await tabTo(/^button: Send/);
    await press(page, "Enter");
    await page.locator(".try-answer").getByText("400").waitFor(wait);
    await close();
  } finally {
    await desk.close();
  }
});

test("a service that signs tokens signs one for a stored record, and the page never receives it", async () => {
  const conduit = await openConsole("examples/conduit.md");
  try {
    const user = { username: "jacob", email: "jake@jake.jake", password: "jakejake-pass" };
    const signedUp = await fetch(`${conduit.service}/users`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ user }),
    });
    assert.equal(signedUp.status, 201);
    const records = await fetch(`${conduit.address}/api/records/User`, {
      headers: { Authorization: "Bearer a-token-for-the-tests-of-the-console-0" },
    });
    const { records: rows } = (await records.json()) as { records: readonly { id: string }[] };
    const { page, close } = await conduit.open("/try?endpoint=GET%20/user");
    await page
      .getByLabel("Identifier of the User")
      .or(page.getByRole("button", { name: "Send" }))
      .first()
      .waitFor(wait);
    const choices = await page.getByLabel("Call as").last().locator("option").allTextContents();
    const signed = choices.find((choice) => choice.includes("a token for a stored User"));
    assert.ok(signed);
    await page.getByLabel("Call as").last().selectOption({ label: signed });
    await page.getByLabel("Identifier of the User").fill(rows[0]?.id ?? "");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("200", { exact: true }).waitFor(wait);
    await close();
  } finally {
    await conduit.close();
  }
});

test("a form is sent where forms are accepted, with parts and lists in brackets", async () => {
  const twin = await openConsole("examples/twins/stripe.md");
  try {
    const made = await fetch(`${twin.address}/api/records`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ given: ['Account with name = "Shop", key = "sk_test_shop"'] }),
    });
    assert.equal(made.status, 200);
    const { page, close } = await twin.open("/try?endpoint=POST%20/customers");
    await page.getByLabel("Credential").fill("sk_test_shop");
    const metadata = page.getByRole("group", { name: "metadata" });
    await metadata.getByRole("button", { name: "Add entry" }).click();
    await metadata.getByLabel("Key of entry 1").fill("order");
    await metadata.getByLabel("Entry 1", { exact: true }).fill("12345678901234567890");
    await page.getByLabel("preferred_locales").fill("nb\nen");
    await page.getByLabel("balance").fill("-250");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("200", { exact: true }).waitFor(wait);
    await axeClean(page);
    await fits(page, 360);
    for (const text of ['"12345678901234567890"', '"nb"', "-250"])
      await eventually(async () =>
        assert.equal(await page.locator(".try-answer").getByText(text).count(), 1, text),
      );
    await close();
  } finally {
    await twin.close();
  }
});

test("files are chosen and sent along with the typed fields", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-try-it-"));
  const file = join(folder, "photos.md");
  writeFileSync(file, photos);
  const served = await openConsole(file);
  try {
    const { page, close } = await served.open("/try?endpoint=POST%20/photos");
    await page.getByLabel("title required").fill("At the sea");
    await page.getByLabel("photo required").setInputFiles({
      name: "not-a-picture.png",
      mimeType: "image/png",
      buffer: Buffer.from("a text"),
    });
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("does not contain image/png data").first().waitFor(wait);
    await eventually(async () =>
      assert.equal(await page.getByLabel("photo required").getAttribute("aria-invalid"), "true"),
    );
    const bytes = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(300_000, 7)]);
    await page
      .getByLabel("photo required")
      .setInputFiles({ name: 'a "great" one.png', mimeType: "image/png", buffer: bytes });
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("201", { exact: true }).waitFor(wait);
    await axeClean(page);
    await fits(page, 360);
    const stored = await fetch(`${served.service}/photos/1`);
    assert.deepEqual(await stored.json(), {
      id: 1,
      title: "At the sea",
      name: 'a "great" one.png',
      size: bytes.byteLength,
      sum: createHash("sha256").update(bytes).digest("hex"),
    });
    await close();
  } finally {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

for (const document of shownDocuments.slice(3))
  test(`it is shown with ${document}`, async () => {
    const { page, close } = await (await lookAt(document)).open("/try");
    await page.getByRole("heading", { name: "Try it" }).waitFor(wait);
    await page
      .getByText(/^Endpoint$|no endpoint to try/)
      .first()
      .waitFor(wait);
    await axeClean(page);
    await fits(page, 360);
    await close();
  });
