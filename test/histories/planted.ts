/**
 * Plants faults, one after another, and tells which of them histories show, by which law and after how many seeds. Not in the gate, for it
 * takes minutes:
 *
 *   npx node test/histories/planted.ts           # all of them
 *   npx node test/histories/planted.ts turn      # those with the word in their names
 *
 * The tree stays as it is: a fault is planted while node loads the file.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type PlantedFault, withFault } from "../planted-fault.ts";
import { pathOf } from "../repository/repository.ts";

const plantedFaults: readonly PlantedFault[] = [
  {
    name: "no turn: READ COMMITTED alone",
    file: "src/store/postgres/group-transaction.ts",
    from: "LOCK TABLE ninefold_turn IN EXCLUSIVE MODE",
    to: "LOCK TABLE ninefold_turn IN ROW SHARE MODE",
  },
  {
    name: "guards are read beside the transaction",
    file: "src/store/postgres/store.ts",
    from: "work(new RowsTransaction(this.#ground, write))",
    to: "((write.askRows = async (query, values) => (await this.#lanes.askRows(query, values(), false)).rows), work(new RowsTransaction(this.#ground, write)))",
  },
  {
    name: "a commit that failed is acknowledged",
    file: "src/store/group-commit.ts",
    from: "group.lost = transaction.asCommitFailure?.(error) ?? transaction.asUnavailable(error);",
    to: "",
  },
  {
    name: "answers aren't kept under their keys",
    file: "src/store/rows/system.ts",
    from: "return this.asking.run(keepAnswer(this.statements, this.state, scope, key, answer));",
    to: "",
  },
  {
    name: "reads are answered from an old view",
    file: "src/store/postgres/connection.ts",
    from: "if (row?.[0] === true && wishes.mayStandBy !== true) throw new StandbyAnswers();",
    to: "if (isApart) await connection.go('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');",
  },
];

const words = process.argv.slice(2);
const chosen = plantedFaults.filter(({ name }) => words.every((word) => name.includes(word)));
const seeds = process.env["NINEFOLD_FAULT_SEEDS"] ?? "20";
let survivors = 0;

for (const fault of chosen) {
  const { name } = fault;
  const told = spawnSync(
    process.execPath,
    [
      "--import",
      pathOf("test/plant-fault.ts"),
      join(import.meta.dirname, "histories.ts"),
      ...["--seeds", seeds, "--stop-after", "1", "--first-alone"],
    ],
    { encoding: "utf8", timeout: 600_000, env: withFault(fault) },
  );
  const how = /^seed .*$/m.exec(told.stdout)?.[0];
  if (how === undefined) survivors += 1;
  console.log(
    `${how === undefined ? "SURVIVED" : "noticed "} ${name}: ${(how ?? told.stderr.trim().split("\n").at(-1) ?? "").slice(0, 220)}`,
  );
}
console.log(`\n${chosen.length - survivors} of ${chosen.length} noticed.`);
process.exit(survivors > 0 ? 1 : 0);
