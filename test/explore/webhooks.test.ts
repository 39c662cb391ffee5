/** Webhook verification: `verify` reports nothing for a correct service, and finds wrong ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createOutbound, type Outbound } from "../../src/engine/outbound/outbound.ts";
import { verify, type Verification } from "../../src/explore/verify.ts";
import { openLocal } from "../../src/explore/comparison/implementation.ts";
import { WebhookInbox } from "../../src/explore/comparison/webhooks.ts";
import type { Model } from "../../src/model/model.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { machine } from "../../src/support/machine.ts";
import type { SentRequest } from "../../src/verify/scenario-failure.ts";
import { subjectOf } from "./subjects.ts";

type Send = Outbound["request"];

/**
 * Verifies the parcel desk as this model serves it.
 * @param over replaces how webhooks are sent
 */
async function verified(
  over: (send: Send) => Send = (send) => send,
  served: (model: Model) => Model = (model) => model,
  waitMs = 20_000,
): Promise<Verification> {
  const { model, given, handlers } = await subjectOf("examples/parcel-desk.md");
  const outbound = createOutbound({ allowPrivate: true });
  const target = await createLocalTarget(served(model), { printError() {} }, handlers, {
    startMs: machine.now(),
    webhooksOver: { request: over((request) => outbound.request(request)) },
  });
  for (const step of given) await target.given(step);
  target.service.deliveries.start();
  const inbox = await WebhookInbox.open({ waitMs, hasClock: true });
  const service = {
    origin: target.origin,
    send: (request: Parameters<typeof target.send>[0]) => target.send(request),
    open: (request: SentRequest) => openLocal(target.service, request),
    nowMs: () => target.nowMs(),
    passTime: async (milliseconds: number) => target.wait(milliseconds),
    close: () => target.close(),
  };
  const bounds = { requestsMax: 320, timeMsMax: 120_000, faultsMax: 3 };
  try {
    return await verify({ model, service, given, handlers, seed: 3, inbox, ...bounds });
  } finally {
    await target.close();
    await inbox.close();
  }
}

function ofWebhooks({ faults }: Verification): readonly string[] {
  return faults
    .filter(({ aspect }) => aspect === "webhooks")
    .flatMap(({ differences }) => differences.map(({ what, actual }) => `${what}: ${actual}`));
}

test("the webhooks of the document's own service hold", async () => {
  const verification = await verified();
  assert.deepEqual(
    verification.faults.map(({ differences }) => differences),
    [],
  );
  assert.equal(verification.webhooks?.isReached, true);
  const compared = verification.aspects.filter(({ aspect }) => aspect === "webhooks");
  assert.ok(compared.length > 0, "webhooks were compared");
});

test("a webhook that is sent twice is found", async () => {
  const found = ofWebhooks(
    await verified((send) => async (request) => {
      await send(request);
      return send(request);
    }),
  );
  assert.match(found.join("\n"), /^webhook: \{/m);
});

test("a webhook that is lost is found", async () => {
  let sent = 0;
  const losing = (send: Send): Send => {
    return async (request) => {
      sent += 1;
      return sent % 2 === 0 ? { status: 204, headers: {}, body: new Uint8Array() } : send(request);
    };
  };
  const found = ofWebhooks(await verified(losing, undefined, 1_000));
  assert.match(found.join("\n"), /^webhook \S+: not received within 1 s$/m);
});

test("a webhook without a signature, or with another one, is found", async () => {
  const unsigned = await verified(undefined, (model) => {
    const { signature: _signature, ...events } = model.events;
    return { ...model, events };
  });
  assert.match(ofWebhooks(unsigned).join("\n"), /^webhook \S+ signature: no signature$/m);
  const wrong = await verified((send) => (request) => {
    const headers = { ...request.headers, "webhook-signature": "v1,AAAA" };
    return send({ ...request, headers });
  });
  assert.match(ofWebhooks(wrong).join("\n"), /^webhook \S+ signature: another signature$/m);
});

test("a payload with another value is found", async () => {
  const found = ofWebhooks(
    await verified((send) => (request) => {
      const body = String(request.body).replace('"status":"', '"status":"un');
      return send({ ...request, body });
    }),
  );
  assert.match(found.join("\n"), /^webhook \S+ body .*: /m);
});

test("a service that can't reach this machine's addresses is not reported", async () => {
  const silent = (): Send => async () => ({ status: 204, headers: {}, body: new Uint8Array() });
  const verification = await verified(silent, undefined, 50);
  assert.deepEqual(ofWebhooks(verification), []);
  assert.equal(verification.webhooks?.isReached, false);
});

test("a rejected webhook is resent, and a missing retry is found", async () => {
  const right = await verified();
  assert.equal(right.webhooks?.retry?.isRepeated, true);
  const never = (model: Model): Model => ({ ...model, events: { ...model.events, retriesMs: [] } });
  const wrong = await verified(undefined, never, 1_000);
  assert.equal(wrong.webhooks?.retry?.isRepeated, false);
});
