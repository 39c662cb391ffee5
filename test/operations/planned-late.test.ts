/**
 * Late planning: a service for a few requests plans an endpoint at its first request
 * (`ServiceOptions.planLate`). A served service plans all endpoints at the start.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { test, type TestContext } from "node:test";
import { compile } from "../../src/compile.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { createService } from "../../src/engine/service.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { sqliteAlone } from "../sqlite-alone.ts";

const path = new URL("../../examples/parcel-desk.md", import.meta.url);
const { model } = compile(readFileSync(path, "utf8"), { file: basename(path.pathname) });

async function start(t: TestContext, planLate: boolean) {
  assert.ok(model);
  const store = await openStore(model, meaningOf(model), { path: ":memory:" });
  const made = counting(store);
  const service = await createService(model, {
    store: made.store,
    ports: {
      clock: createMovableClock(Date.UTC(2026, 0, 1)),
      log: silentLog,
      randomBytes: createRandomPool(),
    },
    origin: () => "http://localhost",
    planLate,
  });
  t.after(async () => {
    await service.close();
    await store.close();
  });
  const request = async () => {
    const { status, body } = await service.fetch(
      createRequest({ method: "GET", target: "/v1/parcels/none", headers: [] }),
    );
    return { status, title: (JSON.parse(String(body)) as { readonly title?: string }).title };
  };
  return { queries: made.queries, request };
}

/** Returns the store, and the number of queries that were prepared with it. */
function counting(store: Store) {
  let queries = 0;
  const counted = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (String(name).startsWith("prepare")) queries += 1;
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  return { store: counted, queries: () => queries };
}

const byOneAlone = sqliteAlone(
  "what time has made due is looked for by every request where another instance may have set it",
);

test(
  "endpoints that are planned at their first request respond like those that are planned at the start",
  byOneAlone,
  async (t) => {
    const [served, few] = [await start(t, false), await start(t, true)];
    const [all, none] = [served.queries(), few.queries()];
    assert.ok(none < all, `${none} of ${all} queries were prepared`);
    assert.deepEqual(await few.request(), await served.request());
    assert.equal(served.queries(), all);
    const first = few.queries();
    assert.ok(first > none && first < all, `${first} behind a request, ${none} before, ${all} at the start`);
    await few.request();
    assert.equal(few.queries(), first);
  },
);
