/**
 * Matches paths of pages, `/data/:resource/:id`, against the URL. Captures are decoded, because ids
 * may contain any character.
 */

/** The captures of the path; undefined where it doesn't match. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const patternSegments = pattern.split("/");
  const segments = path.replace(/(?<=.)\/$/, "").split("/");
  if (patternSegments.length !== segments.length) return undefined;
  const captured: Record<string, string> = {};
  for (const [at, piece] of patternSegments.entries()) {
    const segment = segments[at] as string;
    if (!piece.startsWith(":")) {
      if (piece !== segment) return undefined;
      continue;
    }
    const text = decoded(segment);
    if (text === undefined || text === "") return undefined;
    captured[piece.slice(1)] = text;
  }
  return captured;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
