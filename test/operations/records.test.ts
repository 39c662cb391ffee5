/**
 * Records over the operations API: read and changed under the document's rules, and never with
 * hidden values.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { historyOf } from "../../src/engine/admin/read-record.ts";
import type {
  DeletionResponse,
  HistoryResponse,
  RecordResponse,
  RecordsResponse,
} from "../../src/admin/api/records/records.ts";
import type { CreatedRecordResponse } from "../../src/admin/api/records/record-changes.ts";
import type { StoredRecordResponse } from "../../src/admin/api/records/record-responses.ts";
import { type Operations, startOperations } from "./start-operations.ts";

let operations: Operations;
before(async () => {
  operations = await startOperations("test/operations/records.md");
});
after(() => operations?.stop());

/** All responses so far, which the last test searches for secrets. */
const answers: string[] = [];

async function request(method: string, path: string, body?: unknown) {
  const { status, json } = await operations.operate(method, path, body);
  answers.push(JSON.stringify(json));
  return { status, json };
}

async function got<Answer>(path: string): Promise<Answer> {
  const { status, json } = await request("GET", path);
  assert.equal(status, 200, `${path} ${JSON.stringify(json)}`);
  return json as Answer;
}

async function made(resource: string, fields: object): Promise<StoredRecordResponse> {
  const { status, json } = await operations.operate("POST", `/api/records/${resource}`, { fields });
  assert.equal(status, 200, JSON.stringify(json));
  return (json as CreatedRecordResponse).record;
}

const query = (parameters: Readonly<Record<string, string | readonly string[]>>) =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) =>
      (typeof value === "string" ? [value] : value).map((item) => [name, item] as [string, string]),
    ),
  );

const list = (resource: string, parameters: Parameters<typeof query>[0] = {}) =>
  got<RecordsResponse>(`/api/records/${resource}?${query(parameters)}`);

let counter = 0;
/** Creates a separate branch for a test, so that tests don't see the books of others. */
async function branch(
  books: readonly object[] = [],
): Promise<{ id: string; books: readonly StoredRecordResponse[] }> {
  counter += 1;
  const { id } = await made("Branch", { country: "NO", town: `Town ${counter}`, title: `Branch ${counter}` });
  const all: StoredRecordResponse[] = [];
  for (const [at, book] of books.entries())
    all.push(
      await made("Book", {
        branch: { country: "NO", town: `Town ${counter}` },
        shelfmark: `S${at}`,
        title: `Book ${at}`,
        price: 10,
        ...book,
      }),
    );
  return { id, books: all };
}

const person = (email: string, more: object = {}) =>
  made("Person", { email, password: "correct horse battery", ...more });

/** Returns the record's events, newest first. */
const happened = async (id: string) =>
  (await got<HistoryResponse>(bookPath(id, "/history"))).events.map(({ type }) => type);
const titles = ({ records }: RecordsResponse) => records.map(({ fields }) => fields["title"]);
const of = (id: string) => `branch = ${id}`;
const bookPath = (id: string, rest = "") => `/api/records/Book/${encodeURIComponent(id)}${rest}`;

test("filters compare by the field's type, and apply together", async () => {
  const { id } = await branch([
    { title: "Alpha", price: 2, weight: "10.50", tags: ["old", "red"] },
    { title: "Beta", price: 10, weight: "9.5" },
    { title: "Beta maxima", price: 100, tags: [] },
  ]);
  const requested = async (...filter: string[]) =>
    titles(await list("Book", { filter: [of(id), ...filter], sort: "title" }));
  assert.deepEqual(await requested("price >= 10"), ["Beta", "Beta maxima"]);
  assert.deepEqual(await requested("price < 10"), ["Alpha"]);
  assert.deepEqual(await requested("weight > 9.50"), ["Alpha"], "decimals by value, not as texts");
  assert.deepEqual(await requested("title starts with Beta"), ["Beta", "Beta maxima"]);
  assert.deepEqual(await requested("title contains max"), ["Beta maxima"]);
  assert.deepEqual(await requested("title != Beta"), ["Alpha", "Beta maxima"]);
  assert.deepEqual(await requested("weight is empty"), ["Beta maxima"]);
  assert.deepEqual(await requested("weight is not empty", "price = 10"), ["Beta"]);
  assert.deepEqual(await requested("tags contains red"), ["Alpha"]);
  assert.deepEqual(await requested("loud = BETA"), ["Beta"], "worked out fields, too");
  assert.deepEqual(await requested("branch.title starts with Branch"), ["Alpha", "Beta", "Beta maxima"]);
  assert.deepEqual(await requested("status = lent"), []);
});

