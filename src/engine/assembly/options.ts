/** What a service is made with, besides its document. */
import type { Store } from "../../store/store.ts";
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
  /** The time that webhooks are sent and signed for, in milliseconds, where it is not that of the service's own clock. */
  readonly signsAt?: () => number;
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
  readonly witness?: CoverageObserver;
  /**
   * Endpoints are planned when they are first asked, not all at the start: for a service that a few requests are sent to. What the store can't
   * be asked is then told by the request.
   */
  readonly planLate?: boolean;
}
