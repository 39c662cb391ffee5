/**
 * Path records of an endpoint (part 4, "Paths"): those of the path headings above it, and the
 * target that its last parameter selects. Plans how each is selected and tied to the others;
 * `endpoint.ts` binds the conditions.
 */
import { createsIfMissing } from "../../../endpoints/does.ts";
import type { Position } from "../../../../source/source.ts";
import { type Phrase, positionIn } from "../../../../source/phrase.ts";
import type { DeclaredField, DeclaredResource } from "../../declarations.ts";
import type { PathTemplate } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { hasRule } from "../../../../fields/rule.ts";
import { type Deeds, commonReach, signsInAny } from "../does.ts";
import { mentionsMember } from "../../any-part/mentions.ts";
import { parametersOf, pathToParameter } from "./path-template.ts";
import { jointlyUnique } from "./unique-groups.ts";
import type { ReadPath } from "./paths.ts";

/** A reference that ties a record to the record of a path. */
export interface PathReference {
  readonly field: string;
  readonly record: string;
}

export interface RecordPlan {
  readonly path: PathTemplate;
  readonly resource: DeclaredResource;
  readonly name: string;
  readonly by?: { readonly field: string; readonly parameter: string };
  readonly ties: readonly PathReference[];
  /** Its path heading. Absent for a target that the last parameter selects. */
  readonly heading?: ReadPath;
  readonly target: boolean;
  readonly position: Position;
}

export interface PathPlan {
  readonly records: readonly RecordPlan[];
  /** Path headings above the endpoint, including those without a record, from the shortest to the longest. */
  readonly headings: readonly ReadPath[];
  /** Ties between the endpoint's records and records of the path, if the path doesn't select one. */
  readonly ties: readonly PathReference[];
  /** The field that a new or upserted record gets from the path. */
  readonly sets?: { readonly field: string; readonly parameter: string };
  /** Parameters that select a record, or were meant to. */
  readonly picking: readonly string[];
}

/** Facts of the endpoint that the plan needs. */
export interface PathOf {
  readonly name: string;
  readonly path: PathTemplate;
  readonly pathPhrase: Phrase;
  readonly base: PathTemplate;
  readonly deeds: Deeds;
  /** The endpoint's own conditions on the record, including those of its rows. */
  readonly conditions: readonly Phrase[];
  /** Fields that its inputs or its `Set` assign. */
  readonly given: readonly string[];
  /** Rows for path parameters: the field that each names. */
  readonly rows: ReadonlyMap<string, string | undefined>;
}

/** @param above the path headings at and above the endpoint, from the shortest to the longest */
export function planPath(endpoint: PathOf, above: readonly ReadPath[], ctx: BuildContext): PathPlan {
  const records: RecordPlan[] = [];
  for (const heading of above) {
    const record = heading.is && planHeading(heading, heading.is, records, endpoint.base, ctx);
    if (record) records.push(record);
  }
  const { resource, faulty } = endpoint.deeds;
  const implied = resource && !faulty ? planImplied(endpoint, resource, records, above, ctx) : undefined;
  if (implied?.record) records.push(implied.record);
  else if (commonReach(endpoint.deeds.does) === "one" && !implied) markTarget(records, resource);
  const sets = implied?.sets ?? setByHeading(endpoint, records);
  const hasTarget = records.some((record) => record.target);
  const ties = resource && !faulty && !hasTarget ? tiesOfEndpoint(endpoint, resource, records, ctx) : [];
  return {
    records,
    headings: above,
    ties,
    ...(sets ? { sets } : {}),
    picking: [
      ...records.flatMap((record) => record.by?.parameter ?? []),
      ...(implied?.refused ? [implied.refused] : []),
    ],
  };
}

/** An `upsert` at a path heading creates the record of the path. */
function setByHeading({ deeds, path }: PathOf, records: readonly RecordPlan[]): RecordPlan["by"] {
  if (!deeds.does.some(({ deed }) => createsIfMissing(deed))) return undefined;
  return records.find(
    (record) => record.resource.name === deeds.resource?.name && record.path.text === path.text,
  )?.by;
}

/** "An endpoint at the path itself, or beneath it for one record of the same resource, works on that record." */
function markTarget(records: RecordPlan[], resource: DeclaredResource | undefined): void {
  const at = records.findLastIndex((record) => record.resource.name === resource?.name);
  const found = records[at];
  if (found) records[at] = { ...found, target: true };
}

function planHeading(
  heading: ReadPath,
  resource: DeclaredResource,
  before: readonly RecordPlan[],
  base: PathTemplate,
  ctx: BuildContext,
): RecordPlan | undefined {
  const name = resource.variableName;
  const position = positionIn(heading.heading);
  const clash = before.find((record) => record.name === name);
  if (clash) {
    const related = [{ position: clash.position, message: "First defined here." }];
    ctx.reporter.report(
      "endpoints/records-of-one-name",
      heading.isPosition ?? position,
      { name, resource: resource.name },
      related,
    );
    return undefined;
  }
  const ties = before.flatMap((record) =>
    tieTo(record, resource, heading.where, [], heading.isPosition ?? position, ctx),
  );
  const own = parametersOf(heading.path);
  const parameter = (own.length > 0 ? own : parametersOf(base)).at(-1);
  const used =
    parameter === undefined || before.some((record) => parametersOf(record.path).includes(parameter));
  const alone =
    parameter !== undefined && heading.where.some((where) => mentionsMember(where.text, "path", parameter));
  const field = used || alone ? undefined : pickingField(resource, parameter, ties, ctx);
  if (!field && !alone && ties.length === 0 && heading.where.length === 0) {
    const params = { path: heading.path.text, resource: resource.name };
    ctx.reporter.report("endpoints/picks-nothing", heading.isPosition ?? position, params);
    return undefined;
  }
  const by = field && parameter !== undefined ? { by: { field, parameter } } : {};
  return { path: heading.path, resource, name, ...by, ties, heading, target: false, position };
}

