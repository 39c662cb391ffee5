/**
 * Requests of the examples, as readers copy them in both languages, in the order of their
 * scenarios, against the real service: each response is as shown.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import type { Model, Scenario } from "../../src/model/model.ts";
import {
  addressName,
  curlText,
  type RequestText,
  typescriptText,
} from "../../src/outputs/docs/request-code.ts";
import { capturesIn, type Exchange, jsonOf, plainString } from "../../src/outputs/docs/scenario-text.ts";
import { negotiatedRequest } from "../../src/outputs/docs/negotiated-request.ts";
import type { Json } from "../../src/support/json.ts";
import { textOf } from "../repository/repository.ts";
import { serveTwin } from "../twins/serve-twin.ts";
import { modelOf } from "./site.ts";

type Variables = Map<string, string>;

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Run = (request: RequestText, variables: Variables) => Promise<Answered>;

async function answered(answer: Response): Promise<Answered> {
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Runs the code of the page, and records its requests. */
const inTypescript: Run = async (request, variables) => {
  const code = typescriptText(request, () => "");
  let seen: Answered | undefined;
  const requesting = async (url: string, options?: RequestInit): Promise<Response> => {
    const answer = await fetch(url, options);
    seen = await answered(answer.clone());
    return answer;
  };
  const run = new Function("fetch", ...variables.keys(), `return (async () => {\n${code}\n})();`);
  await run(requesting, ...variables.values()).catch((error: Error) => {
    assert.match(error.message, /^[45]\d\d /, "only refusals are thrown");
  });
  assert.ok(seen);
  return seen;
};

/** A shell parses the line; the arguments that curl would receive are sent. */
const inShell: Run = async (request, variables) => {
  const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${curlText(request, () => "")}`;
  const { stdout, status } = spawnSync("sh", ["-e", "-u", "-c", script], {
    encoding: "utf8",
    env: Object.fromEntries(variables),
  });
  assert.equal(status, 0);
  const words = stdout.split("\0").slice(0, -1);
  const behind = (flag: string) => words.filter((_, at) => words[at - 1] === flag);
  const url = words.find((word, at) => !/^-[XHd]$/.test(word) && !/^-[XHd]$/.test(words[at - 1] ?? ""));
  const [body] = behind("-d");
  const headers = behind("-H").map((header) => header.split(/:\s*(.*)/s).slice(0, 2) as [string, string]);
  const method = behind("-X")[0] ?? "GET";
  return answered(await fetch(url as string, { method, headers, ...(body === undefined ? {} : { body }) }));
};

/** Stores the response's values for the scenario's captures. */
function capture(expected: Json | undefined, actual: Json | undefined, variables: Variables): void {
  if (typeof expected === "string") {
    const text = plainString(expected);
    const [name] = capturesIn(text);
    if (name === undefined || !/^\{\{[^{}]*\}\}$/.test(text) || actual === undefined) return;
    variables.set(name, typeof actual === "string" ? actual : JSON.stringify(actual));
  } else if (Array.isArray(expected)) {
    expected.forEach((item, at) => {
      capture(item, (actual as readonly Json[] | undefined)?.[at], variables);
    });
  } else if (typeof expected === "object" && expected !== null) {
    for (const [key, item] of Object.entries(expected))
      capture(item as Json, (actual as Record<string, Json> | undefined)?.[key], variables);
  }
}

function givenTexts(scenario: Scenario): readonly string[] {
  return scenario.steps.flatMap((step) => {
    if (step.kind !== "given") return [];
    const fields = step.fields.map(({ field, value }) => `${field} = ${value.text}`).join(", ");
    return [
      `${step.resource}${fields === "" ? "" : ` with ${fields}`}${step.as === undefined ? "" : ` as ${step.as}`}`,
    ];
  });
}

async function converse(name: string, model: Model, scenario: Scenario, run: Run): Promise<number> {
  const twin = await serveTwin(name, givenTexts(scenario));
  const variables: Variables = new Map([
    [addressName, twin.origin],
    ["run", "r1"],
  ]);
  let exchanges = 0;
  try {
    for (const step of scenario.steps) {
      if (step.kind === "wait") await twin.pass(step.milliseconds);
      if (step.kind !== "exchange") continue;
      await exchange(step, run, model, variables);
      exchanges += 1;
    }
  } finally {
    await twin.close();
  }
  return exchanges;
}

async function exchange(step: Exchange, run: Run, model: Model, variables: Variables): Promise<void> {
  const answer = await run(negotiatedRequest(model, step), variables);
  const { response, request } = step;
  assert.equal(answer.status, response.status, `${request.method} ${request.target}: ${answer.text}`);
  for (const { name, value } of response.headers)
    capture(value, answer.headers.get(name) ?? undefined, variables);
  capture(response.body && jsonOf(response.body.text), jsonOf(answer.text), variables);
}

/**
 * Whether the scenario can run here: no later request refers to a record of `Given`, whose name
 * only the service knows.
 */
function runs(scenario: Scenario): boolean {
  const given = scenario.steps.flatMap((step) => (step.kind === "given" && step.as ? [step.as] : []));
  const streams = scenario.steps.some(
    (step) =>
      step.kind === "exchange" &&
      (step.response.headers.some((header) => /event-stream/.test(header.value)) ||
        capturesIn(
          `${step.request.target}${step.request.body?.text ?? ""}${step.request.headers.map((header) => header.value).join("")}`,
        ).some((name) => given.includes(name))),
  );
  return !streams;
}

for (const [name, least] of [
  ["../parcel-desk", 2],
  ["../conduit", 1],
  ["stripe", 1],
] as const) {
  const path = `examples/twins/${name}.md`.replace("twins/../", "");
  const model = modelOf(textOf(path), path);
  const scenarios = model.scenarios.filter(runs);
  test(`${path}: there are scenarios to run`, () => assert.ok(scenarios.length >= least));
  for (const scenario of scenarios) {
    test(`${path}: the TypeScript of “${scenario.name}” gives the expected responses`, async () => {
      assert.ok((await converse(name, model, scenario, inTypescript)) > 0);
    });
    test(`${path}: the shell lines of “${scenario.name}” give the expected responses`, async () => {
      assert.ok((await converse(name, model, scenario, inShell)) > 0);
    });
  }
}
