/**
 * Systemd units, as far as they can be checked if systemd isn't the first process. The commands
 * accept their arguments. If `systemd-analyze` is installed, it finds no fault and few permissions.
 * `test/deployment/systemd.ts` runs the units.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ownFolder } from "../own-folder.ts";
import { pathOf, textOf } from "../repository/repository.ts";

const units = globSync("*@.*", { cwd: pathOf("deploy") });
const services = units.filter((name) => name.endsWith(".service"));
const folder = ownFolder("units");
for (const name of units) copyFileSync(pathOf(`deploy/${name}`), join(folder, name.replace("@.", "@desk.")));

const lacksSystemd =
  spawnSync("systemd-analyze", ["--version"]).status !== 0 && "systemd-analyze isn't installed";

test("the units are a service, its socket, its backup and the backup's timer", () => {
  assert.deepEqual(units.toSorted(), [
    "ninefold-backup@.service",
    "ninefold-backup@.timer",
    "ninefold@.service",
    "ninefold@.socket",
  ]);
});

test("systemd finds no fault in the units", { skip: lacksSystemd }, () => {
  const paths = units.map((name) => join(folder, name.replace("@.", "@desk.")));
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...paths], {
    encoding: "utf8",
  });
  // Other units of this machine may have mistakes.
  const own = stderr.split("\n").filter((line) => line.includes("ninefold"));
  assert.deepEqual(own, []);
  if (stderr === "") assert.equal(status, 0);
});

for (const name of services)
  test(`${name} has few permissions`, { skip: lacksSystemd }, () => {
    const path = join(folder, name.replace("@.", "@desk."));
    const { status, stdout, stderr } = spawnSync(
      "systemd-analyze",
      ["security", "--offline=yes", "--no-pager", "--threshold=30", path],
      { encoding: "utf8" },
    );
    assert.equal(status, 0, stdout.split("\n").slice(-3).join("\n") + stderr);
  });

/** The command of a unit's setting, for the document `desk` in the folder. */
function commandOf(unit: string, setting: string): readonly string[] {
  const [, line = ""] =
    new RegExp(`^${setting}=/usr/bin/env ninefold (.*)$`, "m").exec(textOf(`deploy/${unit}`)) ?? [];
  return line
    .replaceAll("/etc/ninefold", folder)
    .replaceAll("%S", folder)
    .replaceAll("%i", "desk")
    .split(" ");
}

function ninefold(args: readonly string[], store: string): string {
  return execFileSync(process.execPath, [pathOf("bin/ninefold"), ...args], {
    encoding: "utf8",
    env: { ...process.env, NINEFOLD_STORE: store, NINEFOLD_LOG: "json" },
  });
}

test("the service starts with its unit's command, and the backup unit backs up its store", () => {
  const store = join(folder, "ninefold", "desk", "desk.db");
  for (const path of ["ninefold/desk", "ninefold-backup/desk"])
    mkdirSync(join(folder, path), { recursive: true });
  copyFileSync(pathOf("examples/parcel-desk.md"), join(folder, "desk.md"));
  assert.match(
    ninefold(commandOf("ninefold@.service", "ExecStartPre"), store),
    /can be served with these settings/,
  );
  // The backup reads the store of the service.
  const [, place] = /NINEFOLD_STORE=(\S+)/.exec(textOf("deploy/ninefold@.service")) ?? [];
  assert.equal(place?.replace("%S", folder).replaceAll("%i", "desk"), store);
  ninefold(["data", "add", join(folder, "desk.md"), "Shop", 'name = "Ada"'], store);
  ninefold(commandOf("ninefold-backup@.service", "ExecStart"), store);
  assert.ok(readdirSync(join(folder, "ninefold-backup", "desk")).some((name) => name.endsWith(".db.zst")));
});
