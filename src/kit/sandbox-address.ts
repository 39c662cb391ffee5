/**
 * Sandbox address: where a sandbox is, and the header that selects a data space. It is all that
 * this folder depends on.
 */

/**
 * A sandbox's address as plain data, for processes that share it, such as workers of a test runner.
 */
export interface SandboxAddress {
  /** The origin of the service: `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly operations: string;
  /** The token of the operations address. */
  readonly token: string;
  /**
   * The certificate as PEM if the sandbox uses TLS. This process trusts it already; other clients
   * must add it to their authorities.
   */
  readonly certificate?: string;
}

/** The default of `serve --sandbox`. */
export const spaceHeader = "Ninefold-Space";
