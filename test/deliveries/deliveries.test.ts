import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { openShop, played } from "./serve-shop.ts";

const shops = `- Given: Shop with id = "a", name = "Ada"
- Given: Shop with id = "b", name = "Bob"
- Given: Hook with shop = "a", url = "https://one.test/in", secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
- Given: Hook with shop = "a", url = "https://two.test/in", events = ["order.paid"]
- Given: Hook with shop = "a", url = null
- Given: Hook with shop = "b", url = "https://three.test/in"
`;

test("an event goes to the webhooks that its condition names, once the change is stored", async () => {
  const over = played(() => ({ status: 204 }));
  const shop = await openShop({ over });
  await shop.given(shops);
  shop.service.deliveries.start();
  const { status, json: order } = await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  assert.equal(status, 201, JSON.stringify(order));
  await shop.send("POST", `/v1/orders/${order.id}/refund`);
  await shop.pass(0);
  await shop.send("POST", `/v1/orders/${order.id}/pay`);
  await shop.pass(0);
  assert.deepEqual(
    over.sent.map(({ host, body }) => [host, JSON.parse(String(body)).type, JSON.parse(String(body)).hooks]),
    [
      ["one.test", "order.created", 1],
      ["one.test", "order.updated", undefined],
      ["one.test", "order.paid", 2],
      ["two.test", "order.paid", 2],
    ],
  );
  const first = over.sent[0];
  const { headers = {}, body } = first ?? {};
  assert.equal(headers["Content-Type"], "application/json");
  assert.equal(headers["X-Attempt"], "1");
  const hash = (text: string) =>
    createHmac("sha256", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").update(text).digest("hex");
  assert.equal(headers["X-Hub-Signature-256"], `sha256=${hash(String(body))}`);
  assert.equal(headers["Stripe-Signature"], `t=1795176000,v1=${hash(`1795176000.${String(body)}`)}`);
  await shop.close();
});
