/**
 * Manual run of the evaluation: writes the tasks for agents, and judges a folder of their answers.
 *
 *   node test/agents/evaluation/run.ts write FOLDER    # FOLDER/TASK/TASK.md, and its start files
 *   node test/agents/evaluation/run.ts judge FOLDER    # FOLDER/TASK/service.md or answer.json
 *
 * Each task is for an agent with a fresh context. `rounds.txt` in a task's folder may have the
 * number of its rounds of `check`; the table shows it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { refusalsOf } from "./judge.ts";
import type { Files } from "./task.ts";
import { tasks } from "./tasks.ts";

const [command, folder] = process.argv.slice(2);

function write(into: string): void {
  for (const { name, text, start } of tasks) {
    mkdirSync(join(into, name), { recursive: true });
    writeFileSync(join(into, name, "TASK.md"), `${text}\n`);
    for (const [file, content] of Object.entries(start)) writeFileSync(join(into, name, file), content);
  }
}

function filesIn(at: string): Files {
  const names = existsSync(at) ? readdirSync(at).filter((name) => statSync(join(at, name)).isFile()) : [];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(at, name), "utf8")]));
}

async function judge(from: string): Promise<void> {
  console.log("| Task | Kind | Accepted | Rounds of `check` | Why not |\n|---|---|---|---|---|");
  let accepted = 0;
  for (const task of tasks) {
    const answer = filesIn(join(from, task.name));
    const refusals = await refusalsOf(task, answer);
    if (refusals.length === 0) accepted += 1;
    const why = (refusals[0] ?? "").replaceAll("|", "\\|").replaceAll("\n", " ").slice(0, 200);
    const rounds = (answer["rounds.txt"] ?? "").trim();
    console.log(
      `| ${task.name} | ${task.kind} | ${refusals.length === 0 ? "yes" : "no"} | ${rounds} | ${why} |`,
    );
  }
  console.log(`\n${accepted} of ${tasks.length} accepted.`);
}

if (folder !== undefined && command === "write") write(folder);
else if (folder !== undefined && command === "judge") await judge(folder);
else {
  console.error("Usage: node test/agents/evaluation/run.ts write|judge FOLDER");
  process.exitCode = 2;
}
