/** Planted faults that histories must detect (`run-planted-faults.ts`). */
import type { PlantedFault } from "../planted-fault.ts";

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: "groups are READ COMMITTED",
    file: "src/store/postgres/writing/group-transaction.ts",
    from: 'connection.begin(first, "SERIALIZABLE")',
    to: "connection.begin(first)",
  },
  {
    name: "guards are read outside the transaction",
    file: "src/store/postgres/writing/writer.ts",
    from: "work(new RowsTransaction(this.#tables, write))",
    to: "((write.queryRows = async (query, values) => (await this.#options.readPool.queryRows(query, values(), false)).rows), work(new RowsTransaction(this.#tables, write)))",
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
    from: "return this.executor.run(keepAnswer(this.statements, this.state, scope, key, answer));",
    to: "",
  },
  {
    name: "reads are answered from an old view",
    file: "src/store/postgres/connection/connection.ts",
    from: "if (row?.[0] === true && options.acceptsStandby !== true) throw new StandbyAnswers();",
    to: "if (isAutocommit) await connection.go('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');",
  },
];
