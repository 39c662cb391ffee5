/**
 * Rate and concurrency keys: for IPv6 the /64 network counts, because one peer owns all of it,
 * however its addresses are written.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequest } from "../../src/engine/http/message.ts";
import { fc, times } from "../fixed-seed.ts";
import { serveDocument, smallDocument } from "./serve-document.ts";

const errors = `- Payload shape: problem details

| Code | Status | When | Meaning |
|---|---|---|---|
| too_many | 429 | rate limited | |`;
const limits = `| Limit | Bound | Applies to |
|---|---|---|
| rate few | 2 per hour | address, GET /notes |

- Time-outs: none`;

const group = fc.integer({ min: 0, max: 0xffff });
const groups = (count: number) => fc.array(group, { minLength: count, maxLength: count });
/** Zero groups are the ones that a written address omits. */
const network = fc.tuple(
  group.filter((first) => first > 0),
  fc.array(fc.oneof(fc.constant(0), group), { minLength: 3, maxLength: 3 }),
);
/** Writes an address as sockets do: without the longest run of zero groups. */
const written = (all: readonly number[]) =>
  new URL(`http://[${all.map((part) => part.toString(16)).join(":")}]`).hostname.slice(1, -1);

test("all addresses of one /64 have one key, and the next network has another", async (t) => {
  const served = await serveDocument(smallDocument({ errors, limits }));
  t.after(() => served.close());
  const requested = async (remoteAddress: string) => {
    const request = createRequest({ method: "GET", target: "/notes", headers: [], remoteAddress });
    return (await served.target.service.fetch(request)).status;
  };
  const known = new Set<string>();
  await fc.assert(
    fc.asyncProperty(network, groups(4), groups(4), async ([first, others], left, right) => {
      const here = [first, ...others];
      const alongside = [first, ...others.slice(0, 2), (others[2] as number) ^ 1];
      fc.pre(!known.has(here.join()) && !known.has(alongside.join()));
      known.add(here.join()).add(alongside.join());
      const zeros = [0, 0, 0, Math.max(1, left[3] as number)];
      assert.deepEqual(
        [
          await requested(written([...here, ...left])),
          await requested(written([...here, ...zeros])),
          await requested(written([...here, ...right])),
          await requested(written([...alongside, ...left])),
        ],
        [200, 200, 429, 200],
      );
    }),
    { numRuns: times(50) },
  );
});

test("an IPv4 address has one key, also as a dual-stack socket reports it", async (t) => {
  const served = await serveDocument(smallDocument({ errors, limits }));
  t.after(() => served.close());
  const requested = async (remoteAddress: string) => {
    const request = createRequest({ method: "GET", target: "/notes", headers: [], remoteAddress });
    return (await served.target.service.fetch(request)).status;
  };
  assert.deepEqual(
    [
      await requested("192.0.2.1"),
      await requested("::ffff:192.0.2.1"),
      await requested("192.0.2.1"),
      await requested("::ffff:192.0.2.2"),
    ],
    [200, 200, 429, 200],
  );
});
