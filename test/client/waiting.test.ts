/** Waiting for states, reading streams and verifying deliveries, by the client of the parcel desk against the desk itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceResponse } from "../../src/engine/http/message.ts";
import type { Model } from "../../src/model/model.ts";
import { shownDocuments } from "../exports/documents.ts";
import { receive } from "../twins/receive.ts";
import { loadClient } from "./package.ts";
import { type ServeOptions, serveModel } from "./serve.ts";

const desk = shownDocuments.find((shownDocument) => shownDocument.name === "parcel-desk")?.model as Model;
const parcel = {
  recipient: "G",
  address: { line: "1 Harbour St", city: "Oslo", country: "NO" },
  weight_grams: 1,
};

// biome-ignore lint/suspicious/noExplicitAny: a client is whatever `connect` gives
type Desk = { client: any; connected: any; served: Awaited<ReturnType<typeof serveModel>>; pauses: number[] };

/** @param passing what happens while the client pauses, after so many pauses */
async function withDesk(
  work: (desk: Desk) => Promise<void>,
  options: ServeOptions = {},
  passing: (pauses: number, desk: Desk) => Promise<void> = async () => {},
): Promise<void> {
  const { client } = await loadClient(desk);
  const served = await serveModel(desk, options);
  const pauses: number[] = [];
  try {
    await served.make(
      `- Given: \`Shop with name = "Ada" as ada\`\n- Given: \`ApiKey with shop = ada, key = "sk_ada", scopes = ["read", "write", "courier"]\``,
    );
    const connected = client["connect"]({
      url: served.url,
      credentials: { secretKey: "sk_ada" },
      random: () => 1,
      sleep: async (milliseconds: number) => {
        pauses.push(milliseconds);
        await passing(pauses.length, made);
      },
    });
    const made: Desk = { client, connected, served, pauses };
    await work(made);
  } finally {
    await served.close();
  }
}

const day = 24 * 3_600_000;

test("the client polls for a state in growing pauses until it is reached", async () => {
  await withDesk(
    async ({ client, connected, pauses }) => {
      const { id } = await client.createParcel(connected, parcel);
      const record = await client.untilParcel(connected, id, "returned");
      assert.equal(record.status, "returned");
      assert.deepEqual(pauses, [500, 1000, 2000]);
    },
    {},
    async (count, { served }) => {
      if (count === 3) await served.wait(14 * day);
    },
  );
});

test("an unreachable state is an error at once; at the timeout, the error says that it isn't reached yet", async () => {
  await withDesk(async ({ client, connected, pauses }) => {
    const { id } = await client.createParcel(connected, parcel);
    await assert.rejects(
      client.untilParcel(connected, id, ["delivered"], { timeoutMs: 5000, everyMs: 1000 }),
      (error: Error) => {
        assert.ok(error instanceof client.WaitedInVain);
        assert.match(error.message, /still registered, not delivered/);
        return true;
      },
    );
    assert.equal(
      pauses.reduce((sum, pause) => sum + pause, 0),
      5000,
    );
    await client.giveBackParcel(connected, id);
    await assert.rejects(
      client.untilParcel(connected, id, "delivered"),
      (error: Error & { state?: string; record?: { id: string } }) => {
        assert.ok(error instanceof client.DeadEnd);
        assert.equal(error.state, "returned");
        assert.equal(error.record?.id, id);
        return true;
      },
    );
    assert.equal((await client.untilParcel(connected, id, ["delivered", "returned"])).status, "returned");
  });
});

/** Cuts the first connection of a stream after its first event; records each request's last event id. */
function cutting(requested: (string | undefined)[]): ServeOptions {
  return {
    before: (serve) => async (request) => {
      const answer = await serve(request);
      if (!request.target.startsWith("/v1/events")) return answer;
      requested.push(headerOf(request.rawHeaders, "last-event-id"));
      return requested.length === 1 ? { ...answer, body: cut(answer.body) } : answer;
    },
  };
}

function headerOf(raw: readonly string[], wanted: string): string | undefined {
  const at = raw.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return at === -1 ? undefined : raw[at + 1];
}

async function* cut(body: ServiceResponse["body"]): AsyncIterable<string> {
  for await (const piece of body as AsyncIterable<string>) {
    yield piece;
    if (piece.includes("event:")) return;
  }
}

