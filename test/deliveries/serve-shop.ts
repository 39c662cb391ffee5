/**
 * Shop service: the document of these tests, served in this process, with a clock that moves and
 * receivers that the tests play.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../src/compile.ts";
import { createGivenRecords } from "../../src/engine/given.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import type { Mailer } from "../../src/engine/outbound/mailer.ts";
import type { Outbound, OutboundRequest, OutboundResponse } from "../../src/engine/outbound/outbound.ts";
import { createMovableClock, type Log, silentLog, type MovableClock } from "../../src/engine/ports.ts";
import { createService, type Service } from "../../src/engine/service.ts";
import type { Tracer } from "../../src/engine/trace.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model } from "../../src/model/model.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { openStore } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";

const startMs = Date.parse("2026-11-20T12:00:00.000Z");

export const shopText = readFileSync(join(import.meta.dirname, "shop.md"), "utf8");

/** @param text a document without mistakes */
export function modelOf(text: string): Model {
  const { model, diagnostics } = compile(text, { file: "shop.md" });
  const mistakes = diagnostics.filter(
    (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error",
  );
  assert.deepEqual(
    mistakes.map((mistake) => `${mistake.position.start.line}: ${mistake.message}`),
    [],
  );
  assert.ok(model);
  return model;
}

export interface Shop {
  readonly service: Service;
  readonly store: Store;
  readonly clock: MovableClock;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  send(method: string, path: string, body?: unknown): Promise<{ status: number; json: any }>;
  /** Creates records by `Given` items; returns their identifiers. */
  given(items: string): Promise<readonly string[]>;
  /** Moves the clock step by step, so that every attempt runs at its time. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

export interface ShopOptions {
  readonly text?: string;
  readonly path?: string;
  readonly over?: Outbound;
  readonly mailer?: Mailer;
  readonly clock?: MovableClock;
  readonly log?: Log;
  readonly randomBytes?: (count: number) => Uint8Array;
  readonly tracer?: Tracer;
}

export async function openShop(options: ShopOptions = {}): Promise<Shop> {
  const model = modelOf(options.text ?? shopText);
  const clock = options.clock ?? createMovableClock(startMs);
  const store = await openStore(model, meaningOf(model), { path: options.path ?? ":memory:" });
  const service = await createService(model, {
    store,
    ports: { clock, log: options.log ?? silentLog, randomBytes: options.randomBytes ?? createRandomPool() },
    origin: () => "http://localhost",
    planLate: true,
    allowPrivateWebhooks: true,
    ...(options.over ? { webhooksOver: options.over } : {}),
    ...(options.tracer ? { tracer: options.tracer } : {}),
    ...(options.mailer ? { mailer: options.mailer } : {}),
  });
  return {
    service,
    store,
    clock,
    async send(method, path, body) {
      const answer = await service.fetch(
        createRequest({
          method,
          target: path,
          headers: body === undefined ? [] : [["Content-Type", "application/json"]],
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      const text = String(answer.body ?? "");
      return { status: answer.status, json: text === "" ? null : JSON.parse(text) };
    },
    async given(items) {
      const { steps, diagnostics } = readGivenItems(model, "given.md", items, new Map());
      assert.deepEqual(
        diagnostics.map((diagnostic) => diagnostic.message),
        [],
      );
      return (await createGivenRecords(service, steps)).map((created) => String(created.identifier));
    },
    async pass(milliseconds) {
      const until = clock.now() + milliseconds;
      await service.deliveries.idle();
      for (;;) {
        const next = await service.deliveries.nextDue();
        if (next === null || next > until) break;
        clock.moveBy(Math.max(0, next - clock.now()));
        await service.deliveries.idle();
      }
      clock.moveBy(until - clock.now());
      await service.deliveries.idle();
    },
    async close() {
      await service.close();
      await store.close();
    },
  };
}

/** Receivers by host name, played by functions. They keep the received requests. */
export interface Played extends Outbound {
  readonly sent: (OutboundRequest & { readonly host: string })[];
}

export type Play = (
  request: OutboundRequest,
  host: string,
) => Promise<Partial<OutboundResponse>> | Partial<OutboundResponse>;

export function played(play: Play): Played {
  const sent: Played["sent"] = [];
  return {
    sent,
    async request(request) {
      const host = new URL(request.url).hostname;
      sent.push({ ...request, host });
      return { status: 200, headers: {}, body: new Uint8Array(0), ...(await play(request, host)) };
    },
  };
}
