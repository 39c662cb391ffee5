/**
 * Fault injection: failures and delays that a sandbox adds to requests, so that a client's tests
 * can meet them. The request handler applies them. So a documented error has the document's format,
 * and the journal shows the request.
 */
import type { Endpoint } from "../../model/model.ts";
import type { ServiceRequest, ServiceResponse } from "../http/message.ts";
import type { KnownCaller } from "../observability/answered-request.ts";

/** A fault that applies to one request. */
export interface RequestFault {
  /** Describes the fault in one line; undefined if the fault only delays the response. */
  readonly cause: string | undefined;
  /** Whether the service does its work first, so that the fault affects only its response. */
  readonly isLate: boolean;
  /**
   * Applies the fault.
   * @param answer the service's response; undefined before its work
   * @throws Problem | FaultResponse
   */
  apply(request: ServiceRequest, answer: ServiceResponse | undefined): Promise<ServiceResponse>;
}

export interface FaultInjection {
  /** Whether a fault depends on the caller, who then has to be authenticated first. */
  readonly readsCaller: boolean;
  /** Returns the faults that apply to every caller, before authentication. */
  atEndpoint(endpoint: Endpoint): readonly RequestFault[];
  /** Returns the faults that apply to this caller. */
  ofCaller(endpoint: Endpoint, caller: KnownCaller): readonly RequestFault[];
}

/** Thrown to skip the service's work. It has the response that the client receives. */
export class FaultResponse extends Error {
  override name = "FaultResponse";
  readonly response: ServiceResponse;

  constructor(response: ServiceResponse) {
    super("a fault on demand");
    this.response = response;
  }
}
