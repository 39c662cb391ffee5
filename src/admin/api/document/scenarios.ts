/** Scenario routes: run the document's scenarios in separate stores, and report their coverage. */
import { type Static, Type } from "typebox";
import type { Scenario } from "../../../model/model.ts";
import { reportSkipped } from "../../../scenarios/report.ts";
import { nearest } from "../../../support/nearest.ts";
import { type Board, boardOf, type Progress } from "../../scenarios/board.ts";
import { tryScenario } from "../../scenarios/try-scenario.ts";
import type { AdminContext } from "../../context.ts";
import { OperationRefusal } from "../routing/refusal.ts";
import { fields, nullable, route, writtenLengthMax } from "../routing/route.ts";
import { topic } from "../stream/topic.ts";

const text = Type.String();
const line = Type.Integer({ minimum: 1 });
const count = Type.Integer({ minimum: 0 });
const outcome = Type.Union([Type.Literal("passed"), Type.Literal("failed"), Type.Literal("skipped")]);

const difference = fields({ line, column: line, what: text, expected: text, actual: text });

const message = fields({
  first: Type.String({ description: "`POST /parcels`, `HTTP 201`" }),
  headers: Type.Array(Type.Tuple([text, text])),
  body: nullable(text),
});

const side = fields({
  expected: nullable(text),
  actual: nullable(text),
  verdict: Type.Union([Type.Literal("same"), Type.Literal("differs"), Type.Literal("more")]),
});

const step = fields({
  kind: Type.Union([
    Type.Literal("given"),
    Type.Literal("wait"),
    Type.Literal("event"),
    Type.Literal("exchange"),
  ]),
  line,
  outcome: Type.Union([Type.Literal("passed"), Type.Literal("failed"), Type.Literal("not reached")]),
  words: text,
  request: nullable(message),
  expected: nullable(message),
  got: nullable(message),
  differences: Type.Array(difference),
  sides: Type.Array(side, { description: "the expected body next to the received one, where they differ" }),
});

const scenarioSchema = fields({
  name: text,
  line,
  outcome: nullable(outcome),
  reason: nullable(text),
  tookMs: nullable(Type.Number()),
  steps: Type.Array(step),
});

const summary = fields({
  name: text,
  line,
  outcome: nullable(outcome),
  tookMs: nullable(Type.Number()),
  first: nullable(difference),
});

const share = { met: count, of: count };

const scenariosSchema = fields({
  scenarios: Type.Array(summary),
  running: nullable(fields({ done: count, of: count })),
  stopped: Type.Union([text, Type.Null()], { description: "why the last run ended before its end" }),
  complaints: Type.String({ description: "what went wrong in the author's own code" }),
  coverage: nullable(fields(share)),
});

const coverageSchema = fields({
  ...share,
  ran: count,
  parts: Type.Array(
    fields({
      part: text,
      title: text,
      ...share,
      rules: Type.Array(
        fields({
          kind: text,
          subject: text,
          line,
          sides: Type.Array(fields({ side: text, by: Type.Array(text) })),
        }),
      ),
    }),
  ),
});

const tryScenarioSchema = fields({
  before: line,
  mistakes: Type.Array(
    fields({
      line: Type.Integer(),
      column: line,
      severity: text,
      message: text,
      hint: nullable(text),
    }),
  ),
  scenarios: Type.Array(scenarioSchema),
  stopped: nullable(text),
});

export type ScenariosResponse = Static<typeof scenariosSchema>;
export type ScenarioResponse = Static<typeof scenarioSchema>;
export type CoverageResponse = Static<typeof coverageSchema>;
export type TryScenarioResponse = Static<typeof tryScenarioSchema>;
export type ScenarioProgress = Progress;

