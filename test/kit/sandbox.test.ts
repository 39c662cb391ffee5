/** Sandbox of `ninefold/testing`, in this process and in a separate process. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";
import { joinSandbox, startReceiver, startSandbox } from "../../src/kit/index.ts";
import { pathOf } from "../repository/repository.ts";
import { sqliteAlone } from "../sqlite-alone.ts";
import { ownFolder } from "../own-folder.ts";

const folder = ownFolder("kit");

const desk = {
  document: pathOf("examples/parcel-desk.md"),
  seed: pathToFileURL(pathOf("examples/parcel-desk.seed.md")),
};
const headers = { Authorization: "Bearer sk_ada_4f1c09", "Parcel-Version": "2026-11-01" };

const snapshots = sqliteAlone("PostgreSQL gives no snapshots");

for (const inProcess of [true, false]) {
  const where = inProcess ? "in this process" : "as a process";

  test(`${where}: each space starts with the seed and is isolated from others`, async () => {
    await using sandbox = await startSandbox({ ...desk, inProcess });
    const [first, second] = await Promise.all([sandbox.space(), sandbox.space("named")]);
    assert.notEqual(first.name, second.name);
    assert.equal(second.name, "named");
    const [made] = await first.add('Shop with name = "Linus"', 'Shop with name = "Grace"');
    assert.equal(made?.["name"], "Linus");
    const names = async (space: typeof first) =>
      (await space.records("Shop")).map((record) => record["name"]).toSorted();
    assert.deepEqual(await names(first), ["Ada & Co", "Grace", "Linus"]);
    assert.deepEqual(await names(second), ["Ada & Co"]);
    assert.equal((await first.records("Shop", "name = Grace")).length, 1);
    assert.equal((await first.fetch("/v1/parcels", { headers })).status, 200);
    assert.equal((await first.fetch("/v1/parcels")).status, 401);
    // A client can select the data space with a header, or use its addresses.
    const same = await joinSandbox(JSON.parse(JSON.stringify(sandbox))).space(first.name);
    assert.deepEqual(await names(same), ["Ada & Co", "Grace", "Linus"]);
    await first.close();
    await assert.rejects(first.clock.now(), /data space/);
  });

  test(`${where}: time advances on request, and a snapshot restores everything`, snapshots, async () => {
    await using sandbox = await startSandbox({ ...desk, inProcess });
    await using space = await sandbox.space();
    await space.snapshot("before");
    const before = await space.clock.stop();
    assert.equal((await space.clock.advance("14 days")).getTime() - before.getTime(), 14 * 86_400_000);
    assert.equal((await space.events("parcel.returned")).length, 1);
    await space.restore("before");
    assert.equal((await space.events()).length, 0);
    await space.clock.stop();
    const later = new Date("2030-01-01T00:00:00.000Z");
    assert.deepEqual(await space.clock.set(later), later);
    await space.add('Shop with name = "One more"');
    await space.reset();
    assert.equal((await space.records("Shop")).length, 1);
    await assert.rejects(space.add("Shop with nam = 1"), /nam/);
    await assert.rejects(space.clock.advance("soon"), /length of time/);
  });

  test(`${where}: a document that can't be served is reported with its diagnostics`, async () => {
    const document = join(folder, "wrong.md");
    writeFileSync(document, "# Interface Specification: Wrong\n\n## Nothing\n");
    await assert.rejects(startSandbox({ document, inProcess }), /wrong\.md/);
    await assert.rejects(startSandbox({ document: join(folder, "none.md"), inProcess }), /none\.md/);
  });
}

test("all pages of records and events are read", async () => {
  await using sandbox = await startSandbox({ ...desk, inProcess: true });
  await using space = await sandbox.space();
  await space.add(...Array.from({ length: 250 }, (_, at) => `Shop with name = "Shop ${at}"`));
  assert.equal((await space.records("Shop")).length, 251);
});

test("handlers can be passed only within this process", async () => {
  const document = pathOf("examples/delivery-quotes.md");
  await assert.rejects(startSandbox({ document, handlers: {} }), /inProcess/);
  const sandbox = await startSandbox({ document, handlers: { handlers: {} }, inProcess: true });
  await sandbox.close();
  await sandbox.close();
});

test("a receiver stores requests, responds as configured, and verifies signatures", async () => {
  const secret = "whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbG9uZQ==";
  await using receiver = await startReceiver({ secret });
  receiver.answer(503);
  const send = (body: string) => fetch(receiver.url, { method: "POST", body });
  assert.equal((await send('{"type": "a"}')).status, 503);
  assert.equal((await send("no JSON")).status, 204);
  const second = receiver.next();
  const third = receiver.next("b");
  assert.deepEqual(await second, receiver.received[0]);
  assert.equal((await receiver.next()).text, "no JSON");
  await send('{"type": "b"}');
  assert.deepEqual([(await third).json, (await third).isSigned], [{ type: "b" }, false]);
  await assert.rejects(
    receiver.next("c", 1),
    /No webhook c has arrived within 1 ms, only a, one without a type, b\./,
  );
});

for (const signsInSandboxTime of [false, true])
  test(`after the clock moved, webhooks are signed for ${signsInSandboxTime ? "its" : "real"} time`, async () => {
    const secret = "whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbG9uZQ==";
    await using sandbox = await startSandbox({ ...desk, inProcess: true, signsInSandboxTime });
    await using space = await sandbox.space();
    await using receiver = await startReceiver({ secret });
    await space.add(
      `Shop with name = "Linus" as linus`,
      `ApiKey with shop = linus, key = "sk_linus", scopes = ["read", "write"]`,
      `Hook with shop = linus, url = "${receiver.url}", secret = "${secret}", events = ["parcel.registered"]`,
    );
    await space.clock.advance("1 hour");
    await space.fetch("/v1/parcels", {
      method: "POST",
      headers: {
        ...headers,
        Authorization: "Bearer sk_linus",
        "Content-Type": "application/json",
        "Idempotency-Key": "one",
      },
      body: JSON.stringify({
        recipient: "Ada",
        address: { line: "1", city: "L", country: "NL" },
        weight_grams: 500,
      }),
    });
    const webhook = await receiver.next("parcel.registered");
    const verify = () => new Webhook(secret).verify(webhook.text, webhook.headers as Record<string, string>);
    assert.equal(webhook.isSigned, !signsInSandboxTime);
    if (signsInSandboxTime) assert.throws(verify, /too new/);
    else verify();
    // The event's time is from the sandbox's clock.
    const time = Date.parse((webhook.json as { readonly timestamp: string }).timestamp);
    const sentMs = Number(webhook.headers["webhook-timestamp"]) * 1000;
    assert.equal(time - sentMs > 3_000_000, !signsInSandboxTime, `${time - sentMs}`);
  });

for (const inProcess of [true, false])
  test(`${inProcess ? "in this process" : "as a process"}: a sandbox with TLS is trusted here`, async () => {
    await using sandbox = await startSandbox({ ...desk, inProcess, tls: true });
    assert.match(sandbox.url, /^https:/);
    await using space = await sandbox.space();
    assert.equal((await space.fetch("/v1/parcels", { headers })).status, 200);
    assert.equal((await fetch(`${space.url}/v1/parcels`, { headers })).status, 200);
    // This client has the certificate and uses the sandbox's host name.
    const url = new URL(`${space.url}/v1/parcels`);
    url.hostname = "localhost";
    const sent = request(url, { ca: sandbox.certificate, headers }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    assert.equal(answer.statusCode, 200);
    const joined = joinSandbox(JSON.parse(JSON.stringify(sandbox)));
    assert.equal(joined.certificate, sandbox.certificate);
  });

test("several documents are served in one process, each with its data spaces", async () => {
  await using sandbox = await startSandbox({ ...desk, inProcess: true });
  await using other = await startSandbox({
    document: pathOf("examples/helpdesk.md"),
    inProcess: true,
  });
  await using parcels = await sandbox.space("same");
  await using tickets = await other.space("same");
  assert.equal((await parcels.records("Shop")).length, 1);
  assert.equal((await tickets.records("Ticket")).length, 0);
  assert.equal((await tickets.fetch("/v1/parcels")).status, 404);
});
