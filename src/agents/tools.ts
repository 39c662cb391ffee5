/** MCP tools of `ninefold mcp`: few, each with a result that says what to do next. */
import { type Static, type TObject, Type } from "typebox";
import { compareDocuments } from "../compare/compare.ts";
import { audienceWords } from "../compare/difference.ts";
import { possibleTransitions } from "../engine/admin/possible-transitions.ts";
import { explanationOf, suggestionsFor } from "../manual/explanation.ts";
import type { Model } from "../model/model.ts";
import { runInWorker } from "../scenarios/in-worker/run-in-worker.ts";
import type { ScenarioReport } from "../scenarios/report.ts";
import { nearest } from "../support/nearest.ts";
import { planStoresOf } from "../store/index.ts";
import { workListOf } from "../worklist/worklist.ts";
import { describeDocument, sectionNamed } from "./describe.ts";
import {
  diagnosticLine,
  type DocumentFile,
  errorsOf,
  modelWithoutErrors,
  ToolRefused,
} from "./document-file.ts";
import { applyChange, changeSchema, type Change } from "./edits.ts";
import { withinTimeLimit, type TrialService } from "./trial.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: TObject;
  /** Whether it changes the document or the trial. */
  readonly changes: boolean;
  /** The result, as text or as data. @throws ToolRefused */
  run(given: unknown): Promise<unknown>;
}

export interface ToolContext {
  readonly document: DocumentFile;
  readonly trial: TrialService;
}

function tool<S extends TObject>(
  name: string,
  description: string,
  schema: S,
  run: (given: Static<S>) => Promise<unknown>,
  changes = false,
): Tool {
  // The SDK validates the arguments by the schema before it calls the tool.
  return { name, description, schema, changes, run: (given) => run(given as Static<S>) };
}

/** Maximum number of open questions and diagnostics in one result. */
const listedMax = 40;

/** All tools; only `mayWrite` adds one that writes the document. */
export function toolsFor(context: ToolContext, mayWrite: boolean): readonly Tool[] {
  return [...readingTools(context), ...trialTools(context), ...(mayWrite ? [writingTool(context)] : [])];
}

function readingTools({ document }: ToolContext): readonly Tool[] {
  return [
    tool(
      "describe",
      "The document: an overview of its parts, or the text of one section (`Book`, `POST /books`, `Errors`).",
      Type.Object({ section: Type.Optional(Type.String({ description: "a heading of the document" })) }),
      async ({ section }) => {
        const { text, compilation } = await document.read();
        return section === undefined ? describeDocument(text, compilation) : sectionNamed(text, section);
      },
    ),
    tool(
      "open_questions",
      "What the document leaves open: questions with the lines to write, the most useful first.",
      Type.Object({}),
      async () => {
        const state = await document.read();
        modelWithoutErrors(state);
        const { questions } = workListOf(document.name, state.text);
        return {
          count: questions.length,
          questions: questions.slice(0, listedMax).map(({ id, title, level, places }) => ({
            id,
            title,
            level,
            places: places.slice(0, 5).map(({ subject, at, lines }) => ({ subject, line: at, write: lines })),
          })),
        };
      },
    ),
    tool(
      "check_change",
      "Checks a proposed change without writing it: errors with what to write, what changes for clients, and whether stored records can be migrated.",
      changeSchema,
      async (change) => (await judged(document, change)).report,
    ),
    tool(
      "explain",
      "Explains a diagnostic code, an item, a rule, a type, a function or a common word (login, enum).",
      Type.Object({ word: Type.String({ minLength: 1, maxLength: 200 }) }),
      async ({ word }) => {
        const explanation = explanationOf(word);
        if (explanation !== undefined) return explanation;
        const near = suggestionsFor(word).slice(0, 5);
        throw new ToolRefused(
          `Unknown word "${word}".${near.length === 0 ? "" : ` Did you mean ${near.join(", ")}?`}`,
        );
      },
    ),
  ];
}

function writingTool({ document }: ToolContext): Tool {
  return tool(
    "apply_change",
    "Writes a change into the document, if it has no errors with it.",
    changeSchema,
    async (change) => {
      const { before, after, report } = await judged(document, change);
      if (report.errors.length > 0)
        throw new ToolRefused(`Nothing is written. With the change: ${report.errors.join("\n")}`);
      await document.write(before, after);
      return { written: document.name, ...report };
    },
    true,
  );
}

async function judged(document: DocumentFile, change: Change) {
  const state = await document.read();
  const after = applyChange(state.text, change);
  const compilation = await document.compile(after);
  const errors = errorsOf(compilation);
  const warnings = compilation.diagnostics.filter(({ severity }) => severity === "warning");
  const { model } = compilation;
  const old = errorsOf(state.compilation).length === 0 ? state.compilation.model : undefined;
  const differences = errors.length === 0 && model && old ? compareDocuments(old, model) : [];
  return {
    before: state.text,
    after,
    report: {
      errors: errors.slice(0, listedMax).map(diagnosticLine),
      warnings: warnings.slice(0, listedMax).map(diagnosticLine),
      gaps: compilation.diagnostics.filter(({ kind }) => kind === "gap").length,
      changesForClients: differences
        .slice(0, listedMax)
        .map(({ severity, subject, message, audience, write }) => ({
          severity,
          subject,
          message,
          for: audienceWords(audience),
          ...(write === undefined ? {} : { writeInVersioning: write }),
        })),
      ...(errors.length === 0 && model && old ? { storedRecords: storedRecords(old, model) } : {}),
    },
  };
}

