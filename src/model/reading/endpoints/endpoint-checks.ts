/**
 * Checks of a complete endpoint: what would break every request, what is never used, and changes
 * where there should be none.
 */
import { mayCreate } from "../../endpoints/does.ts";
import { hasRule } from "../../../fields/rule.ts";
import { normalizedName, singular } from "../../../support/alike-names.ts";
import { positionIn } from "../../../source/phrase.ts";
import type { DeclaredField, DeclaredResource } from "../declarations.ts";
import type { Effect, Input, Pagination } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { doesAny } from "./does.ts";
import type { InputSyntax } from "./inputs/input-fields.ts";
import { isEndpointItem, readingItems, readingPathItems } from "./items.ts";
import { mentionsMember } from "../any-part/mentions.ts";
import { pageParameters } from "./lists/pagination.ts";
import { parametersOf } from "./paths/path-template.ts";
import type { EndpointReading, PartReading } from "./reading.ts";
import { isPartItemApplicable } from "./item-applicability.ts";
import { hasNotShown, isNone } from "../../../syntax/read.ts";

/** Reports required fields that nothing sets, so that no request could succeed. */
export function checkComplete(
  { deeds, plan, openBody, faultyInputs, stated, items, inputs }: EndpointReading,
  settable: readonly Pick<Input, "sets">[],
  set: readonly Effect[],
  { reporter }: BuildContext,
): void {
  const { resource, does, faulty } = deeds;
  // `replace` clears fields that it doesn't set.
  const making = does.find(({ deed }) => mayCreate(deed) || deed.kind === "replace");
  // If a part is not shown or unreadable, no field counts as missing.
  if (
    !making ||
    !resource ||
    faulty ||
    openBody ||
    faultyInputs ||
    stated("set").length < items.all("set").length
  )
    return;
  const assigned = set.filter((effect) => effect.kind === "assign").filter((effect) => !effect.of);
  const own = new Set(assigned.filter(isItself).map(({ field }) => field));
  const given = new Set([
    ...settable.map((input) => input.sets),
    ...assigned.filter((effect) => !isItself(effect)).map(({ field }) => field),
    ...plan.ties.map((tie) => tie.field),
    ...inputs.map((input) => input.input.name.join(".")),
    ...namedIn(stated("set").map((item) => item.value.text)).filter((word) => !own.has(word)),
  ]);
  const missing = [...resource.fields.values()].filter(
    (field) =>
      isRequiredOnCreate(field, resource) &&
      !given.has(field.name) &&
      (making.deed.kind !== "replace" || isCleared(field, resource)),
  );
  if (missing.length === 0) return;
  const related = missing.map((field) => ({
    position: field.position,
    message: `${field.name} is required.`,
  }));
  const which = making.deed.kind === "replace" ? ("replaced" as const) : ("new" as const);
  const body = items.first("body")?.value;
  const bodyLine = body && !isNone(body) ? positionIn(body).start.line : undefined;
  const params = { resource: resource.name, missing: missing.map((field) => field.name), which, bodyLine };
  reporter.report("endpoints/never-set", making.position, params, related);
}

/** Whether a field is set to its own value, which only an input or a default can give it. */
function isItself({ field, value }: Extract<Effect, { kind: "assign" }>): boolean {
  const { node } = value;
  return node.op === "field" && node.name === field && node.of.op === "fixed" && node.of.name === "this";
}

/** All words in items, so that a field whose assignment was reported isn't also reported as missing. */
function namedIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []);
}

/** Whether `replace` (part 4) clears the field. It keeps identifiers, and fields that are only set on create. */
function isCleared(field: DeclaredField, resource: DeclaredResource): boolean {
  return !resource.identifier.includes(field.name) && !hasRule(field.rules, "immutable");
}

/** Whether a new record must have a value for the field that the service doesn't generate. */
export function isRequiredOnCreate(field: DeclaredField, resource: DeclaredResource): boolean {
  if (
    field.computed ||
    field.role === "state" ||
    hasRule(field.rules, "default") ||
    hasRule(field.rules, "on create") ||
    field.openOnCreate
  )
    return false;
  if (resource.identifier.includes(field.name)) return resource.identifierMade === false && !field.gap;
  return hasRule(field.rules, "required");
}

