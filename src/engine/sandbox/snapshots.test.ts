/** Snapshots of data spaces: the limits of their number and of their total bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sandboxLimits } from "./limits.ts";
import { SandboxRefusal } from "./refusal.ts";
import { createSnapshots, type Snapshot } from "./snapshots.ts";

const { snapshotBytesMax, snapshotsMax } = sandboxLimits;

const snapshot = (name: string, bytes: number): Snapshot => ({
  name,
  store: { bytes } as Snapshot["store"],
  nowMs: 0,
  isStopped: false,
  names: new Map(),
});

const refused = (status: number) => (error: unknown) =>
  error instanceof SandboxRefusal && error.status === status;

test("snapshots of all data spaces share one budget of bytes", () => {
  const budget = { bytes: 0 };
  const snapshots = createSnapshots(budget);
  const other = createSnapshots(budget);
  snapshots.keep(snapshot("a", snapshotBytesMax - 2));
  other.keep(snapshot("b", 1));
  other.keep(snapshot("c", 1));
  assert.equal(budget.bytes, snapshotBytesMax);
  assert.throws(() => other.keep(snapshot("d", 1)), refused(413));
  // A snapshot replaces an existing one of the same name, so only the difference counts.
  snapshots.keep(snapshot("a", snapshotBytesMax - 3));
  other.keep(snapshot("d", 1));
  assert.throws(() => other.keep(snapshot("d", 2)), refused(413));
  assert.equal(other.named("d").store.bytes, 1, "one that was refused replaces nothing");
  snapshots.clear();
  assert.equal(budget.bytes, 3);
  other.remove("b");
  assert.equal(budget.bytes, 2);
});

test("a data space keeps a bounded number of snapshots", () => {
  const snapshots = createSnapshots({ bytes: 0 });
  for (let number = 0; number < snapshotsMax; number += 1) snapshots.keep(snapshot(`s${number}`, 1));
  assert.throws(() => snapshots.keep(snapshot("more", 1)), refused(409));
  snapshots.keep(snapshot("s0", 2));
  snapshots.remove("s1");
  snapshots.keep(snapshot("more", 1));
  assert.equal(snapshots.all().length, snapshotsMax);
});
