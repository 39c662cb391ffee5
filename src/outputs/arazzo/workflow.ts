/**
 * A scenario as a workflow: each request is a step. It ends before the first thing that later steps stand on and Arazzo can't say, so that
 * nothing is claimed that would fail.
 */
import type { Model, Scenario, ScenarioStep } from "../../model/model.ts";
import { readCaptures } from "../../model/captures.ts";
import type { Json } from "../../support/json.ts";
import type { Position } from "../../source/source.ts";
import type { OutputNote } from "../output.ts";
import { exampleOf, operationOf, pathOfTarget } from "../wire/examples.ts";
import { createNames, kebab, type Names } from "../wire/names.ts";
import type { ExchangeExample, Operation, Wire } from "../wire/wire.ts";
import { expectationsOf } from "./criteria.ts";
import type { ExpressionOf } from "./fill.ts";
import { createInputs, givenText, type Inputs } from "./inputs.ts";
import { requestOf, targetOf } from "./request.ts";
import { Unsayable } from "./unsayable.ts";

type Exchange = Extract<ScenarioStep, { kind: "exchange" }>;

interface LeftOut {
  readonly what: string;
  readonly position: Position;
}

/**
 * Workflows and steps have unique names within the file: Redocly resolves steps without their
 * workflow.
 */
export interface TakenNames {
  readonly workflows: Names;
  readonly steps: Names;
}

/** Methods that OpenAPI 3.1 has an operation for. */
const sayableMethods: ReadonlySet<string> = new Set([
  "GET",
  "PUT",
  "POST",
  "DELETE",
  "OPTIONS",
  "HEAD",
  "PATCH",
  "TRACE",
]);

/** Undefined where not even its first request can be said. */
export function workflowOf(
  wire: Wire,
  model: Model,
  scenario: Scenario,
  names: TakenNames,
  notes: OutputNote[],
): Json | undefined {
  const { name, position } = scenario;
  const inputs = createInputs(model, scenario.steps, createNames(capturedNames(scenario)));
  const { steps, leftOut } = stepsOf(wire, scenario, inputs, names.steps);
  for (const { what, position: place } of leftOut)
    notes.push({ message: `"${name}" leaves out ${what}.`, position: place });
  if (steps.length === 0) return undefined;
  const givens = scenario.steps.filter((step) => step.kind === "given");
  if (givens[0])
    notes.push({
      message: `"${name}" needs records that no request makes: what steps use of them are inputs of the workflow.`,
      position: givens[0].position,
    });
  const schema = inputs.schema();
  return {
    workflowId: names.workflows.take([kebab(name) || "scenario"], {
      subject: `the scenario "${name}"`,
      position,
    }),
    summary: name,
    ...descriptionOf(givens.length, leftOut),
    ...(schema === undefined ? {} : { inputs: schema }),
    steps,
    ...(givens.length === 0
      ? {}
      : {
          "x-ninefold-given": givens.map((step) => ({
            line: step.position.start.line,
            record: givenText(step),
          })),
        }),
    ...(leftOut.length === 0
      ? {}
      : {
          "x-ninefold-left-out": leftOut.map(({ position: { start }, what }) => ({ line: start.line, what })),
        }),
  };
}

function descriptionOf(givens: number, leftOut: readonly LeftOut[]): { readonly description?: string } {
  const sentences = [
    ...(givens === 0
      ? []
      : ["The records of x-ninefold-given have to be there before; no request makes them."]),
    ...leftOut.map(({ position, what }) => `Left out is ${what} (line ${position.start.line}).`),
  ];
  return sentences.length === 0 ? {} : { description: sentences.join("\n\n") };
}

function stepsOf(
  wire: Wire,
  { steps }: Scenario,
  inputs: Inputs,
  names: Names,
): { readonly steps: readonly Json[]; readonly leftOut: readonly LeftOut[] } {
  const said: Json[] = [];
  const leftOut: LeftOut[] = [];
  const captured = new Map<string, string>();
  const expressionOf: ExpressionOf = (name) => captured.get(name) ?? inputs.expressionOf(name);
  for (const step of steps) {
    const { position } = step;
    if (step.kind === "event") leftOut.push({ what: `the event ${step.event}`, position });
    if (step.kind === "wait") {
      leftOut.push({ what: `what comes when ${step.milliseconds / 1000} seconds have passed`, position });
      break;
    }
    if (step.kind !== "exchange") continue;
    try {
      const operation = operationFor(wire, step);
      const made = stepOf(wire, operation, step, inputs, expressionOf);
      const stepId = names.take([operation.id], { subject: "", position });
      said.push({ stepId, ...made.step });
      for (const name of made.captures) captured.set(name, `$steps.${stepId}.outputs.${name}`);
      leftOut.push(...made.leftOut.map((what) => ({ what, position: step.response.position })));
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      const what = `this request and what follows, for ${error.message}`;
      leftOut.push({ what, position: step.request.position });
      break;
    }
  }
  return { steps: said, leftOut };
}

function operationFor(wire: Wire, { request, response }: Exchange): Operation {
  const segments = pathOfTarget(targetOf(wire, request.target));
  if (!segments) throw new Unsayable("its address is in an earlier answer");
  const operation = operationOf(wire.operations, wire.basePath, request.method, segments);
  if (!operation) throw new Unsayable("no operation answers it");
  if (!sayableMethods.has(request.method))
    throw new Unsayable(`OpenAPI 3.1 has no word for ${request.method}`);
  const isStream = response.headers.some(
    ({ name, value }) => /^content-type$/i.test(name) && /^\s*text\/event-stream\b/i.test(value),
  );
  if (isStream || operation.stream) throw new Unsayable("its answer is a stream");
  return operation;
}

interface MadeStep {
  /** Without its name. */
  readonly step: Readonly<Record<string, Json>>;
  readonly captures: Iterable<string>;
  readonly leftOut: readonly string[];
}

function stepOf(
  wire: Wire,
  operation: Operation,
  exchange: Exchange,
  inputs: Inputs,
  expressionOf: ExpressionOf,
): MadeStep {
  const { request, response }: ExchangeExample = exampleOf({ ...exchange, scenario: "" }, createNames());
  const sent = requestOf(wire, operation, request, exchange.request, inputs, expressionOf);
  const { criteria, outputs, leftOut } = expectationsOf(response, expressionOf);
  return {
    step: {
      ...(operation.summary === "" ? {} : { description: operation.summary }),
      operationId: operation.id,
      ...sent,
      successCriteria: criteria,
      ...(outputs.size === 0 ? {} : { outputs: Object.fromEntries(outputs) }),
    },
    captures: outputs.keys(),
    leftOut,
  };
}

/** Every name that stands in braces somewhere: an input of another kind can't have it. */
function capturedNames({ steps }: Scenario): readonly string[] {
  const texts = steps.flatMap((step) => {
    if (step.kind === "given") return step.as === undefined ? [] : [`{{${step.as}}}`];
    if (step.kind !== "exchange") return [];
    const { request, response } = step;
    const headers = [...request.headers, ...response.headers].map((one) => one.value);
    return [request.target, ...headers, request.body?.text ?? "", response.body?.text ?? ""];
  });
  return ["run", ...texts.flatMap((text) => readCaptures(text).captures.map(({ name }) => name))];
}
