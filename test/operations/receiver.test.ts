/**
 * The built-in receiver and the bound of its bodies: it accepts a body at the bound, and answers
 * 413 to one more byte, which is not a fault.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { receiverLimits } from "../../src/admin/receiver/received-log.ts";
import { startOperations } from "./start-operations.ts";

test("the built-in receiver answers 413 to a body over its bound, with and without a stated length", async (t) => {
  const desk = await startOperations("examples/parcel-desk.md");
  t.after(() => desk.stop());
  const url = desk.service.deliveries.builtIn.address("webhooks");
  assert.ok(url);
  const post = async (bytes: number, isStreamed: boolean) => {
    const text = "x".repeat(bytes);
    const body = isStreamed ? ReadableStream.from([new TextEncoder().encode(text)]) : text;
    const answer = await fetch(url, { method: "POST", body, duplex: "half" } as RequestInit);
    await answer.arrayBuffer();
    return answer.status;
  };
  for (const isStreamed of [false, true]) {
    assert.equal(await post(receiverLimits.bodyBytesMax, isStreamed), 200);
    assert.equal(await post(receiverLimits.bodyBytesMax + 1, isStreamed), 413);
  }
});
