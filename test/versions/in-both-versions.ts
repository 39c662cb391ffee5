/**
 * Expressions over a `Note` in two versions. Each is read from the store, and computed by functions
 * from a note that was just created. The older version's response must equal the newest one's,
 * converted to old names by hand.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Json } from "../../src/support/json.ts";
import { type Served, serveDocument, smallDocument, standing } from "../contracts/serve-document.ts";

export interface BothVersions {
  readonly resources: string;
  readonly shapes: string;
  /** Part 9 with a current `v2` and a `v1`. */
  readonly versioning: string;
  /** The `Body` names and a body, from which a new note is created. */
  readonly body: string;
  readonly sent: Json;
  /**
   * Expressions by their subject: those of reads, and those that a response to a `POST` can also
   * have.
   */
  readonly read: Readonly<Record<string, string>>;
  readonly made: Readonly<Record<string, string>>;
  /** Converts a response of `v2` to the names of `v1`. */
  readonly inOldWords: (shown: Json) => Json;
}

const pathOf = (name: string) => name.replaceAll(/[^a-z]+/g, "-");

function endpointsOf({ shapes, body, read, made }: BothVersions): string {
  const notes = standing.endpoints
    .replace("Body: text, size?", `Body: ${body}`)
    .replace("- Query: size?\n", "");
  const reads = Object.entries(read).map(
    ([name, text]) => `### GET /${pathOf(name)}/{id}\n\n- Does: read Note\n- Returns: 200 \`{"v": ${text}}\``,
  );
  const makes = Object.entries(made).map(
    ([name, text]) =>
      `### POST /${pathOf(name)}\n\n- Does: create Note\n- Body: ${body}\n- Returns: 201 \`{"v": ${text}}\``,
  );
  return [notes, shapes, ...reads, ...makes].join("\n\n");
}

/**
 * Defines a test for each expression. Returns a function that returns the service, from the first
 * test on.
 */
export function showsInBothVersions(given: BothVersions): () => Served {
  const { resources, versioning, sent, read, made, inOldWords } = given;
  let served: Served;
  before(async () => {
    served = await serveDocument(smallDocument({ resources, endpoints: endpointsOf(given), versioning }));
    const first = await served.send("POST", "/v2/notes", { body: sent });
    assert.equal(first.status, 201, first.body);
  });
  after(() => served.close());

  for (const [name, text] of Object.entries(read))
    test(`${name} has the names of the version, read from the store`, async () => {
      const now = await served.send("GET", `/v2/${pathOf(name)}/1`);
      assert.equal(now.status, 200, now.body);
      assert.notEqual(now.json.v, undefined, text);
      assert.deepEqual((await served.send("GET", `/v1/${pathOf(name)}/1`)).json, inOldWords(now.json));
    });

  for (const [name, text] of Object.entries(made))
    test(`${name} has the names of the version, computed from the created note`, async () => {
      const now = await served.send("POST", `/v2/${pathOf(name)}`, { body: sent });
      assert.equal(now.status, 201, now.body);
      assert.notEqual(now.json.v, undefined, text);
      const then = await served.send("POST", `/v1/${pathOf(name)}`, { body: inOldWords(sent) });
      assert.deepEqual(then.json, inOldWords(now.json), then.body);
    });
  return () => served;
}
