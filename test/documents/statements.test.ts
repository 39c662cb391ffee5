/**
 * Statement counts: a list is one SQL statement, regardless of the other records that its shape
 * returns, and a second one if it has a total. The test counts the statements that the database
 * executes. Finding the caller takes one more. Ten records need as many statements as one.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { StatementSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import { createGivenRecords } from "../../src/engine/given.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { quiet } from "../contracts/serve-document.ts";
import { sqliteAlone } from "../sqlite-alone.ts";
import type { ReceivedResponse } from "../../src/verify/scenario-failure.ts";

/**
 * The statements that the database executed during the work. The shared snapshot of a tick's reads
 * executes none.
 */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const requested: string[] = [];
  const own = StatementSync.prototype;
  const { get, all, run, iterate } = own;
  const counting = <T extends (...values: never[]) => unknown>(request: T) =>
    function (this: StatementSync, ...values: Parameters<T>) {
      if (!/^(BEGIN|COMMIT)\b/.test(this.sourceSQL)) requested.push(this.sourceSQL);
      return request.apply(this, values);
    } as unknown as T;
  Object.assign(own, {
    get: counting(get),
    all: counting(all),
    run: counting(run),
    iterate: counting(iterate),
  });
  try {
    await work();
  } finally {
    Object.assign(own, { get, all, run, iterate });
  }
  return requested;
}

