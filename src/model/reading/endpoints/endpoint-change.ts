/**
 * Builds the changes of an endpoint: `Does`, `Let`, `Set`, `Fails`, `Effect`, `Then`, each with the
 * names of those before it.
 */
import { type Scope, withFixed } from "../../../expressions/scope.ts";
import { types } from "../../../expressions/type.ts";
import { parseEffects, type EffectSyntax } from "../../../syntax/effects.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import type { Does, Endpoint } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { bindEffects } from "../effects/effects.ts";
import { bindCondition, readFails, readLets, readOpenFails } from "./clauses.ts";
import { positionIn } from "../../../source/phrase.ts";
import { type Deeds, isUnknown, commonReach, type ThenSyntax } from "./does.ts";
import { checkComplete } from "./endpoint-checks.ts";
import { pathAssignments, scopeAt } from "./endpoint-finding.ts";
import type { EndpointFrame } from "./endpoint-frame.ts";
import { changeScope, withCreated, withOld, withOutcome, withoutRecord } from "./scopes.ts";

export interface Change {
  readonly items: Pick<Endpoint, "does" | "lets" | "set" | "fails" | "openFails" | "effects" | "then">;
  /** The scope with inputs and `Let` names, before any change. */
  readonly named: Scope;
  /** The scope of the response. */
  readonly after: Scope;
}

/** Names that the engine adds for effects, guards and responses, which a `Let` of that name would hide. */
const laterNames = ["old", "created", "page", "event", "error"];

export function bindChange(frame: EndpointFrame, ctx: BuildContext): Change {
  const { reading, resource, scopes, blamable, pathsWithoutRecord, items } = frame;
  const { does } = reading.deeds;
  const usedNames = [...laterNames, ...(resource ? [resource.variableName] : [])];
  const { lets, scope: named } = readLets(items("let"), scopes.inputs, usedNames, ctx);

  const sets = effectsOf(items("set"), ctx);
  const first = bindEffects(firstEffects(sets, ctx), named, ctx);
  const changing = withOld(withCreated(changeScope(first.scope, does, resource), does), does, resource);
  const set = bindEffects(
    sets.filter(({ kind }) => kind === "assign"),
    changing,
    ctx,
  );
  checkComplete(
    reading,
    frame.inputs.map(({ input }) => input),
    set.effects,
    ctx,
  );

  // `this` may be any record if `Does` is not shown.
  const changed = isUnknown(reading.deeds) ? withFixed(set.scope, { this: types.any }) : set.scope;
  const stated = reading.stated("fails");
  const fails = [
    ...pathsWithoutRecord.flatMap((heading) =>
      readFails(heading.items("fails"), scopeAt(heading, frame), blamable, ctx).map((fail) => ({
        ...fail,
        of: { path: heading.path.text },
      })),
    ),
    ...readFails(stated, changed, blamable, ctx),
  ];
  const openFails = readOpenFails(
    reading.items.all("fails").filter((item) => !stated.includes(item)),
    ctx,
  );
  const effects = bindEffects(effectsOf(items("effect"), ctx), withOutcome(changed, does, resource), ctx);
  return {
    items: {
      does: does.flatMap((action) => bindDoes(action, scopes.inputs, reading.deeds.faulty, ctx)),
      lets,
      set: [...first.effects, ...pathAssignments(reading, changing, ctx), ...set.effects],
      fails,
      ...(openFails.length > 0 ? { openFails } : {}),
      effects: effects.effects,
      then: reading.thens.flatMap((next) => bindThen(next, effects.scope, ctx)),
    },
    named,
    // After `every`, the response isn't about a single record.
    after: commonReach(does) === "many" ? withoutRecord(effects.scope) : effects.scope,
  };
}

function effectsOf(items: readonly ItemNode[], { reporter }: BuildContext): readonly EffectSyntax[] {
  return items.flatMap((item) => parseEffects(item.value, reporter));
}

/** The effects of `Set`, which run before the change. Others than those that give it a record are reported. */
function firstEffects(sets: readonly EffectSyntax[], { reporter }: BuildContext): readonly EffectSyntax[] {
  return sets.filter(({ kind, phrase }) => {
    if (kind === "create" || kind === "upsert") return true;
    if (kind !== "assign")
      reporter.report("endpoints/unreadable", positionIn(phrase), {
        text: phrase.text,
        expected: "`field = value`, `create …` or `upsert …`, and any other effect as an `Effect`",
      });
    return false;
  });
}

function bindDoes(action: Deeds["does"][number], scope: Scope, faulty: boolean, ctx: BuildContext): Does[] {
  const when = action.when && bindCondition(action.when, scope, ctx);
  // Without its condition, it would always run. A check reports actions that conflict.
  if (action.when && !when && !faulty) return [];
  return [{ ...action.deed, ...(when ? { when } : {}), position: action.position }];
}

function bindThen(
  { transition, when, position }: ThenSyntax,
  scope: Scope,
  ctx: BuildContext,
): Endpoint["then"] {
  const condition = when && bindCondition(when, scope, ctx);
  if (when && !condition) return [];
  return [{ transition, ...(condition ? { when: condition } : {}), position }];
}
