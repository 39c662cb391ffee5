/**
 * The document's scenarios at the operations address: they run while the service runs, with
 * coverage, and are tried before they are pasted.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type {
  CoverageResponse,
  ScenarioResponse,
  ScenariosResponse,
  TryScenarioResponse,
} from "../../src/admin/api/document/scenarios.ts";
import { runInWorker } from "../../src/scenarios/in-worker/run-in-worker.ts";
import { type Operations, startOperations, withToken } from "./start-operations.ts";

let desk: Operations;
before(async () => {
  desk = await startOperations("examples/parcel-desk.md", "examples/parcel-desk.seed.md");
});
after(() => desk.stop());

async function request<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const { status, json } = await desk.operate(method, path, body);
  assert.equal(status, 200, JSON.stringify(json));
  return json as Answer;
}

const names = [
  "a parcel reaches its recipient",
  "an uncollected parcel is returned",
  "one shop never sees the parcels of another",
];

test("before any run, the scenarios have their steps, and nothing is covered", async () => {
  const { scenarios, running, coverage } = await request<ScenariosResponse>("GET", "/api/scenarios");
  assert.deepEqual(
    scenarios.map(({ name, outcome }) => [name, outcome]),
    names.map((name) => [name, null]),
  );
  assert.deepEqual([running, coverage], [null, null]);
  const scenario = await request<ScenarioResponse>(
    "GET",
    `/api/scenarios/one?name=${encodeURIComponent(names[0] as string)}`,
  );
  assert.ok(scenario.steps.length > 3);
  assert.ok(scenario.steps.every(({ outcome }) => outcome === "not reached"));
  const { status, json } = await desk.operate("GET", "/api/scenarios/coverage");
  assert.equal(status, 409);
  assert.match(String(json.detail), /Run the scenarios first/);
});

test("all scenarios run in a worker, report one by one on the stream, and count their coverage", async () => {
  const stream = await fetch(`${desk.door.url}/api/stream?topics=scenarios`, {
    headers: withToken(desk.door),
  });
  const reader = (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  const shops = await (
    await fetch(`${desk.serviceUrl}/v1/parcels`, { headers: { Authorization: "Bearer sk_ada_4f1c09" } })
  ).text();
  const { scenarios, coverage, stopped } = await request<ScenariosResponse>("POST", "/api/scenarios/run", {});
  assert.equal(stopped, null);
  assert.deepEqual(
    scenarios.map(({ outcome }) => outcome),
    ["passed", "passed", "passed"],
  );
  assert.ok(coverage && coverage.met > 20 && coverage.met < coverage.of);
  let reported = "";
  while (!reported.includes('"done":3'))
    reported += (await reader.read()).value ?? assert.fail("the stream ended");
  await reader.cancel();
  for (const name of names) assert.ok(reported.includes(`"name":"${name}"`), reported);
  // Scenarios have their own stores: the service's data is unchanged.
  assert.equal(
    await (
      await fetch(`${desk.serviceUrl}/v1/parcels`, { headers: { Authorization: "Bearer sk_ada_4f1c09" } })
    ).text(),
    shops,
  );
});

test("coverage has for each rule the scenarios that covered each of its outcomes, at its line", async () => {
  const { ran, parts } = await request<CoverageResponse>("GET", "/api/scenarios/coverage");
  assert.equal(ran, 3);
  const rule = (subject: string) => {
    const found = parts.flatMap(({ rules }) => rules).find((candidate) => candidate.subject === subject);
    assert.ok(found, subject);
    return Object.fromEntries(found.sides.map(({ side, by }) => [side, by]));
  };
  assert.deepEqual(rule("Parcel.weight_grams range 1..30000"), {
    fulfilled: names.slice(0, 2),
    violated: [],
  });
  assert.deepEqual(rule(`Parcel visible this.shop == caller.shop || "courier" in caller.scopes`), {
    seen: names.slice(0, 2),
    hidden: [names[2]],
  });
  assert.deepEqual(rule("Parcel collect: registered to in_transit"), {
    fired: [names[0]],
    refused: [names[0]],
  });
  assert.deepEqual(rule("parcel.returned"), { sent: [names[1]] });
  assert.deepEqual(rule("wrong_state"), { answered: [names[0]] });
  assert.deepEqual(rule("bad_json"), { answered: [] });
  assert.deepEqual(rule("POST /hooks"), { answered: [] });
});

test("an unknown name is rejected with a similar one", async () => {
  const { status, json } = await desk.operate("POST", "/api/scenarios/run", {
    names: ["a parcel reaches its recipients"],
  });
  assert.equal(status, 404);
  assert.match(String(json.detail), /Did you mean "a parcel reaches its recipient"/);
});

const pasted = (expected: string) => `### Scenario: a stranger is turned away

\`\`\`http
GET /v1/parcels
\`\`\`

\`\`\`http
HTTP/1.1 ${expected}
\`\`\`
`;

test("a scenario is tried as if it were in the document", async () => {
  const passes = await request<TryScenarioResponse>("POST", "/api/scenarios/try", {
    markdown: pasted("401"),
  });
  assert.deepEqual(passes.mistakes, []);
  assert.deepEqual(
    passes.scenarios.map(({ name, line, outcome }) => [name, line, outcome]),
    [["a stranger is turned away", 1, "passed"]],
  );
  const fails = await request<TryScenarioResponse>("POST", "/api/scenarios/try", {
    markdown: pasted('200\n\n{"data": []}'),
  });
  const [difference] = fails.scenarios[0]?.steps[0]?.differences ?? [];
  assert.deepEqual([difference?.line, difference?.what, difference?.expected], [8, "status", "200"]);
});

test("unreadable text is reported at its line, and a text that is not a scenario is rejected", async () => {
  const wrong = await request<TryScenarioResponse>("POST", "/api/scenarios/try", {
    markdown: '### Scenario: wrong\n\n- Given: Shopp with name = "x"\n',
  });
  const mistake = wrong.mistakes.find(({ severity }) => severity === "error");
  assert.equal(mistake?.line, 3);
  assert.match(mistake?.message ?? "", /Shopp/);
  assert.deepEqual(wrong.scenarios, []);
  const none = await desk.operate("POST", "/api/scenarios/try", { markdown: "Just words." });
  assert.equal(none.status, 422);
  const spoiling = await request<TryScenarioResponse>("POST", "/api/scenarios/try", {
    markdown: "```http\nGET /",
  });
  assert.ok(spoiling.mistakes.length > 0);
  assert.deepEqual(spoiling.scenarios, []);
});

test("a handler that never ends is stopped with its thread", async () => {
  const { model, document } = desk.operated;
  const address = `data:text/javascript,${encodeURIComponent("for (;;);")}`;
  assert.equal(document.handlersAddress, undefined);
  const { stopped } = await runInWorker(
    { model, names, handlersAddress: address, isMeasured: false },
    () => assert.fail("nothing can be over"),
    500,
  );
  assert.match(stopped ?? "", /was stopped/);
});
