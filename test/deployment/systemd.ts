/**
 * Trial of the systemd units in `deploy`, in a separate machine: start, health, restarts under load
 * with a changed document, a crash, a backup and its restore. `systemd-analyze` rates the
 * permissions of the service.
 *
 *   npm run trial:systemd
 *
 * It needs root, systemd-nspawn and debootstrap (Debian's `systemd-container` and `debootstrap`),
 * and npm with its registry. Exit code 3 reports what is missing. The machine's root folder is kept
 * in /var/tmp for the next trial.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathOf } from "../repository/repository.ts";
import { addNode, debianRoot } from "./debian.ts";
import { bookList, bookListWithAuthor } from "./document.ts";
import { command, needs, step, trial, until } from "./steps.ts";

const root = "/var/tmp/ninefold-trial/machine";
const units = globSync("*@.*", { cwd: pathOf("deploy") });

await trial(async () => {
  needs(["systemd-nspawn", "--version"], "systemd-nspawn is missing: `apt-get install systemd-container`.");
  await step("a Debian machine with systemd", () =>
    debianRoot(root, ["systemd", "dbus", "procps", "libstdc++6", "ca-certificates"]),
  );
  await step("Ninefold's package in it", install);
  const machine = spawn(
    "systemd-nspawn",
    [
      "--quiet",
      "--boot",
      "--directory",
      root,
      "--private-network",
      "--register=no",
      "--keep-unit",
      "--volatile=overlay",
      "--console=read-only",
    ],
    { stdio: "ignore" },
  );
  try {
    const inside = await booted(machine);
    await tryUnits(inside);
  } finally {
    machine.kill("SIGTERM");
  }
});

/** Runs a shell command in the machine. */
type Inside = (line: string) => Promise<string>;

async function install(): Promise<undefined> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-trial-"));
  try {
    await command(["npm", "run", "--silent", "package", "--", "--to", folder], { folder: pathOf(".") });
    const [archive = ""] = globSync("*.tgz", { cwd: folder });
    await addNode(root);
    await command([
      "npm",
      "install",
      "--global",
      "--prefix",
      join(root, "usr", "local"),
      "--omit=dev",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      join(folder, archive),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const unit of units) cpSync(pathOf(`deploy/${unit}`), join(root, "etc", "systemd", "system", unit));
  mkdirSync(join(root, "etc", "ninefold"), { recursive: true });
  writeFileSync(join(root, "etc", "ninefold", "books.md"), bookList);
  writeFileSync(join(root, "etc", "ninefold", "books.env"), "NINEFOLD_DRAIN=5s\n");
}

/** Waits until the machine has started, and returns a function that runs commands in it. */
async function booted(machine: ChildProcess): Promise<Inside> {
  const leader = await until("the machine's first process", async () => {
    const children = readFileSync(`/proc/${machine.pid}/task/${machine.pid}/children`, "utf8").trim();
    return children === "" ? undefined : children.split(" ")[0];
  });
  const inside: Inside = (line) =>
    command(
      ["nsenter", "--target", leader ?? "", "--mount", "--uts", "--ipc", "--net", "--pid", "sh", "-ec", line],
      {
        environment: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" },
      },
    );
  await step("it boots", () =>
    until("systemd", async () => {
      const state = await inside("systemctl is-system-running || true");
      return ["running", "degraded"].includes(state) ? state : undefined;
    }),
  );
  return inside;
}

async function tryUnits(inside: Inside): Promise<void> {
  const get = (path: string, options = "") =>
    inside(
      `node -e 'fetch("http://127.0.0.1:4545${path}", {${options}}).then(async (a) => console.log(a.status, await a.text()), (e) => console.log(0, e))'`,
    );
  const post = (title: string) =>
    get(
      "/books",
      `method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({title: "${title}"})`,
    );
  const isReady = () =>
    until("/readyz", async () =>
      (await inside(`node -e 'fetch("http://127.0.0.1:4546/readyz").then((a) => console.log(a.status))'`)) ===
      "200"
        ? "ready"
        : undefined,
    );
  await step("systemd accepts the units", () =>
    inside(
      `cd /etc/systemd/system && systemd-analyze verify ${units.map((unit) => unit.replace("@.", "@books.")).join(" ")}`,
    ),
  );
  await step("what the service may do is judged as little", async () => {
    const [line = ""] = (await inside("systemd-analyze security --no-pager ninefold@books.service || true"))
      .split("\n")
      .slice(-1);
    assert.ok(Number(/: ([\d.]+)/.exec(line)?.[1]) < 3, line);
    return line.replace(/^→ /, "");
  });
  await step("it starts as the guide says, and is ready", async () => {
    await inside("systemctl enable --now ninefold@books.socket ninefold@books ninefold-backup@books.timer");
    await isReady();
    assert.match(await post("Emma"), /^201 /);
    assert.notEqual(
      await inside(
        "ps -o uid= -p $(systemctl show --property MainPID --value ninefold@books) 2>/dev/null || stat -c %u /proc/$(systemctl show --property MainPID --value ninefold@books)",
      ),
      "0",
    );
  });
  await step("while it restarts with a changed document, those who come wait in the socket", async () => {
    await inside(
      `cat >/etc/ninefold/books.md <<'END'\n${bookListWithAuthor}END\nsystemctl reload ninefold@books`,
    );
    const load = inside(`node -e '(async () => { let failed = 0, count = 0; const end = Date.now() + 12000;
      while (Date.now() < end) { count += 1; await fetch("http://127.0.0.1:4545/books", {headers: {connection: "close"}}).then((a) => { if (a.status !== 200) failed += 1; }, () => { failed += 1; }); }
      console.log(count + " requests, " + failed + " failed"); })()'`);
    for (let time = 0; time < 3; time += 1) await inside("systemctl restart ninefold@books");
    const counts = await load;
    assert.match(counts, /, 0 failed/);
    assert.match(await get("/books"), /"author":null/);
    return counts;
  });
  await step("a crash is followed by a new start, with what was stored", async () => {
    await inside("kill -KILL $(systemctl show --property MainPID --value ninefold@books)");
    await isReady();
    assert.match(await get("/books"), /Emma/);
  });
  await step("a backup of the running service, and its restore", async () => {
    await inside("systemctl start ninefold-backup@books");
    assert.match(await post("Lost"), /^201 /);
    await inside(`systemctl stop ninefold@books.socket ninefold@books
      ninefold restore /var/lib/ninefold-backup/books/*.db.zst /etc/ninefold/books.md --store /var/lib/ninefold/books/books.db
      chown --reference /var/lib/ninefold/books/ /var/lib/ninefold/books/*
      systemctl start ninefold@books.socket ninefold@books`);
    await isReady();
    const books = await get("/books");
    assert.match(books, /Emma/);
    assert.doesNotMatch(books, /Lost/);
    assert.match(await post("Afterwards"), /^201 /);
  });
}