/** Reports a pagination parameter that is also an input. */
export function checkPagination(
  pagination: Pagination,
  inputs: readonly InputSyntax[],
  { reporter }: BuildContext,
): void {
  const names = Object.keys(pageParameters(pagination));
  for (const { input, phrase } of inputs) {
    if ((input.in !== "query" && input.in !== "body") || !names.includes(input.name.join("."))) continue;
    const related = [{ position: pagination.position, message: "Here it is a parameter of the pagination." }];
    reporter.report("endpoints/input-twice", positionIn(phrase), { name: input.name.join(".") }, related);
  }
}

/** Reports a path parameter that selects no record and that no expression reads: all its values would have the same result. */
export function checkParameters(reading: EndpointReading, ctx: BuildContext): void {
  const { deeds, section, parameters } = reading;
  if (deeds.does.length === 0 || deeds.faulty || deeds.open || doesAny(deeds.does, "handler")) return;
  const own = parametersOf(section.path);
  const used = usedParameters(reading);
  for (const { name, position } of parameters) {
    if (own.includes(name) && !used(name))
      ctx.reporter.report("endpoints/unused-parameter", position, {
        name,
        path: section.path.text,
        resource: resourceBefore(section.path.text, name, ctx),
      });
  }
}

/** The resource that is named by the segment before a parameter: `Tool` in `/tools/{id}`. */
function resourceBefore(path: string, parameter: string, { declarations }: BuildContext): string | undefined {
  const segments = path.split("/");
  const at = segments.findIndex((segment) => segment.includes(`{${parameter}}`));
  const named = normalizedName(singular(segments[at - 1] ?? ""));
  return [...declarations.resources.values()].find(
    ({ name, identifier }) => identifier.length > 0 && normalizedName(name) === named,
  )?.name;
}

function usedParameters({ plan, deeds, items, rows, stated }: EndpointReading): (name: string) => boolean {
  const texts = [
    ...readingItems.flatMap((key) => stated(key).map((item) => item.value.text.replaceAll("`", " "))),
    ...rows.flatMap((row) => [row.where?.text, row.rules?.text.replaceAll("`", " ")]),
    ...plan.headings.flatMap((heading) =>
      readingPathItems.flatMap((key) =>
        heading.items(key).map((item) => item.value.text.replaceAll("`", " ")),
      ),
    ),
  ].filter((text) => text !== undefined);
  return (name) =>
    plan.picking.includes(name) ||
    plan.sets?.parameter === name ||
    // A path heading whose record can't be determined was reported.
    plan.headings.some((heading) => heading.isPosition && parametersOf(heading.path).at(-1) === name) ||
    // If the fields of the resource are not shown, no record can be selected yet.
    (deeds.resource?.gap !== undefined && items.first("does") !== undefined) ||
    texts.some((text) => mentionsMember(text, "path", name));
}

/** Reports a parameter of the base path that no endpoint uses. */
export function checkBaseParameters(part: PartReading, ctx: BuildContext): void {
  const item = part.items.get("base path")?.[0];
  if (!item || part.endpoints.length === 0) return;
  const uses = part.endpoints.map((reading) => ({ reading, used: usedParameters(reading) }));
  for (const name of parametersOf(part.base)) {
    const known = uses.some(
      ({ reading, used }) =>
        used(name) || doesAny(reading.deeds.does, "handler") || reading.deeds.does.length === 0,
    );
    if (!known)
      ctx.reporter.report("endpoints/unused-parameter", positionIn(item.value), {
        name,
        path: part.base.text,
      });
  }
}

/** Reports an item of the part that applies to no endpoint: each has its own, or it would have no meaning there. */
export function checkPartItems({ items, endpoints }: PartReading, { reporter }: BuildContext): void {
  // The effects of an endpoint may be unknown, so the item may apply to them.
  if (endpoints.length === 0 || endpoints.some(({ deeds }) => deeds.does.length === 0 || deeds.faulty))
    return;
  for (const [key, found] of items) {
    // Several `Header` items add up, and they also apply to errors.
    if (!isEndpointItem(key) || key === "header") continue;
    for (const item of found) {
      if (isNone(item.value) || hasNotShown(item.value)) continue;
      if (
        !endpoints.some(
          (reading) => reading.items.all(key).includes(item) && isPartItemApplicable(reading, key, item),
        )
      )
        reporter.report("endpoints/unused-item", positionIn(item.key), { key: item.key.text });
    }
  }
}
