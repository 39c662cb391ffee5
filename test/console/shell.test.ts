/** The frame around every page: the token, navigation, keys, errors, and what is never loaded. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { after, before, test } from "node:test";
import { eventually } from "../eventually.ts";
import { filesUnder, pathOf } from "../repository/repository.ts";
import { axeClean, type ConsoleTested, fits, focused, openConsole, press, token } from "./open-console.ts";

let tested: ConsoleTested;
before(async () => {
  tested = await openConsole("examples/parcel-desk.md", ["--sandbox"]);
});
after(() => tested?.close());

const refusedIsExpected = /status of 403/;

test("without a token the console says where the link is, and opens when the link is pasted", async () => {
  const { page, close } = await tested.open("/document", { hasToken: false });
  await page.getByRole("heading", { name: "The console needs its token" }).waitFor();
  await axeClean(page);
  await fits(page, 360);
  await page.getByLabel("Link or token").fill("what is that");
  await press(page, "Enter");
  await page.getByText("Not a token").waitFor();
  await page.getByLabel("Link or token").fill(`${tested.address}/#t=${token}`);
  await press(page, "Enter");
  await page.getByRole("heading", { level: 1, name: "Document" }).waitFor();
  await close();
});

test("the token in the link leaves the address at once, and is kept", async () => {
  const { page, close } = await tested.open(`/#t=${token}`, { hasToken: false });
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  assert.equal(page.url(), `${tested.address}/`);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await close();
});

test("a wrong token shows no data of the service", async () => {
  const wrong = `#t=${token.replace("0", "1")}`;
  const { page, close } = await tested.open(`/${wrong}`, { hasToken: false, expects: refusedIsExpected });
  await page.getByText("The token in this browser is wrong").waitFor();
  await eventually(async () => assert.equal(await page.getByText("Parcel Desk").count(), 0));
  await close();
});

test("the page has the service's name in its title, and is accessible", async () => {
  const { page, close } = await tested.open("/document");
  await page.getByRole("heading", { level: 1, name: "Document" }).waitFor();
  // The name arrives with the first response of the service.
  await eventually(async () => assert.equal(await page.title(), "Document · Parcel Desk"));
  await page.getByText("Live", { exact: true }).last().waitFor();
  await close();
});

test("every page is reached by keys alone: g and a letter, the list of all, and back", async () => {
  const { page, close } = await tested.open("/");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await press(page, "g", "m");
  await page.getByRole("heading", { level: 1, name: "Document" }).waitFor();
  await eventually(async () => assert.equal(await focused(page), "h1: Document"));
  await press(page, "/");
  await page.getByRole("combobox", { name: "Go to" }).waitFor();
  await axeClean(page);
  await page.keyboard.type("give-back");
  await page.getByRole("option", { name: /give-back/ }).waitFor();
  await press(page, "Enter");
  await page.waitForURL(/#L\d+$/);
  const line = Number(/#L(\d+)$/.exec(page.url())?.[1]);
  const text = readFileSync(pathOf("examples/parcel-desk.md"), "utf8").split("\n");
  assert.match(text[line - 1] as string, /give-back/);
  await page.goBack();
  await page.waitForURL((url) => url.hash === "");
  await close();
});

test("every page has a letter after g", async () => {
  const { page, close } = await tested.open("/");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  const pages = { m: "Document", s: "States", d: "Shop", r: "Requests", t: "Try it", e: "Events" };
  for (const [letter, title] of Object.entries({
    ...pages,
    v: "Deliveries",
    c: "Scenarios",
    o: "Overview",
  })) {
    await press(page, "g", letter);
    await page.getByRole("heading", { level: 1, name: new RegExp(`^(${title}|Parcel.*)`) }).waitFor();
    await page.locator("h1:focus").waitFor();
  }
  await close();
});

test("keys are listed at ?, and switching them off persists", async () => {
  const { page, close } = await tested.open("/");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await press(page, "?");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await dialog.waitFor();
  await axeClean(page);
  await dialog.getByRole("checkbox").uncheck();
  await press(page, "Escape");
  await dialog.waitFor({ state: "detached" });
  await press(page, "g", "m");
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await press(page, "g", "m", "?");
  assert.equal(new URL(page.url()).pathname, "/");
  await eventually(async () => assert.equal(await dialog.count(), 0));
  await close();
});

test("a keyboard user can skip the navigation", async () => {
  const { page, close } = await tested.open("/document");
  await page.getByRole("heading", { level: 1, name: "Document" }).waitFor();
  // Before the document is loaded, no content has the focus.
  await page.getByRole("navigation", { name: "Parts" }).waitFor();
  await press(page, "Tab");
  await eventually(async () => assert.match(await focused(page), /Skip to content/));
  await press(page, "Enter", "Tab");
  const inside = await page.evaluate(`document.activeElement.closest("main") !== null`);
  assert.equal(inside, true);
  await close();
});

test("on a phone the navigation is in a drawer", async () => {
  const { page, close } = await tested.open("/document", { viewport: { width: 360, height: 740 } });
  await page.getByRole("button", { name: "Menu" }).click();
  const drawer = page.getByRole("dialog", { name: "Menu" });
  await drawer.waitFor();
  await axeClean(page);
  await drawer.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await eventually(async () => assert.equal(await drawer.count(), 0));
  await close();
});

test("an unknown address is reported with a link to the overview", async () => {
  const { page, close } = await tested.open("/nowhere/at/all");
  await page.getByText("The console has no page at /nowhere/at/all.").waitFor();
  await page.getByRole("link", { name: "Go to the overview" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await close();
});

test("a data space is chosen once, is in the address, and stays across pages", async () => {
  await fetch(tested.service.replace(/\/v1$/, "/v1/parcels"), { headers: { "Ninefold-Space": "second" } });
  const { page, close } = await tested.open("/document");
  const chooser = page.getByLabel("Data space").first();
  await chooser.focus();
  await page.locator("option", { hasText: "second" }).first().waitFor({ state: "attached" });
  await chooser.selectOption("second");
  await page.waitForURL(/space=second/);
  await press(page, "Escape");
  await page.getByRole("link", { name: "Overview" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("space"), "second");
  await close();
});

test("two windows share one stream, and the second continues when the first is closed", async () => {
  const first = await tested.open("/");
  await first.page.getByText("Live", { exact: true }).last().waitFor();
  const requested: string[] = [];
  first.context.on("request", (request) => requested.push(new URL(request.url()).pathname));
  const second = await first.context.newPage();
  await second.goto(`${tested.address}/document`);
  await second.getByText("Live", { exact: true }).last().waitFor();
  assert.equal(requested.filter((path) => path === "/api/stream").length, 0);
  const goesOn = second.waitForRequest((request) => request.url().includes("/api/stream"));
  await first.page.close();
  await goesOn;
  await second.getByText("Live", { exact: true }).last().waitFor();
  await first.close();
});

test("the console is small, and refers to no other host", () => {
  const files = filesUnder("dist/console".replace("dist", "./dist"));
  const built = files.filter((path) => /\.(js|css|html|svg)$/.test(path));
  assert.ok(built.length >= 4, String(files));
  const texts = built.map((path) => readFileSync(pathOf(path), "utf8"));
  // Compressed with Brotli, which all browsers accept.
  const bytes = texts.reduce((sum, text) => sum + brotliCompressSync(text).byteLength, 0);
  // Nested values, charts, the pages of webhooks and of the work list, and names of cut texts take 7,000 of these.
  assert.ok(bytes <= 69_000, `${bytes} bytes compressed`);
  // Names of namespaces are addresses that no one requests.
  const elsewhere = texts.flatMap((text) =>
    [...text.matchAll(/\bhttps?:\/\/[\w.]+/g)].map(([address]) => address),
  );
  assert.deepEqual(
    [...new Set(elsewhere)].filter((address) => !/^http:\/\/www\.w3\.org$/.test(address)),
    [],
  );
});
