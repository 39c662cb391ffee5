/** Part 3 and part 8: no `immediately` transition is pending, and no quota is exceeded. */
import type { Invariant, Moment } from "../moment.ts";

function changedRows({ writes }: Moment, name: string): ReadonlySet<number> {
  const touches = writes.flatMap((write) => write.touches);
  return new Set(touches.filter(({ resource }) => resource === name).map(({ row }) => row));
}

/** No record that a write has changed has an `immediately` transition whose guard is true. */
export const nothingLeftImmediate: Invariant = async (moment) => {
  const { played, world, after } = moment;
  const wrong: string[] = [];
  for (const { name, states } of played.model.resources) {
    const changed = changedRows(moment, name);
    if (changed.size === 0) continue;
    for (const transition of states?.transitions ?? []) {
      for (const end of transition.ends) {
        if (end.trigger.kind !== "immediately" || end.same || end.gap) continue;
        const holding = await world.recordsOf(name, end.guard?.condition, world.frame(null));
        for (const record of holding) {
          const state = states?.field === undefined ? undefined : String(record[states.field]);
          const isIn = end.from === "any" || (state !== undefined && end.from.includes(state));
          if (!isIn || state === end.to || !changed.has(record["#row"]) || record["#deleted"] === true)
            continue;
          if (after.records.has(`${name} ${record["#row"]}`))
            wrong.push(
              `${name} ${record["#row"]} is ${state}, and ${transition.name} is to be taken immediately`,
            );
        }
      }
    }
  }
  return wrong;
};

/** `stored | 20 Prediction per Account`: the quota holds, however the records were created. */
export const quotas: Invariant = async ({ played, world, before }) => {
  const wrong: string[] = [];
  for (const { resource, count, per, where } of played.model.limits.stored) {
    const counted = await world.recordsOf(resource, where, world.frame(null));
    const byOwner = Map.groupBy(
      counted.filter((record) => record["#deleted"] !== true),
      (record) => (per === undefined ? "all" : String(record[per] ?? "")),
    );
    for (const [owner, records] of byOwner) {
      // A caller whose initial records exceed the quota keeps them.
      const were = records.filter((record) => before.records.has(`${resource} ${record["#row"]}`)).length;
      if (owner !== "" && records.length > count && records.length > were)
        wrong.push(`${owner} has ${records.length} of ${resource}, and may have ${count}`);
    }
  }
  return wrong;
};