export const scenarioRoutes = [
  route({
    method: "GET",
    path: "/api/scenarios",
    does: "the document's scenarios, with the outcome of each one's last run",
    isSpaceScoped: false,
    answer: scenariosSchema,
    run: ({ admin }) => toScenariosResponse(admin),
  }),
  route({
    method: "GET",
    path: "/api/scenarios/one",
    does: "a scenario by its `name`, step by step: what was sent, expected and received",
    isSpaceScoped: false,
    query: fields({ name: text }),
    answer: scenarioSchema,
    run({ admin, query }) {
      const scenario = named(admin, query.name);
      return (boardOf(admin).last.get(scenario.name) ?? toScenarioResponse(scenario)) as ScenarioResponse;
    },
  }),
  route({
    method: "GET",
    path: "/api/scenarios/coverage",
    does: "which of the document's rules the run scenarios have covered",
    isSpaceScoped: false,
    answer: coverageSchema,
    run({ admin }) {
      const board = boardOf(admin);
      const report = board.coverage();
      if (!report)
        throw new OperationRefusal(
          409,
          "Nothing was run",
          "Run the scenarios first: POST /api/scenarios/run.",
        );
      return { ran: board.last.size, ...report } as CoverageResponse;
    },
  }),
  route({
    method: "POST",
    path: "/api/scenarios/run",
    does: "runs scenarios by their `names`, or all, in a separate thread; responds when they are finished",
    isSpaceScoped: false,
    body: fields({ names: Type.Optional(Type.Array(text, { maxItems: 1000 })) }),
    answer: scenariosSchema,
    async run({ admin, body }) {
      const { scenarios } = admin.model;
      const selected = body.names?.map((name) => named(admin, name)) ?? scenarios;
      const run = boardOf(admin).run(selected.map(({ name }) => name));
      if (!run)
        throw new OperationRefusal(
          409,
          "In progress",
          "Scenarios are running. Try again when they have finished.",
        );
      await run;
      return toScenariosResponse(admin);
    },
  }),
  route({
    method: "POST",
    path: "/api/scenarios/try",
    does: "runs a scenario in `markdown` as a part of the document: its mistakes, or its outcome",
    isSpaceScoped: false,
    body: fields({ markdown: Type.String({ minLength: 1, maxLength: writtenLengthMax }) }),
    answer: tryScenarioSchema,
    run: async ({ admin, body }) => (await tryScenario(admin.document, body.markdown)) as TryScenarioResponse,
  }),
];

/** Scenario topic: reports each scenario when it has run. */
export const scenarioTopic = topic<Progress>({
  name: "scenarios",
  delivers: "rows",
  start: (_space, push, admin) => boardOf(admin).onProgress(push),
  serialize: (progress) => progress,
});

function toScenariosResponse(admin: AdminContext): ScenariosResponse {
  const board = boardOf(admin);
  const report = board.coverage();
  return {
    scenarios: admin.model.scenarios.map((scenario) => summaryOf(scenario, board)),
    running: board.running,
    stopped: board.ended?.stopped ?? null,
    complaints: board.ended?.complaints ?? "",
    coverage: report && { met: report.met, of: report.of },
  };
}

function summaryOf({ name, position }: Scenario, { last }: Board): ScenariosResponse["scenarios"][number] {
  const result = last.get(name);
  const first = result?.steps.flatMap(({ differences }) => differences)[0];
  return {
    name,
    line: position.start.line,
    outcome: result?.outcome ?? null,
    tookMs: result?.tookMs ?? null,
    first: first ?? null,
  };
}

function toScenarioResponse(scenario: Scenario): ScenarioResponse {
  const { name, position } = scenario;
  const unrun = { name, line: position.start.line, outcome: null, reason: null, tookMs: null };
  return { ...unrun, steps: reportSkipped(scenario) as ScenarioResponse["steps"] };
}

/** @throws OperationRefusal */
function named({ model }: AdminContext, name: string): Scenario {
  const found = model.scenarios.find((scenario) => scenario.name === name);
  if (found) return found;
  const suggestion = nearest(
    name,
    model.scenarios.map((scenario) => scenario.name),
  );
  throw new OperationRefusal(
    404,
    "No such scenario",
    `The document has no scenario "${name.slice(0, 100)}".${suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`}`,
  );
}
