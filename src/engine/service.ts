/**
 * A document as a service: plans everything once, then answers requests. The main path of a request is `fetch`; what an endpoint does
 * behind its route is `plan/endpoint-plan.ts`. No sockets here: tests and embedders call `fetch`, `http/server.ts` listens.
 */
import { newFrame } from "../expressions/frame.ts";
import type { ExpressionPorts, Frame, Value } from "../expressions/value.ts";
import type { Endpoint, Model, PathSegment } from "../model/model.ts";
import type { Store, Transaction } from "../store/store.ts";
import { after, type Awaitable, recovering } from "../support/awaitable.ts";
import { createAnswersInTurn } from "./answering/answer-in-turn.ts";
import type { Turn } from "./plan/turn.ts";
import { rearm } from "./background/rearm.ts";
import { createDueTimers, type DueTimers } from "./background/due.ts";
import { engineDefaults, standardSpace } from "./defaults.ts";
import type { ServiceDeliveries } from "./deliveries/deliveries.ts";
import { createDisabledReceivers } from "./events/disabled.ts";
import { createOwnReceiver } from "./deliveries/own-receiver.ts";
import { planDeliveries } from "./deliveries/plan-deliveries.ts";
import { planEvents } from "./events/events.ts";
import { pinnedOf } from "./events/pinned-payloads.ts";
import { createWake } from "./events/wake.ts";
import { createRequestReader, type SentRequest } from "./answering/read-request.ts";
import { planFunctions } from "./handlers/functions.ts";
import type { ReadRequest } from "./exchange.ts";
import type { HandlerModule } from "./handler-module.ts";
import { readForm } from "./http/form-reader.ts";
import type { HeaderLine, RequestRefusal, ServiceRequest, ServiceResponse } from "./http/message.ts";
import { createRouter } from "./http/path-router.ts";
import { headLimits, judgeRequest, type ParsedHead } from "./http/strict-request.ts";
import { createCursorSeal } from "./pagination/cursor.ts";
import type { PlanContext } from "./records/plan-context.ts";
import { createPlanContext } from "./records/create-context.ts";
import type { SharedPlans } from "./plan/shared-plans.ts";
import type { Ports } from "./ports.ts";
import { createProblemWriter, type ProblemWriter } from "./problems/answer.ts";
import {
  beginningOf,
  createBecause,
  createRefuser,
  notRouted,
  nothingServedOf,
  problemOfRefusal,
} from "./answering/refusals.ts";
import { newRequestId, withRequestId } from "./answering/request-id.ts";
import { createScene, createWork, type Work } from "./asking/scene.ts";
import { takeStartRecords } from "./records/start-records.ts";
import type { Observe } from "./observing/answered-request.ts";
import { type Course, createTeller } from "./observing/teller.ts";
import type { Mailer } from "./outbound/mailer.ts";
import { createClockText, createExpressionPorts } from "./secrets/expression-ports.ts";
import { requestValue, textIn } from "./answering/request-value.ts";
import type { Tracer } from "./trace.ts";
import { beginRequestSpan, type RequestSpan } from "./observing/request-span.ts";
import type { Witness } from "./asking/witness.ts";
import { createOutbound, type Outbound } from "./outbound/outbound.ts";
import { createPlaces } from "./steps/concurrency.ts";
import { createChanges } from "./streams/changes.ts";
import { createStreamIds } from "./streams/stream-ids.ts";
import { createStreams } from "./streams/streams.ts";
import { createWaits } from "./waits/waits.ts";
import { createPasswordQueue } from "./secrets/password-queue.ts";
import { loadSecrets, type Secrets } from "./secrets/secrets.ts";
import type { SigningKeys } from "./secrets/signing-keys.ts";
import { createTokens, type TokenOptions } from "./secrets/tokens.ts";
import type { Carried } from "./steps/authenticate.ts";
import { createCrossOrigin } from "./steps/cross-origin.ts";
import { createRateCounters, recounted } from "./steps/limit.ts";
import { planPin } from "./answering/pin.ts";
import { planVersions, type ServedVersion } from "./steps/version.ts";
import { inVersion } from "./versions/in-version.ts";
import { planVersion, type SpokenVersion } from "./plan/spoken-version.ts";
import { bareObject } from "../support/bare-object.ts";
import { oncePer } from "../support/once-per.ts";

