/** Verifies that the compared services return equal responses. */
import { bodies } from "./requests.ts";
import type { Server } from "./servers.ts";

/** Compares the responses, because the speeds of services that behave differently mean nothing. */
export async function compareResponses(servers: readonly Server[]): Promise<void> {
  const shapes = await Promise.all(servers.map(shapesOf));
  const [first, ...others] = shapes;
  for (const other of others)
    if (other !== first) throw new Error(`the services answer differently:\n${first}\n${other}`);
}

async function shapesOf({ port, key }: Server): Promise<string> {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<[number, Record<string, unknown>]> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return [response.status, (await response.json()) as Record<string, unknown>];
  };
  const [made, parcel] = await call("POST", "/v1/parcels", JSON.parse(bodies[1] as string));
  const [collected, moved] = await call("POST", `/v1/parcels/${parcel["id"]}/collect`);
  const [again] = await call("POST", `/v1/parcels/${parcel["id"]}/collect`);
  const [read, same] = await call("GET", `/v1/parcels/${parcel["id"]}`);
  const [missing] = await call("GET", "/v1/parcels/pcl_nothing");
  const [wrong] = await call("POST", "/v1/parcels", { recipient: "" });
  const [listed, page] = await call("GET", "/v1/parcels?limit=20");
  const keys = [parcel, moved, same, page].map((body) => Object.keys(body).sort());
  return JSON.stringify({
    made,
    collected,
    again,
    read,
    missing,
    wrong,
    listed,
    keys,
    price: parcel["price"],
    status: moved["status"],
  });
}
