/** `ninefold sandbox`: commands against a running sandbox. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { main } from "../../src/cli/main.ts";
import { pathOf } from "../repository/repository.ts";
import { parcelDesk, type Sandbox, startSandbox } from "./start-sandbox.ts";

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox(...parcelDesk);
});
after(() => sandbox?.stop());

/** Runs `ninefold sandbox …` in a data space. */
async function run(space: string, ...args: string[]) {
  let out = "";
  let complaints = "";
  const code = await main(["sandbox", ...args, "--space", space], {
    write: (text) => {
      out += text;
    },
    printError: (text) => {
      complaints += text;
    },
    isTerminal: false,
    colour: false,
    environment: { NINEFOLD_OPERATIONS: sandbox.operations },
  });
  return { code, out, complaints };
}

test("a data space is shown, emptied and filled", async () => {
  const status = await run("filled", "status");
  assert.equal(status.code, 0, status.complaints);
  assert.match(status.out, /^Parcel Desk at http:\S+, data spaces by Ninefold-Space\ndata space {2}filled\n/);
  assert.match(status.out, /\nrecords {5}1 Shop, 2 ApiKey, 4 Parcel, 0 Hook\nsnapshots {3}none\n$/);
  assert.match((await run("filled", "reset", "--without-seed")).out, /0 Shop/);
  assert.equal((await run("filled", "seed")).out, "7 records created\n");
  assert.equal((await run("filled", "seed", "--scenario", "a parcel reaches its recipient")).code, 0);
  assert.match(
    (await run("filled", "add", 'Shop with name = "Linus" as linus')).out,
    /^Shop as linus\n {2}id +shp_/,
  );
  assert.match((await run("filled", "list", "Shop")).out, /Ada & Co[\s\S]*Linus/);
  const refused = await run("filled", "add", 'Shop with nam = "Linus"');
  assert.equal(refused.code, 1);
  assert.match(
    refused.complaints,
    /^ninefold sandbox: Line 1: Unknown field "nam" of Shop\.\n {2}1:11 .* Did you mean `name`\?/,
  );
});

test("the clock, snapshots, events and requests of a data space", async () => {
  assert.match((await run("time", "clock")).out, /^\d{4}-\S+Z\n$/);
  const set = await run("time", "clock", "--now", "2030-01-01T00:00:00Z", "--stop");
  assert.equal(set.out, "2030-01-01T00:00:00.000Z, stopped\n");
  assert.match((await run("time", "snapshot", "new year")).out, /^"new year" has the records of 2030-01-01/);
  assert.match((await run("time", "snapshots")).out, /^new year {2}2030-01-01T00:00:00.000Z {2}\d+ KiB\n$/);
  await run("time", "clock", "--advance", "14 days");
  assert.match(
    (await run("time", "restore", "new year")).out,
    /clock {7}2030-01-01T00:00:00.000Z, stopped\n/,
  );
  assert.equal((await run("time", "forget", "new year")).out, 'Deleted the snapshot "new year"\n');
  assert.equal((await run("time", "snapshots")).out, "No snapshots.\n");
  await run("time", "reset");
  await run("time", "clock", "--advance", "14 days");
  assert.match((await run("time", "events")).out, /^1 {2}\S+Z {2}parcel.returned {2}Parcel {2}pcl_\S+\n$/);
  const json = JSON.parse((await run("time", "events", "--json", "--type", "parcel.returned")).out);
  assert.equal(json.events[0].payload.type, "parcel.returned");
  assert.equal((await run("time", "requests")).out, "No requests.\n");
  await fetch(`${sandbox.service}/v1/parcels`, { headers: { "Ninefold-Space": "time" } });
  assert.match(
    (await run("time", "requests")).out,
    /^\S+Z {2}401 {2}GET {2}\/v1\/parcels {2}\S+ {2}.*a credential of `secret key` is accepted\.\n$/,
  );
  assert.doesNotMatch((await run("time", "clock", "--run")).out, /standing/);
});

test("data spaces are listed and removed", async () => {
  await run("gone", "status");
  assert.match((await run("gone", "spaces")).out, /^gone {2}/m);
  assert.equal((await run("other", "remove", "gone")).out, "Removed: gone\n");
  assert.equal((await run("other", "remove", "gone")).code, 1);
  assert.equal((await run("other", "remove")).code, 2);
  assert.match((await run("other", "remove", "--all")).out, /^Removed: .*time/);
});

test("wrong options are reported with the right ones", async () => {
  assert.match(
    (await run("words", "snapshoot", "x")).complaints,
    /Unknown action "snapshoot"\. Did you mean snapshot\?/,
  );
  assert.match((await run("words", "clock", "--advance", "soon")).complaints, /such as "14 days"/);
  assert.match(
    (await run("words", "clock", "--stop", "--run")).complaints,
    /--stop and --run can.t be combined/,
  );
  const unreachable = await run("words", "status", "--operations", "http://127.0.0.1:9");
  assert.equal(unreachable.code, 3);
  assert.match(unreachable.complaints, /No service responds at http:\/\/127\.0\.0\.1:9/);
  assert.equal((await run("words", "status", "--operations", sandbox.service)).code, 3);
  assert.equal((await run("words", "status", "--operations", "here")).code, 2);
});

