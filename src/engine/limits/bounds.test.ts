/** Request bounds: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint, LimitsPart } from "../../model/model.ts";
import { engineDefaults, operatorCeilings } from "../defaults.ts";
import { boundsOf, headBytesOf } from "./bounds.ts";

const none: LimitsPart = {
  rates: [],
  concurrency: [],
  bodyBytes: [],
  timeoutsMs: [],
  pages: [],
  stored: [],
};
const head = (sizes: Partial<LimitsPart>) => headBytesOf({ ...none, ...sizes });
const { urlBytesMax, headerBytesMax } = engineDefaults;

test("the longest head is the sum of target and headers, each by default the engine's", () => {
  assert.equal(head({ urlBytes: 20_000, headerBytes: 30_000 }), 50_000);
  assert.equal(head({ urlBytes: 20_000 }), 20_000 + headerBytesMax);
  assert.equal(head({ headerBytes: 30_000 }), urlBytesMax + 30_000);
  assert.equal(head({}), urlBytesMax + headerBytesMax);
});

test("a slightly longer head is read and rejected with the document's own error, but never one beyond the ceiling", () => {
  assert.equal(head({ urlBytes: 100, headerBytes: 100 }), urlBytesMax + headerBytesMax);
  assert.equal(head({ urlBytes: 60_000, headerBytes: 60_000 }), operatorCeilings.headBytesMax);
});

test("the size and time of a request are the document's, by default the engine's, and at most the operator's", () => {
  const endpoint = { method: "POST", path: { text: "/notes" }, does: [] } as unknown as Endpoint;
  const row = { applies: { to: "every request", except: [] }, position: {} } as unknown as Pick<
    LimitsPart["bodyBytes"][number],
    "applies" | "position"
  >;
  const bounds = (bytes: number, milliseconds: number) =>
    boundsOf({ ...none, bodyBytes: [{ ...row, bytes }], timeoutsMs: [{ ...row, milliseconds }] }, endpoint);
  const { bodyBytesMax, timeoutMs } = engineDefaults;
  assert.deepEqual(boundsOf(none, endpoint), { bodyBytesMax, timeoutMs });
  assert.deepEqual(bounds(10, 20), { bodyBytesMax: 10, timeoutMs: 20 });
  assert.deepEqual(bounds(operatorCeilings.bodyBytesMax + 1, operatorCeilings.timeoutMs + 1), {
    bodyBytesMax: operatorCeilings.bodyBytesMax,
    timeoutMs: operatorCeilings.timeoutMs,
  });
});