test("pages go forward and back in any order, with ties and empty values, and lose no record", async () => {
  const { id } = await branch(
    Array.from({ length: 11 }, (_, at) => ({
      title: `T${at % 3}`,
      weight: at % 4 === 0 ? null : `${at % 2}.5`,
    })),
  );
  for (const sort of ["title", "-title", "weight", "-weight", "", "-price"]) {
    const all = (await list("Book", { filter: of(id), sort })).records.map((record) => record.id);
    assert.equal(new Set(all).size, 11);
    const pages: string[][] = [];
    let cursor: string | undefined;
    let last: RecordsResponse | undefined;
    do {
      last = await list("Book", {
        filter: of(id),
        sort,
        limit: "4",
        ...(cursor === undefined ? {} : { cursor }),
      });
      pages.push(last.records.map((record) => record.id));
      cursor = last.next;
    } while (cursor !== undefined);
    assert.deepEqual(pages.flat(), all, `on, by ${sort}`);
    const back = await list("Book", { filter: of(id), sort, limit: "4", cursor: last.previous as string });
    assert.deepEqual(
      back.records.map((record) => record.id),
      pages[1],
      `back, by ${sort}`,
    );
    const first = await list("Book", { filter: of(id), sort, limit: "4", cursor: back.previous as string });
    assert.deepEqual(
      first.records.map((record) => record.id),
      pages[0],
    );
    assert.equal(first.previous, undefined, "the first page has none before it");
  }
});

test("a search uses indexes first, and all texts if these find nothing", async () => {
  const { id, books } = await branch([{ title: "Gamma rays", shelfmark: "QC 793" }]);
  await person("Grace.Hopper@example.com", { name: "Grace" });
  const byBeginning = await list("Person", { search: "grace.h" });
  assert.deepEqual(
    byBeginning.records.map(({ fields }) => fields["name"]),
    ["Grace"],
    "past case, as the field is",
  );
  assert.deepEqual(byBeginning.found, { in: ["id", "email"], more: false });
  assert.equal((await list("Person", { search: "Grace" })).records.length, 1);
  const byText = await list("Person", { search: "Hopper" });
  assert.equal(byText.records.length, 1, "no index has it, and there are few records");
  assert.equal(byText.looks_at_all, true);
  assert.equal((await list("Book", { search: books[0]?.id as string })).records[0]?.id, books[0]?.id);
  const everywhere = await list("Book", { search: "RAYS", everywhere: "true", filter: of(id) });
  assert.deepEqual(titles(everywhere), ["Gamma rays"]);
  assert.equal(everywhere.looks_at_all, true);
  assert.deepEqual(everywhere.found?.in, ["shelfmark", "title"]);
});

test("counts are separate requests", async () => {
  const { id } = await branch([{}, {}, { price: 50 }]);
  assert.deepEqual(await got(`/api/counts/Book?${query({ filter: of(id) })}`), {
    count: 3,
    more: false,
    bulk: true,
  });
  assert.deepEqual(await got(`/api/counts/Book?${query({ filter: [of(id), "price > 20"] })}`), {
    count: 1,
    more: false,
    bulk: true,
  });
});

