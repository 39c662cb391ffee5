/**
 * `export arazzo` of every example and twin: Redocly reads it, and runs it against the served document, to which the records of
 * `x-ninefold-given` were given. One process looks at all files.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { createHttpServer } from "../../src/engine/http/server.ts";
import { compile } from "../../src/compile.ts";
import type { Model, Scenario } from "../../src/model/model.ts";
import { arazzoOutput } from "../../src/outputs/arazzo/arazzo.ts";
import { openapiOutput } from "../../src/outputs/openapi/openapi.ts";
import type { Json } from "../../src/support/json.ts";
import { type Document, shownDocuments, testDocuments } from "../exports/documents.ts";
import { pathOf } from "../repository/repository.ts";
import { silentTerminal as quiet } from "../terminal.ts";
import { sqliteAlone } from "../sqlite-alone.ts";

interface Criterion {
  readonly condition: string;
  readonly context?: string;
  readonly type?: "regex" | "jsonpath";
}

interface Step {
  readonly stepId: string;
  readonly operationId: string;
  readonly successCriteria: readonly Criterion[];
}

interface Workflow {
  readonly workflowId: string;
  readonly summary: string;
  readonly inputs?: { readonly properties: Readonly<Record<string, object>> };
  readonly steps: readonly Step[];
  readonly "x-ninefold-given"?: readonly object[];
  readonly "x-ninefold-left-out"?: readonly { readonly line: number; readonly what: string }[];
}

interface ArazzoFile {
  readonly workflows: readonly Workflow[];
}

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "ninefold-arazzo-"));
});
after(() => rm(folder, { recursive: true, force: true }));

async function exportOf({ model }: Document, format = "json"): Promise<string> {
  return (await arazzoOutput.generate(model, { format })).files[0]?.text as string;
}

const fileOf = async (document: Document) => JSON.parse(await exportOf(document)) as ArazzoFile;

function documentNamed(name: string): Document {
  return shownDocuments.find((one) => one.name === name) as Document;
}

async function written(path: string, content: string | object): Promise<string> {
  const whole = join(folder, path);
  await mkdir(dirname(whole), { recursive: true });
  await writeFile(whole, typeof content === "string" ? content : JSON.stringify(content));
  return whole;
}

/** Exit code and what was said on standard output; Redocly asks nobody at home. */
async function redocly(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly reported: string }> {
  const cli = join(
    dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json")),
    "bin/cli.js",
  );
  const environment = {
    ...process.env,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    CI: "true",
  };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args], {
      cwd: folder,
      env: environment,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { code: 0, reported: stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { code, reported: stdout };
  }
}

for (const document of shownDocuments)
  test(`${document.path} gives the same Arazzo each time, in JSON and in YAML`, async () => {
    const json = await exportOf(document);
    assert.equal(await exportOf(document), json);
    assert.deepEqual(parse(await exportOf(document, "yaml")), JSON.parse(json));
  });

test("Redocly's recommended rules find nothing in any of them", async () => {
  const paths: string[] = [];
  for (const document of shownDocuments) {
    const openapi = await openapiOutput.generate(document.model, { openapi: "3.1", format: "json" });
    await written(`${document.name}/openapi.json`, openapi.files[0]?.text as string);
    paths.push(await written(`${document.name}/arazzo.json`, await exportOf(document)));
  }
  const { code, reported } = await redocly("lint", ...paths, "--format", "json");
  assert.equal(code, 0, reported);
  assert.doesNotMatch(reported, /"ruleId"/, reported);
});

test("what is given before and what is left out stands in extensions with a schema", async () => {
  const ajv = new Ajv2020();
  for (const name of ["given", "left-out"] as const) {
    const schema = JSON.parse(
      await readFile(pathOf(`docs/extensions/x-ninefold-${name}.schema.json`), "utf8"),
    );
    const validate = ajv.compile(schema);
    const found: unknown[] = [];
    for (const document of shownDocuments)
      for (const workflow of (await fileOf(document)).workflows)
        if (workflow[`x-ninefold-${name}`]) found.push(workflow[`x-ninefold-${name}`]);
    assert.ok(found.length > 0);
    for (const one of found) assert.ok(validate(one), JSON.stringify([one, validate.errors]));
  }
});

