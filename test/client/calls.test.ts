/**
 * Calls of a generated client, against real services: retries, idempotency, errors by code,
 * parameter styles, credentials.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "../../src/model/model.ts";
import { shownDocuments } from "../exports/documents.ts";
import { modelOf } from "../deliveries/serve-shop.ts";
import { smallDocument, standing } from "../contracts/serve-document.ts";
import { type ClientPackage, loadClient } from "./package.ts";
import { type Served, serveModel } from "./serve.ts";

const desk = shownDocuments.find((shownDocument) => shownDocument.name === "parcel-desk")?.model as Model;
const shops = `- Given: \`Shop with name = "Ada" as ada\`
- Given: \`ApiKey with shop = ada, key = "sk_ada", scopes = ["read", "write", "courier"]\``;
const parcel = {
  recipient: "Grace",
  address: { line: "1 Harbour St", city: "Oslo", country: "NO" },
  weight_grams: 1200,
};

interface Sent {
  readonly url: string;
  readonly init: RequestInit & { readonly headers: Headers };
}

interface Desk {
  readonly client: ClientPackage;
  readonly served: Served;
  readonly sent: Sent[];
  readonly pauses: number[];
  // biome-ignore lint/suspicious/noExplicitAny: a client is whatever `connect` gives
  readonly connected: any;
}

/** @param broken what becomes of a request, by its number; the answer of the service where nothing does */
async function withDesk(
  work: (desk: Desk) => Promise<void>,
  broken: (number: number, answer: () => Promise<Response>) => Promise<Response> = (_, answer) => answer(),
): Promise<void> {
  const { client } = await loadClient(desk);
  const served = await serveModel(desk);
  const sent: Sent[] = [];
  const pauses: number[] = [];
  try {
    await served.make(shops);
    const connected = client["connect"]({
      url: `${served.url}/`,
      credentials: { secretKey: "sk_ada" },
      random: () => 1,
      sleep: async (milliseconds: number) => {
        pauses.push(milliseconds);
        served.clock.moveBy(milliseconds);
      },
      fetch: (url: string, init: Sent["init"]) => {
        sent.push({ url, init });
        return broken(sent.length, () => fetch(url, init));
      },
    });
    await work({ client, served, sent, pauses, connected });
  } finally {
    await served.close();
  }
}

const cut = () => Promise.reject(new TypeError("fetch failed"));

test("a request whose response got lost is sent again with the same idempotency key: the parcel is created once", async () => {
  await withDesk(
    async ({ client, connected, sent, pauses }) => {
      const made = await client["createParcel"](connected, parcel);
      assert.equal(sent.length, 2);
      const [first, second] = sent.map(({ init }) => init.headers.get("Idempotency-Key"));
      assert.match(String(first), /^[\da-f-]{36}$/);
      assert.equal(second, first);
      assert.deepEqual(pauses, [500]);
      const page = await client["listParcels"](connected);
      assert.deepEqual(
        page.data.map(({ id }: { id: string }) => id),
        [made.id],
      );
      await client["createParcel"](connected, parcel);
      assert.notEqual(sent.at(-1)?.init.headers.get("Idempotency-Key"), first);
    },
    async (number, answer) => {
      const answered = await answer();
      return number === 1 ? cut() : answered;
    },
  );
});

test("requests that are not repeatable are not retried, and others are retried twice", async () => {
  await withDesk(async ({ client, connected, sent, pauses }) => {
    await assert.rejects(client["collectParcel"](connected, "pcl_1"), TypeError);
    assert.equal(sent.length, 1);
    await assert.rejects(client["getParcel"](connected, "pcl_1"), TypeError);
    assert.equal(sent.length, 4);
    assert.deepEqual(pauses, [500, 1000]);
  }, cut);
});

test("a rejected request is sent again after the pause that the rate limit sets", async () => {
  await withDesk(async ({ client, connected, sent, pauses }) => {
    for (let at = 0; at < 11; at += 1) await client["createHook"](connected, { url: "https://a.test/h" });
    assert.equal(sent.length, 12);
    assert.deepEqual(pauses, [1000]);
  });
});

test("a long pause is an error for the caller, with the code's own class", async () => {
  const body = { error: { code: "slow_down", message: "Later." } };
  const refusal = () =>
    Promise.resolve(
      Response.json(body, { status: 429, headers: { "Retry-After": "3600", "X-Request-Id": "r1" } }),
    );
  await withDesk(async ({ client, connected, sent }) => {
    await assert.rejects(client["getParcel"](connected, "pcl_1"), (error: Error) => {
      assert.ok(error instanceof client["SlowDownError"] && error instanceof client["ApiError"]);
      assert.partialDeepStrictEqual(
        { ...error, message: error.message },
        {
          status: 429,
          code: "slow_down",
          message: "Later.",
          body,
          requestId: "r1",
          retryAfter: 3600,
        },
      );
      return true;
    });
    assert.equal(sent.length, 1);
  }, refusal);
});

test("a 503 is retried after its Retry-After if a repeat is safe", async () => {
  const busy = (number: number, answer: () => Promise<Response>) =>
    number % 2 === 1
      ? Promise.resolve(new Response("busy", { status: 503, headers: { "Retry-After": "7" } }))
      : answer();
  await withDesk(async ({ client, connected, pauses, sent }) => {
    await client["listParcels"](connected);
    assert.deepEqual(pauses, [7000]);
    await assert.rejects(client["collectParcel"](connected, "pcl_1"), {
      status: 503,
      body: "busy",
      code: undefined,
    });
    assert.equal(sent.length, 3);
  }, busy);
});

