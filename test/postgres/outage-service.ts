/**
 * A serving process whose document has timed transitions, webhooks, a stream, held responses and
 * rates. It is for tests of a database outage: what it responds meanwhile, and that it recovers
 * automatically.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { served } from "../../src/cli/testing/served-command.ts";
import { eventually } from "../eventually.ts";

const document = join(import.meta.dirname, "outages.md");

export interface OutageService {
  /**
   * Expects 503 with `Retry-After` for each request.
   * @param first the kind of load that meets the outage first
   */
  expectAway(what: string, first: "reads" | "writes"): Promise<void>;
  /**
   * Expects that each request eventually gets its regular response, and that the process never
   * ended.
   */
  expectBack(what: string): Promise<void>;
}

export async function startOutageService(t: TestContext, url: string): Promise<OutageService> {
  const service = served([document, "--store", url, "--no-operations", "--log", "json"], {
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  t.after(async () => {
    service.child.kill("SIGKILL");
    await service.ended;
  });
  const origin = (await service.until(/ at (http:\S+)/))[1] as string;
  const send = async (method: string, target: string, body?: object) => {
    const answer = await fetch(origin + target, {
      method,
      ...(body ? { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(60_000),
    });
    await answer.arrayBuffer();
    return {
      request: `${method} ${target}`,
      status: answer.status,
      hasRetryAfter: answer.headers.has("Retry-After"),
    };
  };
  const load = {
    reads: [() => send("GET", "/jobs"), () => send("GET", "/jobs/1"), () => send("GET", "/jobs/1/end")],
    writes: [() => send("POST", "/jobs", { name: "new" }), () => send("PATCH", "/jobs/1", { name: "other" })],
  };
  const reading = new AbortController();
  t.after(() => reading.abort());
  const stream = () => fetch(`${origin}/events`, { signal: reading.signal });
  assert.equal((await send("POST", "/jobs", { name: "first" })).status, 201);
  assert.equal((await send("POST", "/hooks", { url: "https://receiver.test/" })).status, 201);
  await stream();
  return {
    async expectAway(what, first) {
      for (const kind of [first, first === "reads" ? "writes" : "reads"] as const)
        for (const { request, status, hasRetryAfter } of await Promise.all(
          load[kind].map((sendRequest) => sendRequest()),
        ))
          assert.deepEqual([status, hasRetryAfter], [503, true], `${what}: ${request}`);
    },
    async expectBack(what) {
      await eventually(async () => {
        for (const sendRequest of [...load.reads, ...load.writes]) {
          const { request, status } = await sendRequest();
          assert.ok(status < 300, `${what}: ${request} is answered ${status} when it is over`);
        }
      });
      assert.equal(service.child.exitCode, null, `${what}: ${service.output()}`);
      assert.doesNotMatch(service.output(), /unhandled rejection|uncaught exception/, what);
      await stream();
    },
  };
}