test("records that are given are inputs: what identifies them, and their credentials with the scenario's own as default", async () => {
  const { workflows } = await fileOf(documentNamed("parcel-desk"));
  const unseen = workflows[2] as Workflow;
  assert.equal(unseen.workflowId, "one-shop-never-sees-the-parcels-of-another");
  assert.deepEqual(unseen.inputs, {
    type: "object",
    properties: {
      parcel: { type: "string", description: "What identifies the Parcel of line 106." },
      sk_grace: { type: "string", description: "The key of the ApiKey of line 105.", default: "sk_grace" },
    },
    required: ["parcel"],
  });
  assert.equal(unseen["x-ninefold-given"]?.length, 5);
});

test("a workflow ends before time passes, and says so", async () => {
  const { workflows } = await fileOf(documentNamed("parcel-desk"));
  const lapses = workflows[1] as Workflow;
  assert.deepEqual(
    lapses.steps.map((one) => one.operationId),
    ["createParcel"],
  );
  assert.deepEqual(lapses["x-ninefold-left-out"], [
    { line: 87, what: "what comes when 1209600 seconds have passed" },
  ]);
});

test("a document without a scenario has no workflow, and says so", async () => {
  const { model } = documentNamed("unidentified-service");
  const { files, notes } = await arazzoOutput.generate(model, { format: "json" });
  const file = JSON.parse(files[0]?.text as string);
  assert.deepEqual(file.workflows, []);
  assert.ok(file["x-ninefold-gaps"].length > 0);
  assert.match(notes.map((one) => one.message).join("\n"), /No scenario can become a workflow/);
});

test("the OpenAPI file is where --source says", async () => {
  const { model } = documentNamed("conduit");
  const { files } = await arazzoOutput.generate(model, {
    format: "json",
    source: "https://desk.example/api.json",
  });
  assert.deepEqual(JSON.parse(files[0]?.text as string).sourceDescriptions, [
    { name: "openapi", type: "openapi", url: "https://desk.example/api.json" },
  ]);
});

test("what Arazzo can't say ends a workflow or is passed over, each with its line", async () => {
  const { model } = compile(oddities, { file: "x.md" });
  const { files, notes } = await arazzoOutput.generate(model as Model, { format: "json" });
  const { workflows } = JSON.parse(files[0]?.text as string) as ArazzoFile;
  assert.deepEqual(
    workflows.map(({ workflowId, steps, "x-ninefold-left-out": out = [] }) => [
      workflowId,
      steps.map((one) => one.operationId),
      out.map(({ line, what }) => `${line} ${what}`),
    ]),
    [
      [
        "an-event-gives-a-name",
        ["createNote"],
        [
          `${lineOf("- Event: note.made")} the event note.made`,
          `${lineOf("GET /notes/{{seen}}")} this request and what follows, for nothing in the workflow gives {{seen}}`,
        ],
      ],
      [
        "an-address-leads-on",
        ["createNote"],
        [
          `${lineOf("GET {{address}}")} this request and what follows, for its address is in an earlier answer`,
        ],
      ],
      [
        "a-header-is-not-there",
        ["listNotes", "listNotes"],
        [
          `${lineOf("X-Other: {{absent}}") - 1} that $response.header.X-Other is absent`,
          `${lineOf("?text=a&text=b")} this request and what follows, for its query has text twice, and a parameter stands once`,
        ],
      ],
      [
        "a-header-is-not-there2",
        ["createNote"],
        [
          `${lineOf('"$inputs.text"') - 2} this request and what follows, for Arazzo would read "$inputs.text" as an expression`,
        ],
      ],
    ],
  );
  const reported = notes.map(({ message, position }) => `${position.start.line} ${message}`);
  assert.ok(
    reported.includes(
      `${lineOf("- Event: note.made")} "an event gives a name" leaves out the event note.made.`,
    ),
  );
  assert.ok(
    reported.some((one) =>
      one.includes('"nothing answers" leaves out this request and what follows, for no operation'),
    ),
  );
});

test("signed requests and those of another version aren't said, for elsewhere they would be refused or other", async () => {
  const leftOut = async (name: string) => {
    const files = await Promise.all(testDocuments.filter((one) => one.name === name).map(fileOf));
    return files
      .flatMap(({ workflows }) => workflows.flatMap((one) => one["x-ninefold-left-out"] ?? []))
      .map(({ what }) => what)
      .join("\n");
  };
  assert.match(await leftOut("payments"), /for it is signed, letter by letter/);
  assert.match(
    await leftOut("media-type"),
    /for it speaks (the default version|version \S+), and the file is of/,
  );
});

