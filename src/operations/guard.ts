/**
 * Who may use the operations address: programs of this machine, and pages that came from the address itself. A page of another origin in
 * a browser of this machine is neither: browsers say where a request comes from, and a name that somebody else's DNS leads here isn't
 * one of ours. It is asked before anything else, and who is refused is told nothing.
 */

const loopbackForm = /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$|^::1$/;

export interface Knock {
  readonly method: string;
  readonly remoteAddress: string;
  /** By names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @param port where the operations address listens */
export function isLetIn({ method, remoteAddress, headers }: Knock, port: number): boolean {
  const own = ownHosts(port);
  return (
    loopbackForm.test(remoteAddress) &&
    own.has((headers["host"] ?? "").toLowerCase()) &&
    isOwnOrigin(headers["origin"], own) &&
    (isOwnSite(headers["sec-fetch-site"]) || isVisit(method, headers))
  );
}

function ownHosts(port: number): ReadonlySet<string> {
  const names = ["127.0.0.1", "localhost", "[::1]"];
  // Clients leave out the port that a scheme has anyway.
  return new Set(names.flatMap((name) => (port === 80 ? [`${name}:80`, name] : [`${name}:${port}`])));
}

function isOwnOrigin(origin: string | undefined, own: ReadonlySet<string>): boolean {
  return origin === undefined || (origin.startsWith("http://") && own.has(origin.slice("http://".length)));
}

function isOwnSite(site: string | undefined): boolean {
  return site === undefined || site === "same-origin" || site === "none";
}

/** Somebody follows a link to it: the page is shown to them, and the one that they came from sees nothing of it. */
function isVisit(method: string, headers: Knock["headers"]): boolean {
  return (
    method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"
  );
}
