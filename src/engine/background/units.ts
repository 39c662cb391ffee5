/**
 * Units of timed transitions: which resources' due work must run together, and which records can
 * run alone (part 3, "in the order of due times").
 *
 * If timed changes of a resource neither read nor change anything but their own record, each record
 * can run by itself, in any order. If timed changes read or change each other's records, their
 * resources form one unit, which runs as a whole by due time.
 */
import type { Meaning } from "../../expressions/scope.ts";
import type { Model, Resource } from "../../model/model.ts";
import { isTimed } from "../../model/resources/timed-resources.ts";
import { type Influence, InfluenceCollector } from "./influence.ts";
import type { EvaluationPoint } from "./reach.ts";

export interface DueUnit {
  readonly resources: readonly string[];
  /** Whether each record can run by itself. */
  readonly isIndependent: boolean;
  /** Resources whose records the timed transitions may change. */
  readonly changes: ReadonlySet<string>;
  /** Resources that the timed transitions read: they may not change before the due work has run. */
  readonly sees: ReadonlySet<string>;
}

export interface TimedModel {
  readonly units: readonly DueUnit[];
  /** Fields that timed transitions may set, `Resource.field`. */
  readonly assigned: ReadonlySet<string>;
  /** Resources of which timed transitions may free or use a unique value. */
  readonly movesKeys: ReadonlySet<string>;
}

interface Timed {
  readonly resource: string;
  readonly changes: ReadonlySet<string>;
  readonly sees: ReadonlySet<string>;
  readonly isIndependent: boolean;
  readonly influence: Influence;
}

/** `this` is the record whose time has come; no other record is known. */
const ownRecord: EvaluationPoint = { isThisAtHand: true, names: new Set() };

export function timedModel(model: Model, meaning: Meaning): TimedModel {
  const all = model.resources
    .filter((resource) => resource.identifier.kind !== "none" && isTimed(resource))
    .map((resource) => timedOf(model, meaning, resource));
  const units: Timed[][] = [];
  for (const timed of all) {
    const met = units.filter((unit) => unit.some((other) => meets(timed, other)));
    for (const unit of met) units.splice(units.indexOf(unit), 1);
    units.push([...met.flat(), timed]);
  }
  const influences = all.map((timed) => timed.influence);
  const keyed = influences.flatMap((influence) => [
    ...influence.keyed,
    ...influence.removed,
    ...influence.changed,
  ]);
  return {
    units: units.map((unit) => ({
      resources: unit.map((timed) => timed.resource),
      isIndependent: unit.length === 1 && unit[0]?.isIndependent === true,
      changes: new Set(unit.flatMap((timed) => [...timed.changes])),
      sees: new Set(unit.flatMap((timed) => [...timed.sees])),
    })),
    assigned: new Set(influences.flatMap((influence) => [...influence.assigned])),
    movesKeys: new Set(keyed),
  };
}

function timedOf(model: Model, meaning: Meaning, resource: Resource): Timed {
  const { name } = resource;
  const influence = new InfluenceCollector(model, meaning);
  influence.changes(name, ownRecord, false);
  for (const transition of resource.states?.transitions ?? [])
    for (const end of transition.ends) {
      if (end.trigger.kind !== "after" && end.trigger.kind !== "at") continue;
      influence.reads(end.guard?.condition, ownRecord);
      influence.runs(end.effects, ownRecord);
    }
  if (resource.kept) influence.removes(name, ownRecord, false);
  const { reach, changed, keyed } = influence;
  const sees = new Set([
    ...reach.whole,
    ...[...reach.records.values()].map((record) => record.resource),
    ...changed,
    ...keyed,
  ]);
  return {
    resource: name,
    influence,
    changes: new Set([name, ...changed]),
    sees,
    isIndependent: changed.size === 0 && !sees.has(name),
  };
}

/**
 * Whether the order between two units is observable. A resource that both change is read by both.
 */
function meets(a: Timed, b: Timed): boolean {
  return overlap(a.changes, b.sees) || overlap(a.sees, b.changes);
}

export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const text of a) if (b.has(text)) return true;
  return false;
}
