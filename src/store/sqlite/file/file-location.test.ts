/** Stores whose files are renamed, deleted, or separated from the files that belong to them. */
import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import type { Frame } from "../../../expressions/value.ts";
import { StoreRefused, StoreUnavailable } from "../../errors.ts";
import { openStore } from "../../index.ts";
import type { Store } from "../../store.ts";
import { recheckMs } from "./file-location.ts";
import { statementOf, openTestStore, storePath } from "../../test-files.ts";
import { meaningOf } from "../../../model/meaning.ts";
import { field, model, resource } from "../../test-model.ts";
import { startOwner } from "../../test-owner.ts";

const notes = model([resource("Note", [field("text", "string")])]);
const open = (path: string) => openStore(notes, meaningOf(notes), { path });

async function refused(path: string, message: RegExp, hint = /./): Promise<void> {
  await assert.rejects(open(path), (error) => {
    assert.ok(error instanceof StoreRefused, String(error));
    assert.match(error.message, message);
    assert.match(error.hint, hint);
    return true;
  });
}

const add = (store: Store, id: string) =>
  store.write((transaction) => transaction.insert("Note", { id, text: id }));
const count = (store: Store) => store.session.value(statementOf(`SELECT count(*) FROM "Note"`), {} as Frame);

test("a store that is open under one name is in use under every other name", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, notes, path);
  symlinkSync(path, `${path}.link`);
  await refused(`${path}.link`, /store\.db\.link is in use by this process/);
  linkSync(path, `${path}.other`);
  await refused(`${path}.other`, /store\.db\.other has 2 names \(hard links\)/, /cp makes one/);
  await store.close();
  await refused(path, /has 2 names/);
  rmSync(`${path}.other`);
  await (await open(`${path}.link`)).close();
  assert.ok(!existsSync(`${path}.link.lock`));
});

/**
 * Mounts one path over another during the work, because temporary folders are deleted in the test's
 * `after`.
 */
async function mounted(from: string, over: string, work: () => Promise<void>): Promise<void> {
  execFileSync("mount", ["--bind", from, over]);
  try {
    await work();
  } finally {
    spawnSync("umount", ["-l", over]);
  }
}

/** The reason why this process can't mount. Most users may not, and most containers. */
function whyNotMounted(): string | false {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-mount-"));
  const mount = spawnSync("mount", ["--bind", folder, folder], { encoding: "utf8" });
  spawnSync("umount", ["-l", folder]);
  rmSync(folder, { recursive: true });
  return mount.status === 0 ? false : `nothing can be mounted here: ${mount.stderr || mount.error}`;
}

const skip = whyNotMounted();

test("a file that is mounted over another name is rejected under that name, and opens under its own", {
  skip,
}, async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, notes, path);
  const name = join(dirname(path), "other name.db");
  writeFileSync(name, "");
  await mounted(path, name, async () => {
    await refused(name, /other name\.db is mounted as a single file/, /Mount the folder/);
    await add(store, "a");
    await store.close();
    await refused(name, /is mounted as a single file/);
    assert.equal(await count(await openTestStore(t, notes, path)), 1);
  });
});

test("a store in a folder that is mounted twice can be open once", { skip }, async (t) => {
  const path = storePath(t);
  const folder = join(dirname(path), "mounted");
  const sibling = join(dirname(path), "stores");
  mkdirSync(folder);
  mkdirSync(sibling);
  await mounted(sibling, folder, async () => {
    const store = await openTestStore(t, notes, join(sibling, "store.db"));
    await refused(join(folder, "store.db"), /store\.db is in use by this process/);
    assert.match(await openElsewhere(join(folder, "store.db")), /is in use by another process/);
    await store.close();
    assert.match(await openElsewhere(join(folder, "store.db")), /opened/);
  });
});

test("a store stays locked for others after its own process has tried to open it again", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, notes, path);
  await refused(path, /is in use by this process/);
  assert.match(await openElsewhere(path), /is in use by another process/);
  // A reader that opens and closes the file must not count as its last user, because SQLite would
  // then delete the log.
  await add(store, "a");
  execFileSync(process.execPath, [
    "-e",
    `const { DatabaseSync } = require("node:sqlite"); new DatabaseSync(${JSON.stringify(path)}).exec('SELECT * FROM "Note"')`,
  ]);
  assert.ok(existsSync(`${path}-wal`));
  await add(store, "b");
  assert.equal(await count(store), 2);
});

