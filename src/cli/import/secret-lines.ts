/** The secrets of a recording as lines of a summary: their places, and never a value. */
import type { FoundSecrets, SecretPlace } from "../../inputs/recordings/secret-places.ts";

/** Maximum number of places that are listed. */
const listedMax = 20;

/**
 * The places of the secrets of a recording, one a line. Empty without any.
 *
 * @param what what became of them, after their number: `replaced`
 */
export function secretLines({ count, places, elsewhere }: FoundSecrets, what: string): string {
  if (count === 0) return "";
  const listed = places.slice(0, listedMax);
  const width = Math.max(...listed.map(({ place }) => place.length));
  const further = places.length - listed.length;
  return [
    `${count} ${count === 1 ? "secret" : "secrets"} ${what}:`,
    ...listed.map((place) => `  ${place.place.padEnd(width)}  ${requestsText(place)}`.trimEnd()),
    ...(further > 0 ? [`  and ${further}${elsewhere > 0 ? " or more" : ""} further places`] : []),
    "",
  ].join("\n");
}

function requestsText({ requests, more }: SecretPlace): string {
  if (requests.length === 0) return "";
  const numbers = requests.join(", ");
  return `${requests.length + more === 1 ? "request" : "requests"} ${numbers}${more > 0 ? ` and ${more} more` : ""}`;
}
