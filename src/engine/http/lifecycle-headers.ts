/**
 * Lifecycle headers: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594), the dates of deprecation and
 * removal.
 */
import type { HeaderLine } from "./message.ts";

/** The days have the form `2026-05-01`. The header of a day that isn't stated is omitted. */
export function lifecycleHeaders(
  since: string | undefined,
  until: string | undefined,
): readonly HeaderLine[] {
  const lines: HeaderLine[] = [];
  if (since !== undefined) lines.push(["Deprecation", `@${Date.parse(`${since}T00:00:00Z`) / 1000}`]);
  if (until !== undefined) lines.push(["Sunset", new Date(`${until}T00:00:00Z`).toUTCString()]);
  return lines;
}