/** Whether the records that the document before the change has stored can become those after it. */
function storedRecords(old: Model, model: Model) {
  const { steps, refused, warnings } = planStoresOf(old, model);
  return {
    canBeMigrated: refused === undefined,
    steps: steps.flatMap(({ name, lines }) =>
      lines.map(({ text }) => (name === null ? text : `${name}: ${text}`)),
    ),
    ...(refused === undefined
      ? {}
      : {
          impossible: refused.obstacles.slice(0, listedMax),
          lost: refused.losses.slice(0, listedMax),
          writeInVersioning: refused.paste,
        }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.slice(0, listedMax) }),
  };
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

function trialTools({ document, trial }: ToolContext): readonly Tool[] {
  const model = async () => modelWithoutErrors(await document.read());
  return [
    tool(
      "create_records",
      'Creates records in the trial service, as `Given` items: ["Shop with name = \\"Ada\\" as shop"]. Any field may be set.',
      Type.Object({ records: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 100 }) }),
      async ({ records }) => ({ identifiers: await trial.createGiven(await model(), records) }),
      true,
    ),
    tool(
      "call",
      "Sends an HTTP request to the trial service: the document, running in memory with no real data. `why` says which rule refused it.",
      Type.Object({
        method: Type.Enum([...methods]),
        target: Type.String({ pattern: "^/", description: "path and query: /v1/books?title=Emma" }),
        headers: Type.Optional(Type.Record(Type.String(), Type.String())),
        body: Type.Optional(Type.String({ maxLength: 1_000_000, description: "JSON as text" })),
      }),
      async ({ method, target, headers = {}, body }) => {
        const sent = Object.entries(headers);
        const hasType = sent.some(([name]) => name.toLowerCase() === "content-type");
        if (body !== undefined && !hasType) sent.push(["Content-Type", "application/json"]);
        const request = { method, target, headers: sent, ...(body === undefined ? {} : { body }) };
        return await trial.call(await model(), request);
      },
      true,
    ),
    tool(
      "possible_transitions",
      "Which transitions a record of the trial can make now, and what prevents the others.",
      Type.Object({ resource: Type.String(), identifier: Type.String() }),
      async ({ resource, identifier }) => {
        const known = await model();
        const { service } = await trial.use(known);
        const transitions = await possibleTransitions(service, resourceNamed(known, resource), identifier);
        return transitions.map(({ name, isPossible, why = null, line }) => ({ name, isPossible, why, line }));
      },
    ),
    tool(
      "events",
      "Events of the trial; `after` is the number of events to skip.",
      Type.Object({ after: Type.Optional(Type.Integer({ minimum: 0 })) }),
      async ({ after = 0 }) => {
        const events = await (await trial.use(await model())).events();
        return { count: events.length, events: events.slice(after, after + listedMax) };
      },
    ),
    tool(
      "advance_clock",
      "Moves the trial's clock, and runs what is due then.",
      Type.Object({ seconds: Type.Integer({ minimum: 1, maximum: 315_360_000 }) }),
      async ({ seconds }) => {
        await withinTimeLimit((await trial.use(await model())).wait(seconds * 1000));
        return { advancedSeconds: seconds };
      },
      true,
    ),
    tool(
      "run_scenarios",
      "Runs the scenarios of the document, each on a fresh store; `only` is a part of their names.",
      Type.Object({ only: Type.Optional(Type.String()) }),
      async ({ only = "" }) => await scenariosOf(await model(), only),
    ),
    tool("reset", "Starts a new trial, without records.", Type.Object({}), async () => {
      await trial.reset();
      return { reset: true };
    }),
  ];
}

function resourceNamed(model: Model, name: string): string {
  const names = model.resources
    .filter(({ identifier }) => identifier.kind !== "none")
    .map((resource) => resource.name);
  if (names.includes(name)) return name;
  const near = nearest(name, names);
  throw new ToolRefused(
    `Unknown resource "${name}". ${near === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${near}?`}`,
  );
}

/** How long all scenarios may take, in milliseconds. */
const scenariosMsMax = 60_000;

async function scenariosOf(model: Model, only: string) {
  const names = model.scenarios.map(({ name }) => name).filter((name) => name.includes(only));
  if (names.length === 0)
    throw new ToolRefused(
      `No scenario has "${only}" in its name. There are: ${model.scenarios.map(({ name }) => name).join("; ") || "none"}.`,
    );
  const reports: ScenarioReport[] = [];
  const request = { model, names, handlersAddress: undefined, isMeasured: false };
  const { stopped } = await runInWorker(request, ({ scenario }) => reports.push(scenario), scenariosMsMax);
  return {
    stopped,
    scenarios: reports.map(({ name, line, outcome, reason, steps }) => ({
      name,
      line,
      outcome,
      reason,
      differences: steps.flatMap(({ differences }) => differences),
    })),
  };
}
