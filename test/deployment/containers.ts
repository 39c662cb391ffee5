/**
 * Trial of the container files in an engine: the image is built, run, backed up, stopped and
 * upgraded. Both Compose files are started and called through their proxies while instances
 * restart. `deploy/kubernetes` is tried as far as an engine can: the backup of PostgreSQL, the
 * second container's backup of SQLite, and the probes.
 *
 *   npm run trial:containers -- [--engine docker|podman] [--stand-ins] [--image NAME]
 *
 * It needs Docker or Podman, running, with Compose 2.24 or newer as its plugin. The engine must
 * reach the npm registry, and the images `node`, `postgres` and `caddy`. `--stand-ins` builds these
 * from Debian packages instead, which needs root and debootstrap. Exit code 3 reports what is
 * missing. `--image` tries an existing image. Everything that it creates is named ninefold-trial,
 * and removed at the end.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { pathOf } from "../repository/repository.ts";
import { bookList, bookListWithAuthor } from "./document.ts";
import { buildStandIns } from "./stand-ins.ts";
import { command, Missing, needs, step, trial, until, works } from "./steps.ts";

const { values: options } = parseArgs({
  options: { engine: { type: "string" }, image: { type: "string" }, "stand-ins": { type: "boolean" } },
});
/** The name of the container, of its volume, and of the built image. */
const own = "ninefold-trial";
const image = options.image ?? own;
const token = "t".repeat(40);
const projects = ["ninefold-trial-one", "ninefold-trial-two"] as const;
/** A Compose service that uses the built image instead of building one. */
const built = `{ build: !reset null, image: ${image} }`;

await trial(async () => {
  const engine = engineOf(options.engine);
  const folder = mkdtempSync(join(tmpdir(), "ninefold-trial-"));
  try {
    if (options["stand-ins"] === true) await buildStandIns(engine, join("/var/tmp", "ninefold-trial"));
    if (options.image === undefined) await step("the image is built", () => build(engine));
    await tryImage(engine, folder);
    needs([...engine, "compose", "version"], `Compose is missing: ${engine[0]} compose version`);
    await tryCompose(engine, folder);
    await tryInstances(engine, folder);
  } finally {
    for (const project of projects)
      if (works([...engine, "compose", "version"]))
        await command([
          ...engine,
          "compose",
          "--project-name",
          project,
          "down",
          "--volumes",
          "--timeout",
          "1",
        ]).catch(() => undefined);
    await command([...engine, "rm", "--force", "--volumes", own]).catch(() => undefined);
    await command([...engine, "volume", "rm", "--force", own]).catch(() => undefined);
    if (options.image === undefined) await command([...engine, "rmi", own]).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  }
});

function engineOf(wanted: string | undefined): readonly string[] {
  const found = [wanted ?? ["docker", "podman"]].flat().find((name) => works([name, "ps"]));
  if (found === undefined)
    throw new Missing(
      "no engine answers: `docker ps` or `podman ps` must work (with DOCKER_HOST, if it is elsewhere).",
    );
  return [found];
}

/** @returns the size of the image */
async function build(engine: readonly string[]): Promise<string> {
  await command([
    ...engine,
    "build",
    ...(engine[0] === "podman" ? ["--format", "docker"] : ["--network", "host"]),
    "--file",
    pathOf("deploy/Dockerfile"),
    "--tag",
    image,
    pathOf("."),
  ]);
  const bytes = Number(await command([...engine, "image", "inspect", "--format", "{{.Size}}", image]));
  return `${Math.round(bytes / 1e6)} MB`;
}

// ── The image alone ─────────────────────────────────────────────────────────────────────────────