test("a call ends at its signal and at its time-out, and isn't retried", async () => {
  const never = (_: number, answer: () => Promise<Response>) =>
    answer().then(() => new Promise<Response>((_, reject) => setTimeout(reject, 50)));
  await withDesk(async ({ client, connected, sent }) => {
    await assert.rejects(
      client["getParcel"](connected, "pcl_1", { signal: AbortSignal.abort(new Error("enough")) }),
      /enough/,
    );
    assert.equal(sent.length, 0);
    await assert.rejects(client["getParcel"](connected, "pcl_1", { timeoutMs: 1 }), { name: "TimeoutError" });
    assert.equal(sent.length, 1);
  }, never);
});

test("each error of the service has the class of its code", async () => {
  await withDesk(async ({ client, served, connected }) => {
    const made = await client["createParcel"](connected, parcel);
    const refused = (promise: Promise<unknown>, name: string) =>
      assert.rejects(promise, (error: Error) => error.constructor === client[name]);
    await refused(client["deliverParcel"](connected, made.id, { signed_by: "G" }), "WrongStateError");
    await refused(client["getParcel"](connected, "pcl_none"), "NoSuchThingError");
    await refused(client["createParcel"](connected, { ...parcel, weight_grams: 0 }), "BadValueError");
    await refused(
      client["createParcel"](connected, { ...parcel, recipient: undefined }),
      "MissingValueError",
    );
    await refused(client["createParcel"](connected, { ...parcel, price: 1 }), "UnknownFieldError");
    await refused(
      client["updateParcel"](connected, made.id, { reference: "r" }, { headers: { "If-Match": '"0"' } }),
      "ChangedError",
    );
    const anonymous = client["connect"]({ url: served.url, credentials: {} });
    await refused(client["listParcels"](anonymous).then(), "NoKeyError");
    const requested = client["connect"]({
      url: served.url,
      credentials: { secretKey: async () => "sk_ada" },
    });
    assert.equal((await client["getParcel"](requested, made.id)).id, made.id);
  });
});

test("an identifier can't change the path that contains it", async () => {
  await withDesk(async ({ client, connected, sent }) => {
    for (const id of ["", ".", ".."]) await assert.rejects(client["getParcel"](connected, id), TypeError);
    assert.equal(sent.length, 0);
    await assert.rejects(client["getParcel"](connected, "a/b?c#d"), { status: 404 });
    assert.match(sent[0]?.url ?? "", /\/v1\/parcels\/a%2Fb%3Fc%23d$/);
  });
});

test("names that JavaScript or the client reserves are changed, and that is reported", async () => {
  const model = modelOf(
    smallDocument({
      resources: `${standing.resources}

### Client

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| name | string | |

### Index

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| name | string | |`,
      endpoints: `### POST /clients/{client}/delete

- Does: answer
- Returns: 200 \`{"was": path.client}\`

### GET /index/{query}

- Does: read Index
- Returns: 200 Index

### POST /connect

- Does: answer
- Returns: 200 \`{"a": 1}\``,
    }),
  );
  const { client, generated } = await loadClient(model);
  const reported = generated.notes.map((note) => note.message);
  assert.ok(
    reported.some((line) => /is named connectConnect, because connect is in use/.test(line)),
    reported.join("\n"),
  );
  assert.ok(
    reported.some((line) => /is named deleteClients, because delete is in use/.test(line)),
    reported.join("\n"),
  );
  const served = await serveModel(model);
  try {
    const connected = client["connect"]({ url: served.url });
    assert.deepEqual(await client["deleteClients"](connected, "c 1"), { was: "c 1" });
    assert.deepEqual(await client["connectConnect"](connected), { a: 1 });
  } finally {
    await served.close();
  }
});

test("the client of a document of gaps is valid and empty, and lists them", async () => {
  const model = shownDocuments.find((shownDocument) => shownDocument.name === "unidentified-service")
    ?.model as Model;
  const { client, generated } = await loadClient(model);
  assert.deepEqual(Object.keys(client).sort(), [
    "ApiError",
    "DeadEnd",
    "NotGenuine",
    "WaitedInVain",
    "connect",
  ]);
  assert.match(
    generated.files.find((file) => file.path === "README.md")?.text ?? "",
    /The document shows no endpoint/,
  );
  assert.ok(generated.notes.length >= 9);
});

test("values in a query and in a form arrive unchanged", async () => {
  const model = modelOf(
    smallDocument({
      resources: `${standing.resources}\n\n### Line\n\n- Identifier: none\n\n| Field | Type | Rules |\n|---|---|---|\n| price | string | |`,
      endpoints: `- Accepts: application/x-www-form-urlencoded

### POST /echo

- Does: answer
- Returns: 200 \`{"tags": query.tags, "ids": query.ids, "size": {"least": query.size.least}, "lines": body.lines, "extra": body.extra}\`

| Input | In | Type | Rules |
|---|---|---|---|
| tags | query | list of string | |
| ids | query | list of integer | separated by "," |
| size.least | query | integer | |
| lines | body | list of Line | |
| extra | body | map of string | as JSON |`,
    }),
  );
  const { client } = await loadClient(model);
  const served = await serveModel(model);
  try {
    const name = Object.keys(client).find((key) => key.includes("cho")) as string;
    const body = { lines: [{ price: "p 1" }, { price: "p&2" }], extra: { a: "=" } };
    const query = { tags: ["a", "b&c"], ids: [1, 2], size: { least: 3 } };
    const connected = client["connect"]({ url: served.url });
    assert.deepEqual(await client[name](connected, body, query), { ...query, ...body });
  } finally {
    await served.close();
  }
});
