/**
 * Judges an agent's answer by machine only: the compiler, scenarios, a dry run of the migration, a
 * client library.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import Replicate from "replicate";
import { compareDocuments } from "../../../src/compare/compare.ts";
import { compile } from "../../../src/compile.ts";
import { createHttpServer } from "../../../src/engine/http/server.ts";
import { chunksOf } from "../../../src/language-server/chunks.ts";
import type { Model } from "../../../src/model/model.ts";
import { readGivenItems } from "../../../src/model/reading/read-given.ts";
import { createLocalTarget } from "../../../src/scenarios/local-target.ts";
import { runScenarios } from "../../../src/scenarios/run-scenarios.ts";
import type { Files, Judge, Task } from "./task.ts";

const program = join(import.meta.dirname, "..", "..", "..", "bin", "ninefold");

/** Why an answer is rejected; empty if it is accepted. */
export async function refusalsOf({ judge }: Task, answer: Files): Promise<readonly string[]> {
  if (judge.by === "line") return lineRefusals(answer, judge.line);
  const text = answer["service.md"];
  if (text === undefined) return ["There is no service.md."];
  if (judge.by === "library") return await libraryRefusals(text, judge.library);
  return await scenarioRefusals(text, judge);
}

function lineRefusals(answer: Files, line: number): readonly string[] {
  try {
    const given: unknown = JSON.parse(answer["answer.json"] ?? "");
    const named = typeof given === "object" && given !== null && "line" in given ? given.line : undefined;
    return named === line ? [] : [`answer.json names the line ${String(named)}, and it is another.`];
  } catch {
    return ['answer.json is missing, or isn\'t JSON such as {"line": 12}.'];
  }
}

function errorsIn(text: string): readonly string[] {
  return compile(text, { file: "service.md" })
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ position, message }) => `service.md:${position.start.line}: ${message}`);
}

/** The document with the judge's scenarios instead of its own, so that no answer judges itself. */
function withScenarios(text: string, scenarios: string): string {
  const kept = chunksOf(text).filter(
    ({ part, section }) => part !== "purpose" || !/^(scenario|given)\b/i.test(section),
  );
  const at = kept.findLastIndex(({ part }) => part === "purpose") + 1;
  const texts = kept.map((chunk) => chunk.text);
  return [...texts.slice(0, at), `\n${scenarios}\n`, ...texts.slice(at)].join("");
}

async function scenarioRefusals(
  text: string,
  judge: Extract<Judge, { readonly by: "scenarios" | "migration" }>,
): Promise<readonly string[]> {
  const own = errorsIn(text);
  if (own.length > 0) return own;
  const written = withScenarios(text, judge.scenarios);
  const { model, diagnostics } = compile(written, { file: "judged.md" });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (!model || errors.length > 0)
    return [`The judge's scenarios can't be read with it: ${errors[0]?.message ?? "no model"}`];
  const reasons: string[] = [];
  const quiet = { complaints: { printError() {} }, isMeasured: false };
  for await (const { result } of runScenarios(model, model.scenarios, quiet)) {
    const [failure] = result.failures;
    if (result.outcome !== "passed")
      reasons.push(
        failure
          ? `${failure.what}: expected ${failure.expected}, received ${failure.actual} (line ${failure.position.start.line} with the judge's scenarios)`
          : `${result.scenario.name}: ${result.outcome}`,
      );
  }
  if (judge.by === "scenarios" && judge.isCompatibleWith !== undefined)
    reasons.push(...breakingChanges(judge.isCompatibleWith, model));
  if (judge.by === "migration") reasons.push(...migrationRefusals(text, judge));
  return reasons;
}

function breakingChanges(before: string, model: Model): readonly string[] {
  const old = compile(before, { file: "before.md" }).model;
  if (!old) return ["The document before can't be read."];
  return compareDocuments(old, model)
    .filter(({ severity }) => severity === "breaking")
    .map(({ subject, message }) => `Breaking for clients: ${subject}: ${message}`);
}

