/**
 * AsyncAPI 1.2, 2.x and 3.0: the messages that the described application sends are events. What it
 * receives is kept in a comment.
 */
import type { Files } from "../openapi/description/files.ts";
import { isPlain, listOf, member, type Plain, plainOf, textOf } from "../openapi/description/values.ts";

interface Message {
  readonly name: string;
  readonly node: unknown;
}

/** Converts AsyncAPI to OpenAPI 3 with webhooks: the same files with a converted first one. */
export function asyncApiAsOpenApi(files: Files): Files {
  const { first } = files;
  const { sent, received } = /^[12]\./.test(textOf(member(first, "asyncapi")) ?? "")
    ? messagesOfChannels(files)
    : messagesOfOperations(files);
  const webhooks = new Map<string, Plain>();
  for (const { name, node } of sent) {
    const payload = member(files.follow(node), "payload");
    const content = payload === undefined ? {} : { "application/json": { schema: payload } };
    if (!webhooks.has(name)) webhooks.set(name, { post: { requestBody: { content } } });
  }
  return {
    ...files,
    first: {
      info: member(first, "info"),
      webhooks: Object.fromEntries(webhooks),
      "x-ninefold-seen": received.map((name) => `${name}: a message that the application receives`),
    },
  };
}

interface Messages {
  readonly sent: readonly Message[];
  readonly received: readonly string[];
}

/** Up to 2.x a channel's `subscribe` is what others may subscribe to: the application sends it. */
function messagesOfChannels(files: Files): Messages {
  const { first } = files;
  const channels = Object.entries(plainOf(member(first, "channels") ?? member(first, "topics")));
  const of = (key: "subscribe" | "publish") =>
    channels.flatMap(([channel, written]) => {
      const operation = files.follow(member(files.follow(written), key));
      if (!isPlain(operation)) return [];
      // Version 1 has the message itself here.
      const message = member(first, "topics") === undefined ? member(operation, "message") : operation;
      const several = listOf(member(files.follow(message), "oneOf"));
      return several.length > 0
        ? several.map((node) => messageOf(files, node, channel))
        : [{ ...messageOf(files, message, channel), name: channel }];
    });
  return { sent: of("subscribe"), received: of("publish").map(({ name }) => name) };
}

function messageOf(files: Files, node: unknown, otherwise: string): Message {
  return { name: textOf(member(files.follow(node), "name")) ?? files.nameOf(node) ?? otherwise, node };
}

/** In 3.0 operations say who sends: `action: send` is the application. */
function messagesOfOperations(files: Files): Messages {
  const operations = Object.values(plainOf(member(files.first, "operations"))).map((node) =>
    files.follow(node),
  );
  const of = (action: string) =>
    operations
      .filter((operation) => member(operation, "action") === action)
      .flatMap((operation) => {
        const listed = listOf(member(operation, "messages"));
        if (listed.length > 0) return listed.map((node) => messageOf(files, node, "message"));
        const channel = plainOf(member(files.follow(member(operation, "channel")), "messages"));
        return Object.entries(channel).map(([key, node]) => messageOf(files, node, key));
      });
  return { sent: of("send"), received: of("receive").map(({ name }) => name) };
}
