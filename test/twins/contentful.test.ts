/** `examples/twins/contentful.md`, driven by Contentful's own library. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { createClient } from "contentful";
import { serveTwin, startedAt, type Twin } from "./serve-twin.ts";

const day = 86_400_000;
const inDays = (days: number) => `timestamp("${new Date(startedAt.getTime() + days * day).toISOString()}")`;

const entry = (id: string, type: string, fields: object, more = "") =>
  `Content with environment = master, type = ${type}, id = "${id}", fields = ${JSON.stringify(fields)}${more}`;
const toEntry = (id: string) => ({ sys: { type: "Link", linkType: "Entry", id } });
const toAsset = (id: string) => ({ sys: { type: "Link", linkType: "Asset", id } });
const english = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, { "en-US": value }]));

describe("the published Contentful library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  const client = (accessToken = "cda-plants", space = "plants", environment = "master") =>
    createClient({
      space,
      accessToken,
      environment,
      host: `127.0.0.1:${twin.port}`,
      insecure: true,
      retryOnError: false,
    });
  const found = async (query: Record<string, unknown>) =>
    (await client().getEntries({ content_type: "tree", order: "sys.id", ...query } as never)).items.map(
      (entry) => entry.sys.id,
    );

  before(async () => {
    twin = await serveTwin("contentful", [
      'Space with id = "plants", name = "Plants" as plants',
      'Space with id = "stones", name = "Stones" as stones',
      'Key with space = plants, token = "cda-plants"',
      'Key with space = stones, token = "cda-stones"',
      'Environment with space = plants, name = "master" as master',
      'Environment with space = stones, name = "master" as other',
      'ContentType with environment = master, id = "tree", name = "Tree", displayField = "name", fields = [{"id": "name", "name": "Name", "type": "Symbol"}] as tree',
      'ContentType with environment = master, id = "wood", name = "Wood" as wood',
      'Tag with environment = master, id = "evergreen", name = "Evergreen"',
      entry("oak", "tree", {
        name: { "en-US": "Oak", de: "Eiche" },
        ...english({
          height: 30,
          uses: ["ships", "barrels"],
          planted: "2020-05-01T00:00:00Z",
          wood: toEntry("hard"),
          picture: toAsset("leaf"),
          place: { lat: 52.5, lon: 13.4 },
        }),
      }),
      entry(
        "yew",
        "tree",
        english({
          name: "Yew",
          height: 9.5,
          uses: ["bows"],
          planted: "2022-05-01T00:00:00Z",
          wood: toEntry("soft"),
        }),
        ', tags = ["evergreen"]',
      ),
      entry(
        "pine",
        "tree",
        english({
          name: "Pine",
          height: 45,
          uses: ["ships", "paper"],
          friends: [toEntry("oak"), toEntry("gone")],
        }),
        ', tags = ["evergreen"]',
      ),
      entry(
        "ash",
        "tree",
        english({ name: "Ash" }),
        `, publishAt = ${inDays(1)}, unpublishAt = ${inDays(3)}`,
      ),
      entry("hard", "wood", english({ grain: "Dense and fine", from: toEntry("pine") })),
      entry("soft", "wood", english({ grain: "Loose" })),
      'Content with environment = master, kind = "Asset", id = "leaf", fields = {"title": {"en-US": "Leaf", "de": "Blatt"}, "file": {"en-US": {"url": "//images.example/leaf.png", "contentType": "image/png", "fileName": "leaf.png"}}}',
      'Content with environment = master, kind = "Asset", id = "map", fields = {"title": {"en-US": "Map"}, "file": {"en-US": {"url": "//images.example/map.pdf", "contentType": "application/pdf", "fileName": "map.pdf"}}}',
      'Content with environment = other, id = "oak", fields = {"name": {"en-US": "Petrified"}}',
    ]);
  });
  after(() => twin.close());
  /** Contentful accepts fifty-five requests per second. */
  beforeEach(() => twin.clock.moveBy(1000));

  test("the content of a space is returned", async () => {
    const plants = client();
    assert.equal((await plants.getSpace()).name, "Plants");
    assert.deepEqual(
      (await plants.getLocales()).items.map(({ code, fallbackCode, default: isDefault }) => [
        code,
        fallbackCode,
        isDefault,
      ]),
      [
        ["en-US", null, true],
        ["de", "en-US", false],
      ],
    );
    const types = await plants.getContentTypes();
    assert.deepEqual(
      [types.total, types.items.map((contentType) => contentType.sys.id)],
      [2, ["tree", "wood"]],
    );
    assert.deepEqual(
      (await plants.getContentTypes({ query: "woo" })).items.map((contentType) => contentType.name),
      ["Wood"],
    );
    const tree = await plants.getContentType("tree");
    assert.deepEqual([tree.displayField, tree.fields[0]?.id], ["name", "name"]);
    assert.equal((await plants.getTag("evergreen")).name, "Evergreen");
    assert.equal((await plants.getTags()).total, 1);
  });

  test("entries are filtered by their own fields, with each operator", async () => {
    assert.deepEqual(await found({}), ["oak", "pine", "yew"]);
    const filters: [Record<string, unknown>, string[]][] = [
      [{ "fields.name": "Oak" }, ["oak"]],
      [{ "fields.height": 9.5 }, ["yew"]],
      [{ "fields.name[ne]": "Oak" }, ["pine", "yew"]],
      [{ "fields.uses": "ships" }, ["oak", "pine"]],
      [{ "fields.uses[ne]": "ships" }, ["yew"]],
      [{ "fields.uses[all]": ["ships", "paper"] }, ["pine"]],
      [{ "fields.uses[in]": ["paper", "bows"] }, ["pine", "yew"]],
      [{ "fields.uses[nin]": "paper,bows" }, ["oak"]],
      [{ "fields.planted[exists]": true }, ["oak", "yew"]],
      [{ "fields.planted[exists]": false }, ["pine"]],
      [{ "fields.height[gte]": 30 }, ["oak", "pine"]],
      [{ "fields.height[gt]": 30 }, ["pine"]],
      [{ "fields.height[lt]": 30 }, ["yew"]],
      [{ "fields.height[lte]": 30, "fields.height[gt]": 9.5 }, ["oak"]],
      [{ "fields.planted[gte]": "2021-01-01T00:00:00Z" }, ["yew"]],
      [{ "fields.name[match]": "ine" }, ["pine"]],
      [{ "fields.place[within]": [50, 10, 55, 15] }, ["oak"]],
      [{ "fields.place[within]": "0,0,10,10" }, []],
      [{ "fields.wood.sys.id": "hard" }, ["oak"]],
      [{ "fields.friends.sys.id[in]": "oak,unknown" }, ["pine"]],
      [{ "fields.wood.sys.contentType.sys.id": "wood", "fields.wood.fields.grain[match]": "fine" }, ["oak"]],
      [{ "fields.wood.sys.contentType.sys.id": "wood", "fields.wood.fields.grain": "Loose" }, ["yew"]],
      [{ query: "BARREL" }, ["oak"]],
      [{ links_to_entry: "oak" }, ["pine"]],
      [{ links_to_asset: "leaf" }, ["oak"]],
      [{ "sys.id[in]": ["oak", "yew", "none"] }, ["oak", "yew"]],
      [{ "sys.id[ne]": "oak" }, ["pine", "yew"]],
      [{ "sys.createdAt[gte]": startedAt.toISOString() }, ["oak", "pine", "yew"]],
      [{ "sys.updatedAt[lt]": startedAt.toISOString() }, []],
      [{ "metadata.tags.sys.id[in]": ["evergreen"] }, ["pine", "yew"]],
      [{ "metadata.tags[exists]": false }, ["oak"]],
      [{ "fields.nothing": "x" }, []],
    ];
    for (const [query, ids] of filters) assert.deepEqual(await found(query), ids, JSON.stringify(query));
  });

  test("entries are ordered by their own fields and by several keys, and returned in pages", async () => {
    assert.deepEqual(await found({ order: "fields.height" }), ["yew", "oak", "pine"]);
    assert.deepEqual(await found({ order: ["-fields.height"] }), ["pine", "oak", "yew"]);
    assert.deepEqual(await found({ order: "-fields.planted,fields.name" }), ["pine", "yew", "oak"]);
    const all = await client().getEntries({ order: ["-sys.contentType.sys.id", "sys.id"] });
    assert.deepEqual(
      all.items.map((entry) => entry.sys.id),
      ["hard", "soft", "oak", "pine", "yew"],
    );
    const page = await client().getEntries({ order: ["sys.id"], skip: 1, limit: 2 });
    assert.deepEqual([page.total, page.skip, page.limit], [5, 1, 2]);
    assert.deepEqual(
      page.items.map((entry) => entry.sys.id),
      ["oak", "pine"],
    );
  });

  test("links are resolved to the requested depth", async () => {
    const oak = await client().getEntry("oak", { include: 2 });
    assert.equal(oak.sys.contentType.sys.id, "tree");
    const wood = oak.fields["wood"] as { fields: { grain: string; from: { fields: { name: string } } } };
    assert.equal(wood.fields.grain, "Dense and fine");
    assert.equal(wood.fields.from.fields.name, "Pine");
    assert.equal((oak.fields["picture"] as { fields: { title: string } }).fields.title, "Leaf");
    const shallow = await client().getEntry("oak");
    const nearby = shallow.fields["wood"] as { fields: { from: { fields?: unknown } } };
    assert.equal(nearby.fields.from.fields, undefined);
    const none = await client().getEntries({ "sys.id": "oak", include: 0 });
    assert.equal(none.includes, undefined);
    const bare = await client().withoutLinkResolution.getEntry("oak");
    assert.deepEqual(bare.fields["wood"], toEntry("hard"));
    const pine = await client().withoutUnresolvableLinks.getEntry("pine");
    assert.deepEqual(
      (pine.fields["friends"] as { sys: { id: string } }[]).map((friend) => friend.sys.id),
      ["oak"],
    );
  });

  test("fields are selected, and returned in one locale or in all", async () => {
    const [oak] = (
      await client().getEntries({ "sys.id": "oak", select: ["fields.name", "fields.height"] as never })
    ).items;
    assert.deepEqual(oak?.fields, { name: "Oak", height: 30 });
    assert.deepEqual(oak?.sys, { id: "oak", type: "Entry" });
    const german = await client().getEntry("oak", { locale: "de" });
    assert.deepEqual(
      [german.fields["name"], german.fields["height"], german.sys.locale],
      ["Eiche", 30, "de"],
    );
    const all = await client().withAllLocales.getEntry("oak");
    assert.deepEqual(all.fields["name"], { "en-US": "Oak", de: "Eiche" });
    assert.deepEqual(await found({ locale: "de", "fields.name": "Eiche" }), ["oak"]);
  });

  test("assets are found, read and returned in locales", async () => {
    const images = await client().getAssets({ mimetype_group: "image" });
    assert.deepEqual(
      images.items.map((asset) => [asset.sys.id, asset.fields.title, asset.fields.file?.contentType]),
      [["leaf", "Leaf", "image/png"]],
    );
    assert.equal((await client().getAssets()).total, 2);
    assert.deepEqual(
      (await client().getAssets({ "fields.title[match]": "map" })).items.map((asset) => asset.sys.id),
      ["map"],
    );
    assert.equal((await client().getAsset("leaf", { locale: "de" })).fields.title, "Blatt");
    assert.equal((await client().getAsset("leaf")).fields.file?.fileName, "leaf.png");
  });

  test("content that is published and unpublished by time is synchronized", async () => {
    const first = await client().sync({ initial: true });
    assert.deepEqual([first.entries.length, first.assets.length, first.deletedEntries.length], [5, 2, 0]);
    const ofTrees = await client().sync({ initial: true, content_type: "tree" });
    assert.deepEqual([ofTrees.entries.length, ofTrees.assets.length], [3, 0]);
    const nothing = await client().sync({ nextSyncToken: first.nextSyncToken ?? "" });
    assert.deepEqual([nothing.entries.length, nothing.assets.length], [0, 0]);
    await assert.rejects(client().getEntry("ash"), {
      name: "Error",
      message: "The resource could not be found.",
    });
    await twin.pass(2 * day);
    assert.equal((await client().getEntry("ash")).fields["name"], "Ash");
    const grown = await client().sync({ nextSyncToken: nothing.nextSyncToken ?? "" });
    assert.deepEqual(
      grown.entries.map((entry) => entry.fields["name"]),
      [{ "en-US": "Ash" }],
    );
    await twin.pass(2 * day);
    const felled = await client().sync({ nextSyncToken: grown.nextSyncToken ?? "" });
    assert.deepEqual([felled.entries, felled.deletedEntries.map((entry) => entry.sys.id)], [[], ["ash"]]);
    await assert.rejects(client().getEntry("ash"));
  });

  test("errors have the names and texts that the library expects", async () => {
    const failing = async (promise: Promise<unknown>) => {
      const error = await promise.then(
        () => assert.fail("it was answered"),
        (error: Error) => error,
      );
      return [error.name, (JSON.parse(error.message) as { status: number }).status];
    };
    assert.deepEqual(await failing(client("wrong").getEntries()), ["AccessTokenInvalid", 401]);
    assert.deepEqual(await failing(client("cda-stones").getEntries()), ["NotFound", 404]);
    assert.deepEqual(await failing(client("cda-plants", "plants", "staging").getEntries()), [
      "NotFound",
      404,
    ]);
    assert.deepEqual(await failing(client().getContentType("fern")), ["NotFound", 404]);
    assert.deepEqual(await failing(client().getAsset("oak")), ["NotFound", 404]);
    assert.deepEqual(await failing(client().getEntries({ limit: 1001 })), ["InvalidQuery", 400]);
    assert.deepEqual(await failing(client().getEntries({ order: ["height"] as never })), [
      "InvalidQuery",
      400,
    ]);
    assert.deepEqual(await failing(client().getEntries({ "fields.name": "Oak" } as never)), [
      "InvalidQuery",
      400,
    ]);
    assert.deepEqual(await failing(client().getEntries({ locale: "fr" })), ["UnknownLocale", 400]);
    const [stone] = (await client("cda-stones", "stones").getEntries()).items;
    assert.equal(stone?.fields["name"], "Petrified");
  });

  test("a client over its rate receives the time of its retry", async () => {
    const plants = client();
    for (let n = 0; n < 55; n++) await plants.getTag("evergreen");
    await assert.rejects(plants.getTag("evergreen"), { name: "RateLimitExceeded" });
    twin.clock.moveBy(1000);
    assert.equal((await plants.getTag("evergreen")).sys.id, "evergreen");
  });
});