export interface ServiceOptions {
  readonly store: Store;
  readonly ports: Ports;
  /** Public address without a final slash, `http://127.0.0.1:4545`; asked when needed, for a port may be chosen late. */
  readonly origin: () => string;
  /** Secrets by the names that the document gives them (`secret env JWT_SECRET`); undefined for one that isn't set. */
  readonly secret?: (name: string) => string | undefined;
  /** The author's own code beside the document (section 5). */
  readonly handlers?: HandlerModule;
  /** What the document names may be called at loopback and private addresses too: keys of token schemes. */
  readonly allowPrivateAddresses?: boolean;
  /** Webhooks may be at loopback and private addresses. */
  readonly allowPrivateWebhooks?: boolean;
  /** Where the built-in receiver is, `http://127.0.0.1:4546`: webhooks may be sent there whatever else is private. */
  readonly receiverAt?: () => string | undefined;
  /** What webhooks are sent over; the network where nothing is given. */
  readonly webhooksOver?: Outbound;
  /** The operator's mail server, over which notifications are sent. */
  readonly mailer?: Mailer;
  /** The data space of a sandbox that this is, whose tokens are good nowhere else. */
  readonly space?: string;
  /** Answers carry `Ninefold-Because: parcel-desk.md:214`. */
  readonly explain?: boolean;
  /** Told once of each request, when its answer is ready, or begins where it comes in pieces. */
  readonly onAnswered?: Observe;
  /** Is told of requests, commits and webhooks as spans of traces. */
  readonly tracer?: Tracer;
  /** Is told what the document's rules do, where that is measured. */
  readonly witness?: Witness;
}

export interface Service {
  /** At once where nothing has to be waited for, as for a read of an embedded store. Whatever goes wrong is an answer too. */
  fetch(request: ServiceRequest): Awaitable<ServiceResponse>;
  /** How a request that could not even be parsed is refused, in the document's own error body. */
  refuse(refusal: RequestRefusal): Promise<ServiceResponse>;
  /** Before it is closed: streams end, held answers are given as they are; whoever read a stream comes back and misses nothing. */
  drain(): void;
  readonly model: Model;
  /** What is sent of events. Nothing is, until `deliveries.start()`. */
  readonly deliveries: ServiceDeliveries;
  /** What tools beside the service (data, scenarios) work with. */
  readonly inside: ServiceInside;
  close(): Promise<void>;
}

export interface ServiceInside {
  readonly context: PlanContext;
  readonly secrets: Secrets;
  readonly timers: DueTimers;
  readonly shared: SharedPlans;
  newFrame(nowMs: number): Frame;
  newWork(): Work;
}

