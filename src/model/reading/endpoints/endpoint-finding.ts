/**
 * Builds record lookup and access of an endpoint: the records of its path, `Where`, `Allowed`,
 * `Order`, its inputs.
 */
import { bindExpression } from "../../../expressions/bind.ts";
import type { Expression } from "../../../expressions/node.ts";
import { type Scope, withFixed, withNamed } from "../../../expressions/scope.ts";
import { types } from "../../../expressions/type.ts";
import { type Phrase, positionIn, splitOutside, unquote } from "../../../source/phrase.ts";
import { parseEffects } from "../../../syntax/effects.ts";
import { keyText } from "../../../syntax/read.ts";
import type { Effect, Endpoint, Input, PathRecord } from "../../model.ts";
import { assignedType } from "../effects/assign.ts";
import type { BuildContext } from "../any-part/context.ts";
import { bindEffects } from "../effects/effects.ts";
import { errorFields } from "./responses/error-fields.ts";
import { bindConditions, readAllowed, readFails, withLets } from "./clauses.ts";
import { withText } from "./composed-phrase.ts";
import { doesAny, commonReach } from "./does.ts";
import type { EndpointFrame } from "./endpoint-frame.ts";
import type { InputSyntax } from "./inputs/input-fields.ts";
import { readOrder } from "./lists/order.ts";
import { afterAnyOf, readWhereChoice, reportAnyOf } from "./lists/where-choice.ts";
import type { PathReference } from "./paths/path-records.ts";
import type { ReadPath } from "./paths/paths.ts";
import { isPathPrefix } from "../../endpoints/path-guards.ts";
import type { EndpointReading } from "./reading.ts";
import { type EndpointScopes, recordOf, withoutRecord } from "./scopes.ts";

type Finding = Pick<
  Endpoint,
  "records" | "scope" | "where" | "whereChoices" | "inputsFirst" | "allowed" | "order" | "inputs"
>;

export function bindFinding(frame: EndpointFrame, ctx: BuildContext): Finding {
  const { reading, resource, scopes, pathsWithoutRecord, items } = frame;
  const { plan } = reading;
  const scope = plan.ties.at(-1);
  const withoutTarget = withoutRecord(scopes.inputs);
  const candidate = withLets(items("let"), scopes.candidate, ctx);
  const records = bindRecords(reading, scopes, ctx);
  const chosen = items("where").flatMap((item) => afterAnyOf(item.value) ?? []);
  const stated = items("where")
    .filter((item) => !afterAnyOf(item.value))
    .flatMap((item) => readWhere(item.value, ctx) ?? []);
  const inputsFirst = stated.some(({ isFirst }) => isFirst);
  if (inputsFirst) checkInputsFirst(reading, ctx);
  // Without its record, an input has no other defaults.
  const inputScopes = { ...scopes, candidate, ...(inputsFirst ? { defaults: scopes.found } : {}) };
  const above = pathsWithoutRecord.flatMap((heading) =>
    readAllowed(heading.items("allowed"), scopeAt(heading, frame), ctx).map((allowed) => ({
      ...allowed,
      of: { path: heading.path.text },
    })),
  );
  const own = reading.stated("allowed");
  const isOfPart = (frame.part.items.get("allowed") ?? []).some((item) => own.includes(item));
  const allowed = readAllowed(own, scopes.allowed, ctx).map((allowed) =>
    isOfPart ? { ...allowed, of: "part" as const } : allowed,
  );
  return {
    inputs: frame.inputs.map((input) => bindInput(input, inputScopes, ctx)),
    records,
    ...(scope ? { scope } : {}),
    ...(inputsFirst ? { inputsFirst } : {}),
    where: [
      ...bindConditions(
        stated.map(({ condition }) => condition),
        candidate,
        ctx,
      ),
      ...furtherConditions(reading, scopes.candidate, ctx),
    ],
    ...readWhereChoices(chosen, frame, withoutTarget, ctx),
    allowed: [...above, ...allowed],
    order: resource
      ? readOrder(
          items("order"),
          resource,
          doesAny(reading.deeds.does, "list"),
          candidate,
          withoutTarget,
          ctx,
        )
      : [],
  };
}

function readWhereChoices(
  phrases: readonly Phrase[],
  { resource, reading: { deeds } }: EndpointFrame,
  scope: Scope,
  ctx: BuildContext,
): Pick<Endpoint, "whereChoices"> {
  if (phrases.length === 0 || !resource || deeds.does.length === 0) return {};
  if (commonReach(deeds.does) !== "many") {
    for (const phrase of phrases) reportAnyOf(phrase, ctx);
    return {};
  }
  return { whereChoices: phrases.flatMap((phrase) => readWhereChoice(phrase, resource, scope, ctx) ?? []) };
}

interface WhereItem {
  readonly condition: Phrase;
  readonly isFirst: boolean;
}

