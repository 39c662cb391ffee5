/** Clocks and ports: test results must not depend on the machine's speed or its free ports. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, filesUnder, textOf } from "./repository.ts";

const tests = [...filesUnder("test", ".ts"), ...filesUnder("src", ".test.ts")];

/**
 * Tests of the store and the engine that use the machine's clock, and why their result doesn't
 * depend on its speed.
 */
const usesClock: Readonly<Record<string, string>> = {
  "src/engine/http/server.test.ts":
    "a connection that stays open and says no more is recognised by its silence alone",
  "src/engine/sandbox/clock.test.ts": "a timer of 0 ms is a turn of the event loop",
  "src/store/sqlite/file/file-location.test.ts": "waits until a look at the file is old, at least",
  "src/store/sqlite/reading/threads.test.ts": "waits until a look at the file is old, at least",
  "src/store/sqlite/reading/ticks.test.ts": "a timer of 0 ms is a turn of the event loop",
  "test/store/histories.test.ts": "draws what is under way at the same time; any order of it is right",
  "test/store/move.test.ts": "repeats a query until it holds",
};

test("no test of the store or the engine depends on the machine's clock: they use the manual clock", () => {
  const clock = /\bset(?:Timeout|Interval)\b|\bDate\.now\b|\bperformance\.now\b|\bAbortSignal\.timeout\b/;
  assert.deepEqual(
    tests
      .filter((path) => /^(?:src|test)\/(?:store|engine)\//.test(path) && clock.test(codeOf(path)))
      .toSorted(),
    Object.keys(usesClock).toSorted(),
  );
});

/** Tests of command lines that are rejected before any port is opened. */
const onlyNamed = [
  "src/cli/commands/serve.test.ts",
  "src/cli/serving/sockets/privileged-port.test.ts",
  "test/sandbox/cli.test.ts",
];

test("no test listens at a fixed port: the system gives a free one", () => {
  const listens = /\blisten\(\s*(?:\{\s*port:\s*)?[1-9]|\bprocess\.pid\s*[%+]/;
  assert.deepEqual(
    tests.filter((path) => listens.test(codeOf(path))),
    [],
  );
  const names = /"--port",\s*"[1-9]/;
  assert.deepEqual(tests.filter((path) => names.test(textOf(path))).toSorted(), onlyNamed);
});
