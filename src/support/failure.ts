/** Message, stack and code of a thrown value of any type. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The stack of an error, for logs. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The error code of the system or the database, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  const named = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof named === "string" ? named : undefined;
}
