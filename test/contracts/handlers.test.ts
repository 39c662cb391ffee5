/** Handlers: contract of the handlers' module over HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Given, type HandlerModule, Refused } from "../../src/engine/handler-module.ts";
import { serviceOf } from "./handlers-service.ts";

const document = `# Interface Specification: Orders

## What the service does

- Purpose: none
- Domain: none
- Behaviour: none

## Resources and their fields

### Order

- Identifier: id, made by \`sequence()\`
- Unique: code
- Fails: too_dear on total when \`this.total > 1000\`

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| code | string | required, length 1..10 |
| total | integer | default 0 |
| held | duration | |
| due | timestamp | |
| parent | Order | |
| tags | map of string | merged, items ..2 |
| double | integer | \`= this.total * 2\` |
| shout | string | \`= loud(this.code)\` |
| secret | password | |

### Ticket

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| token | credential | on create \`random(8)\`, shown once |

### Sum

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| count | integer | required, 0.. |
| note | string | length 1..5 |

## States and transitions

### Order

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| \`close\` | open | closed | call | \`this.total > 0\` | \`code = body.code\` |

## Endpoints

- Timestamps: unix seconds
- Functions: \`loud(text: string): string\`

### /orders/{id}

- Is: Order

### POST /orders/{id}/close

- Does: close Order
- Body: code
- Returns: 200 Order

### POST /run

- Does: handler run
- Returns: 200 \`{"sum": Sum(this), "twice": this.count * 2}\`

| Input | In | Type | Rules |
|---|---|---|---|
| at | body | timestamp | |
| wait | body | duration | |
| wait | query | string | |
| deep.name | body | string | |
| deep.wait | body | duration | |
| X-Mark | header | string | |

### POST /orders

- Does: handler order
- Returns: 201 Order
- Header: Location: \`"/orders/" + string(this.id)\`

### POST /tickets

- Does: handler ticket
- Returns: 201 Ticket

### GET /orders

- Does: handler orders
- Returns: 200 list of Order

### DELETE /orders/{id}

- Does: handler gone
- Returns: 200 Order

### POST /nothing

- Does: handler nothing
- Returns: 204 nothing

### GET /orders/{id}

- Does: read Order
- Returns: 200 Order

## Authentication

- Scheme: none

## Events

| Event | When | Payload |
|---|---|---|
| order.created | Order created | \`{"id": this.id}\` |

- Webhooks: none
- Notifications: none

## Errors

- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| too_dear | 402 | | {error.field} is too dear |
| taken | 409 | duplicate | {error.field} is taken |
| stop | 418 | | stopped at {error.field} |

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| time-out | 60 seconds | POST /nothing |

- Rate limits: none
- Size limits: none
- Pagination bounds: none

## Versioning

- Scheme: none
- Compatibility: none
`;

type Run = (given: Given) => unknown;

/** Starts a service with these handlers. Every other handler of the document is missing. */
async function serviceWith(
  handlers: Record<string, Run>,
  functions: HandlerModule["functions"] = { loud },
  text = document,
) {
  return serviceOf({ handlers, ...(functions ? { functions } : {}) }, text);
}

function loud(text: string): string {
  return text.toUpperCase();
}

test("inputs have wire format, and a result is shaped as a value", async () => {
  let seen: Given["input"] | undefined;
  const { send } = await serviceWith({
    run(given) {
      seen = given.input;
      assert.equal(given.now, "2026-11-20T12:00:00.000Z");
      assert.equal(given.caller, null);
      assert.match(given.random(12), /^[A-Za-z0-9]{12}$/);
      return { count: 2, note: null };
    },
  });
  const body = { at: 1_700_000_000, wait: "1m30s", deep: { name: "x", wait: "2h" } };
  const answer = await send("POST", "/run?wait=1m", body, { "X-Mark": "m" });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json, { sum: { count: 2, note: null }, twice: 4 });
  assert.deepEqual(seen?.body, {
    at: "2023-11-14T22:13:20.000Z",
    wait: "1m30s",
    deep: { name: "x", wait: "2h" },
  });
  assert.deepEqual(seen?.query, { wait: "1m" });
  assert.equal(seen?.headers["x-mark"], "m");
});

