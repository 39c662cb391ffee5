/** Lists without pages: such a list is complete or rejected, and never truncated. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { operatorCeilings } from "../../src/engine/defaults.ts";
import { serveDocument, smallDocument, standing } from "./serve-document.ts";

test("a list without pages that has more records than the ceiling is rejected, not truncated", async (t) => {
  const served = await serveDocument(
    smallDocument({
      endpoints: standing.endpoints.replace(/- Pagination: .*/, "- Pagination: none"),
      errors:
        "- Payload shape:\n\n```cel\n{'of': error.resource, 'problem': error.problem}\n```\n\n- Error codes: none",
    }),
  );
  t.after(() => served.close());
  const first = await served.send("POST", "/notes", { body: { text: "a" } });
  assert.equal(first.status, 201);
  const { store } = served.target.service.internals.context;
  const fill = (from: number, to: number) =>
    store.write(
      async (transaction) => {
        for (let at = from; at < to; at += 1) await transaction.insert("Note", { id: at + 1, text: "a" });
      },
      { repeatable: true },
    );
  await fill(1, operatorCeilings.pageSizeMax);
  const whole = await served.send("GET", "/notes");
  assert.equal(whole.status, 200);
  assert.equal((whole.json as unknown[]).length, operatorCeilings.pageSizeMax);
  await fill(operatorCeilings.pageSizeMax, operatorCeilings.pageSizeMax + 1);
  const cut = await served.send("GET", "/notes");
  assert.equal(cut.status, 500);
  assert.equal(cut.json.of, "note");
  assert.match(cut.json.problem, /more than 10000 records/);
});
