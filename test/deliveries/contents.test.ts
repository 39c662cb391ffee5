/**
 * Delivery contents: the payload in its receiver's version, and the receiver of an event that
 * deletes the receiver's record.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { compile } from "../../src/compile.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { openShop, type Played, played, shopText } from "./serve-shop.ts";

const account = (at: number) => `1d0a4e57-63c5-4d3a-9f58-2f4f4b5c000${at}`;
const second = 1000;

test("each webhook receives the version of its account at every attempt, and the default version without an account", async () => {
  const text = readFileSync(
    join(import.meta.dirname, "..", "versions", "pinned-webhooks.md"),
    "utf8",
  ).replace("- Retries: none", "- Retries: 5 seconds");
  const statuses = [500, 500];
  const over = played(() => ({ status: statuses.pop() ?? 200 }));
  const shop = await openShop({ over, text });
  await shop.given(`- Given: \`Account with id = "${account(1)}", key = "old", version = "2026-05-01"\`
- Given: \`Account with id = "${account(2)}", key = "none"\`
- Given: \`Hook with account = "${account(1)}", url = "https://old.test/"\`
- Given: \`Hook with account = "${account(2)}", url = "https://none.test/"\`
- Given: \`Note with text = "Hello"\`
`);
  shop.service.deliveries.start();
  await shop.pass(0);
  const note = await shop.service.fetch(
    createRequest({
      method: "PATCH",
      target: "/notes/1",
      headers: [
        ["Content-Type", "application/json"],
        ["Authorization", "Bearer none"],
      ],
      body: `{"text": "Good bye"}`,
    }),
  );
  assert.equal(note.status, 200, String(note.body));
  await shop.pass(5 * second);
  const reported = (played: Played, host: string) =>
    played.sent.filter((request) => request.host === host).map(({ body }) => String(body));
  const old = `{"note":{"id":1,"body":"Good bye"},"before":{"body":"Hello"}}`;
  assert.deepEqual(reported(over, "old.test"), [old, old]);
  const now = `{"note":{"id":1,"text":"Good bye"},"before":{"text":"Hello"}}`;
  assert.deepEqual(reported(over, "none.test"), [now, now]);
  await shop.close();
});

test("a deletion event goes to the deleted record's own address, signed with its last secret", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const text = shopText
    .replace(
      "| note | string | nullable | |",
      "| note | string | nullable | |\n| callback | uri | nullable | |\n| secret | string | | |",
    )
    .replace("- Body: shop, amount, note?\n", "- Body: shop, amount, note?, callback?, secret?\n")
    .replace(
      "| order.deleted | Order deleted | OrderEvent | none |",
      "| order.deleted | Order deleted | OrderEvent | |",
    )
    .replace(/^- Webhooks: .*$/m, "- Webhooks: to Order.callback when `order.amount > 1`")
    .replace(/^- Signature: .*$/m, "- Signature: Standard Webhooks, secret `order.secret`")
    .replace(/^- Header: (X-Hub|Stripe).*\n/gm, "- Header: X-Shop: `order.shop.name`\n")
    .replace(/^- Media type: application\/x-www.*\n/m, "");
  const statuses = [200, 500];
  const over = played(() => ({ status: statuses.shift() ?? 200 }));
  const shop = await openShop({ over, text });
  await shop.given(`- Given: Shop with id = "a", name = "Ada"\n`);
  shop.service.deliveries.start();
  const made = { shop: "a", amount: 5, callback: "https://one.test/", secret };
  const { json } = await shop.send("POST", "/v1/orders", made);
  await shop.pass(0);
  assert.equal((await shop.send("DELETE", `/v1/orders/${json.id}`)).status, 204);
  await shop.pass(5 * second);
  assert.deepEqual(
    over.sent.map(({ host, body }) => [host, JSON.parse(String(body)).type]),
    [
      ["one.test", "order.created"],
      ["one.test", "order.deleted"],
      ["one.test", "order.deleted"],
    ],
  );
  const { headers = {}, body } = over.sent[2] ?? {};
  assert.equal(headers["X-Shop"], "Ada");
  const { now } = Date;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1000;
  try {
    assert.ok(new Webhook(secret).verify(String(body), headers));
  } finally {
    Date.now = now;
  }
  await shop.close();
});

test("a record's deletion cancels its waiting deliveries, except for the deletion event", async () => {
  const text = shopText
    .replace(
      "| note | string | nullable | |",
      "| note | string | nullable | |\n| callback | uri | nullable | |",
    )
    .replace("- Body: shop, amount, note?\n", "- Body: shop, amount, note?, callback?\n")
    .replace(
      "| order.deleted | Order deleted | OrderEvent | none |",
      "| order.deleted | Order deleted | OrderEvent | |",
    )
    .replace(/^- Webhooks: .*$/m, "- Webhooks: to Order.callback")
    .replace(/^- Signature: .*\n/m, "")
    .replace(/^- Header: (X-Hub|Stripe).*\n/gm, "")
    .replace(/^- Media type: application\/x-www.*\n/m, "");
  const over = played(() => ({ status: 200 }));
  const shop = await openShop({ over, text });
  await shop.given(`- Given: Shop with id = "a", name = "Ada"\n`);
  const { json } = await shop.send("POST", "/v1/orders", {
    shop: "a",
    amount: 5,
    callback: "https://one.test/",
  });
  assert.equal((await shop.send("DELETE", `/v1/orders/${json.id}`)).status, 204);
  shop.service.deliveries.start();
  await shop.pass(0);
  assert.deepEqual(
    over.sent.map(({ body }) => JSON.parse(String(body)).type),
    ["order.deleted"],
  );
  assert.deepEqual(
    (await shop.service.deliveries.list()).map((delivery) => [
      delivery.eventType,
      delivery.state,
      delivery.error,
    ]),
    [
      ["order.deleted", "done", null],
      ["order.created", "dead", "the Order was deleted"],
    ],
  );
  await shop.close();
});

const animals = readFileSync(join(import.meta.dirname, "several.md"), "utf8");

test("an event of several resources distinguishes its records: references resolve, and fields of the others are null", async () => {
  const over = played(() => ({ status: 200 }));
  const shop = await openShop({ over, text: animals });
  await shop.given(`- Given: Shop with id = "a", name = "Ada"
- Given: Shop with id = "b", name = "Bob"
- Given: Hook with shop = "a", url = "https://a.test/"
`);
  shop.service.deliveries.start();
  await shop.send("POST", "/cats", { shop: "a", fur: "red" });
  await shop.send("POST", "/dogs", { shop: "a", bark: "loud" });
  await shop.send("POST", "/dogs", { shop: "b", bark: "low" });
  await shop.pass(0);
  const cat = { id: 1, shop: "a", fur: "red" };
  assert.deepEqual(
    over.sent.map(({ body }) => JSON.parse(String(body))),
    [
      { shop: "Ada", fur: "red", bark: null, cat, object: cat },
      { shop: "Ada", fur: null, bark: "loud", cat: null, object: { id: 1, shop: "a", bark: "loud" } },
    ],
  );
  await shop.close();
});

test("`check` reports a field that none of an event's resources has, and an expression that does not distinguish them", () => {
  const reported = (expression: string) =>
    compile(animals.replace(/\{"shop".*\}(?=`)/, expression), { file: "several.md" })
      .diagnostics.filter((diagnostic) => diagnostic.severity === "error")
      .map(({ code }) => code);
  assert.deepEqual(reported("this.fur"), []);
  assert.deepEqual(reported("this.name"), ["expressions/unknown-field"]);
  assert.deepEqual(reported("old.shop.town"), ["expressions/unknown-field"]);
  assert.deepEqual(reported('{"it": this}'), ["expressions/several-callers"]);
});

test("a receiver gets the headers that its record names; a reserved or invalid header fails the delivery with the reason", async () => {
  const text = shopText
    .replace("| secret | ", "| headers | json | nullable | |\n| secret | ")
    .replace("- Media type: application/x-www", "- Headers: `hook.headers`\n- Media type: application/x-www");
  const over = played(() => ({ status: 200 }));
  const shop = await openShop({ over, text });
  const hooks: readonly (readonly [host: string, headers: string])[] = [
    ["good", `{"X-Token": "s3cret", "X-Count": 7, "X-Left-Out": null}`],
    ["none", "null"],
    ["own", `{"Webhook-Id": "forged"}`],
    ["twice", `{"X-One": "1", "x-one": "2"}`],
    ["name", `{"X One": "1"}`],
    ["value", `{"X-One": "a\\nb"}`],
    ["list", `["X-One"]`],
    ["many", `{${Array.from({ length: 51 }, (_, at) => `"X-${at}": 1`).join(", ")}}`],
  ];
  const hookOf = ([host, headers]: (typeof hooks)[number]) =>
    `- Given: \`Hook with shop = "a", url = "https://${host}.test/in", secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", headers = ${headers}\`\n`;
  await shop.given(`- Given: Shop with id = "a", name = "Ada"\n${hooks.map(hookOf).join("")}`);
  shop.service.deliveries.start();
  assert.equal((await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 })).status, 201);
  await shop.pass(0);
  const sent = over.sent.map(({ host, headers = {} }) => [host, headers["X-Token"], headers["X-Count"]]);
  assert.deepEqual(sent.toSorted(), [
    ["good.test", "s3cret", "7"],
    ["none.test", undefined, undefined],
  ]);
  assert.equal("X-Left-Out" in (over.sent[0]?.headers ?? {}), false);
  const errors = (await shop.service.deliveries.list())
    .map(({ error }) => error)
    .filter((error) => error !== null);
  assert.deepEqual(
    errors.toSorted(),
    [
      "it has 51 additional headers; the limit is 50",
      'the header "Webhook-Id" is reserved for the delivery itself',
      'the header "X-One" has characters that headers can\'t contain',
      'the header "x-one" would be sent twice',
      '"X One" can\'t be the name of a header',
      "its headers are not a map",
    ].toSorted(),
  );
  await shop.close();
});

test("an Ed25519 secret signs as v1a: Node's own crypto verifies the signature, and rejects another body", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pair = (key: "d" | "x") =>
    Buffer.from(String(privateKey.export({ format: "jwk" })[key]), "base64url");
  // The key is the seed alone, or the seed followed by the public key, as libraries write it.
  for (const key of [pair("d"), Buffer.concat([pair("d"), pair("x")])]) {
    const over = played(() => ({ status: 200 }));
    const shop = await openShop({ over });
    await shop.given(`- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in", secret = "whsk_${key.toString("base64")}"
`);
    shop.service.deliveries.start();
    await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
    await shop.pass(0);
    const { headers = {}, body } = over.sent[0] ?? {};
    const [version, signature = ""] = String(headers["webhook-signature"]).split(",");
    assert.equal(version, "v1a");
    const signed = (text: string) =>
      Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`);
    const good = Buffer.from(signature, "base64");
    assert.equal(verify(null, signed(String(body)), publicKey, good), true);
    assert.equal(verify(null, signed(`${String(body)} `), publicKey, good), false);
    await shop.close();
  }
});

test("a key of another length signs nothing, and its delivery is not sent", async () => {
  const over = played(() => ({ status: 200 }));
  const shop = await openShop({ over });
  await shop.given(`- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in", secret = "whsk_${Buffer.alloc(16).toString("base64")}"
`);
  shop.service.deliveries.start();
  await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  await shop.pass(0);
  assert.equal(over.sent.length, 0);
  assert.equal((await shop.service.deliveries.list())[0]?.error, "the secret to sign with is missing");
  await shop.close();
});