/** Returns a document with keys of one or several resources, which authenticate callers. */
function keyed(...resources: readonly string[]): string {
  const declared = resources.map(
    (name) => `### ${name}

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| key | credential | required |
| wait | duration | |
`,
  );
  const schemes = resources.map(
    (name) => `### Scheme: ${name}

- Placement: header X-${name}
- Credentials: ${name} by key
`,
  );
  const making = resources.map(
    (name) => `### POST /${name.toLowerCase()}

- Does: create ${name}
- Body: key, wait?
- Returns: 201 nothing
`,
  );
  return document
    .replace("## States and transitions", `${declared.join("\n")}\n## States and transitions`)
    .replace("### POST /orders\n", `${making.join("\n")}\n### POST /orders\n`)
    .replaceAll(/^- Does: .*/gm, "$&\n- Allowed: anyone")
    .replace("- Scheme: none\n", schemes.join("\n"));
}

test("the caller is given as a record, also if callers belong to several resources", async () => {
  for (const resources of [["Key"], ["Badge", "Key"]]) {
    let seen: unknown;
    const run: Run = ({ caller }) => {
      seen = caller;
    };
    const { send } = await serviceWith({ nothing: run }, { loud }, keyed(...resources));
    await send("POST", "/key", { key: "k", wait: "1h" });
    const { status, json } = await send("POST", "/nothing", undefined, { "X-Key": "k" });
    assert.equal(status, 204, JSON.stringify(json));
    assert.deepEqual(seen, { id: 1, wait: "1h" });
  }
});

test("records are created, found, changed, moved and returned under the document's rules", async () => {
  const { send, store } = await serviceWith({
    async order({ transaction }) {
      const first = await transaction.create("Order", {
        code: "a",
        total: 5,
        held: "2h",
        due: "2026-01-01T00:00:00.000Z",
        tags: { x: "1" },
        secret: "hush",
      });
      assert.equal(first["double"], 10);
      assert.equal(first["shout"], "A");
      assert.equal(first["held"], "2h");
      assert.equal("secret" in first, false);
      const second = await transaction.create("Order", { code: "b", parent: first, total: 7 });
      assert.equal(second["parent"], first["id"]);
      await transaction.update("Order", first, { tags: { y: "2" }, held: null });
      const again = await transaction.get("Order", first["id"] as number);
      assert.deepEqual(again?.["tags"], { x: "1", y: "2" });
      assert.equal(again?.["held"], null);
      assert.equal(await transaction.get("Order", 99), null);
      const found = await transaction.list("Order", { where: { parent: first } });
      assert.deepEqual(
        found.map((record) => record["code"]),
        ["b"],
      );
      const closed = await transaction.do("Order", second, "close", { code: "c" });
      assert.equal(closed["status"], "closed");
      return second;
    },
    orders: ({ transaction }) => transaction.list("Order"),
    async gone({ transaction, records }) {
      await transaction.remove("Order", records["order"] as never);
      return records["order"];
    },
  });
  const made = await send("POST", "/orders");
  assert.equal(made.status, 201, JSON.stringify(made.json));
  assert.equal(made.json.code, "c");
  assert.equal(made.json.status, "closed");
  assert.deepEqual(
    made.headers.find(([name]) => name === "Location"),
    ["Location", "/orders/2"],
  );
  const events = await store.session.system.events();
  assert.deepEqual(
    events.map((event) => event.payload),
    ['{"id":1}', '{"id":2}'],
  );
  const listed = await send("GET", "/orders");
  assert.deepEqual(
    listed.json.map((order: { code: string; due: number | null; shout: string }) => [
      order.code,
      order.due,
      order.shout,
    ]),
    [
      ["a", 1_767_225_600, "A"],
      ["c", null, "C"],
    ],
  );
  const gone = await send("DELETE", "/orders/2");
  assert.equal(gone.status, 200);
  assert.equal(gone.json.code, "c");
  assert.equal((await send("GET", "/orders/2")).status, 404);
});

