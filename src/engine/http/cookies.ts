/**
 * Cookies: reads the header `Cookie` (RFC 6265, section 5.4). Values are used verbatim, without
 * their quotes.
 */

/** Parses the header. If a name occurs twice, the first value counts: that of the longer path. */
export function readCookies(header: string | undefined): Readonly<Record<string, string>> {
  const cookies: Record<string, string> = Object.create(null);
  for (const pair of header?.split(";") ?? []) {
    const equals = pair.indexOf("=");
    if (equals < 1) continue;
    const name = pair.slice(0, equals).trim();
    if (name !== "" && !(name in cookies)) cookies[name] = unquoted(pair.slice(equals + 1).trim());
  }
  return cookies;
}

function unquoted(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
