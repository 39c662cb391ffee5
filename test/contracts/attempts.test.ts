/**
 * Repeated attempts: a request's work may run again, because another write of its group rolls back,
 * or a password's hash is missing. The request is metered and reported once, and the author's code
 * is called once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import type { HandlerModule } from "../../src/engine/handler-module.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { createService, createRequest, type ServiceResponse } from "../../src/index.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { StoreUnavailable } from "../../src/store/errors.ts";
import { openStore } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { fc, times } from "../fixed-seed.ts";
import { smallDocument } from "./serve-document.ts";

const resources = `### Tag

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |

### User

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| password | password | required, length 8..100 |
| shout | string | |`;

const charge = `### POST /charges

- Does: handler charge
- Returns: 201 Tag

| Input | In | Type | Rules |
|---|---|---|---|
| name | body | string | required |
| refuses | body | boolean | required |

### POST /users

- Does: create User
- Body: name, password
- Set: shout = \`loud(this.name)\`
- Returns: 201 User`;

const document = (functions: boolean) =>
  smallDocument({
    resources,
    endpoints: `${functions ? "- Functions: `loud(text: string): string`\n\n" : ""}### POST /tags

- Does: create Tag
- Body: name
- Returns: 201 Tag

### POST /others

- Does: create Tag
- Body: name
- Returns: 201 Tag

${functions ? charge : charge.replace("\n- Set: shout = `loud(this.name)`", "")}`,
    errors:
      "- Payload shape: problem details\n\n| Code | Status | When |\n|---|---|---|\n| declined | 402 | |",
    limits: `- Rate headers: X-RateLimit (limit, remaining)

| Limit | Bound | Applies to |
|---|---|---|
| rate wide | 1000 per hour | service, POST /others |
| rate narrow | 8 per hour | service, POST /others |`,
  });

interface Calls {
  handler: number;
  functions: number;
}

function handlersOf(calls: Calls): HandlerModule {
  return {
    handlers: {
      async charge({ input, transaction, refuse }) {
        calls.handler += 1;
        const tag = await transaction.create("Tag", { name: input.body["name"] as string });
        if (input.body["refuses"] === true) refuse("declined");
        return tag;
      },
    },
    functions: {
      loud(text: string) {
        calls.functions += 1;
        return text.toUpperCase();
      },
    },
  };
}

async function serve(
  text: string,
  handlers: HandlerModule,
  through: (store: Store) => Store = (store) => store,
) {
  const { model, diagnostics } = compile(text, { file: "document.md" });
  assert.ok(model);
  assert.deepEqual(
    diagnostics
      .filter((diagnostic) => diagnostic.severity === "error")
      .map((diagnostic) => diagnostic.message),
    [],
  );
  const store = through(await openStore(model, meaningOf(model), { path: ":memory:" }));
  const service = await createService(model, {
    store,
    ports: { clock: systemClock, log: silentLog, randomBytes: createRandomPool() },
    origin: () => "http://localhost",
    handlers,
  });
  return {
    async post(target: string, body: unknown): Promise<ServiceResponse> {
      const headers = [["Content-Type", "application/json"]] as const;
      return service.fetch(createRequest({ method: "POST", target, headers, body: JSON.stringify(body) }));
    },
    async get(target: string): Promise<ServiceResponse> {
      return service.fetch(createRequest({ method: "GET", target }));
    },
    async close() {
      await service.close();
      await store.close();
    },
  };
}

async function open(functions = false, through?: (store: Store) => Store) {
  const calls: Calls = { handler: 0, functions: 0 };
  return { calls, ...(await serve(document(functions), handlersOf(calls), through)) };
}

const reported = ({ headers }: ServiceResponse, name: string) =>
  headers.filter(([headerName]) => headerName === name).map(([, value]) => value);

type RequestedValue =
  | { readonly target: "/tags"; readonly name: number }
  | { readonly target: "/others"; readonly name: number }
  | { readonly target: "/charges"; readonly name: number; readonly refuses: boolean };

const name = fc.integer({ min: 0, max: 5 });
const requested: fc.Arbitrary<RequestedValue> = fc.oneof(
  fc.record({ target: fc.constant("/tags" as const), name }),
  fc.record({ target: fc.constant("/others" as const), name }),
  fc.record({ target: fc.constant("/charges" as const), name, refuses: fc.boolean() }),
);

/**
 * Returns the responses to requests that run one after another. `others` are the requests of a
 * rate, in the order in which the rate counted them.
 */
