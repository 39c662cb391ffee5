/** `ninefold completion`: command tests. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { runCommand } from "../testing/run-command.ts";

/** The completions that bash offers after these words. */
function offered(script: string, ...words: readonly string[]): readonly string[] {
  const completionScript = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _ninefold; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", `${script}\n${completionScript}`], { encoding: "utf8" })
    .trim()
    .split("\n");
}

test("bash completes commands, and the options of the typed command", async () => {
  const { code, out } = await runCommand("completion", "bash");
  assert.equal(code, 0);
  assert.deepEqual(offered(out, "ninefold", "se"), ["serve", "secrets"]);
  assert.deepEqual(offered(out, "ninefold", "serve", "--tls"), ["--tls-cert", "--tls-key"]);
  assert.deepEqual(offered(out, "ninefold", "test", "--ju"), ["--junit"]);
  assert.deepEqual(offered(out, "ninefold", "check", "--tls"), [""]);
});

test("zsh and fish have scripts, and other shells are rejected", async () => {
  assert.match((await runCommand("completion", "zsh")).out, /bashcompinit[\s\S]*complete -o filenames/);
  assert.match((await runCommand("completion", "fish")).out, /seen_subcommand_from serve' -l trust-proxy\n/);
  const { code, complaints } = await runCommand("completion", "cmd");
  assert.equal(code, 2);
  assert.match(complaints, /Unknown shell "cmd"\. Write one of bash, zsh, fish/);
});
