/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594): since when and until when something is served. */
import type { HeaderLine } from "./message.ts";

/** Days, `2026-05-01`. The header of a day that isn't stated is omitted. */
export function lifecycleHeaders(
  since: string | undefined,
  until: string | undefined,
): readonly HeaderLine[] {
  const lines: HeaderLine[] = [];
  if (since !== undefined) lines.push(["Deprecation", `@${Date.parse(`${since}T00:00:00Z`) / 1000}`]);
  if (until !== undefined) lines.push(["Sunset", new Date(`${until}T00:00:00Z`).toUTCString()]);
  return lines;
}
