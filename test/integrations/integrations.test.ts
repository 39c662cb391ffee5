/**
 * The GitHub Action and the pre-commit hooks, run as their runners do: each step in bash, in a
 * repository of git.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { ownFolder } from "../own-folder.ts";

const root = join(import.meta.dirname, "..", "..");
const desk = readFileSync(join(root, "examples", "parcel-desk.md"), "utf8");
const folder = ownFolder("integrations");
const ninefold = `${process.execPath} ${join(root, "bin", "ninefold")}`;

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

interface Step {
  readonly name: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Hook {
  readonly id: string;
  readonly entry: string;
}

const action: Action = parse(readFileSync(join(root, "integrations/github-action/action.yml"), "utf8"));
const hooks: readonly Hook[] = parse(readFileSync(join(root, ".pre-commit-hooks.yaml"), "utf8"));

function run(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { code: status, output: `${stdout}${stderr}` };
}

/**
 * A repository whose main branch has one text of the document, and whose working tree has another.
 */
function repository(name: string, before: string, after: string): string {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  const git = (...args: string[]) => {
    const { code, output } = run(cwd, "git", [
      "-c",
      "user.name=t",
      "-c",
      "user.email=t@example.com",
      ...args,
    ]);
    assert.equal(code, 0, output);
  };
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(cwd, "service.md"), before);
  git("add", ".");
  git("commit", "--quiet", "--message", "first");
  writeFileSync(join(cwd, "service.md"), after);
  return cwd;
}

/**
 * A stand-in for GitHub's command line, which records its arguments and the file that it would
 * send.
 */
const github = join(folder, "bin");
mkdirSync(github);
writeFileSync(join(github, "gh"), '#!/bin/sh\necho "$GH_TOKEN $@" > gh.txt\ncat "$5" >> gh.txt\n', {
  mode: 0o755,
});

/** Runs the action's own steps until one fails, with the runner's `${{ }}` replaced. */
function runAction(cwd: string, given: Readonly<Record<string, string>>, pullRequest = "") {
  const inputs: Record<string, string> = { command: ninefold, ...given };
  for (const [name, input] of Object.entries(action.inputs)) inputs[name] ??= input.default ?? "";
  const replaced = (text: string) =>
    text
      .replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputs[name] ?? "")
      .replace(/\$\{\{ github\.event\.number \}\}/, pullRequest)
      .replace(/\$\{\{ github\.token \}\}/, "the-token");
  const holds = (condition: string) => {
    const [, name = "", operator, value] = /inputs\.([\w-]+) (==|!=) '(.*)'/.exec(condition) ?? [];
    return (inputs[name] === value) === (operator === "==");
  };
  const summary = join(cwd, "summary.md");
  writeFileSync(summary, "");
  let output = "";
  for (const step of action.runs.steps) {
    if (step.run === undefined || (step.if !== undefined && !holds(step.if))) continue;
    const env = Object.entries(step.env ?? {}).map(([name, value]) => [name, replaced(value)] as const);
    const ran = run(cwd, "bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
      ...Object.fromEntries(env),
      GITHUB_STEP_SUMMARY: summary,
      PATH: `${github}:${process.env["PATH"]}`,
    });
    output += ran.output;
    if (ran.code !== 0) return { failedAt: step.name, output, summary: readFileSync(summary, "utf8") };
  }
  return { failedAt: undefined, output, summary: readFileSync(summary, "utf8") };
}

test("the action passes a document without mistakes, and writes SARIF and the changes", () => {
  const cwd = repository("sound", desk, desk.replace("- Notifications: not shown", "- Notifications: none"));
  const { failedAt, output } = runAction(cwd, { file: "service.md", from: "main", "max-gaps": "0" });
  assert.equal(failedAt, undefined, output);
  assert.equal(JSON.parse(readFileSync(join(cwd, "ninefold.sarif"), "utf8")).version, "2.1.0");
});

test("the action fails at a mistake, after it has written the SARIF", () => {
  const cwd = repository("mistaken", desk, desk.replace("- Does: create Parcel", "- Does: create Parcle"));
  const { failedAt, output } = runAction(cwd, { file: "service.md" });
  assert.equal(failedAt, "Check");
  assert.match(output, /endpoints\/unknown-resource/);
  assert.match(readFileSync(join(cwd, "ninefold.sarif"), "utf8"), /endpoints\/unknown-resource/);
});

test("the action fails at a scenario, at too many gaps, and at a missing file", () => {
  const failing = repository("failing", desk, desk.replace('"price": 670', '"price": 671'));
  assert.equal(runAction(failing, { file: "service.md" }).failedAt, "Run the scenarios");
  assert.equal(runAction(failing, { file: "service.md", "max-gaps": "0" }).failedAt, "Check");
  assert.equal(runAction(failing, { file: "missing.md" }).failedAt, "Write the mistakes as SARIF");
});

test("the action fails at a breaking change, and describes it in the summary", () => {
  const removed = desk.replace(/\| signed_by +\| string +\| read-only/, "| signed_by | string | internal");
  const after = removed.replace('"status": "delivered", "signed_by": "G. Hopper"', '"status": "delivered"');
  const cwd = repository("breaking", desk, after);
  const { failedAt, summary } = runAction(cwd, { file: "service.md", from: "main" });
  assert.equal(failedAt, "Report what changes for clients");
  assert.match(summary, /signed_by/);
  assert.equal(runAction(cwd, { file: "service.md", from: "main", "fail-on": "none" }).failedAt, undefined);
});

