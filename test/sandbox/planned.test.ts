/**
 * Planning in data spaces: the default data space plans all endpoints at the start, which reports
 * unsupported queries. The others plan each endpoint at its first request.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { defaultSpace, Spaces } from "../../src/engine/sandbox/spaces.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { pathOf } from "../repository/repository.ts";

test("the default data space is planned at the start, another at its first request", async (t) => {
  const file = "examples/parcel-desk.md";
  const { model } = compile(readFileSync(pathOf(file), "utf8"), { file });
  assert.ok(model);
  let requested = 0;
  const endpoints = model.endpoints.map(
    (endpoint) =>
      new Proxy(endpoint, {
        get(target, name) {
          requested += 1;
          return Reflect.get(target, name);
        },
      }),
  );
  const spaces = await Spaces.open({
    model: { ...model, endpoints },
    seed: [],
    spaceHeader: "Ninefold-Space",
    spacesMax: 3,
    storePath: () => null,
    service: { origin: () => "http://127.0.0.1" },
    ports: { clock: systemClock, log: silentLog, randomBytes: createRandomPool() },
  });
  t.after(() => spaces.close());
  const readBy = async (name: string) => {
    const space = await spaces.named(name);
    const before = requested;
    const { status } = await space.fetch(createRequest({ method: "GET", target: "/v1/parcels/none" }));
    assert.equal(status, 401);
    return requested - before;
  };
  const [standard, other] = [await readBy(defaultSpace), await readBy("other")];
  assert.ok(
    standard * 2 < other,
    `the first request read its endpoint ${standard} times, elsewhere ${other}`,
  );
});
