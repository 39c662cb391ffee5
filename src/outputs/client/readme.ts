/** The package's README: how to connect, and an example of each feature from the document. */
import type { Wire } from "../wire/wire.ts";
import { connectionLines } from "./call-code.ts";
import type { ClientFunction, ClientPlan } from "./client-plan.ts";
import { isVerified } from "./index-module.ts";
import { sampleCall, sampleText } from "./sample-call.ts";

export function readmeText(wire: Wire, plan: ClientPlan): string {
  const functions = plan.modules.flatMap((module) => module.functions);
  const [waiter] = plan.modules.flatMap((module) => module.waiters);
  const lists = functions.find((clientFunction) => clientFunction.kind === "list");
  const streams = functions.find((clientFunction) => clientFunction.kind === "stream");
  const [error] = functions.flatMap((clientFunction) => clientFunction.errors);
  const first = firstOf(functions);
  const callText = (clientFunction: ClientFunction) => sampleCall(wire, clientFunction);
  return [
    `# ${wire.title} client\n`,
    `A typed client for ${wire.title}${wire.version ? `, version ${wire.version.name}` : ""}, for Node and browsers. Made by \`ninefold export client\`: change the\ndocument, not these files.\n`,
    ...gapLines(wire),
    ...(first
      ? [
          section(
            "Connect and call",
            `${connectionLines(wire, [
              "connect",
              ...new Set([first.name, ...[lists, waiter, streams].flatMap((item) => item?.name ?? [])]),
              error?.name ?? "ApiError",
              ...(isVerified(wire) ? ["verifyWebhook"] : []),
            ])}\nconst answer = await ${callText(first)};`,
          ),
        ]
      : ["The document shows no endpoint, so there is nothing to call.\n"]),
    ...(lists
      ? [
          section(
            "Pages",
            `const page = await ${callText(lists)};\nfor await (const item of ${callText(lists)}) console.log(item);`,
            "Awaited, a list is its first page; iterated, it is the items of all pages, each page requested when it is needed.",
          ),
        ]
      : []),
    ...(waiter
      ? [
          section(
            "Wait for a state",
            `await ${waiter.name}(${["client", ...waiter.read.path.map(({ parameter }) => sampleText(wire, parameter.schema)), JSON.stringify(waiter.states.at(-1))].join(", ")}, { timeoutMs: 30_000 });`,
            "Polls with growing pauses. `DeadEnd` is thrown at once if the state can't be reached any more, `WaitedInVain` at the time-out.",
          ),
        ]
      : []),
    ...(streams
      ? [
          section(
            "Streams",
            `for await (const { event, data } of ${callText(streams)}) console.log(event, data);`,
            "A stream that is cut goes on behind the last event seen. Leaving the loop ends it, and so does an option `signal`.",
          ),
        ]
      : []),
    ...(first
      ? [
          section(
            "Errors",
            `try {\n  await ${callText(first)};\n} catch (error) {\n  if (error instanceof ${error?.name ?? "ApiError"}) console.log(error.status, error.body, error.requestId);\n  else throw error;\n}`,
            "Each code of the document is a class, all of them `ApiError`s. Reads, `PUT`, `DELETE` and requests with an idempotency key are retried twice if the network or the service (503) fails, and every request that exceeded a rate limit (429), after the time of `Retry-After`.",
          ),
        ]
      : []),
    ...(isVerified(wire)
      ? [
          section(
            "Webhooks",
            `async function receive(request: Request, secret: string) {\n  const event = await verifyWebhook(request.headers, await request.text(), secret);\n  console.log(event);\n}`,
            "Pass the body exactly as received. `NotGenuine` is thrown if the service hasn't sent it, or not within five minutes.",
          ),
        ]
      : []),
  ].join("\n");
}

function section(title: string, code: string, words?: string): string {
  return `## ${title}\n\n${words === undefined ? "" : `${words}\n\n`}\`\`\`ts\n${code}\n\`\`\`\n`;
}

function gapLines({ gaps }: Wire): readonly string[] {
  if (gaps.length === 0) return [];
  const lines = gaps.map(({ subject, position }) => `- ${subject} (line ${position.start.line})\n`);
  return [`The document doesn't show, so that it isn't here either:\n\n${lines.join("")}`];
}

/** A call without prerequisites, preferably from a scenario. */
function firstOf(functions: readonly ClientFunction[]): ClientFunction | undefined {
  const plain = functions.filter((clientFunction) => clientFunction.kind !== "stream");
  return (
    plain.find(
      (clientFunction) => clientFunction.path.length === 0 && clientFunction.operation.examples.length > 0,
    ) ?? plain[0]
  );
}
