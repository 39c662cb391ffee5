/** Client of the parcel desk, for tests of the console. */
import assert from "node:assert/strict";
import { type ConsoleTested, token } from "./open-console.ts";

export interface Desk {
  /** Sends a request to the operations API. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  request(method: string, path: string, body?: unknown): Promise<any>;
  /** Creates a parcel and returns its id. */
  newParcel(): Promise<string>;
  collect(parcel: string): Promise<number>;
  /** Registers a webhook with this URL. */
  newHook(url: string): Promise<void>;
}

/** Creates a client with keys for a shop and the courier. */
export async function createDesk({ address, service }: ConsoleTested): Promise<Desk> {
  const request = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(address + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify(json));
    return json;
  };
  const send = (path: string, key: string, body?: unknown) =>
    fetch(service + path, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Parcel-Version": "2026-11-01",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  await request("POST", "/api/records", {
    given: [
      'Shop with name = "Try" as tried',
      'ApiKey with shop = tried, key = "sk_try", scopes = ["read", "write"]',
      'ApiKey with key = "sk_move", scopes = ["courier"]',
    ],
  });
  return {
    request,
    async newParcel() {
      const made = await send("/parcels", "sk_try", {
        recipient: "Grace",
        address: { line: "1 Harbour St", city: "Oslo", country: "NO" },
        weight_grams: 1200,
      });
      assert.equal(made.status, 201);
      return ((await made.json()) as { id: string }).id;
    },
    collect: async (parcel) => (await send(`/parcels/${parcel}/collect`, "sk_move")).status,
    async newHook(url) {
      const events = ["parcel.registered", "parcel.collected"];
      assert.equal((await send("/hooks", "sk_try", { url, events })).status, 201);
    },
  };
}
