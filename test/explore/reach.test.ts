/**
 * Reach of generated stories: they follow the document's scenarios, take values that its rules
 * compare with fields, and read records around the time of their timers.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { casesOf } from "../../src/explore/requests/cases.ts";
import { isSameOrder, Unifier } from "../../src/explore/comparison/compare-responses.ts";
import { createDraw } from "../../src/explore/stories/draw.ts";
import { durationsOf } from "../../src/explore/stories/durations.ts";
import { literalsOf } from "../../src/explore/stories/literals.ts";
import { Lockstep } from "../../src/explore/walk/lockstep.ts";
import { scenarioStories } from "../../src/explore/scenarios/scenario-stories.ts";
import { parameterIn, valueFrom } from "../../src/explore/stories/story.ts";
import { validValue } from "../../src/explore/requests/values.ts";
import { Walk } from "../../src/explore/walk/walk.ts";
import { endpointName } from "../../src/explore/walk/walked-step.ts";
import { createReference } from "../../src/explore/comparison/implementation.ts";
import { RuleGoals } from "../../src/explore/walk/rule-goals.ts";
import { measuredOf, type MetSide } from "../../src/scenarios/coverage/coverage.ts";
import { study } from "./study.ts";
import { subjectOf } from "./subjects.ts";
import { wrongServices } from "./faults.ts";

test("the exchanges of scenarios name their inputs, credentials and captures", async () => {
  const { model } = await subjectOf("examples/seat-booking.md");
  const [story] = scenarioStories(model);
  assert.deepEqual(story?.exchanges.map(({ endpoint }) => endpointName(endpoint)).slice(0, 4), [
    "POST /venues",
    "POST /venues/{venue}/shows",
    "POST /shows/{show}/open",
    "POST /shows/{show}/holds",
  ]);
  const [venue, show] = story?.exchanges ?? [];
  assert.deepEqual([...(venue?.captured ?? [])], [["venue", { in: "body", path: ["id"] }]]);
  assert.deepEqual(venue?.credentials, { headers: [["Authorization", "Bearer sk_admin"]], query: [] });
  assert.deepEqual([...(show?.parameters ?? [])], [["venue", "{{venue}}"]]);
  assert.equal(show?.inputs.get("body title"), "Analytical Engines");
});

test("the wait of a scenario passes before its next exchange, on a path with a version", async () => {
  const { model } = await subjectOf("examples/twins/replicate.md");
  const [story] = scenarioStories(model);
  // The scenario's other request is to a captured URL.
  assert.deepEqual(
    story?.exchanges.map(({ endpoint }) => endpointName(endpoint)),
    ["POST /models/{owner}/{name}/predictions"],
  );
});

/** The endpoints with a successful response in the first stories. */
async function reached(file: string, stories: number): Promise<ReadonlySet<string>> {
  const { model, given, handlers } = await subjectOf(file);
  const lockstep = await Lockstep.open(model, undefined, { given, handlers });
  const walk = new Walk({ model, given, seed: 1, durations: durationsOf(model) });
  const succeeded = new Set<string>();
  for (let count = 0; count < stories; count += 1)
    for await (const { endpoint, expected } of walk.story(lockstep))
      if (expected.status < 400) succeeded.add(endpointName(endpoint));
  await lockstep.close();
  return succeeded;
}

test("scenarios lead to records behind a chain of requests", async () => {
  const succeeded = await reached("examples/seat-booking.md", 6);
  for (const name of [
    "POST /orders",
    "GET /orders/{order}",
    "POST /orders/{order}/refunds",
    "GET /waiting/{waiting}",
  ])
    assert.ok(succeeded.has(name), name);
});

test("inputs take the fields that rules compare them with, and JSON the keys that rules read", async () => {
  const succeeded = await reached("examples/twins/replicate.md", 10);
  // `body.owner != caller.username`, `Version.first(v, v.id == body.version)`, `this.input.prompt`.
  for (const name of ["POST /models", "POST /predictions", "POST /predictions/{prediction_id}/cancel"])
    assert.ok(succeeded.has(name), name);
});

test("faults are found in pages that a link leads to, and in timers", async () => {
  const faults = [
    [
      "examples/twins/replicate.md",
      "GET /predictions: a page with a cursor or number repeats its second record",
    ],
    ["test/documents/tenants.md", "age Doc: after twice the time"],
  ] as const;
  for (const [file, name] of faults) {
    const subject = await subjectOf(file);
    const wrong = wrongServices(subject.model).find((service) => service.name === name);
    assert.ok(wrong && (await study(subject, wrong, { requests: 1_800, seed: 1 })), name);
  }
});

test("an endpoint that may hold its response gets requests that name no time to hold it", async () => {
  const { model } = compile(held, { file: "held.md" });
  assert.ok(model);
  const service = await createReference(model, { given: [] });
  const lockstep = await Lockstep.open(model, service, { given: [] });
  const walk = new Walk({ model, given: [], seed: 1 });
  let requests = 0;
  for (let stories = 0; stories < 3; stories += 1)
    for await (const { request, endpoint } of walk.story(lockstep)) {
      if (endpointName(endpoint) !== "GET /orders/{id}") continue;
      requests += 1;
      assert.doesNotMatch(request.target, /wait/);
    }
  await lockstep.close();
  await service.close();
  assert.ok(requests > 0);
});

