/** `ninefold verify`: what it compares, and its reports. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { ownFolder } from "../../../test/own-folder.ts";
import { notes, notesDocument, serving } from "../../../test/verify/notes-service.ts";
import { runCommand } from "../testing/run-command.ts";

const folder = ownFolder("verify");
const file = join(folder, "notes.md");
writeFileSync(file, notesDocument);

const few = ["--requests", "120", "--seed", "1"];

test("a service that differs in one bound is broken there, with the line and the curl lines", async () => {
  const url = await serving(
    notes((method, [status, content]) =>
      method === "GET" && status === 404 ? [410, content] : [status, content],
    ),
  );
  const { code, out } = await runCommand(
    "verify",
    file,
    "--against",
    url,
    ...few,
    "--only",
    "GET /notes/{id}",
  );
  assert.equal(code, 1, out);
  assert.match(out, /broken +\d+ +GET \/notes\/\{id\}: records of the path/);
  assert.match(out, /expected {2}404\n +actual {4}410/);
  assert.match(out, new RegExp(`curl -i '${url}/notes/`));
});

test("what is broken is written as SARIF, at its line", async () => {
  const url = await serving(
    notes((method, [status, content]) =>
      method === "POST" && status === 422 ? [400, content] : [status, content],
    ),
  );
  const sarif = join(folder, "broken.sarif");
  const { code } = await runCommand(
    "verify",
    file,
    "--against",
    url,
    "--requests",
    "60",
    "--seed",
    "1",
    "--sarif",
    sarif,
  );
  assert.equal(code, 1);
  const [{ results }] = JSON.parse(readFileSync(sarif, "utf8")).runs;
  assert.match(results[0].ruleId, /^verify\//);
  assert.match(results[0].message.text, /curl -i -X POST/);
  assert.ok(results[0].locations[0].physicalLocation.region.startLine > 30);
});

test("the results are written as JSON and as JUnit's XML", async () => {
  const url = await serving(notes());
  const junit = join(folder, "results.xml");
  const { out } = await runCommand("verify", file, "--against", url, ...few, "--json", "--junit", junit);
  const report = JSON.parse(out) as { seed: number; rows: { item: string; verdict: string }[] };
  assert.equal(report.seed, 1);
  const scenario = report.rows.find(({ item }) => item === "scenario: a note is kept");
  assert.equal(scenario?.verdict, "holds");
  assert.match(readFileSync(junit, "utf8"), /<testcase classname="Purpose" name="scenario: a note is kept"/);
});

test("a compressed body is read, and a byte order mark in front of JSON is broken", async () => {
  const compressing = await serving(
    notes(undefined, (text, response) => {
      response.setHeader("Content-Encoding", "gzip");
      return gzipSync(text);
    }),
  );
  const right = await runCommand("verify", file, "--against", compressing, ...few);
  assert.equal(right.code, 0, right.out);
  const marking = await serving(notes(undefined, (text) => `\uFEFF${text}`));
  const marked = await runCommand("verify", file, "--against", marking, ...few);
  assert.notEqual(marked.code, 0, marked.out);
});

test("verify waits after a rate limit, and reports nothing as broken", async () => {
  const right = notes();
  let seen = 0;
  const url = await serving((request, response) => {
    seen += 1;
    if (seen === 10 || seen === 20) response.writeHead(429, { "Retry-After": "1" }).end();
    else right(request, response);
  });
  const { code, out } = await runCommand("verify", file, "--against", url, "--requests", "30", "--seed", "1");
  assert.equal(code, 0, out);
  assert.ok(seen > 20);
});

test("the report is written as one page, and the differences as a diff of scenarios", async () => {
  const url = await serving(
    notes((method, [status, content]) =>
      method === "GET" && status === 404 ? [404, { code: "<gone>" }] : [status, content],
    ),
  );
  const [page, drift] = [join(folder, "report.html"), join(folder, "drift.md")];
  const before = readFileSync(file, "utf8");
  const { code } = await runCommand(
    "verify",
    file,
    "--against",
    url,
    ...few,
    "--html",
    page,
    "--drift",
    drift,
  );
  assert.equal(code, 1);
  const html = readFileSync(page, "utf8");
  assert.match(html, /<td class="verdict broken">broken<\/td>/);
  assert.match(html, /&lt;gone&gt;/);
  assert.doesNotMatch(html, /<gone>|<script|<link|src=/);
  const diff = readFileSync(drift, "utf8");
  assert.match(diff, /^ ### Scenario: GET \/notes\/\{id\}/m);
  assert.match(diff, /^-.*"code": "missing"$/m);
  assert.match(diff, /^\+.*"code": "<gone>"$/m);
  assert.equal(readFileSync(file, "utf8"), before);
});

test("--coverage lists which rules the requests met", async () => {
  const url = await serving(notes());
  const { out } = await runCommand("verify", file, "--against", url, ...few, "--coverage");
  assert.match(out, /Coverage {2}\d+ %: \d+ of \d+ sides/);
  assert.match(out, /holds +\d+ +error: missing/);
});