function expected(requests: readonly RequestedValue[], others: readonly RequestedValue[]) {
  const taken = new Set<number>();
  return requests.map((request) => {
    const place = others.indexOf(request);
    if (place >= 8) return { status: 429, remaining: ["0"] };
    const remaining = place < 0 ? [] : [String(7 - place)];
    if (taken.has(request.name)) return { status: 409, remaining };
    if (request.target === "/charges" && request.refuses) return { status: 402, remaining };
    taken.add(request.name);
    return { status: 201, remaining };
  });
}

/** The possible order of the statuses of requests for one name. */
const statusOrder = [402, 201, 409, 429];

test("requests of one group are answered, metered and reported as if each were alone, whichever roll back", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(requested, { minLength: 2, maxLength: 14 }), async (requests) => {
      const { calls, post, close } = await open();
      const answers = await Promise.all(
        requests.map(({ target, ...body }) => post(target, { ...body, name: `tag ${body.name}` })),
      );
      const all = requests.map((request, at) => {
        const answer = answers[at] as ServiceResponse;
        return { request, status: answer.status, remaining: reported(answer, "X-RateLimit-Remaining") };
      });
      // If several instances share a rate, the order of counting, of sending and of writing may
      // differ. Some order must explain all responses.
      const counted = all
        .filter(({ request }) => request.target === "/others")
        .toSorted((a, b) => Number(b.remaining[0]) - Number(a.remaining[0]) || a.status - b.status);
      const written = all.toSorted((a, b) => statusOrder.indexOf(a.status) - statusOrder.indexOf(b.status));
      const right = expected(
        written.map(({ request }) => request),
        counted.map(({ request }) => request),
      );
      assert.deepEqual(
        written.map(({ status, remaining }) => ({ status, remaining })),
        right,
      );
      const charges = requests.filter(({ target }) => target === "/charges");
      assert.equal(calls.handler, charges.length);
      await close();
    }),
    { numRuns: times(60) },
  );
});

test("a function of the module is called once for the same arguments, whatever else rolls back", async () => {
  const { calls, post, close } = await open(true);
  await post("/tags", { name: "taken" });
  const answers = await Promise.all([
    post("/tags", { name: "new" }),
    post("/users", { name: "ada", password: "correct horse" }),
    post("/tags", { name: "taken" }),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 409],
  );
  assert.equal(calls.functions, 1);
  await close();
});

/** Returns the same store with methods that can be replaced one by one. */
function bound(store: Store): Store {
  const { session } = store;
  return {
    session,
    prepareRecords: store.prepareRecords,
    prepareCount: store.prepareCount,
    prepareCounts: store.prepareCounts,
    prepareShaped: store.prepareShaped,
    prepareValue: store.prepareValue,
    prepareJson: store.prepareJson,
    write: (work, options) => store.write(work, options),
    onCommit: (listener) => store.onCommit(listener),
    fits: (model, options) => store.fits(model, options),
    isEmpty: () => store.isEmpty(),
    status: () => store.status(),
    close: () => store.close(),
  };
}

test("requests that one failed commit rejects each receive their own limits", async () => {
  let isFailing = false;
  const lost = new StoreUnavailable("The disk is full.", { retryable: true });
  const { post, close } = await open(false, (store) => {
    const write: Store["write"] = async (work, options) => {
      const done = await store.write(work, options);
      if (isFailing) throw lost;
      return done;
    };
    return { ...bound(store), write };
  });
  isFailing = true;
  const answers = await Promise.all(["a", "b", "c"].map((otherName) => post("/others", { name: otherName })));
  assert.deepEqual(
    answers.map((answer) => [answer.status, reported(answer, "X-RateLimit-Remaining")]),
    [
      [503, ["7"]],
      [503, ["6"]],
      [503, ["5"]],
    ],
  );
  await close();
});

test("if a request's slot in one limit can't be determined, its slots in the others are released", async () => {
  const text = smallDocument({
    endpoints: `- Functions: \`owner(ip: string): string\`

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note

### GET /notes

- Does: list Note
- Returns: 200 list of Note`,
    limits: `| Limit | Bound | Applies to |
|---|---|---|
| concurrency all | 1 | every request |
| concurrency own | 1 | \`owner(request.ip)\`, POST /notes |`,
  });
  const { post, get, close } = await serve(text, {
    functions: {
      owner() {
        throw new Error("not now");
      },
    },
  });
  assert.equal((await post("/notes", { text: "a" })).status, 500);
  assert.equal((await get("/notes")).status, 200);
  await close();
});
