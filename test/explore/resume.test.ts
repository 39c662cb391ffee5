/** Resumed runs of `verify` with webhooks and streams: what the first run received is compared again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createOutbound, type Outbound } from "../../src/engine/outbound/outbound.ts";
import {
  createReference,
  openLocal,
  type Implementation,
} from "../../src/explore/comparison/implementation.ts";
import { Journal, type JournalEntry } from "../../src/explore/comparison/journal.ts";
import { type Verification, type VerifyOptions, verify } from "../../src/explore/verify.ts";
import { WebhookInbox } from "../../src/explore/comparison/webhooks.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { machine } from "../../src/support/machine.ts";
import { type Subject, subjectOf } from "./subjects.ts";

type Send = Outbound["request"];

/** Runs of one service whose answers are recorded, as `--resume` does it. */
class Runs {
  readonly #entries: JournalEntry[] = [];
  readonly #startMs: number;
  readonly #options: Pick<VerifyOptions, "model" | "given" | "handlers" | "service">;

  constructor({ model, given, handlers }: Subject, service: Implementation) {
    this.#startMs = service.nowMs();
    this.#options = { model, given, handlers, service };
  }

  /** @param stopsAt the request after which the user stops the run */
  run(requestsMax: number, more: Partial<VerifyOptions> = {}, stopsAt?: number): Promise<Verification> {
    const stop = new AbortController();
    return verify({
      ...this.#options,
      ...more,
      seed: 1,
      requestsMax,
      timeMsMax: 120_000,
      faultsMax: 3,
      replaysMax: 1,
      signal: stop.signal,
      journal: new Journal({
        recorded: [...this.#entries],
        startMs: this.#startMs,
        append: (entry) => void this.#entries.push(entry),
      }),
      onProgress({ requests }) {
        if (requests === stopsAt) stop.abort();
      },
    });
  }
}

function differencesOf({ faults }: Verification): readonly string[] {
  return faults.flatMap(({ caseName, differences }) =>
    differences.map(({ what, expected, actual }) => `${caseName}: ${what}: ${expected}, ${actual}`),
  );
}

function requestsOf({ aspects }: Verification, wanted: string): number {
  return aspects.reduce((sum, { aspect, requests }) => sum + (aspect === wanted ? requests : 0), 0);
}

/**
 * Verifies the parcel desk in two runs, whose inboxes have the same address.
 * @param sending replaces how webhooks are sent, once `isSecond` is true
 */
async function withWebhooks(
  sending: (send: Send, isSecond: () => boolean) => Send = (send) => send,
): Promise<readonly [Verification, Verification]> {
  const subject = await subjectOf("examples/parcel-desk.md");
  const outbound = createOutbound({ allowPrivate: true });
  let isSecond = false;
  const target = await createLocalTarget(subject.model, { printError() {} }, subject.handlers, {
    startMs: machine.now(),
    webhooksOver: {
      request: sending(
        (request) => outbound.request(request),
        () => isSecond,
      ),
    },
  });
  for (const step of subject.given) await target.given(step);
  target.service.deliveries.start();
  const runs = new Runs(subject, {
    origin: target.origin,
    send: (request) => target.send(request),
    open: (request) => openLocal(target.service, request),
    nowMs: () => target.nowMs(),
    passTime: async (milliseconds) => target.wait(milliseconds),
    close: () => target.close(),
  });
  const first = await WebhookInbox.open({ waitMs: 10_000, hasClock: true });
  const before = await runs.run(120, { inbox: first });
  await first.close();
  const again = await WebhookInbox.open({
    waitMs: 10_000,
    hasClock: true,
    port: Number(new URL(first.url).port),
  });
  isSecond = true;
  const after = await runs.run(260, { inbox: again });
  await again.close();
  await target.close();
  return [before, after];
}

test("webhooks of an earlier run are compared again, and those of the next one", async () => {
  const [before, after] = await withWebhooks();
  assert.deepEqual([differencesOf(before), differencesOf(after)], [[], []]);
  assert.ok(after.resumed > 50 && after.resumed <= before.requests);
  assert.ok(after.webhooks?.isReached);
  const [ofFirst, ofBoth] = [requestsOf(before, "webhooks"), requestsOf(after, "webhooks")];
  assert.ok(ofFirst > 0 && ofBoth > ofFirst, `${ofFirst}, then ${ofBoth}`);
});

test("a webhook that changes after the first run is found by the next one", async () => {
  const [before, after] = await withWebhooks(
    (send, isSecond) => (request) => send(isSecond() ? { ...request, method: "PUT" } : request),
  );
  assert.deepEqual(differencesOf(before), []);
  assert.match(differencesOf(after).join("\n"), /: webhook \S+ method: POST, PUT$/m);
});

test("streams that were open when a run was stopped are read again", async () => {
  const subject = await subjectOf("test/documents/courier.md");
  const service = await createReference(subject.model, subject);
  const runs = new Runs(subject, service);
  const before = await runs.run(400, {}, 65);
  const after = await runs.run(320);
  await service.close();
  assert.deepEqual([differencesOf(before), differencesOf(after)], [[], []]);
  assert.ok(after.resumed > 50 && after.resumed <= before.requests);
  const [ofFirst, ofBoth] = [requestsOf(before, "streams"), requestsOf(after, "streams")];
  assert.ok(ofFirst > 0 && ofBoth > ofFirst, `${ofFirst}, then ${ofBoth}`);
});
