/**
 * Required inputs of a create: each sets a required field that nothing else fills in. They must be
 * sent if every request creates (or replaces) a record; if some requests find one, only those that
 * create require them.
 */
import type { Effect, Input } from "../../../model.ts";
import type { DeclaredResource } from "../../declarations.ts";
import { type Deeds, makesAny } from "../does.ts";
import { isRequiredOnCreate } from "../endpoint-checks.ts";

export function withRequiredInputs(
  inputs: readonly Input[],
  { does, resource, faulty, open }: Deeds,
  set: readonly Effect[],
  scope: { readonly field: string } | undefined,
): readonly Input[] {
  if (!resource || faulty || open || does.length === 0) return inputs;
  const alwaysNew = does.every(({ deed }) => deed.kind === "create" || deed.kind === "replace");
  const makes = makesAny(does);
  if (!alwaysNew && !makes) return inputs;
  const given = new Set([scope?.field, ...set.flatMap(alwaysAssigned)]);
  return inputs.map((input): Input => {
    const isNeeded = isNeededFor(input, resource) && !given.has(input.sets);
    if (!(isNeeded || input.requiredWhenMade) || input.required || input.default || input.absentGap)
      return input;
    if (!alwaysNew) return { ...input, requiredWhenMade: true };
    const { requiredWhenMade: _, ...always } = input;
    return { ...always, required: true };
  });
}

function isNeededFor({ sets }: Input, resource: DeclaredResource): boolean {
  const field = sets === undefined ? undefined : resource.fields.get(sets);
  return field !== undefined && isRequiredOnCreate(field, resource);
}

function alwaysAssigned(effect: Effect): readonly string[] {
  return effect.kind === "assign" && !effect.of && !effect.when ? [effect.field] : [];
}
