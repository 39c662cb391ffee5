/**
 * Planted faults in the derived due scope, which `reach.test.ts` must detect
 * (`run-planted-faults.ts`).
 */
import type { PlantedFault } from "../../planted-fault.ts";

const influence = "src/engine/background/influence.ts";

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: "records of deliveries are left out",
    file: influence,
    from: "if (deliveries !== undefined) this.makes(deliveries, newRecord);",
    to: "",
  },
  {
    name: "notices are left out",
    file: influence,
    from: "if (log?.as !== undefined) this.makes(log.as, newRecord);",
    to: "",
  },
  {
    name: "a cascade ends at the deleted record",
    file: influence,
    from: 'if (place.onDelete === "cascade") this.removes(place.resource, anyRecord, true);',
    to: "",
  },
  {
    name: "a reference that is cleared is no change",
    file: influence,
    from: "this.sets(place.resource, place.field);\n      this.changes(place.resource, anyRecord, true);",
    to: "",
  },
  {
    name: "`immediately` of others isn't looked at",
    file: influence,
    from: "this.takes(resource.name, transition.name, anyRecord, true);",
    to: "",
  },
  {
    name: "an effect `create` makes nothing",
    file: influence,
    from: "this.makes(effect.resource, newRecord);",
    to: "",
  },
  {
    name: "an effect `delete` takes nothing away",
    file: influence,
    from: "this.removes(effect.resource, anyRecord, true);",
    to: "",
  },
  {
    name: "`do` takes no transition",
    file: influence,
    from: "this.takes(effect.resource, effect.transition, anyRecord, true);",
    to: "",
  },
  {
    name: "an assignment through a reference changes nothing",
    file: influence,
    from: 'this.changes(effect.resource, anyRecord, true);\n        return;\n      }\n      case "create":',
    to: 'return;\n      }\n      case "create":',
  },
  {
    name: "payloads see nothing",
    file: influence,
    from: "this.reads(row.payload, at);",
    to: "",
  },
  {
    name: "the condition of an effect sees nothing",
    file: influence,
    from: "this.reads(effect.when, at);",
    to: "",
  },
  {
    name: "`on update` is passed over",
    file: influence,
    from: "if (!onUpdate) continue;",
    to: "continue;",
  },
  {
    name: "what is kept for a time is not deleted",
    file: "src/engine/background/units.ts",
    from: "if (resource.kept) influence.removes(name, ownRecord, false);",
    to: "",
  },
  {
    name: "guards see nothing",
    file: "src/engine/background/units.ts",
    from: "influence.reads(end.guard?.condition, ownRecord);",
    to: "",
  },
  {
    name: "units that only see each other are apart",
    file: "src/engine/background/units.ts",
    from: "return overlap(a.changes, b.sees) || overlap(a.sees, b.changes);",
    to: "return overlap(a.changes, b.changes);",
  },
  {
    name: "computed fields aren't gone into",
    file: "src/engine/background/reach.ts",
    from: "if (!body || seen.has(name)) return;",
    to: "return;",
  },
  {
    name: "collections are passed over",
    file: "src/engine/background/reach.ts",
    from: "reach.whole.add(node.resource);",
    to: "",
  },
  {
    name: "a request that changes what decides doesn't settle it",
    file: "src/engine/background/endpoint-scope.ts",
    from: "if (overlap(changed, unit.sees)) found.whole.push(unit);\n    else if",
    to: "if",
  },
  {
    name: "unique values that time moves decide nothing",
    file: "src/engine/background/endpoint-scope.ts",
    from: "for (const resource of seen.keyed) if (timed.movesKeys.has(resource)) seen.reach.whole.add(resource);",
    to: "",
  },
  {
    name: "what inputs refer to isn't settled",
    file: "src/engine/background/due-records.ts",
    from: "await search.check(resource, record);\n      evaluation.frame.this = record;",
    to: "evaluation.frame.this = record;",
  },
  {
    name: "what is reached by reference isn't settled",
    file: "src/engine/background/due-records.ts",
    from: "await search.check(resource, record);\n    }\n    return continueSearch;\n  };\n}\n\nasync function byIdentifier",
    to: "}\n    return continueSearch;\n  };\n}\n\nasync function byIdentifier",
  },
];
