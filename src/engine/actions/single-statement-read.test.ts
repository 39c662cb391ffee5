/**
 * Single-statement reads: one statement reads the record if the document needs nothing else; all
 * other items still apply.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { compile } from "../../compile.ts";
import type { Model } from "../../model/model.ts";
import { createLocalTarget } from "../../scenarios/local-target.ts";
import {
  quiet,
  serveDocument,
  smallDocument,
  standing,
  bareErrors,
} from "../../../test/contracts/serve-document.ts";

interface Case {
  /** The whole text of the endpoints part. */
  readonly part?: string;
  readonly heading?: string;
  readonly does?: string;
  readonly items: string;
  /** The body is the received text if it isn't JSON. */
  readonly answer: readonly [status: number, body: unknown, header?: string];
  /** The path of the request, if it differs from that of the record. */
  readonly target?: string;
}

const whole = "- Returns: 200 `{'is': this.text}`";

const cases: Readonly<Record<string, Case>> = {
  "only a shape": { items: whole, answer: [200, { is: "one" }] },
  "a `Let` and a header": {
    items:
      "- Let: twice = `this.text + this.text`\n- Header: X-Text: `twice`\n- Returns: 200 `{'is': twice}`",
    answer: [200, { is: "oneone" }, "oneone"],
  },
  "a header": { items: `- Header: X-Text: \`this.text\`\n${whole}`, answer: [200, { is: "one" }, "one"] },
  "a `Let` and `Fails`": {
    items: `- Let: bad = \`this.text == "one"\`\n- Fails: refused when \`bad\`\n${whole}`,
    answer: [422, "refused"],
  },
  "`Fails` of the path": {
    heading: "- Fails: refused when `this.text == 'one'`",
    items: whole,
    answer: [422, "refused"],
  },
  "`Allowed` of the path": {
    heading: "- Allowed: `headers['x-ok'] == 'yes'`",
    items: whole,
    answer: [403, "forbidden"],
  },
  "`Allowed` of the path, about the record": {
    heading: "- Allowed: `note.text != 'one'`",
    items: whole,
    answer: [403, "forbidden"],
  },
  "a path with `Allowed: anyone`": {
    heading: "- Allowed: anyone",
    items: whole,
    answer: [200, { is: "one" }],
  },
  "`Allowed` of the endpoint": {
    items: `- Allowed: \`note.text != "one"\`\n${whole}`,
    answer: [403, "forbidden"],
  },
  "a required precondition": {
    items: `- Preconditions: If-Match required\n${whole}`,
    answer: [428, "precondition_required"],
  },
  "one of several responses": {
    items: "- Returns: 200 `{'is': 'short'}` when `this.text.size() < 9`\n- Returns: 200 Note",
    answer: [200, { is: "short" }],
  },
  "a record by its small name": { items: "- Returns: 200 `{'is': note.text}`", answer: [200, { is: "one" }] },
  "a text": { items: "- Returns: 200 `this.text`", answer: [200, "one"] },
  "a text of another media type": {
    part: "- Media type: text/plain",
    items: "- Returns: 200 `this.text`",
    answer: [200, "one"],
  },
  "an empty response": { items: "- Returns: 204 nothing", answer: [204, ""] },
  "an optional record": {
    does: "read Note, if any",
    items: whole,
    target: "/notes/2",
    answer: [200, { is: null }],
  },
};

const errors = bareErrors(`| refused | 422 | | |
| forbidden | 403 | forbidden | |
| precondition_required | 428 | precondition required | |`);

async function answerTo(t: TestContext, testCase: Omit<Case, "answer">) {
  const { part = "", heading, does = "read Note", items, target = "/notes/1" } = testCase;
  const make = `### POST /notes\n\n- Does: create Note\n- Body: text\n- Accepts: application/json\n- Returns: 201 nothing`;
  const path = `### /notes/{id}\n\n- Is: Note\n${heading ?? ""}`;
  const endpoints = [part, make, path, `### GET /notes/{id}\n\n- Does: ${does}\n${items}`].join("\n\n");
  const served = await serveDocument(smallDocument({ endpoints, errors }));
  t.after(() => served.close());
  await served.send("POST", "/notes", { body: { text: "one" } });
  return served.send("GET", target);
}

for (const [what, testCase] of Object.entries(cases))
  test(`${what} has the stated response`, async (t) => {
    const { status, headers: got, body } = await answerTo(t, testCase);
    const headerNamed = (header: string) => got.find(([name]) => name === header)?.[1];
    const reported = headerNamed("Content-Type")?.includes("json") ? JSON.parse(body) : body;
    assert.deepEqual([status, reported, headerNamed("X-Text")], [...testCase.answer, undefined].slice(0, 3));
  });

test("an unstated response is not invented", async (t) => {
  assert.equal((await answerTo(t, { items: "" })).status, 501);
});

test("a record that follows in the path must exist, too", async (t) => {
  const mark =
    "### Mark\n\n- Identifier: id, given\n\n| Field | Type | Rules |\n|---|---|---|\n| id | string | |\n| note | Note | required |";
  const endpoints = [
    "### POST /notes\n\n- Does: create Note\n- Body: text\n- Returns: 201 nothing",
    "### POST /marks\n\n- Does: create Mark\n- Body: id, note\n- Returns: 201 nothing",
    "### /notes/{id}\n\n- Is: Note",
    "### /notes/{id}/marks/{mark}\n\n- Is: Mark",
    `### GET /notes/{id}/marks/{mark}\n\n- Does: read Note\n${whole}`,
    `### PATCH /notes/{id}/marks/{mark}\n\n- Does: update Note\n- Body: text\n${whole}`,
  ];
  const resources = `${standing.resources}\n\n${mark}`;
  const served = await serveDocument(smallDocument({ resources, endpoints: endpoints.join("\n\n") }));
  t.after(() => served.close());
  await served.send("POST", "/notes", { body: { text: "one" } });
  await served.send("POST", "/marks", { body: { id: "m", note: 1 } });
  const statusOf = async (path: string) => (await served.send("GET", path)).status;
  assert.deepEqual([await statusOf("/notes/1/marks/m"), await statusOf("/notes/1/marks/n")], [200, 404]);
  const changed = await served.send("PATCH", "/notes/1/marks/m", { body: { text: "two" } });
  assert.deepEqual(changed.json, { is: "two" });
});

test("the observer receives which `Returns` entry a response used", async (t) => {
  const { model } = compile(smallDocument(), { file: "document.md" });
  const reported: [unknown, boolean][] = [];
  const target = await createLocalTarget(model as Model, quiet, undefined, {
    observer: (rule, holds) => reported.push([rule, holds]),
  });
  t.after(() => target.close());
  const headers = [["Content-Type", "application/json"]] as const;
  await target.send({ method: "POST", target: "/notes", headers, body: JSON.stringify({ text: "one" }) });
  await target.send({ method: "GET", target: "/notes/1", headers: [] });
  const read = model?.endpoints.find((endpoint) => endpoint.does[0]?.kind === "read");
  assert.deepEqual(reported.at(-1), [read?.returns[0], true]);
});
