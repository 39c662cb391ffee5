/** No promise is left unawaited in sources: its rejection would end the serving process. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unawaitedPromises } from "./promises.ts";

/** Unawaited promises, and why they can't reject. */
const cannotReject: Readonly<Record<string, string>> = {
  "src/cli/commands/backup.ts stop.requested.then(() => {":
    "it resolves with a signal, and its listener sets a variable",
  "src/cli/commands/explore.ts stop.requested.then(() => stopping.abort())":
    "it resolves with a signal, and aborting calls listeners that don't throw",
  "src/cli/commands/verify.ts stop.requested.then(() => stopping.abort())":
    "it resolves with a signal, and aborting calls listeners that don't throw",
  "src/cli/serving/tracing/exporter.ts start()": "each failed post is taken where it is made",
  "src/compile-in-worker.ts begin()":
    "it reads the processor time of a thread, which gives 0 for a finished one",
  "src/compile-in-worker.ts worker.terminate()": "Node never rejects it",
  "src/compare/compare-in-worker.ts worker.terminate()": "Node never rejects it",
  "src/engine/request-lifecycle/run-request.ts answer.stream.closed.then(() => slot.leave())":
    "`closed` only resolves, and places take what goes wrong when they are left",
  "src/engine/deliveries/attempts.ts this.#release(delivery)": "a claim's release takes what goes wrong",
  "src/engine/deliveries/sender.ts this.#attempts.make(delivery, answered).then((isStored) => {":
    "an attempt takes what goes wrong, and what follows doesn't throw",
  "src/engine/deliveries/sender.ts from.release(delivery)": "a claim's release takes what goes wrong",
  "src/engine/observability/request-journal.ts (response.body as StreamedBody).closed?.then(() => {":
    "`closed` only resolves",
  "src/engine/sandbox/space.ts answer.body.closed.then(() => {": "`closed` only resolves",
  "src/admin/api/stream/poll-every-second.ts once()": "it logs what goes wrong",
  "src/admin/api/records/staged-imports.ts this.#run(service, staged)": "a failed import is its state",
  "src/admin/generate-in-worker.ts worker.terminate()": "Node never rejects it",
  "src/admin/states/layout-in-worker.ts worker.terminate()": "Node never rejects it",
  "src/admin/states/tally.ts this.#count(resource, tally)": "a failed count is passed to `failed`",
  "src/admin/worklist/worklist-in-worker.ts worker.terminate()": "Node never rejects it",
  "src/explore/comparison/streams.ts this.#read()":
    "it takes what goes wrong, and listeners that do not throw",
  "src/language-server/analyst.ts failed?.terminate()": "Node never rejects it",
  "src/language-server/analyst.ts this.#worker?.terminate()": "Node never rejects it",
  "src/scenarios/in-worker/run-in-worker.ts worker.terminate()": "Node never rejects it",
  "src/scenarios/local-target.ts pieces.return?.()": "the body's generator has nothing to undo",
  "src/store/group-commit.ts this.#runGroup(next)": "what fails in a group is the outcome of its writes",
  "src/store/group-commit.ts this.#runGroup(this.#start())":
    "what fails in a group is the outcome of its writes",
  "src/store/postgres/connection/connection.ts connection.close()":
    "it takes what the driver says at the end",
  "src/store/postgres/shared/side-connection.ts connection?.close()":
    "it takes what the driver says at the end",
  "src/store/sqlite/reading/thread.ts this.#worker.terminate()": "Node never rejects it",
  "src/store/sqlite/reading/thread.ts this.forget(oldest)": "it only resolves",
  "src/store/sqlite/store.ts this.session.system.nextDue()":
    "SQLite answers at once: what fails ends the start",
  "src/store/sqlite/transaction.ts this.#slot.beforeChange()": "SQLite's transactions answer at once",
  "src/store/sqlite/transaction.ts this.#slot.beforeRead()": "SQLite's transactions answer at once",
};

const fixture = "test/repository/unawaited-fixture.ts";
const found = unawaitedPromises(
  (path) => (path.startsWith("src/") && !path.endsWith(".test.ts")) || path === fixture,
);

test("every unawaited promise of the fixture is found, and no awaited one", () => {
  assert.deepEqual(
    found.filter((place) => place.startsWith(fixture)).map((place) => place.replace(/^\S+ /, "")),
    ["requested()", "requested()", "perhaps(true)", "requested().finally(() => {})", "found"],
  );
});

test("no source leaves a promise unawaited, except those that cannot reject", () => {
  const inSources = found.filter((place) => !place.startsWith(fixture));
  const named = inSources.map((place) => place.replace(/:\d+ /, " "));
  assert.deepEqual(
    inSources.filter((_, at) => cannotReject[named[at] as string] === undefined),
    [],
  );
  assert.deepEqual(
    Object.keys(cannotReject).filter((place) => !named.includes(place)),
    [],
    "reasons without a place",
  );
});
