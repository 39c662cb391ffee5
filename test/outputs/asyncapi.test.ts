/** `export asyncapi` of every example and twin, validated by AsyncAPI's own parser. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Parser } from "@asyncapi/parser";
import { parse } from "yaml";
import { compile } from "../../src/compile.ts";
import type { Model } from "../../src/model/model.ts";
import { asyncApiOutput } from "../../src/outputs/asyncapi/asyncapi.ts";
import { filesUnder, pathOf } from "../repository/repository.ts";

const documents = filesUnder("examples", ".md").filter((path) => !path.endsWith(".seed.md"));

function modelOf(text: string, file = "x.md"): Model {
  const { model, diagnostics } = compile(text, { file });
  assert.deepEqual(
    diagnostics
      .filter((diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error")
      .map((diagnostic) => diagnostic.message),
    [],
  );
  return model as Model;
}

const exportOf = async (model: Model, format = "json") =>
  (await asyncApiOutput.generate(model, { format })).files[0]?.text as string;

/**
 * The parser's reports: errors and warnings, without its advice to fill in what the document
 * doesn't state.
 */
async function complaints(text: string): Promise<readonly string[]> {
  const { diagnostics } = await new Parser().parse(text);
  return diagnostics
    .filter((diagnostic) => diagnostic.severity <= 1 && !advice.has(String(diagnostic.code)))
    .map((diagnostic) => `${diagnostic.path.join(".")}: ${diagnostic.message}`);
}

/** Contact, licence, tags, identifier: no specification states them. */
const advice: ReadonlySet<string> = new Set([
  "asyncapi-id",
  "asyncapi3-tags",
  "asyncapi-defaultContentType",
  "asyncapi-info-contact",
  "asyncapi-info-contact-properties",
  "asyncapi-info-license",
  "asyncapi-info-license-url",
  "asyncapi-info-description",
  "asyncapi-latest-version",
]);

for (const path of documents) {
  test(`the AsyncAPI of ${path} is valid for its parser, and the same each time`, async () => {
    const model = modelOf(readFileSync(pathOf(path), "utf8"), path);
    const json = await exportOf(model);
    assert.deepEqual(await complaints(json), []);
    assert.deepEqual(parse(await exportOf(model, "yaml")), JSON.parse(json));
    assert.equal(await exportOf(model), json);
  });
}

test("the parser reports a message by an unknown name", async () => {
  const json = await exportOf(modelOf(readFileSync(pathOf("examples/parcel-desk.md"), "utf8")));
  const broken = json.replace(
    '"$ref": "#/channels/webhooks/messages/parcel.registered"',
    '"$ref": "#/nowhere"',
  );
  assert.notEqual(broken, json);
  assert.notDeepEqual(await complaints(broken), []);
});

test("webhooks have their payload and the headers of their signature", async () => {
  const file = JSON.parse(await exportOf(modelOf(readFileSync(pathOf("examples/parcel-desk.md"), "utf8"))));
  const { channels, operations, components } = file;
  assert.equal(operations.webhooks.action, "send");
  assert.deepEqual(Object.keys(channels.webhooks.messages), [
    "parcel.registered",
    "parcel.collected",
    "parcel.delivered",
    "parcel.returned",
  ]);
  assert.equal(channels.webhooks.address, undefined);
  assert.equal(channels.webhooks["x-ninefold-signature"], "standard-webhooks");
  const { required } = components.messageTraits.webhook.headers;
  assert.deepEqual(required, ["webhook-id", "webhook-timestamp", "webhook-signature"]);
});

test("streams have their address and their allowed callers", async () => {
  const seats = JSON.parse(await exportOf(modelOf(readFileSync(pathOf("examples/seat-booking.md"), "utf8"))));
  const [open] = Object.values<Stream>(seats.channels).filter((stream) => stream.address !== undefined) as [
    Stream,
  ];
  assert.match(open.address as string, /\{show\}/);
  assert.deepEqual(Object.keys(open.parameters ?? {}), ["show"]);
  assert.deepEqual(Object.keys(open.messages), ["place.changed"]);
  const desk = JSON.parse(await exportOf(modelOf(readFileSync(pathOf("examples/parcel-desk.md"), "utf8"))));
  const [name] = Object.entries<Stream>(desk.channels).find(([, stream]) => stream.address !== undefined) as [
    string,
    Stream,
  ];
  assert.deepEqual(desk.operations[name].security, [{ $ref: "#/components/securitySchemes/secretKey" }]);
});

interface Stream {
  readonly address?: string;
  readonly parameters?: object;
  readonly messages: object;
}

test("a document of gaps gives a valid, empty file that lists them", async () => {
  const file = JSON.parse(
    await exportOf(modelOf(readFileSync(pathOf("examples/unidentified-service.md"), "utf8"))),
  );
  assert.deepEqual([file.channels, file.operations, file.components.schemas], [{}, {}, {}]);
  assert.ok(file["x-ninefold-gaps"].length > 0);
});
