/** Verification of the hand-written parcel desk, unchanged or with a bug. */
import { readFileSync } from "node:fs";
import { compile } from "../../src/compile.ts";
import type { GivenStep } from "../../src/explore/comparison/implementation.ts";
import { type Verification, verify } from "../../src/explore/verify.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { HttpTarget } from "../../src/verify/http-target.ts";
import { pathOf } from "../repository/repository.ts";
import { type Bug, createParcelDesk, type SeedKey } from "./parcel-desk.ts";

const keys: readonly SeedKey[] = [
  { shop: "Ada", key: "sk_ada_read_write", scopes: ["read", "write"] },
  { shop: "Grace", key: "sk_grace_read_write", scopes: ["read", "write"] },
  { shop: "Grace", key: "sk_grace_read", scopes: ["read"] },
  { key: "sk_courier", scopes: ["courier"] },
];

const setup = `
- Given: \`Shop with name = "Ada" as ada\`
- Given: \`Shop with name = "Grace" as grace\`
${keys
  .map(({ shop, key, scopes }) => {
    const owner = shop === undefined ? "" : `shop = ${shop.toLowerCase()}, `;
    return `- Given: \`ApiKey with ${owner}key = "${key}", scopes = ${JSON.stringify(scopes)}\``;
  })
  .join("\n")}
`;

const model = readModel();

function readModel() {
  const file = "examples/parcel-desk.md";
  const compiled = compile(readFileSync(pathOf(file), "utf8"), { file });
  if (!compiled.model) throw new Error(`${file} can't be read`);
  return compiled.model;
}

export interface DeskOptions {
  readonly bug?: Bug;
  readonly requests: number;
  readonly seed: number;
  readonly faultsMax: number;
}

/** Verifies the desk over a socket, as any service. */
export async function verifyDesk({ bug, requests, seed, faultsMax }: DeskOptions): Promise<Verification> {
  const given: readonly GivenStep[] = readGivenItems(model, "setup.md", setup).steps;
  const desk = createParcelDesk(["Ada", "Grace"], keys, bug);
  const address = await desk.listen({ host: "127.0.0.1", port: 0 });
  const service = new HttpTarget(new URL(address), { timeoutMs: 15_000, bodyBytesMax: 1 << 20, gapMs: 0 });
  try {
    const bounds = { requestsMax: requests, timeMsMax: 300_000, faultsMax };
    return await verify({ model, service, given, seed, ...bounds });
  } finally {
    await service.close();
    await desk.close();
  }
}