function migrationRefusals(
  text: string,
  { from }: Extract<Judge, { readonly by: "migration" }>,
): readonly string[] {
  // The dry run accepts a loss that the document states; these tasks allow none.
  if (/^- Removed:/m.test(text)) return ["Part 9 removes what records have."];
  const folder = mkdtempSync(join(tmpdir(), "ninefold-judge-"));
  try {
    writeFileSync(join(folder, "service.md"), text);
    writeFileSync(join(folder, "from.md"), from);
    const args = [program, "migrate", "service.md", "--check", "--from", "from.md"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    return status === 0 ? [] : [`migrate --check: ${stdout}${stderr}`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function libraryRefusals(text: string, library: "replicate" | "openai"): Promise<readonly string[]> {
  const { model, diagnostics } = compile(text, { file: "service.md" });
  const error = diagnostics.find(({ severity }) => severity === "error");
  if (!model || error) return [error?.message ?? "service.md can't be read."];
  const target = await createLocalTarget(model, { printError() {} });
  const http = createHttpServer((request) => target.service.fetch(request), {
    refuse: (refusal) => target.service.refuse(refusal),
  });
  try {
    const { port } = await http.listen(0, "127.0.0.1");
    const given = records[library].map((record) => `- Given: \`${record}\``).join("\n");
    const { steps, diagnostics: mistakes } = readGivenItems(model, "given", given);
    if (mistakes[0]) return [`The judge's records can't be created: ${mistakes[0].message}`];
    for (const step of steps) await target.given(step);
    await uses[library](`http://127.0.0.1:${port}/v1`);
    return [];
  } catch (failure) {
    return [`The library failed: ${failure instanceof Error ? failure.message : String(failure)}`];
  } finally {
    await http.close(100);
    await target.close();
  }
}

const records = {
  openai: ['Account with name = "ada", key = "sk-ada"'],
  replicate: [
    'Account with username = "ada", token = "r8_ada" as ada',
    'Model with owner = ada, name = "echo", description = "Says it back", visibility = "public" as echo',
  ],
} as const;

/** @throws an error of the library, or of its responses */
const uses: Readonly<Record<"replicate" | "openai", (baseUrl: string) => Promise<void>>> = {
  async openai(baseURL) {
    const client = new OpenAI({ apiKey: "sk-ada", baseURL, maxRetries: 0 });
    const made = await client.chat.completions.create({
      model: "echo-1",
      messages: [{ role: "user", content: "Hello there" }],
    });
    expect(made.choices[0]?.message.content, "Hello there", "the answer's content");
    expect(made.choices[0]?.finish_reason, "stop", "the answer's finish_reason");
    expect(made.usage?.total_tokens, 4, "the answer's total_tokens");
    const other = new OpenAI({ apiKey: "sk-wrong", baseURL, maxRetries: 0 });
    expect(await statusOf(other.models.list()), 401, "the status of a wrong key");
  },
  async replicate(baseUrl) {
    const client = new Replicate({ auth: "r8_ada", baseUrl });
    const model = await client.models.get("ada", "echo");
    expect(model.description, "Says it back", "the model's description");
    expect(model.owner, "ada", "the model's owner");
    expect(await responseStatusOf(client.models.get("ada", "none")), 404, "the status of an unknown model");
    const made = await client.models.create("ada", "poet", { visibility: "public", hardware: "cpu" });
    expect(made.name, "poet", "the new model's name");
  },
};

function expect(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`${what} is ${String(actual)}, not ${String(expected)}`);
}

async function statusOf(work: Promise<unknown>): Promise<number | undefined> {
  try {
    await work;
    return 200;
  } catch (error) {
    return error instanceof OpenAI.APIError ? error.status : undefined;
  }
}

async function responseStatusOf(work: Promise<unknown>): Promise<number | undefined> {
  try {
    await work;
    return 200;
  } catch (error) {
    return error instanceof Error && "response" in error && error.response instanceof Response
      ? error.response.status
      : undefined;
  }
}