test("an interrupted stream resumes after the last event, with none missing and none repeated", {
  timeout: 300_000,
}, async () => {
  const requested: (string | undefined)[] = [];
  await withDesk(async ({ client, connected, pauses }) => {
    const stopping = new AbortController();
    const events = client.streamEvents(connected, { signal: stopping.signal });
    const first = events.next();
    // A stream starts at the current event: earlier events aren't sent.
    while (requested.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const { id } = await client.createParcel(connected, parcel);
    const { value: registered } = await first;
    await client.collectParcel(connected, id);
    await client.deliverParcel(connected, id, { signed_by: "G" });
    const { value: collected } = await events.next();
    const { value: delivered } = await events.next();
    assert.deepEqual(
      [registered, collected, delivered].map((frame) => [frame.event, frame.data.data.id]),
      [
        ["parcel.registered", id],
        ["parcel.collected", id],
        ["parcel.delivered", id],
      ],
    );
    assert.deepEqual(requested, [undefined, registered.id]);
    assert.equal(pauses.length, 1);
    const waiting = events.next();
    stopping.abort();
    assert.equal((await waiting).done, true);
  }, cutting(requested));
});

test("the time-out of calls doesn't apply to streams, which last as long as they are read", {
  timeout: 300_000,
}, async () => {
  await withDesk(async ({ client, connected, served }) => {
    const opened: string[] = [];
    const brief = client.connect({
      url: served.url,
      credentials: { secretKey: "sk_ada" },
      timeoutMs: 1,
      fetch: async (url: string, init: RequestInit) => {
        const answer = await fetch(url, init);
        opened.push(url);
        return answer;
      },
    });
    const events = client.streamEvents(brief);
    const first = events.next();
    while (opened.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await client.createParcel(connected, parcel);
    assert.equal((await first).value.event, "parcel.registered");
    assert.equal(opened.length, 1);
    await events.return();
  });
});

test("a stream that is rejected is the code's error, and isn't requested again", async () => {
  await withDesk(async ({ client, served, pauses }) => {
    const anonymous = client.connect({ url: served.url });
    await assert.rejects(
      client.streamEvents(anonymous).next(),
      (error: Error) => error instanceof client.NoKeyError,
    );
    assert.equal(pauses.length, 0);
  });
});

test("the service's own deliveries are verified, and others are rejected", async () => {
  const receiver = await receive();
  try {
    await withDesk(async ({ client, connected, served }) => {
      const { secret } = await client.createHook(connected, {
        url: receiver.url,
        events: ["parcel.returned"],
      });
      const { id } = await client.createParcel(connected, parcel);
      served.service.deliveries.start();
      await client.giveBackParcel(connected, id);
      await served.service.deliveries.idle();
      const [delivery] = receiver.received;
      assert.ok(delivery);
      const { headers, body } = delivery;
      const now = { now: () => served.clock.now() };
      const event = await client.verifyWebhook(headers, body, secret, now);
      assert.deepEqual([event.type, event.data.id], ["parcel.returned", id]);
      const asHeaders = new Headers(headers as Record<string, string>);
      const both = ["whsec_b3RoZXI=", secret];
      assert.deepEqual(
        await client.verifyWebhook(asHeaders, new TextEncoder().encode(body), both, now),
        event,
      );
      const several = { ...headers, "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}` };
      assert.deepEqual(await client.verifyWebhook(several, body, secret, now), event);
      const refused = (given: object, text: string, by: string, at = now) =>
        assert.rejects(
          client.verifyWebhook(given, text, by, at),
          (error: Error) => error instanceof client.NotGenuine,
        );
      await refused(headers, `${body} `, secret);
      await refused(headers, body, "whsec_b3RoZXI=");
      await refused({ ...headers, "webhook-id": "other" }, body, secret);
      await refused({}, body, secret);
      await refused(headers, body, secret, { now: () => served.clock.now() + 301_000 });
      assert.deepEqual(
        await client.verifyWebhook(headers, body, secret, {
          now: () => served.clock.now() + 301_000,
          toleranceSeconds: 600,
        }),
        event,
      );
    });
  } finally {
    await receiver.close();
  }
});
