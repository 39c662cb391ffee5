/** Service options: everything that a service needs besides its document. */
import type { Store } from "../../store/store.ts";
import type { Interference } from "../answering/interference.ts";
import type { AroundAttempt } from "../deliveries/webhook.ts";
import type { CoverageObserver } from "../evaluation/coverage-observer.ts";
import type { HandlerModule } from "../handler-module.ts";
import type { Observe } from "../observing/answered-request.ts";
import type { Mailer } from "../outbound/mailer.ts";
import type { Outbound } from "../outbound/outbound.ts";
import type { Ports } from "../ports.ts";
import type { Tracer } from "../trace.ts";

export interface ServiceOptions {
  readonly store: Store;
  readonly ports: Ports;
  /**
   * The public origin without a final slash, `http://127.0.0.1:4545`; read on demand, because the
   * port may be known late.
   */
  readonly origin: () => string;
  /** Secrets by the document's names (`secret env JWT_SECRET`); undefined if not set. */
  readonly secret?: (name: string) => string | undefined;
  /** The author's handlers module (notation, "Handlers"). */
  readonly handlers?: HandlerModule;
  /** Key sets of token schemes may be at loopback and private addresses. */
  readonly allowPrivateAddresses?: boolean;
  /** Webhooks may be at loopback and private addresses. */
  readonly allowPrivateWebhooks?: boolean;
  /**
   * The address of the built-in receiver, `http://127.0.0.1:4546`: webhooks may be sent there even
   * if private addresses are not allowed.
   */
  readonly receiverAt?: () => string | undefined;
  /** The transport of webhooks; the network by default. */
  readonly webhooksOver?: Outbound;
  /**
   * The time at which webhooks are sent and signed, in milliseconds; the service's clock by
   * default.
   */
  readonly signsAt?: () => number;
  /** The operator's mail server, over which notifications are sent. */
  readonly mailer?: Mailer;
  /** The name of the data space, in a sandbox. Its tokens are valid only there. */
  readonly space?: string;
  /** Origins whose pages may call the service, besides those that the document names: of a sandbox alone. */
  readonly pageOrigins?: readonly string[];
  /** Answers have the header `Ninefold-Because: parcel-desk.md:214`. */
  readonly explain?: boolean;
  /** Failures of the service have the header `Ninefold-Cause`: in a sandbox, whose clients are tests. */
  readonly showsCause?: boolean;
  /** What a sandbox does to requests on purpose. */
  readonly interference?: Interference;
  /** What a sandbox does to deliveries on purpose. */
  readonly aroundAttempt?: AroundAttempt;
  /** The status of an answer to a gap; 501 by default. Clients repeat a request that gets 5xx. */
  readonly gapStatus?: number;
  /** Called once for each request when its answer is ready, or when a stream starts. */
  readonly onAnswered?: Observe;
  /** Receives requests, commits and webhooks as trace spans. */
  readonly tracer?: Tracer;
  /** Receives rule outcomes when coverage is measured. */
  readonly observer?: CoverageObserver;
  /**
   * Endpoints are planned on their first request instead of at the start, for services that receive
   * few requests. A query that the store does not support then fails the request.
   */
  readonly planLate?: boolean;
}
