/**
 * Every request of every scenario of every example and twin, sent by the generated client to a
 * service at a socket. The responses are compared as `ninefold test` compares them, and what the
 * client returns or throws must be the response.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planClient } from "../../src/outputs/client/client-plan.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { type Document, shownDocuments } from "../exports/documents.ts";
import { pathOf } from "../repository/repository.ts";
import { received, sendByHand } from "./by-hand.ts";
import { type ClientPackage, loadClient } from "./package.ts";
import { type ClientCall, isOfAnotherKind, requestAsCall } from "./request-as-call.ts";
import { type Served, serveModel } from "./serve.ts";
import type { SentRequest, ReceivedResponse } from "../../src/verify/scenario-failure.ts";

interface Counted {
  called: number;
  byHand: number;
}

for (const document of shownDocuments.filter(({ model }) => model.scenarios.length > 0)) {
  test(`${document.path}: its client runs its scenarios`, async () => {
    const clients = await clientsOf(document);
    const counted: Counted = { called: 0, byHand: 0 };
    for (const scenario of document.model.scenarios) {
      const served = await serveModel(document.model, { path: pathOf(document.path) });
      try {
        const send = (request: SentRequest, isEnough?: (body: string) => boolean) =>
          sendBy(clients, served, request, counted, isEnough);
        const { outcome, failures, reason } = await runScenario(
          document.model,
          scenario,
          { ...served, send },
          "r1",
        );
        const reported = failures.map(
          (failure) =>
            `${scenario.name}, line ${failure.position.start.line}: ${failure.what}: expected ${failure.expected}, was ${failure.actual} (${failure.request?.method} ${failure.request?.target})`,
        );
        assert.equal(outcome, "passed", reason ?? reported.join("\n"));
      } finally {
        await served.close();
      }
    }
    // What scenarios send besides (no JSON at all, unknown parameters, files) no caller of the client can send.
    assert.ok(counted.called > 4 * counted.byHand, JSON.stringify(counted));
  });
}

interface Client {
  readonly client: ClientPackage;
  callFor(request: SentRequest): ClientCall | undefined;
}

/** One for each version; a request's headers choose the version. */
async function clientsOf({ model }: Document): Promise<readonly Client[]> {
  const { versions } = wireOf(model);
  const names = versions.length === 0 ? [undefined] : versions.map((version) => version.name);
  return Promise.all(
    names.map(async (name) => {
      const plan = planClient(wireOf(model, name));
      const wanted = plan.wire.version?.requested;
      const speaks = (request: SentRequest) => {
        if (wanted?.in === "header")
          return request.headers.some(
            ([header, value]) => header.toLowerCase() === wanted.name.toLowerCase() && value === wanted.value,
          );
        return wanted?.in !== "path" || request.target.startsWith(`${wanted.prefix}/`);
      };
      const { client } = await loadClient(model, name);
      return {
        client,
        callFor: (request: SentRequest) => (speaks(request) ? requestAsCall(plan, request) : undefined),
      };
    }),
  );
}

async function sendBy(
  clients: readonly Client[],
  served: Served,
  request: SentRequest,
  counted: Counted,
  isEnough: ((body: string) => boolean) | undefined,
): Promise<ReceivedResponse> {
  for (const { client, callFor } of clients) {
    const call = callFor(request);
    if (!call) continue;
    counted.called += 1;
    return called(client, served.url, call, isEnough);
  }
  if (!isOfAnotherKind(request)) counted.byHand += 1;
  return sendByHand(served.url, request);
}

async function called(
  client: ClientPackage,
  url: string,
  { name, credentials, values, options, streams }: ClientCall,
  isEnough: ((body: string) => boolean) | undefined,
): Promise<ReceivedResponse> {
  let answered: Promise<ReceivedResponse> | undefined;
  let sofar = "";
  const watched = async (target: string, init: RequestInit) => {
    const answer = await fetch(target, init);
    if (!streams || !answer.body || !answer.ok) {
      answered = received(answer.clone());
      return answer;
    }
    const seen = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(
      new TransformStream<string, string>({
        transform(piece, onward) {
          sofar += piece;
          onward.enqueue(piece);
        },
      }),
    );
    const headers = [...answer.headers];
    answered = Promise.resolve({ status: answer.status, headers, body: "" });
    return new Response(seen.pipeThrough(new TextEncoderStream()), { status: answer.status, headers });
  };
  const connected = client["connect"]({ url, credentials, fetch: watched, retries: 0 });
  if (streams) {
    try {
      for await (const _ of client[name](connected, ...values, options)) if (isEnough?.(sofar)) break;
    } catch (error) {
      if (!(error instanceof client["ApiError"])) throw error;
    }
    const answer = (await answered) as ReceivedResponse;
    return { ...answer, body: answer.body || sofar };
  }
  const given = await Promise.resolve(client[name](connected, ...values, options)).then(
    (value: unknown) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const answer = await (answered ??
    Promise.reject("error" in given ? given.error : new Error("nothing was sent")));
  if ("error" in given) {
    const { error } = given as { error: { status: number; body: unknown } };
    assert.ok(error instanceof client["ApiError"], String(error));
    assert.equal(error.status, answer.status);
    assert.deepEqual(error.body, parsed(answer));
  } else assert.deepEqual(given.value, parsed(answer));
  return answer;
}

function parsed({ headers, body }: ReceivedResponse): unknown {
  if (body === "") return undefined;
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? "";
  return /\bjson\b/.test(type) ? JSON.parse(body) : body;
}
