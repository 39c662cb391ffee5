/**
 * Load by clients of different costs: sends the same requests to both services over few connections
 * and many, because a service must not be fast only for clients that cost nothing themselves.
 * `cheap` and `dear` are the bench's own client, without and with the processor time that a program
 * spends on a response; the third client is autocannon.
 *
 *   node bench/clients.ts [--rounds 3] [--seconds 1] [--connections 1,8,48,200]
 *     [--operations read,page,create,transition]
 */
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { median, tableText } from "./figures.ts";
import { drive } from "./load.ts";
import {
  bodies,
  idOf,
  nextRequest,
  addKnownParcels,
  type Operation,
  operations,
  type Parcels,
} from "./requests.ts";
import { pinSelf, type Server, startNinefold, startReference } from "./servers.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string" },
    seconds: { type: "string" },
    connections: { type: "string" },
    operations: { type: "string" },
  },
});
const rounds = Number(options.rounds ?? 3);
const durationMs = 1000 * Number(options.seconds ?? 1);
const connectionCounts = (options.connections ?? "1,8,48,200").split(",").map(Number);
const requested = operations.filter((operation) =>
  (options.operations ?? operations.join()).split(",").includes(operation),
);

/** Processor time that a single-process client program spends on a request and its response. */
const dearUs = 25;

interface Case {
  readonly client: "cheap" | "dear" | "autocannon";
  readonly operation: Operation;
  readonly connections: number;
}

interface Outcome {
  readonly perSecond: number;
  readonly p50Ms: number;
}

async function measure(
  server: Server,
  parcels: Parcels,
  { client, operation, connections }: Case,
): Promise<Outcome> {
  if (client === "autocannon") return measureByAutocannon(server, parcels, operation, connections);
  const { perSecond, p50Ms, failures } = await drive({
    port: server.port,
    connections,
    durationMs,
    next: nextRequest(operation, server, parcels),
    ...(client === "dear" && { costUs: dearUs }),
    ...(operation === "create" && { onBody: (body: Buffer) => parcels.fresh.push(idOf(body)) }),
  });
  if (Object.keys(failures).length > 0) throw new Error(`${server.name}: ${JSON.stringify(failures)}`);
  return { perSecond, p50Ms };
}

async function measureByAutocannon(
  { name, port, key }: Server,
  parcels: Parcels,
  operation: Operation,
  connections: number,
): Promise<Outcome> {
  let count = 0;
  const next = (): { method?: "GET" | "POST"; path?: string; body?: string } => {
    count += 1;
    if (operation === "create") return { method: "POST", body: bodies[count % bodies.length] as string };
    if (operation === "page") return { path: "/v1/parcels?limit=20" };
    if (operation === "read")
      return { path: `/v1/parcels/${parcels.known[(count * 7919) % parcels.known.length]}` };
    return { method: "POST", path: `/v1/parcels/${parcels.fresh.pop()}/collect` };
  };
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/v1/parcels`,
    connections,
    duration: durationMs / 1000,
    sampleInt: 100,
    headers: {
      authorization: `Bearer ${key}`,
      ...(operation === "create" && { "content-type": "application/json" }),
    },
    requests: [
      {
        setupRequest: (request) => ({ ...request, ...next() }),
        ...(operation === "create" && {
          onResponse: (_status: number, body: string) => void parcels.fresh.push(idOf(Buffer.from(body))),
        }),
      },
    ],
  });
  if (result.errors + result.non2xx > 0)
    throw new Error(`${name}: ${result.errors} errors and ${result.non2xx} answers that aren't 2xx`);
  return { perSecond: result["2xx"] / result.duration, p50Ms: result.latency.p50 };
}

/** Creates enough parcels for the transitions of both clients, whatever the machine. */
async function prepare(server: Server, parcels: Parcels, freshMin: number): Promise<void> {
  while (parcels.fresh.length < freshMin)
    await measure(server, parcels, { client: "cheap", operation: "create", connections: 48 });
  addKnownParcels(parcels);
}

async function main(): Promise<void> {
  const isPinned = pinSelf();
  const servers: Server[] = [];
  try {
    servers.push(await startReference(3801), await startNinefold(3802));
    const parcels = new Map<Server, Parcels>(servers.map((server) => [server, { fresh: [], known: [] }]));
    const cases = (["cheap", "dear", "autocannon"] as const).flatMap((client) =>
      requested.flatMap((operation) =>
        connectionCounts.map((connections): Case => ({ client, operation, connections })),
      ),
    );
    console.log(
      `${rounds} rounds of ${durationMs / 1000} s, medians${isPinned ? ", services and clients on a core each" : ""}; dear: ${dearUs} µs an answer\n`,
    );
    const rows: string[][] = [];
    for (const benchCase of cases) {
      const outcomes = new Map<Server, Outcome[]>(servers.map((server) => [server, []]));
      for (let round = 0; round < rounds; round += 1) {
        for (const server of round % 2 === 0 ? servers : [...servers].reverse()) {
          const own = parcels.get(server) as Parcels;
          await prepare(
            server,
            own,
            benchCase.operation === "transition" ? 25_000 * (durationMs / 1000) : 1000,
          );
          outcomes.get(server)?.push(await measure(server, own, benchCase));
        }
      }
      rows.push(rowOf(benchCase, [...outcomes.values()]));
      process.stderr.write(".");
    }
    process.stderr.write("\n");
    const heads = ["client", "", "connections", "reference/s", "ninefold/s", "ratio", "p50 ms", "p50 ms"];
    console.log(tableText(heads, rows));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function rowOf({ client, operation, connections }: Case, outcomes: readonly Outcome[][]): string[] {
  const rates = outcomes.map((all) => median(all.map((outcome) => outcome.perSecond)));
  const [reference, ninefold] = rates as [number, number];
  return [
    client,
    operation,
    String(connections),
    ...rates.map((rate) => Math.round(rate).toLocaleString("en")),
    (ninefold / reference).toFixed(2),
    ...outcomes.map((all) => median(all.map((outcome) => outcome.p50Ms)).toFixed(2)),
  ];
}

await main();
