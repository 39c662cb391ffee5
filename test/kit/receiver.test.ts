/** Webhook receiver of the kit: verifies signatures that the vendors' own libraries create. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Webhooks } from "@octokit/webhooks";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import twilio from "twilio";
import { type ReceiverOptions, startReceiver } from "../../src/kit/index.ts";

const secret = "whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbG9uZQ==";
const text = '{"type":"paid","name":"Zoë"}';
const hmac = (signed: string, encoding: "hex" | "base64") =>
  createHmac("sha256", secret).update(signed).digest(encoding);

const standard = (timeMs: number) => new Webhook(secret).sign("msg_1", new Date(timeMs), text);

/** For each scheme, the headers of a webhook that was sent at a given time. */
const senders = {
  standard: (timeMs: number) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(timeMs / 1000)),
    "webhook-signature": standard(timeMs),
  }),
  svix: (timeMs: number) => ({
    "svix-id": "msg_1",
    "svix-timestamp": String(Math.floor(timeMs / 1000)),
    "svix-signature": standard(timeMs),
  }),
  stripe: (timeMs: number) => ({
    "Stripe-Signature": new Stripe("sk_test_1").webhooks.generateTestHeaderString({
      payload: text,
      secret,
      timestamp: Math.floor(timeMs / 1000),
    }),
  }),
  github: async () => ({ "X-Hub-Signature-256": await new Webhooks({ secret }).sign(text) }),
  // Slack and Shopify document their signatures, but publish no library that signs.
  slack: (timeMs: number) => {
    const time = Math.floor(timeMs / 1000);
    return {
      "X-Slack-Request-Timestamp": String(time),
      "X-Slack-Signature": `v0=${hmac(`v0:${time}:${text}`, "hex")}`,
    };
  },
  shopify: () => ({ "X-Shopify-Hmac-Sha256": hmac(text, "base64") }),
} as const;

for (const [signature, headersAt] of Object.entries(senders))
  test(`${signature}: only signed webhooks are accepted`, async () => {
    const options = { secret, signature } as ReceiverOptions;
    await using receiver = await startReceiver(options);
    const sent = async (headers: Record<string, string>, body = text) => {
      await fetch(receiver.url, { method: "POST", headers, body });
      return (await receiver.next()).isSigned;
    };
    const headers = await headersAt(Date.now());
    assert.equal(await sent(headers), true);
    assert.equal(await sent(headers, text.replace("paid", "free")), false);
    assert.equal(await sent({}), false);
    const isTimed = headersAt.length > 0;
    const old = await headersAt(Date.now() - 600_000);
    assert.equal(await sent(old), !isTimed);
  });

test("twilio: a form and its address are signed, and JSON by the address alone", async () => {
  await using receiver = await startReceiver({ secret, signature: "twilio" });
  const form = { To: "+4930123", Body: "Hi & bye", AccountSid: "AC1" };
  const url = `${receiver.url}sms?x=1`;
  const right = twilio.getExpectedTwilioSignature(secret, url, form);
  const send = async (address: string, body: URLSearchParams) => {
    await fetch(address, { method: "POST", headers: { "X-Twilio-Signature": right }, body });
    return (await receiver.next()).isSigned;
  };
  assert.equal(await send(url, new URLSearchParams(form)), true);
  assert.equal(await send(`${receiver.url}sms?x=2`, new URLSearchParams(form)), false);
  assert.equal(await send(url, new URLSearchParams({ ...form, To: "+49" })), false);
});

test("a custom signature check, and waiting for a webhook", async () => {
  await using receiver = await startReceiver({
    secret,
    signature: ({ header, text: body, url }, own) =>
      header("x-own") === `${own} ${body.length} ${new URL(url).pathname}`,
  });
  const send = (body: string, own: string) =>
    fetch(`${receiver.url}a`, { method: "POST", headers: { "X-Own": own }, body });
  await send('{"n": 1}', `${secret} 8 /a`);
  await send('{"n": 2}', "wrong");
  const second = await receiver.next(({ json }) => (json as { n: number }).n === 2);
  assert.equal(second.isSigned, false);
  const later = receiver.next(({ json }) => (json as { n: number }).n === 3);
  await send('{"n": 3}', "wrong");
  assert.equal((await later).text, '{"n": 3}');
  assert.equal((await receiver.next()).isSigned, true);
  await assert.rejects(
    receiver.next(() => true, 1),
    /No webhook that was looked for has arrived within 1 ms/,
  );
});
