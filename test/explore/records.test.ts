/**
 * Records of generated requests: references with several identifying fields, the records that a
 * caller can see, filters of each kind, and what the first stories leave unused.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { givenCallers } from "../../src/explore/stories/callers.ts";
import { casesOf } from "../../src/explore/requests/cases.ts";
import { SkippedEndpoints } from "../../src/explore/walk/consuming.ts";
import { createDraw } from "../../src/explore/stories/draw.ts";
import { literalsOf } from "../../src/explore/stories/literals.ts";
import { Lockstep } from "../../src/explore/walk/lockstep.ts";
import { createReference } from "../../src/explore/comparison/implementation.ts";
import { Pauses } from "../../src/explore/walk/pauses.ts";
import { startRun, type Step, type Template } from "../../src/explore/stories/story.ts";
import { queryPairs } from "../../src/explore/requests/query-pairs.ts";
import { Walk } from "../../src/explore/walk/walk.ts";
import { endpointName } from "../../src/explore/walk/walked-step.ts";
import { study } from "./study.ts";
import { subjectOf } from "./subjects.ts";
import { unobservableFaults, wrongServices } from "./faults.ts";

const issues = await subjectOf("test/documents/issues.md");

function endpointOf({ model }: typeof issues, name: string) {
  const endpoint = model.endpoints.find((candidate) => endpointName(candidate) === name);
  assert.ok(endpoint, name);
  return endpoint;
}

/** The targets of requests with a successful response, by endpoint. */
async function succeeded(
  subject: typeof issues,
  stories: number,
): Promise<readonly (readonly [endpoint: string, target: string, body: string])[]> {
  const lockstep = await Lockstep.open(subject.model, undefined, subject);
  const walk = new Walk({ ...subject, seed: 1 });
  const found: (readonly [string, string, string])[] = [];
  for (let count = 0; count < stories; count += 1)
    for await (const { endpoint, expected, request } of walk.story(lockstep))
      if (expected.status < 400) found.push([endpointName(endpoint), request.target, request.body ?? ""]);
  await lockstep.close();
  return found;
}

test("references to records with several identifying fields are named in full", async () => {
  const found = await succeeded(issues, 24);
  const filters = found.filter(([name]) => name === "GET /notes").map(([, target]) => target);
  assert.ok(
    filters.some((target) => decodeURIComponent(target).includes("issue[repo]=")),
    "a filter by an issue",
  );
  const comments = found.filter(([name]) => name.endsWith("/comments/{comment}"));
  assert.ok(comments.length > 0, "a comment within an issue within a repository");
});

test("an input is compared with the record in the path itself", async () => {
  // `- Guard: !(this in body.others)`
  const merges = await mergeRequests(12);
  assert.ok(
    merges.some(({ target, body }) => {
      const [, repo, , number] = /\/repos\/(\w+)\/(issues)\/(\d+)/.exec(target) ?? [];
      return body.includes(`{"repo":"${repo}","number":${number}}`);
    }),
  );
});

async function mergeRequests(
  stories: number,
): Promise<readonly { readonly target: string; readonly body: string }[]> {
  const lockstep = await Lockstep.open(issues.model, undefined, issues);
  const walk = new Walk({ ...issues, seed: 1 });
  const found: { readonly target: string; readonly body: string }[] = [];
  for (let count = 0; count < stories; count += 1)
    for await (const { endpoint, request } of walk.story(lockstep))
      if (endpointName(endpoint).endsWith("/merge"))
        found.push({ target: request.target, body: request.body ?? "" });
  await lockstep.close();
  return found;
}

test("lists and objects of a query have the form that the document accepts", async () => {
  const { model } = compile(
    `# Shelf

## Resources

### Book

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| pages | integer | required |

## Endpoints

### GET /books

- Does: list Book
- Query: pages? range
- Returns: 200 list of Book

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| ids | query | list of integer | | \`this.id in query.ids\` |
| tags | query | list of string | separated by "," | none |
| size | query | object | | none |
`,
    { file: "shelf.md" },
  );
  assert.ok(model);
  const [endpoint] = model.endpoints;
  assert.ok(endpoint);
  const pairs = (name: string, value: Template) => {
    const input = endpoint.inputs.find((candidate) => candidate.name[0] === name);
    assert.ok(input, name);
    return queryPairs(input, value);
  };
  assert.deepEqual(pairs("ids", [1, 2]), [
    ["ids[]", 1],
    ["ids[]", 2],
  ]);
  assert.deepEqual(pairs("ids", []), []);
  assert.deepEqual(pairs("size", { width: { min: 1 } }), [["size[width][min]", 1]]);
  const [[name, tags] = []] = pairs("tags", ["a", "b"]);
  assert.equal(name, "tags");
  assert.deepEqual(tags && typeof tags === "object" && "content" in tags ? tags.content : tags, {
    kind: "joined",
    parts: ["a", ",", "b"],
  });
  const cases = casesOf(endpoint, model, literalsOf(model)).map((candidate) => candidate.name);
  for (const bound of ["gt", "gte", "lt", "lte"])
    assert.ok(cases.includes(`pages[${bound}] as a record has it`), bound);
});

