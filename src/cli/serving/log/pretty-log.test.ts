/** The log as text: unit tests. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../../compile.ts";
import type { Terminal } from "../../terminal.ts";
import { createLog, logsRequests } from "./log.ts";
import { requestMessage } from "./request-log.ts";
import { routesTable } from "../routes-table.ts";
import { shortStack } from "./short-stack.ts";

function terminalWith(more: Partial<Terminal>): { readonly terminal: Terminal; readonly lines: string[] } {
  const lines: string[] = [];
  const terminal: Terminal = {
    write() {},
    printError: (text) => void lines.push(text),
    isTerminal: false,
    colour: false,
    environment: {},
    ...more,
  };
  return { terminal, lines };
}

const entry = {
  request: "req_1",
  method: "POST",
  path: "/parcels/p_91/deliver",
  status: 409,
  ms: 3.21,
  address: "127.0.0.1",
  caller: "shop_2",
  line: 346,
};

test("on a terminal a request is one short line, with colours if enabled", () => {
  const plain = terminalWith({ errorsToTerminal: true });
  createLog(plain.terminal).info(entry, requestMessage);
  assert.match(
    plain.lines.join(""),
    /^\d\d:\d\d:\d\d POST \/parcels\/p_91\/deliver 409 3\.2 ms shop_2 because line 346\n$/,
  );
  const coloured = terminalWith({ errorsToTerminal: true, errorsInColour: true });
  createLog(coloured.terminal).info({ ...entry, space: "suite-1" }, requestMessage);
  assert.ok(coloured.lines.join("").includes("\u001B[33m409\u001B[0m"));
  assert.ok(coloured.lines.join("").includes("in suite-1"));
});

test("a request that needs a gap names it, and the command that lists open questions", () => {
  const { terminal, lines } = terminalWith({ errorsToTerminal: true });
  const gap = { ...entry, status: 501, gap: "how id is made" };
  createLog(terminal).info(gap, requestMessage);
  assert.match(lines.join(""), /because line 346 doesn't show how id is made: ninefold next lists it\n$/);
});

test("the log is JSON without a terminal, and --log selects either form", () => {
  const piped = terminalWith({});
  createLog(piped.terminal).info(entry, requestMessage);
  assert.equal(JSON.parse(piped.lines[0] ?? "").status, 409);
  const wanted = terminalWith({ errorsToTerminal: true });
  createLog(wanted.terminal, { form: "json" }).info(entry, requestMessage);
  assert.equal(JSON.parse(wanted.lines[0] ?? "").line, 346);
  const pretty = terminalWith({});
  createLog(pretty.terminal, { form: "pretty" }).info(entry, requestMessage);
  assert.match(pretty.lines[0] ?? "", / 409 /);
});

test("a caller's text can't move the cursor or colour the terminal", () => {
  const { terminal, lines } = terminalWith({ errorsToTerminal: true });
  createLog(terminal).info({ ...entry, path: "/\u001B[2J\r", caller: "a\nb" }, requestMessage);
  assert.doesNotMatch(lines.join("").trimEnd(), /\p{Cc}/u);
  assert.equal(lines.join("").split("\n").length, 2);
});

test("a stack shows the author's frames, and folds those of Ninefold and Node", () => {
  const folder = join("/home", "ada", "desk");
  const stack = [
    "Error: the courier said no",
    `    at quote (file://${folder}/delivery-quotes.ts:12:9)`,
    `    at run (${new URL("../../../engine/actions/handler.ts", import.meta.url).href}:40:5)`,
    "    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)",
    `    at async Object.charge (file://${folder}/delivery-quotes.ts?3:20:3)`,
  ].join("\n");
  assert.equal(
    shortStack(stack, folder),
    [
      "Error: the courier said no",
      "    at quote delivery-quotes.ts:12",
      "    … 2 of Ninefold and Node",
      "    at async Object.charge delivery-quotes.ts:20",
    ].join("\n"),
  );
});

test("the table of endpoints has each operation, its callers and its line", () => {
  const text = readFileSync("examples/parcel-desk.md", "utf8");
  const { model } = compile(text, { file: "parcel-desk.md" });
  assert.ok(model);
  const table = routesTable(model, { colour: false }).split("\n");
  assert.match(table[0] ?? "", /^Method +Path +Does +Allowed +Fails +At$/);
  const line = text.split("\n").indexOf("### POST /parcels/{id}/collect") + 1;
  assert.ok(
    table.some((row) =>
      new RegExp(
        `^POST +/v1/parcels/\\{id\\}/collect +collect Parcel +"courier" in caller.scopes \\(line ${line + 3}\\) +line ${line}$`,
      ).test(row),
    ),
    table.join("\n"),
  );
  assert.ok(table.some((row) => /^GET +\/v1\/parcels\/\{id\} +read Parcel +any caller/.test(row)));
});

test("levels below the requested one aren't logged, and requests only if the level includes them", () => {
  for (const [level, expected] of [
    ["info", ["a", "b", "c"]],
    ["warn", ["b", "c"]],
    ["error", ["c"]],
  ] as const) {
    const { terminal, lines } = terminalWith({});
    const log = createLog(terminal, { form: "json", level });
    log.info({}, "a");
    log.warn({}, "b");
    log.error({}, "c");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      expected,
    );
    assert.equal(logsRequests(terminal, { form: "json", level }), level === "info");
  }
});
