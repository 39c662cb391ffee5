/**
 * Content negotiation: chooses the media type of a response by `Accept` (RFC 9110, section 12.5.1).
 */
import { type MediaType, parseMediaType } from "../../model/endpoints/media-type.ts";

interface Preference {
  readonly range: MediaType;
  readonly quality: number;
}

/** Maximum number of ranges that are parsed; further ranges are ignored. */
const rangesMax = 64;

/**
 * Returns the offered media type with the highest quality. Among equal qualities, the first offer
 * wins. Returns undefined if no offer is acceptable (406). If the header is absent or unparsable,
 * every type is acceptable.
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
 * The most specific matching range decides, not the one with the highest quality. A `+json` type
 * matches `application/json` (RFC 6839), because clients that read JSON usually request only that.
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
