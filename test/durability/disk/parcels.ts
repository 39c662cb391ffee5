/**
 * The service of `parcels.md` on a traced or failing disk, and the checks of its files afterwards.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { compile } from "../../../src/compile.ts";
import type { Model } from "../../../src/model/model.ts";
import { openTimed, type Timed, type Report } from "../serve-timed.ts";
import { compareStore, emptyCounts, type Ledger, type Rows } from "../kill.ts";

const file = join(import.meta.dirname, "..", "parcels.md");

function modelOf(): Model {
  const { model } = compile(readFileSync(file, "utf8"), { file: "parcels.md" });
  if (!model) throw new Error("parcels.md has no model");
  return model;
}

const model = modelOf();

export const openParcels = (path: string): Promise<Timed> => openTimed({ model, path });

/** An acknowledgement that a client received. */
export type Acknowledged =
  | { readonly made: string; readonly reference: string }
  | { readonly collected: string };

/**
 * A client: creates parcels, and collects two of three. Reports acknowledged writes, and the
 * statuses of the others.
 */
export async function client(
  service: Timed,
  name: string,
  turns: number,
  acknowledge: (write: Acknowledged) => void,
  refuse: (reported: Report) => void = () => {},
): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    const reference = `${name}-${turn}`;
    const made = await service.send("POST", "/v1/parcels", { body: { reference } });
    if (made.status !== 201) {
      refuse(made);
      continue;
    }
    acknowledge({ made: made.body.id, reference });
    if (turn % 3 === 0) continue;
    const collected = await service.send("POST", `/v1/parcels/${made.body.id}/collect`);
    if (collected.status === 200) acknowledge({ collected: made.body.id });
    else refuse(collected);
  }
}

export interface Judged {
  lost: number;
  half: number;
  twice: number;
  corrupt: number;
  /** The number of stores that could not be opened. */
  shut: number;
}

/** Opens the files as the next start would, and checks the store's content. */
export async function judgeStore(path: string, acknowledged: Iterable<Acknowledged>): Promise<Judged> {
  const ledger: Ledger = { made: new Map(), collected: new Set(), open: new Map(), byKey: new Map() };
  for (const acknowledgement of acknowledged) {
    if ("made" in acknowledgement) ledger.made.set(acknowledgement.made, acknowledgement.reference);
    else ledger.collected.add(acknowledgement.collected);
  }
  const judged: Judged = { lost: 0, half: 0, twice: 0, corrupt: 0, shut: 0 };
  try {
    const service = await openParcels(path);
    // The service also accepts a write.
    const { status } = await service.send("POST", "/v1/parcels", { body: { reference: randomUUID() } });
    if (status !== 201) judged.shut += 1;
    await service.close();
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return { ...judged, shut: 1 };
  }
  const { rows, close } = looked(path);
  try {
    const [[check] = []] = await rows("PRAGMA integrity_check");
    if (check !== "ok") judged.corrupt += 1;
    const counts = emptyCounts();
    await compareStore(rows, ledger, counts);
    return { ...judged, lost: counts.lost, half: counts.half, twice: counts.twice };
  } finally {
    close();
  }
}

export interface JudgedAlone {
  readonly half: number;
  readonly corrupt: number;
  /** The number of stores with a write but without an earlier one. */
  readonly holes: number;
}

/** Checks a store without known acknowledgements: it must contain a prefix of the writes. */
export async function judgeAlone(path: string): Promise<JudgedAlone | "refused"> {
  try {
    await (await openParcels(path)).close();
  } catch {
    return "refused";
  }
  const { rows, close } = looked(path);
  try {
    const counts = emptyCounts();
    const nothing: Ledger = { made: new Map(), collected: new Set(), open: new Map(), byKey: new Map() };
    await compareStore(rows, nothing, counts);
    const [[check] = []] = await rows("PRAGMA integrity_check");
    // Each client's parcels are numbered, and each event has its number.
    const gaps = await rows(
      `SELECT rtrim(reference, '0123456789') AS who, count(*), max(CAST(replace(reference, rtrim(reference, '0123456789'), '') AS INTEGER)) AS last
       FROM "Parcel" GROUP BY rtrim(reference, '0123456789') HAVING count(*) != last + 1`,
    );
    const [[events, last] = []] = await rows(
      "SELECT count(*), coalesce(max(sequence), 0) FROM ninefold_events",
    );
    const holes = gaps.length + (events === last ? 0 : 1);
    return { half: counts.half, corrupt: check === "ok" ? 0 : 1, holes };
  } finally {
    close();
  }
}

function looked(path: string): { readonly rows: Rows; close(): void } {
  const database = new DatabaseSync(path, { readOnly: true });
  return {
    async rows(sql) {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all() as unknown as unknown[][];
    },
    close: () => database.close(),
  };
}

export function addTo(sum: Judged, judgement: Judged): void {
  for (const name of ["lost", "half", "twice", "corrupt", "shut"] as const) sum[name] += judgement[name];
}

export const nothingJudged = (): Judged => ({ lost: 0, half: 0, twice: 0, corrupt: 0, shut: 0 });
