/**
 * Each kind of invalid command line is rejected with exit code 2 and a message of its own. The
 * cases are every option without the one that it needs, every pair of exclusive options, and each
 * bound on both sides. Every `WrongUsage` of this folder has a case.
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
const recorded = join(folder, "recorded.md");
writeFileSync(`${recorded}.imported`, "<!-- ninefold import har  -->\n# Interface Specification: Recorded\n");
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

/** The error that a command prints for wrong usage. */
async function refusal(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  let complaints = "";
  const code = await main(args, {
    write: (text) => {
      complaints += text;
    },
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

interface RefusalJson {
  readonly error: { readonly message: string; readonly hint?: string };
}

/** The error with `--json`, which is on standard output, with nothing on standard error. */
async function refusalAsJson(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<RefusalJson> {
  let out = "";
  const terminal = {
    isTerminal: false,
    colour: false,
    environment,
    printError: (text: string) => assert.fail(text),
  };
  const code = await main(args, {
    ...terminal,
    write: (text) => {
      out += text;
    },
  });
  assert.equal(code, 2, out);
  return JSON.parse(out) as RefusalJson;
}

const token = "NINEFOLD_OPERATIONS_TOKEN";
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

const refused: readonly (readonly [line: string, form: RegExp, environment?: Record<string, string>])[] = [
  ["mcp a.md --host ::1", /--host requires --port/],
  ["mcp a.md --port x", /--port takes a port from 0 to 65535, not "x"/, { [token]: "t".repeat(32) }],
  ["mcp a.md --port 0", /--port requires NINEFOLD_OPERATIONS_TOKEN/],
  ["new --agents --bare", /--agents requires FILE/],
  ["check", /FILE is missing\.\nUsage: ninefold check FILE… /],
  ["next a.md --accept list --reject list", /--accept, --set and --reject can't be combined/],
  ["next a.md --all --json", /--all and --json can't be combined/],
  ["next a.md --all --accept list", /--all and --json can't be combined with --accept/],
  ["next - --accept list", /--accept, --set and --reject take a file, not standard input/],
  ["next a.md --set identifiers", /--set needs an answer after it/],
  ["next a.md b.md", /Unexpected argument "b\.md"/],
  ["next a.md --reject lists", /Unknown kind "lists"\. Did you mean list\?/],
  ["format a.md b.md", /Unexpected argument "b\.md"\.\nUsage: ninefold format FILE/],
  ["check a.md b.md --from c.md", /--from takes one file/],
  ["check a.md b.md --watch", /--watch takes one file/],
  ["check - --watch", /--watch takes a file, not standard input/],
  ["check a.md --watch --json", /--watch can be combined only with --items/],
  ["check a.md --items --json", /--items can be combined only with --fix, --watch/],
  ["check a.md --fix --json", /--fix can be combined only with --items/],
  ["check - --fix", /--fix takes files, not standard input/],
  ["check a.md --quite", /Unknown option --quite\. Did you mean --quiet/],
  ["check a.md --max-gaps", /--max-gaps needs a value/],
  ["check a.md --quiet=1", /--quiet takes no value/],
  ["check a.md --max-gaps -1", /--max-gaps takes a whole number, not "-1"/],
  ["check a.md --quiet --json", /--quiet, --json, --sarif and --markdown can't be combined/],
  ["check a.md --json --sarif", /--quiet, --json, --sarif and --markdown can't be combined/],
  ["check a.md --markdown", /--fail-on and --markdown require --from/],
  ["check a.md --fail-on none", /--fail-on and --markdown require --from/],
  ["check a.md --from b.md --max-gaps 3", /--from and --max-gaps can't be combined/],
  ["check a.md --from b.md --fail-on fine", /--fail-on takes breaking, careful or none, not "fine"/],
  ["format a.md --write --check", /--write and --check can't be combined/],
  ["format a.md --check --rename A", /--rename and --check can't be combined/],
  ["format a.md --in 2", /--in and --seed need --rename/],
  ["format a.md --seed b.md --write", /--in and --seed need --rename/],
  ["format a.md --rename A --seed b.md", /--seed needs --write/],
  ["new a.md --bare --example helpdesk", /--example can't be combined with the other options/],
  ["new a.md --purpose none", /The purpose is one sentence of at most 300 characters/],
  ["new a.md --resource book/ing", /can't be the name of a resource/],
  ["new a.md --callers ghosts", /Callers are one of anyone, programs, people/],
  [
    "new a.md --example desc",
    /Unknown example "desc"\. Did you mean desk|Unknown example "desc"\. Write one of/,
  ],
  ["completion fsh", /Unknown shell "fsh"\. Did you mean zsh\?/],
  ["backup a.md", /TO is missing: the file or folder.*\nUsage: ninefold backup FILE TO/],
  ["backup a.md to --keep 0", /--keep takes 1 or more/],
  ["backup a.md to --every 0s", /--every takes a time such as/],
  ["secrets", /ACTION is missing\.\nUsage: ninefold secrets rotate FILE/],
  ["secrets renew a.md", /Unknown action "renew"\. Write one of rotate/],
  ["secrets rotate a.md --keep soon", /--keep takes a time such as/],
  ["migrate a.md", /Add --plan/],
  ["migrate a.md --plan --apply", /Add --plan/],
  ["migrate a.md --apply --check", /Add --plan/],
  ["migrate a.md --plan --from b.md", /--from requires --check/],
  ["migrate a.md --check --from b.md --store c.db", /--store and --from can't be combined/],
  ["import", /FILE is missing\.\nUsage: ninefold import/],
  ["import openapi a.json --accept likly", /Unknown --accept "likly"\. Did you mean likely\?/],
  [
    "import openapi a.json --into b.md --out c.md",
    /--into can't be combined with --out, --only, --accept and --origins/,
  ],
  ["import openapi a.json --conflicts keep", /--conflicts requires --into/],
  [
    "import openapi a.json --into b.md --conflicts mine",
    /Unknown --conflicts "mine"\. Write one of keep, take/,
  ],
  ["import openapi a.json --into RECORDED", /was imported with `import har`/],
  ["learn a.md", /--har is missing\. Name a recording/],
  ["learn a.md --har a.har --all --json", /--all, --json and --accept can't be combined/],
  ["import opnapi a.json", /Unknown format "opnapi"\. Did you mean openapi/],
  ["export", /NAME is missing\. Write one of/],
  ["export openappi a.md", /Unknown output "openappi"\. Did you mean openapi/],
  ["export openapi a.md --out b --check --watch", /--check and --watch can't be combined/],
  ["export openapi a.md --check", /--out is missing\. --check and --watch need/],
  ["export openapi a.md --watch", /--out is missing\. --check and --watch need/],
  ["export jsonschema a.md", /--out is missing\. jsonschema writes several files: name a folder/],
  [
    "export client a.md --out client.ts",
    /--out client\.ts has the ending of a file\. client writes several files: name a folder, such as client\./,
  ],
  ["export openapi a.md --format xml", /--format takes .*, not "xml"/],
  ["export openapi DESK --version 1999-01-01", /1999-01-01/],
  ["data", /ACTION is missing\. Write one of list/],
  ["data lst", /Unknown action "lst"\. Did you mean list/],
  ["data list DESK Shop --store STORE --csv --json", /--csv and --json can't be combined/],
  ["data list DESK Shop --store STORE --limit 0", /--limit takes 1 or more/],
  ["data list DESK Shop --store STORE --columns nme", /Unknown --columns field "nme"\. Did you mean name/],
  ["data list DESK ApiKey --store STORE --columns shop.name", /refers to a record of Shop/],
  ["data list DESK Shop --store STORE --columns name.first", /is a string, which has no parts/],
  ["data export DESK Shop --store STORE --out a.jsonl --csv", /--csv and --out can't be combined/],
  ["data export DESK Shop --store STORE --out a.txt", /must end in \.jsonl .* or \.csv/],
  ["data export DESK Shop --store STORE --out a.jsonl --null NULL", /--null requires CSV/],
  ["data export DESK Shop --store STORE --out a.csv --null a,b", /--null takes a word/],
  ["data import DESK Shop a.jsonl --store STORE --mode overwrite", /--mode takes .*, not "overwrite"/],
  ["data erase DESK Shop 1 --store STORE", /Add --plan/],
  ["data erase DESK Shop 1 --store STORE --plan --apply", /Add --plan/],
  ["data erase DESK Shop 1 --store STORE --plan --clear --remove", /--clear and --remove can't be combined/],
  ["data list", /FILE is missing\.\nUsage: ninefold data list FILE RESOURCE [^\n]*\nSee/],
  ["data run DESK Parcel 1 collect [] --store STORE", /INPUTS must be a JSON object/],
  ["test a.md --watch --json", /--watch and --json can't be combined/],
  ["test a.md --mutate --only a", /--mutate and --only can't be combined/],
  ["verify a.md", /--against is missing: the URL of the service/],
  ["verify a.md --against here", /--against takes a URL such as http:\/\/127\.0\.0\.1:4545, not "here"/],
  ["verify a.md --against ftp://127.0.0.1", /--against takes a URL such as/],
  ["verify a.md --against http://a:b@127.0.0.1", /--against takes a URL without credentials/],
  ["verify a.md --against http://192.0.2.1", /192\.0\.2\.1 is not this machine.* add --yes/],
  ["verify a.md --against http://127.0.0.1:1 --rate 0", /--rate takes 1 or more/],
  ["verify DESK --against http://127.0.0.1:1 --clock here", /--clock takes a URL such as.*, not "here"/],
  ["serve DESK --proxy https://api.example.com", /--proxy and --record belong together/],
  ["serve DESK --proxy here --record a.har", /--proxy takes a URL such as.*, not "here"/],
  [
    "serve DESK --proxy https://a:b@api.example.com --record a.har",
    /--proxy takes a URL without credentials/,
  ],
  ["verify a.md --against http://127.0.0.1:1 --receiver here", /--receiver takes a URL such as/],
  ["data copy DESK b.db", /is a document: name two stores/],
  ["sandbox", /ACTION is missing\. Write one of/],
  ["sandbox stauts", /Unknown action "stauts"\. Did you mean status\?\nUsage: ninefold sandbox status\n/],
  ["sandbox status --operations here", /--operations takes an address/],
  ["sandbox fault --always --times 2 --status 503 AWAY", /--always and --times can't be combined/],
  ["sandbox clock --stop --run AWAY", /--stop and --run can't be combined/],
  ["sandbox seed SEED --scenario a AWAY", /A seed file and --scenario can't be combined/],
  ["sandbox remove AWAY", /Write the NAME of a data space, or --all/],
  ["sandbox remove a --all AWAY", /Write the NAME of a data space, or --all/],
  ["serve DESK --port 65536", /a port between 0 and 65535, not 65536/],
  ["serve DESK --log xml", /--log takes pretty, json, none, not "xml"/],
  ["serve DESK --log-level debug", /--log-level takes info, warn, error/],
  ["serve DESK --gaps-as 200", /--gaps-as takes a status from 400 to 599/],
  ["serve DESK --cache much", /--cache takes a size/],
  ["serve DESK --url ftp://a", /--url takes an address/],
  ["serve DESK --url http://a?b", /--url takes an address/],
  ["serve DESK --drain 0s", /--drain takes a time such as/],
  ["serve DESK --tls-cert a.pem", /TLS needs both .* the key is missing/],
  ["serve DESK --tls-key a.pem", /TLS needs both .* the certificate is missing/],
  ["serve DESK --forwarded-header forwarded", /--forwarded-header requires --trust-proxy/],
  ["serve DESK --trust-proxy everybody", /--trust-proxy takes the number of proxies/],
  ["serve DESK --trust-proxy 1 --forwarded-header via", /--forwarded-header takes x-forwarded or forwarded/],
  ["serve DESK --operations 4547 --no-operations", /--operations and --no-operations can't be combined/],
  [
    "serve DESK --operations-host 127.0.0.1 --no-operations",
    /--operations and --no-operations can't be combined/,
  ],
  ["serve DESK --sandbox --no-operations", /remove --no-operations/],
  ["serve DESK --port 4547 --operations 4547", /must be a different port from --port/],
  ["serve DESK --operations-host 10.0.0.1", /requires your own token/],
  [
    "serve DESK --operations-host 10.0.0.1",
    /has 31 characters, and needs at least 32/,
    { [token]: "t".repeat(31) },
  ],
  [
    "serve DESK --operations-host 10.0.0.1",
    /must be one line of visible ASCII/,
    { [token]: `${"t".repeat(32)}\n` },
  ],
  ["serve DESK --open --no-operations", /--open opens the console, which needs the operations address/],
  ["serve DESK --space-header X-Space", /--space-header requires --sandbox/],
  ["serve DESK --allow-origin https://docs.example.com", /--allow-origin requires --sandbox/],
  [
    "serve DESK --sandbox --allow-origin docs.example.com",
    /--allow-origin takes origins, separated by commas/,
  ],
  ["serve DESK --sandbox --allow-origin https://docs.example.com/api", /Write for example https:/],
  ["serve DESK --spaces-max 3", /--spaces-max requires --sandbox/],
  ["serve DESK --seed-scenario a", /--seed-scenario requires --sandbox/],
  ["serve DESK --sandbox --space-header a@b", /--space-header takes the name of a header/],
  ["serve DESK --sandbox --spaces-max 0", /--spaces-max takes a number between 1 and 10000, not 0/],
  ["serve DESK --sandbox --seed SEED --seed-scenario a", /--seed and --seed-scenario can't be combined/],
  ["serve DESK --sandbox --seed-scenario nowhere --port 0", /no scenario "nowhere"/],
  ["serve DESK --sandbox --store postgres://a/b", /--sandbox keeps its data spaces/],
  ["serve DESK --sandbox --accept-data-loss", /--accept-data-loss and --sandbox can't be combined/],
  ["serve DESK --watch", /Remove --watch/, { LISTEN_FDS: "1", LISTEN_PID: String(process.pid) }],
  ["serve DESK --env-file NOTHING", /can't be read: ENOENT/],
  ["serve DESK --env-file WORDS", /:1 is not NAME=value/],
  ["serve DESK --env-file OPEN", /has no closing "/],
  ["serve DESK", /NINEFOLD_WATCH takes 1 or 0, not "yes"/, { NINEFOLD_WATCH: "yes" }],
  [
    "serve DESK --check-config",
    /takes an address such as http:\/\/127\.0\.0\.1:4318/,
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector" },
  ],
  [
    "serve DESK --check-config",
    /OTLP_PROTOCOL takes .*, not "grpc"/,
    { ...traced, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
  ],
  [
    "serve DESK --check-config",
    /OTEL_TRACES_SAMPLER takes .*, not "some"/,
    { ...traced, OTEL_TRACES_SAMPLER: "some" },
  ],
  [
    "serve DESK --check-config",
    /SAMPLER_ARG takes a number from 0 to 1, not "1\.01"/,
    { ...traced, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "1.01" },
  ],
  [
    "serve DESK --check-config",
    /OTEL_RESOURCE_ATTRIBUTES takes name=value/,
    { ...traced, OTEL_RESOURCE_ATTRIBUTES: "desk" },
  ],
];

const named: Readonly<Record<string, string>> = {
  DESK: desk,
  RECORDED: recorded,
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
    const { error } = await refusalAsJson([...args, "--json"], environment);
    assert.match(`${error.message} ${error.hint}`, /.+ (?:See|Usage:) /);
  });

test("with --json, a command that fails writes its error as JSON, and nothing else", async () => {
  const wrong = join(folder, "wrong.md");
  writeFileSync(wrong, "# Interface Specification: Wrong\n");
  const failing: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
    [["chekc"], 2, /^Unknown command "chekc"\.$/],
    [["check", join(folder, "none.md")], 3, /no such file/],
    [["data", "show", desk, "Shop", "none", "--store", store], 1, /no Shop none/],
    [["data", "list", wrong, "Shop", "--store", store], 1, /has \d+ errors?\.$/],
    [["sandbox", "status", ...away], 3, /^No service responds at/],
    [["secrets", "rotate", desk, "--store", join(folder, "none.db")], 3, /There is no store at/],
    [["secrets", "rotate", wrong], 1, /Nothing was changed\.$/],
    [["restore", join(folder, "none.db"), wrong], 1, /Nothing was changed\.$/],
    [["migrate", wrong, "--plan"], 1, /Nothing was changed\.$/],
    [["backup", join(folder, "none.md"), join(folder, "to.db")], 3, /./],
    [["test", wrong], 1, /has \d+ errors?\.$/],
  ];
  for (const [args, code, message] of failing) {
    const run = await runCommand(...args, "--json");
    assert.equal(run.code, code, `${args.join(" ")}: ${run.out}${run.complaints}`);
    assert.match((JSON.parse(run.out) as RefusalJson).error.message, message);
    assert.doesNotMatch(run.complaints, /^ninefold /m);
  }
});

test("with --json, a file that can't be read doesn't hide the result of the others", async () => {
  const none = join(folder, "none.md");
  const run = await runCommand("check", desk, none, "--json");
  assert.equal(run.code, 3);
  const { ok, files } = JSON.parse(run.out) as {
    ok: boolean;
    files: (Partial<RefusalJson> & { file: string })[];
  };
  assert.equal(ok, false);
  assert.deepEqual(
    files.map(({ file, error }) => [file, error?.message]),
    [
      [desk, undefined],
      [none, `${none}: there is no such file.`],
    ],
  );
  assert.equal(run.complaints, "");
});

test("a missing file is reported with the nearest document, or with its missing folder", async () => {
  writeFileSync(join(folder, "parcels.md"), "");
  assert.match(
    (await runCommand("check", join(folder, "parcel.md"))).complaints,
    /there is no such file\. Did you mean \S+parcels\.md\?/,
  );
  for (const args of [
    ["new", join(folder, "away", "api.md")],
    ["export", "openapi", desk, "--out", join(folder, "away", "api.json")],
  ])
    assert.match(
      (await runCommand(...args)).complaints,
      /the folder \S+away does not exist\. Create it: mkdir -p /,
    );
});

test("every rejection of a command line has a case", () => {
  const sites = globSync("src/cli/**/*.ts", {
    cwd: root,
    exclude: (path) => path.endsWith(".test.ts"),
  }).flatMap((path) =>
    [
      ...readFileSync(join(root, path), "utf8").matchAll(
        /new (?:WrongUsage|WrongArguments)\(\s*(["`])([\s\S]*?)\1,?\s*\)[;,]?\n/g,
      ),
    ].map(([, , text = ""]) => ({ path, text })),
  );
  assert.ok(sites.length > 55, String(sites.length));
  const all = messages.join("\n");
  const missing = sites.filter(({ text }) => {
    // The longest fixed piece of the message between its placeholders.
    const [fixed = ""] = text
      .split(/\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/)
      .toSorted((a, b) => b.length - a.length);
    return !all.includes(fixed.replaceAll("\\`", "`"));
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

test("each bound of an option accepts its last value, and rejects the next", () => {
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
