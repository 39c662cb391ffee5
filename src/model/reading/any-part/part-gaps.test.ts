/**
 * `not shown` instead of any part of a value, after the words that it belongs to (notation, "The 26 items"): a gap,
 * never a mistake.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileLibrary } from "../../../../test/documents/library.ts";
import type { Model } from "../../model.ts";

type Part = "authentication" | "events" | "errors" | "limits" | "versioning";

/** The smaller gaps of a part, and its model. A mistake fails the test. */
function gapsOf(part: Part, text: string): { readonly gaps: readonly string[]; readonly model: Model } {
  const { model, diagnostics } = compileLibrary({ [part]: text });
  const mistakes = diagnostics.filter((diagnostic) => diagnostic.kind === "mistake");
  assert.deepEqual(
    mistakes.map(({ code, message }) => `${code} ${message}`),
    [],
  );
  assert.ok(model);
  const gaps = model.ledger.filter((entry) => entry.part === part).flatMap((entry) => entry.smallerGaps);
  gaps.sort((a, b) => a.position.start.offset - b.position.start.offset);
  return { gaps: gaps.map((gap) => `${gap.item}: ${gap.subject}`), model };
}

test("a scheme with a part that isn't shown has an unknown caller", () => {
  const { gaps, model } = gapsOf(
    "authentication",
    "### Scheme: key\n\n- Placement: header not shown\n- Credentials: Account by sid, from claim sub\n- Signed with: RS256, keys at not shown",
  );
  assert.deepEqual(gaps, ['placement: a part of "Placement"', 'credentials: a part of "Signed with"']);
  assert.equal(model.authentication.gap?.item, "placement");
});

test("webhooks whose condition isn't shown have no receiver, and a trigger whose condition isn't shown never fires", () => {
  const table =
    "| Event | When | Payload |\n|---|---|---|\n| book.lent | Book lend when not shown, Book created | Book |\n";
  const { gaps, model } = gapsOf(
    "events",
    `${table}\n- Webhooks: to Hook.url when not shown\n- Signature: Standard Webhooks, secret not shown\n- Retries: 5 seconds, not shown\n- Log: kept 30 days, as not shown`,
  );
  assert.deepEqual(gaps, [
    "events: a part of the event book.lent",
    'webhooks: a part of "Webhooks"',
    'webhooks: a part of "Signature"',
    'webhooks: a part of "Retries"',
    'events: a part of "Log"',
  ]);
  assert.deepEqual(
    model.events.events[0]?.triggers.map((trigger) => trigger.kind),
    ["created"],
  );
  assert.equal(model.events.webhooks, undefined);
  assert.equal(model.events.retriesMs, undefined);
});

test("the subject of an error may be a gap, and so may an expression in its text", () => {
  const { gaps, model } = gapsOf(
    "errors",
    "- Payload shape: problem details\n\n| Code | Status | When | Message |\n|---|---|---|---|\n| a | 404 | not found of not shown, forbidden | It is {not shown}. |",
  );
  assert.equal(gaps.length, 2);
  assert.deepEqual(
    model.errors.rows[0]?.when.map((when) => when.condition),
    ["forbidden"],
  );
});

test("a limit with a part that isn't shown is not enforced", () => {
  const table = "| Limit | Bound | Applies to |\n|---|---|---|\n";
  const { gaps, model } = gapsOf(
    "limits",
    `${table}| rate a | 5 per second | caller, when not shown |\n| rate b | 5 per not shown | caller |\n| body | 5 MB | except not shown |\n| stored | 5 Book where not shown | |\n`,
  );
  assert.deepEqual(gaps, [
    "rate limits: a part of `rate a`",
    "rate limits: a part of `rate b`",
    "size limits: a part of `body`",
    "size limits: a part of `stored`",
  ]);
  assert.deepEqual([model.limits.rates, model.limits.bodyBytes, model.limits.stored], [[], [], []]);
});

test("a change may leave open the value of older versions", () => {
  const { gaps, model } = gapsOf(
    "versioning",
    "- Scheme: header not shown\n- Default: pinned per not shown\n- Compatibility: none\n\n| Version | Status |\n|---|---|\n| v2 | current |\n| v1 | supported |\n\n### Changes in v2\n\n- Removed: Book.label, was not shown\n- Replaced: Book.title, new not shown, old `this.title`",
  );
  assert.equal(gaps.length, 4);
  assert.deepEqual(
    model.versioning.versions[0]?.changes.map((change) => change.kind),
    ["removed"],
  );
});
