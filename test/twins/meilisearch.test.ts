/** `examples/twins/meilisearch.md`, driven by Meilisearch's own library. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type EnqueuedTask, Meilisearch, MeilisearchApiError } from "meilisearch";
import { serveTwin, startedAt, type Twin } from "./serve-twin.ts";

const films = [
  { id: 1, title: "Alien", genres: ["Horror", "Science Fiction"], year: 1979, rating: 8.5 },
  { id: 2, title: "Aliens", genres: ["Action", "Science Fiction"], year: 1986, rating: 8.4 },
  { id: 3, title: "Heat", genres: ["Action", "Crime"], year: 1995, rating: 8.3, director: "Michael Mann" },
  { id: 4, title: "The Heat", genres: ["Comedy"], year: 2013, rating: 6.6, director: null },
  { id: 5, title: "Body Heat of an alien", genres: [], year: 1981 },
];

describe("the published Meilisearch library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  let master: Meilisearch;
  const client = (apiKey?: string) =>
    new Meilisearch({ host: twin.origin, ...(apiKey === undefined ? {} : { apiKey }) });
  /** A task starts after a second, and finishes after one more. */
  const done = async (requested: PromiseLike<EnqueuedTask>) => {
    const { taskUid } = await requested;
    await twin.pass(2000);
    return master.tasks.waitForTask(taskUid);
  };
  const refused =
    (code: string, status: number, type = "invalid_request") =>
    (error: unknown) => {
      assert.ok(error instanceof MeilisearchApiError);
      assert.deepEqual([error.cause?.code, error.response.status, error.cause?.type], [code, status, type]);
      assert.equal(error.cause?.link, `https://docs.meilisearch.com/errors#${code}`);
      return true;
    };
  const found = async (question: string | null, options: Record<string, unknown> = {}) =>
    (await master.index("films").search(question, options)).hits.map((hit) => hit["id"] as number);

  before(async () => {
    twin = await serveTwin("meilisearch", [
      'Key with name = "admin", actions = ["*"], indexes = ["*"], key = "master"',
      'Key with name = "reader", actions = ["search"], indexes = ["films"], key = "reader"',
    ]);
    master = client("master");
    await done(master.createIndex("films", { primaryKey: "id" }));
    await done(master.index("films").addDocuments(films));
    await done(
      master.index("films").updateSettings({
        filterableAttributes: ["genres", "year", "rating", "director"],
        sortableAttributes: ["year", "rating"],
      }),
    );
  });
  after(() => twin.close());

  test("it reports its health and its version", async () => {
    assert.equal(await client().isHealthy(), true);
    assert.equal((await master.getVersion()).pkgVersion, "1.41.0");
  });

  test("a task waits, starts and finishes by time", async () => {
    const requested = await master.createIndex("states");
    assert.equal(requested.status, "enqueued");
    assert.equal(requested.type, "indexCreation");
    const enqueued = await master.tasks.getTask(requested.taskUid);
    assert.deepEqual(
      [enqueued.status, enqueued.startedAt, enqueued.batchUid, enqueued.duration],
      ["enqueued", null, null, null],
    );
    await assert.rejects(master.getIndex("states"), refused("index_not_found", 404));
    await twin.pass(1000);
    const processing = await master.tasks.getTask(requested.taskUid);
    assert.deepEqual([processing.status, processing.finishedAt], ["processing", null]);
    const waiting = master.tasks.waitForTask(requested.taskUid, { timeout: 0, interval: 1 });
    await twin.pass(1000);
    const task = await waiting;
    assert.deepEqual([task.status, task.duration, task.error], ["succeeded", "PT1S", null]);
    assert.equal(Date.parse(task.finishedAt ?? "") - Date.parse(task.enqueuedAt), 2000);
    assert.equal((await master.getIndex("states")).uid, "states");
  });

  test("indexes are listed, changed and deleted; an impossible change fails", async () => {
    await done(master.createIndex("books"));
    await done(master.createIndex("albums", { primaryKey: "asin" }));
    const { results, total } = await master.getIndexes({ limit: 2 });
    assert.deepEqual([results.map((index) => index.uid), total >= 3], [["albums", "books"], true]);
    assert.equal((await done(master.updateIndex("books", { primaryKey: "isbn" }))).status, "succeeded");
    assert.equal(await master.index("books").fetchPrimaryKey(), "isbn");
    const again = await done(master.createIndex("books"));
    assert.deepEqual([again.status, again.error?.code], ["failed", "index_already_exists"]);
    assert.equal(again.error?.message, "Index `books` already exists.");
    await done(master.index("books").addDocuments([{ isbn: "a-1" }, { isbn: "a-2" }]));
    const gone = await done(master.deleteIndex("books"));
    assert.deepEqual(gone.details, { deletedDocuments: 2 });
    await assert.rejects(master.getRawIndex("books"), refused("index_not_found", 404));
    const none = await done(master.deleteIndex("books"));
    assert.deepEqual([none.status, none.error?.code], ["failed", "index_not_found"]);
    await assert.rejects(master.createIndex("no good"), refused("invalid_index_uid", 400));
  });

  test("documents are added in batches, replaced, updated in part, and deleted", async () => {
    const index = master.index("plants");
    const many = Array.from({ length: 250 }, (_, n) => ({
      plant_id: n,
      name: `Plant ${n}`,
      even: n % 2 === 0,
    }));
    const batches = index.addDocumentsInBatches(many, 100);
    assert.equal(batches.length, 3);
    const requested = await Promise.all(batches);
    await twin.pass(2000);
    const tasks = await master.tasks.waitForTasks(requested);
    assert.deepEqual(
      tasks.map((task) => [task.status, task.details?.receivedDocuments, task.details?.indexedDocuments]),
      [
        ["succeeded", 100, 100],
        ["succeeded", 100, 100],
        ["succeeded", 50, 50],
      ],
    );
    assert.equal(await index.fetchPrimaryKey(), "plant_id");
    // The batches were sent at once, so their order is unknown.
    const pages = [await index.getDocuments({ limit: 248 }), await index.getDocuments({ offset: 248 })];
    assert.deepEqual(
      pages.map((page) => [page.total, page.results.length]),
      [
        [250, 248],
        [250, 2],
      ],
    );
    const found = pages.flatMap((page) => page.results.map((record) => record["name"]));
    assert.deepEqual(found.toSorted(), many.map(({ name }) => name).toSorted());
    await done(index.addDocuments([{ plant_id: 7, name: "Oak" }]));
    assert.deepEqual(await index.getDocument(7), { plant_id: 7, name: "Oak" });
    await done(
      index.updateDocuments([
        { plant_id: 7, height: 30 },
        { plant_id: 900, name: "Yew" },
      ]),
    );
    assert.deepEqual(await index.getDocument(7), { plant_id: 7, name: "Oak", height: 30 });
    assert.deepEqual(await index.getDocument(900, { fields: ["name"] }), { name: "Yew" });
    const twice = await done(
      index.addDocuments([
        { plant_id: 901, name: "First" },
        { plant_id: 901, name: "Last" },
      ]),
    );
    assert.equal(twice.status, "succeeded");
    assert.equal((await index.getDocument(901))["name"], "Last");
    const { numberOfDocuments, fieldDistribution, isIndexing } = await index.getStats();
    assert.deepEqual([numberOfDocuments, isIndexing], [252, false]);
    assert.deepEqual(fieldDistribution, { plant_id: 252, name: 252, even: 249, height: 1 });
    assert.deepEqual((await done(index.deleteDocument(7))).details, { providedIds: 1, deletedDocuments: 1 });
    await assert.rejects(index.getDocument(7), refused("document_not_found", 404));
    assert.deepEqual((await done(index.deleteDocuments([1, 2, 7]))).details, {
      providedIds: 3,
      deletedDocuments: 2,
    });
    assert.equal((await done(index.deleteAllDocuments())).details?.deletedDocuments, 249);
    assert.equal((await index.getDocuments()).total, 0);
    const more = Array.from({ length: 2100 }, (_, n) => ({ plant_id: n, name: `Plant ${n}` }));
    const added = await Promise.all(index.addDocumentsInBatches(more, 700));
    await twin.pass(2000);
    assert.deepEqual(
      (await master.tasks.waitForTasks(added)).map((task) => task.status),
      ["succeeded", "succeeded", "succeeded"],
    );
    assert.equal((await index.search("plant")).estimatedTotalHits, 2100);
    assert.deepEqual((await index.search("2099")).hits, [{ plant_id: 2099, name: "Plant 2099" }]);
    await done(index.deleteAllDocuments());
    assert.equal((await master.getStats()).indexes["plants"]?.numberOfDocuments, 0);
  });

  test("a batch is as large as the document allows", async () => {
    const wide = (n: number) => ({
      id: n,
      ...Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`f${at}`, at])),
    });
    const sent = await done(
      master.index("wide").addDocuments(Array.from({ length: 1000 }, (_, n) => wide(n))),
    );
    assert.deepEqual(sent.details, { receivedDocuments: 1000, indexedDocuments: 1000 });
    const many = Array.from({ length: 7000 }, (_, n) => wide(n));
    await assert.rejects(master.index("wide").addDocuments(many), refused("malformed_payload", 400));
  });

  test("invalid documents fail their whole task", async () => {
    const index = master.index("drafts");
    const keyless = await done(index.addDocuments([{ name: "x" }]));
    assert.deepEqual(
      [keyless.status, keyless.error?.code],
      ["failed", "index_primary_key_no_candidate_found"],
    );
    const missing = await done(index.addDocuments([{ id: 1 }, { name: "x" }]));
    assert.deepEqual([missing.status, missing.error?.code], ["failed", "missing_document_id"]);
    const wrong = await done(index.addDocuments([{ id: "a b" }]));
    assert.equal(wrong.error?.code, "invalid_document_id");
    await assert.rejects(master.getIndex("drafts"), refused("index_not_found", 404));
    const named = await done(index.addDocuments([{ name: "x" }], { primaryKey: "name" }));
    assert.deepEqual([named.status, await index.fetchPrimaryKey()], ["succeeded", "name"]);
  });

  test("a search finds documents with all words, whole words first, in pieces and in pages", async () => {
    assert.deepEqual(await found("alien"), [1, 5, 2]);
    assert.deepEqual(await found("heat al"), [5]);
    assert.deepEqual(await found("al"), [1, 2, 5]);
    assert.deepEqual(await found(""), [1, 2, 3, 4, 5]);
    assert.deepEqual(await found("nothing"), []);
    const index = master.index("films");
    const piece = await index.search("heat", { limit: 1, offset: 1 });
    assert.deepEqual([piece.limit, piece.offset, piece.estimatedTotalHits, piece.query], [1, 1, 3, "heat"]);
    assert.deepEqual(
      piece.hits.map((hit) => hit["id"]),
      [4],
    );
    const page = await index.search("", { hitsPerPage: 2, page: 3 });
    assert.deepEqual(
      [page.page, page.hitsPerPage, page.totalHits, page.totalPages, page.hits.length],
      [3, 2, 5, 3, 1],
    );
    assert.equal((page as { estimatedTotalHits?: number }).estimatedTotalHits, undefined);
    const marked = await index.search("alien", {
      attributesToRetrieve: ["title"],
      attributesToHighlight: ["title"],
      limit: 1,
    });
    assert.deepEqual(marked.hits, [{ title: "Alien", _formatted: { title: "<em>Alien</em>" } }]);
    const got = await index.searchGet("heat", { filter: "year > 1990", sort: ["year:desc"], limit: 5 });
    assert.deepEqual(
      got.hits.map((hit) => hit["id"]),
      [4, 3],
    );
  });

  test("filters are parsed: operators, words, brackets, lists", async () => {
    const filters: [string | (string | string[])[], number[]][] = [
      ["year = 1979", [1]],
      ["year != 1979", [2, 3, 4, 5]],
      ["year >= 1986 AND year < 2013", [2, 3]],
      ["year 1979 TO 1986", [1, 2, 5]],
      ["genres = action", [2, 3]],
      ["genres = 'Science Fiction' AND NOT year = 1979", [2]],
      ["genres IN [Crime, Comedy]", [3, 4]],
      ["genres NOT IN [Crime, Comedy,]", [1, 2, 5]],
      ["year = 1979 OR year = 1995 AND genres = Comedy", [1]],
      ["(year = 1979 OR year = 1995) AND genres = Crime", [3]],
      ["director EXISTS", [3, 4]],
      ["director NOT EXISTS", [1, 2, 5]],
      ["director IS NULL", [4]],
      ["director IS NOT NULL", [1, 2, 3, 5]],
      ["genres IS EMPTY", [5]],
      ['director = "Michael Mann"', [3]],
      [["genres = Action", "year > 1990"], [3]],
      [[["genres = Comedy", "genres = Horror"], "rating > 7"], [1]],
    ];
    for (const [filter, ids] of filters)
      assert.deepEqual(await found("", { filter }), ids, JSON.stringify(filter));
    for (const filter of ["title = Heat", "year >", "year > new", "(year = 1", "year = 1 2"])
      await assert.rejects(found("", { filter }), refused("invalid_search_filter", 400), filter);
  });

  test("hits are sorted and counted by facets", async () => {
    assert.deepEqual(await found("", { sort: ["rating:desc"] }), [1, 2, 3, 4, 5]);
    assert.deepEqual(await found("", { sort: ["rating:asc", "year:desc"] }), [4, 3, 2, 1, 5]);
    await assert.rejects(found("", { sort: ["title:asc"] }), refused("invalid_search_sort", 400));
    const { facetDistribution, facetStats } = await master
      .index("films")
      .search("", { facets: ["genres", "year"], limit: 0 });
    assert.deepEqual(facetDistribution?.["genres"], {
      Horror: 1,
      "Science Fiction": 2,
      Action: 2,
      Crime: 1,
      Comedy: 1,
    });
    assert.deepEqual(facetStats, { year: { min: 1979, max: 2013 } });
  });

  test("several indexes are searched at once, and documents fetched by a filter", async () => {
    await done(master.index("people").addDocuments([{ id: 1, name: "Ellen Ripley" }]));
    const { results } = await master.multiSearch({
      queries: [
        { indexUid: "films", q: "aliens" },
        { indexUid: "people", q: "rip" },
      ],
    });
    assert.deepEqual(
      results.map((multiSearchResult) => [
        multiSearchResult.indexUid,
        multiSearchResult.hits.map((hit) => hit["id"]),
      ]),
      [
        ["films", [2]],
        ["people", [1]],
      ],
    );
    const fetched = await master
      .index("films")
      .getDocuments({ filter: "year > 1985", fields: ["id"], limit: 2 });
    assert.deepEqual([fetched.total, fetched.results], [3, [{ id: 2 }, { id: 3 }]]);
  });

  test("settings are changed by tasks, as a whole and individually", async () => {
    const index = master.index("settled");
    const made = await done(index.updateSettings({ filterableAttributes: ["a"] }));
    assert.deepEqual(made.details, { filterableAttributes: ["a"] });
    await done(index.updateSortableAttributes(["b"]));
    assert.deepEqual(await index.getSettings(), {
      searchableAttributes: ["*"],
      filterableAttributes: ["a"],
      sortableAttributes: ["b"],
    });
    await done(index.updateFilterableAttributes(["c", "d"]));
    assert.deepEqual(await index.getFilterableAttributes(), ["c", "d"]);
    assert.deepEqual(await index.getSortableAttributes(), ["b"]);
    await done(index.resetSettings());
    assert.deepEqual(await index.getFilterableAttributes(), []);
  });

  test("tasks are listed and filtered", async () => {
    const enqueuedTask = await master.createIndex("late");
    const two = await master.index("late").addDocuments([{ id: 1 }]);
    await twin.pass(1000);
    const listed = await master.tasks.getTasks({ statuses: ["processing"], indexUids: ["late"] });
    assert.deepEqual(
      listed.results.map((task) => task.uid),
      [two.taskUid, enqueuedTask.taskUid],
    );
    await twin.pass(1000);
    const page = await master.tasks.getTasks({
      limit: 1,
      types: ["documentAdditionOrUpdate", "indexCreation"],
    });
    assert.deepEqual([page.from, page.results.map((task) => task.uid)], [two.taskUid, [two.taskUid]]);
    const next = await master.tasks.getTasks({ limit: 1, from: page.next ?? 0 });
    assert.equal(next.results[0]?.uid, enqueuedTask.taskUid);
    const named = await master.tasks.getTasks({ uids: [enqueuedTask.taskUid], statuses: ["succeeded"] });
    assert.deepEqual([named.total, named.next], [1, null]);
    await assert.rejects(master.tasks.getTask(99_999), refused("task_not_found", 404));
  });

  test("tasks are canceled before others run", async () => {
    const requested = await master.createIndex("never");
    const other = await master.createIndex("though");
    const stop = await master.tasks.cancelTasks({
      indexUids: ["never"],
      statuses: ["enqueued", "processing"],
    });
    assert.equal(stop.type, "taskCancelation");
    await twin.pass(2000);
    const task = await master.tasks.waitForTask(requested);
    assert.deepEqual([task.status, task.canceledBy], ["canceled", stop.taskUid]);
    assert.equal((await master.tasks.waitForTask(other)).status, "succeeded");
    assert.deepEqual((await master.tasks.getTask(stop.taskUid)).details, {
      matchedTasks: 1,
      canceledTasks: 1,
      originalFilter: "?indexUids=never&statuses=enqueued%2Cprocessing",
    });
    await assert.rejects(master.getIndex("never"), refused("index_not_found", 404));
    await assert.rejects(master.tasks.cancelTasks({} as never), refused("missing_task_filters", 400));
  });

  test("keys are created, changed and deleted, and allow only their own actions", async () => {
    const made = await master.createKey({
      description: "Reads films",
      actions: ["search"],
      indexes: ["films"],
      expiresAt: null,
    });
    assert.match(made.key, /^[0-9a-f]{64}$/);
    assert.equal(Date.parse(made.createdAt as unknown as string) >= startedAt.getTime(), true);
    const reader = client(made.key);
    assert.equal((await reader.index("films").search("heat")).hits.length, 3);
    await assert.rejects(reader.index("people").search("x"), refused("invalid_api_key", 403, "auth"));
    await assert.rejects(reader.createIndex("mine"), refused("invalid_api_key", 403, "auth"));
    assert.equal((await master.updateKey(made.uid, { name: "films" })).name, "films");
    assert.equal((await master.getKey(made.key)).uid, made.uid);
    assert.ok(
      (await master.getKeys()).results.some((key) => key.uid === made.uid && key.createdAt instanceof Date),
    );
    await master.deleteKey(made.uid);
    await assert.rejects(reader.index("films").search("heat"), refused("invalid_api_key", 403, "auth"));
    await assert.rejects(client().getIndexes(), refused("missing_authorization_header", 401, "auth"));
    await assert.rejects(master.getKey("unknown"), refused("api_key_not_found", 404));
  });
});