test("texts that simple conditions would read otherwise are compared in JSONPath", async () => {
  const { model } = compile(oddities, { file: "x.md" });
  const { workflows } = JSON.parse(
    await exportOf({ name: "x", path: "x.md", model: model as Model }),
  ) as ArazzoFile;
  assert.deepEqual(
    workflows[0]?.steps[0]?.successCriteria.map((one) => one.condition),
    ["$statusCode == 201", "$[?@.id]", "$[?@.text == 'it\\u0027s $5']", "$[?@.rank == -1]", "$[?!@.nothing]"],
  );
});

const lineOf = (text: string): number => oddities.slice(0, oddities.indexOf(text)).split("\n").length;

// ── Run ─────────────────────────────────────────────────────────────────────────────────────────

interface Served {
  readonly url: string;
  /** What identifies the records that were given, by their names. */
  readonly named: ReadonlyMap<string, Json>;
  close(): Promise<void>;
}

async function served({ model, path }: Document, scenarios: readonly Scenario[]): Promise<Served> {
  const target = await createLocalTarget(model, quiet, await loadHandlers(pathOf(path), model, quiet));
  const named = new Map<string, Json>([["run", "r1"]]);
  for (const step of scenarios.flatMap((one) => one.steps)) {
    if (step.kind !== "given") continue;
    const identifier = await target.given?.(step);
    if (step.as !== undefined) named.set(step.as, identifier ?? null);
  }
  const { service } = target;
  const http = createHttpServer((one) => service.fetch(one), { refuse: (one) => service.refuse(one) });
  const { port } = await http.listen(0, "127.0.0.1");
  return {
    url: `http://127.0.0.1:${port}`,
    named,
    async close() {
      await http.close(1000);
      await target.close();
    },
  };
}

/** These workflows, with their inputs and with the address of the service that has their records. */
async function runnable(
  name: string,
  document: Document,
  workflows: readonly Workflow[],
  { url, named }: Served,
): Promise<string> {
  const openapi = await openapiOutput.generate(document.model, { openapi: "3.1", format: "json" });
  await written(`${name}/openapi.json`, {
    ...JSON.parse(openapi.files[0]?.text as string),
    servers: [{ url }],
  });
  return written(`${name}/arazzo.json`, {
    ...(await fileOf(document)),
    workflows: workflows.map((one) => withInputs(one, named)),
  });
}

function withInputs(workflow: Workflow, named: ReadonlyMap<string, Json>): Workflow {
  if (!workflow.inputs) return workflow;
  const properties = Object.entries(workflow.inputs.properties).map(([input, schema]) => [
    input,
    named.has(input) ? { ...schema, default: named.get(input) } : schema,
  ]);
  return { ...workflow, inputs: { ...workflow.inputs, properties: Object.fromEntries(properties) } };
}

/** The same, but for its last step, whose criteria all expect what isn't so. */
function wronged(workflow: Workflow): Workflow {
  const last = workflow.steps.at(-1) as Step;
  const successCriteria = last.successCriteria.map((one) => ({ ...one, condition: opposite(one) }));
  return { ...workflow, steps: [...workflow.steps.slice(0, -1), { ...last, successCriteria }] };
}

function opposite({ type, condition }: Criterion): string {
  if (type === "regex") return "^never$";
  if (type === "jsonpath") return condition.replace(/^\$\[\?(.*)\]$/, "$[?!($1)]");
  return condition.replace(/ == .*$/, " == 'never'");
}

interface Ran {
  readonly files: Readonly<Record<string, { readonly executedWorkflows: readonly RanWorkflow[] }>>;
}

interface RanWorkflow {
  readonly executedSteps: readonly {
    readonly stepId: string;
    readonly checks: readonly { readonly name: string; readonly passed: boolean; readonly message: string }[];
  }[];
}

const manyServices = sqliteAlone(
  "more than forty services at once want more connections than the server of the tests has",
);