test("a rejection by the document ends the request, even if the handler catches it", async () => {
  const { send, logged } = await serviceWith({
    async order({ transaction }) {
      const made = await transaction.create("Order", { code: "a" });
      await transaction.create("Order", { code: "a" }).catch(() => {});
      return made;
    },
    async nothing({ transaction }) {
      await transaction.create("Order", { code: "b", total: 2000 });
    },
    orders: ({ transaction }) => transaction.list("Order"),
  });
  const taken = await send("POST", "/orders");
  assert.equal(taken.status, 409);
  assert.equal(taken.json.code, "taken");
  const dear = await send("POST", "/nothing");
  assert.deepEqual([dear.status, dear.json.code], [402, "too_dear"]);
  assert.deepEqual((await send("GET", "/orders")).json, []);
  assert.deepEqual(logged, []);
});

test("a handler rejects with a code of part 7, by `refuse` or by throwing", async () => {
  const { send, logged } = await serviceWith({
    run: ({ refuse }) => refuse("stop", "deep.name"),
    order() {
      throw new Refused("stop", "code");
    },
    nothing: ({ refuse }) => refuse("unheard_of"),
  });
  const refused = await send("POST", "/run", {});
  assert.deepEqual([refused.status, refused.json.detail], [418, "stopped at deep.name"]);
  const thrown = await send("POST", "/orders");
  assert.deepEqual([thrown.status, thrown.json.detail], [418, "stopped at code"]);
  assert.equal((await send("POST", "/nothing")).status, 500);
  assert.match(String(logged[0]?.fields["error"]), /unheard_of, which part 7 does not have/);
});

test("a missing handler is answered with 501, its name and its line", async () => {
  const { send } = await serviceWith({});
  const { status, json } = await send("POST", "/run", {});
  assert.equal(status, 501);
  const line = document.split("\n").indexOf("- Does: handler run") + 1;
  assert.equal(json.line, line);
  assert.match(
    json.detail,
    /requires the handler `run` .*line \d+\), but `handlers` of orders\.ts next to the document doesn't export it\.$/,
  );
});

test("without a module, the 501 of handlers and functions says so", async () => {
  const { send } = await serviceOf(undefined, document);
  const { json } = await send("POST", "/run", {});
  assert.equal(json.title, "No handler");
  assert.match(json.detail, /it has no module: export it from orders\.ts next to the document\.$/);
});

test("a handler that throws is an internal error: its message is only in the log, and nothing is stored", async () => {
  const { send, logged } = await serviceWith({
    async order({ transaction }) {
      await transaction.create("Order", { code: "a" });
      throw new Error("the tariff is missing");
    },
    orders: ({ transaction }) => transaction.list("Order"),
  });
  const { status, json } = await send("POST", "/orders");
  assert.equal(status, 500);
  assert.doesNotMatch(JSON.stringify(json), /tariff/);
  assert.equal(logged[0]?.fields["handler"], "order");
  assert.match(String(logged[0]?.fields["error"]), /the tariff is missing/);
  assert.deepEqual((await send("GET", "/orders")).json, []);
});

test("a handler that holds the write lock for more than 100 ms is reported by its name, once a minute", async () => {
  let tookMs = 0;
  const { send, warned, clock } = await serviceWith({
    orders: () => {
      clock.moveBy(tookMs);
      return [];
    },
  });
  const reports = async (ms: number) => {
    tookMs = ms;
    const before = warned.length;
    // A handler runs in a write, whatever the method.
    assert.equal((await send("GET", "/orders")).status, 200);
    return warned.slice(before).map(({ fields, message }) => [fields["handler"], fields["ms"], message]);
  };
  const report = ["orders", 101, "the handler orders held the write lock, and all other writes waited"];
  assert.deepEqual(await reports(100), []);
  assert.deepEqual(await reports(101), [report]);
  assert.deepEqual(await reports(3000), []);
  clock.moveBy(57_000);
  assert.deepEqual(await reports(101), [report]);
});

test("a `shown once` value of a record that a handler creates and returns is shown", async () => {
  const { send } = await serviceWith({ ticket: ({ transaction }) => transaction.create("Ticket", {}) });
  const { status, json } = await send("POST", "/tickets");
  assert.equal(status, 201);
  assert.match(json.token, /^[A-Za-z0-9]{8}$/);
});

