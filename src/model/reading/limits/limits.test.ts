/** Part 8, limits: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileLibrary, libraryModel } from "../../../../test/documents/library.ts";

const table = "| Limit | Bound | Applies to |\n|---|---|---|\n";
const everything = { to: "every request", except: [] };

test("a rate counts per caller, address, service or an expression, and may leave endpoints out", () => {
  const { limits } = libraryModel({
    limits: `${table}| rate core | 5000 per hour | caller, except GET /books, GET /books/{id}, when \`caller != null\`, costing \`size(path.id) + 1\` |
| rate search | 10 per 15 minutes, burst 20 | address, GET /books |
| rate all | 1000 per second | service |
| rate each | 10 per second | \`caller.version\`, every request |
`,
  });
  const [core, search, all, perCaller] = limits.rates.map(({ position: _where, ...rate }) => rate);
  assert.deepEqual(
    { ...core, when: core?.when?.text, cost: core?.cost?.text },
    {
      name: "core",
      count: 5000,
      periodMs: 3_600_000,
      per: "caller",
      applies: {
        to: "every request",
        except: [
          { method: "GET", path: "/books" },
          { method: "GET", path: "/books/{id}" },
        ],
      },
      when: "caller != null",
      cost: "size(path.id) + 1",
    },
  );
  assert.deepEqual(search, {
    name: "search",
    count: 10,
    periodMs: 900_000,
    burst: 20,
    per: "address",
    applies: { to: [{ method: "GET", path: "/books" }], except: [] },
  });
  assert.deepEqual([all?.per, all?.applies], ["service", everything]);
  assert.equal(typeof perCaller?.per === "object" && perCaller.per.text, "caller.version");
});

test("the other kinds are read in their own units", () => {
  const { limits } = libraryModel({
    limits: `${table}| concurrency | 10 | caller |
| concurrency | 100 requests | service |
| body | 64 KiB | every request |
| body | 5 MB | POST /books |
| url | 8 KiB | |
| headers | 16 KiB | every request |
| time-out | 10 seconds | every request, except POST /books |
| page | default 20, maximum 100, clamped | GET /books |
| page | maximum 50 | every list |
| stored few | 20 Key per Account where \`this.signing != null\` | |
| stored | 1000 Book per account | |

- Rate headers: X-RateLimit (limit, remaining, reset as unix seconds)`,
  });
  assert.deepEqual(
    limits.concurrency.map((limit) => [limit.count, limit.per]),
    [
      [10, "caller"],
      [100, "service"],
    ],
  );
  assert.deepEqual(
    limits.bodyBytes.map((bound) => bound.bytes),
    [65_536, 5_000_000],
  );
  assert.deepEqual([limits.urlBytes, limits.headerBytes], [8192, 16_384]);
  assert.equal(limits.timeoutsMs[0]?.milliseconds, 10_000);
  assert.deepEqual(limits.timeoutsMs[0]?.applies.except, [{ method: "POST", path: "/books" }]);
  assert.deepEqual(
    limits.pages.map(({ position: _where, boundAt: _bound, ...page }) => page),
    [
      {
        default: 20,
        maximum: 100,
        over: "clamped",
        applies: { to: [{ method: "GET", path: "/books" }], except: [] },
      },
      { maximum: 50, over: "refused", applies: { to: "every list", except: [] } },
    ],
  );
  assert.deepEqual(
    limits.stored.map((stored) => [
      stored.name,
      stored.count,
      stored.resource,
      stored.per,
      stored.where?.text,
    ]),
    [
      ["few", 20, "Key", "account", "this.signing != null"],
      ["", 1000, "Book", "account", undefined],
    ],
  );
  assert.deepEqual(limits.rateHeaders, { fields: ["limit", "remaining", "reset as unix seconds"] });
});

test("a bound that is the only one of its kind and not shown leaves the item open, others are smaller gaps", () => {
  const { model } = compileLibrary({
    limits: `${table}| rate | 5 per second, burst not shown | caller |
| rate search | not shown | caller |
| body | not shown | every request |
| time-out | none | every request |
| page | default 20, maximum not shown | every list |
`,
  });
  const answers = model?.ledger
    .filter((entry) => entry.part === "limits")
    .map((entry) => [entry.answer, entry.smallerGaps.length]);
  assert.deepEqual(answers, [
    ["stated", 2],
    ["not shown", 0],
    ["none", 0],
    ["stated", 1],
  ]);
  assert.equal(model?.limits.rates.length, 1);
  assert.equal(model?.limits.pages[0]?.maximum, undefined);
});

test("a rate without a stated subject is a gap, and isn't enforced", () => {
  const { model } = compileLibrary({ limits: `${table}| rate | 5 per second | every request |\n` });
  assert.deepEqual(model?.limits.rates, []);
  const entry = model?.ledger.find((entry) => entry.item === "rate limits");
  assert.deepEqual([entry?.answer, entry?.smallerGaps.length], ["stated", 1]);
});
