/**
 * Notifications by e-mail: a real SMTP server receives them as reliably as webhooks. They are sent
 * only after the commit, retried after a failure, and keep their id.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { SMTPServer } from "smtp-server";
import { createMailer } from "../../src/engine/outbound/mailer.ts";
import { createMovableClock } from "../../src/engine/ports.ts";
import { openShop, type Shop } from "./serve-shop.ts";

const text = readFileSync(join(import.meta.dirname, "notices.md"), "utf8");

interface Letter {
  readonly to: readonly string[];
  readonly headers: ReadonlyMap<string, string>;
  /** The received body with its transfer encoding decoded. */
  readonly body: string;
}

interface Post {
  readonly shop: Shop;
  readonly messages: Letter[];
  /** The server's replies to the next messages, which it rejects. */
  readonly refusals: { readonly code: number; readonly words: string }[];
  readonly port: number;
}

async function posted(t: TestContext): Promise<Post> {
  const messages: Letter[] = [];
  const refusals: Post["refusals"] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    closeTimeout: 100,
    onData(stream, session, answer) {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", () => {
        const refusal = refusals.shift();
        if (refusal) {
          answer(Object.assign(new Error(refusal.words), { responseCode: refusal.code }));
          return;
        }
        messages.push(
          readLetter(
            session.envelope.rcptTo.map((smtpServerAddress) => smtpServerAddress.address),
            Buffer.concat(pieces),
          ),
        );
        answer();
      });
    },
  });
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, "127.0.0.1", () =>
      resolve((listening.address() as { readonly port: number }).port),
    );
  });
  const mailer = createMailer({
    server: `smtp://127.0.0.1:${port}`,
    from: "Parcel Désk <desk@shop.example>",
  });
  const shop = await openShop({ text, mailer });
  shop.service.deliveries.start();
  t.after(async () => {
    await shop.close();
    mailer.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { shop, messages, refusals, port };
}

function readLetter(to: readonly string[], raw: Buffer): Letter {
  const whole = raw.toString("utf8");
  const end = whole.indexOf("\r\n\r\n");
  const lines = whole
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const [name = "", ...value] = line.split(": ");
      return [name.toLowerCase(), value.join(": ")] as const;
    }),
  );
  const body = whole.slice(end + 4).trimEnd();
  const encoding = headers.get("content-transfer-encoding");
  const plain =
    encoding === "base64"
      ? Buffer.from(body, "base64").toString("utf8")
      : encoding === "quoted-printable"
        ? Buffer.from(
            body
              .replaceAll("=\r\n", "")
              .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
            "latin1",
          ).toString("utf8")
        : body;
  return { to, headers, body: plain };
}

async function paid(shop: Shop, order: Record<string, unknown> = {}): Promise<string> {
  const made = await shop.send("POST", "/v1/orders", {
    email: "ada@home.example",
    title: "Tea",
    amount: 5,
    ...order,
  });
  assert.equal(made.status, 201, JSON.stringify(made.json));
  assert.equal((await shop.send("POST", `/v1/orders/${made.json.id}/pay`)).status, 200);
  await shop.pass(0);
  return made.json.id;
}

const statesOf = async (shop: Shop) =>
  (await shop.service.deliveries.list()).map(({ channel, state, attempts, error }) => ({
    channel,
    state,
    attempts,
    error,
  }));

test("an event is sent to its recipients by e-mail", async (t) => {
  const { shop, messages } = await posted(t);
  const id = await paid(shop, { title: "Tee für Zoë 🫖" });
  assert.equal(messages.length, 1);
  const [letter] = messages as [Letter];
  assert.deepEqual(letter.to, ["ada@home.example"]);
  assert.equal(letter.body, `Your order ${id} over 5 € is paid (order.paid).`);
  assert.match(letter.headers.get("subject") ?? "", /^=\?UTF-8\?/);
  assert.match(letter.headers.get("from") ?? "", /<desk@shop\.example>$/);
  assert.equal(letter.headers.get("date"), "Fri, 20 Nov 2026 12:00:00 +0000");
  assert.deepEqual(await statesOf(shop), [{ channel: "email", state: "done", attempts: 1, error: null }]);
});

test("several recipients share one message, and nothing is sent without an address", async (t) => {
  const { shop, messages } = await posted(t);
  await paid(shop, { email: null, others: ["bo@home.example", "cy@home.example", "bo@home.example"] });
  assert.deepEqual(
    messages.map(({ to, headers, body }) => [to, headers.get("subject"), body]),
    [[["bo@home.example", "cy@home.example"], "New: Tea", ""]],
  );
});

test("a change that is rolled back sends no notification", async (t) => {
  const { shop, messages } = await posted(t);
  const made = await shop.send("POST", "/v1/orders", { email: "ada@home.example", title: "Tea", amount: 0 });
  assert.equal((await shop.send("POST", `/v1/orders/${made.json.id}/pay`)).status, 409);
  await shop.pass(60_000);
  assert.equal(messages.length, 0);
  assert.deepEqual(await statesOf(shop), []);
});

