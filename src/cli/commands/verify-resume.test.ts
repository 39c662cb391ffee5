/** `ninefold verify`: runs that are interrupted, and resumed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ownFolder } from "../../../test/own-folder.ts";
import { notes, notesDocument, serving } from "../../../test/verify/notes-service.ts";
import { runCommand } from "../testing/run-command.ts";

const folder = ownFolder("verify-resume");
const file = join(folder, "notes.md");
writeFileSync(file, notesDocument);

/**
 * A service of the document.
 * @param isAnswered whether it answers the request with this number, counted from 1
 * @returns its URL, and a promise of its request number `count`
 */
async function servingUntil(count: number, isAnswered: (seen: number) => boolean) {
  const right = notes();
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  let seen = 0;
  const url = await serving((request, response) => {
    seen += 1;
    if (isAnswered(seen)) right(request, response);
    if (seen === count) resolve();
  });
  return { url, reached };
}

test("Ctrl-C ends a run whose service hangs, with a report of the requests so far", async () => {
  const { url, reached } = await servingUntil(20, (seen) => seen < 20);
  const bin = join(import.meta.dirname, "../../../bin/ninefold");
  const child = spawn(process.execPath, [bin, "verify", file, "--against", url, "--seed", "1", "--json"]);
  let out = "";
  child.stdout.on("data", (piece) => (out += String(piece)));
  await reached;
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  const { rows } = JSON.parse(out) as { rows: { verdict: string }[] };
  assert.ok(rows.some(({ verdict }) => verdict === "holds"));
});

interface Report {
  readonly requests: number;
  readonly resumed_requests: number;
  readonly finished: boolean;
  readonly records_left: number;
  readonly rows: readonly { readonly item: string; readonly verdict: string; readonly requests: number }[];
}

const reportOf = (out: string): Report => JSON.parse(out);
const brokenIn = ({ rows }: Report) => rows.filter(({ verdict }) => verdict === "broken");

test("a resumed run sends only what an earlier one didn't, and reports both", async () => {
  let sent = 0;
  const right = notes();
  const url = await serving((request, response) => {
    sent += 1;
    right(request, response);
  });
  const journal = join(folder, "resumed.jsonl");
  const verify = async (requests: number) =>
    runCommand(
      "verify",
      file,
      "--against",
      url,
      "--json",
      "--resume",
      journal,
      "--requests",
      String(requests),
    );
  const first = reportOf((await verify(60)).out);
  assert.deepEqual([first.requests, first.resumed_requests], [sent - 1, 0]);
  const sentBefore = sent;
  const second = reportOf((await verify(150)).out);
  assert.deepEqual(brokenIn(second), []);
  assert.equal(second.resumed_requests, first.requests);
  // One further request checks whether the service is still the document's.
  assert.equal(second.requests - second.resumed_requests, sent - sentBefore - 1);
  const third = reportOf((await verify(150)).out);
  assert.equal(third.requests, second.requests);
  assert.deepEqual(third.rows, second.rows);
});

test("a run that Ctrl-C stopped is resumed, with the records that it left", async () => {
  const { url, reached } = await servingUntil(40, (seen) => seen !== 40);
  const journal = join(folder, "stopped.jsonl");
  const bin = join(import.meta.dirname, "../../../bin/ninefold");
  const args = ["verify", file, "--against", url, "--seed", "1", "--json", "--resume", journal];
  const child = spawn(process.execPath, [bin, ...args]);
  await reached;
  child.kill("SIGINT");
  await once(child, "close");
  const { out, complaints } = await runCommand(...args, "--requests", "150");
  assert.equal(complaints, "");
  const report = reportOf(out);
  assert.deepEqual(brokenIn(report), []);
  assert.ok(report.resumed_requests > 20 && report.requests >= 150 && report.finished);
});

test("a run that was killed is resumed", async () => {
  const { url, reached } = await servingUntil(40, () => true);
  const journal = join(folder, "killed.jsonl");
  const bin = join(import.meta.dirname, "../../../bin/ninefold");
  const args = ["verify", file, "--against", url, "--seed", "1", "--json", "--resume", journal];
  const child = spawn(process.execPath, [bin, ...args]);
  await reached;
  child.kill("SIGKILL");
  await once(child, "close");
  const report = reportOf((await runCommand(...args, "--requests", "150")).out);
  assert.deepEqual(brokenIn(report), []);
  assert.ok(report.resumed_requests > 20 && report.requests >= 150);
});

test("a file of another run is not resumed", async () => {
  const url = await serving(notes());
  const journal = join(folder, "other.jsonl");
  const args = ["verify", file, "--against", url, "--requests", "20", "--resume", journal];
  await runCommand(...args, "--seed", "1");
  const { code, complaints } = await runCommand(...args, "--seed", "2");
  assert.equal(code, 3);
  assert.match(complaints, /other\.jsonl can't be resumed: --seed was another one/);
  writeFileSync(journal, "no journal\n");
  const { complaints: second } = await runCommand(...args);
  assert.match(second, /other\.jsonl can't be resumed: .*Name a file that `verify --resume` wrote/);
});

test("Ctrl-C deletes the records that the run created", async () => {
  const deletable = join(folder, "deletable.md");
  writeFileSync(
    deletable,
    readFileSync(file, "utf8").replace(
      "### GET /notes\n",
      "### DELETE /notes/{id}\n\n- Does: delete Note\n- Allowed: anyone\n- Returns: 204 nothing\n\n### GET /notes\n",
    ),
  );
  const right = notes();
  let kept = 0;
  let reached = () => {};
  const creating = new Promise<void>((resolve) => (reached = resolve));
  const url = await serving((request, response) => {
    response.on("finish", () => {
      if (request.method === "POST" && response.statusCode === 201) kept += 1;
      if (request.method === "DELETE" && response.statusCode === 204) kept -= 1;
      if (kept > 5) reached();
    });
    right(request, response);
  });
  const bin = join(import.meta.dirname, "../../../bin/ninefold");
  const child = spawn(process.execPath, [
    bin,
    "verify",
    deletable,
    "--against",
    url,
    "--seed",
    "1",
    "--json",
  ]);
  let out = "";
  child.stdout.on("data", (piece) => (out += String(piece)));
  await creating;
  child.kill("SIGINT");
  await once(child, "close");
  const report = reportOf(out);
  assert.deepEqual(brokenIn(report), []);
  assert.equal(kept, report.records_left);
  assert.equal(kept, 0);
});
