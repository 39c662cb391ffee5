/** A step of a story with the responses of all implementations. */
import type { AnsweredRequest } from "../../engine/observability/answered-request.ts";
import type { Position } from "../../source/source.ts";
import type { ReceivedResponse, SentRequest } from "../../verify/scenario-failure.ts";
import type { Difference } from "../comparison/compare-responses.ts";
import type { Step } from "./story.ts";

/** The result of one step. */
export interface PlayedStep {
  readonly step: Step;
  /** The request as the service received it. */
  readonly request: SentRequest;
  readonly expected: ReceivedResponse;
  /** The response of the reference's other run. */
  readonly second: ReceivedResponse;
  /** Undefined if no complete response arrived. */
  readonly observed: ReceivedResponse | undefined;
  readonly differences: readonly Difference[];
  /** The line of the document that decided the expected response. */
  readonly position: Position | undefined;
  /** The undecided item that the request needs. */
  readonly gap: string | undefined;
  /** The reason why the reference rejected the request. */
  readonly stopped: AnsweredRequest["stopped"];
  /** The number of webhooks after the request, expected or received. */
  readonly webhooks: number;
  /** Whether playing it again takes a full timeout. */
  readonly isCostly?: boolean;
  /** The number of events that a stream sent; undefined if the step reads no stream. */
  readonly events?: number;
  /** Whether only a webhook differs, and not the response. */
  readonly isOfWebhooks: boolean;
}
