/**
 * Plants faults in what is concluded about the reach of time, one after another, and tells which of them `reach.test.ts` notices. Not in the
 * gate, for it takes minutes:
 *
 *   npx node test/durability/due/planted.ts            # all of them
 *   npx node test/durability/due/planted.ts cascade    # those with the word in their names
 *
 * The tree stays as it is: a fault is planted while node loads the file.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathOf } from "../../repository/repository.ts";

interface PlantedFault {
  readonly name: string;
  /** In `src/engine/background/`. */
  readonly file: string;
  /** Stands there once. */
  readonly from: string;
  readonly to: string;
}

const influence = "influence.ts";

const plantedFaults: readonly PlantedFault[] = [
  {
    name: "records of deliveries are nobody's",
    file: influence,
    from: "if (deliveries !== undefined) this.makes(deliveries, newRecord);",
    to: "",
  },
  {
    name: "notices are nobody's",
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
    from: 'this.sets(effect.resource, field);\n        this.changes(effect.resource, anyRecord, true);\n        return;\n      }\n      case "create":',
    to: 'this.sets(effect.resource, field);\n        return;\n      }\n      case "create":',
  },
  {
    name: "payloads see nothing",
    file: influence,
    from: "this.asks(row.payload, at);",
    to: "",
  },
  {
    name: "the condition of an effect sees nothing",
    file: influence,
    from: "this.asks(effect.when, at);",
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
    file: "units.ts",
    from: "if (resource.kept) influence.removes(name, ownRecord, false);",
    to: "",
  },
  {
    name: "guards see nothing",
    file: "units.ts",
    from: "influence.asks(end.guard?.condition, ownRecord);",
    to: "",
  },
  {
    name: "units that only see each other are apart",
    file: "units.ts",
    from: "return overlap(a.changes, b.changes) || overlap(a.changes, b.sees) || overlap(a.sees, b.changes);",
    to: "return overlap(a.changes, b.changes);",
  },
  {
    name: "computed fields aren't gone into",
    file: "reach.ts",
    from: "if (!body || seen.has(name)) return;",
    to: "return;",
  },
  {
    name: "collections are passed over",
    file: "reach.ts",
    from: "reach.whole.add(node.resource);",
    to: "",
  },
  {
    name: "a request that changes what decides doesn't settle it",
    file: "needs.ts",
    from: "else if (overlap(changed, unit.sees)) whole.push(unit);",
    to: "",
  },
  {
    name: "unique values that time moves decide nothing",
    file: "needs.ts",
    from: "for (const resource of seen.keyed) if (timed.movesKeys.has(resource)) seen.reach.whole.add(resource);",
    to: "",
  },
  {
    name: "what inputs refer to isn't settled",
    file: "named.ts",
    from: "await search.meet(resource, record);\n      scene.frame.this = record;",
    to: "scene.frame.this = record;",
  },
  {
    name: "what is reached by reference isn't settled",
    file: "named.ts",
    from: "await search.meet(resource, record);\n    }\n    return goOn;\n  };\n}\n\nasync function byIdentifier",
    to: "}\n    return goOn;\n  };\n}\n\nasync function byIdentifier",
  },
];

const words = process.argv.slice(2);
const chosen = plantedFaults.filter(({ name }) => words.every((word) => name.includes(word)));
let survivors = 0;

for (const { name, file, from, to } of chosen) {
  const path = pathOf(join("src/engine/background", file));
  const text = readFileSync(path, "utf8");
  const start = text.indexOf(from);
  if (start < 0 || text.indexOf(from, start + 1) >= 0)
    throw new Error(`${name}: not exactly once in ${file}`);
  const how = await firstFailure({ file: path, start, end: start + from.length, replacement: to });
  if (how === undefined) survivors += 1;
  console.log(`${how === undefined ? "SURVIVED" : "noticed "} ${name}${how ? `: ${how}` : ""}`);
}
console.log(`\n${chosen.length - survivors} of ${chosen.length} noticed.`);
process.exitCode = survivors > 0 ? 1 : 0;

/** What the first document tells that notices it; nothing where none does. The rest need not be asked. */
function firstFailure(mutant: object): Promise<string | undefined> {
  const child = spawn(
    process.execPath,
    ["--import", pathOf("test/plant-fault.ts"), join(import.meta.dirname, "reach.test.ts")],
    {
      env: { ...process.env, NODE_OPTIONS: "--test-reporter=tap", NINEFOLD_FAULT: JSON.stringify(mutant) },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let text = "";
  return new Promise((resolve) => {
    child.stdout.on("data", (piece: Buffer) => {
      text += String(piece);
      const failed = /^not ok \d+ - (.*?):?.*\n(?:.*\n)*? +error: (?:\|-\n +)?(.*)\n/m.exec(text);
      if (!failed) return;
      child.kill();
      resolve(`${failed[1]?.slice(0, 20) ?? ""} ${failed[2]?.slice(0, 120) ?? ""}`.trim());
    });
    child.on("close", (code) => resolve(code === 0 ? undefined : ""));
  });
}