test("a seed that the document rejects stops the start, with its line", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-seed-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const seed = join(folder, "seed.md");
  writeFileSync(seed, "A shop without a name.\n\n- Given: `Shop`\n");
  let complaints = "";
  const args = ["serve", pathOf("examples/parcel-desk.md"), "--sandbox", "--port", "0", "--seed", seed];
  const code = await main(args, {
    write() {},
    printError: (text) => {
      complaints += text;
    },
    isTerminal: false,
    colour: false,
    environment: {},
  });
  assert.equal(code, 1);
  assert.match(complaints, /"default" can't start with the seed: line 3, Shop\.name is required/);
});

test("a sandbox's options need a sandbox, and must not conflict", async () => {
  const serve = async (...args: string[]) => {
    let complaints = "";
    const code = await main(["serve", pathOf("examples/parcel-desk.md"), ...args], {
      write() {},
      printError: (text) => {
        complaints += text;
      },
      isTerminal: false,
      colour: false,
      environment: {},
    });
    return `${code} ${complaints}`;
  };
  assert.match(await serve("--spaces-max", "3"), /^2 .*--spaces-max requires --sandbox/);
  assert.match(await serve("--sandbox", "--spaces-max", "0"), /^2 .*between 1 and/);
  assert.match(await serve("--sandbox", "--space-header", "a b"), /^2 .*name of a header/);
  assert.match(
    await serve("--sandbox", "--port", "4545", "--operations", "4545"),
    /^2 .*different port from --port/,
  );
  assert.match(
    await serve("--sandbox", "--seed-scenario", "a parcel reaches"),
    /^2 .*no scenario "a parcel reaches"/,
  );
  assert.match(await serve("--sandbox", "--seed", "a.md", "--seed-scenario", "b"), /^2 .*can.t be combined/);
});

test("deliveries of a data space are paused, listed, resumed and sent again", async () => {
  assert.equal((await run("sent", "pause")).out, "paused\n");
  const hook = await run(
    "sent",
    "add",
    'Hook with url = "https://hooks.example.org/a", events = ["parcel.registered"]',
    "--json",
  );
  const id = JSON.parse(hook.out).records[0].identifier;
  assert.equal((await run("sent", "deliveries")).out, "No deliveries.\nAll deliveries are paused.\n");
  const whom = ["--resource", "Hook", "--receiver", id];
  assert.equal((await run("sent", "pause", ...whom)).out, "paused\n");
  assert.equal((await run("sent", "redeliver", ...whom)).out, "0 sent again\n");
  assert.match((await run("sent", "redeliver")).complaints, /Send \{"event"/);
  assert.equal((await run("sent", "enable", ...whom)).out, `${id} gets deliveries again\n`);
  assert.equal((await run("sent", "resume")).out, "resumed\n");
  assert.match(
    (await run("sent", "resume", "--resource", "Hook", "--receiver", "x")).complaints,
    /There is no Hook x/,
  );
});

test("faults are injected, listed and removed", async () => {
  const request = (method: string, path: string) =>
    fetch(`${sandbox.service}/~faulty${path}`, {
      method,
      headers: { Authorization: "Bearer sk_ada_4f1c09" },
    });
  const ordered = await run(
    "faulty",
    "fault",
    "--endpoint",
    "GET /parcels",
    "--status",
    "503",
    "--times",
    "2",
  );
  assert.equal(ordered.out, "1  endpoint GET /parcels, status 503  0 hit  2 left\n");
  assert.equal((await request("GET", "/v1/parcels")).status, 503);
  const always = await run("faulty", "fault", "--error", "rate limited", "--always", "--after-work");
  assert.equal(always.code, 0, always.complaints);
  assert.equal(
    (await run("faulty", "faults")).out,
    "1  endpoint GET /parcels, status 503    1 hit  1 left\n" +
      "2  error rate limited, after_work true  0 hit  until it is healed\n",
  );
  assert.equal((await run("faulty", "heal", "1")).out, "healed\n");
  assert.equal((await request("GET", "/v1/parcels")).status, 429);
  assert.equal((await run("faulty", "heal")).out, "healed\n");
  assert.equal((await run("faulty", "faults")).out, "No faults.\n");
  assert.equal((await request("GET", "/v1/parcels")).status, 200);
  const refused = await run("faulty", "fault", "--endpoint", "GET /parcel", "--status", "503");
  assert.equal(refused.code, 1);
  assert.match(refused.complaints, /no endpoint GET \/parcel\. Did you mean GET \/parcels\?/);
  assert.match((await run("faulty", "heal", "9")).complaints, /no fault 9/);
  for (const args of [
    ["--times", "two"],
    ["--times", "1", "--always"],
  ])
    assert.equal((await run("faulty", "fault", "--status", "503", ...args)).code, 2, args.join(" "));
});