test("hostile queries are rejected with a message, and reach the store only as values", async () => {
  const { id } = await branch([{ title: "Plain" }]);
  const hostile = [`x' OR '1'='1`, `"; DROP TABLE r_Book; --`, "%", "_", "\\", "é\u{1f4d6}", "?1"];
  for (const text of hostile) {
    for (const operator of ["=", "contains", "starts with", "<", ">="]) {
      const answer = await list("Book", { filter: [of(id), `title ${operator} ${text}`] });
      assert.ok(answer.records.length <= 1);
    }
    assert.deepEqual((await list("Book", { search: text })).records, []);
    assert.deepEqual((await list("Book", { search: text, everywhere: "true" })).records, []);
  }
  const refusals: readonly (readonly [string, RegExp])[] = [
    ["filter=nope = 1", /has no field "nope"/],
    ["filter=titel = 1", /Did you mean "title"\?/],
    ["filter=price = cheap", /price .*"cheap"/],
    ["filter=price contains 1", /price supports the operators =, /],
    ["filter=lent_at > yesterday", /lent_at must be a time such as/],
    ["filter=branch = nowhere", /can't be the identifier of a Branch/],
    ["filter=price", /is not a filter/],
    ["filter=#row = 1", /has no field "#row"/],
    ["filter=__proto__ = 1", /has no field/],
    ["filter=owner.owner.owner.owner.x = 1", /has more than 4 names/],
    ["sort=tags", /can't be sorted by tags/],
    ["sort=-nope", /has no field/],
    ["cursor=AAAA", /The cursor does not belong to this list/],
    ["limit=0", /"limit"/],
    ["limit=1e9", /"limit"/],
    [Array.from({ length: 21 }, () => "filter=price = 1").join("&"), /filter/],
  ];
  for (const [text, expected] of refusals) {
    const { status, json } = await request(
      "GET",
      `/api/records/Book?${text.replaceAll("#", "%23").replaceAll(" ", "%20")}`,
    );
    assert.equal(status, 400, `${text} ${JSON.stringify(json)}`);
    assert.match(json.detail, expected);
  }
  assert.equal((await request("GET", "/api/records/Boook")).status, 404);
  assert.equal((await request("GET", "/api/records/Home")).status, 404, "a value has no records");
  const other = await list("Book", { sort: "price", limit: "1" });
  if (other.next)
    assert.equal((await request("GET", `/api/records/Book?sort=title&cursor=${other.next}`)).status, 400);
});

test("a record comes with its references, the records that refer to it, its possible transitions and its history", async () => {
  const owner = await person("ada@example.com", { name: "Ada" });
  const { id, books } = await branch([{ owner: owner.id }, { title: "Second" }]);
  const [owned, second] = books as [StoredRecordResponse, StoredRecordResponse];
  const answer = await got<RecordResponse>(bookPath(owned.id));
  assert.deepEqual(answer.record.references, {
    branch: { resource: "Branch", id, label: `Branch ${counter}` },
    owner: { resource: "Person", id: owner.id, label: "ada@example.com" },
  });
  assert.equal(answer.record.fields["loud"], "BOOK 0");
  assert.deepEqual(await happened(owned.id), ["book.created"]);
  const lend = answer.transitions.find(({ name }) => name === "lend");
  assert.equal(lend?.possible, "no");
  assert.match(lend?.why ?? "", /^The guard in line \d+ doesn't hold: this\.owner == null\.$/);
  assert.deepEqual(lend?.ends[0]?.guard?.parts, [
    { text: "this.price > 1.0", holds: "yes", values: [] },
    {
      text: "this.owner == null",
      holds: "no",
      values: [{ name: "this.owner", value: `Person ${owner.id}` }],
    },
    { text: 'this.title != "a && b"', holds: "yes", values: [] },
  ]);
  assert.deepEqual(
    lend?.taken_by.map(({ name, allowed }) => [name, allowed.map(({ text }) => text)]),
    [["POST /v1/books/{id}/lend", ['caller.email != "x"']]],
  );
  assert.deepEqual(lend?.inputs, [
    { name: "person", type: { kind: "reference", resource: "Person" }, required: true },
  ]);
  const verdicts = answer.transitions.map(({ name, possible, why }) => [name, possible, why]);
  assert.deepEqual(verdicts.slice(1), [
    ["give_back", "no", "It is shelved; the transition is possible while it is lent."],
    ["remind", "no", "Only a timer fires it."],
    ["claim", "depends", "The guard depends on the caller or the inputs."],
  ]);
  const ofBranch = await got<RecordResponse>(`/api/records/Branch/${encodeURIComponent(id)}`);
  assert.deepEqual(
    ofBranch.referrers.map(({ resource, field, on_delete, count, first }) => [
      resource,
      field,
      on_delete,
      count,
      first.map((record) => record.id),
    ]),
    [["Book", "branch", "cascade", 2, [second.id, owned.id]]],
  );
  assert.equal((await request("GET", bookPath("999999"))).status, 404);
  assert.equal((await request("GET", bookPath("x"))).status, 404);
});

test("an edit follows the document's rules, and reports the problem of each field", async () => {
  const { books } = await branch([{}, {}]);
  const [book, other] = books as [StoredRecordResponse, StoredRecordResponse];
  const wrong = await request("PATCH", bookPath(book.id), {
    revision: book.revision,
    fields: { title: "", price: "much", status: "lent", loud: "X", id: 7, colour: "red", branch: null },
  });
  assert.equal(wrong.status, 422);
  assert.deepEqual(
    wrong.json.errors.map(({ field }: { field: string }) => field),
    ["title", "price", "status", "loud", "id", "colour", "branch"],
  );
  const refusals: readonly (readonly [object, string, RegExp])[] = [
    [{ shelfmark: other.fields["shelfmark"] }, "branch", /is already taken/],
    [{ owner: "per_unknown" }, "owner", /there is no such Person/],
    [{ title: "x".repeat(31) }, "title", /is refused/],
    [{ price: -1 }, "", /an invariant of Book \(line \d+\) would be broken/],
  ];
  for (const [fields, field, expected] of refusals) {
    const { status, json } = await request("PATCH", bookPath(book.id), { revision: book.revision, fields });
    assert.equal(status, 422, JSON.stringify(json));
    assert.equal(json.errors[0].field, field, JSON.stringify(json));
    assert.match(json.errors[0].message, expected);
  }
  const { record } = await got<RecordResponse>(bookPath(book.id));
  assert.deepEqual(record, book, "nothing of it was stored");
  const changed = await request("PATCH", bookPath(book.id), {
    revision: book.revision,
    fields: { title: "New", weight: "1.0", lent_at: "2026-05-01T10:00:00Z" },
  });
  assert.equal(changed.status, 200, JSON.stringify(changed.json));
  assert.equal(
    changed.json.record.fields.lent_at,
    "2026-05-01T10:00:00.000Z",
    "an operator sets what callers can't",
  );
  assert.deepEqual(
    await happened(book.id),
    ["book.updated", "book.created"],
    "events are recorded as for a request",
  );
});

test("an edit of an older revision changes nothing, and gets the current record", async () => {
  const { books } = await branch([{}]);
  const [book] = books as [StoredRecordResponse];
  const edit = (revision: number, title: string) =>
    request("PATCH", bookPath(book.id), { revision, fields: { title } });
  assert.equal((await edit(1, "First")).status, 200);
  const late = await edit(1, "Second");
  assert.equal(late.status, 409);
  assert.equal(late.json.now.fields.title, "First");
  assert.equal(late.json.now.revision, 2);
  const lend = await request("POST", bookPath(book.id, "/transitions/give_back"), { revision: 1 });
  assert.equal(lend.status, 409);
  assert.equal((await request("DELETE", bookPath(book.id, "?revision=1"))).status, 409);
  assert.equal((await got<RecordResponse>(bookPath(book.id))).record.fields["title"], "First");
  // One of two concurrent edits is rejected with this error, too.
  const both = await Promise.all([edit(2, "Left"), edit(2, "Right")]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
});

test("a transition fires with its inputs, its guard and its effects", async () => {
  const reader = await person("reader@example.com");
  const { books } = await branch([{}, { price: 1 }]);
  const [book, cheap] = books as [StoredRecordResponse, StoredRecordResponse];
  const lend = (id: string, inputs: object) => request("POST", bookPath(id, "/transitions/lend"), { inputs });
  assert.deepEqual((await lend(book.id, {})).json.errors, [{ field: "person", message: "is required" }]);
  assert.match((await lend(book.id, { person: "per_x" })).json.errors[0].message, /no such Person/);
  assert.match((await lend(book.id, { person: reader.id, x: 1 })).json.errors[0].message, /not an input/);
  const refused = await lend(cheap.id, { person: reader.id });
  assert.equal(refused.status, 422);
  assert.match(refused.json.errors[0].message, /^can't lend now \(line \d+\)$/);
  const lent = await lend(book.id, { person: reader.id });
  assert.equal(lent.status, 200, JSON.stringify(lent.json));
  assert.equal(lent.json.record.fields.status, "lent");
  assert.equal(lent.json.record.fields.lent_to, reader.id);
  const { due } = await got<RecordResponse>(bookPath(book.id));
  assert.equal(due[0]?.transition, "remind");
  assert.equal((await request("POST", bookPath(book.id, "/transitions/nope"), {})).status, 422);
  assert.match(
    (await lend(book.id, { person: reader.id })).json.errors[0].message,
    /can't lend while it is lent/,
  );
});

test("a record's history has the operator's changes, and events name the operator", async () => {
  const reader = await person("history@example.com");
  const { books } = await branch([{}]);
  const [book] = books as [StoredRecordResponse];
  await request("PATCH", bookPath(book.id), { fields: { title: "Another" } });
  await request("PATCH", bookPath(book.id), { fields: { price: 0 - 1 } });
  await request("POST", bookPath(book.id, "/transitions/lend"), { inputs: { person: reader.id } });
  const { operator, requests, events } = await got<HistoryResponse>(bookPath(book.id, "/history"));
  assert.deepEqual(
    operator.map(({ kind, transitions, fields }) => ({
      kind,
      transitions,
      fields: fields.map(({ name }) => name),
    })),
    [
      { kind: "updated", transitions: ["lend"], fields: ["status", "lent_to", "lent_at"] },
      { kind: "updated", transitions: [], fields: ["title"] },
      { kind: "created", transitions: [], fields: [] },
    ],
  );
  const [title] = operator[1]?.fields ?? [];
  assert.equal(title?.values?.after, '"Another"');
  assert.notEqual(title?.values?.before, '"Another"');
  assert.deepEqual(requests, []);
  const event = await got<{ readonly by_operator: boolean }>(`/api/log/${events[0]?.id}`);
  assert.equal(event.by_operator, true);
});

test("a history loses no entry, whichever direction the log is read in", async () => {
  const { books } = await branch([{}]);
  const [{ row }] = books as [StoredRecordResponse];
  const { store } = operations.service.internals.context;
  const { last } = await store.session.system.logSpan();
  const time = new Date(0).toISOString();
  const events = Array.from({ length: 41_000 }, (_, at) => ({
    id: `evt_h${at}`,
    type: "book.lent",
    time,
    resource: "Book",
    row: at % 20_000 < 2 ? row : -1,
    subject: "b",
    payload: "{}",
  }));
  await store.write(({ system }) => system.appendEvents(events), { repeatable: true });
  const found: number[] = [];
  let before: number | undefined;
  do {
    const history = await historyOf(operations.service, "Book", row, before);
    found.push(...history.events.map(({ sequence }) => sequence - last - 1));
    before = history.before;
  } while (before !== undefined);
  assert.deepEqual(
    found.filter((at) => at >= 0),
    [40_001, 40_000, 20_001, 20_000, 1, 0],
  );
});

test("the effects of a deletion are shown before, and applied after", async () => {
  const owner = await person("owner@example.com");
  const { id, books } = await branch([{ owner: owner.id }, {}]);
  const ofOwner = `/api/records/Person/${owner.id}`;
  assert.deepEqual(await got<DeletionResponse>(`${ofOwner}/deletion`), { gone: [], in_use_by: "Book.owner" });
  const inUse = await request("DELETE", ofOwner);
  assert.equal(inUse.status, 422);
  assert.match(inUse.json.errors[0].message, /is still referred to by Book\.owner/);
  const ofBranch = `/api/records/Branch/${encodeURIComponent(id)}`;
  const gone = [
    { resource: "Branch", deleted: 1, cleared: 0 },
    { resource: "Book", deleted: 2, cleared: 0 },
  ];
  assert.deepEqual(await got<DeletionResponse>(`${ofBranch}/deletion`), { gone });
  assert.equal((await list("Book", { filter: of(id) })).records.length, 2, "it was only a preview");
  assert.deepEqual(
    (await request("DELETE", ofBranch)).json.gone.toSorted(byResource),
    gone.toSorted(byResource),
  );
  const [book] = books as [StoredRecordResponse];
  const answer = await got<RecordResponse>(bookPath(book.id));
  assert.equal(answer.record.deleted, true, "marked, and still seen");
  assert.ok(
    answer.transitions.every(({ possible, why }) => possible === "no" && why === "This Book is deleted."),
  );
  const edited = await request("PATCH", bookPath(book.id), { fields: { title: "x" } });
  assert.match(edited.json.errors[0].message, /is deleted, and can't be changed/);
  const seen = async (deleted: string) =>
    (await list("Book", { deleted, limit: "1000" })).records.some((record) => record.id === book.id);
  assert.deepEqual([await seen("false"), await seen("true")], [false, true]);
});

test("an edited value keeps its hidden parts", async () => {
  const { id, fields } = await person("kept@example.com", {
    home: { city: "Oslo", door_code: "0000" },
    homes: [{ city: "Bergen", door_code: "1111" }],
  });
  const home = { ...(fields["home"] as object), city: "Trondheim" };
  assert.deepEqual(home, { city: "Trondheim", door_code: null, window_code: null });
  const path = `/api/records/Person/${id}`;
  assert.equal((await request("PATCH", path, { fields: { home } })).status, 200);
  const list = await request("PATCH", path, { fields: { homes: [] } });
  assert.match(list.json.errors[0].message, /contains hidden fields that an edit would lose/);
  const { context, newFrame } = operations.service.internals;
  const stored = await context.resource("Person").find(context.store.session, newFrame(Date.now()), id);
  const kept = (stored?.["home"] ?? {}) as { readonly city?: string; readonly door_code?: string | null };
  assert.equal(kept.city, "Trondheim");
  assert.ok(typeof kept.door_code === "string", JSON.stringify(kept));
});

function byResource(a: { resource: string }, b: { resource: string }): number {
  return a.resource < b.resource ? -1 : 1;
}

test("a bulk change affects exactly the counted records, all or none", async () => {
  const { id } = await branch([{}, {}, { price: 1 }]);
  const change = (body: object) => request("POST", "/api/changes/Book", { filter: [of(id)], ...body });
  const remaining = async () => (await list("Book", { filter: of(id) })).records.length;
  const counted = await change({ count: 2, do: "delete" });
  assert.equal(counted.status, 409);
  assert.match(counted.json.detail, /There are 3 now, not 2/);
  const stuck = await change({ count: 3, do: "transition", transition: "give_back" });
  assert.equal(stuck.status, 422);
  assert.match(stuck.json.errors[0].message, /: can't give_back while it is shelved/);
  assert.equal((await change({ count: 3, do: "transition" })).status, 400);
  assert.equal((await change({ count: 5_000, do: "delete" })).status, 400);
  assert.equal(await remaining(), 3);
  assert.deepEqual((await change({ count: 3, do: "delete" })).json, { changed: 3 });
  assert.equal(await remaining(), 0);
});

test("secrets are in no response and no label, and can't be filters", async () => {
  const secrets = {
    password: "open sesame 4711",
    pin: "pin-4712",
    notes: "note-4713",
    door: "door-code-4715",
    window: "window-code-4716",
  };
  const { status, json } = await operations.operate("POST", "/api/records/Person", {
    fields: {
      email: "secret@example.com",
      password: secrets.password,
      pin: secrets.pin,
      notes: secrets.notes,
      home: { city: "Oslo", door_code: secrets.door, window_code: secrets.window },
    },
  });
  assert.equal(status, 200, JSON.stringify(json));
  const { record, shown } = json as CreatedRecordResponse;
  assert.deepEqual(Object.keys(shown).sort(), ["key", "recovery"], "what is shown once is shown this once");
  const { context, newFrame } = operations.service.internals;
  const plan = context.resource("Person");
  const stored = await plan.find(context.store.session, newFrame(Date.now()), record.id);
  const hashes = [stored?.["password"], stored?.["key"]] as string[];
  assert.ok(
    hashes.every((hash) => typeof hash === "string" && hash.length > 20),
    String(hashes),
  );

  await list("Person", { search: "secret" });
  await list("Person", { search: "4713", everywhere: "true" });
  await list("Person", { deleted: "true", limit: "1000" });
  await got(`/api/records/Person/${record.id}`);
  await got("/api/resources");
  await request("PATCH", `/api/records/Person/${record.id}`, { revision: 99, fields: { name: "x" } });
  await request("PATCH", `/api/records/Person/${record.id}`, { fields: { password: "short" } });
  const own = await request("PATCH", `/api/records/Person/${record.id}`, {
    fields: { password: `${secrets.password}!` },
  });
  assert.equal(own.status, 200, "it can be set");
  const owned = await branch([{ owner: record.id }]);
  await got(bookPath(owned.books[0]?.id as string));
  await got("/api/events?limit=1000");
  assert.deepEqual(Object.keys(record.fields["home"] as object), ["city", "door_code", "window_code"]);
  for (const field of [
    "password",
    "pin",
    "notes",
    "key",
    "recovery",
    "home.alarm_code",
    "home.door_code",
    "owner.password",
  ]) {
    const resource = field.startsWith("owner") ? "Book" : "Person";
    for (const requested of [`filter=${field} starts with a`, `filter=${field} is empty`, `sort=${field}`])
      assert.equal(
        (await request("GET", `/api/records/${resource}?${requested.replaceAll(" ", "%20")}`)).status,
        400,
        requested,
      );
  }
  const all = [...Object.values(secrets), ...Object.values(shown), ...hashes];
  for (const answer of answers)
    for (const secret of all) assert.ok(!answer.includes(secret), `${secret} in ${answer.slice(0, 2_000)}`);
});
