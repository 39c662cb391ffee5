/**
 * Adyen's own library with an imported document: payment links and stored tokens of Checkout. The
 * document has the import, accepted proposals, two answers, and edits for what the description
 * doesn't show.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { after, before, describe, test } from "node:test";
import { createServer } from "node:tls";
import {
  CheckoutAPI,
  Client,
  EnvironmentEnum,
  HttpURLConnectionClient,
  hmacValidator,
  TokenizationWebhooksHandler,
  Types,
} from "@adyen/api-library";
import { eventually } from "../eventually.ts";
import { type Edit, importedDocument, skipWithout } from "./imported-document.ts";
import { type Receiver, receive } from "./receive.ts";
import { serveText, type Twin } from "./serve-twin.ts";

const edits: readonly Edit[] = [
  [
    "## States and transitions",
    "- States: not shown\n- Transitions: not shown",
    `### PaymentLink

- State field: status
- Initial state: active

| Transition | From   | To      | Trigger |
| ---------- | ------ | ------- | ------- |
| expire     | active | expired | call    |`,
  ],
  ["### PaymentLink", /^\| status \|[^|]+\|[^|]+\|/m, "| status | state | |"],
  ["### PATCH /paymentLinks/{linkId}", "- Does: not shown", "- Does: expire PaymentLink"],
  ["### PATCH /paymentLinks/{linkId}", /not shown \|$/m, "none |"],
  ["### StoredPaymentMethodResource", "- Identifier: none", "- Identifier: id, made by `random(16)`"],
  ["### StoredPaymentMethodResource", /^\| type \|/m, "| merchantAccount | string | internal | |\n| type |"],
  [
    "### PaymentMethodToStore",
    "### PaymentMethodToStore",
    `### Receiver

- Identifier: id, made by random(12)

| Field | Type |
|---|---|
| url | uri |
| key | string |

### PaymentMethodToStore`,
  ],
  [
    "### GET /storedPaymentMethods",
    "- Does: not shown",
    `- Does: list StoredPaymentMethodResource
- Order: none
- Pagination: none`,
  ],
  [
    "### GET /storedPaymentMethods",
    "200 ListStoredPaymentMethods",
    '200 `{"merchantAccount": query.merchantAccount, "shopperReference": query.shopperReference, "storedPaymentMethods": page.items.map(token, StoredPaymentMethodResource(token))}`',
  ],
  ["### GET /storedPaymentMethods", /not shown \|/, "`this.shopperReference == query.shopperReference` |"],
  ["### GET /storedPaymentMethods", /not shown \|/, "`this.merchantAccount == query.merchantAccount` |"],
  [
    "### POST /storedPaymentMethods",
    "- Does: not shown",
    `- Does: create StoredPaymentMethodResource
- Set: \`merchantAccount = body.merchantAccount; shopperReference = body.shopperReference; shopperEmail = body.shopperEmail; type = "scheme"; brand = body.paymentMethod.brand; holderName = body.paymentMethod.holderName; expiryMonth = body.paymentMethod.expiryMonth; expiryYear = body.paymentMethod.expiryYear; lastFour = body.paymentMethod.number.substring(12); supportedRecurringProcessingModels = [body.recurringProcessingModel]\``,
  ],
  [
    "### POST /storedPaymentMethods",
    /^\| shopperIP .*not shown \|$/m,
    "| shopperIP | body | string | | none |",
  ],
  ["### POST /storedPaymentMethods", / not shown \|/g, " |"],
  [
    "### DELETE /storedPaymentMethods/{storedPaymentMethodId}",
    "- Does: not shown",
    "- Does: delete StoredPaymentMethodResource\n- Where: `this.merchantAccount == query.merchantAccount && this.shopperReference == query.shopperReference`",
  ],
  ["### DELETE /storedPaymentMethods/{storedPaymentMethodId}", / not shown \|/g, " |"],
  [
    "## Events",
    /- Events[\s\S]*/,
    `- Webhooks: to Receiver.url
- Header: hmacsignature: \`base64(hmac("sha256", receiver.key, delivery.body))\`
- Notifications: not shown

| Event | When | Payload |
|---|---|---|
| recurring.token.created | StoredPaymentMethodResource created | TokenCreated |

### Shape: TokenCreated of StoredPaymentMethodResource

\`\`\`cel
{"createdAt": event.time, "environment": "test", "eventId": string(event.id), "type": event.type, "version": "1",
 "data": {"merchantAccount": this.merchantAccount, "operation": "created", "shopperReference": this.shopperReference, "storedPaymentMethodId": this.id, "type": this.brand}}
\`\`\`

`,
  ],
];

const document = {
  file: "adyen-checkout-v71.yaml",
  only: ["/paymentLinks*", "/storedPaymentMethods*"],
  answers: [
    ["identifiers", '"PL" + random(16)'],
    ["fields", "nullable"],
  ] as const,
  edits,
};