async function tryImage(engine: readonly string[], folder: string): Promise<void> {
  const file = join(folder, "service.md");
  writeFileSync(file, bookList, { mode: 0o644 });
  const start = () =>
    command([
      ...engine,
      "run",
      "--detach",
      "--name",
      own,
      "--read-only",
      "--tmpfs",
      "/tmp",
      "--cap-drop",
      "ALL",
      "--security-opt",
      "no-new-privileges",
      "--volume",
      `${file}:/service/service.md:ro`,
      "--volume",
      `${own}:/data`,
      "--env",
      `NINEFOLD_OPERATIONS_TOKEN=${token}`,
      "--env",
      "NINEFOLD_OPERATIONS_HOST=0.0.0.0",
      "--publish",
      "127.0.0.1::8080",
      "--publish",
      "127.0.0.1::9090",
      image,
    ]);
  const address = async (port: number) =>
    `http://${(await command([...engine, "port", own, String(port)])).split("\n")[0]}`;
  const isHealthy = () =>
    until("the health check", async () => {
      const health = await command([...engine, "inspect", "--format", "{{.State.Health.Status}}", own]);
      return health === "healthy" ? health : undefined;
    });
  await step(
    "it starts with a read-only root and without privileges, and its health check passes",
    async () => {
      await start();
      await isHealthy();
      assert.equal(await command([...engine, "exec", own, "id", "-u"]), "1000");
    },
  );
  await step("it answers, and its probes do from another address", async () => {
    const answer = await post(`${await address(8080)}/books`, { title: "Emma" });
    assert.equal(answer.status, 201);
    // The kubelet's probes use the container's address, without a published port.
    const ip = await command([
      ...engine,
      "inspect",
      "--format",
      "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}",
      own,
    ]);
    for (const path of ["/livez", "/readyz"])
      assert.equal((await fetch(`http://${ip}:9090${path}`)).status, 200);
    assert.equal((await fetch(`http://${ip}:9090/metrics`)).status, 403);
  });
  await step("a second container backs up the open store, as deploy/kubernetes/sqlite does", async () => {
    const { spec } = manifests("sqlite/service.yaml").find(({ kind }) => kind === "StatefulSet") ?? {};
    const [, backup] = spec.template.spec.containers as readonly { command: readonly string[] }[];
    const once = (backup?.command ?? []).slice(1).filter((word) => !["--every", "1h"].includes(word));
    const printed = await command([
      ...engine,
      "run",
      "--rm",
      "--read-only",
      "--tmpfs",
      "/tmp",
      "--tmpfs",
      "/backups:uid=1000",
      "--volume",
      `${file}:/service/service.md:ro`,
      "--volume",
      `${own}:/data`,
      "--entrypoint",
      "ninefold",
      image,
      ...once,
    ]);
    assert.match(printed, /1 record/);
  });
  await step("it stops in time, and its exit code is 0", async () => {
    await command([...engine, "stop", "--time", "35", own]);
    assert.equal(await command([...engine, "inspect", "--format", "{{.State.ExitCode}}", own]), "0");
    await command([...engine, "rm", own]);
  });
  await step("an upgrade, with a changed document on the same volume, keeps the records", async () => {
    writeFileSync(file, bookListWithAuthor);
    await start();
    await isHealthy();
    const list = JSON.stringify(await (await fetch(`${await address(8080)}/books`)).json());
    assert.match(list, /"title":"Emma".*"author":null/);
    await command([...engine, "rm", "--force", own]);
  });
}

// ── Compose ─────────────────────────────────────────────────────────────────────────────────────

/** A copy of `deploy` with free ports and the built image. */
function composed(
  engine: readonly string[],
  folder: string,
  project: string,
  file: string,
  override: string,
): readonly string[] {
  const place = join(folder, project);
  mkdirSync(place, { recursive: true });
  for (const name of ["deploy", "examples"]) cpSync(pathOf(name), join(place, name), { recursive: true });
  writeFileSync(join(place, "deploy", "service.md"), bookList);
  writeFileSync(join(place, "deploy", "override.yaml"), override);
  return [
    ...engine,
    "compose",
    "--project-name",
    project,
    "--file",
    join(place, "deploy", file),
    "--file",
    join(place, "deploy", "override.yaml"),
  ];
}