test("a handler's result is validated by the types of the response", async () => {
  const gifts: readonly (readonly [unknown, RegExp])[] = [
    [{ count: "2" }, /Sum\.count must be an integer/],
    [{ count: -1 }, /Sum\.count must be at least 0/],
    [{}, /Sum\.count/],
    [{ count: 1, note: "too long" }, /Sum\.note/],
    [{ count: 1, other: 1 }, /Sum\.other/],
    [undefined, /it returned nothing, but the response needs Sum/],
    [[{ count: 1 }], /it returned a list, but the response is one Sum/],
    [{ count: 1n }, /a bigint is not JSON data/],
    [7, /must be an object/],
  ];
  for (const [gift, words] of gifts) {
    const { send, logged } = await serviceWith({ run: () => gift });
    assert.equal((await send("POST", "/run", {})).status, 500, String(words));
    assert.match(String(logged[0]?.fields["error"]), words);
  }
});

test("a record is returned only if it is stored", async () => {
  const { send, logged } = await serviceWith({ order: () => ({ id: 5, code: "never made" }) });
  assert.equal((await send("POST", "/orders")).status, 500);
  assert.match(String(logged[0]?.fields["error"]), /there is no Order/);
});

test("a list that would be truncated is an error, and a handler can read all records in pieces", async () => {
  const seen: number[] = [];
  let made = 0;
  const { send, logged } = await serviceWith({
    // Each handler has a time-out, so several create the records.
    async order({ transaction }) {
      const code = () => `c${made++}`;
      for (let n = 0; n < 142; n += 1) await transaction.create("Order", { code: code() });
      return transaction.create("Order", { code: code() });
    },
    async nothing({ transaction }) {
      for (const [limit, skip] of [
        [1000, 0],
        [1000, 1000],
        [5, 998],
      ] as const)
        seen.push((await transaction.list("Order", { limit, skip })).length);
      await transaction.list("Order");
    },
  });
  while (made < 1001) assert.equal((await send("POST", "/orders")).status, 201);
  assert.equal((await send("POST", "/nothing")).status, 500);
  assert.deepEqual(seen, [1000, 1, 3]);
  assert.match(String(logged[0]?.fields["error"]), /more than 1000 Order: pass `limit`/);
});

