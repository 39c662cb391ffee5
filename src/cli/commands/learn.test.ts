/** `ninefold learn`: command tests. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { runCommand } from "../testing/run-command.ts";

let folder = "";
let file = "";
let har = "";
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ninefold-learn-"));
  [file, har] = [join(folder, "api.md"), join(folder, "traffic.har")];
  const description = join(folder, "api.json");
  const pet = {
    type: "object",
    properties: {
      id: { type: "string", readOnly: true },
      name: { type: "string" },
      created_at: { type: "string", format: "date-time", readOnly: true },
    },
  };
  const json = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
  const petContent = json({ $ref: "#/components/schemas/Pet" });
  writeFileSync(
    description,
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Pets", version: "1" },
      components: { schemas: { Pet: pet } },
      paths: {
        "/pets": {
          get: { responses: { 200: json({ type: "array", items: { $ref: "#/components/schemas/Pet" } }) } },
          post: {
            requestBody: {
              content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
            },
            responses: { 201: petContent },
          },
        },
        "/pets/{id}": {
          get: {
            parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
            responses: { 200: petContent },
          },
        },
      },
    }),
  );
  await runCommand("import", "openapi", description, "--accept", "list", "--out", file);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const secret = "sk_live_9f8Kd03mXq71";

/** Records the creation of pets, one a minute, and one list of them. */
function record(count: number, more: object = {}): void {
  const pets = Array.from({ length: count }, (_, index) => ({
    id: `pet_${String.fromCharCode(97 + ((index * 11) % 26), 65 + ((index * 7) % 26))}${(index * 7919) % 10}a${(index * 31) % 10}Bz${index % 10}`,
    name: `N${(index * 5) % 7}`,
    created_at: new Date(Date.parse("2026-01-01T10:00:00Z") + index * 60_000).toISOString(),
    ...more,
  }));
  const entry = (method: string, status: number, at: string, body: unknown, sent?: unknown) => ({
    startedDateTime: at,
    time: 5,
    request: {
      method,
      url: "https://api.example.com/pets",
      headers: [{ name: "Authorization", value: `Bearer ${secret}` }],
      ...(sent ? { postData: { mimeType: "application/json", text: JSON.stringify(sent) } } : {}),
    },
    response: { status, headers: [], content: { mimeType: "application/json", text: JSON.stringify(body) } },
  });
  const entries = [
    ...pets.map((pet) => entry("POST", 201, pet.created_at, pet, { name: pet.name })),
    entry("GET", 200, "2026-01-02T10:00:00Z", pets.toReversed()),
  ];
  writeFileSync(har, JSON.stringify({ log: { version: "1.2", entries } }));
}

test("a recording answers open questions, each with the requests that show it", async () => {
  record(20);
  const before = readFileSync(file, "utf8");
  const { out, code, complaints } = await runCommand("learn", file, "--har", har);
  assert.equal(code, 0, complaints);
  assert.match(
    out,
    /--accept seen-identifiers\n {6}.*Pet: {2}- Identifier: id, made by `"pet_" \+ random\(8\)`/,
  );
  assert.match(out, /20 requests, such as entries 1, 2 and 3, refuted: other lengths and prefixes/);
  assert.match(out, /--accept seen-order\n {6}.*GET \/pets: {2}- Order: created_at descending/);
  // No change of a record was recorded, so it isn't known whether the time stays the same.
  assert.match(out, /possible +--accept maybe-times/);
  assert.equal(readFileSync(file, "utf8"), before);
});

test("accepted answers are written without credentials", async () => {
  record(20);
  const done = await runCommand("learn", file, "--har", har, "--accept", "likely");
  assert.equal(done.code, 0, done.complaints);
  assert.match(done.complaints, /^Answered: seen-identifiers \(1\), seen-order \(1\)\.$/m);
  const text = readFileSync(file, "utf8");
  assert.match(text, /- Order: created_at descending\n/);
  assert.doesNotMatch(text, new RegExp(secret));
  assert.equal((await runCommand("check", file)).code, 0);
  const { out } = await runCommand("learn", file, "--har", har, "--json");
  assert.deepEqual(
    JSON.parse(out).questions.map(({ id }: { id: string }) => id),
    ["maybe-times"],
  );
});

test("the places of secrets are listed, and a secret is no default", async () => {
  const text = readFileSync(file, "utf8");
  const plan = "| api_token | string | default not shown |\n| plan | string | default not shown |\n";
  writeFileSync(file, text.replace(/(### Pet\n[\s\S]*?\| name .*\n)/, `$1${plan}`));
  record(6, { api_token: "tok-47", plan: "free" });
  const { out, complaints } = await runCommand("learn", file, "--har", har);
  assert.match(out, /maybe-defaults\n.*Pet\.plan/);
  assert.doesNotMatch(out, /tok-47/);
  assert.match(complaints, /^2 secrets compared, and never written:$/m);
  assert.match(complaints, /^ {2}header authorization +requests 1, 2, 3, 4, 5 and 2 more$/m);
  assert.match(complaints, /^ {2}response body api_token +requests 1, 2, 3, 4, 5 and 2 more$/m);
  assert.doesNotMatch(complaints, new RegExp(`tok-47|${secret}`));
});

test("few requests prove nothing", async () => {
  record(2);
  const { out } = await runCommand("learn", file, "--har", har);
  assert.match(out, /^The 3 requests answer no open question of /);
  const refused = await runCommand("learn", file, "--har", har, "--accept", "seen-order:GET /cats");
  assert.equal(refused.code, 0, refused.complaints);
  writeFileSync(har, "{}");
  const wrong = await runCommand("learn", file, "--har", har);
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.complaints,
    /traffic\.har: this is not a HAR recording: a list `log\.entries` is missing/,
  );
});
