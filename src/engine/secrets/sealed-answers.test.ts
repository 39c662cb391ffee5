/** Sealed answers: a replayed response is the one that was sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { modelOf } from "../../../test/changes/desk.ts";
import { smallDocument } from "../../../test/contracts/serve-document.ts";
import type { Endpoint } from "../../model/model.ts";
import { createSealedAnswers } from "./sealed-answers.ts";

test("a short secret that is in the placeholder of a longer one is replayed", () => {
  const model = modelOf(smallDocument());
  // All marks are "AAAAAAAAAAAAAAAA".
  const randomBytes = (count: number) => new Uint8Array(count);
  const sealed = createSealedAnswers(model, { key: new Uint8Array(32), hash: (text) => text, randomBytes });
  const endpoint = model.endpoints[0] as Endpoint;
  for (const secrets of [
    ["long-secret", "A"],
    ["long-secret", "0"],
    ["long-secret", "•"],
    ["AA", "A"],
  ]) {
    const answer = { headers: [["X", `${secrets[1]}-`]] as const, body: `${secrets.join(" and ")}, A, 0, •` };
    const kept = sealed.seal(endpoint, answer, secrets);
    assert.ok(!kept.body.includes("long-secret"));
    assert.deepEqual(sealed.open(kept), answer, secrets.join(" "));
  }
});
