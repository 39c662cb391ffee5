/**
 * Reads `Given` items from outside the document (a seed file, the command line) and binds them
 * against its finished model.
 */
import { createReporter, type Diagnostic, type Reporter } from "../../diagnostics/diagnostic.ts";
import { types } from "../../expressions/type.ts";
import { expressionType } from "../../fields/type.ts";
import { hasRule } from "../../fields/rule.ts";
import { createSource, type Source } from "../../source/source.ts";
import { readBlocksOf } from "../../syntax/blocks.ts";
import { readBlocks } from "../../syntax/markdown.ts";
import type { ItemNode } from "../../syntax/nodes.ts";
import { itemsOf, keyText } from "../../syntax/read.ts";
import { buildGiven, givenNames } from "./purpose/given.ts";
import type { BuildContext } from "./any-part/context.ts";
import type { Declarations, DeclaredResource } from "./declarations.ts";
import { meaningOf, identifierFields } from "../meaning.ts";
import type { Model, Resource, ScenarioStep } from "../model.ts";

export type GivenStep = Extract<ScenarioStep, { kind: "given" }>;

export interface GivenRead {
  readonly source: Source;
  readonly steps: readonly GivenStep[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the `- Given: …` items of a Markdown text in order. Everything else is description.
 * @param known resources of existing records by their names; a name may be used again
 */
export function readGivenItems(
  model: Model,
  file: string,
  text: string,
  known: ReadonlyMap<string, string> = new Map(),
): GivenRead {
  const source = createSource(file, text);
  const reporter = createReporter(source);
  const context = contextOf(model, reporter);
  const steps: GivenStep[] = [];
  const usedNames = new Set<string>();
  const names = givenNames(context);
  for (const [name, resource] of known) names.add(name, { kind: "record", resource });
  for (const item of givenItems(source, reporter)) {
    const built = buildGiven(context, item, names, usedNames);
    if (!built) continue;
    if (built.as !== undefined) usedNames.add(built.as);
    if (built.step) steps.push(built.step);
  }
  return { source, steps, diagnostics: reporter.diagnostics };
}

function givenItems(source: Source, reporter: Reporter): readonly ItemNode[] {
  return itemsOf(readBlocksOf(source, readBlocks(source, reporter), reporter)).filter(
    (item) => keyText(item.key) === "given",
  );
}

function contextOf(model: Model, reporter: Reporter): BuildContext {
  const { vocabulary } = meaningOf(model);
  const scope = {
    fixed: { now: types.timestamp, service: { kind: "object" as const, fields: { url: types.string } } },
    named: {},
    locals: [],
    vocabulary,
  };
  const declarations: Declarations = {
    vocabulary,
    resources: new Map(model.resources.map((resource) => [resource.name, declared(resource)])),
    errorCodes: new Map(),
    codesAreNone: false,
    events: new Map(),
    schemes: new Map(),
    shapes: new Map(),
    rateNames: new Map(),
    ratesAreKnown: false,
    hasClaims: false,
    versions: new Map(),
    caller: types.null,
    credential: types.null,
    several: {},
    transitionBody: () => types.any,
    baseScope: scope,
  };
  // `Given` needs nothing of the document's syntax, and only these members of the context.
  return { reporter, declarations } as BuildContext;
}

function declared(resource: Resource): DeclaredResource {
  const { states } = resource;
  return {
    name: resource.name,
    variableName: resource.variableName,
    position: resource.position,
    isValue: resource.identifier.kind === "none",
    fields: new Map(
      resource.fields.map((field) => [
        field.name,
        { ...field, computed: hasRule(field.rules, "computed"), expressionType: expressionType(field.type) },
      ]),
    ),
    identifier: identifierFields(resource),
    identifierMade: resource.identifier.kind === "made",
    ...(states?.field === undefined ? {} : { stateField: states.field }),
    states: states?.states.map((state) => state.name) ?? [],
    transitions: states?.transitions.map((transition) => transition.name) ?? [],
    deletedMarked: resource.deleted === "marked",
    ...(resource.gap ? { gap: resource.gap } : {}),
  };
}
