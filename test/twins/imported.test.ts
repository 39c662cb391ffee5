/**
 * Twilio's own library with a document that was imported from Twilio's description, with the
 * proposals of the work list and a few answers: the queues and calls of an account.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import twilio from "twilio";
import { eventually } from "../eventually.ts";
import { type Edit, importedDocument, skipWithout } from "./imported-document.ts";
import { receive } from "./receive.ts";
import { serveText, type Twin } from "./serve-twin.ts";

const account = "AC00000000000000000000000000000001";
const beneath = "/2010-04-01/Accounts/{AccountSid}";
const only = ["Queues.json", "Queues/{Sid}.json", "Calls.json", "Calls/{Sid}.json"];

/** The answers, by their questions and in order. */
const answers: readonly (readonly [question: string, answer: string])[] = [
  ["Queue.current_size", "on create `0`"],
  ["Queue.date_created", "on create `httpDate(now)`"],
  ["Queue.date_updated", "on create `httpDate(now)`, on update `httpDate(now)`"],
  ["fields", "nullable"],
];

/**
 * The parts that were written by hand, by section: a state of calls, how a call ends, and its
 * callback.
 */
const edits: readonly Edit[] = [
  [
    "## States and transitions",
    "- States: not shown\n- Transitions: not shown",
    `### Call

- State field: status
- Initial state: queued

| Transition | From   | To        | Trigger | Effect                     |
| ---------- | ------ | --------- | ------- | -------------------------- |
| end        | queued | completed | call    | \`end_time = httpDate(now)\` |`,
  ],
  [
    "### Call",
    /^\| status \|[^|]+\|[^|]+\|/m,
    "| status_callback | uri | nullable, write-only | |\n| status | state | |",
  ],
  [
    `### POST ${beneath}/Calls.json`,
    /^\| StatusCallback \|.*$/m,
    "| StatusCallback | body | | | status_callback |",
  ],
  [
    `### POST ${beneath}/Calls/{Sid}.json`,
    "- Does: not shown",
    '- Does: end Call when `body.Status == "completed"`\n- Where: `this.account_sid == path.AccountSid`',
  ],
  [`### POST ${beneath}/Calls/{Sid}.json`, /^(\| Status +\|.*\|) not shown \|$/m, "$1 |"],
  [`### POST ${beneath}/Calls/{Sid}.json`, /^\| AccountSid .*\n\| Sid .*\n/m, ""],
  [
    "## Events",
    "- Events: not shown\n- Webhooks: not shown\n- Notifications: not shown",
    `- Webhooks: to Call.status_callback
- Media type: application/x-www-form-urlencoded
- Notifications: none

| Event     | When                   | Payload |
| --------- | ---------------------- | ------- |
| completed | Call becomes completed | Status  |

### Shape: Status of Call

\`\`\`cel
{"AccountSid": this.account_sid, "CallSid": this.sid, "CallStatus": this.status}
\`\`\`
`,
  ],
];

const document = {
  file: "twilio-api-v2010.yaml",
  only: only.map((path) => `${beneath}/${path}`),
  answers,
  edits,
};

describe("Twilio's own library works with an imported document:", { skip: skipWithout(document) }, () => {
  let twin: Twin;
  let client: ReturnType<typeof twilio>;

  /** The client is unchanged except for the host that it calls. */
  class Local extends twilio.RequestClient {
    override request: twilio.RequestClient["request"] = (options) =>
      twilio.RequestClient.prototype.request.call(this, {
        ...options,
        uri: options.uri.replace("https://api.twilio.com", twin.origin),
      }) as never;
  }

  before(async () => {
    twin = await serveText("imported", import.meta.filename, importedDocument(document), []);
    client = twilio(account, "secret", { httpClient: new Local() });
  });
  after(() => twin.close());

  test("a queue is created, read, listed by pages, changed and deleted", async () => {
    const made = await client.queues.create({ friendlyName: "Support", maxSize: 20 });
    assert.match(made.sid, /^QU[0-9a-f]{32}$/);
    assert.equal(made.accountSid, account);
    assert.ok(made.dateCreated instanceof Date);
    assert.equal((await client.queues(made.sid).fetch()).friendlyName, "Support");
    for (const friendlyName of ["Sales", "Returns"]) await client.queues.create({ friendlyName });
    const all = await client.queues.list({ pageSize: 2 });
    assert.deepEqual(
      all.map(({ friendlyName }) => friendlyName),
      ["Support", "Sales", "Returns"],
    );
    assert.equal((await client.queues(made.sid).update({ maxSize: 30 })).maxSize, 30);
    assert.equal(await client.queues(made.sid).remove(), true);
    await assert.rejects(client.queues(made.sid).fetch(), { status: 404 });
  });

  test("a call is created and ended, and its callback is called", async () => {
    const receiver = await receive();
    try {
      const call = await client.calls.create({
        to: "+15558675310",
        from: "+15005550006",
        statusCallback: receiver.url,
      });
      assert.equal(call.status, "queued");
      const ended = await client.calls(call.sid).update({ status: "completed" });
      assert.equal(ended.status, "completed");
      assert.ok(ended.endTime instanceof Date);
      await twin.pass(0);
      await eventually(() => assert.equal(receiver.received.length, 1));
      const form = new URLSearchParams(receiver.received[0]?.body);
      assert.equal(form.get("CallSid"), call.sid);
      assert.equal(form.get("CallStatus"), "completed");
    } finally {
      await receiver.close();
    }
  });
});
