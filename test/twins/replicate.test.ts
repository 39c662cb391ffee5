/** `examples/twins/replicate.md`, driven by Replicate's own library. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import Replicate, { type Prediction, validateWebhook } from "replicate";
import { type Receiver, receive } from "./receive.ts";
import { serveTwin, type Twin } from "./serve-twin.ts";

interface ApiError extends Error {
  readonly response: Response;
}

async function failure(work: Promise<unknown>): Promise<ApiError> {
  return work.then(
    () => assert.fail("did not fail"),
    (error: unknown) => error as ApiError,
  );
}

describe("the published Replicate library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  let receiver: Receiver;
  let ada: Replicate;
  const client = (auth: string) =>
    new Replicate({ auth, baseUrl: `${twin.origin}/v1`, useFileOutput: false });

  before(async () => {
    receiver = await receive();
    const many = Array.from(
      { length: 230 },
      () => 'Prediction with account = eve, model = echo, version = first, input = {"prompt": "x"}',
    );
    twin = await serveTwin("replicate", [
      'Account with username = "ada", token = "r8_ada" as ada',
      'Account with username = "eve", token = "r8_eve" as eve',
      'Model with owner = ada, name = "echo", description = "Says it back" as echo',
      "Version with model = echo as first",
      'Model with owner = ada, name = "hidden", visibility = "private" as hidden',
      "Version with model = hidden",
      ...many,
    ]);
    ada = client("r8_ada");
  });
  after(async () => {
    await twin.close();
    await receiver.close();
  });

  test("a model is run, and its output awaited", async () => {
    const seen: string[] = [];
    const output = await ada.run(
      "ada/echo",
      { input: { prompt: "Hello there" }, wait: { mode: "poll", interval: 1 } },
      (prediction: Prediction) => {
        seen.push(prediction.status);
        twin.clock.moveBy(1000);
      },
    );
    assert.deepEqual(output, ["Hello", "there"]);
    assert.deepEqual(seen, ["starting", "processing", "processing", "succeeded"]);
    await assert.rejects(
      ada.run("ada/echo", { input: { prompt: "fail" }, wait: { mode: "poll", interval: 1 } }, () =>
        twin.clock.moveBy(1000),
      ),
      { message: "Prediction failed: The prompt was fail." },
    );
  });

  test("a request with Prefer: wait gets the finished prediction in one response", async () => {
    const requested = twin.requested.length;
    let done = false;
    const running = ada.run("ada/echo", { input: { prompt: "All at once" } }).finally(() => {
      done = true;
    });
    // While the response is held, time passes. The number of steps doesn't matter.
    while (!done) {
      await twin.pass(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(await running, ["All", "at", "once"]);
    assert.deepEqual(twin.requested.slice(requested), ["POST /v1/models/ada/echo/predictions"]);
  });

  test("a prediction of a version is canceled, and deleted after an hour", async () => {
    const model = await ada.models.get("ada", "echo");
    const version = model.latest_version?.id ?? "";
    assert.match(version, /^[0-9a-f]{64}$/);
    const made = await ada.predictions.create({ version, input: { prompt: "One", deep: { list: [1, 2] } } });
    assert.equal(made.model, "ada/echo");
    assert.deepEqual(made.input, { prompt: "One", deep: { list: [1, 2] } });
    assert.equal(made.urls.get, `${twin.origin}/v1/predictions/${made.id}`);
    assert.equal((await ada.predictions.cancel(made.id)).status, "canceled");
    assert.equal((await ada.predictions.cancel(made.id)).status, "canceled");
    const again = await ada.predictions.create({ version, input: { prompt: "Two words" } });
    twin.clock.moveBy(3000);
    const done = await ada.predictions.get(again.id);
    assert.deepEqual(done.output, ["Two", "words"]);
    assert.equal(done.metrics?.predict_time, 2);
    assert.match(done.created_at, /\.\d{6}Z$/);
    twin.clock.moveBy(3_600_000);
    const forgotten = (await ada.predictions.get(again.id)) as Prediction & { data_removed: boolean };
    assert.equal(forgotten.data_removed, true);
    assert.equal(forgotten.output, null);
    assert.deepEqual(forgotten.input, {});
  });

  test("pages link to the next by absolute URLs", async () => {
    const eve = client("r8_eve");
    const requested = twin.requested.length;
    const sizes: number[] = [];
    const ids = new Set<string>();
    for await (const batch of eve.paginate(eve.predictions.list)) {
      sizes.push(batch.length);
      for (const prediction of batch) ids.add(prediction.id);
    }
    assert.deepEqual(sizes, [100, 100, 30]);
    assert.equal(ids.size, 230);
    assert.equal(twin.requested.length - requested, 3);
    assert.match(twin.requested.at(-1) ?? "", /^GET \/v1\/predictions\?cursor=/);
    assert.equal(
      ((await ada.models.versions.list("ada", "echo")) as unknown as { results: object[] }).results.length,
      1,
    );
  });

  test("models are created, found and hidden", async () => {
    const made = await ada.models.create("ada", "poet", {
      visibility: "public",
      hardware: "cpu",
      description: "Rhymes",
    });
    assert.equal(made.url, "https://replicate.com/ada/poet");
    assert.notEqual(made.latest_version, undefined);
    const found = await ada.models.search("rhym");
    assert.deepEqual(
      found.results.map((model) => model.name),
      ["poet"],
    );
    assert.deepEqual(
      (await ada.hardware.list()).map((hardware) => hardware.sku),
      ["cpu", "gpu-t4"],
    );
    const eve = client("r8_eve");
    assert.equal((await failure(eve.models.get("ada", "hidden"))).response.status, 404);
    assert.equal((await ada.models.get("ada", "hidden")).visibility, "private");
    assert.equal((await eve.models.list()).results.length, 2);
    const foreign = await failure(eve.models.create("ada", "x", { visibility: "public", hardware: "cpu" }));
    assert.equal(foreign.response.status, 403);
    assert.equal((await ada.accounts.current()).username, "ada");
  });

  test("errors have the service's texts", async () => {
    const none = await failure(client("r8_wrong").predictions.list());
    assert.equal(none.response.status, 401);
    assert.match(none.message, /"title":"Unauthenticated"/);
    const missing = await failure(ada.predictions.create({ version: "nope", input: { prompt: "x" } }));
    assert.equal(missing.response.status, 422);
    assert.match(missing.message, /The specified version does not exist/);
    const prompt = await failure(ada.predictions.create({ model: "ada/echo", input: {} }));
    assert.match(prompt.message, /- input: prompt is required/);
    assert.equal((await failure(ada.predictions.get("nope"))).response.status, 404);
  });

  test("webhooks are sent as requested, with signatures that the library accepts", async () => {
    const { key } = await ada.webhooks.default.secret.get();
    const made = await ada.predictions.create({
      model: "ada/echo",
      input: { prompt: "Ping" },
      webhook: receiver.url,
      webhook_events_filter: ["completed"],
    });
    await twin.pass(1000);
    assert.equal(receiver.received.length, 0);
    await twin.pass(3000);
    assert.equal(receiver.received.length, 1);
    const [hook] = receiver.received;
    assert.ok(hook);
    const body = JSON.parse(hook.body) as Prediction;
    assert.equal(body.id, made.id);
    assert.equal(body.status, "succeeded");
    const signed = {
      id: hook.headers["webhook-id"] as string,
      timestamp: hook.headers["webhook-timestamp"] as string,
      signature: hook.headers["webhook-signature"] as string,
      body: hook.body,
      secret: key,
    };
    assert.equal(await validateWebhook(signed), true);
    assert.equal(await validateWebhook({ ...signed, body: `${hook.body} ` }), false);
  });
});
