/**
 * Scenarios from examples: each document's traffic becomes the examples of its OpenAPI file, as a
 * vendor's file has them. The file is imported, the other proposals are accepted, and each proposed
 * scenario runs on the import, where none may fail, and on the original document.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { compile } from "../../src/compile.ts";
import type { Model, Scenario } from "../../src/model/model.ts";
import { insertScenario } from "../../src/scenarios/insert-scenario.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { runScenario, type ScenarioResult, type ScenarioTarget } from "../../src/verify/run-scenario.ts";
import { accept } from "../../src/worklist/accept.ts";
import { answerKinds } from "../../src/worklist/document/answers.ts";
import { workListOf } from "../../src/worklist/worklist.ts";
import { pathOf, textOf } from "../repository/repository.ts";
import { silentTerminal } from "../terminal.ts";
import { type Document, type Recorded, runOf } from "./documents.ts";
import { importedFrom, oracleDocuments, plainExport } from "./oracle-imports.ts";

type Node = Record<string, unknown>;

const kinds = ["scenarios", "scenarios-beneath"] as const;
const otherKinds = Object.keys(answerKinds).filter((kind) => !kinds.some((own) => own === kind));

interface Tally {
  right: number;
  readonly wrong: string[];
  readonly incomparable: string[];
}

const records = new Map<string, Tally>(
  kinds.map((kind) => [kind, { right: 0, wrong: [], incomparable: [] }]),
);

/** Those of the 40 documents of the oracle that get a scenario. All were compared once. */
const judged = ["agency", "board", "courier", "delivery-quotes", "helpdesk", "numbers-within", "pipeline"];

for (const document of oracleDocuments.filter(({ name }) => judged.includes(name)))
  test(`${document.path}: scenarios from examples hold on the import, and run on the document`, async () => {
    const { exchanges } = await runOf(document);
    const { file, used } = withExamples(plainExport(document), exchanges);
    const imported = importedFrom(document, file);
    const answered = accept("made.md", imported, otherKinds).text;
    const proposals = workListOf("made.md", answered).proposals.filter(({ kind }) => records.has(kind));
    assert.ok(proposals.length > 0);
    const written = accept("made.md", answered, kinds).text;
    const { model } = compile(written, { file: "made.md" });
    assert.ok(model);
    for (const { kind, subject } of proposals) {
      const name = `${subject} as in its example`;
      const scenario = model.scenarios.find((candidate) => candidate.name === name);
      assert.ok(scenario, name);
      const onImport = await resultOf(model, scenario);
      assert.deepEqual([onImport.outcome, onImport.failures], ["passed", []], `${name}, on the import`);
      const exchange = used.get(subject);
      assert.ok(exchange, subject);
      judge(`${document.path}: ${name}`, kind, await resultOnOriginal(document, written, name, exchange));
    }
  });

test("no scenario of an example whose records are known is refuted", () => {
  assert.deepEqual(records.get("scenarios")?.wrong, []);
});

test("the guide has the record of scenarios from examples", () => {
  const guide = textOf("docs/guides/import.md");
  for (const [kind, { right, wrong, incomparable }] of records)
    assert.ok(
      guide.includes(
        `- \`${kind}\`: ${right} right, ${wrong.length} wrong, ${incomparable.length} not comparable\n`,
      ),
      JSON.stringify([...records]),
    );
});

function judge(name: string, kind: string, result: ScenarioResult | string): void {
  const tally = records.get(kind);
  if (!tally) return;
  if (typeof result === "string") tally.incomparable.push(`${name}: ${result}`);
  else if (result.outcome === "passed") tally.right += 1;
  else {
    const [failure] = result.failures;
    const text = `${name}: ${failure?.what} ${failure?.actual}`;
    // The file doesn't have credentials, owners of records, and fields that no response returns.
    const isUnknown = failure?.what === "given" || /^40[13]$/.test(String(failure?.response?.status));
    (isUnknown ? tally.incomparable : tally.wrong).push(text);
  }
}