const held = `# Interface Specification: Held

## What the service does

- Purpose: holds responses.

## Resources and their fields

### Order

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| done | boolean | default \`false\` |

## Endpoints

### POST /orders

- Does: create Order
- Allowed: anyone
- Body: done?
- Returns: 201 Order

### GET /orders/{id}

- Does: read Order
- Allowed: anyone
- Waits: until \`this.done\`, at most \`or(query.wait, duration("0s"))\`
- Returns: 200 Order

| Input | In | Type | Rules |
|---|---|---|---|
| wait | query | duration | |
`;

test("a path names a record by those that it refers to", async () => {
  const succeeded = await reached("examples/twins/github.md", 12);
  // `this.issue == issue && this.label.name == path.name`, `this.issue.repository == repository`.
  for (const name of [
    "GET /repos/{owner}/{repo}/issues/comments/{comment_id}",
    "DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}",
  ])
    assert.ok(succeeded.has(name), name);
});

test("each row of part 7 that requests can provoke is a goal until it was met", async () => {
  const { model } = await subjectOf("examples/parcel-desk.md");
  const cases = model.endpoints.flatMap((endpoint) => casesOf(endpoint, model, literalsOf(model)));
  const { rules } = measuredOf(model);
  const all = rules.flatMap(({ sides }, at) =>
    sides.map((side): MetSide => `${at}${side === "yes" ? "+" : "-"}`),
  );
  const without: string[] = [];
  for (const [at, { kind, subject }] of rules.entries()) {
    if (kind !== "error") continue;
    const met = new Set(all.filter((side) => side !== `${at}+`));
    const goals = new RuleGoals(model, cases, met, 8);
    if (!goals.next(createDraw(1))) without.push(subject);
    met.add(`${at}+`);
    assert.equal(goals.next(createDraw(1)), undefined);
  }
  // Rates are provoked by `--limits`.
  assert.deepEqual(without, ["slow_down"]);
});

test("cases send headers that expressions read, unknown versions, and requests by other callers", async () => {
  const { model } = await subjectOf("examples/twins/stripe.md");
  const endpoint = model.endpoints.find((candidate) => endpointName(candidate) === "GET /events/{event_id}");
  assert.ok(endpoint);
  const names = casesOf(endpoint, model, literalsOf(model)).map(({ name }) => name);
  for (const name of [
    "with idempotency-key",
    "an unknown version",
    "by another caller",
    "without credentials",
  ])
    assert.ok(names.includes(name), name);
  const customers = model.endpoints.find((candidate) => endpointName(candidate) === "POST /customers");
  assert.ok(customers);
  const ofInputs = casesOf(customers, model, literalsOf(model)).map(({ name }) => name);
  assert.ok(ofInputs.includes("metadata a key one outside the maximum"));
});

test("times are sent in the form of the document", async () => {
  const { model } = await subjectOf("examples/twins/stripe.md");
  const literals = { numbers: [], texts: [], examples: new Map(), jsonKeys: new Map(), compared: new Map() };
  const source = {
    model,
    literals,
    draw: createDraw(1),
    reference: () => undefined,
    shownText: () => undefined,
  };
  const template = validValue("expires_at", { kind: "timestamp" }, [], source);
  assert.ok(template !== undefined);
  const value = valueFrom(template, { run: "", responses: new Map(), nowMs: () => 1_800_000_000_000 });
  assert.equal(typeof value, "number");
});

test("both runs of the reference show the same records only if nothing of their lists has moved", () => {
  const [firstA, firstB] = [
    { title: "a", id: "x1" },
    { title: "b", id: "x2" },
  ];
  const [secondA, secondB] = [
    { title: "a", id: "y1" },
    { title: "b", id: "y2" },
  ];
  assert.equal(isSameOrder([firstA, firstB], [secondA, secondB]), true);
  assert.equal(isSameOrder([firstA, firstB], [secondB, secondA]), false);
  const unifier = new Unifier();
  assert.equal(unifier.areTwins("x1", "y1"), true);
  assert.equal(unifier.areTwins("x1", "y2"), false);
});

test("nothing is reported of shows that the runs of the reference sort differently, or of rates", async () => {
  const subject = await subjectOf("examples/seat-booking.md");
  const right = { needs: "responses", served: () => subject.model } as const;
  for (const seed of [1, 4, 7]) assert.equal(await study(subject, right, { requests: 300, seed }), undefined);
});

test("a cursor is read from a link in a body or in a header", () => {
  assert.equal(parameterIn("https://example.com/v1/models?cursor=a%3D1&size=2", "cursor"), "a=1");
  const link = '<https://example.com/x?page=1>; rel="prev", <https://example.com/x?page=3>; rel="next"';
  assert.equal(parameterIn(link, "page"), "3");
  assert.equal(parameterIn("plain text", "cursor"), undefined);
});