test(
  "Redocly runs them all against the served documents, and sees each wrong expectation",
  manyServices,
  async () => {
    const right = new Map<string, readonly Workflow[]>();
    const wrong = new Map<string, Workflow>();
    const services: Served[] = [];
    const start = async (
      name: string,
      document: Document,
      scenarios: readonly Scenario[],
      workflows: readonly Workflow[],
    ) => {
      const service = await served(document, scenarios);
      services.push(service);
      return runnable(name, document, workflows, service);
    };
    for (const document of shownDocuments) {
      const { name, model } = document;
      const { workflows } = await fileOf(document);
      for (const workflow of workflows) {
        const own = model.scenarios.filter((one) => one.name === workflow.summary);
        right.set(await start(`right/${name}/${workflow.workflowId}`, document, own, [workflow]), [workflow]);
        const changed = wronged(workflow);
        wrong.set(await start(`wrong/${name}/${workflow.workflowId}`, document, own, [changed]), changed);
      }
      // What needs no records runs as it is, one workflow after another.
      if (workflows.length > 0 && workflows.every((one) => !one["x-ninefold-given"]))
        right.set(await start(`whole/${name}`, document, [], workflows), workflows);
    }
    assert.ok([...right.values()].some((one) => one.length > 1));
    const results = join(folder, "results.json");
    try {
      const { reported } = await redocly(
        "respect",
        ...right.keys(),
        ...wrong.keys(),
        "--json-output",
        results,
      );
      const { files } = JSON.parse(await readFile(results, "utf8")) as Ran;
      const stepsOf = (path: string) =>
        files[path]?.executedWorkflows.flatMap((one) => one.executedSteps) ?? [];
      for (const [path, workflows] of right) {
        const ran = stepsOf(path);
        assert.equal(ran.length, workflows.flatMap((one) => one.steps).length, `${path}\n${reported}`);
        assert.deepEqual(
          ran.flatMap((step) => step.checks.filter((one) => !one.passed)),
          [],
          path,
        );
      }
      for (const [path, { steps }] of wrong) {
        const seen = stepsOf(path)
          .at(-1)
          ?.checks.filter((one) => !one.passed && one.name === "success criteria check");
        assert.equal(seen?.length, steps.at(-1)?.successCriteria.length, `${path}: ${JSON.stringify(seen)}`);
      }
    } finally {
      await Promise.all(services.map((one) => one.close()));
    }
  },
);

const oddities = `# Interface Specification: Notes

## What the service does

- Purpose: keeps notes.

### Scenario: an event gives a name

\`\`\`http
POST /notes

{"text": "it's $5"}
\`\`\`

\`\`\`http
HTTP/1.1 201

{"id": "{{id}}", "text": "it's $5", "rank": -1, "nothing": "{{absent}}"}
\`\`\`

- Event: note.made \`{"id": "{{seen}}"}\`

\`\`\`http
GET /notes/{{seen}}
\`\`\`

\`\`\`http
HTTP/1.1 200
\`\`\`

### Scenario: an address leads on

\`\`\`http
POST /notes

{"text": "a"}
\`\`\`

\`\`\`http
HTTP/1.1 201
Location: {{address}}
\`\`\`

\`\`\`http
GET {{address}}
\`\`\`

\`\`\`http
HTTP/1.1 200
\`\`\`

### Scenario: a header is not there

\`\`\`http
GET /notes?text=a
\`\`\`

\`\`\`http
HTTP/1.1 200
X-Other: {{absent}}
\`\`\`

\`\`\`http
GET /notes
\`\`\`

\`\`\`http
HTTP/1.1 200
\`\`\`

\`\`\`http
GET /notes?text=a&text=b
\`\`\`

\`\`\`http
HTTP/1.1 200
\`\`\`

### Scenario: a header is (not) there

\`\`\`http
POST /notes

{"text": "a"}
\`\`\`

\`\`\`http
HTTP/1.1 201
\`\`\`

\`\`\`http
POST /notes

{"text": "$inputs.text"}
\`\`\`

\`\`\`http
HTTP/1.1 201
\`\`\`

### Scenario: nothing answers

\`\`\`http
GET /nowhere
\`\`\`

\`\`\`http
HTTP/1.1 404
\`\`\`

## Resources and their fields

### Note

- Identifier: id, made by \`random(8)\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| text | string | required | |
| rank | integer | on create \`-1\` | |

## Endpoints

- Media type: \`application/json\`

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note
- Header: Location: \`service.url + "/notes/" + this.id\`

### GET /notes

- Does: list Note
- Query: text?
- Returns: 200 list of Note

### GET /notes/{id}

- Does: read Note
- Returns: 200 Note

## Events

| Event | When |
|---|---|
| note.made | Note created |
`;