test("a message about a mistake in a transaction call names the call's resource or field", async () => {
  const slips: readonly (readonly [Run, RegExp])[] = [
    [({ transaction }) => transaction.get("Ordre", 1), /there is no resource Ordre; did you mean Order\?/],
    [({ transaction }) => transaction.list("Sum"), /there is no resource Sum/],
    [
      ({ transaction }) => transaction.create("Order", { cod: "a" }),
      /Order has no field cod; did you mean code\?/,
    ],
    [
      ({ transaction }) => transaction.create("Order", { code: "a", total: "5" }),
      /Order\.total must be an integer/,
    ],
    [({ transaction }) => transaction.create("Order", { code: "a", double: 1 }), /computed when it is read/],
    [
      ({ transaction }) => transaction.create("Order", { code: "a", status: "closed" }),
      /only transitions change it/,
    ],
    [({ transaction }) => transaction.create("Order", { code: null }), /Order\.code must not be null/],
    [
      ({ transaction }) => transaction.create("Order", { code: "a", total: null }),
      /Order\.total has a value in every record, and must not be null/,
    ],
    [
      async ({ transaction }) => {
        const order = await transaction.create("Order", { code: "a", total: 5 });
        await transaction.update("Order", order, { total: null });
      },
      /Order\.total has a value in every record, and must not be null/,
    ],
    [
      async ({ transaction }) => {
        const order = await transaction.create("Order", { code: "a", tags: { x: "1", y: "2" } });
        await transaction.update("Order", order, { tags: { x: null, z: "3", y: "4" } });
        await transaction.update("Order", order, { tags: { x: "5" } });
      },
      /Order\.tags must have at most 2 items/,
    ],
    [
      ({ transaction }) => transaction.create("Order", { code: "a", tags: { x: "1", y: "2", z: "3" } }),
      /Order\.tags must have at most 2 items/,
    ],
    [({ transaction }) => transaction.list("Order", { where: { tags: {} } }), /can't be searched/],
    [({ transaction }) => transaction.list("Order", { where: { secret: "x" } }), /can't be searched/],
    [({ transaction }) => transaction.list("Order", { limit: 1e9 }), /limit must be from 0 to/],
    [({ transaction }) => transaction.list("Order", { skip: -1 }), /skip must be a whole number/],
    [({ transaction }) => transaction.update("Order", 5, { total: 1 }), /there is no Order 5/],
    [
      async ({ transaction }) =>
        transaction.do("Order", await transaction.create("Order", { code: "a" }), "clos"),
      /no transition clos; did you mean close\?/,
    ],
  ];
  for (const [run, words] of slips) {
    const { send, logged } = await serviceWith({ nothing: run });
    assert.equal((await send("POST", "/nothing")).status, 500, String(words));
    assert.match(String(logged[0]?.fields["error"]), words);
  }
});

test("a mistake in a call without `await` ends the request too", async () => {
  const { send, logged } = await serviceWith({
    nothing({ transaction }) {
      void transaction.create("Order", { cod: "a" });
    },
  });
  assert.equal((await send("POST", "/nothing")).status, 500);
  assert.match(String(logged[0]?.fields["error"]), /Order has no field cod/);
});

test("a handler's time is bounded, and its transaction ends with it", async () => {
  const { promise: isAnswered, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: late, resolve: resolveLate } = Promise.withResolvers<unknown>();
  let aborted = false;
  const { send } = await serviceWith(
    {
      async nothing({ transaction, signal }) {
        signal.addEventListener("abort", () => {
          aborted = true;
        });
        await isAnswered;
        resolveLate(await transaction.create("Order", { code: "late" }).catch((error: unknown) => error));
        return null;
      },
      orders: ({ transaction }) => transaction.list("Order"),
    },
    undefined,
    document.replace("60 seconds", "100 milliseconds"),
  );
  assert.equal((await send("POST", "/nothing")).status, 503);
  assert.equal(aborted, true);
  goOn();
  assert.match(String(await late), /its transaction have finished/);
  assert.deepEqual((await send("GET", "/orders")).json, []);
});

test("calls that a handler does not await run one after another before its transaction ends", async () => {
  const { send } = await serviceWith({
    nothing({ transaction }) {
      for (const code of ["a", "b", "c"]) void transaction.create("Order", { code });
    },
    orders: ({ transaction }) => transaction.list("Order"),
  });
  assert.equal((await send("POST", "/nothing")).status, 204);
  assert.deepEqual(
    (await send("GET", "/orders")).json.map((order: { code: string }) => order.code),
    ["a", "b", "c"],
  );
});

test("functions of the module are validated, and missing functions answered with 501", async () => {
  const answers = async (functions: HandlerModule["functions"]) => {
    const { send, logged } = await serviceWith(
      {
        nothing: ({ transaction }) => transaction.create("Order", { code: "a" }).then(() => null),
        orders: () => [],
      },
      functions,
    );
    const made = await send("POST", "/nothing");
    return { status: made.status, json: made.json, words: String(logged[0]?.fields["error"]) };
  };
  assert.equal((await answers({ loud })).status, 204);
  const missing = await answers({});
  assert.equal(missing.status, 501);
  assert.equal(missing.json.title, "No function");
  assert.match(
    missing.json.detail,
    /requires the function `loud` .*, but `functions` of orders\.ts next to the document doesn't export it\.$/,
  );
  const wrong = await answers({ loud: () => 7 });
  assert.equal(wrong.status, 500);
  assert.match(wrong.words, /the result of loud must be/);
  const late = await answers({ loud: async () => "x" });
  assert.match(late.words, /functions must return a value/);
  const thrown = await answers({
    loud() {
      throw new Error("no voice");
    },
  });
  assert.equal(thrown.status, 500);
  assert.match(thrown.words, /no voice/);
});
