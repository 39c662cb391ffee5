/**
 * Published exports at the operations address: the same as `ninefold export` writes, created in a
 * worker, and complete in a browser.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { compile } from "../../src/compile.ts";
import type { Model } from "../../src/model/model.ts";
import { outputs } from "../../src/outputs/index.ts";
import type { OutputOptions } from "../../src/outputs/output.ts";
import { openBrowser } from "../browser/browser.ts";
import { pathOf } from "../repository/repository.ts";
import { type Operations, startOperations } from "./start-operations.ts";

const modelOf = (path: string): Model =>
  compile(readFileSync(pathOf(path), "utf8"), { file: basename(path) }).model as Model;
const desk = modelOf("examples/parcel-desk.md");

let operations: Operations;
before(async () => {
  operations = await startOperations("examples/parcel-desk.md");
});
after(() => operations?.stop());

const written = async (name: string, options: OutputOptions) => {
  const output = outputs.find((output) => output.name === name);
  return (await output?.generate(desk, options))?.files ?? [];
};
const get = async (path: string) => {
  const answer = await fetch(operations.door.url + path, { redirect: "manual" });
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
};

test("the files are those that `ninefold export` writes", async () => {
  const openapi = await get("/openapi.json");
  assert.deepEqual([openapi.status, openapi.type], [200, "application/json"]);
  assert.equal(
    openapi.text,
    (await written("openapi", { openapi: "3.1", format: "json", url: operations.serviceUrl }))[0]?.text,
  );
  const yaml = await get("/openapi.yaml");
  assert.equal(yaml.type, "application/yaml");
  assert.deepEqual(parse(yaml.text), JSON.parse(openapi.text));
  assert.equal(JSON.parse((await get("/asyncapi.json")).text).asyncapi, "3.0.0");
  const schemas = await written("jsonschema", {});
  for (const { path, text } of schemas) assert.equal((await get(`/schemas/${path}`)).text, text, path);
  assert.equal((await get("/schemas/")).text, schemas.find((schema) => schema.path === "index.json")?.text);
});

test("the options of an export are query parameters; unknown ones are reported", async () => {
  const old = JSON.parse((await get("/openapi.json?version=2026-03-01")).text);
  assert.equal(old.info.version, "2026-03-01");
  assert.match(JSON.parse((await get("/openapi.json?openapi=3.2")).text).openapi, /^3\.2/);
  const wrong = [
    ["/openapi.json?version=1999-01-01", /no version "1999-01-01"/],
    ["/openapi.json?openapi=2", /openapi must be one of 3\.1, 3\.2\./],
    // The whole document is for its author: these files need no token.
    ["/openapi.json?extensions=document", /extensions must be one of all, none\./],
    ["/openapi.json?format=yaml", /takes openapi, extensions, version in its query, not "format"/],
  ] as const;
  for (const [path, words] of wrong) {
    const { status, text } = await get(path);
    assert.equal(status, 400, path);
    assert.match(text, words);
  }
});

test("requests of the documentation, the collection and OpenAPI go to this service", async () => {
  const { serviceUrl } = operations;
  const page = (await get("/docs/index.html")).text;
  assert.ok(page.includes(`=${serviceUrl}`));
  assert.doesNotMatch(page, /4545|sk_ada/);
  assert.deepEqual(JSON.parse((await get("/openapi.json")).text).servers, [{ url: serviceUrl }]);
  const { variable } = JSON.parse((await get("/postman.json")).text);
  assert.deepEqual(variable[0], { key: "baseUrl", value: serviceUrl });
});

test("folders have their pages, and no path leaves them", async () => {
  assert.equal((await get("/docs")).status, 303);
  assert.equal((await get("/docs/")).type, "text/html; charset=utf-8");
  for (const path of [
    "/docs/nowhere.html",
    "/docs/..%2f..%2fpackage.json",
    "/schemas/../package.json",
    "/docs/.ninefold-docs.json",
  ])
    assert.ok([400, 404].includes((await get(path)).status), path);
});

test("the documentation works in a browser under its own content security policy", {
  timeout: 300_000,
}, async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(`${operations.door.url}/docs`);
    assert.match(page.url(), /\/docs\/$/);
    await page.keyboard.press("/");
    await page.keyboard.type("deliver");
    await page.getByRole("option", { name: "Deliver Parcel" }).waitFor();
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
});

test("a page of another origin can neither read nor frame it", { timeout: 300_000 }, async () => {
  const browser = await openBrowser();
  const started = await startOperations("examples/unidentified-service.md");
  const { door: other } = started;
  const { door } = operations;
  try {
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(`${other.url}/docs/`);
    const read = (address: string) =>
      page.evaluate(
        (url) =>
          fetch(url).then(
            (answer) => answer.text(),
            () => "refused",
          ),
        address,
      );
    assert.notEqual(await read(`${other.url}/openapi.json`), "refused");
    assert.equal(await read(`${door.url}/openapi.json`), "refused");
    const frame = await page.evaluate(`(async () => {
      const made = document.createElement("iframe");
      made.src = "${door.url}/docs/";
      const loaded = new Promise((resolve) => made.addEventListener("load", resolve));
      document.body.append(made);
      await loaded;
      return made.contentDocument?.body.textContent ?? "nothing to be seen";
    })()`);
    assert.equal(frame, "nothing to be seen");
    // A name that an attacker's DNS resolves to this address.
    const named = await fetch(`${door.url}/openapi.json`, { headers: { "Sec-Fetch-Site": "cross-site" } });
    assert.deepEqual([named.status, await named.text()], [403, ""]);
  } finally {
    await started.stop();
    await browser.close();
  }
});
