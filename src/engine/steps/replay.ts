/**
 * `Idempotency` (part 4, decision 9): the answer to a key is stored with the change that it tells of, and given again. Requests with one
 * key can't overtake each other, for writes run one after another.
 */
import { createHash } from "node:crypto";
import type { Value } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { KeptAnswer } from "../../store/store.ts";
import { engineDefaults, operatorCeilings } from "../defaults.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { evaluateOf, type PlanContext } from "../plan/context.ts";
import { Problem } from "../problem.ts";
import { isRecord } from "../records/change.ts";
import { transactionOf } from "../records/scene.ts";
import { addressKey } from "./limit.ts";

export interface Replay {
  /** The kept answer of the request's key; null where it is new, or has no key. */
  find(exchange: Exchange): Promise<Answer | null> | null;
  /** Keeps the answer. To be called in the transaction of the change. */
  keep(exchange: Exchange, answer: Answer): Promise<void> | undefined;
}

const noReplay: Replay = { find: () => null, keep: () => undefined };

export function planReplay(context: PlanContext, endpoint: Endpoint): Replay {
  const { idempotency } = endpoint;
  if (!idempotency) return noReplay;
  const per = idempotency.per && evaluateOf(context, idempotency.per);
  const keptMs = idempotency.milliseconds ?? engineDefaults.idempotencyMs;
  const keyOf = (exchange: Exchange): string | undefined => {
    const sent = exchange.headers[idempotency.header.toLowerCase()];
    // The draft's form is a quoted string; many clients send it bare.
    return sent?.replace(/^"([^"]*)"$/, "$1");
  };
  const scopeOf = async (exchange: Exchange): Promise<string> => {
    const { frame } = exchange.scene;
    const owner: Value = per ? await per(exchange.scene) : frame.caller;
    if (isRecord(owner)) return `row ${owner["#row"]}`;
    return owner === null
      ? `address ${addressKey(exchange.request.remoteAddress)}`
      : `value ${JSON.stringify(owner)}`;
  };
  return {
    async find(exchange) {
      const key = keyOf(exchange);
      if (key === undefined || key === "") {
        if (!idempotency.required) return null;
        throw new Problem(
          { condition: "missing field", field: endpoint.idempotency?.header ?? "", problem: "is required" },
          { because: idempotency.position },
        );
      }
      if (key.length > operatorCeilings.idempotencyKeyMax) {
        const problem = `must have at most ${operatorCeilings.idempotencyKeyMax} characters`;
        throw new Problem(
          { condition: "invalid field", field: idempotency.header, problem },
          { because: idempotency.position },
        );
      }
      const kept = await transactionOf(exchange.scene).system.idempotent(
        await scopeOf(exchange),
        key,
        context.ports.clock.now(),
      );
      if (!kept) return null;
      if (
        kept.method !== exchange.request.method ||
        kept.path !== pathOf(exchange) ||
        kept.bodyHash !== hashOf(exchange.bodyBytes)
      ) {
        throw new Problem(
          {
            condition: "idempotency conflict",
            field: idempotency.header,
            value: key,
            problem: "came with another request",
          },
          { because: idempotency.position },
        );
      }
      return { status: kept.status, headers: kept.headers, body: kept.body };
    },
    async keep(exchange, answer) {
      const key = keyOf(exchange);
      if (key === undefined || key === "") return;
      const kept: KeptAnswer = {
        method: exchange.request.method,
        path: pathOf(exchange),
        bodyHash: hashOf(exchange.bodyBytes),
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        until: context.ports.clock.now() + keptMs,
      };
      await transactionOf(exchange.scene).system.keepAnswer(await scopeOf(exchange), key, kept);
    },
  };
}

function pathOf(exchange: Exchange): string {
  return exchange.request.target;
}

function hashOf(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("base64url");
}
