/** The options of `ninefold serve` that name the proxies in front of it. */
import {
  type ResolveClient,
  planClientAddress,
  forwardedHeaders,
  readTrustedProxies,
} from "../../../engine/http/client-address.ts";
import { WrongUsage } from "../../command.ts";

interface Values {
  readonly "trust-proxy"?: string | undefined;
  readonly "forwarded-header"?: string | undefined;
  readonly url?: string | undefined;
  readonly "tls-cert"?: string | undefined;
}

/**
 * Undefined if no proxy is trusted: then the connection's address is the client's. @throws
 * WrongUsage
 */
export function readProxyFlags(values: Values): ResolveClient | undefined {
  const { "trust-proxy": trust, "forwarded-header": named } = values;
  if (trust === undefined) {
    if (named !== undefined) throw new WrongUsage("--forwarded-header requires --trust-proxy.");
    return undefined;
  }
  const trusted = readTrustedProxies(trust);
  if (trusted === undefined)
    throw new WrongUsage(
      `--trust-proxy takes the number of proxies in front of the service (1), or their addresses (loopback,10.0.0.0/8), not "${trust}".`,
    );
  const header = forwardedHeaders.find((forwardedHeader) => forwardedHeader === (named ?? "x-forwarded"));
  if (header === undefined)
    throw new WrongUsage(`--forwarded-header takes ${forwardedHeaders.join(" or ")}, not "${named}".`);
  const clientAddressOf = planClientAddress(
    trusted,
    header,
    values["tls-cert"] === undefined ? "http" : "https",
  );
  if (values.url === undefined) return clientAddressOf;
  // The operator's public URL takes precedence over a proxy's header.
  return (peer, rawHeaders) => ({ ...clientAddressOf(peer, rawHeaders), origin: undefined });
}