async function resultOf(model: Model, scenario: Scenario, more?: More): Promise<ScenarioResult> {
  const handlers = more && (await loadHandlers(pathOf(more.path), model, silentTerminal));
  const target = await createLocalTarget(model, silentTerminal, handlers);
  try {
    const send: ScenarioTarget["send"] = (request, isEnough) =>
      target.send({ ...request, headers: [...request.headers, ...(more?.headers ?? [])] }, isEnough);
    return await runScenario(model, scenario, { ...target, send }, "r1");
  } finally {
    await target.close();
  }
}

interface More {
  readonly path: string;
  readonly headers: Recorded["request"]["headers"];
}

/**
 * The result of a scenario on the original document, with the credential of the example's request
 * and the records that its scenario starts with. A text says why it can't run.
 */
async function resultOnOriginal(
  { path }: Document,
  written: string,
  name: string,
  { scenario: origin, request }: Recorded,
): Promise<ScenarioResult | string> {
  const original = textOf(path);
  const { text } = insertScenario(path, original, scenarioText(written, name)) ?? assert.fail(path);
  const { model, diagnostics } = compile(text, { file: path });
  const error = diagnostics.find(({ severity }) => severity === "error");
  if (error || !model) return error?.message ?? "no model";
  const own = model.scenarios.find((scenario) => scenario.name === name);
  const first = model.scenarios.find((scenario) => scenario.name === origin);
  assert.ok(own && first);
  const givens = first.steps.filter(({ kind }) => kind === "given");
  const sent = new Set(
    own.steps
      .flatMap((step) => (step.kind === "exchange" ? step.request.headers : []))
      .map(({ name }) => name.toLowerCase()),
  );
  const headers = request.headers.filter(
    ([header]) => !/^content-type$/i.test(header) && !sent.has(header.toLowerCase()),
  );
  return resultOf(model, { ...own, steps: [...givens, ...own.steps] }, { path, headers });
}

function scenarioText(written: string, name: string): string {
  const [, ...rest] = written.split(`### Scenario: ${name}\n`);
  const [text = ""] = rest.join("").split(/^##+ /m);
  return `### Scenario: ${name}\n${text}`;
}

/** The file with the first successful exchange of each operation as its example. */
function withExamples(
  file: string,
  exchanges: readonly Recorded[],
): { readonly file: string; readonly used: ReadonlyMap<string, Recorded> } {
  const used = new Map<string, Recorded>();
  const description = JSON.parse(file) as { paths: Record<string, Node>; servers?: { url: string }[] };
  const base = new URL(description.servers?.[0]?.url ?? "/", "http://localhost").pathname.replace(/\/$/, "");
  for (const [path, item] of Object.entries(description.paths))
    for (const [method, operation] of Object.entries(item)) {
      const form = new RegExp(
        `^${(base + path).replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]*\}/g, "[^/]+")}$`,
      );
      const exchange = exchanges.find(
        ({ request, response }) =>
          request.method.toLowerCase() === method &&
          response.status < 300 &&
          form.test(request.target.split("?")[0] ?? ""),
      );
      if (!exchange) continue;
      addExample(operation as Node, exchange);
      used.set(`${method.toUpperCase()} ${path}`, exchange);
    }
  return { file: JSON.stringify(description), used };
}

function addExample(operation: Node, { request, response }: Recorded): void {
  const query = new URL(request.target, "http://localhost").searchParams;
  const headers = new Map(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
  for (const parameter of (operation["parameters"] ?? []) as Node[]) {
    const name = String(parameter["name"]);
    const value = parameter["in"] === "query" ? query.get(name) : headers.get(name.toLowerCase());
    if (value !== null && value !== undefined) parameter["example"] = value;
  }
  const responses = operation["responses"] as Node;
  setExample(operation["requestBody"], request.body);
  setExample(responses[String(response.status)], response.body);
}

/** Only JSON is an example; other bodies stay without. */
function setExample(node: unknown, text: string | undefined): void {
  const media = Object.entries(((node as Node | undefined)?.["content"] ?? {}) as Node).find(([type]) =>
    /json/i.test(type),
  )?.[1] as Node | undefined;
  if (!media || text === undefined || !/^\s*[[{]/.test(text)) return;
  delete media["examples"];
  media["example"] = JSON.parse(text);
}
