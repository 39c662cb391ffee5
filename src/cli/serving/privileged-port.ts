/** The message about a port that needs a privilege: usually one below 1024. */
export function privilegedPort(port: number, option: string): string {
  return `Port ${port} is for those with the right to it (CAP_NET_BIND_SERVICE), which this user hasn't. Take one above 1023 with ${option}.`;
}