/** Splits `this.code == body.code, inputs first`. Other text after the condition is reported. */
function readWhere(value: Phrase, { reporter }: BuildContext): WhereItem | undefined {
  const [condition, words, more] = splitOutside(value, ",");
  if (!condition || !words || more) return { condition: value, isFirst: false };
  if (keyText(words) === "inputs first") return { condition, isFirst: true };
  if (!condition.text.endsWith("`")) return { condition: value, isFirst: false };
  const expected = "`inputs first` after the condition, or nothing";
  reporter.report("endpoints/unreadable", positionIn(words), { text: words.text, expected });
  return undefined;
}

/** Only one record is looked for before the inputs are checked. */
function checkInputsFirst({ deeds, stated }: EndpointReading, { reporter }: BuildContext): void {
  const [item] = stated("where");
  if (!item || deeds.does.length === 0 || commonReach(deeds.does) === "one") return;
  reporter.report("endpoints/senseless-item", positionIn(item.value), {
    key: "inputs first",
    reason: "the endpoint selects no single record, so the inputs are checked first anyway",
  });
}

/** The scope of a path heading without a record: the records of the paths above it. */
export function scopeAt({ path }: ReadPath, { reading, scopes }: EndpointFrame): Scope {
  return reading.plan.records
    .filter((record) => isPathPrefix(record.path.text, path.text) && record.name !== "this")
    .reduce((scope, { name, resource }) => withNamed(scope, name, recordOf(resource)), scopes.arrival);
}

function bindInput(
  { input, filter, where, default: fallback }: InputSyntax,
  scopes: EndpointScopes,
  ctx: BuildContext,
): Input {
  const [condition] = where ? bindConditions([where], scopes.candidate, ctx) : [];
  const value =
    fallback && bindExpression(unquote(fallback), scopes.defaults, ctx.reporter, assignedType(input.type));
  return {
    ...input,
    ...(condition ? { filter: { kind: "condition", condition } as const } : filter ? { filter } : {}),
    ...(value ? { default: value } : {}),
  };
}

/** Binds the records of the path, each with the names of those before it. */
function bindRecords(
  { plan, section }: EndpointReading,
  { arrival }: EndpointScopes,
  ctx: BuildContext,
): PathRecord[] {
  let scope = arrival;
  return plan.records.map((record) => {
    const candidate = withFixed(scope, { this: recordOf(record.resource) });
    const phrase = record.heading?.heading ?? section.pathPhrase;
    const where = [
      ...record.ties.flatMap((tie) => bindTie(tie, phrase, candidate, ctx) ?? []),
      ...bindConditions(record.heading?.where ?? [], candidate, ctx),
    ];
    const inner =
      record.name === "this" ? candidate : withNamed(candidate, record.name, recordOf(record.resource));
    const blamable = errorFields([], record.resource, ctx.declarations);
    const bound: PathRecord = {
      path: record.path.text,
      resource: record.resource.name,
      name: record.name,
      ...(record.by ? { by: record.by } : {}),
      where,
      allowed: readAllowed(record.heading?.items("allowed") ?? [], inner, ctx),
      fails: readFails(record.heading?.items("fails") ?? [], inner, blamable, ctx),
      target: record.target,
      position: record.position,
    };
    if (record.name !== "this") scope = withNamed(scope, record.name, recordOf(record.resource));
    return bound;
  });
}

/** Binds a tie such as `this.repository == repository`: a record below a path refers to the record of that path. */
function bindTie(tie: PathReference, at: Phrase, scope: Scope, ctx: BuildContext): Expression | undefined {
  return bindExpression(
    withText(at, `this.${tie.field} == ${tie.record}`),
    scope,
    ctx.reporter,
    types.boolean,
  );
}

/** The last tie is the endpoint's `scope`. Earlier ones become ordinary conditions and assignments. */
function furtherConditions(
  { plan, deeds, section, stated }: EndpointReading,
  candidate: Scope,
  ctx: BuildContext,
): Expression[] {
  const reach = commonReach(deeds.does);
  // An upsert without a `Where` finds its record by the identifier or unique fields, which include the assignments.
  if (reach === "new" || (reach === "new or one" && stated("where").length === 0)) return [];
  return plan.ties.slice(0, -1).flatMap((tie) => bindTie(tie, section.pathPhrase, candidate, ctx) ?? []);
}

/** Assignments of a new record from the path, in addition to the endpoint's `scope`. */
export function pathAssignments(
  { plan, deeds, section }: EndpointReading,
  scope: Scope,
  ctx: BuildContext,
): readonly Effect[] {
  const reach = commonReach(deeds.does);
  if (reach !== "new" && reach !== "new or one") return [];
  const syntax = plan.ties
    .slice(0, -1)
    .flatMap((tie) =>
      parseEffects(withText(section.pathPhrase, `${tie.field} = ${tie.record}`), ctx.reporter),
    );
  return bindEffects(syntax, scope, ctx).effects;
}
