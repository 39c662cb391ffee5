/**
 * System network, as a port (`ports.ts`): the machine's resolver, and HTTP over sockets. It keeps
 * no connection, follows no redirect and uses no proxy.
 */
import { lookup as lookupName } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, isIP, type LookupFunction } from "node:net";
import { bareObject } from "../../support/bare-object.ts";
import type { Network } from "../ports.ts";

export const systemNetwork: Network = {
  async resolve(name) {
    return (await lookupName(name, { all: true, verbatim: true })).map(
      (lookupAddress) => lookupAddress.address,
    );
  },
  request({ url, method, headers, body, signal }, address) {
    return new Promise((resolve, reject) => {
      const options: RequestOptions = { method, headers, agent: false, signal, lookup: pinnedTo(address) };
      const send = url.protocol === "https:" ? requestHttps : requestHttp;
      const sent = send(url, options, (response) =>
        resolve({ status: response.statusCode ?? 0, headers: headersOf(response), body: response }),
      );
      sent.on("error", reject);
      sent.end(body);
    });
  },
  connect(host, port) {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port }, () => {
        socket.off("error", reject);
        resolve(socket);
      });
      socket.once("error", reject);
    });
  },
};

/**
 * Returns a lookup function that answers with the checked address, without resolving the name
 * again.
 */
function pinnedTo(address: string): LookupFunction {
  const family = isIP(address);
  return (_name, options, callback) => {
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function headersOf(response: IncomingMessage): Readonly<Record<string, string>> {
  const headers = bareObject<Record<string, string>>();
  for (const [name, value] of Object.entries(response.headers))
    headers[name] = Array.isArray(value) ? value.join(", ") : (value ?? "");
  return headers;
}
