/** Where a sandbox is, and by what its data spaces are named: all that this folder depends on. */

/** Where a sandbox is, as text, for processes that share it: workers of a test runner. */
export interface SandboxAddress {
  /** The service's origin: `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly operations: string;
  /** Opens the operations address. */
  readonly token: string;
  /**
   * With TLS, the certificate that clients have to trust, as PEM. This process does; others take it
   * as their authority.
   */
  readonly certificate?: string;
}

/** Which `serve --sandbox` has without more. */
export const spaceHeader = "Ninefold-Space";