interface Requesting {
  send(method: string, path: string, key?: string, body?: unknown): Promise<ReceivedResponse>;
  /** The statements and the response body of a successful read. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the document answers
  read(path: string, key?: string): Promise<{ readonly statements: readonly string[]; readonly body: any }>;
}

async function serve(t: TestContext, example: string, given: string): Promise<Requesting> {
  const url = new URL(`../../examples/${example}.md`, import.meta.url);
  const { model } = compile(readFileSync(url, "utf8"), { file: `${example}.md` });
  assert.ok(model);
  const target = await createLocalTarget(model, quiet);
  t.after(() => target.close());
  await createGivenRecords(target.service, readGivenItems(model, "given.md", given).steps);
  const send: Requesting["send"] = (method, path, key, body) =>
    target.send({
      method,
      target: path,
      headers: [
        ...(key === undefined ? [] : [["Authorization", key] as const]),
        ...(body === undefined ? [] : [["Content-Type", "application/json"] as const]),
      ],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    send,
    async read(path, key) {
      // The first request prepares the statements that are prepared on first use.
      await send("GET", path, key);
      let answer: ReceivedResponse | undefined;
      const statements = await statementsOf(async () => {
        answer = await send("GET", path, key);
      });
      assert.equal(answer?.status, 200, `${path}: ${answer?.body}`);
      return { statements, body: JSON.parse(answer?.body ?? "") };
    },
  };
}

const many = (count: number, item: (number: number) => string) =>
  Array.from({ length: count }, (_, at) => `- Given: ${item(at + 1)}\n`).join("");

/**
 * Omits the statements that find the caller: a signed token leads to its user, a key to its record.
 */
function besides(who: RegExp, statements: readonly string[]): readonly string[] {
  const found = statements.filter((sql) => who.test(sql));
  assert.equal(found.length, 1, `the caller is looked up once: ${statements.join("\n")}`);
  return statements.filter((sql) => !who.test(sql));
}

const key = (resource: string) => new RegExp(`FROM "${resource}" AS r1 WHERE \\(r1\\."key" = \\?1\\)`);

const words = sqliteAlone("counts the statements of SQLite's driver, and reads their words");

test(
  "20 Conduit articles with author, following, favorited and counts take one statement, and one for the total",
  words,
  async (t) => {
    const given = `${many(21, (at) => `User with username = "u${at}", email = "u${at}@test.example", password = "password${at}" as u${at}`)}${many(25, (at) => `Article with title = "A ${at}", description = "d", body = "b", tagList = ["x", "y${at}"], author = u${1 + (at % 20)}, slug = "a-${at}" as a${at}`)}${many(25, (at) => `Favorite with article = a${at}, user = u21`)}${many(25, (at) => `Favorite with article = a${at}, user = u1`)}${many(20, (at) => `Follow with follower = u21, followed = u${at}`)}`;
    const { read, send } = await serve(t, "conduit", given);
    const login = await send("POST", "/api/users/login", undefined, {
      user: { email: "u21@test.example", password: "password21" },
    });
    const token = `Token ${JSON.parse(login.body).user.token}`;
    for (const path of [
      "/api/articles",
      "/api/articles?tag=x",
      "/api/articles?favorited=u1&offset=3",
      "/api/articles/feed",
    ]) {
      const { statements, body } = await read(path, token);
      assert.equal(body.articles.length, 20, path);
      assert.equal(body.articlesCount, 25, path);
      for (const { favorited, favoritesCount, author } of body.articles)
        assert.deepEqual(
          { favorited, favoritesCount, following: author.following },
          { favorited: true, favoritesCount: 2, following: true },
        );
      const requested = besides(/FROM "User" AS r1 WHERE \(r1\."id" = \?1\)/, statements);
      assert.equal(requested.length, 2, `${path}\n${requested.join("\n")}`);
      assert.equal(
        requested.filter((sql) => /^SELECT count\(\*\)/i.test(sql)).length,
        1,
        requested.join("\n"),
      );
    }
    const unknown = await read("/api/articles");
    assert.equal(unknown.statements.length, 2);
    assert.equal((await read("/api/articles/a-1/comments")).statements.length, 2);
    assert.equal((await read("/api/tags")).statements.length, 1);
  },
);

test("a shop's parcels take one statement, with any filters and cursor", words, async (t) => {
  const given = `- Given: Shop with name = "Ada" as ada
- Given: ApiKey with shop = ada, key = "sk_ada", scopes = ["read", "write"]
${many(60, (at) => `Parcel with shop = ada, recipient = "Grace", address = {"line": "1 St", "city": "Oslo", "country": "NO"}, weight_grams = ${at}, reference = "r${at}"`)}`;
  const { read } = await serve(t, "parcel-desk", given);
  const first = await read("/v1/parcels?limit=30&status=registered", "Bearer sk_ada");
  assert.equal(first.body.data.length, 30);
  const next = await read(`/v1/parcels?limit=20&status=registered&after=${first.body.next}`, "Bearer sk_ada");
  assert.equal(next.body.data.length, 20);
  for (const { statements } of [first, next]) assert.equal(besides(key("ApiKey"), statements).length, 1);
});

test(
  "places and orders with their lines take one statement each, in addition to that of the path's show",
  words,
  async (t) => {
    const given = `- Given: Account with name = "Ada", email = "ada@example.com", key = "sk_ada" as ada
- Given: Venue with name = "Hall" as venue
- Given: Show with venue = venue, title = "Engines", starts_at = "2999-01-01T20:00:00Z", status = "on_sale" as show
${many(30, (at) => `Seat with venue = venue, section = "A", row = "1", number = ${at} as s${at}`)}${many(30, (at) => `Place with show = show, seat = s${at}, price = 2500 as p${at}`)}${many(30, (at) => `Hold with show = show, customer = ada as h${at}`)}${many(30, (at) => `Order with show = show, customer = ada, hold = h${at}, fee = 0, payment = {"method": "card", "reference": "t"}, sold_by = ada as o${at}`)}${many(30, (at) => `OrderLine with order = o${at}, place = p${at}, price = 2500`)}`;
    const { read } = await serve(t, "seat-booking", given);
    const orders = await read("/orders", "Bearer sk_ada");
    assert.equal(orders.body.data.length, 30);
    assert.equal(orders.body.data[0].lines.length, 1);
    assert.equal(besides(key("Account"), orders.statements).length, 1);
    const shows = await read("/shows");
    assert.equal(shows.body.data[0].free, 30);
    assert.equal(shows.statements.length, 1);
    const places = await read(`/shows/${shows.body.data[0].id}/places?status=free`);
    assert.equal(places.body.data.length, 30);
    assert.equal(places.statements.length, 2);
  },
);
