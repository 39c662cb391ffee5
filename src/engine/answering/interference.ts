/**
 * Interference: what a sandbox does to requests on purpose, such as failures that a client's tests
 * want. The request handler applies it, so that a documented error has the document's format, and
 * the journal shows the request.
 */
import type { Endpoint } from "../../model/model.ts";
import type { ServiceRequest, ServiceResponse } from "../http/message.ts";
import type { KnownCaller } from "../observing/answered-request.ts";

/** A fault that one request meets. */
export interface RequestFault {
  /** In one line; undefined if the fault only delays the response. */
  readonly cause: string | undefined;
  /** Whether the service does its work first, so that only its response is affected. */
  readonly isLate: boolean;
  /**
   * @param answer what the service answers; undefined before its work
   * @throws Problem | Preempted
   */
  apply(request: ServiceRequest, answer: ServiceResponse | undefined): Promise<ServiceResponse>;
}

export interface Interference {
  /** Whether a fault is about one caller, who has to be authenticated first. */
  readonly readsCaller: boolean;
  /** Faults for every caller, before authentication. */
  atEndpoint(endpoint: Endpoint): readonly RequestFault[];
  /** Faults for this caller. */
  ofCaller(endpoint: Endpoint, caller: KnownCaller): readonly RequestFault[];
}

/** Thrown instead of doing the work: the response that the client receives. */
export class Preempted extends Error {
  override name = "Preempted";
  readonly response: ServiceResponse;

  constructor(response: ServiceResponse) {
    super("a fault on demand");
    this.response = response;
  }
}
