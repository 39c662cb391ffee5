/** Bounds of the operations API: each accepts its last value, and rejects the next. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bulkMax } from "../../src/engine/admin/bulk.ts";
import { namesMax } from "../../src/engine/admin/field-path.ts";
import { filtersMax } from "../../src/engine/admin/filters.ts";
import { pageSizeMax } from "../../src/engine/admin/page-size.ts";
import { sandboxLimits } from "../../src/engine/sandbox/limits.ts";
import { startSandbox } from "../../src/kit/sandbox.ts";
import { importLimits } from "../../src/admin/api/records/import-limits.ts";
import { routes } from "../../src/admin/api/routes.ts";
import { pathOf } from "../repository/repository.ts";
import { type Operations, startOperations, withToken } from "./start-operations.ts";

let operations: Operations;
before(async () => {
  operations = await startOperations("test/operations/records.md");
});
after(() => operations?.stop());

const statusOf = async (method: string, path: string, body?: unknown) =>
  (await operations.operate(method, path, body)).status;

/** Returns the status for each of these values. */
async function statuses<T>(
  values: readonly T[],
  of: (value: T) => Promise<number>,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const value of values) found.push(await of(value));
  return found;
}

test("every list accepts a limit from 1 to the largest page", async () => {
  const listing = routes.filter(({ query }) => query !== undefined && "limit" in query.properties);
  assert.ok(listing.length > 4);
  for (const { method, path } of listing) {
    const place = path.replace("{resource}", "Person");
    assert.doesNotMatch(place, /\{/, path);
    const got = await statuses([0, 1, pageSizeMax - 1, pageSizeMax, pageSizeMax + 1], (limit) =>
      statusOf(method, `${place}?limit=${limit}`),
    );
    assert.deepEqual(got, [400, 200, 200, 200, 400], path);
  }
});

test("a body is accepted up to its bound, whatever its content, and rejected beyond it", async () => {
  const { door } = operations;
  const { bodyBytesMax } = sandboxLimits;
  const sized = (bytes: number) =>
    fetch(`${door.url}/api/records/Person`, {
      method: "POST",
      headers: { ...withToken(door), "Content-Type": "application/json" },
      body: `{"given": ""${" ".repeat(bytes - 13)}}`,
    }).then(({ status }) => status);
  const got = await statuses([bodyBytesMax - 1, bodyBytesMax, bodyBytesMax + 1], sized);
  assert.equal(got[2], 413);
  assert.deepEqual(
    got.slice(0, 2).map((status) => status !== 413),
    [true, true],
  );
});

test("a query accepts filters, and names in a path, up to their bounds", async () => {
  const list = (filters: readonly string[]) =>
    operations.operate(
      "GET",
      `/api/records/Person?${filters.map((filter) => `filter=${encodeURIComponent(filter)}`).join("&")}`,
    );
  const repeated = (count: number) => Array.from({ length: count }, () => "email is not empty");
  assert.deepEqual(
    await statuses(
      [filtersMax - 1, filtersMax, filtersMax + 1],
      async (count) => (await list(repeated(count))).status,
    ),
    [200, 200, 400],
  );
  const problemOf = async (names: number) =>
    JSON.stringify((await list([`${Array.from({ length: names }, () => "x").join(".")} is empty`])).json);
  assert.match(await problemOf(namesMax), /has no field/);
  assert.match(await problemOf(namesMax + 1), new RegExp(`has more than ${namesMax} names`));
});

test("a bulk change names records up to its bound, and only as many as there are", async () => {
  const change = (body: object) => operations.operate("POST", "/api/changes/Person", body);
  const ids = (count: number) =>
    Array.from({ length: count }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`);
  for (const given of [
    (count: number) => ({ filter: [], count, do: "delete" }),
    (count: number) => ({ ids: ids(count), count, do: "delete" }),
  ]) {
    assert.doesNotMatch(JSON.stringify((await change(given(bulkMax))).json), /at most/i);
    const beyond = await change(given(bulkMax + 1));
    assert.equal(beyond.status, 400);
    assert.match(JSON.stringify(beyond.json), new RegExp(`[Aa]t most ${bulkMax}`));
  }
});

test("an import accepts chunks up to a number of lines, and runs a limited number at once", async () => {
  const { pieceLinesMax, openMax } = importLimits;
  const open = async () => operations.operate("POST", "/api/imports/Person", { mode: "add", events: false });
  const ids: string[] = [];
  for (let at = 0; at < openMax; at += 1) {
    const { status, json } = await open();
    assert.equal(status, 200, `${at}: ${JSON.stringify(json)}`);
    ids.push((json as { id: string }).id);
  }
  assert.equal((await open()).status, 503);
  const lines = (count: number) =>
    Array.from({ length: count }, () => '{"line": 1, "fields": {}}').join("\n");
  const got = await statuses([pieceLinesMax - 1, pieceLinesMax, pieceLinesMax + 1], (count) =>
    statusOf("POST", `/api/imports/Person/${ids[0]}`, { lines: lines(count) }),
  );
  assert.deepEqual(got, [200, 200, 400]);
});

test("a sandbox accepts data spaces, their names and snapshots up to their bounds", async () => {
  const { spaceNameMax, snapshotsMax } = sandboxLimits;
  await using sandbox = await startSandbox({
    document: pathOf("test/operations/records.md"),
    inProcess: true,
  });
  const operate = async (space: string, method: string, path: string, body?: object) =>
    (
      await fetch(`${sandbox.operations}${path}?space=${space}`, {
        method,
        headers: { Authorization: `Bearer ${sandbox.token}`, "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    ).status;
  assert.deepEqual(
    await statuses([1, spaceNameMax - 1, spaceNameMax, spaceNameMax + 1], (length) =>
      operate("a".repeat(length), "GET", "/api/clock"),
    ),
    [200, 200, 200, 400],
  );
  const taken = await statuses(
    Array.from({ length: snapshotsMax + 1 }, (_, at) => at),
    (at) => operate("snapshots", "POST", "/api/snapshots", { name: `s${at}` }),
  );
  assert.deepEqual(new Set(taken.slice(0, snapshotsMax)), new Set([200]));
  assert.ok((taken.at(-1) as number) >= 400, String(taken.at(-1)));
  // A snapshot with an existing name replaces it. A removed one frees its slot.
  assert.equal(await operate("snapshots", "POST", "/api/snapshots", { name: "s0" }), 200);
  assert.equal(await operate("snapshots", "DELETE", "/api/snapshots/s1"), 200);
  assert.equal(await operate("snapshots", "POST", "/api/snapshots", { name: "other" }), 200);
});
