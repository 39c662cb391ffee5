/**
 * Rate verification (`verify --limits`): the number of requests that a service allows, and the body
 * of its rejection.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReference } from "../../src/explore/comparison/implementation.ts";
import { type ObservedRate, observeRates } from "../../src/explore/walk/rates.ts";
import type { Model } from "../../src/model/model.ts";
import { subjectOf } from "./subjects.ts";

/** The helpdesk allows each caller 120 requests per minute. */
async function observed(served: (model: Model) => Model): Promise<ObservedRate> {
  const { model, given, handlers } = await subjectOf("examples/helpdesk.md");
  const service = await createReference(served(model), { given, handlers });
  try {
    const [rate] = await observeRates({ model, service, given, handlers, hasClock: true });
    assert.ok(rate);
    return rate;
  } finally {
    await service.close();
  }
}

function withRate(model: Model, change: Partial<Model["limits"]["rates"][number]>): Model {
  const rates = model.limits.rates.map((rate) => ({ ...rate, ...change }));
  return { ...model, limits: { ...model.limits, rates } };
}

test("the rate of a correct service holds", async () => {
  const { verdict, reason } = await observed((model) => model);
  assert.deepEqual([verdict, reason], ["holds", "120 requests allowed"]);
});

test("one request more, one less, or no rate at all is found", async () => {
  const more = await observed((model) => withRate(model, { count: 121 }));
  assert.equal(more.verdict, "broken");
  assert.match(more.reason, /: 121 or more requests allowed, expected 120$/);
  const less = await observed((model) => withRate(model, { count: 119 }));
  assert.match(less.reason, /: 119 requests allowed, expected 120$/);
  const none = await observed((model) => ({ ...model, limits: { ...model.limits, rates: [] } }));
  assert.equal(none.verdict, "broken");
});

test("a rejection with another code is found", async () => {
  const { verdict, reason } = await observed((model) => {
    const rows = model.errors.rows.map((row) =>
      row.when.some(({ condition }) => condition === "rate limited") ? { ...row, code: "too_fast" } : row,
    );
    return { ...model, errors: { ...model.errors, rows } };
  });
  assert.equal(verdict, "broken");
  assert.match(reason, /too_fast/);
});

test("a rate whose period is longer than a minute needs a clock", async () => {
  const { model, given, handlers } = await subjectOf("examples/helpdesk.md");
  const hourly = withRate(model, { periodMs: 3_600_000 });
  const service = await createReference(hourly, { given, handlers });
  const [rate] = await observeRates({ model: hourly, service, given, handlers, hasClock: false });
  await service.close();
  assert.equal(rate?.verdict, "not observable");
  assert.match(rate?.reason ?? "", /whole after 1 hour, and the service's clock can't be moved/);
});
