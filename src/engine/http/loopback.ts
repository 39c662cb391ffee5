/** Loopback names and addresses: the names and addresses of this machine, independent of DNS. */

const loopbackForm = /^(?:(?:[a-z0-9_-]+\.)*localhost\.?|(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/i;

/** Whether the host is `localhost`, a name under it (RFC 6761), 127.x.x.x, or ::1. */
export function isLoopback(host: string): boolean {
  return loopbackForm.test(host);
}

/** The host name in a `Host` value, without port and brackets: `[::1]:4545` is `::1`. */
export function hostName(host: string): string {
  return host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1");
}
