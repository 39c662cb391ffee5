/**
 * Foreign pages: a real browser with an open console visits a page of another origin, at another
 * port of this machine and at a name that resolves to it. Neither page can read or change anything.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { pageOfRecords } from "../../src/engine/admin/list-records.ts";
import { openBrowser } from "../browser/browser.ts";
import { type Operations, startOperations } from "./start-operations.ts";

let desk: Operations;
let attacker: Server;
let attackerUrl: string;
let browser: Browser;
const rebound = "rebound.example";

before(async () => {
  desk = await startOperations("examples/parcel-desk.md", "examples/parcel-desk.seed.md");
  attacker = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>A page</title>");
  }).listen(0, "127.0.0.1");
  await once(attacker, "listening");
  attackerUrl = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}`;
  // DNS rebinding: the name first resolves to the page's own host, and then to this address.
  browser = await openBrowser(`--host-resolver-rules=MAP ${rebound} 127.0.0.1`);
});
after(async () => {
  await browser?.close();
  attacker?.close();
  await desk?.stop();
});

const free = ["/", "/docs/", "/openapi.json", "/livez"];
const closed = ["/api", "/api/overview", "/api/stream?topics=overview", "/metrics"];

/**
 * Returns what a page can read from an address, requested in every way that a page has. The script
 * runs in the page.
 */
const readingScript = `async (url) => {
  const seen = [];
  const attempt = async (way, options) => {
    try {
      const answer = await fetch(url, options);
      const text = await answer.text();
      if (answer.type !== "opaque" && (answer.ok || text !== "")) seen.push(way + ": " + answer.status + " " + text);
    } catch {}
  };
  await attempt("plain", {});
  await attempt("with credentials", { credentials: "include" });
  await attempt("without CORS", { mode: "no-cors" });
  await attempt("with a token", { headers: { Authorization: "Bearer " + "x".repeat(43) } });
  for (const tag of ["script", "img"]) {
    const made = document.createElement(tag);
    made.src = url;
    const loaded = new Promise((resolve) => {
      made.onload = () => resolve(true);
      made.onerror = () => resolve(false);
    });
    document.body.append(made);
    if (await loaded) seen.push(tag + ": loaded");
  }
  return seen;
}`;

/**
 * Sends changes in every way that needs no permission of the address. The script runs in the page.
 */
const changingScript = `async (url) => {
  const body = JSON.stringify({ given: 'Shop with name = "Mallory"' });
  const tries = [
    { method: "POST", body, mode: "no-cors" },
    { method: "POST", body, headers: { "Content-Type": "application/json" } },
    { method: "POST", body, credentials: "include", headers: { Authorization: "Bearer x" } },
  ];
  for (const options of tries) await fetch(url + "/api/records", options).catch(() => {});
  navigator.sendBeacon(url + "/api/records", body);
  const form = document.createElement("form");
  form.method = "post";
  form.enctype = "text/plain";
  form.action = url + "/api/records";
  form.target = "elsewhere";
  const frame = document.createElement("iframe");
  frame.name = "elsewhere";
  const field = document.createElement("input");
  field.name = body.slice(0, -1);
  field.value = "}";
  form.append(field);
  document.body.append(frame, form);
  const answered = new Promise((resolve) => {
    frame.onload = resolve;
  });
  form.submit();
  await answered;
}`;

const readings = (page: Page, address: string): Promise<readonly string[]> =>
  page.evaluate(`(${readingScript})(${JSON.stringify(address)})`);

async function change(page: Page, origin: string): Promise<void> {
  await page.evaluate(`(${changingScript})(${JSON.stringify(origin)})`);
}

const shops = async () =>
  (await pageOfRecords(desk.service, { resource: "Shop", filters: [] })).records.map(
    (record) => record.fields["name"],
  );

test("a page at another port can neither read nor change anything", { timeout: 300_000 }, async () => {
  const { url, link } = desk.door;
  const context = await browser.newContext();
  try {
    // The console is open in the same browser.
    const own = await context.newPage();
    await own.goto(link);
    const page = await context.newPage();
    await page.goto(attackerUrl);
    // A control: the page can read from its own origin.
    assert.notDeepEqual(await readings(page, attackerUrl), []);
    for (const path of [...free, ...closed])
      assert.deepEqual(await readings(page, `${url}${path}`), [], path);
    await change(page, url);
    assert.deepEqual(await shops(), ["Ada & Co"]);
  } finally {
    await context.close();
  }
});

test("a foreign name that resolves to this address is rejected under any path", {
  timeout: 300_000,
}, async () => {
  const context = await browser.newContext();
  try {
    const { port } = new URL(desk.door.url);
    const own = `http://${rebound}:${port}`;
    const page = await context.newPage();
    // The page was loaded from that name. The name now resolves to the operations address, so the
    // browser sees one origin.
    await page.route(`${own}/page`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><body>" }),
    );
    await page.goto(`${own}/page`);
    assert.equal(await page.evaluate("location.origin"), own);
    for (const path of [...free, ...closed])
      assert.deepEqual(await readings(page, `${own}${path}`), [], path);
    await change(page, own);
    assert.deepEqual(await shops(), ["Ada & Co"]);
    // The same browser can use the address's own name.
    assert.equal((await page.goto(`${desk.door.url}/openapi.json`))?.status(), 200);
    const refused = page.waitForResponse(`${own}/openapi.json`);
    // Some browsers report an empty rejection as a page that can't be shown.
    await page.goto(`${own}/openapi.json`).catch(() => undefined);
    assert.equal((await refused).status(), 403);
  } finally {
    await context.close();
  }
});
