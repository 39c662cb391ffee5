/** All commands, in the order in which `--help` lists them. */
import type { Command } from "../command.ts";
import { checkCommand } from "./check.ts";
import { dataCommand } from "./data.ts";
import { exportCommand } from "./export.ts";
import { formatCommand } from "./format.ts";
import { newCommand } from "./new.ts";
import { sandboxCommand } from "./sandbox.ts";
import { serveCommand } from "./serve.ts";
import { testCommand } from "./test.ts";
import { typesCommand } from "./types.ts";

export const commands: readonly Command[] = [
  newCommand,
  checkCommand,
  formatCommand,
  serveCommand,
  testCommand,
  dataCommand,
  sandboxCommand,
  exportCommand,
  typesCommand,
];
