/**
 * Each way in which a command line makes no sense is refused with exit code 2, in its own words: every flag without the one that it needs,
 * every pair that excludes one another, and each bound at its last value on both sides. No `WrongUsage` of this room is without a case.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { ownFolder } from "../../test/own-folder.ts";
import { main } from "./main.ts";
import { readOperationsFlags } from "./operations/flags.ts";
import { readSandboxFlags } from "./sandbox/flags.ts";
import { tracingSettings } from "./serving/tracing/settings.ts";
import { duration, portNumber, wholeNumber } from "./arguments.ts";
import { runCommand } from "./testing/run-command.ts";

const folder = ownFolder("refused-usage");
const root = join(import.meta.dirname, "..", "..");
const desk = join(root, "examples", "parcel-desk.md");
const store = join(folder, "desk.db");
const away = ["--operations", "http://127.0.0.1:1"];
const nothing = join(folder, "nothing.env");
const open = join(folder, "open.env");
const words = join(folder, "words.env");

before(async () => {
  writeFileSync(open, 'A="never ended\n');
  writeFileSync(words, "no variable\n");
  writeFileSync(join(folder, "seed.md"), "");
  const made = await runCommand("data", "add", desk, "Shop", 'name = "Ada"', "--store", store);
  assert.equal(made.code, 0, made.complaints);
});

const messages: string[] = [];

/** The error that a command prints when it rejects its usage. */
async function refusal(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  let complaints = "";
  const code = await main(args, {
    write() {},
    printError: (text) => {
      complaints += text;
    },
    isTerminal: false,
    colour: false,
    environment,
  });
  assert.equal(code, 2, `${args.join(" ")}: ${complaints}`);
  messages.push(complaints);
  return complaints;
}

const token = "NINEFOLD_OPERATIONS_TOKEN";
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

