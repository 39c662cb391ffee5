/**
 * `verify` of our own services over a socket: every example and twin, on a SQLite file and on
 * PostgreSQL. Nothing may be reported.
 *
 *   npm run verify-own -- [--requests N] [--seed N] [--store sqlite|postgres] [FILE …]
 */
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createGivenRecords } from "../../src/engine/given.ts";
import { createHttpServer } from "../../src/engine/http/server.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { createService } from "../../src/engine/service.ts";
import { type Verification, verify } from "../../src/explore/verify.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { StoreRefused } from "../../src/store/errors.ts";
import { openStore } from "../../src/store/index.ts";
import { machine } from "../../src/support/machine.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { HttpTarget } from "../../src/verify/http-target.ts";
import { subjectOf } from "../explore/subjects.ts";
import { freshSchema } from "../postgres/server.ts";
import { pathOf } from "../repository/repository.ts";

export type StoreKind = "sqlite" | "postgres";

export interface OwnServiceOptions {
  readonly store: StoreKind;
  readonly requests: number;
  readonly seed: number;
}

/** Verifies the service of a document, as `serve` would serve it, with a movable clock. */
export async function verifyOwn(
  file: string,
  { store: kind, requests, seed }: OwnServiceOptions,
): Promise<Verification> {
  const { model, given, handlers } = await subjectOf(file);
  const folder = mkdtempSync(join(tmpdir(), "ninefold-own-"));
  const schema = kind === "postgres" ? await freshSchema() : undefined;
  const path = schema?.url ?? join(folder, "store.db");
  const store = await openStore(model, meaningOf(model), { path, onWarning() {} });
  const clock = createMovableClock(machine.now());
  let origin = "";
  const close = async (): Promise<void> => {
    await store.close();
    await schema?.drop();
    rmSync(folder, { recursive: true, force: true });
  };
  const service = await createService(model, {
    store,
    ports: { clock, log: silentLog, randomBytes: createRandomPool() },
    origin: () => origin,
    ...(handlers ? { handlers } : {}),
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const http = createHttpServer((request) => service.fetch(request), {
    refuse: (refusal) => service.refuse(refusal),
  });
  try {
    await createGivenRecords(service, given, { names: new Map() });
    const { port } = await http.listen(0, "127.0.0.1");
    origin = `http://127.0.0.1:${port}`;
    const target = new HttpTarget(new URL(origin), {
      timeoutMs: 30_000,
      bodyBytesMax: 1 << 24,
      gapMs: 0,
      clock: {
        nowMs: () => clock.now(),
        async moveBy(milliseconds) {
          clock.moveBy(milliseconds);
          await service.internals.timers.runAllDue();
        },
      },
    });
    const bounds = { requestsMax: requests, timeMsMax: 600_000, faultsMax: 3, replaysMax: 8 };
    try {
      return await verify({
        model,
        service: target,
        given,
        handlers,
        seed,
        hasClock: true,
        ...bounds,
      });
    } finally {
      await target.close();
    }
  } finally {
    await http.close(1000);
    await service.close();
    await close();
  }
}

/** What the report would call broken, one line each. */
export function brokenIn({ faults }: Verification): readonly string[] {
  return faults.map(({ endpoint, caseName, differences, steps, isRepeatable }) =>
    [
      `${endpoint.method} ${endpoint.path.text}: ${caseName}${isRepeatable ? "" : " (seen once)"}`,
      ...differences.map(({ what, expected, actual }) => `  ${what}: expected ${expected}, actual ${actual}`),
      ...steps.map(
        ({ request, step, expected, observed }) =>
          `    ${step.afterMs === undefined ? "" : `after ${step.afterMs / 1000} s, `}${step.caller}: ${request.method} ${request.target} ${request.body ?? ""}: ${expected.status} ${observed?.status}`,
      ),
    ].join("\n"),
  );
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      requests: { type: "string", default: "600" },
      seed: { type: "string", default: "1" },
      store: { type: "string" },
    },
    allowPositionals: true,
  });
  const kinds = (["sqlite", "postgres"] as const).filter(
    (kind) => values.store === undefined || values.store === kind,
  );
  const files = globSync("examples/**/*.md", { cwd: pathOf(".") })
    .filter((file) => !file.endsWith(".seed.md"))
    .toSorted();
  let broken = 0;
  for (const file of positionals.length > 0 ? positionals : files)
    for (const store of kinds) {
      const started = performance.now();
      try {
        const options = { store, requests: Number(values.requests), seed: Number(values.seed) };
        const verification = await verifyOwn(file, options);
        const found = brokenIn(verification);
        broken += found.length;
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        console.log(
          `${found.length === 0 ? "✓" : "✗"} ${file} on ${store}: ${verification.requests} requests, ${seconds} s`,
        );
        for (const text of found) console.log(text);
      } catch (error) {
        // A document that a database can't serve is refused at the start, as the guide says.
        const isRefused = error instanceof StoreRefused;
        if (!isRefused) broken += 1;
        console.log(`${isRefused ? "–" : "✗"} ${file} on ${store}: ${String(error)}`);
      }
    }
  console.log(`${broken} broken`);
}
