/**
 * `learn` on errors: the payload of part 7 is set to `not shown`, and the one learned from the
 * traffic of the document's scenarios and of mistakes is compared with the original.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { recordedEntries } from "../../src/inputs/recordings/har-exchanges.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { accept } from "../../src/worklist/accept.ts";
import { learnedWorkList } from "../../src/worklist/learn/learn.ts";
import { pathOf } from "../repository/repository.ts";
import { silentTerminal as quiet } from "../terminal.ts";
import { type Document, shownDocuments, testDocuments } from "./documents.ts";

/** The documents without a module, each with the text after `Payload shape:`. */
const documents = [
  ...shownDocuments,
  ...testDocuments.filter(({ path }) => path.startsWith("test/documents/")),
];

const form = /^- Payload shape:(?: (problem details)$|\n\n```cel\n([\s\S]*?)\n```$)/m;

/** Records the scenarios, and a request of each endpoint without a credential and with nonsense. */
async function recording({ model }: Document): Promise<string> {
  const entries: object[] = [];
  const record = async (
    target: Awaited<ReturnType<typeof createLocalTarget>>,
    request: Parameters<typeof target.send>[0],
    isEnough?: Parameters<typeof target.send>[1],
  ) => {
    const response = await target.send(request, isEnough);
    const pairs = (headers: readonly (readonly [string, string])[]) =>
      headers.map(([name, value]) => ({ name, value }));
    const text = request.body === undefined ? undefined : String(request.body);
    entries.push({
      startedDateTime: "2026-11-20T12:00:00Z",
      request: {
        method: request.method,
        url: `http://localhost${request.target}`,
        headers: pairs(request.headers ?? []),
        ...(text === undefined ? {} : { postData: { mimeType: "application/json", text } }),
      },
      response: {
        status: response.status,
        headers: pairs(response.headers),
        content: {
          mimeType: response.headers.find(([name]) => /^content-type$/i.test(name))?.[1] ?? "",
          text: response.body,
        },
      },
    });
    return response;
  };
  for (const scenario of model.scenarios) {
    const target = await createLocalTarget(model, quiet);
    try {
      const recorded = {
        ...target,
        send: (...[request, isEnough]: Parameters<typeof target.send>) => record(target, request, isEnough),
      };
      await runScenario(model, scenario, recorded, "r").catch(() => undefined);
    } finally {
      await target.close();
    }
  }
  const target = await createLocalTarget(model, quiet);
  const base = model.endpointsPart.basePath.text.replace(/\/$/, "");
  try {
    for (const { method, path } of model.endpoints)
      for (const body of [undefined, "{}", "{"])
        await record(target, {
          method,
          target: (base + path.text).replace(/\{[^}]+\}/g, "1"),
          headers: body === undefined ? [] : [["Content-Type", "application/json"]],
          ...(body === undefined ? {} : { body }),
        });
  } finally {
    await target.close();
  }
  return JSON.stringify({ log: { version: "1.2", entries } });
}

const tally = { likely: 0, possible: 0, wrong: 0, open: 0 };

for (const document of documents) {
  const text = readFileSync(pathOf(document.path), "utf8");
  const truth = form.exec(text);
  const open = text.replace(form, "- Payload shape: not shown");
  const { diagnostics } = compile(open, { file: "a.md" });
  const isUsable = diagnostics.every(({ severity }) => severity !== "error");
  if (!truth || !isUsable) continue;
  test(`${document.path}: the payload of errors is learned, or left open`, async () => {
    const entries = recordedEntries("traffic.har", await recording(document));
    const { questions } = learnedWorkList("a.md", open, entries);
    const question = questions.find(({ kind }) => /^(seen|maybe)-error-shapes$/.test(kind));
    if (!question) {
      tally.open += 1;
      return;
    }
    const learned = accept("a.md", open, [question.kind], (file, text) =>
      learnedWorkList(file, text, entries),
    ).text;
    const plain = (found: RegExpExecArray | null) => (found?.[1] ?? found?.[2] ?? "").replace(/\s+/g, "");
    const isRight = plain(form.exec(learned)) === plain(truth);
    if (question.level === "likely") assert.equal(plain(form.exec(learned)), plain(truth));
    tally[question.level === "likely" ? "likely" : isRight ? "possible" : "wrong"] += 1;
  });
}

test("no likely payload is wrong, and at most one of ten others", () => {
  assert.ok(tally.likely >= 9, JSON.stringify(tally));
  assert.ok(tally.wrong * 10 <= tally.likely + tally.possible, JSON.stringify(tally));
});
