/** Chooses what to send by the header `Accept` (RFC 9110, section 12.5.1). */
import { type MediaType, parseMediaType } from "../../model/media-type.ts";

interface Preference {
  readonly range: MediaType;
  readonly quality: number;
}

/** Most ranges that are read; what stands behind them is passed over. */
const rangesMax = 64;

/**
 * The offered media type that the header likes best, the earlier of equals; undefined where it takes none (406). Without a header,
 * and with one that can't be read, anything is liked.
 */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | undefined {
  const preferences = readPreferences(accept);
  if (preferences.length === 0) return offered[0];
  let best: string | undefined;
  let bestQuality = 0;
  for (const offer of offered) {
    const quality = qualityOf(offer, preferences);
    if (quality > bestQuality) {
      best = offer;
      bestQuality = quality;
    }
  }
  return best;
}

function readPreferences(accept: string | undefined): readonly Preference[] {
  if (accept === undefined) return [];
  return accept.split(",", rangesMax).flatMap((text) => {
    const range = parseMediaType(text);
    if (!range) return [];
    const quality = Number(range.parameters.get("q") ?? "1");
    return [{ range, quality: quality >= 0 && quality <= 1 ? quality : 1 }];
  });
}

/**
 * The most specific range that fits decides, not the best liked one. What ends in `+json` can be read by whoever reads JSON
 * (RFC 6839), and clients of such services ask for no more than that.
 */
function qualityOf(offer: string, preferences: readonly Preference[]): number {
  const type = parseMediaType(offer)?.type ?? offer;
  const group = `${type.slice(0, type.indexOf("/"))}/*`;
  const plain = type.endsWith("+json") ? ["application/json"] : [];
  for (const candidate of [type, ...plain, group, "*/*"]) {
    const fitting = preferences.find(({ range }) => range.type === candidate);
    if (fitting) return fitting.quality;
  }
  return 0;
}
