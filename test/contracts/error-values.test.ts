/** `error.value` is the value as it was sent, also where a rule or a unique field has read it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { timestampForms, timestampWriters } from "../../src/expressions/writing/wire.ts";
import { serveDocument, smallDocument } from "./serve-document.ts";

const documentWith = (form: string) =>
  smallDocument({
    resources: `### Slot

- Identifier: id, made by \`sequence()\`
- Fails: late on ends_at when \`this.ends_at != null && this.ends_at < this.at\`

| Field | Type | Rules |
|---|---|---|
| at | timestamp | required, unique |
| ends_at | timestamp | |
| took | duration | |`,
    endpoints: `- Timestamps: ${form}

### POST /slots

- Does: create Slot
- Body: at, ends_at?, took?
- Fails: long on took when \`body.took != null && body.took > duration("1h")\`
- Returns: 201 Slot`,
    errors: `- Payload shape: \`{"code": error.code, "field": error.field, "value": error.value}\`

| Code | Status | When |
|---|---|---|
| taken | 409 | duplicate |
| late | 422 | |
| long | 422 | |
| bad | 422 | invalid field |`,
  });

for (const form of timestampForms)
  test(`a rejected timestamp in ${form} is repeated as it was sent, and a duration, too`, async (t) => {
    const served = await serveDocument(documentWith(form));
    t.after(() => served.close());
    const sent = (text: string): unknown => JSON.parse(timestampWriters[form](text));
    const [before, at, behind] = [19, 20, 21].map((day) => sent(`2026-11-${day}T12:00:00.000Z`));
    const answers = [];
    for (const body of [
      { at },
      { at },
      { at: before, ends_at: at, took: "2h" },
      { at: behind, ends_at: before },
    ])
      answers.push((await served.send("POST", "/slots", { body })).json);
    assert.deepEqual(answers.slice(1), [
      { code: "taken", field: "at", value: at },
      { code: "long", field: "took", value: "2h" },
      { code: "late", field: "ends_at", value: before },
    ]);
  });