test("the action accepts a document that the base doesn't have", () => {
  const cwd = repository("new", desk, desk);
  writeFileSync(join(cwd, "new.md"), desk);
  const { failedAt, summary } = runAction(cwd, { file: "new.md", from: "main" });
  assert.equal(failedAt, undefined);
  assert.match(summary, /new\.md is new/);
});

test("the action updates one comment on a pull request before it fails", () => {
  const after = desk
    .replace("| 100 per second, burst 200 |", "| 50 per second, burst 100  |")
    .replace("- Query: status?, reference?", "- Query: status?, reference?, recipient?");
  const cwd = repository("commented", desk, after);
  const given = { file: "service.md", from: "main", comment: "true" };
  const { failedAt } = runAction(cwd, given, "7");
  assert.equal(failedAt, "Report what changes for clients");
  const [call, ...comment] = readFileSync(join(cwd, "gh.txt"), "utf8").split("\n");
  assert.equal(call, "the-token pr comment 7 --body-file ninefold-changes.md --edit-last --create-if-none");
  const text = comment.join("\n");
  assert.match(text, /^### What changes for callers of `service\.md`/);
  assert.match(text, /\| breaking \| `rate` is 50 per 1 s/);
  assert.match(text, /\| fine \| `GET \/parcels` takes `recipient` in the query now\./);
  rmSync(join(cwd, "gh.txt"));
  runAction(cwd, given);
  assert.equal(existsSync(join(cwd, "gh.txt")), false, "a push is no pull request");
});

test("the action fails at a document that isn't in canonical form, and at an outdated export", () => {
  const cwd = repository("exported", desk, desk);
  const formatted = run(cwd, process.execPath, [
    join(root, "bin", "ninefold"),
    "format",
    "service.md",
    "--write",
  ]);
  assert.equal(formatted.code, 0, formatted.output);
  const given = { file: "service.md", format: "true", exports: "openapi openapi.json\nopenapi other.json\n" };
  const write = (file: string) =>
    run(cwd, process.execPath, [
      join(root, "bin", "ninefold"),
      "export",
      "openapi",
      "service.md",
      "--out",
      file,
    ]);
  write("openapi.json");
  write("other.json");
  const { failedAt, output } = runAction(cwd, given);
  assert.equal(failedAt, undefined, output);
  writeFileSync(join(cwd, "openapi.json"), "{}");
  assert.equal(runAction(cwd, given).failedAt, "Check the exported files");
  const loose = readFileSync(join(cwd, "service.md"), "utf8").replace(
    "- Does: create Parcel",
    "*   Does: create Parcel",
  );
  writeFileSync(join(cwd, "service.md"), loose);
  assert.equal(runAction(cwd, given).failedAt, "Check the canonical form");
});

/** pre-commit starts an entry with the changed files as arguments. */
function runHook(id: string, cwd: string, files: readonly string[]) {
  const [entry = "", ...args] = hooks.find((hook) => hook.id === id)?.entry.split(" ") ?? [];
  const bin = join(root, "bin", "ninefold");
  if (entry === "ninefold") return run(cwd, process.execPath, [bin, ...args, ...files]);
  return run(cwd, join(root, entry), [...args, ...files], { NINEFOLD: ninefold });
}

test("the hooks pass documents without mistakes, and fail at a mistake or at a form that isn't canonical", () => {
  const cwd = repository("hooks", desk, desk);
  writeFileSync(join(cwd, "wrong.md"), desk.replace("- Does: create Parcel", "- Does: create Parcle"));
  writeFileSync(join(cwd, "loose.md"), desk.replace("- Does: create Parcel", "*   Does: create Parcel"));
  const canonical = run(cwd, process.execPath, [
    join(root, "bin", "ninefold"),
    "format",
    "service.md",
  ]).output;
  writeFileSync(join(cwd, "canonical.md"), canonical);
  assert.equal(runHook("ninefold-check", cwd, ["service.md", "canonical.md"]).code, 0);
  const failed = runHook("ninefold-check", cwd, ["service.md", "wrong.md"]);
  assert.equal(failed.code, 1);
  assert.match(failed.output, /wrong\.md:\d+:\d+ error/);
  assert.equal(runHook("ninefold-format", cwd, ["canonical.md"]).code, 0);
  assert.match(runHook("ninefold-format", cwd, ["canonical.md", "loose.md"]).output, /loose\.md is not/);
});

test("the hooks run the scenarios, and fail at a change that breaks clients of the base", () => {
  const cwd = repository("hooks-from", desk, desk);
  assert.equal(run(cwd, "git", ["update-ref", "refs/remotes/origin/main", "main"]).code, 0);
  assert.equal(runHook("ninefold-test", cwd, ["service.md"]).code, 0);
  assert.equal(runHook("ninefold-changes", cwd, ["service.md"]).code, 0);
  writeFileSync(join(cwd, "new.md"), desk);
  assert.equal(runHook("ninefold-changes", cwd, ["new.md"]).code, 0, "the base doesn't have it");
  writeFileSync(
    join(cwd, "service.md"),
    desk.replace("| 100 per second, burst 200 |", "| 50 per second, burst 100  |"),
  );
  const breaking = runHook("ninefold-changes", cwd, ["service.md"]);
  assert.equal(breaking.code, 1);
  assert.match(breaking.output, /rate/);
  writeFileSync(join(cwd, "service.md"), desk.replace('"price": 670', '"price": 671'));
  const failing = runHook("ninefold-test", cwd, ["service.md"]);
  assert.equal(failing.code, 1);
  assert.match(failing.output, /671/);
});
