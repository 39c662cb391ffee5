/** All commands, in the order in which `--help` lists them. */
import type { Command } from "../command.ts";
import { backupCommand } from "./backup.ts";
import { checkCommand } from "./check.ts";
import { dataCommand } from "./data.ts";
import { explainCommand } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { formatCommand } from "./format.ts";
import { newCommand } from "./new.ts";
import { restoreCommand } from "./restore.ts";
import { migrateCommand } from "./migrate.ts";
import { sandboxCommand } from "./sandbox.ts";
import { secretsCommand } from "./secrets.ts";
import { serveCommand } from "./serve.ts";
import { testCommand } from "./test.ts";
import { typesCommand } from "./types.ts";

export const commands: readonly Command[] = [
  newCommand,
  checkCommand,
  explainCommand,
  formatCommand,
  serveCommand,
  testCommand,
  dataCommand,
  migrateCommand,
  backupCommand,
  restoreCommand,
  secretsCommand,
  sandboxCommand,
  exportCommand,
  typesCommand,
];
