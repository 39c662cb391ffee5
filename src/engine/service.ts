/**
 * A document as a service: puts together, once, what answers its requests, and does nothing itself. The life of a request is
 * `answering/life.ts`; what an endpoint does behind its route is `plan/endpoint-plan.ts`. No sockets here: tests and embedders call `fetch`,
 * `http/server.ts` listens.
 */
import { newFrame } from "../expressions/frame.ts";
import type { ExpressionPorts, Frame } from "../expressions/value.ts";
import type { Endpoint, Model } from "../model/model.ts";
import type { Store, Transaction } from "../store/store.ts";
import type { Awaitable } from "../support/awaitable.ts";
import { createAnswersInTurn } from "./answering/answer-in-turn.ts";
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
import { createRequestReader } from "./answering/read-request.ts";
import { planFunctions } from "./handlers/functions.ts";
import type { HandlerModule } from "./handler-module.ts";
import type { RequestRefusal, ServiceRequest, ServiceResponse } from "./http/message.ts";
import { headLimits } from "./http/strict-request.ts";
import { createCursorSeal } from "./pagination/cursor.ts";
import { planAllEffects } from "./records/machine-plan.ts";
import type { PlanContext } from "./records/plan-context.ts";
import { createPlanContext } from "./records/create-context.ts";
import type { SharedPlans } from "./plan/shared-plans.ts";
import { inSharedTime, type Ports, realTime } from "./ports.ts";
import { createProblemWriter } from "./problems/answer.ts";
import { createBecause, createRefuser } from "./answering/refusals.ts";
import { createWork, type Work } from "./asking/scene.ts";
import { takeStartRecords } from "./records/start-records.ts";
import type { Observe } from "./observing/answered-request.ts";
import { createTeller } from "./observing/teller.ts";
import type { Mailer } from "./outbound/mailer.ts";
import { createClockText, createExpressionPorts } from "./secrets/expression-ports.ts";
import type { Tracer } from "./trace.ts";
import type { Witness } from "./asking/witness.ts";
import { createOutbound, type Outbound } from "./outbound/outbound.ts";
import { createPlaces } from "./steps/concurrency.ts";
import { createChanges } from "./streams/changes.ts";
import { createStreamIds } from "./streams/stream-ids.ts";
import { createStreams } from "./streams/streams.ts";
import { createWaits } from "./waits/waits.ts";
import { createPasswordQueue } from "./secrets/password-queue.ts";
import { loadSecrets, type Secrets } from "./secrets/secrets.ts";
import { followRotation, knownRotation, type SigningKeys } from "./secrets/signing-keys.ts";
import { createTokens, type TokenOptions } from "./secrets/tokens.ts";
import { createCrossOrigin } from "./steps/cross-origin.ts";
import { createRateCounters } from "./steps/limit.ts";
import { planPin } from "./answering/pin.ts";
import { planVersions } from "./steps/version.ts";
import { inVersion } from "./versions/in-version.ts";
import { planVersion, type SpokenVersion } from "./plan/spoken-version.ts";
import { oncePer } from "../support/once-per.ts";
import { createLife } from "./answering/life.ts";
import { createArrivals } from "./answering/arrive.ts";
import { createRouting } from "./answering/route.ts";
import { createVersionFinder } from "./answering/speak.ts";

export interface ServiceOptions {
  readonly store: Store;
  readonly ports: Ports;
  /** Public address without a final slash, `http://127.0.0.1:4545`; asked when needed, for a port may be chosen late. */
  readonly origin: () => string;
  /** Secrets by the names that the document gives them (`secret env JWT_SECRET`); undefined for one that isn't set. */
  readonly secret?: (name: string) => string | undefined;
  /** The author's own code beside the document (notation, "Handlers"). */
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
  /**
   * Endpoints are planned when they are first asked, not all at the start: for a service that a few requests are sent to. What the store can't
   * be asked is then told by the request.
   */
  readonly planLate?: boolean;
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
  /** How many requests have come and aren't answered yet. */
  underWay(): number;
}

export async function createService(model: Model, options: ServiceOptions): Promise<Service> {
  const { store, tracer } = options;
  const ports = inSharedTime(options.ports, store);
  const queue = ports.passwords ?? createPasswordQueue(ports.machine ?? ports.clock);
  const rotation = await knownRotation(store);
  const secrets = await loadSecrets(store, queue, ports, {
    rotation: rotation.now,
    now: () => ports.clock.now(),
  });
  const tokens = createTokens(model, {
    ...tokenSecrets(options.secret, secrets),
    now: () => ports.clock.now(),
    outbound: createOutbound({
      allowPrivate: options.allowPrivateAddresses ?? false,
      network: ports.network,
      clock: realTime(ports),
    }),
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
    rates: createRateCounters(model.limits, store.shared?.rates, ports.clock),
    places: createPlaces(model.limits, store.shared?.places),
    keysUnderWay: { own: new Map(), shared: store.shared?.keys },
    seal: createCursorSeal(secrets.signingKeys("cursors"), (count) => ports.randomBytes(count)),
    problems: createProblemWriter(context, mediaType),
    wake,
    streams,
    waits,
    settleDue: async () => {
      if (timers.mayBeDue(ports.clock.now())) await timers.settleAll();
    },
    standard,
  };
  const spoken = new Map(versions.served.map((version) => [version, planVersion(context, version, shared)]));
  if (!options.planLate) planAll(context, [...spoken.values()]);
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
  const crossOrigin = createCrossOrigin(model);
  const because = createBecause(model, options.explain === true);
  const arrivals = createArrivals({
    model,
    ports,
    limits,
    origin: options.origin,
    newFrame: frameAt,
    problems: shared.problems,
    crossOrigin,
    tell: options.onAnswered && createTeller(context, options.space, options.onAnswered),
    tracer,
  });
  const life = createLife({
    arrivals,
    route: createRouting(model, versions, crossOrigin),
    version: createVersionFinder(versions, pin, reading),
    spoken,
    portsAt,
    read: createRequestReader(model, reading),
    answers,
    refuse: createRefuser({ model, ports, because, newWork }),
    because,
  });

  await rearm(context, () => frameAt(ports.clock.now()));
  const startsDue = await takeStartRecords(context, () => frameAt(ports.clock.now()), newWork);
  if (startsDue !== null) timers.armed(startsDue);
  const stopFollowing = store.shared ? followRotation(rotation, ports) : undefined;

  return {
    model,
    deliveries,
    inside: { context, secrets, timers, shared, newFrame: frameAt, newWork, underWay: arrivals.underWay },
    fetch: life.answer,
    refuse: life.refuse,
    drain() {
      streams.drain();
      waits.drain();
    },
    async close() {
      streams.drain();
      waits.drain();
      await answers.finished();
      stopFollowing?.();
      streams.changes.stop();
      shared.wake.stop();
      await deliveries.stop();
      await timers.stop();
    },
  };
}

/** So a start tells what the store can't be asked. */
function planAll(context: PlanContext, spoken: readonly SpokenVersion[]): void {
  const { endpoints, resources } = context.model;
  for (const { planOf } of spoken) for (const endpoint of endpoints) planOf(endpoint);
  for (const { name } of resources) {
    const { machine } = context.resource(name);
    if (machine) planAllEffects(machine);
  }
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
    secret: (name) => set(name) ?? own(name).current(),
    formerSecret: (name) => set(`${name}_FORMER`) ?? (set(name) ? undefined : own(name).other()),
  };
}