async function tryCompose(engine: readonly string[], folder: string): Promise<void> {
  const compose = composed(
    engine,
    folder,
    projects[0],
    "compose.yaml",
    `services:\n  service: ${built}\n  proxy: { ports: !override ["127.0.0.1::443"] }\n`,
  );
  await step("compose.yaml starts, and waits for its health checks", () =>
    command([...compose, "up", "--detach", "--wait"]).then(() => undefined),
  );
  const port = Number((await command([...compose, "port", "proxy", "443"])).split(":").at(-1));
  await step("it answers over TLS", () =>
    until("an answer", async () => ((await overTls(port, "/books")) === 200 ? "200" : undefined)),
  );
  await step("while the service restarts, the proxy holds those who come", async () => {
    const restart = command([...compose, "restart", "service"]);
    let isRestarting = true;
    void restart.finally(() => {
      isRestarting = false;
    });
    const statuses: number[] = [];
    while (isRestarting) statuses.push(await overTls(port, "/books"));
    await restart;
    statuses.push(await overTls(port, "/books"));
    const failed = statuses.filter((status) => status !== 200).length;
    // A client that connects while the socket closes is rejected, as the guide says.
    assert.ok(failed <= 1, statuses.join(" "));
    return `${statuses.length} requests, ${failed} failed`;
  });
  await command([...compose, "down", "--volumes", "--timeout", "5"]);
}

async function tryInstances(engine: readonly string[], folder: string): Promise<void> {
  const compose = composed(
    engine,
    folder,
    projects[1],
    "compose.postgres.yaml",
    `services:\n  first: ${built}\n  second: ${built}\n  proxy: { ports: !override ["127.0.0.1::8080"] }\n`,
  );
  await step("compose.postgres.yaml starts: a database, two instances, a proxy", () =>
    command([...compose, "up", "--detach", "--wait"]).then(() => undefined),
  );
  const address = `http://${await command([...compose, "port", "proxy", "8080"])}/v1/parcels`;
  const headers = { Authorization: "Bearer sk_ada_4f1c09" };
  const statusOf = async () => (await fetch(address, { headers })).status;
  await step("it answers with the seed's records", () =>
    until("an answer", async () => ((await statusOf()) === 200 ? "200" : undefined)),
  );
  await step("either instance may stop", async () => {
    for (const name of ["first", "second"]) {
      await command([...compose, "stop", name]);
      for (let time = 0; time < 20; time += 1) assert.equal(await statusOf(), 200, `without ${name}`);
      await command([...compose, "start", name]);
      await until(`${name} is healthy`, async () =>
        (await command([...compose, "ps", "--format", "{{.Health}}", name])) === "healthy" ? true : undefined,
      );
    }
  });
  await step("the backup of deploy/kubernetes/postgres has the records", async () => {
    const { spec } = manifests("postgres/backup.yaml").find(({ kind }) => kind === "CronJob") ?? {};
    const [{ command: shell, args }] = spec.jobTemplate.spec.template.spec.containers;
    const store = "postgres://ninefold:only-on-this-machine@database/ninefold";
    const tables = await command([
      ...engine,
      "run",
      "--rm",
      "--network",
      `${projects[1]}_default`,
      "--user",
      "1000",
      "--read-only",
      "--tmpfs",
      "/backups:uid=1000",
      "--env",
      `NINEFOLD_STORE=${store}`,
      "--entrypoint",
      shell[0],
      "postgres:17-alpine",
      ...shell.slice(1),
      `${args[0]}\npg_restore --list /backups/*.dump | grep -c 'TABLE DATA ninefold'`,
    ]);
    return `${tables} tables`;
  });
  await command([...compose, "down", "--volumes", "--timeout", "5"]);
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** The status of a request over TLS. The proxy's certificate is self-signed. */
function overTls(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(
      {
        host: "127.0.0.1",
        port,
        path,
        servername: "localhost",
        headers: { Host: "localhost" },
        rejectUnauthorized: false,
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    )
      .on("error", reject)
      .end();
  });
}

// biome-ignore lint/suspicious/noExplicitAny: manifests are read as they are.
function manifests(path: string): readonly Record<string, any>[] {
  return readFileSync(pathOf(`deploy/kubernetes/${path}`), "utf8")
    .split(/^---$/m)
    .map((text) => parse(text));
}