/** The error of another process that opens the store. */
async function openElsewhere(path: string): Promise<string> {
  const script = `
    import { openStore } from ${JSON.stringify(join(import.meta.dirname, "../../index.ts"))};
    import { field, model, resource } from ${JSON.stringify(join(import.meta.dirname, "../../test-model.ts"))};
    import { meaningOf } from ${JSON.stringify(join(import.meta.dirname, "../../../model/meaning.ts"))};
    const notes = model([resource("Note", [field("text", "string")])]);
    const opening = openStore(notes, meaningOf(notes), { path: ${JSON.stringify(path)} });
    await opening.then((store) => store.close()).then(() => console.log("opened"), (error) => console.log(error.message));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return stdout;
}

test("no store is created through a dangling link", async (t) => {
  const path = storePath(t);
  symlinkSync(`${path}.away`, path);
  await refused(path, /is a link to a missing file/);
  assert.ok(!existsSync(`${path}.away`));
});

for (const [what, take] of [
  ["moved or deleted", (path: string) => renameSync(path, `${path}.moved`)],
  [
    "replaced",
    (path: string) => {
      renameSync(path, `${path}.moved`);
      copyFileSync(`${path}.moved`, path);
    },
  ],
] as const) {
  test(`a store's file that is ${what} rejects writes with an error until it is restored`, async (t) => {
    const path = storePath(t);
    const reported: string[] = [];
    const store = await openTestStore(t, notes, path, {
      onWarning: (message) => void reported.push(message),
    });
    await add(store, "a");
    take(path);
    // The last check expires first. A timer may fire a millisecond early.
    await setTimeout(recheckMs + 1);
    for (const id of ["b", "c"])
      await assert.rejects(add(store, id), (error) => error instanceof StoreUnavailable && error.retryable);
    assert.equal(reported.length, 1);
    assert.match(
      reported[0] as string,
      new RegExp(`store\\.db was ${what} while the service has it open\\. No change is stored`),
    );
    assert.equal(await count(store), 1);
    renameSync(`${path}.moved`, path);
    await add(store, "d");
    assert.equal(await count(store), 2);
  });
}

test("a store without writes reports a moved or replaced file, too", async (t) => {
  const path = storePath(t);
  const reported = Promise.withResolvers<string>();
  await openTestStore(t, notes, path, { onWarning: reported.resolve });
  rmSync(`${path}-wal`);
  // The store's timer doesn't keep the process alive; a service's port does.
  const port = setInterval(() => {}, 1000);
  assert.match(await reported.promise, /store\.db-wal was moved or deleted/);
  clearInterval(port);
});

/** The files of a store that was killed after three commits. */
async function killed(t: TestContext): Promise<string> {
  const path = storePath(t);
  const owner = await startOwner(t, path, ["a", "b", "c"]);
  owner.kill("SIGKILL");
  await once(owner, "exit");
  return path;
}

test("a store with missing files is rejected, and never created again", async (t) => {
  const path = await killed(t);
  const files = ["", "-wal", "-shm"].map((ending) => [path + ending, readFileSync(path + ending)] as const);
  const restore = () => {
    for (const [name, bytes] of files) writeFileSync(name, bytes);
  };
  truncateSync(path, 0);
  await refused(path, /store\.db is empty, and store\.db-wal next to it holds changes/, /Restore the file/);
  rmSync(path);
  await refused(path, /store\.db is missing, and store\.db-wal/);
  assert.ok(!existsSync(path));
  restore();
  rmSync(`${path}-wal`);
  await refused(path, /store\.db-wal is missing/, /--accept-missing-log/);
  restore();
  assert.equal(await count(await openTestStore(t, notes, path)), 3);
});

/** The end of the current frames. Frames of an earlier log may follow, with other salts. */
function endOfLog(log: Buffer, frame: number): number {
  let end = 32;
  while (end < log.length && log.subarray(end + 8, end + 16).equals(log.subarray(16, 24))) end += frame;
  return end;
}

test("a log with damaged commits is rejected, and a log that a crash truncated is not", async (t) => {
  const path = await killed(t);
  const log = `${path}-wal`;
  const whole = readFileSync(log);
  const frame = 24 + 4096;
  const damaged = async (at: number) => {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] as number) ^ 0xff;
    writeFileSync(log, bytes);
    await refused(path, /store\.db-wal is damaged/, /Restore the last backup/);
  };
  // Damages the header, the page of the first frame, and the header of a frame in the middle.
  await damaged(9);
  await damaged(32 + 24 + 100);
  await damaged(32 + 2 * frame + 17);
  writeFileSync(log, whole.subarray(0, endOfLog(whole, frame) - 100));
  const store = await openTestStore(t, notes, path);
  assert.equal(await count(store), 2);
});
