/** PostgreSQL values by form: decoding of moments and booleans. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { freshSchema } from "../../../../test/postgres/server.ts";
import { decoderOfForm, readTimestamp, resultTypes } from "./forms.ts";

const schema = await freshSchema();
after(() => schema.drop());

const moments = [
  "0001-01-01T00:00:00.000Z",
  "1883-11-18T12:03:57.009Z",
  "2026-11-20T10:00:00.500Z",
  "9999-12-31T23:59:59.999Z",
];

test("a moment is decoded alike in any time zone of the connection", async () => {
  const client = await schema.connect({ types: resultTypes });
  for (const zone of ["UTC", "America/New_York", "Asia/Kathmandu", "Europe/Amsterdam"]) {
    await client.query(`SET TIME ZONE '${zone}'`);
    const { rows } = await client.query({
      text: "SELECT unnest($1::timestamptz[])",
      values: [moments],
      rowMode: "array",
    });
    // Beyond 9999, a zone ahead of UTC writes the year with five digits.
    assert.deepEqual(
      rows.map(([text]) => readTimestamp(text)),
      moments,
      zone,
    );
  }
});

test("a boolean is decoded from the driver's value, the server's text and JSON", () => {
  const read = decoderOfForm("boolean");
  assert.deepEqual([true, "t", "true"].map(read), [true, true, true]);
  assert.deepEqual([false, "f", "false"].map(read), [false, false, false]);
  assert.deepEqual([null, undefined].map(read), [null, null]);
});

test("a moment is decoded with every form of zone offset, and before year 1", () => {
  const read: Readonly<Record<string, string>> = {
    "2026-11-20 10:00:00+00": "2026-11-20T10:00:00.000Z",
    "2026-11-20 10:00:00.5+00": "2026-11-20T10:00:00.500Z",
    "2026-11-20 10:00:00.123456+00": "2026-11-20T10:00:00.123Z",
    "2026-11-20 10:00:00-05": "2026-11-20T15:00:00.000Z",
    "2026-11-20 10:00:00+05:45": "2026-11-20T04:15:00.000Z",
    "1883-11-18 12:00:00-04:56:02": "1883-11-18T16:56:02.000Z",
    "0001-12-31 23:00:00-05 BC": "0001-01-01T04:00:00.000Z",
    soon: "soon",
  };
  for (const [text, moment] of Object.entries(read)) assert.equal(readTimestamp(text), moment, text);
});
