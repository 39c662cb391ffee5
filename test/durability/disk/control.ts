/** Control of failing calls: numbers in a file that `shim.c` maps, in its order. */
const fields = ["calls", "from", "until", "error", "kinds", "failed", "failedKind"] as const;

export type Control = Readonly<Record<(typeof fields)[number], number>>;

export const controlBytes = fields.length * 4;

export function controlOf(values: Partial<Control>): Buffer {
  const bytes = Buffer.alloc(controlBytes);
  for (const [at, name] of fields.entries()) bytes.writeInt32LE(values[name] ?? 0, at * 4);
  return bytes;
}

export function readControlFrom(bytes: Buffer): Control {
  const [calls, from, until, error, kinds, failed, failedKind] = fields.map((_, at) =>
    bytes.readInt32LE(at * 4),
  );
  const of = (value: number | undefined) => value ?? 0;
  return {
    calls: of(calls),
    from: of(from),
    until: of(until),
    error: of(error),
    kinds: of(kinds),
    failed: of(failed),
    failedKind: of(failedKind),
  };
}
