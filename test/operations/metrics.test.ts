/**
 * Health and metrics: which paths are free, that others can parse the text, and that it stays
 * bounded however many paths are requested.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { createRequest } from "../../src/engine/http/message.ts";
import { send } from "../sandbox/start-sandbox.ts";
import { openForTest, type Operations, startOperations, withToken } from "./start-operations.ts";

let desk: Operations;
before(async () => {
  desk = await startOperations("examples/parcel-desk.md", "examples/parcel-desk.seed.md");
});
after(() => desk?.stop());

interface Family {
  readonly name: string;
  readonly type: string;
  readonly metrics: readonly {
    readonly value?: string;
    readonly labels?: Readonly<Record<string, string>>;
  }[];
}

/** The package has no types. */
const parsePrometheus: (text: string) => readonly Family[] = createRequire(import.meta.url)(
  "parse-prometheus-text-format",
);

async function textNow(): Promise<string> {
  const answer = await fetch(`${desk.door.url}/metrics`, { headers: withToken(desk.door) });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  return answer.text();
}

async function metricsNow(): Promise<ReadonlyMap<string, Family>> {
  const families = parsePrometheus(await textNow());
  return new Map(families.map((family) => [family.name, family]));
}

const asShop = { Authorization: "Bearer sk_ada_4f1c09", "Parcel-Version": "2026-11-01" };

test("metrics count requests by the document's endpoints, and describe the process", async () => {
  const request = (path: string) => fetch(`${desk.serviceUrl}${path}`, { headers: asShop });
  await request("/v1/parcels");
  await request("/v1/parcels");
  await request("/v1/parcels/pcl_1");
  const reported = await metricsNow();
  const durations = "http_server_request_duration_seconds";
  assert.equal(reported.get(durations)?.type, "HISTOGRAM");
  // The parser omits the labels of histograms.
  const text = await textNow();
  const took = (suffix: string) => new RegExp(`^${durations}${suffix} (\\S+)$`, "m").exec(text)?.[1];
  const labels = (route: string, status: number) =>
    `http_request_method="GET",http_route="${route}",http_response_status_code="${status}"`;
  assert.equal(took(`_count{${labels("/v1/parcels", 200)}}`), "2");
  assert.equal(took(`_bucket{${labels("/v1/parcels", 200)},le="\\+Inf"}`), "2");
  assert.ok(Number(took(`_sum{${labels("/v1/parcels", 200)}}`)) > 0);
  assert.equal(took(`_count{${labels("/v1/parcels/{id}", 404)}}`), "1");
  assert.equal(text.match(new RegExp(`^${durations}_count`, "gm"))?.length, 2);
  for (const name of [
    "http_server_active_requests",
    "ninefold_timers_due",
    "ninefold_deliveries_open",
    "ninefold_delivery_oldest_seconds",
    "nodejs_eventloop_lag_seconds",
    "ninefold_store_bytes",
    "process_resident_memory_bytes",
  ])
    assert.ok(Number(reported.get(name)?.metrics[0]?.value) >= 0, name);
  assert.equal(reported.get("ninefold_store_trouble")?.metrics[0]?.value, "0");
  const commits = async () =>
    Number(/^ninefold_commit_duration_seconds_count (\d+)$/m.exec(await textNow())?.[1]);
  const before = await commits();
  await desk.operate("POST", "/api/records", { given: 'Shop with name = "One more"' });
  assert.equal(await commits(), before + 1);
});

test("the number of series stays constant, however many paths and methods are requested", async () => {
  const seriesOf = async (): Promise<readonly string[]> =>
    (await textNow()).match(/^http_server_request_duration_seconds_count\{.*\}/gm) ?? [];
  await fetch(`${desk.serviceUrl}/nowhere`);
  const before = await seriesOf();
  for (let at = 0; at < 50; at += 1) {
    await fetch(`${desk.serviceUrl}/nowhere/${at}`);
    await fetch(`${desk.serviceUrl}/v1/parcels/pcl_${at}`, { headers: asShop });
    await send(`METHOD${at}`, `${desk.serviceUrl}/nowhere`, {});
  }
  const added = (await seriesOf()).filter((series) => !before.includes(series));
  // An unknown method is rejected with its own status, once.
  assert.deepEqual(added, [
    'http_server_request_duration_seconds_count{http_request_method="_OTHER",http_route="",http_response_status_code="400"}',
  ]);
});

/** `NINEFOLD_RUNS=50` sends 100,000 requests. */
const pathsRequested = 2000 * Number(process.env["NINEFOLD_RUNS"] ?? 1);

test("unknown paths add no series and hardly any text", { timeout: 600_000 }, async () => {
  const before = await textNow();
  const { service } = desk;
  for (let at = 0; at < pathsRequested; at += 1)
    await service.fetch(createRequest({ method: "GET", target: `/nowhere/${at}/${"x".repeat(at % 50)}` }));
  const after = await textNow();
  const lines = (text: string) => text.split("\n").length;
  assert.equal(lines(after), lines(before));
  const missed = (text: string) =>
    Number(/^\S+_count\{http_request_method="GET",http_route="",\S+="404"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  assert.equal(missed(after) - missed(before), pathsRequested);
  assert.ok(after.length - before.length < 500, `${after.length - before.length} characters more`);
});

test("health is free, shows no figures, and responds before the service starts", async () => {
  const healthOf = async (url: string, path: string) => {
    const answer = await fetch(`${url}${path}`);
    return [answer.status, (await answer.text()).trim()];
  };
  assert.deepEqual(await healthOf(desk.door.url, "/livez"), [200, "ok"]);
  assert.deepEqual(await healthOf(desk.door.url, "/readyz"), [
    200,
    "store: ok\nmigrations: ok\ndisk: ok\ndeliveries: ok",
  ]);
  const early = await openForTest();
  try {
    assert.deepEqual(await healthOf(early.url, "/livez"), [200, "ok"]);
    assert.deepEqual(await healthOf(early.url, "/readyz"), [503, "starting"]);
    await early.open(desk.operated);
    assert.deepEqual((await healthOf(early.url, "/readyz"))[0], 200);
    const { deliveries } = desk.service;
    const inTime = deliveries.isBehind;
    Object.assign(deliveries, { isBehind: (ms: number) => ms === 300_000 });
    assert.deepEqual(await healthOf(early.url, "/readyz"), [
      503,
      "store: ok\nmigrations: ok\ndisk: ok\ndeliveries: failing",
    ]);
    Object.assign(deliveries, { isBehind: inTime });
    early.drain();
    assert.deepEqual(await healthOf(early.url, "/readyz"), [503, "draining"]);
    const foreign = await fetch(`${early.url}/livez`, { headers: { "Sec-Fetch-Site": "cross-site" } });
    assert.deepEqual([foreign.status, await foreign.text()], [403, ""]);
  } finally {
    await early.close(0);
  }
});
