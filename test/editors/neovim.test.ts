/**
 * Neovim as a user runs it: its own client starts `ninefold lsp`, and edits a document. Skipped
 * where `nvim` is missing.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ownFolder } from "../own-folder.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = ownFolder("neovim");
const isMissing = spawnSync("nvim", ["--version"]).status !== 0;

test("Neovim shows diagnostics, applies an action, hovers, completes and renames", {
  skip: isMissing,
}, () => {
  const desk = readFileSync(join(root, "examples", "parcel-desk.md"), "utf8");
  const file = join(folder, "desk.md");
  const result = join(folder, "result.txt");
  writeFileSync(file, desk.replace("- Does: create Parcel\n", "- Does: create Parcle\n"));
  const { status, stderr } = spawnSync(
    "nvim",
    ["--headless", "--clean", "-S", join(import.meta.dirname, "neovim.lua")],
    {
      encoding: "utf8",
      timeout: 120_000,
      env: {
        ...process.env,
        NINEFOLD_TEST_COMMAND: JSON.stringify([
          process.execPath,
          join(root, "bin", "ninefold"),
          "lsp",
          "--stdio",
        ]),
        NINEFOLD_TEST_FILE: file,
        NINEFOLD_TEST_RESULT: result,
        XDG_STATE_HOME: folder,
        XDG_CACHE_HOME: folder,
      },
    },
  );
  assert.equal(status, 0, stderr);
  const line = desk.split("\n").findIndex((text) => text.startsWith("- Does: create Parcel")) + 1;
  const price = desk.split("\n").findIndex((text) => text.includes("490 + this.weight_grams")) + 1;
  assert.deepEqual(readFileSync(result, "utf8").trim().split("\n"), [
    `error ${line} endpoints/unknown-resource`,
    "action Did you mean `Parcel`?",
    "errors left 0",
    "hover Parcel.weight_grams",
    "completion true",
    `renamed ${price}`,
    "left 0",
  ]);
});
