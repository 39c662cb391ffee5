/** `examples/twins/launchdarkly.md`, driven by LaunchDarkly's own library. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  Configuration,
  EnvironmentsApi,
  type FeatureFlag,
  FeatureFlagsApi,
  type PatchOperation,
  type PatchWithComment,
  ProjectsApi,
} from "launchdarkly-api-typescript";
import { serveTwin, startedAt, type Twin } from "./serve-twin.ts";

describe("the published LaunchDarkly library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  let flags: FeatureFlagsApi;
  let projects: ProjectsApi;
  let environments: EnvironmentsApi;
  const configured = (apiKey: string) => new Configuration({ apiKey, basePath: twin.origin });
  const isRefused =
    (status: number, code: string, message = /./) =>
    (error: unknown) => {
      const { response } = error as {
        response?: { status: number; data: { code: string; message: string } };
      };
      assert.deepEqual([response?.status, response?.data.code], [status, code]);
      assert.match(response?.data.message ?? "", message);
      return true;
    };
  const flag = async (key: string) => (await flags.getFeatureFlag("shop", key)).data;
  const make = async (key: string, rest: object = {}) =>
    (await flags.postFeatureFlag("shop", { key, name: key, ...rest })).data;
  const patch = async (key: string, operations: readonly PatchOperation[], comment?: string) =>
    (
      await flags.patchFeatureFlag("shop", key, {
        patch: [...operations],
        ...(comment === undefined ? {} : { comment }),
      })
    ).data;
  /**
   * Sends a body that the library's types do not allow. The media type selects the form, as the
   * library's documentation says.
   */
  const send = async (key: string, body: unknown, type: string) =>
    (
      await flags.patchFeatureFlag("shop", key, body as PatchWithComment, undefined, {
        headers: { "Content-Type": type },
      })
    ).data;
  const instruct = (key: string, ...instructions: readonly object[]) =>
    send(
      key,
      JSON.stringify({ environmentKey: "test", comment: "by hand", instructions }),
      "application/json; domain-model=launchdarkly.semanticpatch",
    );

  before(async () => {
    twin = await serveTwin("launchdarkly", [
      'Token with token = "api-writer", role = "writer"',
      'Token with token = "api-reader"',
    ]);
    const configuration = configured("api-writer");
    flags = new FeatureFlagsApi(configuration);
    projects = new ProjectsApi(configuration);
    environments = new EnvironmentsApi(configuration);
    await projects.postProject({ key: "shop", name: "Shop" });
  });
  after(() => twin.close());

  test("a project has environments from the start, and gets more", async () => {
    const made = (await projects.postProject({ key: "second", name: "Second", tags: ["a"] })).data;
    assert.match(made._id, /^[0-9a-f]{24}$/);
    const expanded = (await projects.getProject("second", "environments")).data;
    assert.deepEqual(
      expanded.environments?.items.map((environment) => environment.key),
      ["test", "production"],
    );
    const staging = { key: "staging", name: "Staging", color: "0000ff" };
    const added = (await environments.postEnvironment("second", staging)).data;
    assert.match(added.apiKey, /^sdk-/);
    assert.equal((await environments.getEnvironmentsByProject("second")).data.totalCount, 3);
    assert.equal((await environments.getEnvironment("second", "staging")).data._id, added._id);
    await environments.deleteEnvironment("second", "staging");
    await assert.rejects(environments.getEnvironment("second", "staging"), isRefused(404, "not_found"));
    await assert.rejects(
      projects.postProject({ key: "second", name: "Again" }),
      isRefused(409, "invalid_request", /already exists/),
    );
  });

  test("a project is changed by JSON Patch, sent as a list", async () => {
    const changed = await projects.patchProject("second", [
      { op: "replace", path: "/name", value: "Other" },
      { op: "add", path: "/tags/-", value: "b" },
    ]);
    assert.deepEqual([changed.data.name, changed.data.tags], ["Other", ["a", "b"]]);
    await assert.rejects(
      projects.patchProject("second", [{ op: "replace", path: "/name", value: 5 }]),
      isRefused(400, "invalid_request", /^name is wrong$/),
    );
    await assert.rejects(
      projects.patchProject("second", [{ op: "turn", path: "/name" }]),
      isRefused(400, "invalid_request", /^patch\[0\]\.op must be one of/),
    );
    await projects.deleteProject("second");
    const left = (await projects.getProjects()).data;
    assert.deepEqual([left.totalCount, left.items.map((project) => project.key)], [1, ["shop"]]);
  });

  test("a flag is created with defaults for fields that were not sent", async () => {
    const made = await make("plain");
    assert.equal(made.kind, "boolean");
    assert.deepEqual(
      made.variations.map((variation) => variation.value),
      [true, false],
    );
    assert.equal(new Set(made.variations.map((variation) => variation._id)).size, 2);
    assert.equal(made.creationDate, startedAt.getTime());
    assert.deepEqual([made._version, made.temporary, made.archived], [1, true, false]);
    assert.deepEqual(Object.keys(made.environments ?? {}).sort(), ["production", "test"]);
    assert.equal(made.environments?.["test"]?.on, false);
    assert.deepEqual(await flag("plain"), made);
    const featureFlag = (await flags.getFeatureFlag("shop", "plain", "test")).data;
    assert.deepEqual(Object.keys(featureFlag.environments ?? {}), ["test"]);
    await assert.rejects(make("plain"), isRefused(409, "invalid_request", /already exists/));
    const values = [{ value: "red", name: "Red" }, { value: "blue" }, { value: { hex: "#fff" } }];
    const colours = await make("colours", {
      variations: values,
      defaults: { onVariation: 2, offVariation: 0 },
    });
    assert.equal(colours.kind, "multivariate");
    assert.deepEqual(
      colours.variations.map(({ value, name }) => ({ value, ...(name === undefined ? {} : { name }) })),
      values,
    );
    await assert.rejects(
      make("wrong", { defaults: { onVariation: 2, offVariation: 0 } }),
      isRefused(400, "invalid_request", /indices/),
    );
  });

  test("a flag is changed by JSON Patch with a comment: all six operations", async () => {
    const made = await make("patched", { tags: ["a", "b"], description: "One" });
    twin.clock.moveBy(1000);
    const changed = await patch(
      "patched",
      [
        { op: "test", path: "/_version", value: 1 },
        { op: "replace", path: "/environments/test/on", value: true },
        { op: "add", path: "/environments/test/targets/-", value: { variation: 0, values: ["ada"] } },
        { op: "add", path: "/environments/test/targets/0/values/-", value: "eve" },
        { op: "remove", path: "/tags/0" },
        { op: "copy", path: "/variations/0/name", from: "/name" } as PatchOperation,
        { op: "move", path: "/variations/1/description", from: "/variations/0/name" } as PatchOperation,
        { op: "replace", path: "/description", value: "" },
      ],
      "turned on for some",
    );
    assert.deepEqual(changed.environments?.["test"]?.targets, [{ variation: 0, values: ["ada", "eve"] }]);
    assert.deepEqual([changed._version, changed.tags, changed.description], [2, ["b"], ""]);
    assert.equal(changed.variations[1]?.description, "patched");
    assert.equal(changed.variations[0]?.name, undefined);
    const { test: here, production: there } = changed.environments ?? {};
    assert.deepEqual([here?.on, here?.version, here?.lastModified], [true, 2, startedAt.getTime() + 1000]);
    assert.deepEqual(there, made.environments?.["production"]);
    assert.deepEqual(await flag("patched"), changed);
    twin.clock.moveBy(-1000);
  });

  test("two clients that patch the flag they have read don't overwrite each other", async () => {
    await make("contended");
    const turn = (on: boolean) =>
      patch("contended", [
        { op: "test", path: "/environments/test/version", value: 1 },
        { op: "replace", path: "/environments/test/on", value: on },
        { op: "replace", path: "/name", value: on ? "On" : "Off" },
      ]);
    const ends = await Promise.allSettled([turn(true), turn(false)]);
    const done = ends.filter((end) => end.status === "fulfilled");
    const failed = ends.filter((end) => end.status === "rejected");
    assert.deepEqual([done.length, failed.length], [1, 1]);
    assert.ok(isRefused(409, "optimistic_locking_error", /^Conflict\./)(failed[0]?.reason));
    const kept = await flag("contended");
    assert.equal(kept.name, kept.environments?.["test"]?.on ? "On" : "Off");
    assert.equal(kept._version, 2);
  });

  test("a patch in another form: a list with its own media type, a merge patch", async () => {
    await make("forms", { customProperties: { jira: { name: "Jira", value: ["A-1"] } } });
    const listed = await send(
      "forms",
      JSON.stringify([{ op: "replace", path: "/name", value: "Listed" }]),
      "application/json-patch+json",
    );
    assert.equal(listed.name, "Listed");
    const merged = await send(
      "forms",
      {
        merge: {
          description: "Merged",
          environments: { test: { on: true } },
          customProperties: { jira: null },
        },
      },
      "application/json",
    );
    assert.deepEqual(
      [merged.name, merged.description, merged.customProperties, merged.environments?.["test"]?.on],
      ["Listed", "Merged", {}, true],
    );
    const bare = await send("forms", JSON.stringify({ name: "Bare" }), "application/merge-patch+json");
    assert.equal(bare.name, "Bare");
  });

  test("a flag is changed by instructions, all of them or none", async () => {
    const made = await make("instructed", { tags: ["x"] });
    const [on, off] = made.variations.map((variation) => variation._id);
    const changed = await instruct(
      "instructed",
      { kind: "turnFlagOn" },
      { kind: "addTags", values: ["y"] },
      { kind: "addTargets", values: ["ada"], variationId: off },
      { kind: "addTargets", values: ["eve", "ada"], variationId: off },
      { kind: "updateFallthroughVariationOrRollout", variationId: on },
      { kind: "updateOffVariation", variationId: on },
      { kind: "addVariation", value: true, name: "Third" },
      { kind: "makeFlagPermanent" },
    );
    const here = changed.environments?.["test"];
    assert.deepEqual(here?.targets, [{ values: ["ada", "eve"], variation: 1, contextKind: "user" }]);
    assert.deepEqual([here?.on, here?.offVariation, here?.fallthrough], [true, 0, { variation: 0 }]);
    assert.deepEqual([changed.tags, changed.temporary, changed.variations.length], [["x", "y"], false, 3]);
    assert.equal(changed.kind, "multivariate");
    await assert.rejects(
      instruct(
        "instructed",
        { kind: "turnFlagOff" },
        { kind: "addTargets", values: ["x"], variationId: "none" },
      ),
      isRefused(400, "invalid_request", /is no variation/),
    );
    assert.deepEqual(await flag("instructed"), changed);
    assert.equal((await instruct("instructed", { kind: "turnFlagOn" }))._version, changed._version);
    await assert.rejects(
      send("instructed", { instructions: [{ kind: "turnFlagOff" }] }, "application/json"),
      isRefused(400, "invalid_request", /instructions/),
    );
  });

  test("a patch with an invalid result is rejected, and nothing of it is stored", async () => {
    const made = await make("kept");
    const refused: readonly (readonly [PatchOperation, RegExp])[] = [
      [{ op: "replace", path: "/name", value: 5 }, /^name is wrong$/],
      [{ op: "replace", path: "/nowhere", value: 5 }, /^nothing is at \/nowhere$/],
      [{ op: "replace", path: "/_version", value: 5 }, /^_version can't be changed$/],
      [{ op: "replace", path: "/key", value: "x" }, /^key can't be changed$/],
      [{ op: "remove", path: "/environments/test" }, /environments/],
      [{ op: "add", path: "/variations/7", value: {} }, /^nothing is at/],
      [{ op: "add", path: "/__proto__/x", value: 1 }, /^nothing is at/],
      [{ op: "remove", path: "/variations/0" }, /^variations is wrong$/],
      [{ op: "add", path: "/variations/0/_id", value: "x" }, /^variations is wrong$/],
      [{ op: "add", path: "/variations/0/colour", value: "red" }, /^variations is wrong$/],
      [{ op: "replace", path: "/variations/0/value", value: null }, /^variations is wrong$/],
      [{ op: "replace", path: "/defaults/onVariation", value: 2 }, /^defaults must be indices/],
      [{ op: "replace", path: "/tags", value: ["a", "a"] }, /^tags is wrong$/],
      [{ op: "add", path: "/customProperties/a", value: { name: "a", value: "b" } }, /^customProperties is/],
      [{ op: "replace", path: "/environments/test/on", value: 1 }, /^environments is wrong$/],
      [{ op: "turn", path: "/name" }, /^"turn" is no operation$/],
    ];
    for (const [operation, message] of refused)
      await assert.rejects(
        patch("kept", [{ op: "replace", path: "/description", value: "lost" }, operation]),
        isRefused(400, "invalid_request", message),
        operation.path,
      );
    for (const body of [
      "5",
      "null",
      '"x"',
      "[5]",
      "[[]]",
      '{"patch": 5}',
      '{"merge": 5}',
      '{"merge": {"name": null}}',
    ])
      await assert.rejects(send("kept", body, "application/json"), isRefused(400, "invalid_request"), body);
    assert.deepEqual(await flag("kept"), made);
  });

  test("flags are listed by pages, filters and orders", async () => {
    await projects.postProject({ key: "list", name: "List" });
    const post = (key: string, rest: object = {}) =>
      flags.postFeatureFlag("list", { key, name: key.toUpperCase(), ...rest });
    for (const key of ["dark-mode", "dark-menu", "light", "beta", "alpha"]) {
      twin.clock.moveBy(1000);
      await post(key, { tags: key.startsWith("dark") ? ["ui", key] : ["core"], temporary: key !== "light" });
    }
    const list = async (given: {
      tag?: string;
      limit?: number;
      offset?: number;
      filter?: string;
      sort?: string;
      env?: string;
    }) =>
      (
        await flags.getFeatureFlags(
          "list",
          given.env,
          given.tag,
          given.limit,
          given.offset,
          undefined,
          true,
          given.filter,
          given.sort,
        )
      ).data;
    const keys = async (given: Parameters<typeof list>[0]) =>
      (await list(given)).items.map((featureFlag: FeatureFlag) => featureFlag.key);
    assert.deepEqual(await keys({ sort: "key" }), ["alpha", "beta", "dark-menu", "dark-mode", "light"]);
    assert.deepEqual(await keys({ sort: "-name", limit: 2 }), ["light", "dark-mode"]);
    assert.deepEqual(await keys({ sort: "-creationDate", limit: 1 }), ["alpha"]);
    assert.deepEqual(await keys({ tag: "core", sort: "key" }), ["alpha", "beta", "light"]);
    assert.deepEqual(await keys({ filter: "query:DARK,tags:ui+dark-menu" }), ["dark-menu"]);
    assert.deepEqual(await keys({ filter: "type:permanent" }), ["light"]);
    const before = startedAt.getTime() + 3000;
    assert.deepEqual(await keys({ filter: `creationDate:{"before":${before}}` }), ["dark-mode", "dark-menu"]);
    await flags.patchFeatureFlag("list", "beta", {
      patch: [{ op: "replace", path: "/archived", value: true }],
    });
    assert.equal((await list({})).totalCount, 4);
    assert.deepEqual(await keys({ filter: "state:archived" }), ["beta"]);
    assert.deepEqual(await keys({ filter: "state:live", sort: "key", limit: 1 }), ["alpha"]);
    await assert.rejects(list({ filter: "nothing:x" }), isRefused(400, "invalid_request", /is not a filter/));
    const first = await list({ limit: 3, sort: "key", env: "test" });
    assert.deepEqual(Object.keys(first.items[0]?.environments ?? {}), ["test"]);
    assert.deepEqual([first._links["first"], first._links["prev"]], [undefined, undefined]);
    const next = await fetch(twin.origin + (first._links["next"]?.href ?? ""), {
      headers: { Authorization: "api-writer" },
    });
    const { items } = (await next.json()) as { items: readonly { key: string }[] };
    assert.deepEqual(
      items.map((listed) => listed.key),
      ["light"],
    );
    assert.equal((await list({})).items[0]?.environments, undefined);
    twin.clock.moveBy(-5000);
  });

  test("a flag is cloned, and deleted", async () => {
    await make("original");
    await patch("original", [{ op: "replace", path: "/environments/production/on", value: true }]);
    const cloned = (await flags.postFeatureFlag("shop", { key: "copy", name: "Copy" }, "original")).data;
    assert.equal(cloned.environments?.["production"]?.on, true);
    assert.equal((await flags.deleteFeatureFlag("shop", "copy")).status, 204);
    await assert.rejects(flag("copy"), isRefused(404, "not_found", /^Invalid resource identifier$/));
    await assert.rejects(
      flags.postFeatureFlag("shop", { key: "c", name: "C" }, "nowhere"),
      isRefused(404, "not_found", /nowhere/),
    );
  });

  test("a new environment is in all flags", async () => {
    await make("early");
    await environments.postEnvironment("shop", { key: "late", name: "Late", color: "ffffff" });
    const on = await patch("early", [{ op: "replace", path: "/environments/late/on", value: true }]);
    assert.equal(on.environments?.["late"]?.on, true);
    assert.equal((await flag("plain")).environments?.["late"]?.version, 1);
  });

  test("permissions and rates are reported as by the service", async () => {
    const reader = new FeatureFlagsApi(configured("api-reader"));
    const read = await reader.getFeatureFlag("shop", "plain");
    assert.ok(Number(read.headers["x-ratelimit-global-remaining"]) > 0);
    assert.ok(Number(read.headers["x-ratelimit-reset"]) > startedAt.getTime());
    await assert.rejects(reader.deleteFeatureFlag("shop", "plain"), isRefused(403, "forbidden"));
    const stranger = new FeatureFlagsApi(configured("api-unknown"));
    await assert.rejects(
      stranger.getFeatureFlags("shop"),
      isRefused(401, "unauthorized", /^Invalid access token$/),
    );
    await assert.rejects(flags.getFeatureFlags("nowhere"), isRefused(404, "not_found"));
  });
});
