/** Streams of a data space: isolation, lifetime, reset. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { createRequest, type StreamedBody } from "../../src/engine/http/message.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { Spaces } from "../../src/engine/sandbox/spaces.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { pathOf } from "../repository/repository.ts";

test("streams belong to one data space, keep it open, and end when it is reset", async (t) => {
  const file = "test/documents/courier.md";
  const { model } = compile(readFileSync(pathOf(file), "utf8"), { file });
  assert.ok(model);
  const seed = `- Given: \`Shop with name = "Ada & Co" as ada\`
- Given: \`ApiKey with shop = ada, key = "sk_ada_00000001"\``;
  const spaces = await Spaces.open({
    model,
    seed: readGivenItems(model, "seed", seed).steps,
    spaceHeader: "Ninefold-Space",
    spacesMax: 2,
    storePath: () => null,
    service: { origin: () => "http://127.0.0.1" },
    ports: { clock: systemClock, log: silentLog, randomBytes: createRandomPool() },
  });
  t.after(() => spaces.close());
  const request = (space: string, method: string, target: string, body?: object) =>
    spaces.fetch(
      createRequest({
        method,
        target,
        headers: [
          ["Ninefold-Space", space],
          ["Authorization", "Bearer sk_ada_00000001"],
          ["Content-Type", "application/json"],
        ],
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    );
  const opened = await request("a", "GET", "/events");
  assert.equal(opened.status, 200);
  const stream = opened.body as StreamedBody;
  let text = "";
  const ended = (async () => {
    for await (const piece of stream) text += piece;
  })();
  assert.equal((await request("a", "POST", "/parcels", { to: "Grace" })).status, 201);
  assert.equal((await request("default", "POST", "/parcels", { to: "Alan" })).status, 201);
  while (!text.includes("parcel.registered")) await new Promise((resolve) => setImmediate(resolve));
  // The other data space has one reader, so it can't be evicted.
  assert.equal((await request("b", "GET", "/events")).status, 503);
  const space = await spaces.named("a");
  assert.equal(space.requestsInProgress, 1);
  await space.reset(true);
  await ended;
  assert.doesNotMatch(text, /Alan/);
  assert.equal(space.requestsInProgress, 0);
  const again = await request("a", "GET", "/events");
  assert.equal(again.status, 200);
});
