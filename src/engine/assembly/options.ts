/** Service options: everything that a service needs in addition to its document. */
import type { Store } from "../../store/store.ts";
import type { FaultInjection } from "../request-lifecycle/fault-injection.ts";
import type { WrapAttempt } from "../deliveries/webhook.ts";
import type { CoverageObserver } from "../evaluation/coverage-observer.ts";
import type { HandlerModule } from "../handler-module.ts";
import type { RequestObserver } from "../observability/answered-request.ts";
import type { Mailer } from "../outbound/mailer.ts";
import type { Outbound } from "../outbound/outbound.ts";
import type { Ports } from "../ports.ts";
import type { Tracer } from "../trace.ts";

export interface ServiceOptions {
  readonly store: Store;
  readonly ports: Ports;
  /**
   * Returns the public origin without a final slash, such as `http://127.0.0.1:4545`. The service
   * calls it on demand, because the port may be chosen late.
   */
  readonly origin: () => string;
  /**
   * Returns a secret by its name in the document (`secret env JWT_SECRET`); undefined if the
   * operator has not set it.
   */
  readonly secret?: (name: string) => string | undefined;
  /** The author's handlers module (notation, "Handlers"). */
  readonly handlers?: HandlerModule;
  /** Allows key sets of token schemes at loopback and private addresses. */
  readonly allowPrivateAddresses?: boolean;
  /** Allows webhooks to loopback and private addresses. */
  readonly allowPrivateWebhooks?: boolean;
  /**
   * Returns the address of the built-in receiver, such as `http://127.0.0.1:4546`. Webhooks may be
   * sent there even if private addresses are not allowed.
   */
  readonly receiverAt?: () => string | undefined;
  /** The transport of webhooks; by default the network. */
  readonly webhooksOver?: Outbound;
  /**
   * Returns the time at which webhooks are sent and signed, in milliseconds; by default the
   * service's clock.
   */
  readonly signsAt?: () => number;
  /** The connection to the operator's mail server, which sends notifications. */
  readonly mailer?: Mailer;
  /** The name of the data space in a sandbox. The space's tokens are valid only there. */
  readonly space?: string;
  /**
   * In a sandbox: origins whose pages may call the service, in addition to those that the document
   * names.
   */
  readonly pageOrigins?: readonly string[];
  /** Adds the header `Ninefold-Because: parcel-desk.md:214` to responses. */
  readonly explain?: boolean;
  /**
   * Adds the header `Ninefold-Cause` to failures of the service. It is for a sandbox, whose clients
   * are tests.
   */
  readonly showsCause?: boolean;
  /** Faults that a sandbox injects into requests. */
  readonly interference?: FaultInjection;
  /** Faults that a sandbox injects into deliveries. */
  readonly aroundAttempt?: WrapAttempt;
  /**
   * The status of a response to a gap; by default 501. Clients retry a request that receives 5xx.
   */
  readonly gapStatus?: number;
  /** Called once for each request, when its response is ready or its stream starts. */
  readonly onAnswered?: RequestObserver;
  /** Receives requests, commits and webhooks as trace spans. */
  readonly tracer?: Tracer;
  /** Receives rule outcomes when coverage is measured. */
  readonly observer?: CoverageObserver;
  /**
   * Plans an endpoint on its first request instead of at the start, for services that receive few
   * requests. A query that the store does not support then fails the request.
   */
  readonly planLate?: boolean;
}
