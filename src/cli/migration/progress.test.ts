/** Progress bars of a migration: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withProgress } from "./progress.ts";

const shown = async (errorsToTerminal: boolean): Promise<string> => {
  let output = "";
  const terminal = {
    write() {},
    printError: (text: string) => {
      output += text;
    },
    isTerminal: false,
    colour: false,
    errorsToTerminal: errorsToTerminal,
    environment: {},
  };
  const work = withProgress(terminal, async ({ onPages, onRecords }) => {
    onPages(1, 2);
    onRecords("full-name", 3, 4);
    throw new Error("full");
  });
  await assert.rejects(work, /full/);
  return output;
};

test("the copy and each stored change have a progress bar, which is removed at the end", async () => {
  const bars = (await shown(true)).split("\r").map((line) => line.replaceAll(/[█░]+/g, "…"));
  assert.deepEqual(bars, ["", "Copying … 50 %", "\u001b[K", "Applying full-name … 75 %", "\u001b[K"]);
});

test("without a terminal there is no progress", async () => {
  assert.equal(await shown(false), "");
});
