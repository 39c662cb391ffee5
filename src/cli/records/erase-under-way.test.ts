/**
 * Erasure during a delivery: a person is erased while a webhook about them is being sent. The
 * receiver's response, which repeats the whole payload, is not stored anywhere.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { emptyDocument } from "../empty-document.ts";
import { runVerb } from "../testing/run-verb.ts";
import { served } from "../testing/served-command.ts";
import { openRecordsClient } from "./records-client.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("erase-under-way");

const people = join(folder, "people.md");
writeFileSync(
  people,
  emptyDocument("People")
    .replace(
      /- Resources: not shown\n- Identifiers: not shown\n- Fields: not shown/,
      () => `### Hook

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| url | uri | required |

### Person

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |

### Delivery

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| answer | string | on update \`delivery.answer\` |`,
    )
    .replace(
      /(## Events\n\n)[\s\S]*?(?=## Errors)/,
      () => `## Events

| Event | When | Payload |
|---|---|---|
| person.created | Person created | PersonEvent |

- Webhooks: to Hook.url
- Signature: none
- Retries: 1 second
- Time-out: 20 seconds
- Deliveries: kept 3 days
- Notifications: none

### Shape: PersonEvent of Person

\`\`\`cel
{"name": this.name}
\`\`\`

`,
    ),
);

const name = "Wilhelmina Zephyrstone";
const quiet = { write() {}, printError() {}, isTerminal: false, colour: false, environment: {} };

test("a response after the erasure is stored nowhere", { timeout: 300_000 }, async () => {
  const received = Promise.withResolvers<ServerResponse>();
  const receiver = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      assert.match(text, /Zephyrstone/);
      received.resolve(response);
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  after(() => receiver.close());
  const { port } = receiver.address() as AddressInfo;
  const service = served([people, "--port", "0", "--allow-private-webhooks"]);
  await service.until(/ at (http:\S+)/);
  const client = await openRecordsClient(people, join(folder, "people.ninefold.db"), quiet);
  await runVerb(client, "add", ["Hook", `url = "http://127.0.0.1:${port}/"`]);
  await runVerb(client, "add", ["Person", `name = "${name}"`]);
  const response = await received.promise;
  assert.ok(filesWith("Zephyrstone").length > 0);
  const { out } = await runVerb(client, "erase", ["Person", "1"], { apply: true, json: true });
  assert.deepEqual(JSON.parse(out).deliveries, 1);
  assert.deepEqual(filesWith("Zephyrstone"), []);
  response.end(`thank you for reporting ${name}`);
  // The next event was logged after it.
  const next = Promise.withResolvers<void>();
  receiver.removeAllListeners("request");
  receiver.on("request", (request, answered) => {
    request.resume();
    answered.end();
    next.resolve();
  });
  await runVerb(client, "add", ["Person", 'name = "Grace"']);
  await next.promise;
  await client.close();
  service.child.kill("SIGTERM");
  await service.ended;
  assert.deepEqual(filesWith("Zephyrstone"), []);
  assert.deepEqual(filesWith("Grace").length, 1);
});

/** The store's files that contain a text. */
function filesWith(text: string): readonly string[] {
  return readdirSync(folder).filter(
    (file) => /\.db/.test(file) && readFileSync(join(folder, file)).includes(text),
  );
}
