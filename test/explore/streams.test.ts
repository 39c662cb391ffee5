/** Stream verification: `verify` reports nothing for a correct service, and finds wrong ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReference, type OpenedStream } from "../../src/explore/comparison/implementation.ts";
import { verify, type Verification } from "../../src/explore/verify.ts";
import type { SentRequest } from "../../src/verify/scenario-failure.ts";
import { subjectOf } from "./subjects.ts";

type Open = (request: SentRequest) => Promise<OpenedStream>;

/**
 * Verifies the courier, whose streams have the moves of parcels.
 * @param over replaces how streams are opened
 */
async function verified(over: (open: Open) => Open = (open) => open): Promise<Verification> {
  const { model, given, handlers } = await subjectOf("test/documents/courier.md");
  const service = await createReference(model, { given, handlers });
  const bounds = { requestsMax: 320, timeMsMax: 120_000, faultsMax: 1, replaysMax: 1 };
  try {
    const open = over(service.open);
    return await verify({ model, service: { ...service, open }, given, handlers, seed: 1, ...bounds });
  } finally {
    await service.close();
  }
}

function ofStreams({ faults }: Verification): string {
  return faults
    .filter(({ aspect }) => aspect === "streams")
    .flatMap(({ differences }) => differences.map(({ what, actual }) => `${what}: ${actual}`))
    .join("\n");
}

/** A stream whose blocks with events are replaced. */
function changing(change: (block: string, index: number) => readonly string[]) {
  return (open: Open): Open =>
    async (request) => {
      const opened = await open(request);
      const pieces = async function* (): AsyncGenerator<string> {
        let text = "";
        let events = 0;
        for await (const piece of opened.pieces) {
          text += typeof piece === "string" ? piece : new TextDecoder().decode(piece);
          for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
            const block = text.slice(0, end + 2);
            text = text.slice(end + 2);
            if (!block.includes("data:")) yield block;
            else for (const changed of change(block, events)) yield changed;
            if (block.includes("data:")) events += 1;
          }
        }
        yield text;
      };
      return { ...opened, pieces: pieces() };
    };
}

test("the streams of the document's own service hold", async () => {
  const { faults, aspects } = await verified();
  assert.deepEqual(
    faults.map(({ caseName, differences }) => [caseName, differences]),
    [],
  );
  assert.ok(aspects.some(({ aspect }) => aspect === "streams"));
});

test("an event of a stream that is lost, or comes twice, is found", async () => {
  const lost = await verified(changing((block, index) => (index === 0 ? [] : [block])));
  assert.match(ofStreams(lost), /^event \d/m);
  const twice = await verified(changing((block) => [block, block]));
  assert.match(ofStreams(twice), /^event \d/m);
});

test("an event with another value is found", async () => {
  const other = await verified(changing((block) => [block.replace("zq", "zz")]));
  assert.match(ofStreams(other), /^event \d+ body .*: /m);
});

test("a stream that ignores Last-Event-ID, or begins after it too late, is found", async () => {
  const ignoring = await verified(
    (open) => async (request) =>
      open({ ...request, headers: request.headers.filter(([name]) => name !== "Last-Event-ID") }),
  );
  assert.match(ofStreams(ignoring), /^with Last-Event-ID, event \d/m);
  const late = await verified((open) => async (request) => {
    const isContinued = request.headers.some(([name]) => name === "Last-Event-ID");
    return changing((block, index) => (isContinued && index === 0 ? [] : [block]))(open)(request);
  });
  assert.match(ofStreams(late), /^with Last-Event-ID, event \d/m);
});
