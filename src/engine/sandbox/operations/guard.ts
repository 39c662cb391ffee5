/**
 * Who may use the operations API: programs of this machine. A page that somebody looks at in a browser of this machine is none, wherever
 * it came from: browsers say where a request comes from, and a name that somebody else's DNS leads here isn't one of ours.
 */
import { SandboxRefusal } from "../refusal.ts";

const ownHosts: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

const loopbackForm = /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$|^::1$/;

/** @throws SandboxRefusal */
export function guard(remoteAddress: string, headers: Readonly<Record<string, string>>): void {
  if (!loopbackForm.test(remoteAddress))
    throw forbidden("The operations API is for programs of this machine; the request came from another.");
  const host = (headers["host"] ?? "").toLowerCase();
  if (!ownHosts.has(host.replace(/:\d+$/, "")))
    throw new SandboxRefusal(
      421,
      "Another host",
      `The operations API is asked for as 127.0.0.1 or localhost, not as "${host}".`,
    );
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const isOwn = origin === undefined || origin.toLowerCase() === `http://${host}`;
  if (!isOwn || (site !== undefined && site !== "same-origin" && site !== "none"))
    throw forbidden("Pages of other origins may not use the operations API.");
}

function forbidden(detail: string): SandboxRefusal {
  return new SandboxRefusal(403, "Forbidden", detail);
}
