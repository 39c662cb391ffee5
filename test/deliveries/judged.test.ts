/**
 * Judged deliveries: the verdict of a local receiver on a request, which is whether it is a running
 * delivery, and which parts differ.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReceivedWebhook } from "../../src/engine/deliveries/signature-check.ts";
import type { SignatureVerdict } from "../../src/engine/deliveries/deliveries.ts";
import { openShop, played, shopText } from "./serve-shop.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in", secret = "${secret}"
`;

type Change = (arrived: ReceivedWebhook) => ReceivedWebhook;

/** Returns the verdicts on a running delivery, one for each change of the received request. */
async function judged(
  t: { after(work: () => Promise<void>): void },
  changes: readonly Change[],
  text = shopText,
): Promise<{ verdicts: readonly SignatureVerdict[]; later: SignatureVerdict | undefined }> {
  let judge: (arrived: ReceivedWebhook) => Promise<SignatureVerdict> = () => assert.fail("not yet");
  const verdicts: SignatureVerdict[] = [];
  let received: ReceivedWebhook | undefined;
  const over = played(async ({ url, headers = {}, body = "" }) => {
    const small = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    received = {
      path: new URL(url).pathname,
      headers: Object.fromEntries(small),
      body: Buffer.from(body as string),
    };
    if (verdicts.length === 0) for (const change of changes) verdicts.push(await judge(change(received)));
    return { status: 204 };
  });
  const shop = await openShop({ over, text });
  t.after(() => shop.close());
  judge = (arrived) => shop.service.deliveries.judge(arrived);
  await shop.given(given);
  shop.service.deliveries.start();
  assert.equal((await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 })).status, 201);
  await shop.pass(0);
  return { verdicts, later: received && (await judge(received)) };
}

const without = (...names: string[]): Change => {
  const isLeft = ([name]: readonly [string, string]) => !names.includes(name);
  return (received) => ({
    ...received,
    headers: Object.fromEntries(Object.entries(received.headers).filter(isLeft)),
  });
};
const as =
  (name: string, value: (former: string) => string): Change =>
  (received) => ({
    ...received,
    headers: { ...received.headers, [name]: value(received.headers[name] ?? "") },
  });

test("a delivery that arrives unchanged is accepted, and any other is reported with the reason", async (t) => {
  const missing = "webhook-id, webhook-timestamp or webhook-signature is missing";
  const other = "webhook-signature belongs to another secret or another body";
  const expected: readonly [Change, string | null][] = [
    [(received) => received, null],
    [as("webhook-signature", (former) => `v1,AAAA ${former}`), null],
    [without("webhook-id"), missing],
    [without("webhook-timestamp"), missing],
    [without("webhook-signature"), missing],
    [as("webhook-timestamp", () => "soon"), "webhook-timestamp is not a number of seconds"],
    [as("webhook-timestamp", (former) => String(Number(former) + 1)), other],
    [as("webhook-signature", () => "v1,AAAA"), other],
    [as("webhook-signature", (former) => former.slice(0, -1)), other],
    [(received) => ({ ...received, body: Buffer.from("{}") }), other],
    [as("x-attempt", () => "2"), "X-Attempt should have another value"],
    [without("x-attempt", "x-sent-at"), "X-Attempt, X-Sent-At should have another value"],
  ];
  const { verdicts, later } = await judged(
    t,
    expected.map(([change]) => change),
  );
  assert.deepEqual(
    verdicts.map(({ failure }) => failure),
    expected.map(([, trouble]) => trouble),
  );
  for (const { signature, failure, delivery, event, scheme } of verdicts) {
    assert.equal(signature, failure === null ? "fits" : "does not fit");
    assert.deepEqual([delivery === null, event?.type], [false, "order.created"]);
    assert.match(scheme ?? "", /^Standard Webhooks, X-Hub-Signature-256, /);
  }
  assert.equal(verdicts[0]?.mask(`is ${secret}!`), "is •••!");
  // A delivery that has finished, or goes to another address, has no owner.
  assert.deepEqual(
    [later?.signature, later?.delivery, later?.event, later?.failure],
    ["not ours", null, null, "no delivery to this address is in progress"],
  );
});

test("a request to another path is not a delivery of this service, whatever it contains", async (t) => {
  const { verdicts } = await judged(t, [(received) => ({ ...received, path: "/else" })]);
  assert.deepEqual(
    verdicts.map(({ signature, failure, mask }) => [signature, failure, mask(secret)]),
    [["not ours", "no delivery to this address is in progress", secret]],
  );
});

test("without a signature the document's own headers and the body are compared; without either the delivery is unsigned", async (t) => {
  const unsigned = shopText.replace(/^- Signature: .*\n/m, "");
  const { verdicts } = await judged(
    t,
    [(received) => received, (received) => ({ ...received, body: Buffer.from("{}") }), without("webhook-id")],
    unsigned,
  );
  assert.deepEqual(
    verdicts.map(({ signature, failure }) => [signature, failure]),
    [
      ["fits", null],
      ["does not fit", "the body differs from the one that was sent"],
      ["fits", null],
    ],
  );
  assert.ok(!verdicts[0]?.scheme?.includes("Standard"));
  const bare = unsigned.replace(/^- Header: (X-|Stripe).*\n/gm, "");
  const { verdicts: plain } = await judged(t, [(received) => received], bare);
  assert.deepEqual(
    plain.map(({ signature, scheme, failure }) => [signature, scheme, failure]),
    [["unsigned", null, null]],
  );
});