/**
 * The field by which a parameter selects a record: a unique field of that name, a field that is unique together with
 * those that the path ties, or the identifier.
 */
function pickingField(
  resource: DeclaredResource,
  parameter: string,
  ties: readonly PathReference[],
  ctx: BuildContext,
): string | undefined {
  const tied = ties.map((tie) => tie.field);
  const named = resource.fields.get(parameter);
  if (named && hasRule(named.rules, "unique")) return parameter;
  const sets = [
    ...jointlyUnique(resource.name, ctx),
    ...(resource.identifier.length > 1 ? [resource.identifier] : []),
  ];
  const within = sets.some(
    (fields) =>
      fields.includes(parameter) && fields.every((field) => field === parameter || tied.includes(field)),
  );
  if (named && within) return parameter;
  const open = resource.identifier.filter((field) => !tied.includes(field));
  return open.length === 1 ? open[0] : undefined;
}

interface Implied {
  readonly record?: RecordPlan;
  readonly sets?: { readonly field: string; readonly parameter: string };
  /** The parameter, if it can't select a record and that was reported. */
  readonly refused?: string;
}

/** "A last parameter that no path heading stands for picks an endpoint's target in the same way." */
function planImplied(
  endpoint: PathOf,
  resource: DeclaredResource,
  records: readonly RecordPlan[],
  headings: readonly ReadPath[],
  ctx: BuildContext,
): Implied | undefined {
  const reach = commonReach(endpoint.deeds.does);
  const parameter = parametersOf(endpoint.path).at(-1);
  if (parameter === undefined || (reach !== "one" && reach !== "new or one")) return undefined;
  if (headings.some((heading) => heading.is && parametersOf(heading.path).includes(parameter)))
    return undefined;
  // If a condition uses the parameter, it selects the record alone.
  if (endpoint.conditions.some((condition) => mentionsMember(condition.text, "path", parameter))) return {};
  const at = endpoint.pathPhrase.text.indexOf(`{${parameter}}`);
  const position = positionIn(endpoint.pathPhrase, at, at + parameter.length + 2);
  const ties = records.flatMap((record) =>
    tieTo(record, resource, endpoint.conditions, endpoint.given, position, ctx),
  );
  const field = endpoint.rows.get(parameter) ?? pickingField(resource, parameter, ties, ctx);
  if (!field) {
    const params = { parameter, resource: resource.name, fields: resource.identifier };
    if (!resource.gap) ctx.reporter.report("endpoints/no-single-identifier", position, params);
    return { refused: parameter };
  }
  if (reach === "new or one") return { sets: { field, parameter } };
  const isNameInUse = records.some((record) => record.name === resource.variableName);
  const record: RecordPlan = {
    path: pathToParameter(endpoint.path, parameter),
    resource,
    // If the path already has a record of that name, the target is only called `this`.
    name: isNameInUse ? "this" : resource.variableName,
    by: { field, parameter },
    ties,
    target: true,
    position,
  };
  return { record };
}

/** The ties of an endpoint's records below a path: those with exactly one reference to the path's record. */
function tiesOfEndpoint(
  endpoint: PathOf,
  resource: DeclaredResource,
  records: readonly RecordPlan[],
  ctx: BuildContext,
): PathReference[] {
  if (signsInAny(endpoint.deeds.does)) return [];
  const at = endpoint.deeds.does[0]?.position ?? positionIn(endpoint.pathPhrase);
  return records.flatMap((record) => tieTo(record, resource, endpoint.conditions, endpoint.given, at, ctx));
}

function tieTo(
  record: RecordPlan,
  resource: DeclaredResource,
  conditions: readonly Phrase[],
  given: readonly string[],
  at: Position,
  { reporter }: BuildContext,
): PathReference[] {
  const references = [...resource.fields.values()]
    .filter((field) => refersTo(field, record.resource))
    .map((field) => field.name);
  const [only] = references;
  if (only === undefined) return [];
  if (references.length === 1) return [{ field: only, record: record.name }];
  const isStated = references.some(
    (field) =>
      given.includes(field) || conditions.some((condition) => mentionsMember(condition.text, "this", field)),
  );
  if (!isStated) {
    const params = {
      resource: resource.name,
      of: record.resource.name,
      record: record.name,
      fields: references,
    };
    reporter.report("endpoints/which-reference", at, params);
  }
  return [];
}

function refersTo(field: DeclaredField, resource: DeclaredResource): boolean {
  return field.type.kind === "reference" && field.type.resource === resource.name;
}
