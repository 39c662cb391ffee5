/** `examples/twins/stripe.md`, driven by Stripe's own library. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import Stripe from "stripe";
import { receive } from "./receive.ts";
import { serveTwin, startedAt, type Twin } from "./serve-twin.ts";

describe("the published Stripe library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  let stripe: Stripe;
  const client = (key: string, further: Stripe.StripeConfig = {}) =>
    new Stripe(key, {
      protocol: "http",
      host: "127.0.0.1",
      port: twin.port,
      telemetry: false,
      maxNetworkRetries: 0,
      ...further,
    });

  before(async () => {
    twin = await serveTwin("stripe", [
      'Account with name = "Shop", key = "sk_test_shop"',
      'Account with name = "Other", key = "sk_test_other"',
      'Account with name = "Reported", key = "sk_test_reported"',
      'Account with name = "Old", key = "sk_test_old", version = "2022-08-01"',
    ]);
    stripe = client("sk_test_shop");
  });
  after(() => twin.close());

  test("a customer is created, changed key by key, and deleted", async () => {
    const made = await stripe.customers.create({
      email: "ada@example.com",
      name: "Ada",
      address: { city: "London", line1: "12 St James's Sq" },
      preferred_locales: ["en", "de"],
      metadata: { order: "6735", note: "a & b" },
    });
    assert.match(made.id, /^cus_\w{14}$/);
    assert.equal(made.object, "customer");
    assert.equal(made.created, startedAt.getTime() / 1000);
    assert.equal(made.address?.city, "London");
    assert.equal(made.address?.line2, null);
    assert.deepEqual(made.preferred_locales, ["en", "de"]);
    assert.deepEqual(made.metadata, { order: "6735", note: "a & b" });
    assert.match(made.lastResponse.requestId, /^req_/);
    assert.equal(made.lastResponse.apiVersion, "2026-10-28.endive");

    const changed = await stripe.customers.update(made.id, {
      metadata: { note: "", vip: "yes" },
      name: "",
      phone: "+1",
    });
    assert.deepEqual(changed.metadata, { order: "6735", vip: "yes" });
    assert.equal(changed.name, null);
    assert.equal(changed.phone, "+1");
    assert.deepEqual((await stripe.customers.update(made.id, { metadata: "" })).metadata, {});

    const gone = await stripe.customers.del(made.id);
    assert.deepEqual({ ...gone }, { id: made.id, object: "customer", deleted: true });
    const found = await stripe.customers.retrieve(made.id);
    assert.equal(found.deleted, true);
  });

  test("lists are read to their end in both directions, and filtered by time", async () => {
    const shop = client("sk_test_other");
    const made: string[] = [];
    for (let at = 0; at < 7; at += 1) {
      const response = await shop.customers.create({ email: `c${at}@example.com` });
      made.unshift(response.id);
      twin.clock.moveBy(1000);
    }
    const first = await shop.customers.list({ limit: 3 });
    assert.equal(first.object, "list");
    assert.equal(first.url, "/v1/customers");
    assert.equal(first.has_more, true);
    const requested = twin.requested.length;
    const all: string[] = [];
    for await (const customer of shop.customers.list({ limit: 3 })) all.push(customer.id);
    assert.deepEqual(all, made);
    assert.deepEqual(twin.requested.slice(requested), [
      "GET /v1/customers?limit=3",
      `GET /v1/customers?limit=3&starting_after=${made[2]}`,
      `GET /v1/customers?limit=3&starting_after=${made[5]}`,
    ]);
    const backwards: string[] = [];
    for await (const customer of shop.customers.list({ limit: 2, ending_before: made[5] as string }))
      backwards.push(customer.id);
    assert.deepEqual(backwards, made.slice(0, 5).reverse());
    const newest = await shop.customers.retrieve(made[0] as string);
    const since = await shop.customers.list({ created: { gte: (newest as Stripe.Customer).created - 1 } });
    assert.deepEqual(
      since.data.map((customer) => customer.id),
      made.slice(0, 2),
    );
    const array = await shop.customers.list({ limit: 2 }).autoPagingToArray({ limit: 5 });
    assert.equal(array.length, 5);
    assert.equal((await shop.customers.list({ email: "c3@example.com" })).data.length, 1);
  });

  test("an intent is confirmed, captured in part, and returned in two refunds", async () => {
    const customer = await stripe.customers.create({ name: "Ada" });
    const intent = await stripe.paymentIntents.create({
      amount: 2000,
      currency: "EUR",
      customer: customer.id,
      capture_method: "manual",
      automatic_payment_methods: { enabled: true },
    });
    assert.equal(intent.status, "requires_payment_method");
    assert.equal(intent.currency, "eur");
    assert.ok(intent.client_secret?.startsWith(`${intent.id}_secret_`));
    assert.equal(intent.automatic_payment_methods?.enabled, true);
    const confirmed = await stripe.paymentIntents.confirm(intent.id, { payment_method: "pm_card_visa" });
    assert.equal(confirmed.status, "requires_capture");
    assert.equal(confirmed.amount_capturable, 2000);
    await assert.rejects(stripe.paymentIntents.capture(intent.id, { amount_to_capture: 2500 }), {
      type: "StripeInvalidRequestError",
      code: "amount_too_large",
      param: "amount_to_capture",
    });
    const captured = await stripe.paymentIntents.capture(intent.id, { amount_to_capture: 1500 }, {
      expand: ["latest_charge.customer", "payment_method"],
    } as never);
    assert.equal(captured.status, "succeeded");
    assert.equal(captured.amount_received, 1500);
    const charge = await stripe.charges.retrieve(
      (typeof captured.latest_charge === "string" ? captured.latest_charge : captured.latest_charge?.id) ??
        "",
      { expand: ["customer", "payment_intent.payment_method"] },
    );
    assert.equal(charge.amount_captured, 1500);
    assert.equal((charge.customer as Stripe.Customer).name, "Ada");
    const within = charge.payment_intent as Stripe.PaymentIntent;
    assert.equal((within.payment_method as Stripe.PaymentMethod).card?.last4, "4242");

    const refund = await stripe.refunds.create({
      payment_intent: intent.id,
      amount: 500,
      reason: "requested_by_customer",
    });
    assert.equal(refund.charge, charge.id);
    assert.equal(refund.currency, "eur");
    await assert.rejects(stripe.refunds.create({ charge: charge.id, amount: 1001 }), {
      message: "Refund amount (1001) is greater than unrefunded amount on charge (1000)",
    });
    const rest = await stripe.refunds.create({ charge: charge.id });
    assert.equal(rest.amount, 1000);
    assert.equal((await stripe.charges.retrieve(charge.id)).refunded, true);
    await assert.rejects(stripe.refunds.create({ charge: charge.id }), { code: "charge_already_refunded" });
    await assert.rejects(stripe.refunds.create({ amount: 5 }), { code: "parameter_missing" });
    const refunds = await stripe.refunds.list({ charge: charge.id, expand: ["data.charge"] });
    assert.deepEqual(
      refunds.data.map((refund) => [refund.amount, (refund.charge as Stripe.Charge).object]),
      [
        [1000, "charge"],
        [500, "charge"],
      ],
    );
  });

  test("a waiting intent is canceled, by hand or by time", async () => {
    const base = { amount: 700, currency: "usd", payment_method: "pm_card_visa", confirm: true } as const;
    const requests = await stripe.paymentIntents.create({
      ...base,
      payment_method: "pm_card_authenticationRequired",
    });
    assert.equal(requests.status, "requires_action");
    assert.equal(requests.next_action?.type, "use_stripe_sdk");
    const canceled = await stripe.paymentIntents.cancel(requests.id, { cancellation_reason: "abandoned" });
    assert.equal(canceled.status, "canceled");
    assert.equal(canceled.cancellation_reason, "abandoned");
    await assert.rejects(stripe.paymentIntents.cancel(requests.id), {
      type: "StripeInvalidRequestError",
      code: "payment_intent_unexpected_state",
    });
    const held = await stripe.paymentIntents.create({ ...base, capture_method: "manual" });
    twin.clock.moveBy(7 * 24 * 3600 * 1000);
    const lapsed = await stripe.paymentIntents.retrieve(held.id);
    assert.equal(lapsed.status, "canceled");
    assert.equal(lapsed.cancellation_reason, "automatic");
  });

  test("a declined card is a card error with its intent", async () => {
    const error = await stripe.paymentIntents
      .create({ amount: 900, currency: "eur", payment_method: "pm_card_chargeDeclined", confirm: true })
      .then(
        () => assert.fail("was not declined"),
        (error: unknown) => error as Stripe.errors.StripeCardError,
      );
    assert.ok(error instanceof Stripe.errors.StripeCardError);
    assert.equal(error.code, "card_declined");
    assert.equal(error.decline_code, "generic_decline");
    assert.equal(error.payment_intent?.status, "requires_payment_method");
    assert.equal(error.payment_intent?.last_payment_error?.code, "card_declined");
    assert.equal(error.charge, error.payment_intent?.latest_charge);
    const failed = await stripe.charges.list({ payment_intent: error.payment_intent?.id ?? "" });
    assert.equal(failed.data[0]?.status, "failed");
    assert.equal(failed.data[0]?.paid, false);
  });

  test("errors have the library's classes", async () => {
    const fails = async (work: Promise<unknown>) =>
      work.then(
        () => assert.fail("did not fail"),
        (error: unknown) => error as Stripe.errors.StripeError,
      );
    const unknown = await fails(stripe.customers.retrieve("cus_unknown"));
    assert.ok(unknown instanceof Stripe.errors.StripeInvalidRequestError);
    assert.equal(unknown.statusCode, 404);
    assert.equal(unknown.code, "resource_missing");
    assert.equal(unknown.message, "No such customer: 'cus_unknown'");
    assert.match(unknown.requestId ?? "", /^req_/);
    const missing = await fails(stripe.paymentIntents.create({ currency: "eur" } as never));
    assert.equal(missing.code, "parameter_missing");
    assert.equal(missing.param, "amount");
    assert.equal(missing.message, "Missing required param: amount.");
    const integer = await fails(stripe.paymentIntents.create({ amount: "x" as never, currency: "eur" }));
    assert.equal(integer.code, "parameter_invalid_integer");
    const surplus = await fails(stripe.customers.create({ colour: "red" } as never));
    assert.equal(surplus.code, "parameter_unknown");
    assert.equal(surplus.param, "colour");
    const key = await fails(client("sk_test_wrong").customers.list());
    assert.ok(key instanceof Stripe.errors.StripeAuthenticationError);
    const other = await stripe.customers.create({});
    const theirs = await fails(
      client("sk_test_other").paymentIntents.create({ amount: 1, currency: "eur", customer: other.id }),
    );
    assert.equal(theirs.message, `No such customer: '${other.id}'`);
    assert.equal(theirs.param, "customer");
    const cursor = await fails(stripe.customers.list({ starting_after: "cus_unknown" }));
    assert.equal(cursor.code, "resource_missing");
    assert.equal(cursor.param, "starting_after");
    const url = await fails(stripe.rawRequest("GET", "/v1/nothing"));
    assert.equal(url.message, "Unrecognized request URL (GET: /v1/nothing).");
  });

  test("an idempotency key executes a request once", async () => {
    const idempotencyKey = "once-1";
    const response = await stripe.customers.create({ name: "Once" }, { idempotencyKey });
    const again = await stripe.customers.create({ name: "Once" }, { idempotencyKey });
    assert.equal(again.id, response.id);
    assert.equal(again.lastResponse.headers["idempotent-replayed"], "true");
    assert.equal(again.lastResponse.idempotencyKey, idempotencyKey);
    const error = await stripe.customers.create({ name: "Twice" }, { idempotencyKey }).catch((e) => e);
    assert.ok(error instanceof Stripe.errors.StripeIdempotencyError);
  });

  test("products have prices, and a price its product", async () => {
    const product = await stripe.products.create({
      name: "Pro",
      images: ["https://example.com/a.png"],
      default_price_data: { currency: "EUR", unit_amount: 990, recurring: { interval: "month" } },
      expand: ["default_price"],
    });
    const price = product.default_price as Stripe.Price;
    assert.equal(price.unit_amount, 990);
    assert.equal(price.type, "recurring");
    assert.equal(price.recurring?.interval_count, 1);
    assert.equal(price.product, product.id);
    await stripe.prices.create({ currency: "eur", product: product.id, unit_amount: 50, nickname: "once" });
    const found = await stripe.prices.list({ product: product.id, type: "one_time" });
    assert.deepEqual(
      found.data.map((price) => price.nickname),
      ["once"],
    );
    const some = await stripe.products.list({ ids: [product.id] });
    assert.equal(some.data.length, 1);
    await assert.rejects(stripe.products.del(product.id), { type: "StripeInvalidRequestError" });
    const bare = await stripe.products.create({ name: "Bare" });
    assert.equal(bare.default_price, null);
    assert.equal((await stripe.products.del(bare.id)).deleted, true);
  });

  test("a checkout session has its lines in a form, and ends by hand or by time", async () => {
    const product = await stripe.products.create({
      name: "Tea",
      default_price_data: { currency: "eur", unit_amount: 350 },
    });
    const cup = await stripe.prices.create({ currency: "eur", product: product.id, unit_amount: 1200 });
    const tea = product.default_price as string;
    const params = {
      mode: "payment" as const,
      line_items: [{ price: tea, quantity: 3 }, { price: cup.id }],
      success_url: "https://example.com/ok?a=1&b=2",
      metadata: { order: "7" },
    };
    const session = await stripe.checkout.sessions.create(params);
    assert.equal(session.amount_total, 2250);
    assert.equal(session.status, "open");
    assert.equal(session.success_url, params.success_url);
    const lines = await stripe.checkout.sessions.listLineItems(session.id);
    assert.deepEqual(
      lines.data.map((lineItem) => [
        lineItem.quantity,
        lineItem.amount_total,
        lineItem.price?.product,
        lineItem.description,
      ]),
      [
        [3, 1050, product.id, "Tea"],
        [1, 1200, product.id, "Tea"],
      ],
    );
    const expired = await stripe.checkout.sessions.expire(session.id);
    assert.equal(expired.status, "expired");
    assert.equal(expired.url, null);
    await assert.rejects(stripe.checkout.sessions.expire(session.id), { type: "StripeInvalidRequestError" });
    const later = Math.floor(twin.clock.now() / 1000) + 1800;
    const short = await stripe.checkout.sessions.create({ ...params, expires_at: later });
    assert.equal(short.expires_at, later);
    twin.clock.moveBy(1_800_000);
    assert.equal((await stripe.checkout.sessions.retrieve(short.id)).status, "expired");
    await assert.rejects(
      stripe.checkout.sessions.create({ ...params, line_items: [{ price: tea, quantity: 0 }] }),
      { param: "line_items[0][quantity]" },
    );
    await assert.rejects(stripe.checkout.sessions.create({ ...params, line_items: [{ price: "price_x" }] }), {
      message: "No such price: 'price_x'",
      param: "line_items[0][price]",
    });
  });

  test("payment methods are attached to a customer and listed beneath it", async () => {
    const customer = await stripe.customers.create({});
    const method = await stripe.paymentMethods.create({
      type: "card",
      card: { number: "4242424242424242", exp_month: 8, exp_year: 2030, cvc: "314" },
    });
    assert.equal(method.card?.last4, "4242");
    await stripe.paymentMethods.attach(method.id, { customer: customer.id });
    const methods = await stripe.customers.listPaymentMethods(customer.id, { type: "card" });
    assert.equal(methods.url, `/v1/customers/${customer.id}/payment_methods`);
    assert.deepEqual(
      methods.data.map((paymentMethod) => paymentMethod.id),
      [method.id],
    );
    assert.equal((await stripe.paymentMethods.detach(method.id)).customer, null);
    assert.equal((await stripe.customers.listPaymentMethods(customer.id)).data.length, 0);
  });

  test("an older version is served from the same store", async () => {
    const paid = await stripe.paymentIntents.create({
      amount: 100,
      currency: "eur",
      payment_method: "pm_card_visa",
      confirm: true,
    });
    assert.equal("charges" in paid, false);
    const old = client("sk_test_shop", { apiVersion: "2022-08-01" as never });
    const seen = await old.paymentIntents.retrieve(paid.id);
    assert.equal(seen.lastResponse.apiVersion, "2022-08-01");
    const { charges } = seen as unknown as { charges: Stripe.ApiList<Stripe.Charge> };
    assert.deepEqual(
      charges.data.map((charge) => [charge.id, charge.amount]),
      [[paid.latest_charge, 100]],
    );
  });

  test("events reach endpoints, signed as the library checks, and are listed", async () => {
    const receiver = await receive();
    const shop = client("sk_test_reported");
    try {
      const endpoint = await shop.webhookEndpoints.create({
        url: receiver.url,
        enabled_events: ["customer.updated", "payment_intent.succeeded", "charge.refunded"],
      });
      const secret = endpoint.secret ?? "";
      assert.match(secret, /^whsec_/);
      assert.equal((await shop.webhookEndpoints.retrieve(endpoint.id)).secret, undefined);
      const customer = await shop.customers.create({ name: "Ada" });
      await shop.customers.update(customer.id, { name: "Ada Lovelace" });
      const intent = await shop.paymentIntents.create({
        amount: 500,
        currency: "eur",
        customer: customer.id,
        payment_method: "pm_card_visa",
        confirm: true,
      });
      await shop.refunds.create({ payment_intent: intent.id });
      await twin.pass(0);
      const now = Math.floor(twin.clock.now() / 1000);
      const events = receiver.received.map(({ headers, body }) =>
        stripe.webhooks.constructEvent(
          body,
          headers["stripe-signature"] as string,
          secret,
          300,
          undefined,
          now * 1000,
        ),
      );
      assert.deepEqual(events.map((event) => event.type).sort(), [
        "charge.refunded",
        "customer.updated",
        "payment_intent.succeeded",
      ]);
      const updated = events.find((event) => event.type === "customer.updated");
      assert.deepEqual(updated?.data.previous_attributes, { name: "Ada" });
      assert.equal((updated?.data.object as Stripe.Customer | undefined)?.name, "Ada Lovelace");
      assert.equal(updated?.created, now);
      const reported = receiver.received[0];
      assert.ok(reported);
      assert.throws(
        () =>
          stripe.webhooks.constructEvent(
            `${reported.body} `,
            reported.headers["stripe-signature"] as string,
            secret,
          ),
        Stripe.errors.StripeSignatureVerificationError,
      );
      const listed = await shop.events.list({ type: "charge.refunded" });
      const refunded = events.find((event) => event.type === "charge.refunded");
      assert.deepEqual(
        listed.data.map((event) => event.id),
        [refunded?.id],
      );
      assert.deepEqual(
        { ...(await shop.events.retrieve(refunded?.id ?? "")), lastResponse: null },
        {
          ...refunded,
          lastResponse: null,
        },
      );
      const types: string[] = [];
      for await (const event of shop.events.list({ limit: 2 })) types.push(event.type);
      assert.deepEqual(types.sort(), [
        "charge.refunded",
        "customer.created",
        "customer.updated",
        "payment_intent.created",
        "payment_intent.succeeded",
        "refund.created",
      ]);
      await assert.rejects(stripe.events.retrieve(refunded?.id ?? ""), { code: "resource_missing" });
    } finally {
      await receiver.close();
    }
  });
});
