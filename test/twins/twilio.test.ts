/**
 * `examples/twins/twilio.md`, driven by Twilio's own library, which gets the address by the HTTP
 * client that it accepts as an option.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import twilio from "twilio";
import { receive } from "./receive.ts";
import { serveTwin, startedAt, type Twin } from "./serve-twin.ts";

const shop = "AC00000000000000000000000000000001";
const otherAccount = "AC00000000000000000000000000000002";

interface RestError extends Error {
  readonly status: number;
  readonly code: number;
  readonly moreInfo: string;
}

async function failure(work: Promise<unknown>): Promise<RestError> {
  return work.then(
    () => assert.fail("did not fail"),
    (error: unknown) => error as RestError,
  );
}

describe("the published Twilio library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  let client: ReturnType<typeof twilio>;

  /** The client is unchanged except for the host that it calls. */
  class Local extends twilio.RequestClient {
    override request: twilio.RequestClient["request"] = (options) =>
      twilio.RequestClient.prototype.request.call(this, {
        ...options,
        uri: options.uri.replace("https://api.twilio.com", twin.origin),
      }) as never;
  }

  before(async () => {
    twin = await serveTwin("twilio", [
      `Account with sid = "${shop}", auth_token = "secret1", callback_token = "secret1", friendly_name = "Shop" as shop`,
      `Account with sid = "${otherAccount}", auth_token = "secret2", friendly_name = "Other"`,
      'Key with sid = "SK00000000000000000000000000000001", secret = "key-secret", account = shop',
    ]);
    client = twilio(shop, "secret1", { httpClient: new Local() });
  });
  after(() => twin.close());

  test("a message is sent, delivered, redacted and deleted", async () => {
    const made = await client.messages.create({
      to: "+15558675310",
      from: "+15005550006",
      body: "Hello & good-bye",
      mediaUrl: ["https://example.com/a.png", "https://example.com/b.jpg"],
    });
    assert.match(made.sid, /^SM[0-9a-f]{32}$/);
    assert.equal(made.accountSid, shop);
    assert.equal(made.body, "Hello & good-bye");
    assert.equal(made.numMedia, "2");
    assert.equal(made.status, "queued");
    assert.equal(made.dateCreated.getTime(), startedAt.getTime());
    assert.equal(made.dateSent, null);
    assert.equal(
      (
        await failure(
          client
            .messages(made.sid)
            .remove()
            .then(() => {}),
        )
      ).code,
      20009,
    );
    twin.clock.moveBy(2000);
    const sent = await client.messages(made.sid).fetch();
    assert.equal(sent.status, "delivered");
    assert.equal(sent.dateSent.getTime(), startedAt.getTime() + 1000);
    const media = await client.messages(made.sid).media.list();
    assert.deepEqual(
      media.map((mediaInstance) => [mediaInstance.contentType, mediaInstance.parentSid]),
      [
        ["image/png", made.sid],
        ["image/jpeg", made.sid],
      ],
    );
    assert.equal(
      (
        await client
          .messages(made.sid)
          .media(media[0]?.sid ?? "")
          .fetch()
      ).sid,
      media[0]?.sid,
    );
    assert.equal((await client.messages(made.sid).update({ body: "" })).body, "");
    assert.equal(await client.messages(made.sid).remove(), true);
    const gone = await failure(client.messages(made.sid).fetch());
    assert.equal(gone.status, 404);
    assert.equal(gone.code, 20404);
    assert.equal(gone.moreInfo, "https://www.twilio.com/docs/errors/20404");
    assert.equal(
      gone.message,
      `The requested resource /2010-04-01/Accounts/${shop}/Messages/${made.sid}.json was not found`,
    );
  });

  test("a scheduled message waits, or is canceled", async () => {
    const sendAt = new Date(twin.clock.now() + 3_600_000);
    const later = { to: "+15558675310", messagingServiceSid: `MG${"0".repeat(32)}`, body: "Later" };
    const first = await client.messages.create({ ...later, scheduleType: "fixed", sendAt });
    const second = await client.messages.create({ ...later, scheduleType: "fixed", sendAt });
    assert.equal(first.status, "scheduled");
    assert.equal((await client.messages(second.sid).update({ status: "canceled" })).status, "canceled");
    twin.clock.moveBy(3_602_000);
    const sent = await client.messages(first.sid).fetch();
    assert.equal(sent.status, "delivered");
    assert.equal(sent.dateSent.getTime(), sendAt.getTime() + 1000);
    assert.equal((await client.messages(second.sid).fetch()).status, "canceled");
    assert.equal((await failure(client.messages(first.sid).update({ status: "canceled" }))).code, 30409);
  });

  test("pages link to the next page", async () => {
    const mine = twilio(otherAccount, "secret2", { httpClient: new Local() });
    for (let at = 1; at <= 7; at += 1) {
      await mine.messages.create({ to: `+1555867531${at % 2}`, from: "+15005550006", body: `No. ${at}` });
      twin.clock.moveBy(1000);
    }
    const requested = twin.requested.length;
    const all = await mine.messages.list({ pageSize: 3 });
    assert.deepEqual(
      all.map((message) => message.body),
      [7, 6, 5, 4, 3, 2, 1].map((at) => `No. ${at}`),
    );
    const path = `/2010-04-01/Accounts/${otherAccount}/Messages.json`;
    assert.deepEqual(twin.requested.slice(requested), [
      `GET ${path}?PageSize=3`,
      `GET ${path}?PageSize=3&Page=1`,
      `GET ${path}?PageSize=3&Page=2`,
    ]);
    assert.equal((await mine.messages.list({ limit: 5, pageSize: 2 })).length, 5);
    const page = await mine.messages.page({ pageSize: 4 });
    const next = await page.nextPage();
    assert.deepEqual(
      next?.instances.map((instance) => instance.body),
      ["No. 3", "No. 2", "No. 1"],
    );
    assert.equal((await next?.previousPage())?.instances.length, 4);
    assert.equal((await mine.messages.list({ to: "+15558675311" })).length, 4);
    const after = all[1]?.dateSent as Date;
    assert.deepEqual(
      (await mine.messages.list({ dateSentAfter: after })).map((message) => message.body),
      ["No. 7", "No. 6"],
    );
    assert.equal((await mine.messages.list({ dateSentBefore: after })).length, 6);
    assert.equal((await mine.messages.list({ dateSent: after })).length, 7);
    let seen = 0;
    await new Promise<void>((resolve, reject) => {
      mine.messages.each({
        pageSize: 2,
        callback: (_one, done) => {
          seen += 1;
          if (seen === 5) done();
        },
        done: (error?: Error) => (error ? reject(error) : resolve()),
      });
    });
    assert.equal(seen, 5);
  });

  test("a call rings, is answered and ends", async () => {
    const call = await client.calls.create({
      to: "+14155551212",
      from: "+15005550006",
      twiml: "<Response><Say>Ahoy!</Say></Response>",
    });
    assert.equal(call.status, "queued");
    assert.equal((await failure(client.calls(call.sid).update({ status: "completed" }))).code, 21220);
    twin.clock.moveBy(6000);
    const running = await client.calls(call.sid).fetch();
    assert.equal(running.status, "in-progress");
    twin.clock.moveBy(10_000);
    const ended = await client.calls(call.sid).update({ status: "completed" });
    assert.equal(ended.status, "completed");
    assert.equal(ended.duration, "10");
    assert.equal(ended.endTime.getTime() - ended.startTime.getTime(), 10_000);
    const second = await client.calls.create({
      to: "+14155551212",
      from: "+15005550006",
      url: "https://a.example/",
    });
    assert.equal((await client.calls(second.sid).update({ status: "canceled" })).status, "canceled");
    assert.deepEqual(
      (await client.calls.list({ status: "completed" })).map((callInstance) => callInstance.sid),
      [call.sid],
    );
  });

  test("keys are credentials of their account, and other accounts are not found", async () => {
    const withKey = twilio("SK00000000000000000000000000000001", "key-secret", {
      accountSid: shop,
      httpClient: new Local(),
    });
    assert.equal((await withKey.api.accounts(shop).fetch()).friendlyName, "Shop");
    const renamed = await withKey.api.accounts(shop).update({ friendlyName: "Big shop" });
    assert.equal(renamed.friendlyName, "Big shop");
    assert.equal((await failure(client.api.accounts(otherAccount).fetch())).status, 404);
    const foreign = twilio(shop, "secret1", { accountSid: otherAccount, httpClient: new Local() });
    assert.equal((await failure(foreign.messages.list())).status, 404);
    assert.equal(
      (await failure(foreign.messages.create({ to: "+15558675310", from: "+15005550006", body: "x" })))
        .status,
      404,
    );
    const wrong = await failure(twilio(shop, "wrong", { httpClient: new Local() }).messages.list());
    assert.equal(wrong.status, 401);
    assert.equal(wrong.code, 20003);
    assert.equal(wrong.message, "Authenticate");
  });

  test("errors have the documentation's numbers", async () => {
    const base = { to: "+15558675310", from: "+15005550006", body: "x" };
    const codes: [object, number][] = [
      [{ ...base, to: undefined }, 21604],
      [{ ...base, to: "me" }, 21211],
      [{ ...base, to: "+15005550001" }, 21211],
      [{ ...base, from: undefined }, 21603],
      [{ ...base, body: undefined }, 21619],
      [{ ...base, body: "x".repeat(1601) }, 21617],
      [{ ...base, scheduleType: "fixed" }, 35111],
      [{ ...base, mediaUrl: ["no address"] }, 20001],
    ];
    for (const [sent, code] of codes) {
      const work = async () => client.messages.create(sent as never);
      const error = await failure(work());
      if (code === 21604) assert.match(error.message, /params\['to'\]|'To'|Required parameter/);
      else assert.equal(error.code, code, JSON.stringify(sent).slice(0, 100));
    }
    const invalid = await failure(client.messages.create({ ...base, to: "me" }));
    assert.equal(invalid.message, "Invalid 'To' Phone Number: me");
  });

  test("the callback of a message receives its progress, with a signature that the library accepts", async () => {
    const receiver = await receive();
    try {
      const made = await client.messages.create({
        to: "+15558675310",
        from: "+15005550006",
        body: "Call me",
        statusCallback: receiver.url,
      });
      await twin.pass(1000);
      await twin.pass(1000);
      const reported = receiver.received.map(({ headers, body }) => {
        const form = Object.fromEntries(new URLSearchParams(body));
        const signature = headers["x-twilio-signature"] as string;
        assert.equal(headers["content-type"], "application/x-www-form-urlencoded");
        assert.equal(twilio.validateRequest("secret1", signature, receiver.url, form), true);
        assert.equal(twilio.validateRequest("other", signature, receiver.url, form), false);
        return [form["MessageSid"], form["MessageStatus"], form["To"]];
      });
      assert.deepEqual(reported, [
        [made.sid, "sent", "+15558675310"],
        [made.sid, "delivered", "+15558675310"],
      ]);
    } finally {
      await receiver.close();
    }
  });
});
