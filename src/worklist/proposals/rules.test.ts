/** Proposals of immutable fields: what a request at or below the item may change isn't one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../../inputs/formats.ts";
import { workListOf } from "../worklist.ts";

const text = { type: "string" };
const cluster = { type: "object", required: ["id"], properties: { id: text } };
const names = ["name", "region", "version", "node_pools", "search"];
const properties = Object.fromEntries(names.map((name) => [name, text]));
const reference = { $ref: "#/components/schemas/Cluster" };
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const answer = { description: "", ...json(reference) };
const id = { name: "id", in: "path", required: true, schema: text };
const sends = (...keys: readonly string[]) => ({
  parameters: [id],
  requestBody: json({ type: "object", properties: Object.fromEntries(keys.map((key) => [key, text])) }),
});

test("a field is immutable unless a request at or below the item may change it", () => {
  const file = {
    openapi: "3.0.3",
    info: { title: "Clusters", version: "1" },
    paths: {
      "/clusters": {
        post: {
          requestBody: json({ type: "object", required: ["region"], properties }),
          responses: { 201: answer },
        },
      },
      "/clusters/{id}": {
        get: { parameters: [id], responses: { 200: answer } },
        patch: { ...sends("name", "search_query"), responses: { 200: answer } },
      },
      "/clusters/{id}/upgrade": { post: { ...sends("version"), responses: { 202: { description: "" } } } },
      "/clusters/{id}/node_pools": { post: { ...sends("size"), responses: { 202: { description: "" } } } },
    },
    components: { schemas: { Cluster: { ...cluster, properties: { id: text, ...properties } } } },
  };
  const made = importFile("openapi", {
    name: "clusters.json",
    text: JSON.stringify(file),
    readRelative: () => undefined,
    only: [],
  });
  const { proposals } = workListOf("made.md", made.text);
  const found = proposals.filter(({ kind }) => kind === "immutable").map(({ subject }) => subject);
  assert.deepEqual(found, ["Cluster.region"]);
});