export async function createService(model: Model, options: ServiceOptions): Promise<Service> {
  const { store, ports, tracer } = options;
  const queue = ports.passwords ?? createPasswordQueue(ports.machine ?? ports.clock);
  const secrets = await loadSecrets(store, queue, () => ports.clock.now());
  const tokens = createTokens(model, {
    ...tokenSecrets(options.secret, secrets),
    now: () => ports.clock.now(),
    outbound: createOutbound({ allowPrivate: options.allowPrivateAddresses ?? false }),
    warn: (message) => ports.log.warn({}, message),
    ...(options.space === undefined ? {} : { space: options.space }),
  });
  const context: PlanContext = createPlanContext(model, store, ports, {
    tokens,
    newFrame: () => frameAt(ports.clock.now()),
    isObserved: options.onAnswered !== undefined,
    ...(options.handlers ? { handlers: options.handlers } : {}),
    ...(options.witness ? { witness: options.witness } : {}),
  });
  const expressionPorts: ExpressionPorts = {
    ...createExpressionPorts(ports, secrets, tokens),
    functions: planFunctions(context, () => frameAt(ports.clock.now())),
  };
  /** Part 5: an endpoint that says by which scheme it is called makes that scheme's tokens. */
  const portsAt = oncePer(({ schemes }: Endpoint): ExpressionPorts => {
    if (!schemes) return expressionPorts;
    return {
      ...expressionPorts,
      token: (resource, record) => tokens.sign(resource, record, schemes),
    };
  });
  const basePath = model.endpointsPart.basePath.text.replace(/\/$/, "");
  const clockText = createClockText();
  let own: { readonly origin: string; readonly url: string } | undefined;
  const frameAt = (nowMs: number, origin = options.origin()): Frame => {
    if (own?.origin !== origin) own = { origin, url: origin + basePath };
    return newFrame(expressionPorts, { now: clockText(nowMs), service: own });
  };
  const mediaType = model.endpointsPart.mediaType ?? "application/json";
  const versions = planVersions(model);
  const disabled = createDisabledReceivers(await store.session.system.deliveries.disabled());
  const wake = createWake(store, ports.log);
  const changes = createChanges(store, ports.log);
  const streams = createStreams(
    store,
    wake,
    changes,
    ports,
    createStreamIds(secrets.signingKeys("stream ids"), (count) => ports.randomBytes(count)),
  );
  const waits = createWaits(changes, ports);
  const standard = inVersion(context, versions.standard);
  const shared: SharedPlans = {
    mediaType,
    events: planEvents(
      standard,
      disabled,
      pinnedOf(versions, (version) => inVersion(context, version)),
    ),
    rates: createRateCounters(model.limits),
    places: createPlaces(model.limits),
    keysUnderWay: new Map(),
    seal: createCursorSeal(secrets.signingKeys("cursors"), (count) => ports.randomBytes(count)),
    problems: createProblemWriter(context, mediaType),
    wake,
    streams,
    waits,
    settleDue: async (nowMs) => {
      if (timers.mayBeDue(nowMs)) await timers.settleAll(nowMs);
    },
    standard,
  };
  const spoken = new Map(versions.served.map((version) => [version, planVersion(context, version, shared)]));
  const router = createRouter(
    model.endpoints.flatMap((endpoint) =>
      versions.prefixes.map((prefix) => ({
        method: endpoint.method,
        segments: [
          ...prefix,
          ...model.endpointsPart.basePath.segments,
          ...endpoint.path.segments,
        ] as PathSegment[],
        endpoint,
      })),
    ),
  );
  const timers = createDueTimers(context, shared.events, frameAt);
  const pin = versions.pinned && planPin(context, versions.pinned, timers, secrets);
  const limits = {
    ...headLimits,
    urlBytesMax: model.limits.urlBytes ?? engineDefaults.urlBytesMax,
    headerBytesMax: model.limits.headerBytes ?? engineDefaults.headerBytesMax,
  };
  const newWork = (transaction: Transaction | null = null): Work =>
    createWork(transaction ?? store.session, transaction);
  // What comes before an answer leaves no traces, so all share one.
  const reading = newWork();
  const readRequest = createRequestReader(model, reading);
  const answers = createAnswersInTurn(context, { secrets, timers, newWork, tracer });
  const deliveries = await planDeliveries(context, {
    disabled,
    wake: shared.wake,
    newFrame: frameAt,
    newWork,
    events: shared.events,
    timers,
    settleDue: shared.settleDue,
    allowPrivate: options.allowPrivateWebhooks ?? false,
    receiver: createOwnReceiver(
      secrets.keyFor("receiver"),
      options.space ?? standardSpace,
      options.receiverAt ?? (() => undefined),
    ),
    ...(options.webhooksOver ? { outbound: options.webhooksOver } : {}),
    ...(options.mailer ? { mailer: options.mailer } : {}),
    tracer,
  });
  const nothingServed = nothingServedOf(model);
  const begins = beginningOf(model);
  const crossOrigin = createCrossOrigin(model);

  const because = createBecause(model, options.explain === true);
  const tell = options.onAnswered && createTeller(context, options.space, options.onAnswered);
  const refused = createRefuser({ model, ports, because, newWork });

  const route = (
    request: ServiceRequest,
    head: ParsedHead,
    telling: Telling,
    requestId: string,
    nowMs: number,
  ): Awaitable<ServiceResponse> => {
    const { frame } = telling;
    if (nothingServed) throw nothingServed;
    const queryRead = readForm(head.query);
    if (queryRead.problem !== undefined)
      throw problemOfRefusal({ condition: "malformed request", status: 400, problem: queryRead.problem });
    const query = queryRead.form;
    const queryText = (name: string) => textIn(query, name);
    const asked = {
      method: request.method,
      headers: head.headers,
      query: queryText,
      segments: head.segments,
    };
    const found = router.find(request.method, head.segments);
    if (found.kind !== "found") {
      const methods = found.kind === "method not allowed" ? found.allowed : [];
      const preflight =
        request.method === "OPTIONS" && methods.length > 0
          ? crossOrigin.preflight(head.headers, methods)
          : undefined;
      if (preflight) return preflight;
      const beginning = begins(head.segments);
      throw versions.undescribed(asked) ?? notRouted(found, request.method, undefined, beginning);
    }
    telling.endpoint = found.endpoint;
    const carried: Carried = { header: (name) => head.headers[name], query: queryText };
    const speak = (version: ServedVersion): Awaitable<ServiceResponse> => {
      telling.version = version.name;
      if (version.name !== null) (frame.request as Record<string, Value>)["version"] = version.name;
      if (versions.isInPath(version, head.segments)) frame.service = inPath(frame.service, version);
      const { plans, problems } = spoken.get(version) as SpokenVersion;
      const plan = plans.get(found.endpoint);
      if (!plan) throw notRouted({ kind: "unknown path" }, request.method, version.position);
      if (plan.notShown) throw plan.notShown;
      frame.ports = portsAt(found.endpoint);
      const { parameters } = found;
      telling.problems = problems;
      const sent: SentRequest = { request, head, plan, parameters, query, frame, requestId, nowMs };
      const turnOf = (read: ReadRequest): Turn =>
        (telling.turn = {
          plan,
          read,
          carried,
          last: undefined,
          isDone: false,
          trace: telling.span?.place,
        });
      const headers = () => [...version.headers, ...(telling.turn?.last?.answerHeaders ?? [])];
      const answering = recovering(
        () =>
          after(
            readRequest(sent, (read) => answers.admit(turnOf(read))),
            (read) => answers.answer(turnOf(read)),
          ),
        (error) => {
          telling.frame = telling.turn?.last?.scene.frame ?? frame;
          telling.headers = headers();
          throw error;
        },
      );
      return after(answering, (answer) => ({
        status: answer.status,
        headers: [...answer.headers, ...headers(), ...because(telling.turn?.last?.because)],
        body: answer.stream ?? answer.bytes ?? answer.body,
      }));
    };
    const chosen = versions.choose(asked);
    if (chosen !== "pinned") return speak(chosen);
    const asking =
      pin?.(found.endpoint, request, carried, createScene(reading, { ...frame, named: bareObject() })) ??
      null;
    return after(asking, (name) => speak(versions.named(name)));
  };

  const answerTo = (request: ServiceRequest): Awaitable<ServiceResponse> => {
    const nowMs = ports.clock.now();
    const beganMs = tell ? tell.begins() : 0;
    const requestId = newRequestId(ports);
    const origin = request.origin ?? options.origin();
    const frame = frameAt(nowMs, origin);
    const telling: Telling = { frame, problems: shared.problems, headers: [] };
    const verdict = judgeRequest(request, limits);
    if (tracer) telling.span = beginRequestSpan(tracer, model, verdict.head?.headers["traceparent"]);
    const answering = recovering(
      () => {
        const { head } = verdict;
        if (!head) {
          const path = request.target.split("?", 1)[0] ?? "";
          frame.request = { id: requestId, method: request.method, path } as Value;
          throw problemOfRefusal(verdict.refusal);
        }
        frame.request = requestValue(request, head, requestId, origin);
        return route(request, head, telling, requestId, nowMs);
      },
      async (error) => {
        const answer = await refused(error, telling, requestId);
        return { ...answer, headers: [...answer.headers, ...telling.headers] };
      },
    );
    return after(answering, (answer) => {
      const isPreflight =
        request.method === "OPTIONS" && answer.headers.some(([name]) => name === "Access-Control-Max-Age");
      const others = isPreflight ? [] : crossOrigin.headers(verdict.head?.headers["origin"]);
      const counted = recounted(answer, telling.turn?.last, ports.clock.now());
      const response = { ...counted, headers: withRequestId(counted.headers, others, requestId) };
      tell?.answered(request, response, telling, { id: requestId, nowMs, beganMs });
      telling.span?.end(request, response, telling.endpoint, requestId);
      return response;
    });
  };

  await rearm(context, () => frameAt(ports.clock.now()));
  const startsDue = await takeStartRecords(context, () => frameAt(ports.clock.now()), newWork);
  if (startsDue !== null) timers.armed(startsDue);

  return {
    model,
    deliveries,
    inside: { context, secrets, timers, shared, newFrame: frameAt, newWork },
    fetch: answerTo,
    async refuse(refusal) {
      const requestId = newRequestId(ports);
      const nowMs = ports.clock.now();
      const beganMs = tell ? tell.begins() : 0;
      const telling: Telling = { frame: frameAt(nowMs), problems: shared.problems, headers: [] };
      telling.frame.request = { id: requestId } as Value;
      const answer = await refused(problemOfRefusal(refusal), telling, requestId);
      tell?.answered(null, answer, telling, { id: requestId, nowMs, beganMs });
      return answer;
    },
    drain() {
      streams.drain();
      waits.drain();
    },
    async close() {
      streams.drain();
      waits.drain();
      await answers.finished();
      streams.changes.stop();
      shared.wake.stop();
      await deliveries.stop();
      await timers.stop();
    },
  };
}

