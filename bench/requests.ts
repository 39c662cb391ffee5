/** Requests of the bench, and the parcels that they use. */
import { request } from "./load.ts";
import type { Server } from "./servers.ts";

export const operations = ["create", "transition", "read", "page"] as const;
export type Operation = (typeof operations)[number];

/** The parcels of one server: those that were created and not yet collected, and some to read. */
export interface Parcels {
  fresh: string[];
  known: string[];
}

export const bodies = Array.from({ length: 64 }, (_, number) =>
  JSON.stringify({
    recipient: `Recipient ${number}`,
    address: { line: `${number} Harbour St`, city: "Oslo", country: "NO" },
    weight_grams: 100 + number * 17,
    reference: `order-${number}`,
  }),
);

/** The bytes of the next request; undefined when nothing is left to request. */
export function nextRequest(
  operation: Operation,
  server: Server,
  parcels: Parcels,
): () => Buffer | undefined {
  let count = 0;
  const creates = bodies.map((body) => request("POST", "/v1/parcels", server.key, body));
  const page = request("GET", "/v1/parcels?limit=20", server.key);
  return () => {
    count += 1;
    switch (operation) {
      case "create":
        return creates[count % creates.length];
      case "transition": {
        const id = parcels.fresh.pop();
        return id === undefined ? undefined : request("POST", `/v1/parcels/${id}/collect`, server.key);
      }
      case "read":
        return request(
          "GET",
          `/v1/parcels/${parcels.known[(count * 7919) % parcels.known.length]}`,
          server.key,
        );
      case "page":
        return page;
    }
  };
}

const knownMax = 20_000;

/** Makes the created parcels available for reads. */
export function addKnownParcels(parcels: Parcels): void {
  parcels.known = [...parcels.known, ...parcels.fresh].slice(-knownMax);
}

/** The identifier comes first in both services' responses, so the rest isn't read. */
export function idOf(body: Buffer): string {
  const id = /"id":"([^"]+)"/.exec(body.toString("latin1", 0, 200))?.[1];
  if (id === undefined) throw new Error(`an answer without an id: ${body.toString("utf8")}`);
  return id;
}
