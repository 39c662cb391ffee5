/** A read is answered by one statement where that is all there is to it; whatever else a document says is done all the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import type { Model } from "../../model/model.ts";
import { createLocalTarget } from "../../scenarios/local-target.ts";
import { quiet, serveDocument, smallDocument, bareErrors } from "../../../test/contracts/serve-document.ts";

interface Case {
  /** Of the whole part. */
  readonly part?: string;
  readonly heading?: string;
  readonly items: string;
  readonly answer: readonly [status: number, body: unknown, header?: string];
}

const whole = "- Returns: 200 `{'is': this.text}`";

const cases: Readonly<Record<string, Case>> = {
  "a shape and nothing else": { items: whole, answer: [200, { is: "one" }] },
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
  "a path that anyone may go": { heading: "- Allowed: anyone", items: whole, answer: [200, { is: "one" }] },
  "`Allowed` of the endpoint": {
    items: `- Allowed: \`note.text != "one"\`\n${whole}`,
    answer: [403, "forbidden"],
  },
  "a condition that has to be sent": {
    items: `- Preconditions: If-Match required\n${whole}`,
    answer: [428, "precondition_required"],
  },
  "one answer of several": {
    items: "- Returns: 200 `{'is': 'short'}` when `this.text.size() < 9`\n- Returns: 200 Note",
    answer: [200, { is: "short" }],
  },
  "a record by its own name": { items: "- Returns: 200 `{'is': note.text}`", answer: [200, { is: "one" }] },
  "a text": { items: "- Returns: 200 `this.text`", answer: [200, "one"] },
  "a text in another form": {
    part: "- Media type: text/plain",
    items: "- Returns: 200 `this.text`",
    answer: [200, "one"],
  },
};

const errors = bareErrors(`| refused | 422 | | |
| forbidden | 403 | forbidden | |
| precondition_required | 428 | precondition required | |`);

for (const [what, { part = "", heading, items, answer }] of Object.entries(cases))
  test(`${what} is answered as it says`, async (t) => {
    const make = `### POST /notes\n\n- Does: create Note\n- Body: text\n- Accepts: application/json\n- Returns: 201 nothing`;
    const path = `### /notes/{id}\n\n- Is: Note\n${heading ?? ""}`;
    const endpoints = [part, make, path, `### GET /notes/{id}\n\n- Does: read Note\n${items}`].join("\n\n");
    const served = await serveDocument(smallDocument({ endpoints, errors }));
    t.after(() => served.close());
    await served.send("POST", "/notes", { body: { text: "one" } });
    const { status, headers: got, body } = await served.send("GET", "/notes/1");
    const header = got.find(([name]) => name === "X-Text")?.[1];
    const told = body.startsWith("{") || body.startsWith('"') ? JSON.parse(body) : body;
    assert.deepEqual([status, told, header], [...answer, undefined].slice(0, 3));
  });

test("whoever watches the document's rules is told which answer was given", async (t) => {
  const { model } = compile(smallDocument(), { file: "document.md" });
  const told: [unknown, boolean][] = [];
  const target = await createLocalTarget(model as Model, quiet, undefined, {
    witness: (rule, holds) => told.push([rule, holds]),
  });
  t.after(() => target.close());
  const headers = [["Content-Type", "application/json"]] as const;
  await target.send({ method: "POST", target: "/notes", headers, body: JSON.stringify({ text: "one" }) });
  await target.send({ method: "GET", target: "/notes/1", headers: [] });
  const read = model?.endpoints.find((one) => one.does[0]?.kind === "read");
  assert.deepEqual(told.at(-1), [read?.returns[0], true]);
});