/** How far a request has come: in whose words, with what at hand and with which headers it is told what stops it. */
interface Telling extends Course {
  frame: Frame;
  problems: ProblemWriter;
  headers: readonly HeaderLine[];
  span?: RequestSpan;
}

/** Addresses of the service begin with the version, where paths do. */
function inPath(service: Value, { name }: ServedVersion): Value {
  const { origin, url } = service as { readonly origin: string; readonly url: string };
  return { origin, url: `${origin}/${name}${url.slice(origin.length)}` };
}

/**
 * Part 5: a secret that the operator has not set is a key of the engine's own, kept in the store. While one is changed, the operator sets the
 * former beside it, as `JWT_SECRET_FORMER`.
 */
function tokenSecrets(
  given: ServiceOptions["secret"],
  secrets: Secrets,
): Pick<TokenOptions, "secret" | "formerSecret"> {
  const set = (name: string) => {
    const text = given?.(name);
    return text === undefined || text === "" ? undefined : new TextEncoder().encode(text);
  };
  const keys = new Map<string, SigningKeys>();
  const own = (name: string) => {
    const known = keys.get(name) ?? secrets.signingKeys(`secret ${name}`);
    keys.set(name, known);
    return known;
  };
  return {
    secret: (name) => set(name) ?? own(name).current,
    formerSecret: (name) => set(`${name}_FORMER`) ?? (set(name) ? undefined : own(name).former()),
  };
}
