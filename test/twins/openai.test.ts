/** `examples/twins/openai.md`, driven by OpenAI's own library. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import OpenAI from "openai";
import { serveTwin, type Twin } from "./serve-twin.ts";

describe("the published OpenAI library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  let ada: OpenAI;
  const client = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${twin.origin}/v1`, maxRetries: 0 });
  const says = (content: string) => [{ role: "user" as const, content }];

  before(async () => {
    twin = await serveTwin("openai", [
      'Account with name = "ada", key = "sk-ada"',
      'Account with name = "eve", key = "sk-eve"',
    ]);
    ada = client("sk-ada");
  });
  after(() => twin.close());

  test("a completion is returned at once", async () => {
    const made = await ada.chat.completions.create({ model: "echo-1", messages: says("Hello there") });
    assert.match(made.id, /^chatcmpl-[A-Za-z0-9]{29}$/);
    assert.equal(made.created, Math.floor(twin.clock.now() / 1000));
    assert.equal(made.choices[0]?.message.content, "Hello there");
    assert.equal(made.choices[0]?.finish_reason, "stop");
    assert.deepEqual(made.usage, { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 });
  });

  test("a completion is streamed in response to the request that creates it, and read back", async () => {
    const stream = await ada.chat.completions.create({
      model: "echo-1",
      messages: says("Grüße an\nalle  hier"),
      stream: true,
      store: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    const ids = new Set<string>();
    let total = 0;
    for await (const chunk of stream) {
      ids.add(chunk.id);
      pieces.push(chunk.choices[0]?.delta.content ?? "");
      total += chunk.usage?.total_tokens ?? 0;
    }
    assert.equal(pieces.join(""), "Grüße an\nalle  hier");
    assert.ok(pieces.length > 4);
    assert.ok(total > 0);
    const [id] = ids;
    assert.equal(ids.size, 1);
    const kept = await ada.chat.completions.retrieve(id ?? "");
    assert.equal(kept.choices[0]?.message.content, "Grüße an\nalle  hier");
  });

  test("the library's own helper assembles a stream", async () => {
    const stream = ada.chat.completions.stream({ model: "echo-2", messages: says("One two three") });
    const deltas: string[] = [];
    stream.on("content", (delta) => deltas.push(delta));
    const whole = await stream.finalChatCompletion();
    assert.equal(whole.choices[0]?.message.content, "One two three");
    assert.deepEqual(deltas.filter(Boolean), ["One", " two", " three"]);
  });

  test("stored completions are listed by pages, changed and deleted; others are not found", async () => {
    const eve = client("sk-eve");
    const made: string[] = [];
    for (const n of [1, 2, 3, 4, 5])
      made.push(
        (
          await eve.chat.completions.create({
            model: n === 5 ? "echo-2" : "echo-1",
            messages: says(`Number ${n}`),
            store: true,
            metadata: { n: String(n) },
          })
        ).id,
      );
    const passing = await eve.chat.completions.create({ model: "echo-1", messages: says("Passing") });
    await assert.rejects(eve.chat.completions.retrieve(passing.id), OpenAI.NotFoundError);
    const requested = twin.requested.length;
    const listed: string[] = [];
    for await (const chatCompletion of eve.chat.completions.list({ limit: 2, order: "desc" }))
      listed.push(chatCompletion.id);
    assert.deepEqual(listed, made.toReversed());
    assert.equal(twin.requested.length - requested, 3);
    const second = await eve.chat.completions.list({ model: "echo-2" });
    assert.deepEqual(
      second.data.map((chatCompletion) => chatCompletion.id),
      made.slice(4),
    );
    const [first = ""] = made;
    const changed = await eve.chat.completions.update(first, { metadata: { seen: "yes" } });
    assert.deepEqual(changed.metadata, { seen: "yes" });
    assert.deepEqual(await eve.chat.completions.delete(first), {
      object: "chat.completion.deleted",
      id: first,
      deleted: true,
    });
    await assert.rejects(eve.chat.completions.retrieve(first), OpenAI.NotFoundError);
    await assert.rejects(ada.chat.completions.retrieve(made[1] ?? ""), OpenAI.NotFoundError);
  });

  test("models are listed and read", async () => {
    const ids: string[] = [];
    for await (const model of ada.models.list()) ids.push(model.id);
    assert.deepEqual(ids, ["echo-1", "echo-2"]);
    assert.equal((await ada.models.retrieve("echo-1")).owned_by, "system");
  });

  test("errors have the library's classes", async () => {
    await assert.rejects(client("sk-wrong").models.list(), OpenAI.AuthenticationError);
    await assert.rejects(ada.models.retrieve("nope"), OpenAI.NotFoundError);
    await assert.rejects(
      ada.chat.completions.create({ model: "nope", messages: says("x"), stream: true }),
      (error) =>
        error instanceof OpenAI.NotFoundError &&
        error.code === "model_not_found" &&
        error.param === "model" &&
        error.message.includes("`nope`"),
    );
    await assert.rejects(
      ada.chat.completions.create({ model: "echo-1", messages: [] }),
      (error) => error instanceof OpenAI.BadRequestError && error.param === "messages",
    );
  });
});
