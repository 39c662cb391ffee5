/**
 * A service gave no complete response: it can't be reached, hangs, resets the connection, or never
 * ends.
 */
export class ServiceFailed extends Error {
  override name = "ServiceFailed";
}
