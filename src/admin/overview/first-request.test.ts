/** First request: choice of the endpoint and of the credential. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import type { Model } from "../../model/model.ts";
import { readGivenItems } from "../../model/reading/read-given.ts";
import { emptyDocument } from "../../cli/empty-document.ts";
import { firstRequest } from "./first-request.ts";

const root = new URL("../../../", import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), "utf8");
const origin = "http://127.0.0.1:4545";

function modelOf(text: string): Model {
  const { model, diagnostics } = compile(text, { file: "notes.md" });
  assert.deepEqual(
    diagnostics
      .filter((diagnostic) => diagnostic.severity === "error")
      .map((diagnostic) => diagnostic.message),
    [],
  );
  return model as Model;
}

const given = (model: Model, text: string) => readGivenItems(model, "seed.md", text).steps;

/** A document of notes with these endpoints and this part 5. */
function notes(endpoints: string, authentication = "- Scheme: none"): Model {
  return modelOf(`# Interface Specification: Notes

## What the service does

## Resources and their fields

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |

### Key

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| code | string | unique |
| pin | password | |

## States and transitions

## Endpoints

${endpoints}

## Authentication

${authentication}

## Events

## Errors

## Limits

## Versioning
`);
}

const line = (model: Model, seed = "", showsCredentials = true) =>
  firstRequest({ model, given: given(model, seed), origin, showsCredentials });

const keys = (placement: string, by = "code") =>
  `### Scheme: key\n\n- Credentials: Key by ${by}\n- Placement: ${placement}`;
const list = "### GET /notes\n\n- Does: list Note\n- Returns: 200 list of Note";

test("the terminal prints the README's command, with the seed's credential", () => {
  const model = modelOf(textOf("examples/parcel-desk.md"));
  const seed = given(model, textOf("examples/parcel-desk.seed.md"));
  const shown = firstRequest({ model, given: seed, origin, showsCredentials: true });
  assert.ok(textOf("README.md").includes(`  ${shown}\n`), shown);
  const elsewhere = firstRequest({ model, given: seed, origin, showsCredentials: false });
  assert.equal(elsewhere, shown?.replace("sk_ada_4f1c09", "<ApiKey.key>"));
});

test("a list is preferred to a record or an answer; changes and held responses are never chosen", () => {
  const answer = "### GET /ping\n\n- Does: answer\n- Returns: 200 `{}`";
  assert.equal(line(notes(`${answer}\n\n${list}`)), `curl -s ${origin}/notes`);
  assert.equal(line(notes(answer)), `curl -s ${origin}/ping`);
  const changing = `### GET /count\n\n- Does: answer\n- Effect: \`create Note\`\n- Returns: 200 \`{}\``;
  const waiting = `### GET /held\n\n- Does: answer\n- Waits: until \`Note.count() > 9\`, at most \`duration("20s")\`\n- Returns: 200 \`{}\``;
  assert.equal(line(notes(`${changing}\n\n${waiting}`)), undefined);
  assert.equal(line(notes(`${changing}\n\n${waiting}\n\n${answer}`)), `curl -s ${origin}/ping`);
});

test("a credential is sent where the document places it", () => {
  const seed = '- Given: `Key with code = "a\'b", pin = "1"`';
  const shown = (placement: string, by?: string) => line(notes(list, keys(placement, by)), seed);
  assert.equal(shown("header X-Key"), `curl -s -H 'X-Key: a'\\''b' ${origin}/notes`);
  assert.equal(shown("cookie session"), `curl -s -H 'Cookie: session=a'\\''b' ${origin}/notes`);
  assert.equal(shown("query key"), `curl -s '${origin}/notes?key=a'\\''b'`);
  assert.equal(shown("basic user and password", "code and pin"), `curl -s -u 'a'\\''b:1' ${origin}/notes`);
});

test("an unstated value is named and never invented", () => {
  assert.equal(line(notes(list, keys("header X-Key"))), `curl -s -H 'X-Key: <Key.code>' ${origin}/notes`);
  const drawn = "- Given: `Key with code = random(8)`";
  assert.equal(
    line(notes(list, keys("header X-Key")), drawn),
    `curl -s -H 'X-Key: <Key.code>' ${origin}/notes`,
  );
  const open = `${list}\n\n### GET /open\n\n- Does: answer\n- Allowed: anyone\n- Returns: 200 \`{}\``;
  assert.equal(line(notes(open, keys("header X-Key"))), `curl -s ${origin}/open`);
});

test("an initial record may contain the credential", () => {
  const model = notes(list, keys("header X-Key"));
  const withRecord = {
    ...model,
    resources: model.resources.map((resource) =>
      resource.name === "Key"
        ? { ...resource, records: [{ fields: { code: "k1" }, position: resource.fields[0]?.position }] }
        : resource,
    ),
  } as Model;
  assert.equal(line(withRecord), `curl -s -H 'X-Key: k1' ${origin}/notes`);
});

test("a document of gaps gets a generic request", () => {
  assert.equal(line(modelOf(emptyDocument("Unnamed Service"))), `curl -s ${origin}/`);
});
