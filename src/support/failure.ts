/** The message and stack of a thrown value of any type. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** With the way to it, for logs. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** What the system or the database calls it, `ENOENT`; undefined where it calls it nothing. */
export function codeOf(error: unknown): string | undefined {
  const named = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof named === "string" ? named : undefined;
}