test("a request that waits for one with the same key leaves the records alike", async () => {
  const subject = await subjectOf("examples/twins/stripe.md");
  const service = await createReference(subject.model, subject);
  const lockstep = await Lockstep.open(subject.model, service, subject);
  const [caller] = givenCallers(subject.model, subject.given);
  assert.ok(caller);
  const step = (id: number): Step => ({
    id,
    request: {
      method: "POST",
      path: ["v1", "customers"],
      query: [],
      headers: [...caller.headers, ["Idempotency-Key", "one"]],
      body: { form: "form", content: { name: "Ada" } },
    },
    alternative: "idempotency in progress",
    concurrentGroup: 1,
    aspect: "concurrency",
    endpoint: "POST /customers",
    caller: caller.name,
  });
  const played = await lockstep.playTogether([step(1), step(2), step(3)], startRun("aaaa"));
  assert.ok(played.some(({ observed }) => observed?.status === 409));
  assert.equal(lockstep.hasDiverged, false);
  await lockstep.close();
  await service.close();
});

test("each scheme has callers, even if the service makes the credentials of new records", async () => {
  const { model, given } = await subjectOf("test/documents/payments.md");
  assert.ok(givenCallers(model, given).length > 1);
});

test("some of the first stories use up no record that no endpoint makes", async () => {
  const courier = await subjectOf("test/documents/courier.md");
  const skipped = new SkippedEndpoints(courier.model, true);
  const closing = endpointOf(courier, "POST /shop/close");
  const collecting = endpointOf(courier, "POST /parcels/{id}/collect");
  skipped.startStory();
  assert.equal(skipped.has(closing), false);
  skipped.startStory();
  assert.deepEqual([skipped.has(closing), skipped.has(collecting)], [true, false]);
  for (let story = 3; story <= 8; story += 1) skipped.startStory();
  assert.equal(skipped.has(closing), false);
});

test("a duration that takes the service long isn't passed again", () => {
  const pauses = new Pauses([1_000, 60_000], createDraw(1));
  pauses.note(60_000, 8_000);
  const passed = new Set(Array.from({ length: 400 }, () => pauses.next()));
  assert.deepEqual(
    [...passed].toSorted((a, b) => a - b),
    [0, 1_000],
  );
});

test("faults that change nothing are not observable", async () => {
  const reasons = (subject: typeof issues) =>
    new Map(unobservableFaults(subject.model).map(({ name, hiddenBy }) => [name, hiddenBy]));
  assert.equal(reasons(issues).get("POST /mails: Allowed is anyone"), "an error that part 7 leaves open");
  const courier = await subjectOf("test/documents/courier.md");
  const ofCourier = reasons(courier);
  assert.equal(ofCourier.get("reckon Quote: from any state"), "the state that a record has already");
  // The response has this status once the quote is ready, 3 seconds after its creation.
  assert.equal(ofCourier.get("POST /quotes: status is 200"), "it holds its response");
  // Its one effect is an event that no stream sends, and there are no webhooks.
  assert.equal(reasons(issues).get("merge Issue: effect removed (6 of 6)"), "deliveries");
  const replicate = reasons(await subjectOf("examples/twins/replicate.md"));
  assert.equal(replicate.get("cancel Prediction: from any state"), "an earlier rule of its transition");
  // A quote is open to anyone, and the desk has a row for missing credentials.
  const desk = await subjectOf("examples/parcel-desk.md");
  assert.ok(![...reasons(desk).values()].includes("an error that part 7 leaves open"));
});

test("a secret of another record, a missing record, and a change that no response shows are found", async () => {
  const faults: readonly (readonly [file: string, name: string])[] = [
    ["examples/twins/replicate.md", "GET /webhooks/default/secret: Where removed"],
    ["examples/delivery-quotes.md", "error no_tariff: status is 418"],
    // `DELETE /holds/{hold}` returns nothing.
    ["examples/seat-booking.md", "release Hold: to active"],
  ];
  for (const [file, name] of faults) {
    const subject = await subjectOf(file);
    const wrong = wrongServices(subject.model).find((candidate) => candidate.name === name);
    assert.ok(wrong, name);
    assert.ok(await study(subject, wrong, { requests: 600, seed: 1 }), name);
  }
});

test("filters, hidden records and streams of many callers are compared", async () => {
  const requests = 1_200;
  const faults: readonly (readonly [file: string, name: string])[] = [
    ["test/documents/issues.md", "GET /notes: issue filters nothing"],
    ["test/documents/payments.md", "Charge: Visible removed"],
    // `string(this.input.prompt) == "fail"`
    ["examples/twins/replicate.md", "finish Prediction: effect removed (2 of 3)"],
  ];
  for (const [file, name] of faults) {
    const subject = await subjectOf(file);
    const wrong = wrongServices(subject.model).find((candidate) => candidate.name === name);
    assert.ok(wrong, name);
    assert.ok(await study(subject, wrong, { requests, seed: 1 }), name);
  }
});
