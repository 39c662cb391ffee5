/**
 * Part 4, endpoints: what each accepts, does and returns, and the records of its path. `shapes.ts` reads shapes,
 * which other parts have, too.
 */
import { reportingOnce } from "../../../diagnostics/deduplicate.ts";
import type { Type } from "../../../expressions/type.ts";
import { positionIn } from "../../../source/phrase.ts";
import { parseEffects } from "../../../syntax/effects.ts";
import type { Model, PathHeading } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { transitionUses } from "../effects/effects.ts";
import { buildEndpoint } from "./endpoint.ts";
import { checkBaseParameters, checkParameters, checkPartItems } from "./endpoint-checks.ts";
import { nullLedger } from "../any-part/null-ledger.ts";
import { readEndpointsPart } from "./part.ts";
import { type EndpointReading, type PartReading, readPart } from "./reading.ts";
import { changeScope, endpointScopes, inputsType } from "./scopes.ts";
import { checkStreamItems } from "./item-applicability.ts";
import { completeInputs } from "./inputs/path-inputs.ts";
import { buildShapes } from "../shapes/shapes.ts";
import type { TransitionUse, TransitionUses } from "../effects/transition-body.ts";

/** The uses of transitions by endpoints: those that they fire, and each `do` of their effects. */
export function declareEndpoints(ctx: BuildContext): readonly TransitionUses[] {
  const part = ctx.reporter.silently(() => readPart({ ...ctx, ledger: nullLedger })).value;
  return part.endpoints.flatMap((reading) => [() => usesOf(reading), usesOfEffects(reading, part, ctx)]);
}

function usesOf({ deeds, thens, inputs, openBody }: EndpointReading): TransitionUse[] {
  const { resource } = deeds;
  if (!resource) return [];
  const done = deeds.does.flatMap(({ deed }) => (deed.kind === "transition" ? [deed.transition] : []));
  const type = inputsType(
    inputs.map((input) => input.input),
    "body",
  );
  const fields: Readonly<Record<string, Type>> | undefined =
    type.kind === "object" && !openBody ? type.fields : undefined;
  return [...done, ...thens.map((next) => next.transition)].map((transition) => ({
    resource: resource.name,
    transition,
    ...(fields ? { inputs: fields } : {}),
  }));
}

function usesOfEffects(reading: EndpointReading, part: PartReading, ctx: BuildContext): TransitionUses {
  const { deeds, plan, stated } = reading;
  const effects = ctx.reporter.silently(() =>
    stated("effect").flatMap((item) => parseEffects(item.value, ctx.reporter)),
  ).value;
  const scope = () => {
    const inputs = completeInputs(reading, part.base).map(({ input }) => input);
    const { inputs: all } = endpointScopes(
      ctx.declarations,
      inputs,
      { query: {}, body: {} },
      plan.records,
      deeds.does,
      deeds.resource,
    );
    return changeScope(all, deeds.does, deeds.resource);
  };
  return transitionUses(effects, scope, ctx);
}

/** Builds part 4, and the shapes of all parts. Reports mistakes and gaps. */
export function buildEndpoints(
  ctx: BuildContext,
): Pick<Model, "endpointsPart" | "paths" | "endpoints" | "shapes"> {
  // Items that several endpoints share are bound for each of them. Their mistakes are reported
  // once.
  const once: BuildContext = { ...ctx, reporter: reportingOnce(ctx.reporter) };
  const part = readPart(once);
  const endpointsPart = readEndpointsPart(part.items, part.base, once);
  const endpoints = part.endpoints.map((reading) => {
    checkParameters(reading, once);
    checkStreamItems(reading, once);
    return buildEndpoint(reading, part, endpointsPart.expansion, once);
  });
  checkBaseParameters(part, once);
  checkPartItems(part, once);
  noteStated(part, ctx);
  return { endpointsPart, paths: part.paths.map(pathHeading), endpoints, shapes: buildShapes(ctx) };
}

function pathHeading({ path, heading, prose, is }: PartReading["paths"][number]): PathHeading {
  return { path, position: positionIn(heading), prose, ...(is ? { is: is.name } : {}) };
}

/**
 * Records the answers: an endpoint states methods and path shapes; a `Body`, a table or a `Returns` states payload
 * shapes (decision "When an item is stated").
 */
function noteStated({ endpoints }: PartReading, { ledger }: BuildContext): void {
  for (const { section, stated, rows, items } of endpoints) {
    ledger.state("methods", positionIn(section.heading));
    ledger.state("path shapes", positionIn(section.pathPhrase));
    for (const key of ["body", "returns"] as const) {
      const [item] = items.isOwn(key) ? stated(key) : [];
      if (item) ledger.state("payload shapes", item.position);
    }
    const [row] = rows;
    if (row) ledger.state("payload shapes", row.position);
  }
}