const refused: readonly (readonly [line: string, form: RegExp, environment?: Record<string, string>])[] = [
  ["check", /FILE is missing/],
  ["next a.md --accept list --reject list", /--accept, --set and --reject exclude one another/],
  ["next a.md --all --json", /--all and --json exclude one another/],
  ["next a.md --all --accept list", /--all and --json list, and change nothing/],
  ["next - --accept list", /An answer is written into a file, not to standard input/],
  ["next a.md --set identifiers", /--set needs the answer behind it/],
  ["next a.md b.md", /Unexpected argument "b\.md"/],
  ["next a.md --reject lists", /There is no kind "lists"\. There are .*list,/],
  ["format a.md b.md", /Unexpected argument "b\.md"/],
  ["check a.md b.md --from c.md", /--from takes one file/],
  ["check a.md b.md --watch", /--watch takes one file/],
  ["check - --watch", /--watch takes a file, not standard input/],
  ["check a.md --watch --json", /--watch goes with --items and --max-gaps alone/],
  ["check a.md --items --json", /--items goes with --watch and --max-gaps alone/],
  ["check a.md --quite", /Unknown option --quite\. Did you mean --quiet/],
  ["check a.md --max-gaps", /--max-gaps needs a value/],
  ["check a.md --quiet=1", /--quiet takes no value/],
  ["check a.md --max-gaps -1", /--max-gaps takes a whole number, not "-1"/],
  ["check a.md --quiet --json", /--quiet, --json, --sarif and --markdown exclude/],
  ["check a.md --json --sarif", /--quiet, --json, --sarif and --markdown exclude/],
  ["check a.md --markdown", /--fail-on and --markdown go with --from/],
  ["check a.md --fail-on none", /--fail-on and --markdown go with --from/],
  ["check a.md --from b.md --max-gaps 3", /--from goes without --max-gaps/],
  ["check a.md --from b.md --fail-on fine", /--fail-on takes breaking, careful or none, and got "fine"/],
  ["format a.md --write --check", /--write and --check exclude/],
  ["new a.md --bare --example desk", /--bare and --example exclude/],
  ["new a.md --example desc", /There is no example "desc"/],
  ["completion fsh", /There is completion for .*, not for "fsh"/],
  ["backup a.md", /TO is missing/],
  ["backup a.md to --keep 0", /--keep takes 1 or more/],
  ["backup a.md to --every 0s", /--every takes a time such as/],
  ["secrets renew a.md", /Unknown action "renew"/],
  ["secrets rotate a.md --keep soon", /--keep takes a time such as/],
  ["migrate a.md", /Add --plan/],
  ["migrate a.md --plan --apply", /Add --plan/],
  ["migrate a.md --apply --check", /Add --plan/],
  ["migrate a.md --plan --from b.md", /--from goes with --check/],
  ["migrate a.md --check --from b.md --store c.db", /--check takes a store or, with --from/],
  ["export", /NAME is missing/],
  ["export openappi a.md", /no output "openappi"\. Did you mean openapi/],
  ["export openapi a.md --out b --check --watch", /--check and --watch exclude/],
  ["export openapi a.md --check", /--out is missing: there must be a file/],
  ["export openapi a.md --watch", /--out is missing: there must be a file/],
  ["export jsonschema a.md", /--out is missing: jsonschema is a folder/],
  ["export openapi a.md --format xml", /--format is one of .*, not "xml"/],
  ["export openapi DESK --version 1999-01-01", /1999-01-01/],
  ["data", /Say what to do/],
  ["data lst", /there is no "lst"\. Did you mean list/],
  ["data list DESK Shop --store STORE --csv --json", /--csv and --json exclude/],
  ["data list DESK Shop --store STORE --limit 0", /--limit takes 1 or more/],
  ["data list DESK Shop --store STORE --columns nme", /shows no field "nme"\. Did you mean name/],
  ["data list DESK ApiKey --store STORE --columns shop.name", /refers to a record of Shop/],
  ["data list DESK Shop --store STORE --columns name.first", /is a string, which has no part "first"/],
  ["data export DESK Shop --store STORE --out a.jsonl --csv", /--csv is for the terminal/],
  ["data export DESK Shop --store STORE --out a.txt", /ends in \.jsonl .* or in \.csv/],
  ["data export DESK Shop --store STORE --out a.jsonl --null NULL", /--null is for CSV/],
  ["data export DESK Shop --store STORE --out a.csv --null a,b", /--null takes a word/],
  ["data import DESK Shop a.jsonl --store STORE --mode overwrite", /--mode takes .*, not "overwrite"/],
  ["data erase DESK Shop 1 --store STORE", /Add --plan/],
  ["data erase DESK Shop 1 --store STORE --plan --apply", /Add --plan/],
  [
    "data erase DESK Shop 1 --store STORE --plan --clear --remove",
    /--clear and --remove exclude one another/,
  ],
  ["data run DESK Parcel 1 collect [] --store STORE", /INPUTS are a JSON object/],
  ["test a.md --watch --json", /--watch and --json exclude one another/],
  ["data copy DESK b.db", /is a document: name two stores/],
  ["sandbox", /Say what to do/],
  ["sandbox stauts", /There is no "stauts"\. Did you mean status/],
  ["sandbox status --operations here", /--operations takes an address/],
  ["sandbox clock --stop --run AWAY", /The clock either stands still/],
  ["sandbox seed SEED --scenario a AWAY", /either a file or a --scenario/],
  ["sandbox remove AWAY", /Either the NAME of a data space, or --all/],
  ["sandbox remove a --all AWAY", /Either the NAME of a data space, or --all/],
  ["serve DESK --port 65536", /a port between 0 and 65535, not 65536/],
  ["serve DESK --log xml", /--log takes pretty, json, none, not "xml"/],
  ["serve DESK --log-level debug", /--log-level takes info, warn, error/],
  ["serve DESK --cache much", /--cache takes a size/],
  ["serve DESK --url ftp://a", /--url takes an address/],
  ["serve DESK --url http://a?b", /--url takes an address/],
  ["serve DESK --drain 0s", /--drain takes a time such as/],
  ["serve DESK --tls-cert a.pem", /TLS takes both: .* the key is missing/],
  ["serve DESK --tls-key a.pem", /TLS takes both: .* the certificate is missing/],
  ["serve DESK --forwarded-header forwarded", /--forwarded-header requires --trust-proxy/],
  ["serve DESK --trust-proxy everybody", /--trust-proxy takes how many proxies/],
  ["serve DESK --trust-proxy 1 --forwarded-header via", /--forwarded-header takes x-forwarded or forwarded/],
  ["serve DESK --operations 4547 --no-operations", /--operations and --no-operations exclude/],
  ["serve DESK --operations-host 127.0.0.1 --no-operations", /--operations and --no-operations exclude/],
  ["serve DESK --sandbox --no-operations", /remove --no-operations/],
  ["serve DESK --port 4547 --operations 4547", /another port than --port/],
  ["serve DESK --operations-host 10.0.0.1", /needs a token of your own/],
  [
    "serve DESK --operations-host 10.0.0.1",
    /has 31 characters, and needs at least 32/,
    { [token]: "t".repeat(31) },
  ],
  ["serve DESK --operations-host 10.0.0.1", /one line of visible ASCII/, { [token]: `${"t".repeat(32)}\n` }],
  ["serve DESK --space-header X-Space", /--space-header is for a sandbox/],
  ["serve DESK --spaces-max 3", /--spaces-max is for a sandbox/],
  ["serve DESK --seed-scenario a", /--seed-scenario is for a sandbox/],
  ["serve DESK --sandbox --space-header a@b", /--space-header takes the name of a header/],
  ["serve DESK --sandbox --spaces-max 0", /--spaces-max is between 1 and 10000/],
  ["serve DESK --sandbox --seed SEED --seed-scenario a", /either --seed or --seed-scenario, not both/],
  ["serve DESK --sandbox --seed-scenario nowhere --port 0", /no scenario "nowhere"/],
  ["serve DESK --sandbox --store postgres://a/b", /A sandbox keeps its data spaces/],
  ["serve DESK --sandbox --accept-data-loss", /--accept-data-loss and --sandbox exclude one another/],
  ["serve DESK --watch", /leave out --watch/, { LISTEN_FDS: "1", LISTEN_PID: String(process.pid) }],
  ["serve DESK --env-file NOTHING", /can't be read: ENOENT/],
  ["serve DESK --env-file WORDS", /:1: a line is NAME=value/],
  ["serve DESK --env-file OPEN", /the value begins with ", and nothing ends it/],
  ["serve DESK", /NINEFOLD_WATCH is 1 or 0, not "yes"/, { NINEFOLD_WATCH: "yes" }],
  [
    "serve DESK --check-config",
    /is an address such as http:\/\/127\.0\.0\.1:4318/,
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector" },
  ],
  [
    "serve DESK --check-config",
    /OTLP_PROTOCOL is .*, not "grpc"/,
    { ...traced, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
  ],
  [
    "serve DESK --check-config",
    /OTEL_TRACES_SAMPLER takes .*, not "some"/,
    { ...traced, OTEL_TRACES_SAMPLER: "some" },
  ],
  [
    "serve DESK --check-config",
    /SAMPLER_ARG is 0 to 1, not "1\.01"/,
    { ...traced, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "1.01" },
  ],
  [
    "serve DESK --check-config",
    /OTEL_RESOURCE_ATTRIBUTES is name=value/,
    { ...traced, OTEL_RESOURCE_ATTRIBUTES: "desk" },
  ],
];

const named: Readonly<Record<string, string>> = {
  DESK: desk,
  STORE: store,
  SEED: join(folder, "seed.md"),
  NOTHING: nothing,
  WORDS: words,
  OPEN: open,
};

for (const [line, form, environment] of refused)
  test(`ninefold ${line}${environment ? ` with ${JSON.stringify(environment)}` : ""}`, async () => {
    const args = line.split(" ").flatMap((word) => (word === "AWAY" ? away : (named[word] ?? word)));
    assert.match(await refusal(args, environment), form);
  });

/** What is said of another room's refusal, and a part of a value, which no document of the examples has beneath a field that is shown. */
const elsewhere = [/shows no part/];

test("every refusal of a command line has a case", () => {
  const sites = globSync("src/cli/**/*.ts", {
    cwd: root,
    exclude: (path) => path.endsWith(".test.ts"),
  }).flatMap((path) =>
    [
      ...readFileSync(join(root, path), "utf8").matchAll(
        /new WrongUsage\(\s*(["`])([\s\S]*?)\1,?\s*\)[;,]?\n/g,
      ),
    ].map(([, , text = ""]) => ({ path, text })),
  );
  assert.ok(sites.length > 55, String(sites.length));
  const all = messages.join("\n");
  const missing = sites.filter(({ text }) => {
    // What stands between the places that are filled in, the longest of it.
    const [fixed = ""] = text
      .split(/\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/)
      .toSorted((a, b) => b.length - a.length);
    return !all.includes(fixed.replaceAll("\\`", "`")) && !elsewhere.some((form) => form.test(text));
  });
  assert.deepEqual(missing, []);
});

/** Whether it is accepted. */
function accepts(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

test("each bound of an option holds at its last value, and not one behind it", () => {
  const bounds: readonly (readonly [
    name: string,
    of: (value: string) => unknown,
    within: string[],
    beyond: string[],
  ])[] = [
    ["a port", (value) => portNumber("--port", value), ["0", "1", "65534", "65535"], ["65536", "-1", "80.0"]],
    [
      "a whole number",
      (value) => wholeNumber("--n", value),
      ["0", "999999999"],
      ["1000000000", "-1", "1.0", ""],
    ],
    ["a time", (value) => duration("--every", value), ["1s", "1 second"], ["0s", "0 seconds", "1", ""]],
    [
      "data spaces",
      (value) => readSandboxFlags({ sandbox: true, "spaces-max": value }),
      ["1", "2", "9999", "10000"],
      ["0", "10001"],
    ],
    [
      "the name of a header",
      (value) => readSandboxFlags({ sandbox: true, "space-header": value }),
      ["X", "X".repeat(64)],
      ["", "X".repeat(65), "X:"],
    ],
    [
      "the token of an operations address",
      (value) =>
        readOperationsFlags(
          { "operations-host": "10.0.0.1" },
          { port: 1, host: "0.0.0.0", environment: { [token]: value } },
        ),
      ["t".repeat(32), "t".repeat(33)],
      ["t".repeat(31)],
    ],
    [
      "a share of traces",
      (value) =>
        tracingSettings(
          { ...traced, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: value },
          "desk",
        ),
      ["0", "0.5", "1"],
      ["-0.01", "1.01", "all"],
    ],
  ];
  for (const [name, of, within, beyond] of bounds) {
    assert.deepEqual(
      within.filter((value) => !accepts(() => of(value))),
      [],
      `${name}: refused`,
    );
    assert.deepEqual(
      beyond.filter((value) => accepts(() => of(value))),
      [],
      `${name}: accepted`,
    );
  }
});

test("an operations address after the last port gets a free one", () => {
  const flags = (port: number) => readOperationsFlags({}, { port, host: "127.0.0.1", environment: {} })?.port;
  assert.deepEqual([flags(65_534), flags(65_535), flags(0)], [65_535, 0, 0]);
});

test("--max-gaps passes a document with as many gaps, and not one with more", async () => {
  const document = join(root, "examples", "unidentified-service.md");
  const gaps = Number(/(\d+) gaps?\b/.exec((await runCommand("check", document)).out)?.[1]);
  assert.ok(gaps > 1);
  const codes = [gaps - 1, gaps, gaps + 1].map(
    async (most) => (await runCommand("check", document, "--max-gaps", String(most))).code,
  );
  assert.deepEqual(await Promise.all(codes), [1, 0, 0]);
});
