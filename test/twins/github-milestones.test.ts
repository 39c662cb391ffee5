/**
 * `examples/twins/github-milestones.md`: its history, from GitHub's own description to the
 * document, and GitHub's own library with it.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Octokit } from "@octokit/rest";
import { Webhooks } from "@octokit/webhooks";
import { unitsOf } from "../../src/inputs/reimport/document-units.ts";
import { importFile } from "../../src/inputs/formats.ts";
import { accept, answerByHand } from "../../src/worklist/accept.ts";
import { eventually } from "../eventually.ts";
import { textOf } from "../repository/repository.ts";
import { receive } from "./receive.ts";
import { serveTwin, type Twin } from "./serve-twin.ts";

const list = "GET /repos/{owner}/{repo}/milestones";

/** The answers, by their questions and in order. */
const answers: readonly (readonly [question: string, answer: string])[] = [
  ["Milestone.id", "= `this.number`"],
  ["Milestone.open_issues", "on create `0`"],
  ["Milestone.closed_issues", "on create `0`"],
  ["Milestone.closed_at", "read-only"],
  ["Hook.type", 'on create `"Repository"`'],
  ["Hook.name", 'default `"web"`'],
  ["Hook.config", "none"],
  ["fields", "nullable"],
  [`${list} Order`, "due_on by query.direction, else ascending"],
  [`${list} direction`, "none"],
];

/** Sections that were then written by hand, in whole or in part. */
const byHand = [
  "",
  "What the service does",
  "What the service does / Scenario: a milestone is made, closed and listed",
  "Resources and their fields / Milestone",
  "States and transitions",
  "States and transitions / Milestone",
  `Endpoints / ${list}`,
  "Endpoints / POST /repos/{owner}/{repo}/milestones",
  "Endpoints / PATCH /repos/{owner}/{repo}/milestones/{milestone_number}",
  "Events",
  "Events / Shape: MilestoneEvent of Milestone",
  "Errors",
];

test("the import, accepted proposals and ten answers give everything except the parts written by hand", () => {
  const name = "github-milestones.openapi.json";
  const text = textOf(`examples/twins/${name}`);
  const made = importFile("openapi", { name, text, readRelative: () => undefined, only: [] });
  let document = accept(name, made.text, ["likely", "possible"]).text;
  for (const [question, answer] of answers) document = answerByHand(name, document, question, answer).text;
  const units = (of: string) => new Map(unitsOf(of).map((unit) => [unit.key, linesOf(unit)]));
  const [imported, twin] = [units(document), units(textOf("examples/twins/github-milestones.md"))];
  const differing = [...new Set([...imported.keys(), ...twin.keys()])].filter(
    (key) => imported.get(key) !== twin.get(key),
  );
  assert.deepEqual(differing.toSorted(), byHand.toSorted());
});

/** Lines without padding. The twin has none of the examples that an import keeps in comments. */
function linesOf({ pieces }: ReturnType<typeof unitsOf>[number]): string {
  const lines = pieces.flatMap((piece) => piece.lines.map((line) => line.replace(/ {2,}/g, " ").trim()));
  return lines.filter((line) => line !== "" && !/^<!-- openapi .*\bexample\b/.test(line)).join("\n");
}

describe("GitHub's own library works with the imported twin:", () => {
  let twin: Twin;
  let octokit: Octokit;
  const hello = { owner: "octocat", repo: "hello" };

  before(async () => {
    twin = await serveTwin("github-milestones", []);
    octokit = new Octokit({
      baseUrl: twin.origin,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
  });
  after(() => twin.close());

  test("a milestone is created, read, changed, closed, listed and deleted", async () => {
    const { issues } = octokit.rest;
    const made = await issues.createMilestone({ ...hello, title: "v1.0", due_on: "2026-12-24T00:00:00Z" });
    assert.equal(made.status, 201);
    const at = { ...hello, milestone_number: made.data.number };
    assert.equal((await issues.getMilestone(at)).data.title, "v1.0");
    const changed = await issues.updateMilestone({ ...at, description: "The first one" });
    assert.equal(changed.data.description, "The first one");
    const closed = await issues.updateMilestone({ ...at, state: "closed" });
    assert.equal(closed.data.state, "closed");
    assert.notEqual(closed.data.closed_at, null);
    assert.deepEqual((await issues.listMilestones(hello)).data, []);
    const all = await issues.listMilestones({ ...hello, state: "all" });
    assert.deepEqual(
      all.data.map(({ title }) => title),
      ["v1.0"],
    );
    const otherRepository = { owner: "hubot", repo: "hello" };
    assert.deepEqual((await issues.listMilestones({ ...otherRepository, state: "all" })).data, []);
    await assert.rejects(issues.getMilestone({ ...at, ...otherRepository }), { status: 404 });
    await assert.rejects(issues.createMilestone({ ...hello, title: null as never }), { status: 422 });
    await issues.deleteMilestone(at);
    await assert.rejects(issues.getMilestone(at), { status: 404 });
  });

  test("pages are followed by the Link header", async () => {
    const paged = { owner: "octocat", repo: "paged" };
    for (const title of ["one", "two", "three"])
      await octokit.rest.issues.createMilestone({ ...paged, title });
    const found = await octokit.paginate(octokit.rest.issues.listMilestones, { ...paged, per_page: 1 });
    assert.equal(found.length, 3);
  });

  test("a webhook is delivered with a signature that the library accepts", async () => {
    const receiver = await receive();
    try {
      const hooked = { owner: "octocat", repo: "hooked" };
      const secret = "s3cret";
      const hook = await octokit.rest.repos.createWebhook({
        ...hooked,
        config: { url: receiver.url, content_type: "json", secret },
        events: ["milestone"],
      });
      const made = await octokit.rest.issues.createMilestone({ ...hooked, title: "v2.0" });
      await octokit.rest.issues.updateMilestone({
        ...hooked,
        milestone_number: made.data.number,
        state: "closed",
      });
      await twin.pass(0);
      await eventually(() => assert.equal(receiver.received.length, 2));
      const webhooks = new Webhooks({ secret });
      const seen: string[] = [];
      webhooks.on(
        "milestone",
        ({ payload }) => void seen.push(`${payload.action} ${payload.milestone.title}`),
      );
      for (const { headers, body } of receiver.received)
        await webhooks.verifyAndReceive({
          id: String(headers["x-github-delivery"]),
          name: "milestone",
          payload: body,
          signature: String(headers["x-hub-signature-256"]),
        });
      assert.deepEqual(seen, ["created v2.0", "closed v2.0"]);
      await octokit.rest.repos.deleteWebhook({ ...hooked, hook_id: hook.data.id });
    } finally {
      await receiver.close();
    }
  });
});
