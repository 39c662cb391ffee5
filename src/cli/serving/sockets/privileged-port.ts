/** The message about a port that needs a privilege: usually one below 1024. */
export function privilegedPort(port: number, option: string): string {
  return `Port ${port} requires a privilege that this user lacks (CAP_NET_BIND_SERVICE). Choose one above 1023 with ${option}.`;
}
