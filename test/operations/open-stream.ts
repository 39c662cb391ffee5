/** Stream client: reads `GET /api/stream` as the console does, frame by frame. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { OperationsAddress } from "../../src/cli/operations/operations-address.ts";
import { withToken } from "./start-operations.ts";

export interface Report {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames of all topics
  readonly data: any;
}

export interface OpenStream {
  readonly answer: IncomingMessage;
  /** All frames so far. */
  readonly frames: readonly Report[];
  /** Waits for the first unread frame that meets the condition. */
  until(isIt: (frame: Report) => unknown): Promise<Report>;
  /** Resolves when the server has closed the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

export async function openStream(
  { door }: { readonly door: Pick<OperationsAddress, "url" | "token"> },
  topics: string,
  lastId?: string,
): Promise<OpenStream> {
  const requested = request(`${door.url}/api/stream?topics=${topics}`, {
    headers: { ...withToken(door), ...(lastId === undefined ? {} : { "Last-Event-ID": lastId }) },
    agent: false,
  });
  requested.end();
  const [answer] = (await once(requested, "response")) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  const frames: Report[] = [];
  let looked = 0;
  let text = "";
  let look = () => {};
  answer.setEncoding("utf8");
  answer.on("data", (piece: string) => {
    text += piece;
    const whole = text.split("\n\n");
    text = whole.pop() as string;
    for (const frame of whole) if (/^(?:id|event):/.test(frame)) frames.push(frameOf(frame));
    look();
  });
  answer.on("error", () => {});
  const ended = new Promise<void>((resolve) => answer.once("close", resolve));
  return {
    answer,
    frames,
    ended,
    until: (isIt) =>
      new Promise((resolve) => {
        look = () => {
          while (looked < frames.length) {
            const frame = frames[looked] as Report;
            looked += 1;
            if (!isIt(frame)) continue;
            look = () => {};
            resolve(frame);
            return;
          }
        };
        look();
      }),
    close: () => void requested.destroy(),
  };
}

function frameOf(text: string): Report {
  const of = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1];
  return { id: of("id"), event: of("event") ?? "", data: JSON.parse(of("data") ?? "null") };
}
