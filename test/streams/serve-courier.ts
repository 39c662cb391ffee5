/**
 * Courier service: the document `test/documents/courier.md`, served in this process or over a
 * socket, with a clock that moves. Tests of streams and held responses use it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import { compile } from "../../src/compile.ts";
import { createGivenRecords } from "../../src/engine/given.ts";
import { createRequest, type HeaderLine, type StreamedBody } from "../../src/engine/http/message.ts";
import { createMovableClock, type Log, type MovableClock, silentLog } from "../../src/engine/ports.ts";
import type { Service } from "../../src/engine/service.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import type { Model } from "../../src/model/model.ts";
import type { Store } from "../../src/store/store.ts";
import { readBlocks, type StreamBlock } from "../../src/verify/event-stream.ts";
import { quiet } from "../contracts/serve-document.ts";

export const courierText = readFileSync(join(import.meta.dirname, "..", "documents", "courier.md"), "utf8");

export interface Courier {
  readonly model: Model;
  readonly service: Service;
  readonly store: Store;
  readonly clock: MovableClock;
  send(method: string, target: string, options?: SendOptions): Promise<Sent>;
  /** Opens a stream; `close` closes it. */
  open(target: string, options?: SendOptions): Promise<OpenedStream>;
  given(items: string): Promise<void>;
  close(): Promise<void>;
}

export interface SendOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream?: StreamedBody;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  readonly json: any;
}

export interface OpenedStream {
  readonly status: number;
  /** Reads until this number of further events has arrived, or the stream is closed. */
  events(count: number): Promise<readonly StreamBlock[]>;
  /** Returns the next chunk as it arrives; null at the end. */
  piece(): Promise<string | null>;
  close(): void;
}

export const keys = { ada: "sk_ada_00000001", grace: "sk_grace_000001" } as const;

const people = `
- Given: \`Shop with name = "Ada & Co" as ada\`
- Given: \`Shop with name = "Grace Ltd" as grace\`
- Given: \`ApiKey with shop = ada, key = "${keys.ada}" as adaKey\`
- Given: \`ApiKey with shop = grace, key = "${keys.grace}"\`
`;

export async function openCourier(
  options: { readonly text?: string; readonly path?: string; readonly log?: Log } = {},
): Promise<Courier> {
  const { model, diagnostics } = compile(options.text ?? courierText, { file: "courier.md" });
  const mistakes = diagnostics.filter(
    (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error",
  );
  assert.deepEqual(
    mistakes.map((mistake) => `${mistake.position.start.line}: ${mistake.message}`),
    [],
  );
  assert.ok(model);
  const store = await openModelStore(model, options.path ?? ":memory:", quiet);
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00.000Z"));
  const log = options.log ?? silentLog;
  const service = await openService(model, store, { clock, log }, { origin: () => "http://localhost" });
  const names = new Map();
  const given = async (items: string) => {
    const known = new Map([...names].map(([name, entry]) => [name, entry.resource]));
    const read = readGivenItems(model, "given.md", items, known);
    assert.deepEqual(read.diagnostics, []);
    await createGivenRecords(service, read.steps, { names });
  };
  if (await store.isEmpty()) await given(people);
  const fetch = (method: string, target: string, { key, headers = {}, body, signal }: SendOptions) =>
    service.fetch(
      createRequest({
        method,
        target,
        headers: [
          ...(key === undefined ? [] : [["Authorization", `Bearer ${key}`] as HeaderLine]),
          ...(body === undefined ? [] : [["Content-Type", "application/json"] as HeaderLine]),
          ...Object.entries(headers),
        ],
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      }),
    );
  return {
    model,
    service,
    store,
    clock,
    async send(method, target, sending = {}) {
      const answer = await fetch(method, target, sending);
      const headers = Object.fromEntries(answer.headers.map(([name, value]) => [name.toLowerCase(), value]));
      const { status, body } = answer;
      if (typeof body === "string") return { status, headers, json: body === "" ? null : JSON.parse(body) };
      assert.ok(!(body instanceof Uint8Array));
      return { status, headers, stream: body as StreamedBody, json: null };
    },
    async open(target, sending = {}) {
      const leaving = new AbortController();
      const { status, body } = await fetch("GET", target, { ...sending, signal: leaving.signal });
      if (typeof body === "string" || body instanceof Uint8Array) return closedStream(status);
      return streamOf(status, body, leaving);
    },
    given,
    async close() {
      await service.close();
      await store.close();
    },
  };
}

function closedStream(status: number): OpenedStream {
  return { status, events: async () => [], piece: async () => null, close() {} };
}

function streamOf(
  status: number,
  body: AsyncIterable<string | Uint8Array>,
  leaving: AbortController,
): OpenedStream {
  const pieces = body[Symbol.asyncIterator]();
  let text = "";
  let reported = 0;
  const piece = async () => {
    const next = await pieces.next();
    if (next.done) return null;
    text += String(next.value);
    return String(next.value);
  };
  return {
    status,
    piece,
    async events(count) {
      const all = () => readBlocks(text).filter((block) => block.data !== undefined);
      while (all().length < reported + count && (await piece()) !== null);
      const more = all().slice(reported, reported + count);
      reported += more.length;
      return more;
    },
    close: () => leaving.abort(),
  };
}
