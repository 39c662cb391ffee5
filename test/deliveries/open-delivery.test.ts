/**
 * Open items of deliveries: if the signature, the request or the media type isn't shown, nothing is
 * sent. The event is kept, and no value is invented.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { openShop, played, shopText } from "./serve-shop.ts";

const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in"
`;
const signature = /- Signature: .*/;
const mediaType = /- Media type: application\/json/;

const cases: readonly (readonly [RegExp, string])[] = [
  [signature, "- Signature: not shown"],
  [signature, "- Signature: Standard Webhooks, secret not shown"],
  [mediaType, "- Media type: not shown"],
  [mediaType, "- Media type: not shown when `hook.form`"],
  [mediaType, "- Media type: text/plain when not shown"],
  [mediaType, "- Request: not shown"],
  [mediaType, "- Request: PUT not shown"],
  [mediaType, "- Request: PUT when not shown"],
];

for (const [from, item] of cases)
  test(`nothing is sent with "${item.slice(2)}", and the event is kept`, async () => {
    const text = shopText.replace(from, () => item);
    const gaps = compile(text, { file: "shop.md" }).diagnostics.filter(({ kind }) => kind === "gap");
    assert.equal(gaps.length, 1, JSON.stringify(gaps));
    const over = played(() => ({ status: 204 }));
    const shop = await openShop({ text, over });
    await shop.given(given);
    shop.service.deliveries.start();
    const made = await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
    assert.equal(made.status, 201, JSON.stringify(made.json));
    await shop.pass(0);
    assert.deepEqual(over.sent, []);
    assert.deepEqual(await shop.service.deliveries.list({}, 10), []);
    const { json } = await shop.send("GET", "/v1/notices");
    assert.deepEqual(
      json.map(({ type }: { readonly type: string }) => type),
      ["order.created"],
    );
    await shop.close();
  });

const notices = readFileSync(join(import.meta.dirname, "notices.md"), "utf8");
const created = /- Notifications: email to `this.others`.*/;
const order = { email: "ada@home.example", others: ["eve@home.example"], title: "Tea", amount: 5 };

for (const [item, sent] of [
  ['email to `this.others`, subject `"New"`', 1],
  ["email to `this.others`, subject not shown", 0],
  ['email to `this.others`, subject `"New"`, text not shown', 0],
  ['email to not shown, subject `"New"`', 0],
  ['email to `this.others`, subject `"New"` when not shown', 0],
] as const)
  test(`${sent} e-mails are sent with "${item}"`, async () => {
    const messages: unknown[] = [];
    const mailer = { send: async (message: unknown) => messages.push(message), close() {} };
    const shop = await openShop({ text: notices.replace(created, () => `- Notifications: ${item}`), mailer });
    shop.service.deliveries.start();
    const made = await shop.send("POST", "/v1/orders", order);
    assert.equal(made.status, 201, JSON.stringify(made.json));
    await shop.pass(0);
    assert.equal(messages.length, sent);
    await shop.close();
  });
