/**
 * *Try it* in a real browser: a sandbox's own documentation and an exported site at another origin
 * send the examples' requests. Values of a response are used in later requests, each reader has
 * their own data, and only the sandbox is requested.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { served, type Watched } from "../../src/cli/testing/served-command.ts";
import { docsOutput } from "../../src/outputs/docs/docs.ts";
import { openBrowser } from "../browser/browser.ts";
import { ownFolder } from "../own-folder.ts";
import { pathOf, textOf } from "../repository/repository.ts";
import { type ServedFolder, serveFolder } from "../site/serve-folder.ts";
import { modelOf } from "./site.ts";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const desk = "examples/parcel-desk.md";

const folder = ownFolder("try-it");
let browser: Browser;
let host: ServedFolder;
let sandbox: Watched;
let addresses: { readonly url: string; readonly operations: string };
before(async () => {
  host = await serveFolder(folder);
  const own = new URL(host.address("")).origin;
  const seed = pathOf("examples/parcel-desk.seed.md");
  const options = ["--sandbox", "--seed", seed, "--operations", "0", "--ready-json", "--allow-origin", own];
  sandbox = served([pathOf(desk), ...options]);
  const [, line = ""] = await sandbox.until(/(\{.*\})\n/);
  addresses = JSON.parse(line);
  const { files } = await docsOutput.generate(modelOf(textOf(desk), desk), { sandbox: addresses.url });
  for (const { path, text } of files) writeFileSync(join(folder, path), text);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await host?.close();
  sandbox?.child.kill("SIGTERM");
  await sandbox?.ended;
});

interface Reader {
  readonly page: Page;
  readonly complaints: string[];
  /** Opens *Try it* of an endpoint. */
  form(operation: string): Promise<Locator>;
  /** Sends the request, and returns the response as shown. */
  send(form: Locator): Promise<string>;
  close(): Promise<void>;
}

async function reader(address: (page: string) => string): Promise<Reader> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (![address(""), addresses.url, "data:"].some((known) => url.startsWith(known))) complaints.push(url);
  });
  return {
    page,
    complaints,
    async form(operation) {
      await page.goto(address(`resource-Parcel.html#${operation}`));
      const details = page.locator(`[id="${operation}"] details.try`);
      await details.locator("summary").click();
      return details;
    },
    async send(form) {
      await form.getByRole("button", { name: "Send to the sandbox" }).click();
      await form.getByText(/ in \d+ ms/).waitFor();
      return form.locator("pre code").innerText();
    },
    close: () => context.close(),
  };
}

for (const [name, address] of [
  ["a sandbox's own documentation", (page: string) => `${addresses.operations}/docs/${page}`],
  ["an exported site at another origin", (page: string) => host.address(page)],
] as const) {
  test(`${name}: a request is sent, and its values go to the next one`, async () => {
    const { form, send, complaints, close } = await reader(address);
    const create = await form("createParcel");
    // Without a credential, the form says what is missing.
    await create.getByRole("button", { name: "Send to the sandbox" }).click();
    await create.getByText("Fill in credential first.").waitFor();
    await create.getByLabel(/^credential/).fill("sk_ada_4f1c09");
    const made = await send(create);
    assert.match(made, /^HTTP\/1\.1 201\n/);
    const [, id = ""] = /"id": "(pcl_\w+)"/.exec(made) ?? [];
    // The identifier and the credential are kept, on this and on other pages.
    const collect = await form("collectParcel");
    assert.equal(await collect.getByLabel(/^parcel/).inputValue(), id);
    await collect.getByLabel(/^credential/).fill("sk_courier_77b2e1");
    assert.match(await send(collect), new RegExp(`^HTTP/1.1 200\\n[^]*"${id}"`));
    // A refusal is shown as received.
    await create.getByLabel(/^credential/).fill("sk_ada_4f1c09");
    await create.getByLabel("Body").fill("{}");
    assert.match(await send(create), /^HTTP\/1\.1 422\n[\s\S]*missing_value/);
    assert.deepEqual(complaints, []);
    await close();
  });
}

test("each reader has data of their own", async () => {
  const [first, second] = await Promise.all([reader(host.address), reader(host.address)]);
  const made = await first.form("createParcel");
  await made.getByLabel(/^credential/).fill("sk_ada_4f1c09");
  await first.send(made);
  const counts = await Promise.all(
    [first, second].map(async ({ form, send }) => {
      const list = await form("listParcels");
      await list.getByLabel(/^credential/).fill("sk_ada_4f1c09");
      return (await send(list)).match(/"id": "pcl_/g)?.length ?? 0;
    }),
  );
  assert.equal(counts[0], (counts[1] ?? 0) + 1);
  await Promise.all([first.close(), second.close()]);
});

test("the page says what to start if the sandbox doesn't respond", async () => {
  const { form, page, close } = await reader((path) => host.address(path).replace("127.0.0.1", "localhost"));
  const list = await form("listParcels");
  await list.getByLabel(/^credential/).fill("sk_ada_4f1c09");
  await list.getByRole("button", { name: "Send to the sandbox" }).click();
  await list.getByText(/didn't answer this page. It must run with --sandbox/).waitFor();
  assert.match(await list.innerText(), /--allow-origin http:\/\/localhost:/);
  assert.equal(page.isClosed(), false);
  await close();
});

for (const colorScheme of ["light", "dark"] as const)
  test(`axe finds nothing wrong with an open form in ${colorScheme}, and it fits a phone`, async () => {
    const context = await browser.newContext({
      colorScheme,
      bypassCSP: true,
      viewport: { width: 360, height: 740 },
    });
    const page = await context.newPage();
    await page.addInitScript({ path: axe });
    await page.goto(host.address("resource-Parcel.html"));
    await page.evaluate(`for (const one of document.querySelectorAll("details.try")) one.open = true`);
    const violations = await page.evaluate<readonly string[]>(
      `axe.run({ preload: false }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 200)))`,
    );
    assert.deepEqual(violations, []);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360);
    await context.close();
  });

test("without a sandbox, no page has a form or a script that requests", async () => {
  const { files } = await docsOutput.generate(modelOf(textOf(desk), desk), {});
  assert.ok(!files.some(({ path }) => path === "try.js"));
  assert.ok(!files.some(({ path, text }) => path.endsWith(".html") && /class="try|connect-src/.test(text)));
});
