/** `ninefold import`: command tests. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { compile } from "../../compile.ts";
import { openService } from "../../index.ts";
import { createRequest } from "../../engine/http/message.ts";
import { runCommand } from "../testing/run-command.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ninefold-import-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const description = `openapi: 3.0.3
info: {title: Pets, version: "1"}
paths:
  /pets:
    get:
      responses:
        "200": {description: all, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}}
    post:
      requestBody:
        content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
      responses:
        "201": {description: made, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
  /pets/{petId}:
    get:
      parameters: [{name: petId, in: path, required: true, schema: {type: string}}]
      responses:
        "200": {description: one, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
        "404": {description: Pet not found}
  /owners:
    get:
      responses:
        "200": {description: all, content: {application/json: {schema: {$ref: "parts.yaml#/Owner"}}}}
components:
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: string, readOnly: true}
        name: {type: string, minLength: 1, maxLength: 40}
`;

test("a description becomes a document in canonical form, and an existing file is never overwritten", async () => {
  const [file, out] = [join(folder, "api.yaml"), join(folder, "api.md")];
  writeFileSync(file, description);
  writeFileSync(
    join(folder, "parts.yaml"),
    'Owner: {type: object, properties: {email: {type: string, format: email}, "+1": {type: integer}}}',
  );
  const made = await runCommand("import", "openapi", file, "--out", out);
  assert.equal(made.code, 0, made.complaints);
  assert.match(made.complaints, /operations +2 +2 +0/);
  const text = readFileSync(out, "utf8");
  assert.match(text, /- Does: create Pet\n/);
  assert.match(text, /\| name +\| string \| required, length 1\.\.40 \|/);
  assert.match(text, /\| email +\| email +\|/);
  assert.match(text, /\| plus_1 \| integer \| sent as "\+1" \|/);
  assert.equal((await runCommand("format", out, "--check")).code, 0);
  assert.equal((await runCommand("check", out)).code, 0);
  writeFileSync(out, "mine");
  const again = await runCommand("import", "openapi", file, "--out", out);
  assert.equal(again.code, 3);
  assert.equal(readFileSync(out, "utf8"), "mine");
});

test("an import lists the first open questions, and accepts proposals at once", async () => {
  const [file, out, later] = [join(folder, "api.yaml"), join(folder, "api.md"), join(folder, "later.md")];
  writeFileSync(
    file,
    description.replace("{type: string, readOnly: true}", "{type: string, format: uuid, readOnly: true}"),
  );
  const made = await runCommand("import", "openapi", file, "--accept", "identifiers,list", "--out", out);
  assert.equal(made.code, 0, made.complaints);
  assert.match(
    made.complaints,
    /api\.md is written\.\nRequests with a field .*\nAnswered: identifiers \(1\), list \(1\)\.\n\n 1 {2}/,
  );
  assert.match(made.complaints, /… and \d+ more: ninefold next .*api\.md --all lists all\n$/);
  assert.match(readFileSync(out, "utf8"), /- Identifier: id, made by `uuid\(\)`\n/);
  // The same answers, in two steps.
  const plain = await runCommand("import", "openapi", file, "--out", later);
  assert.match(plain.complaints, /ninefold next .*later\.md --accept identifiers$/m);
  await runCommand("next", later, "--accept", "identifiers,list");
  assert.equal(readFileSync(later, "utf8"), readFileSync(out, "utf8"));
  const { out: printed } = await runCommand("import", "openapi", file, "--accept", "likely");
  assert.match(printed, /made by `uuid\(\)`/);
});

test("an import says that unknown fields are rejected, unless the description states it", async () => {
  const advice = /Requests with a field that the document doesn't have are rejected: a default of the engine/;
  const file = join(folder, "api.yaml");
  writeFileSync(file, description);
  const silent = await runCommand("import", "openapi", file, "-o", join(folder, "silent.md"));
  assert.match(silent.complaints, advice);
  const lenient = readFileSync(join(folder, "silent.md"), "utf8").replace(
    "## Endpoints\n",
    "## Endpoints\n\n- Unknown fields: ignored\n",
  );
  writeFileSync(join(folder, "lenient.md"), lenient);
  const exported = join(folder, "lenient.json");
  const { code } = await runCommand("export", "openapi", join(folder, "lenient.md"), "--out", exported);
  assert.equal(code, 0);
  const stated = await runCommand("import", "openapi", exported, "-o", join(folder, "stated.md"));
  assert.match(readFileSync(join(folder, "stated.md"), "utf8"), /^- Unknown fields: ignored/m);
  assert.doesNotMatch(stated.complaints, advice);
});

test("a repeated import updates unchanged lines, and keeps the answers", async () => {
  const [file, out] = [join(folder, "api.yaml"), join(folder, "api.md")];
  writeFileSync(file, description);
  await runCommand("import", "openapi", file, "--accept", "list", "--out", out);
  await runCommand("next", out, "--set", "identifiers", "random(12)");
  const answered = readFileSync(out, "utf8");
  const kept = readFileSync(`${out}.imported`, "utf8");
  assert.match(kept, /^<!-- ninefold import openapi {2}-->\n# Interface Specification: Pets\n/);
  // The same description changes nothing.
  const same = await runCommand("import", "openapi", file, "--into", out);
  assert.equal(same.code, 0, same.complaints);
  assert.equal(readFileSync(out, "utf8"), answered);
  const later = description
    .replace("maxLength: 40}", "maxLength: 80}\n        chip: {type: string}")
    .replace(
      "  /pets:\n    get:\n",
      "  /pets:\n    get:\n      parameters: [{name: chip, in: query, schema: {type: string}}]\n",
    )
    .replace(/ {2}\/owners:\n(?: {4}.*\n)+/, "")
    .replace("components:", '  /shops:\n    get: {responses: {"204": {description: none}}}\ncomponents:');
  writeFileSync(file, later);
  const again = await runCommand("import", "openapi", file, "--into", out);
  assert.equal(again.code, 0, again.complaints);
  assert.match(again.complaints, /api\.md is written: \d sections updated, 1 added, 1 removed\.\n$/);
  const text = readFileSync(out, "utf8");
  assert.match(text, /- Identifier: id, made by `random\(12\)`/);
  assert.match(text, /\| name +\| string \| required, length 1\.\.80 \|/);
  assert.match(text, /- Does: list Pet\n[^#]*\| chip +\| query \| string \| +\| not shown \|/);
  assert.match(text, /### GET \/shops\n/);
  assert.doesNotMatch(text, /owners/);
  assert.equal((await runCommand("check", out)).code, 0);
});

test("a new description becomes a new version, and elements of the older one stay for its callers", async () => {
  const [file, out] = [join(folder, "api.yaml"), join(folder, "api.md")];
  const old = description
    .replace(
      "maxLength: 40}",
      'maxLength: 40}\n        tag: {type: string}\n        kind: {type: string, default: "dog"}',
    )
    .replace('"parts.yaml#/Owner"', '"#/components/schemas/Owner"')
    .concat("    Owner: {type: object, properties: {email: {type: string, format: email}}}\n");
  writeFileSync(file, old);
  await runCommand("import", "openapi", file, "--accept", "list", "--out", out);
  await runCommand("next", out, "--set", "identifiers", "random(12)");
  const into = (...args: string[]) => runCommand("import", "openapi", file, "--into", out, ...args);
  writeFileSync(
    file,
    old
      .replace('version: "1"', 'version: "2"')
      .replace("tag: {type: string}", "chip: {type: string}")
      .replace('"dog"', '"cat"')
      .replace("maxLength: 40", "maxLength: 20")
      .replace(/ {2}\/owners:\n(?: {4}.*\n)+/, "")
      .replace(/ {4}Owner: .*\n/, "")
      .replace("components:", '  /shops:\n    get: {responses: {"204": {description: none}}}\ncomponents:'),
  );
  const same = await into("--as-version", "1");
  assert.deepEqual([same.code, /api\.md has that version already/.test(same.complaints)], [1, true]);
  const made = await into("--as-version", "2");
  assert.equal(made.code, 0, made.complaints);
  assert.match(made.complaints, /Version 2 is current, 1 is supported\. 5 changes are stated in part 9\.\n/);
  assert.match(
    made.complaints,
    /which part 9 has as `not shown`:\n(?: {2}.*\n)* {2}`POST \/pets body\.name`/,
  );
  const text = readFileSync(out, "utf8");
  assert.match(text, /\n## Versioning\n[\s\S]*\| 2 +\| current +\|\n\| 1 +\| supported +\|\n/);
  assert.ok(
    text.endsWith(`### Changes in 2

- Added: Pet.chip
- Removed: Pet.tag, was not shown
- Default: Pet.kind, was \`"dog"\`
- Endpoint added: GET /shops
- Endpoint removed: GET /owners
- Replaced: not shown
`),
    text.slice(-400),
  );
  assert.match(text, /### Owner\n[\s\S]*### GET \/owners\n/);
  assert.equal((await runCommand("check", out)).code, 0);
  // The same description again changes nothing, and a third version is added before the others.
  const answered = readFileSync(out, "utf8");
  assert.equal((await into()).code, 0);
  assert.equal(readFileSync(out, "utf8"), answered);
  assert.equal((await into("--as-version", "3")).code, 0);
  assert.match(
    readFileSync(out, "utf8"),
    /\| 3 +\| current +\|\n\| 2 +\| supported +\|\n\| 1 +\| supported +\|\n/,
  );
});

test("an older version's endpoint that needs what the new description lacks is a gap of part 9", async () => {
  const [file, out] = [join(folder, "api.yaml"), join(folder, "api.md")];
  writeFileSync(file, description.replace(/ {2}\/owners:\n(?: {4}.*\n)+/, ""));
  await runCommand("import", "openapi", file, "--accept", "list", "--out", out);
  const later = description
    .replace(/ {2}\/owners:\n(?: {4}.*\n)+/, "")
    .replace(/ {4}post:\n(?: {6}.*\n)+/, "")
    .replace('version: "1"', 'version: "2"')
    .replace("required: [id, name]", "required: [id]")
    .replace(/ {8}name: .*\n/, "");
  writeFileSync(file, later);
  const made = await runCommand("import", "openapi", file, "--into", out, "--as-version", "2");
  assert.equal(made.code, 0, made.complaints);
  const text = readFileSync(out, "utf8");
  assert.doesNotMatch(text, /### POST \/pets/);
  assert.match(text, /- Removed: Pet\.name, was not shown\n- Endpoint removed: POST \/pets\n/);
  const { out: checked } = await runCommand("check", out);
  assert.match(checked, /the endpoint POST \/pets of versions before 2/);
});

test("a document without a named version gets no further version", async () => {
  const [file, out] = [join(folder, "api.yaml"), join(folder, "api.md")];
  writeFileSync(file, description.replace('version: "1"', 'version: "first edition"'));
  await runCommand("import", "openapi", file, "--out", out);
  const made = await runCommand("import", "openapi", file, "--into", out, "--as-version", "2");
  assert.equal(made.code, 1);
  assert.match(
    made.complaints,
    /doesn't name the version that it describes\. Add a table of versions to part 9/,
  );
  const alone = await runCommand("import", "openapi", file, "--as-version", "2");
  assert.match(alone.complaints, /--as-version requires --into\./);
});

test("a conflict is listed, and written only once it is decided", async () => {
  const [file, out] = [join(folder, "api.yaml"), join(folder, "api.md")];
  writeFileSync(file, description);
  await runCommand("import", "openapi", file, "--out", out);
  const mine = readFileSync(out, "utf8").replace("length 1..40", "length 2..40");
  writeFileSync(out, mine);
  writeFileSync(file, description.replace("maxLength: 40", "maxLength: 80"));
  const listed = await runCommand("import", "openapi", file, "--into", out);
  assert.equal(listed.code, 1);
  assert.match(
    listed.complaints,
    /^Resources and their fields \/ Pet\n {2}yours: \| name .*2\.\.40.*\n {2}new: \| name .*1\.\.80/,
  );
  assert.match(listed.complaints, /1 conflict in .*api\.md\. Nothing is written\./);
  assert.equal(readFileSync(out, "utf8"), mine);
  const keep = await runCommand("import", "openapi", file, "--into", out, "--conflicts", "keep");
  assert.equal(keep.code, 0, keep.complaints);
  assert.match(readFileSync(out, "utf8"), /length 2\.\.40/);
  // A conflict that was decided once doesn't come up again.
  assert.equal((await runCommand("import", "openapi", file, "--into", out)).code, 0);
  writeFileSync(file, description.replace("maxLength: 40", "maxLength: 90"));
  await runCommand("import", "openapi", file, "--into", out, "--conflicts", "take");
  assert.match(readFileSync(out, "utf8"), /length 1\.\.90/);
});

test("--into rejects a document without its .imported file", async () => {
  const [file, out] = [join(folder, "api.yaml"), join(folder, "api.md")];
  writeFileSync(file, description);
  writeFileSync(out, "# Interface Specification: Pets\n");
  const { code, complaints } = await runCommand("import", "openapi", file, "--into", out);
  assert.equal(code, 3);
  assert.match(complaints, /api\.md\.imported: there is no such file, so the changes are unknown/);
});

test("--only imports some paths, and an unknown one lists the existing ones", async () => {
  const file = join(folder, "api.yaml");
  writeFileSync(file, description);
  const some = await runCommand("import", "openapi", file, "--only", "/pets/*");
  assert.match(some.out, /### GET \/pets\/\{petId\}/);
  assert.doesNotMatch(some.out, /### POST|### GET \/owners/);
  const both = await runCommand("import", "openapi", file, "--only", "/owners*,/pets/*");
  const twice = await runCommand("import", "openapi", file, "--only", "/owners*", "--only", "/pets/*");
  assert.equal(twice.out, both.out);
  const none = await runCommand("import", "openapi", file, "--only", "/dogs");
  assert.equal(none.code, 1);
  assert.match(none.complaints, /\/pets \(3\), \/owners \(1\)/);
});

test("an imported document can be served at once, and its gaps are answered with 501", async () => {
  const file = join(folder, "api.yaml");
  writeFileSync(file, description);
  const { out } = await runCommand("import", "openapi", file);
  const { model } = compile(out, { file: "api.md" });
  assert.ok(model);
  const service = await openService(model, { store: ":memory:" });
  try {
    const status = async (target: string) =>
      (await service.fetch(createRequest({ method: "GET", target }))).status;
    assert.equal(await status("/owners"), 501);
    assert.equal(await status("/pets"), 501);
    assert.equal(await status("/nothing"), 404);
  } finally {
    await service.close();
  }
});

test("a reference outside the folder is not followed, and an unreadable file writes nothing", async () => {
  const outside = mkdtempSync(join(tmpdir(), "ninefold-import-"));
  try {
    writeFileSync(join(outside, "parts.yaml"), "Owner: {type: object, properties: {secret: {type: string}}}");
    symlinkSync(join(outside, "parts.yaml"), join(folder, "parts.yaml"));
    const file = join(folder, "api.yaml");
    writeFileSync(file, description);
    const made = await runCommand("import", "openapi", file);
    assert.doesNotMatch(made.out, /secret/);
    assert.match(made.out, /<!-- openapi parts\.yaml#\/Owner: its target does not exist -->/);
    writeFileSync(file, "openapi: 3.0.0\npaths: [");
    const broken = await runCommand("import", "openapi", file, "--out", join(folder, "api.md"));
    assert.equal(broken.code, 1);
    assert.match(broken.complaints, /api\.yaml:\d+: .* Nothing is written\./);
    assert.ok(!existsSync(join(folder, "api.md")));
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
});

test("check and serve name the command for a file of another format", async () => {
  const files = {
    "collection.json": [
      "postman",
      { info: { name: "Pets", schema: "https://schema.getpostman.com/json/collection/v2.1.0/" }, item: [] },
    ],
    "recording.har": ["har", { log: { version: "1.2", entries: [] } }],
    "events.json": ["asyncapi", { asyncapi: "3.0.0", info: { title: "Pets", version: "1" } }],
  } as const;
  for (const [name, [format, content]] of Object.entries(files)) {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(content));
    for (const command of ["check", "serve", "next"]) {
      const { code, complaints } = await runCommand(command, file);
      assert.equal(code, 3, complaints);
      assert.ok(complaints.includes(`ninefold import ${format} ${file} --out api.md`), complaints);
    }
  }
  const file = join(folder, "events.yaml");
  writeFileSync(file, "asyncapi: 2.6.0\ninfo: {title: Pets}\n");
  assert.match((await runCommand("check", file)).complaints, /ninefold import asyncapi .*events\.yaml/);
});

test("check and serve name the command for an OpenAPI file", async () => {
  const file = join(folder, "api.yaml");
  writeFileSync(file, description);
  for (const command of ["check", "serve"]) {
    const { code, complaints } = await runCommand(command, file);
    assert.equal(code, 3);
    assert.match(complaints, /ninefold import openapi .*api\.yaml --out api\.md/);
  }
  writeFileSync(file, "swagger: '2.0'\ninfo: {title: Pets}\n");
  const older = await runCommand("check", file);
  assert.equal(older.code, 3);
  assert.match(older.complaints, /ninefold import openapi .*api\.yaml --out api\.md/);
});

test("the format is the first argument, and a file of another format is rejected with its format", async () => {
  const file = join(folder, "recording.har");
  const request = { method: "GET", url: "https://api.example.com/pets?token=abc", headers: [] };
  const content = { mimeType: "application/json", size: 2, text: "{}" };
  const entries = [{ request, response: { status: 200, content } }];
  writeFileSync(file, JSON.stringify({ log: { entries } }));
  const made = await runCommand("import", "har", file);
  assert.equal(made.code, 0, made.complaints);
  assert.match(made.out, /### GET \/pets\n/);
  assert.match(
    made.complaints,
    /1 secret replaced; none is in the document:\n {2}query token {2}request 1\n/,
  );
  const misnamed = await runCommand("import", "openapi", file);
  assert.equal(misnamed.code, 1);
  assert.match(misnamed.complaints, /this is a HAR recording\. Import it with `ninefold import har`/);
  const unknown = await runCommand("import", "raml", file);
  assert.equal(unknown.code, 2);
  assert.match(unknown.complaints, /Write one of openapi, postman, har, asyncapi/);
});

test("--origins writes the place of each element, and a repeated import keeps it", async () => {
  const [file, out] = [join(folder, "api.yaml"), join(folder, "api.md")];
  writeFileSync(file, description);
  assert.equal((await runCommand("import", "openapi", file, "--origins", "--out", out)).code, 0);
  const text = readFileSync(out, "utf8");
  assert.match(text, /### GET \/pets\n\n<!-- openapi #\/paths\/~1pets\/get -->/);
  assert.match(text, /<!-- openapi schema Pet -->/);
  assert.equal((await runCommand("import", "openapi", file, "--into", out)).code, 0);
  assert.equal(readFileSync(out, "utf8"), text);
});

test("--fetch follows references to the network, and relative ones in what it fetched", async () => {
  const files: Readonly<Record<string, string>> = {
    "/parts.yaml": "Owner: {$ref: 'more/owner.yaml'}",
    "/more/owner.yaml": "{type: object, properties: {email: {type: string, format: email}}}",
  };
  const server = createServer((request, response) => {
    const text = files[request.url ?? ""];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const url = `http://127.0.0.1:${address.port}`;
  try {
    const file = join(folder, "api.yaml");
    writeFileSync(file, description.replace("parts.yaml", `${url}/parts.yaml`));
    const kept = await runCommand("import", "openapi", file);
    assert.match(kept.out, /refers to the network, and an import reads only files/);
    const made = await runCommand("import", "openapi", file, "--fetch");
    assert.equal(made.code, 0, made.complaints);
    assert.match(made.out, /\| email +\| email +\|/);
    writeFileSync(file, description.replace("parts.yaml", `${url}/none.yaml`));
    const missing = await runCommand("import", "openapi", file, "--fetch");
    assert.equal(missing.code, 3);
    assert.match(missing.complaints, /none\.yaml can't be fetched: status 404/);
  } finally {
    server.close();
  }
});

test("without FORMAT, the format is recognized by the content of the file", async () => {
  const files: Readonly<Record<string, string>> = {
    "api.yaml": description,
    "old.json":
      '{"swagger": "2.0", "info": {"title": "Old"}, "paths": {"/a": {"get": {"responses": {"200": {}}}}}}',
    "collection.json":
      '{"info": {"name": "C", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}, "item": [{"name": "a", "request": {"method": "GET", "url": "https://a.test/a"}}]}',
    "traffic.har":
      '{"log": {"entries": [{"request": {"method": "GET", "url": "https://a.test/a", "headers": []}, "response": {"status": 200, "headers": [], "content": {}}}]}}',
    "events.yaml": "asyncapi: 2.6.0\ninfo: {title: E, version: '1'}\nchannels: {}\n",
  };
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    writeFileSync(file, text);
    const made = await runCommand("import", file);
    assert.equal(made.code, 0, `${name}: ${made.complaints}`);
    assert.match(made.out, /^# Interface Specification: /);
  }
  const missing = await runCommand("import", join(folder, "missing.json"));
  assert.match(missing.complaints, /missing\.json: there is no such file/);
  const unrecognized = join(folder, "other.json");
  writeFileSync(unrecognized, '{"a": 1}');
  const refused = await runCommand("import", unrecognized);
  assert.equal(refused.code, 3);
  assert.match(refused.complaints, /unknown format\. Write openapi, postman, har, asyncapi before/);
});

test("an operation with the same path as another becomes a comment that names the other", async () => {
  const file = join(folder, "files.yaml");
  const read = '{get: {responses: {"200": {description: ok}}}}';
  writeFileSync(
    file,
    `openapi: 3.0.0\ninfo: {title: F, version: "1"}\npaths:\n  /files/{id}: ${read}\n  /files/{name}: ${read}\n`,
  );
  const { out } = await runCommand("import", file);
  assert.match(out, /^### GET \/files\/\{id\}$/m);
  assert.match(out, /<!-- openapi .*: GET \/files\/\{name\}: the same path as GET \/files\/\{id\} -->/);
});

test("the import of a large description prints its progress", async () => {
  const file = join(folder, "large.yaml");
  writeFileSync(file, description.replace("/owners", "/keepers"));
  assert.doesNotMatch((await runCommand("import", "openapi", file)).complaints, /checking/);
  writeFileSync(file, `${description}# ${"padding ".repeat(150_000)}\n`);
  assert.match(
    (await runCommand("import", "openapi", file)).complaints,
    /^large\.yaml: writing and checking …$/m,
  );
});
