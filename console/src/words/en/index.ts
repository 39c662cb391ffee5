/**
 * English: the language that all others have the messages of. One file for each page, one for the
 * shell and one for the common parts.
 */
import { deliveries } from "./deliveries.ts";
import { document } from "./document.ts";
import { events } from "./events.ts";
import { overview } from "./overview.ts";
import { parts } from "./parts.ts";
import { records } from "./records.ts";
import { requests } from "./requests.ts";
import { sandbox } from "./sandbox.ts";
import { scenarios } from "./scenarios.ts";
import { shell } from "./shell.ts";
import { states } from "./states.ts";
import { tryIt } from "./try-it.ts";

export const en = {
  shell,
  parts,
  overview,
  document,
  states,
  records,
  requests,
  tryIt,
  events,
  deliveries,
  scenarios,
  sandbox,
} as const;
