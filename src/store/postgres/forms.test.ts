import assert from "node:assert/strict";
import { after, test } from "node:test";
import { freshSchema } from "../../../test/postgres/server.ts";
import { readTimestamp, resultTypes } from "./forms.ts";

const schema = await freshSchema();
after(() => schema.drop());

const moments = [
  "0001-01-01T00:00:00.000Z",
  "1883-11-18T12:03:57.009Z",
  "2026-11-20T10:00:00.500Z",
  "9999-12-31T23:59:59.999Z",
];

test("moments are read the same whatever time zone the connection has", async () => {
  const client = await schema.connect({ types: resultTypes });
  for (const zone of ["UTC", "America/New_York", "Asia/Kathmandu", "Europe/Amsterdam"]) {
    await client.query(`SET TIME ZONE '${zone}'`);
    const { rows } = await client.query({
      text: "SELECT unnest($1::timestamptz[])",
      values: [moments],
      rowMode: "array",
    });
    // Beyond 9999 a zone ahead of UTC writes five digits for the year.
    assert.deepEqual(
      rows.map(([text]) => readTimestamp(text)),
      moments,
      zone,
    );
  }
});