test("a message that the server temporarily rejects is sent again under the same id", async (t) => {
  const { shop, messages, refusals } = await posted(t);
  refusals.push({ code: 451, words: "the disk is full" }, { code: 421, words: "come back" });
  await paid(shop);
  assert.equal(messages.length, 0);
  const [waiting] = await shop.service.deliveries.list();
  assert.match(waiting?.error ?? "", /^the mail server answered 451 the disk is full/);
  assert.equal(waiting?.dueAt, shop.clock.now() + 5000);
  // An e-mail has no HTTP request to show.
  assert.equal(await shop.service.deliveries.request(waiting), undefined);
  await shop.pass(5000);
  assert.equal(messages.length, 0);
  await shop.pass(60_000);
  assert.equal(messages.length, 1);
  assert.equal(messages[0]?.headers.get("message-id"), `<${waiting.id}@shop.example>`);
  // The date is that of the event.
  assert.equal(messages[0].headers.get("date"), "Fri, 20 Nov 2026 12:00:00 +0000");
  assert.deepEqual(await statesOf(shop), [{ channel: "email", state: "done", attempts: 3, error: null }]);
});

test("a message that the server permanently rejects is given up, and can be sent again by hand", async (t) => {
  const { shop, messages, refusals } = await posted(t);
  refusals.push({ code: 550, words: "no such mailbox" });
  await paid(shop);
  const [dead] = await shop.service.deliveries.list();
  assert.equal(dead?.state, "dead");
  assert.match(dead?.error ?? "", /^the mail server answered 550 no such mailbox/);
  assert.equal(await shop.service.deliveries.redeliver({ state: "dead" }), 1);
  await shop.pass(0);
  assert.equal(messages.length, 1);
});

test("an address can't inject other addresses, nor a subject headers", async (t) => {
  const { shop, messages } = await posted(t);
  await paid(shop, { email: "ada@home.example, eve@evil.example" });
  await paid(shop, { email: "ada@home.example\r\nBcc: eve@evil.example" });
  assert.equal(messages.length, 0);
  for (const { state, error } of await shop.service.deliveries.list()) {
    assert.equal(state, "dead");
    assert.match(error ?? "", /is not an e-mail address$/);
  }
  await paid(shop, { title: "Tea\r\nBcc: eve@evil.example" });
  assert.equal(messages.length, 1);
  assert.deepEqual(messages[0]?.to, ["ada@home.example"]);
  assert.equal(messages[0]?.headers.has("bcc"), false);
});

test("an unreachable server is retried, and then the notification is given up", async () => {
  const mailer = createMailer({ server: "smtp://127.0.0.1:9", from: "desk@shop.example" });
  const shop = await openShop({ text, mailer });
  shop.service.deliveries.start();
  await paid(shop);
  await shop.pass(120_000);
  const [dead] = await shop.service.deliveries.list();
  assert.deepEqual([dead?.state, dead?.attempts], ["dead", 3]);
  await shop.close();
  mailer.close();
});

test("the mailer reaches the mail server only through its network port", async () => {
  const requested: (readonly [host: string, port: number])[] = [];
  const connect = async (host: string, port: number) => {
    requested.push([host, port]);
    throw new Error("no server is there");
  };
  const letter = { id: "dlv_1", to: ["ada@home.example"], subject: "Tea", text: "Paid.", dateMs: 0 };
  for (const server of ["smtp://mail.example", "smtps://mail.example", "smtp://mail.example:2525"]) {
    const mailer = createMailer({ server, from: "desk@shop.example", network: { connect } });
    await assert.rejects(mailer.send(letter, 10_000, new AbortController().signal), /no server is there/);
    mailer.close();
  }
  assert.deepEqual(
    new Set(requested.map(([host, port]) => `${host}:${port}`)),
    new Set(["mail.example:587", "mail.example:465", "mail.example:2525"]),
  );
});

test("the mailer waits for a silent mail server by its clock port", async () => {
  const clock = createMovableClock(0);
  const connect = () => new Promise<never>(() => undefined);
  const mailer = createMailer({
    server: "smtp://mail.example",
    from: "desk@shop.example",
    network: { connect },
    clock,
  });
  const letter = { id: "dlv_1", to: ["ada@home.example"], subject: "Tea", text: "Paid.", dateMs: 0 };
  const sent = mailer.send(letter, 10_000, new AbortController().signal);
  clock.moveBy(10_000);
  await assert.rejects(sent, /no response within 10000 ms/);
  mailer.close();
});

test("without a mail server nothing is sent, and the notifications can be sent later", async () => {
  const shop = await openShop({ text });
  shop.service.deliveries.start();
  await paid(shop);
  assert.deepEqual(await statesOf(shop), [
    {
      channel: "email",
      state: "dead",
      attempts: 1,
      error: "no mail server is configured, so nothing was sent",
    },
  ]);
  await shop.close();
});

test("without retries there is one attempt, and without notifications nothing to send", async () => {
  const mailer = createMailer({ server: "smtp://127.0.0.1:9", from: "desk@shop.example" });
  const once = await openShop({
    text: text.replace("- Retries: 5 seconds, 1 minute", "- Retries: none"),
    mailer,
  });
  once.service.deliveries.start();
  await paid(once);
  const [dead] = await once.service.deliveries.list();
  assert.deepEqual([dead?.state, dead?.attempts], ["dead", 1]);
  await once.close();
  const silent = text.replace(
    /- Notifications: email[^\n]*\n- Notifications: email[^\n]*/,
    "- Notifications: none",
  );
  assert.notEqual(silent, text);
  const shop = await openShop({ text: silent, mailer });
  shop.service.deliveries.start();
  await paid(shop, { others: ["bo@home.example"] });
  assert.deepEqual(await statesOf(shop), []);
  await shop.close();
  mailer.close();
});

test("a setting without a mail server or without a sender is reported", () => {
  assert.throws(() => createMailer({ server: "http://mail.example", from: "a@b.example" }), /smtp:\/\/user/);
  assert.throws(() => createMailer({ server: "smtp://mail.example", from: "Desk" }), /desk@example\.com/);
});
