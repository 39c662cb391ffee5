/**
 * Service failure: a service sent no complete response, because it can't be reached, hangs, resets
 * the connection, or never ends.
 */
import { UnavailableError } from "../support/ninefold-error.ts";

export class ServiceFailed extends UnavailableError {
  override name = "ServiceFailed";
}
