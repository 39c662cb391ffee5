/** `examples/twins/airtable.md`, driven by Airtable's own library. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import Airtable from "airtable";
import { serveTwin, type Twin } from "./serve-twin.ts";

describe("the published Airtable library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  const tableOf = (name: string, base = "appPlans00000001", apiKey = "pat.ada") =>
    new Airtable({ apiKey, endpointUrl: twin.origin, noRetryIfRateLimited: true }).base(base)(name);
  /** An Airtable base accepts five requests per second. */
  const later = () => twin.clock.moveBy(1000);

  before(async () => {
    twin = await serveTwin("airtable", [
      'User with name = "Ada", token = "pat.ada"',
      'Base with id = "appPlans00000001" as plans',
      'Base with id = "appPlans00000002" as other',
      'Grid with base = plans, name = "Open tasks", id = "tblOpen0000000001"',
      'Grid with base = plans, name = "Many", id = "tblMany0000000001"',
      'Grid with base = other, name = "Open tasks"',
    ]);
  });
  after(() => twin.close());
  beforeEach(later);

  test("one record is created, read, changed, replaced and deleted", async () => {
    const tasks = tableOf("Open tasks");
    const made = await tasks.create({ Name: "Write", Tags: ["a", "b"], Done: false, Effort: 1.5 });
    assert.match(made.id, /^rec\w{14}$/);
    assert.deepEqual(made.fields, { Name: "Write", Tags: ["a", "b"], Done: false, Effort: 1.5 });
    assert.equal(made._rawJson.createdTime, new Date(twin.clock.now()).toISOString());
    // The table is found by its identifier as by its name.
    const found = await tableOf("tblOpen0000000001").find(made.id);
    assert.equal(found.get("Name"), "Write");
    const changed = await tasks.update(made.id, { Done: true });
    assert.deepEqual(changed.fields, { Name: "Write", Tags: ["a", "b"], Done: true, Effort: 1.5 });
    const replaced = await tasks.replace(made.id, { Name: "Read" });
    assert.deepEqual(replaced.fields, { Name: "Read" });
    later();
    assert.equal((await tasks.destroy(made.id)).id, made.id);
    await assert.rejects(tasks.find(made.id), {
      error: "NOT_FOUND",
      statusCode: 404,
      message: `Record "${made.id}" not found`,
    });
    later();
  });

  test("ten records are created, changed and deleted together, or none is", async () => {
    const tasks = tableOf("Open tasks");
    const made = await tasks.create([{ fields: { Name: "1" } }, { fields: { Name: "2" } }], {
      typecast: true,
    });
    const [first, second] = made.map((record) => record.id) as [string, string];
    const changed = await tasks.update([
      { id: second, fields: { Name: "two" } },
      { id: first, fields: { Done: true } },
    ]);
    assert.deepEqual(
      changed.map((record) => [record.id, record.fields]),
      [
        [second, { Name: "two" }],
        [first, { Name: "1", Done: true }],
      ],
    );
    await assert.rejects(
      tasks.update([
        { id: first, fields: {} },
        { id: "recNone", fields: {} },
      ]),
      { statusCode: 404 },
    );
    const eleven = Array.from({ length: 11 }, () => ({ fields: {} }));
    await assert.rejects(tasks.create(eleven), {
      error: "INVALID_REQUEST_UNKNOWN",
      statusCode: 422,
      message: "Invalid request: records must have at most 10 items",
    });
    later();
    const gone = await tasks.destroy([first, second]);
    assert.deepEqual(
      gone.map((record) => record.id),
      [first, second],
    );
    assert.deepEqual(await tasks.select().firstPage(), []);
    later();
  });

  test("a table is read page by page, in the requested order", async () => {
    const many = tableOf("Many");
    for (const names of [
      ["c", "a", "e"],
      ["b", "d"],
    ])
      await many.create(names.map((Name) => ({ fields: { Name } })));
    later();
    const requested = twin.requested.length;
    const all = await many.select({ pageSize: 2 }).all();
    assert.deepEqual(
      all.map((record) => record.get("Name")),
      ["c", "a", "e", "b", "d"],
    );
    assert.equal(twin.requested.length - requested, 3);
    later();
    const sorted = await many.select({ pageSize: 3, sort: [{ field: "Name", direction: "desc" }] }).all();
    assert.deepEqual(
      sorted.map((record) => record.get("Name")),
      ["e", "d", "c", "b", "a"],
    );
    later();
  });

  test("errors have the format that the library expects", async () => {
    await assert.rejects(tableOf("Open tasks", "appPlans00000001", "pat.none").select().firstPage(), {
      error: "AUTHENTICATION_REQUIRED",
      statusCode: 401,
    });
    await assert.rejects(tableOf("Shut").select().firstPage(), {
      error: "NOT_FOUND",
      message: "Could not find table Shut in application appPlans00000001",
    });
    // The table of the same name in another base is another table.
    assert.deepEqual(await tableOf("Open tasks", "appPlans00000002").select().firstPage(), []);
    later();
  });

  test("a base that receives too many requests rejects the others for the rest of the second", async () => {
    const tasks = tableOf("Open tasks");
    for (let at = 0; at < 5; at += 1) await tasks.select().firstPage();
    await assert.rejects(tasks.select().firstPage(), { error: "TOO_MANY_REQUESTS", statusCode: 429 });
    later();
    assert.deepEqual(await tasks.select().firstPage(), []);
  });
});