describe("Adyen's own library works with an imported document:", { skip: skipWithout(document) }, () => {
  /** The key of signatures, as the library gets it and as the document has it. */
  const key = "secret of the receiver";
  const hexKey = Buffer.from(key).toString("hex");
  const merchantAccount = "Books";
  let twin: Twin | undefined;
  let tls: Awaited<ReturnType<typeof serveTls>> | undefined;
  let receiver: Receiver;
  let checkout: CheckoutAPI;

  /** The client is unchanged except for the host that it calls. */
  class Local extends HttpURLConnectionClient {
    override request: HttpURLConnectionClient["request"] = (endpoint, ...rest) =>
      HttpURLConnectionClient.prototype.request.call(
        this,
        endpoint.replace("https://checkout-test.adyen.com", `${tls?.origin}`),
        ...rest,
      );
  }

  before(async () => {
    receiver = await receive();
    const given = `Receiver with url = "${receiver.url}", key = "${key}"`;
    twin = await serveText("imported-adyen", import.meta.filename, importedDocument(document), [given]);
    tls = await serveTls(twin.port);
    const config = {
      apiKey: "test",
      environment: EnvironmentEnum.TEST,
      // The library then accepts the certificate of `serveTls`.
      certificatePath: "unencrypted",
    };
    checkout = new CheckoutAPI(new Client(config, new Local()));
  });
  after(async () => {
    await tls?.close();
    await receiver.close();
    await twin?.close();
  });

  test("a payment link is created, read and expired", async () => {
    const links = checkout.PaymentLinksApi;
    const made = await links.paymentLinks(
      { merchantAccount, reference: "Order 1", amount: { currency: "EUR", value: 4200 } },
      { idempotencyKey: "first" },
    );
    assert.match(made.id, /^PL\w{16}$/);
    assert.equal(made.status, "active");
    assert.equal((await links.getPaymentLink(made.id)).amount.value, 4200);
    const expired = { status: Types.checkout.UpdatePaymentLinkRequest.StatusEnum.Expired };
    assert.equal((await links.updatePaymentLink(made.id, expired)).status, "expired");
    assert.equal((await links.getPaymentLink(made.id)).status, "expired");
  });

  test("a payment link without a required field, and one that doesn't exist, are errors", async () => {
    const links = checkout.PaymentLinksApi;
    await assert.rejects(links.paymentLinks({ merchantAccount } as never), { statusCode: 422 });
    await assert.rejects(links.getPaymentLink("PL0"), { statusCode: 404 });
  });

  test("a token is created, reported by a signed webhook, listed and deleted", async () => {
    const tokens = checkout.RecurringApi;
    const shopperReference = "Shopper 1";
    const made = await tokens.storedPaymentMethods({
      merchantAccount,
      shopperReference,
      recurringProcessingModel:
        Types.checkout.StoredPaymentMethodRequest.RecurringProcessingModelEnum.CardOnFile,
      paymentMethod: { type: "scheme", brand: "visa", number: "4111111111111111", holderName: "Ada" },
    });
    assert.equal(made.lastFour, "1111");
    const list = async () =>
      (await tokens.getTokensForStoredPaymentDetails(shopperReference, merchantAccount)).storedPaymentMethods;
    assert.deepEqual(
      (await list())?.map(({ id }) => id),
      [made.id],
    );
    await twin?.pass(0);
    await eventually(() => assert.equal(receiver.received.length, 1));
    const [{ headers, body } = { headers: {}, body: "" }] = receiver.received;
    const signature = String(headers["hmacsignature"]);
    assert.ok(new hmacValidator().validateHMACSignature(hexKey, signature, body));
    const event = new TokenizationWebhooksHandler(body).getTokenizationCreatedDetailsNotificationRequest();
    assert.equal(event.data.storedPaymentMethodId, made.id);
    assert.ok(made.id);
    await tokens.deleteTokenForStoredPaymentDetails(made.id, shopperReference, merchantAccount);
    assert.deepEqual(await list(), []);
  });
});

/** Accepts TLS on loopback and passes the bytes on to a port, because the library calls only `https:`. */
async function serveTls(port: number) {
  const pem = (name: string) =>
    readFileSync(new URL(`../../src/cli/testing/certificates/first.${name}.pem`, import.meta.url));
  const open = new Set<Duplex>();
  const server = createServer({ cert: pem("cert"), key: pem("key") }, (socket) => {
    const target = connect(port, "127.0.0.1");
    for (const [end, other] of [
      [socket, target],
      [target, socket],
    ] as const) {
      open.add(end);
      end.on("error", () => other.destroy()).on("close", () => open.delete(end));
    }
    socket.pipe(target).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
