/**
 * Compares the service that Ninefold makes of `parcels.md` with the hand-written one in
 * `reference.ts`: the same requests, alternating within one run, so that other load on the machine
 * affects both.
 *
 *   node bench/run.ts [--quick] [--json] [--rounds 5] [--seconds 3] [--connections 48]
 *     [--only reference|ninefold] [--floor]
 *
 * With `--floor`, the upper bound of this machine is measured in the same run (`floor.ts`).
 */
import { parseArgs } from "node:util";
import { compareResponses } from "./equal-responses.ts";
import { median, tableText } from "./figures.ts";
import { drive, type LoadResult } from "./load.ts";
import { idOf, nextRequest, addKnownParcels, type Operation, operations, type Parcels } from "./requests.ts";
import { pinSelf, type Server, startFloor, startNinefold, startReference } from "./servers.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean" },
    json: { type: "boolean" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    connections: { type: "string" },
    only: { type: "string" },
    floor: { type: "boolean" },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 2 : 5));
const durationMs = 1000 * Number(options.seconds ?? (options.quick ? 1 : 3));
const connections = Number(options.connections ?? 48);

/**
 * The minimum of Ninefold's responses per second divided by the floor's, and of the floor's processor
 * time per response divided by Ninefold's.
 */
const targets: Readonly<Record<Operation, number>> = { create: 0.8, transition: 0.7, read: 0.8, page: 0.8 };

interface Measured extends LoadResult {
  /**
   * Processor time of the server per response, in microseconds, which a busy machine changes least.
   */
  readonly cpuUs?: number;
}

async function measure(
  operation: Operation,
  server: Server,
  parcels: Parcels,
  milliseconds: number,
): Promise<Measured> {
  const cpuBefore = server.cpuMs();
  const result = await drive({
    port: server.port,
    connections,
    durationMs: milliseconds,
    next: nextRequest(operation, server, parcels),
    ...(operation === "create" && { onBody: (body: Buffer) => parcels.fresh.push(idOf(body)) }),
  });
  if (operation === "create") addKnownParcels(parcels);
  if (Object.keys(result.failures).length > 0) {
    throw new Error(`${server.name} refused requests of ${operation}: ${JSON.stringify(result.failures)}`);
  }
  const cpuMs = (server.cpuMs() ?? Number.NaN) - (cpuBefore ?? Number.NaN);
  return Number.isNaN(cpuMs) ? result : { ...result, cpuUs: (1000 * cpuMs) / Math.max(1, result.answers) };
}

interface Figures {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly cpuUs?: number;
}

function figuresOf(results: readonly Measured[]): Figures {
  const cpuUs = results.flatMap((result) => result.cpuUs ?? []);
  return {
    perSecond: median(results.map((result) => result.perSecond)),
    p99Ms: median(results.map((result) => result.p99Ms)),
    ...(cpuUs.length > 0 && { cpuUs: median(cpuUs) }),
  };
}

async function main(): Promise<void> {
  const isPinned = pinSelf();
  const servers: Server[] = [];
  try {
    if (options.only !== "ninefold") servers.push(await startReference(3801));
    if (options.only !== "reference") servers.push(await startNinefold(3802));
    await compareResponses(servers);
    if (options.floor) servers.push(await startFloor(3803));
    const parcels = new Map(servers.map((server) => [server, { fresh: [], known: [] } as Parcels]));
    const results = new Map(
      servers.map((server) => [
        server,
        { create: [], transition: [], read: [], page: [] } as Record<Operation, Measured[]>,
      ]),
    );
    for (let round = 0; round <= rounds; round += 1) {
      // The first round is a warm-up that isn't counted; the order alternates with each round.
      const turn = round % 2 === 0 ? servers : [...servers].reverse();
      for (const operation of operations) {
        for (const server of turn) {
          const result = await measure(operation, server, parcels.get(server) as Parcels, durationMs);
          if (round > 0) results.get(server)?.[operation].push(result);
        }
      }
      if (!options.json) process.stderr.write(round === 0 ? "warm" : ` ${round}`);
    }
    if (!options.json) process.stderr.write("\n");
    report(servers, results, isPinned);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function report(
  servers: readonly Server[],
  results: ReadonlyMap<Server, Record<Operation, Measured[]>>,
  isPinned: boolean,
): void {
  const rows = operations.map((operation) => {
    const figures = Object.fromEntries(
      servers.map((server) => [server.name, figuresOf(results.get(server)?.[operation] ?? [])]),
    );
    const { reference, ninefold } = figures;
    const { floor } = figures;
    const ratio = reference && ninefold && ninefold.perSecond / reference.perSecond;
    const ofFloor = floor && ninefold && ninefold.perSecond / floor.perSecond;
    const cpuOfFloor =
      floor?.cpuUs !== undefined && ninefold?.cpuUs !== undefined ? floor.cpuUs / ninefold.cpuUs : undefined;
    return {
      operation,
      ...figures,
      ratio,
      ...(floor && { ofFloor, cpuOfFloor, target: targets[operation] }),
    };
  });
  if (options.json) {
    console.log(
      JSON.stringify({ node: process.version, connections, rounds, durationMs, isPinned, rows }, null, 2),
    );
    return;
  }
  console.log(
    `${connections} connections, ${rounds} rounds of ${durationMs / 1000} s each, medians${isPinned ? ", server and load on a core each" : ""}\n`,
  );
  const names = servers.map((server) => server.name);
  const heads = [
    "",
    ...names.flatMap((name) => [`${name}/s`, "p99 ms", "CPU µs"]),
    "ratio",
    ...(options.floor ? ["of floor", "by CPU", "target"] : []),
  ];
  const lines = rows.map((row) => [
    row.operation,
    ...names.flatMap((name) => {
      const { perSecond, p99Ms, cpuUs } = (row as unknown as Record<string, Figures>)[name] as Figures;
      return [
        Math.round(perSecond).toLocaleString("en"),
        p99Ms.toFixed(1),
        cpuUs === undefined ? "" : cpuUs.toFixed(0),
      ];
    }),
    shareText(row.ratio),
    ...(row.target === undefined
      ? []
      : [shareText(row.ofFloor), shareText(row.cpuOfFloor), `≥ ${row.target.toFixed(2)}`]),
  ]);
  console.log(tableText(heads, lines));
}

function shareText(share: number | undefined): string {
  return share?.toFixed(2) ?? "";
}

await main();
