/** Proposals about references and about records beneath others, on a small description. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../../inputs/formats.ts";
import { createLocalTarget } from "../../scenarios/local-target.ts";
import { compile } from "../../compile.ts";
import { silentTerminal } from "../../../test/terminal.ts";
import { accept, answerByHand } from "../accept.ts";
import { workListOf } from "../worklist.ts";

const id = { type: "string", readOnly: true };
const text = { type: "string" };
const shape = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const answer = (schema: object) => ({ description: "", ...json(schema) });
const inPath = (name: string, type = "string") => ({ name, in: "path", required: true, schema: { type } });
const creates = (name: string, properties: object, required: readonly string[]) => ({
  requestBody: json({ type: "object", required, properties }),
  responses: { 201: answer(shape(name)) },
});
const reads = (name: string, ...parameters: readonly object[]) => ({
  parameters,
  responses: { 200: answer(shape(name)) },
});

const shelf = inPath("shelfId");
const item = [shelf, inPath("number", "integer")];
const library = {
  openapi: "3.0.3",
  info: { title: "Library", version: "1" },
  paths: {
    "/shelves": { post: creates("Shelf", { name: text }, ["name"]) },
    "/shelves/{shelfId}": { get: reads("Shelf", shelf) },
    "/shelves/{shelfId}/books": {
      get: {
        parameters: [shelf, { name: "author_id", in: "query", schema: text }],
        responses: { 200: answer({ type: "array", items: shape("Book") }) },
      },
      post: {
        parameters: [shelf],
        ...creates("Book", { title: text, author_id: text, owner: text }, ["title"]),
      },
    },
    "/shelves/{shelfId}/books/{number}": {
      get: reads("Book", ...item),
      put: {
        parameters: item,
        requestBody: json({ type: "object", properties: { title: text, author_id: text, owner: text } }),
        responses: { 200: answer(shape("Book")) },
      },
    },
    "/authors": { post: creates("Author", { name: text }, ["name"]) },
    "/authors/{authorId}": { get: reads("Author", inPath("authorId")) },
    "/owners": { post: creates("Owner", { name: text }, ["name"]) },
    "/owners/{ownerId}": { get: reads("Owner", inPath("ownerId")) },
  },
  components: {
    schemas: {
      Shelf: { type: "object", required: ["id"], properties: { id, name: text } },
      Author: { type: "object", required: ["id"], properties: { id, name: text } },
      Owner: { type: "object", required: ["id"], properties: { id, name: text } },
      Book: {
        type: "object",
        required: ["number"],
        properties: {
          number: { type: "integer", readOnly: true },
          title: text,
          author_id: text,
          owner: text,
        },
      },
    },
  },
};

function imported(description: object): string {
  const name = "library.json";
  return importFile("openapi", {
    name,
    text: JSON.stringify(description),
    readRelative: () => undefined,
    only: [],
  }).text;
}

const kinds = ["resources", "references", "references-by-name", "belongs-to"];

test("fields named after a resource become references, and what their deletion does stays open", () => {
  const { proposals } = workListOf("library.md", accept("library.md", imported(library), ["resources"]).text);
  const found = proposals.map(({ kind, subject }) => `${kind} ${subject}`);
  for (const proposed of [
    "references Book.author_id",
    "references-by-name Book.owner",
    "belongs-to Book of Shelf",
  ])
    assert.ok(found.includes(proposed), found.join());
  const made = accept("library.md", imported(library), kinds).text;
  assert.match(made, /^\| author_id +\| Author +\| on delete not shown +\|$/m);
  assert.match(made, /^\| owner +\| Owner +\| on delete not shown +\|$/m);
});

test("a record beneath another one gets the reference, the path and the scope of its number", () => {
  const made = accept("library.md", imported(library), kinds).text;
  assert.match(made, /^\| shelf +\| Shelf +\| internal, on delete not shown +\|$/m);
  assert.match(made, /\n### \/shelves\/\{shelfId\}\n\n- Is: Shelf\n/);
  assert.match(made, /### Book\n\n- Identifier: number, made by `sequence\(shelf\)`\n/);
});

test("the twin keeps the books of each shelf apart, and finds them by their author", async (t) => {
  const proposed = accept("library.md", imported(library), ["likely", "possible"]).text;
  const made = answerByHand("library.md", proposed, "identifiers", "random(12)").text;
  const { model } = compile(made, { file: "library.md" });
  assert.ok(model);
  const target = await createLocalTarget(model, silentTerminal);
  t.after(() => target.close());
  const send = async (method: string, path: string, body?: object) => {
    const headers = body ? ([["Content-Type", "application/json"]] as const) : [];
    const sent = body ? { body: JSON.stringify(body) } : {};
    const response = await target.send({ method, target: path, headers, ...sent });
    return { status: response.status, body: JSON.parse(response.body) };
  };
  const createdAt = async (path: string) => (await send("POST", path, { name: "A" })).body.id as string;
  const [first, second, author] = [
    await createdAt("/shelves"),
    await createdAt("/shelves"),
    await createdAt("/authors"),
  ];
  const book = { title: "Emma", author_id: author };
  for (const on of [first, second]) {
    const { status, body } = await send("POST", `/shelves/${on}/books`, book);
    assert.deepEqual([status, body.number, body.author_id], [201, 1, author]);
  }
  const found = await send("GET", `/shelves/${first}/books?author_id=${author}`);
  assert.equal(found.body.length, 1);
  assert.equal((await send("GET", "/shelves/none/books")).status, 404);
  assert.equal((await send("POST", `/shelves/${first}/books`, { ...book, author_id: "none" })).status, 422);
});

test("a field that names the parent becomes the reference once the operations are stated", () => {
  const { schemas } = library.components;
  const properties = { ...schemas.Book.properties, shelf_id: { ...text, readOnly: true } };
  const components = { schemas: { ...schemas, Book: { ...schemas.Book, properties } } };
  const start = accept("library.md", imported({ ...library, components }), ["resources"]).text;
  const belongsIn = (document: string) =>
    workListOf("library.md", document).proposals.filter(({ kind }) => kind === "belongs-to");
  assert.deepEqual(belongsIn(start), []);
  const stated = accept("library.md", start, [
    "list-beneath",
    "read-beneath",
    "create-beneath",
    "update-beneath",
  ]).text;
  assert.match(stated, /- Where: `this\.shelf_id == path\.shelfId`/);
  const made = accept("library.md", stated, ["belongs-to"]).text;
  assert.match(made, /^\| shelf_id +\| Shelf +\|/m);
  assert.doesNotMatch(made, /path\.shelfId/);
});

test("a field that a path selects by stays a text where the path has no resource", () => {
  const { schemas } = library.components;
  const properties = {
    ...schemas.Book.properties,
    number: undefined,
    id,
    shelf_id: { ...text, readOnly: true },
  };
  const components = { schemas: { ...schemas, Book: { ...schemas.Book, required: ["id"], properties } } };
  // Twilio reads an account at `/Accounts/{Sid}.json`, and its calls beneath `/Accounts/{AccountSid}`.
  const paths = {
    "/shelves/{id}.json": { get: reads("Shelf", inPath("id")) },
    "/shelves.json": { get: { responses: { 200: answer({ type: "array", items: shape("Shelf") }) } } },
    "/shelves/{shelfId}/books.json": {
      get: { parameters: [shelf], responses: { 200: answer({ type: "array", items: shape("Book") }) } },
    },
    "/shelves/{shelfId}/books/{id}.json": { get: reads("Book", shelf, inPath("id")) },
  };
  const { proposals } = workListOf("library.md", imported({ ...library, components, paths }));
  const found = proposals.map(({ kind, subject }) => `${kind} ${subject}`);
  assert.deepEqual(
    found.filter((proposed) => /^(references|belongs)/.test(proposed)),
    [],
  );
  assert.ok(found.includes("read-beneath GET /shelves/{shelfId}/books/{id}.json"), found.join());
});

test("a record that an action beneath another one returns with 200 doesn't belong to it", () => {
  const {
    "/shelves/{shelfId}/books": collection,
    "/shelves/{shelfId}/books/{number}": _item,
    ...paths
  } = library.paths;
  const text = JSON.stringify({
    ...library,
    paths: {
      ...paths,
      "/books/{number}": { get: reads("Book", inPath("number", "integer")) },
      "/shelves/{shelfId}/guide": {
        post: { ...collection.post, responses: { 200: answer(shape("Book")) } },
      },
    },
  });
  const { text: written } = importFile("openapi", {
    name: "library.json",
    text,
    readRelative: () => undefined,
    only: [],
  });
  const { counts } = accept("library.md", written, ["likely", "possible"]);
  assert.equal(counts.get("belongs-to"), undefined, [...counts.keys()].join());
});
