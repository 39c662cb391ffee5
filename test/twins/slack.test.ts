/** `examples/twins/slack.md`, driven by Slack's own library. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { LogLevel, WebClient } from "@slack/web-api";
import { serveTwin, type Twin } from "./serve-twin.ts";

interface PlatformError extends Error {
  readonly code: string;
  readonly data: { readonly error: string; readonly response_metadata?: { readonly messages?: string[] } };
}

async function failure(work: Promise<unknown>): Promise<PlatformError> {
  return work.then(
    () => assert.fail("did not fail"),
    (error: unknown) => error as PlatformError,
  );
}

describe("the published Slack library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  let ada: WebClient;
  let grace: WebClient;
  const client = (token?: string) =>
    new WebClient(token, {
      slackApiUrl: `${twin.origin}/api/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logLevel: LogLevel.ERROR,
    });

  before(async () => {
    twin = await serveTwin("slack", [
      'Team with name = "Works" as works',
      'User with team = works, name = "ada", email = "ada@example.com", is_admin = true as ada',
      'User with team = works, name = "grace", email = "grace@example.com" as grace',
      'Token with token = "xoxb-ada", user = ada',
      'Token with token = "xoxb-grace", user = grace',
      'Team with name = "Others" as others',
      'User with team = others, name = "eve" as eve',
      'Token with token = "xoxb-eve", user = eve',
    ]);
    ada = client("xoxb-ada");
    grace = client("xoxb-grace");
  });
  after(() => twin.close());

  test("the caller and the sent values are returned", async () => {
    const who = await ada.auth.test();
    assert.equal(who.ok, true);
    assert.equal(who.user, "ada");
    assert.equal(who.url, "https://works.slack.com/");
    assert.deepEqual(who.response_metadata?.scopes, [
      "chat:write",
      "channels:read",
      "channels:history",
      "reactions:write",
      "users:read",
    ]);
    const echo = await ada.apiCall("api.test", { foo: "bar" });
    assert.deepEqual((echo as unknown as { args: object }).args, { foo: "bar" });
    assert.equal((await failure(ada.api.test({ error: "my_error" }))).data.error, "my_error");
    assert.equal((await failure(client().auth.test())).data.error, "not_authed");
    const wrong = await failure(client("xoxb-wrong").auth.test());
    assert.equal(wrong.code, "slack_webapi_platform_error");
    assert.equal(wrong.message, "An API error occurred: invalid_auth");
    const method = await failure(ada.apiCall("no.such.method"));
    assert.deepEqual(
      { ...method.data, response_metadata: undefined },
      {
        ok: false,
        error: "unknown_method",
        req_method: "no.such.method",
        response_metadata: undefined,
      },
    );
  });

  test("a channel is created, found, joined and archived", async () => {
    const made = await ada.conversations.create({ name: "plans" });
    const channel = made.channel?.id ?? "";
    assert.match(channel, /^C[A-Z0-9]{10}$/);
    assert.equal(made.channel?.is_member, true);
    assert.equal((await failure(ada.conversations.create({ name: "plans" }))).data.error, "name_taken");
    const user = (await grace.auth.test()).user_id ?? "";
    assert.equal((await failure(grace.conversations.history({ channel }))).data.error, "not_in_channel");
    const invited = await ada.conversations.invite({ channel, users: user });
    assert.equal((invited.channel as { num_members?: number }).num_members, 2);
    assert.equal(
      (await failure(ada.conversations.invite({ channel, users: user }))).data.error,
      "already_in_channel",
    );
    assert.deepEqual((await ada.conversations.members({ channel })).members?.at(-1), user);
    const topic = await grace.conversations.setTopic({ channel, topic: "What next?" });
    assert.equal(topic.channel?.topic?.value, "What next?");
    assert.equal(
      (await failure(client("xoxb-eve").conversations.info({ channel }))).data.error,
      "channel_not_found",
    );
    const hidden = await ada.conversations.create({ name: "secret", is_private: true });
    assert.equal(
      (await failure(grace.conversations.info({ channel: hidden.channel?.id ?? "" }))).data.error,
      "channel_not_found",
    );
    const all = await ada.conversations.list({ types: "public_channel,private_channel" });
    assert.deepEqual(
      all.channels?.map((channel) => channel.name),
      ["plans", "secret"],
    );
    assert.equal((await ada.conversations.archive({ channel })).ok, true);
    assert.equal((await failure(ada.conversations.archive({ channel }))).data.error, "already_archived");
    assert.equal((await failure(ada.chat.postMessage({ channel, text: "x" }))).data.error, "is_archived");
    assert.equal((await ada.conversations.list({ exclude_archived: true })).channels?.length, 0);
  });

  test("messages are posted, replied to, changed, reacted to and deleted", async () => {
    const channel = (await ada.conversations.create({ name: "talk" })).channel?.id ?? "";
    const blocks = [{ type: "section" as const, text: { type: "mrkdwn" as const, text: "*Hello* & <bye>" } }];
    const posted = await ada.chat.postMessage({ channel: "#talk", text: "Hello", blocks });
    assert.equal(posted.channel, channel);
    assert.match(posted.ts ?? "", /^\d{10}\.\d{6}$/);
    assert.deepEqual(posted.message?.blocks, blocks);
    const ts = posted.ts ?? "";
    const answer = await ada.chat.postMessage({ channel, text: "Me too", thread_ts: ts });
    assert.equal(answer.message?.thread_ts, ts);
    const replies = await ada.conversations.replies({ channel, ts });
    assert.deepEqual(
      replies.messages?.map((message) => [message.text, message.thread_ts, message.reply_count]),
      [
        ["Hello", ts, 1],
        ["Me too", ts, undefined],
      ],
    );
    const changed = await ada.chat.update({ channel, ts, text: "Hello again" });
    assert.equal(changed.text, "Hello again");
    assert.deepEqual(
      await ada.reactions
        .add({ channel, timestamp: ts, name: "wave" })
        .then((reactionsAddResponse) => reactionsAddResponse.ok),
      true,
    );
    await ada.reactions.add({ channel, timestamp: ts, name: "+1" });
    assert.equal(
      (await failure(ada.reactions.add({ channel, timestamp: ts, name: "wave" }))).data.error,
      "already_reacted",
    );
    const user = (await ada.auth.test()).user_id;
    const [seen] = (await ada.conversations.history({ channel })).messages ?? [];
    assert.deepEqual(seen?.reactions, [
      { name: "wave", count: 1, users: [user] },
      { name: "+1", count: 1, users: [user] },
    ]);
    assert.equal(seen?.edited?.user, user);
    await ada.reactions.remove({ channel, timestamp: ts, name: "wave" });
    assert.equal(
      (await failure(ada.reactions.remove({ channel, timestamp: ts, name: "wave" }))).data.error,
      "no_reaction",
    );
    await ada.conversations.invite({ channel, users: (await grace.auth.test()).user_id ?? "" });
    assert.equal((await failure(grace.chat.delete({ channel, ts }))).data.error, "cant_delete_message");
    assert.equal((await ada.chat.delete({ channel, ts })).ts, ts);
    assert.equal(
      (await failure(ada.chat.update({ channel, ts, text: "?" }))).data.error,
      "message_not_found",
    );
  });

  test("cursors page through lists, and through a window of time", async () => {
    const channel = (await ada.conversations.create({ name: "many" })).channel?.id ?? "";
    const stamps: string[] = [];
    for (let at = 1; at <= 7; at += 1) {
      stamps.push((await ada.chat.postMessage({ channel, text: `No. ${at}` })).ts ?? "");
      twin.clock.moveBy(1000);
    }
    const texts: (string | undefined)[] = [];
    let pages = 0;
    for await (const page of ada.paginate("conversations.history", { channel, limit: 3 })) {
      const { messages } = page as unknown as { messages: { text?: string }[] };
      texts.push(...messages.map((message) => message.text));
      pages += 1;
    }
    assert.equal(pages, 3);
    assert.deepEqual(
      texts,
      [7, 6, 5, 4, 3, 2, 1].map((at) => `No. ${at}`),
    );
    const window = await ada.conversations.history({
      channel,
      oldest: stamps[1] as string,
      latest: stamps[4] as string,
      inclusive: true,
    });
    assert.equal(window.messages?.length, 4);
    assert.equal(window.has_more, false);
    const cursor = await failure(ada.conversations.history({ channel, cursor: "nonsense" }));
    assert.equal(cursor.data.error, "invalid_cursor");
    const two = await ada.conversations.history({ channel, limit: 2 });
    const other = await failure(
      ada.conversations.members({ channel, cursor: two.response_metadata?.next_cursor ?? "" }),
    );
    assert.equal(other.data.error, "invalid_cursor");
  });

  test("wrong arguments and too frequent calls are reported", async () => {
    const missing = await failure(ada.apiCall("conversations.invite", { users: "U1" }));
    assert.equal(missing.data.error, "invalid_arguments");
    assert.deepEqual(missing.data.response_metadata?.messages, ["[ERROR] missing required field: channel"]);
    const blocks = await failure(ada.apiCall("chat.postMessage", { channel: "#talk", blocks: "[{" }));
    assert.deepEqual(blocks.data.response_metadata?.messages, [
      "[ERROR] must be JSON [json-pointer:/blocks]",
    ]);
    assert.equal((await failure(ada.chat.postMessage({ channel: "#talk" } as never))).data.error, "no_text");
    assert.equal((await ada.users.lookupByEmail({ email: "grace@example.com" })).user?.name, "grace");
    assert.equal(
      (await failure(ada.users.lookupByEmail({ email: "eve@example.com" }))).data.error,
      "users_not_found",
    );
    assert.equal((await failure(ada.users.info({ user: "U000" }))).data.error, "user_not_found");
    for (let at = 0; at < 20; at += 1) assert.equal((await ada.users.list({})).members?.length, 2);
    const limited = (await failure(ada.users.list({}))) as PlatformError & { retryAfter: number };
    assert.equal(limited.code, "slack_webapi_rate_limited_error");
    assert.equal(limited.retryAfter, 60);
  });
});
