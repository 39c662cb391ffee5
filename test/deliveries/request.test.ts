/** `Request` of part 6: method and URL of a delivery. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { modelOf, openShop, played, shopText } from "./serve-shop.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in", secret = "${secret}"
`;
const withRequests = (...items: readonly string[]) =>
  shopText.replace(
    "- Media type: application/json\n",
    `$&${items.map((item) => `- Request: ${item}\n`).join("")}`,
  );

async function sentFor(text: string) {
  const over = played(() => ({ status: 204 }));
  const shop = await openShop({ over, text });
  await shop.given(given);
  shop.service.deliveries.start();
  const { json } = await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  await shop.pass(0);
  const paid = await shop.send("PATCH", `/v1/orders/${json.id}`, { amount: 6 });
  assert.equal(paid.status, 200, JSON.stringify(paid.json));
  await shop.pass(0);
  const states = (await shop.service.deliveries.list({}, 10)).map(({ state, error }) => ({ state, error }));
  await shop.close();
  return { sent: over.sent, id: String(json.id), states };
}

test("the first request that applies gives method and URL, and the signature covers its body", async () => {
  const { sent, id } = await sentFor(
    withRequests(
      'PUT `hook.url + "/orders/" + event.subject` when `event.type == "order.created"`',
      'PATCH `hook.url + "/" + event.type` when `delivery.attempt == 1`',
    ),
  );
  assert.deepEqual(
    sent.map(({ method, url }) => [method, url]),
    [
      ["PUT", `https://one.test/in/orders/${id}`],
      ["PATCH", "https://one.test/in/order.updated"],
    ],
  );
  for (const { headers = {}, body } of sent) {
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    const signature = new Webhook(secret).sign(String(headers["webhook-id"]), at, String(body));
    assert.equal(headers["webhook-signature"], signature);
  }
});

test("without a URL it is the webhook's own; without a request that applies, a POST", async () => {
  const { sent } = await sentFor(withRequests('DELETE when `event.type == "order.created"`'));
  assert.deepEqual(
    sent.map(({ method, url }) => [method, url]),
    [
      ["DELETE", "https://one.test/in"],
      ["POST", "https://one.test/in"],
    ],
  );
});

test("a null URL gets nothing, and the delivery says so", async () => {
  const { sent, states } = await sentFor(
    withRequests('PUT `event.type == "order.created" ? null : hook.url`'),
  );
  assert.deepEqual(
    sent.map(({ method }) => method),
    ["PUT"],
  );
  assert.deepEqual(states, [
    { state: "done", error: null },
    { state: "dead", error: "Request gives no URL for this event" },
  ]);
});

test("the exported webhook has each possible method", () => {
  const methodsWith = (...items: readonly string[]) => {
    const exported = openapiDocument(wireOf(modelOf(withRequests(...items))), "3.1", []);
    const { webhooks } = exported as unknown as {
      webhooks: Record<string, Record<string, { operationId: string }>>;
    };
    return Object.entries(webhooks["order.created"] ?? {}).map(([method, { operationId }]) => [
      method,
      operationId,
    ]);
  };
  assert.deepEqual(methodsWith(), [["post", "onOrderCreated"]]);
  assert.deepEqual(methodsWith("PUT"), [["put", "onOrderCreated"]]);
  assert.deepEqual(methodsWith("PUT when `hook.form`"), [
    ["put", "onOrderCreated"],
    ["post", "onOrderCreatedPOST"],
  ]);
});
