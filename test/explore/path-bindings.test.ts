/** Path bindings: records that a path names by a `Where` instead of an identifier. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { comparedParameters, pathBindings } from "../../src/explore/requests/path-bindings.ts";
import { Lockstep } from "../../src/explore/walk/lockstep.ts";
import { Walk } from "../../src/explore/walk/walk.ts";
import { endpointName } from "../../src/explore/walk/walked-step.ts";
import { subjectOf } from "./subjects.ts";

const { model, given, handlers } = await subjectOf("examples/twins/github.md");

test("parameters of a path are bound to the fields that a Where compares them with", () => {
  const endpoint = model.endpoints.find(({ path }) => path.text.endsWith("/issues/{issue_number}"));
  assert.ok(endpoint);
  assert.deepEqual(Object.fromEntries(pathBindings(endpoint)), {
    owner: { resource: "Repository", fields: ["owner", "login"] },
    repo: { resource: "Repository", fields: ["name"] },
    issue_number: { resource: "Issue", fields: ["number"] },
  });
});

test("other rules lead to the fields that a parameter is compared with", async () => {
  const meilisearch = await subjectOf("examples/twins/meilisearch.md");
  // `- Fails: index_not_found when !Index.exists(i, i.uid == path.uid)`
  const endpoint = meilisearch.model.endpoints.find(
    ({ method, path }) => method === "GET" && path.text === "/indexes/{uid}/search",
  );
  assert.ok(endpoint);
  assert.deepEqual(Object.fromEntries(comparedParameters(endpoint)), {
    uid: [{ resource: "Index", fields: ["uid"] }],
  });
});

test("requests reach records that a path names by the fields of other records", async () => {
  const lockstep = await Lockstep.open(model, undefined, { given, handlers });
  const walk = new Walk({ model, given, seed: 1 });
  const succeeded = new Set<string>();
  for (let stories = 0; stories < 4; stories += 1)
    for await (const { endpoint, expected } of walk.story(lockstep))
      if (expected.status < 400) succeeded.add(endpointName(endpoint));
  await lockstep.close();
  for (const name of ["GET /repos/{owner}/{repo}/labels", "POST /repos/{owner}/{repo}/issues"])
    assert.ok(succeeded.has(name), name);
});
