/** `examples/twins/github.md`, driven by GitHub's own library. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Octokit } from "@octokit/rest";
import { Webhooks } from "@octokit/webhooks";
import { receive } from "./receive.ts";
import { serveTwin, type Twin } from "./serve-twin.ts";

interface RequestError extends Error {
  readonly status: number;
  readonly response: {
    readonly headers: Readonly<Record<string, string>>;
    // biome-ignore lint/suspicious/noExplicitAny: the error body, looked into key by key
    readonly data: any;
  };
}

async function failure(work: Promise<unknown>): Promise<RequestError> {
  return work.then(
    () => assert.fail("did not fail"),
    (error: unknown) => error as RequestError,
  );
}

describe("the published GitHub library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  const client = (auth?: string) =>
    new Octokit({
      baseUrl: twin.origin,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      ...(auth === undefined ? {} : { auth }),
    });
  let octocat: Octokit;
  let hubot: Octokit;
  const hello = { owner: "octocat", repo: "hello" };

  before(async () => {
    twin = await serveTwin("github", [
      'User with login = "octocat", token = "ghp_octocat", name = "The Octocat" as octocat',
      'User with login = "hubot", token = "ghp_hubot"',
      'Repository with owner = octocat, name = "hello"',
    ]);
    octocat = client("ghp_octocat");
    hubot = client("ghp_hubot");
  });
  after(() => twin.close());

  test("a repository is created, changed, starred and deleted", async () => {
    const me = await octocat.rest.users.getAuthenticated();
    assert.equal(me.data.login, "octocat");
    assert.equal(me.data.name, "The Octocat");
    const made = await octocat.rest.repos.createForAuthenticatedUser({ name: "spoon", private: true });
    assert.equal(made.status, 201);
    assert.equal(made.data.full_name, "octocat/spoon");
    assert.equal(made.headers.location, `${twin.origin}/repos/octocat/spoon`);
    const spoon = { owner: "octocat", repo: "spoon" };
    assert.equal((await failure(hubot.rest.repos.get(spoon))).status, 404);
    assert.equal((await octocat.rest.repos.get({ owner: "OCTOCAT", repo: "Spoon" })).data.private, true);
    const changed = await octocat.rest.repos.update({ ...spoon, private: false, description: "A spoon" });
    assert.equal(changed.data.visibility, "public");
    assert.equal((await failure(hubot.rest.repos.update({ ...spoon, description: "x" }))).status, 403);

    assert.equal((await hubot.rest.activity.starRepoForAuthenticatedUser(spoon)).status, 204);
    assert.equal((await hubot.rest.activity.starRepoForAuthenticatedUser(spoon)).status, 204);
    assert.equal((await hubot.rest.activity.checkRepoIsStarredByAuthenticatedUser(spoon)).status, 204);
    assert.equal(
      (await failure(octocat.rest.activity.checkRepoIsStarredByAuthenticatedUser(spoon))).status,
      404,
    );
    const starred = await hubot.rest.activity.listReposStarredByAuthenticatedUser();
    assert.deepEqual(
      starred.data.map((repository) =>
        "full_name" in repository ? [repository.full_name, repository.stargazers_count] : [],
      ),
      [["octocat/spoon", 1]],
    );
    const wrong = await failure(octocat.rest.repos.createForAuthenticatedUser({ name: "spoon" }));
    assert.equal(wrong.status, 422);
    assert.equal(wrong.response.data.errors[0].code, "already_exists");
    assert.equal(wrong.response.data.errors[0].resource, "Repository");
    assert.equal((await octocat.rest.repos.delete(spoon)).status, 204);
    assert.equal((await failure(octocat.rest.repos.get(spoon))).status, 404);
  });

  test("an issue is created, labelled, edited and closed", async () => {
    const made = await hubot.rest.issues.create({ ...hello, title: "Broken", body: "So broken" });
    assert.equal(made.status, 201);
    assert.equal(made.data.state, "open");
    assert.equal(made.data.author_association, "NONE");
    const { number } = made.data;
    const issue = { ...hello, issue_number: number };
    const labelled = await octocat.rest.issues.addLabels({ ...issue, labels: ["bug", "help wanted"] });
    assert.deepEqual(labelled.data.map((label) => label.name).sort(), ["bug", "help wanted"]);
    await octocat.rest.issues.removeLabel({ ...issue, name: "help wanted" });
    const closed = await octocat.rest.issues.update({
      ...issue,
      state: "closed",
      state_reason: "not_planned",
      title: "Still broken",
      assignees: ["octocat"],
    });
    assert.equal(closed.data.state, "closed");
    assert.equal(closed.data.state_reason, "not_planned");
    assert.equal(closed.data.title, "Still broken");
    assert.equal(closed.data.closed_by?.login, "octocat");
    assert.equal(closed.data.assignee?.login, "octocat");
    assert.deepEqual(
      closed.data.labels.map((label) => (typeof label === "string" ? label : label.name)),
      ["bug"],
    );
    const again = await octocat.rest.issues.update({ ...issue, state: "closed" });
    assert.equal(again.data.closed_at, closed.data.closed_at);
    const reopened = await hubot.rest.issues.update({ ...issue, state: "open" });
    assert.equal(reopened.data.state_reason, "reopened");
    assert.equal(reopened.data.closed_at, null);

    const comment = await hubot.rest.issues.createComment({ ...issue, body: "Any news?" });
    assert.equal(comment.data.issue_url, `${twin.origin}/repos/octocat/hello/issues/${number}`);
    assert.equal((await octocat.rest.issues.lock({ ...issue, lock_reason: "too heated" })).status, 204);
    assert.equal((await failure(hubot.rest.issues.createComment({ ...issue, body: "!" }))).status, 403);
    const locked = await octocat.rest.issues.get(issue);
    assert.equal(locked.data.active_lock_reason, "too heated");
    assert.equal(locked.data.comments, 1);
    assert.equal((await octocat.rest.issues.unlock(issue)).status, 204);
    const edited = await hubot.rest.issues.updateComment({
      ...hello,
      comment_id: comment.data.id,
      body: "News!",
    });
    assert.equal(edited.data.body, "News!");
    assert.equal(
      (await hubot.rest.issues.deleteComment({ ...hello, comment_id: comment.data.id })).status,
      204,
    );
    assert.equal((await hubot.rest.issues.listComments(issue)).data.length, 0);
  });

  test("pages are followed by their links", async () => {
    await octocat.rest.repos.createForAuthenticatedUser({ name: "pages" });
    const pages = { owner: "octocat", repo: "pages" };
    for (let at = 1; at <= 7; at += 1) {
      twin.clock.moveBy(1000);
      await octocat.rest.issues.create({
        ...pages,
        title: `Issue ${at}`,
        labels: at % 2 === 0 ? ["even"] : ["odd", "a"],
      });
    }
    const requested = twin.requested.length;
    const all = await octocat.paginate(octocat.rest.issues.listForRepo, { ...pages, per_page: 3 });
    assert.deepEqual(
      all.map((issue) => issue.number),
      [7, 6, 5, 4, 3, 2, 1],
    );
    assert.deepEqual(twin.requested.slice(requested), [
      "GET /repos/octocat/pages/issues?per_page=3",
      "GET /repos/octocat/pages/issues?per_page=3&page=2",
      "GET /repos/octocat/pages/issues?per_page=3&page=3",
    ]);
    const odd = await octocat.rest.issues.listForRepo({ ...pages, labels: "odd,a", direction: "asc" });
    assert.deepEqual(
      odd.data.map((issue) => issue.number),
      [1, 3, 5, 7],
    );
    const since = await octocat.rest.issues.listForRepo({ ...pages, since: all[1]?.updated_at ?? "" });
    assert.equal(since.data.length, 2);
    const names: (string | null)[] = [];
    const search = octocat.paginate.iterator(octocat.rest.search.repos, { q: "pages", per_page: 1 });
    for await (const { data } of search) names.push(...data.map((repository) => repository.name));
    assert.deepEqual(names, ["pages"]);
    const counted = await octocat.rest.search.repos({ q: "PAGE" });
    assert.equal(counted.data.total_count, 1);
  });

  test("labels have names with spaces, and are renamed", async () => {
    const made = await octocat.rest.issues.createLabel({
      ...hello,
      name: "good first issue",
      color: "7057FF",
      description: "Good for newcomers",
    });
    assert.equal(made.data.color, "7057ff");
    assert.equal(made.data.url, `${twin.origin}/repos/octocat/hello/labels/good%20first%20issue`);
    const renamed = await octocat.rest.issues.updateLabel({
      ...hello,
      name: "good first issue",
      new_name: "first/issue",
    });
    assert.equal(renamed.data.name, "first/issue");
    assert.equal(
      (await octocat.rest.issues.getLabel({ ...hello, name: "first/issue" })).data.id,
      made.data.id,
    );
    const wrong = await failure(octocat.rest.issues.createLabel({ ...hello, name: "x", color: "red" }));
    assert.deepEqual(wrong.response.data.errors, [
      { value: "red", resource: "Label", field: "color", code: "invalid" },
    ]);
    assert.match(wrong.message, /^Validation Failed: \{.*"field":"color"/);
    assert.equal((await octocat.rest.issues.deleteLabel({ ...hello, name: "first/issue" })).status, 204);
  });

  test("an unchanged resource is answered with 304, and rates are reported", async () => {
    const first = await hubot.rest.repos.get(hello);
    const etag = first.headers.etag ?? "";
    assert.notEqual(etag, "");
    const same = await failure(hubot.rest.repos.get({ ...hello, headers: { "if-none-match": etag } }));
    assert.equal(same.status, 304);
    await octocat.rest.issues.create({ ...hello, title: "One more" });
    const other = await hubot.rest.repos.get({ ...hello, headers: { "if-none-match": etag } });
    assert.equal(other.status, 200);
    const list = await hubot.rest.issues.listForRepo(hello);
    const unchanged = await failure(
      hubot.rest.issues.listForRepo({ ...hello, headers: { "if-none-match": list.headers.etag ?? "" } }),
    );
    assert.equal(unchanged.status, 304);

    assert.equal(other.headers["x-ratelimit-limit"], "5000");
    assert.equal(other.headers["x-ratelimit-resource"], "core");
    const rate = await hubot.rest.rateLimit.get();
    assert.equal(rate.data.rate.limit, 5000);
    assert.equal(rate.data.rate.remaining, Number(unchanged.response.headers["x-ratelimit-remaining"]));
    assert.equal(String(rate.data.rate.reset), other.headers["x-ratelimit-reset"]);
  });

  test("errors have the service's texts, headers and versions", async () => {
    const bad = await failure(client("ghp_wrong").rest.users.getAuthenticated());
    assert.equal(bad.status, 401);
    assert.equal(bad.message, "Bad credentials - https://docs.github.com/rest");
    assert.equal(bad.response.headers["x-github-media-type"], "github.v3; format=json");
    const none = await failure(client().rest.users.getAuthenticated());
    assert.equal(none.response.data.message, "Requires authentication");
    const missing = await failure(hubot.rest.issues.create({ ...hello, title: "" }));
    assert.equal(missing.status, 422);
    assert.equal(missing.response.data.errors[0].code, "missing_field");
    const path = await failure(octocat.request("GET /no/such/thing"));
    assert.equal(path.status, 404);
    assert.equal(path.response.data.status, "404");
    const version = await failure(
      octocat.request("GET /user", { headers: { "x-github-api-version": "2020-01-01" } }),
    );
    assert.equal(version.status, 400);
    const known = await octocat.request("GET /user", {
      headers: { "x-github-api-version": "2022-11-28" },
      mediaType: { format: "full" },
    });
    assert.equal(known.headers["x-github-api-version-selected"], "2022-11-28");
  });

  test("a repository's webhooks are sent with signatures that the library accepts", async () => {
    const receiver = await receive();
    try {
      await octocat.rest.repos.createForAuthenticatedUser({ name: "hooked" });
      const hooked = { owner: "octocat", repo: "hooked" };
      const secret = "It's a Secret to Everybody";
      const hook = await octocat.rest.repos.createWebhook({
        ...hooked,
        config: { url: receiver.url, content_type: "json", secret },
        events: ["issues"],
      });
      assert.equal(hook.data.config.secret, "********");
      assert.equal((await failure(hubot.rest.repos.listWebhooks(hooked))).status, 403);
      const issue = await hubot.rest.issues.create({ ...hooked, title: "Reported" });
      await octocat.rest.issues.createLabel({ ...hooked, name: "untold" });
      await octocat.rest.issues.update({
        ...hooked,
        issue_number: issue.data.number,
        state: "closed",
      });
      await twin.pass(0);
      const webhooks = new Webhooks({ secret });
      const seen: unknown[] = [];
      webhooks.on("issues", ({ payload }) => {
        seen.push([payload.action, payload.issue.title, payload.repository.full_name, payload.sender?.login]);
      });
      for (const { headers, body } of receiver.received)
        await webhooks.verifyAndReceive({
          id: headers["x-github-delivery"] as string,
          name: headers["x-github-event"] as string,
          signature: headers["x-hub-signature-256"] as string,
          payload: body,
        });
      assert.deepEqual(seen, [
        ["opened", "Reported", "octocat/hooked", "hubot"],
        ["closed", "Reported", "octocat/hooked", "octocat"],
      ]);
      await octocat.rest.repos.deleteWebhook({ ...hooked, hook_id: hook.data.id });
    } finally {
      await receiver.close();
    }
  });
});
