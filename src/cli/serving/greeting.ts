/**
 * Greeting of `serve`: the address, what is served, the gaps, and a first `curl` line that works.
 */
import { tokenVariable } from "../operations/token.ts";
import { storeLabel, storeKind } from "../../store/index.ts";
import { partNames, partTitles } from "../../syntax/nodes.ts";
import type { Model } from "../../model/model.ts";
import { openEndpoints, openWords, unsaidAllowed } from "../../model/endpoints/missing-allowed.ts";

export interface GreetingFacts {
  readonly model: Model;
  readonly origin: string;
  readonly file: string;
  readonly store: string;
  /** The number of records that the seed has created; null without a seed, or if it was ignored. */
  readonly seeded: number | null;
  /** Lines about the store. */
  readonly aboutStore?: string | undefined;
  readonly curl: string | undefined;
  /** The variables of signing keys that are not set: the engine uses generated keys. */
  readonly unsetSecrets: readonly UnsetSecret[];
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
  /** The operations address, and its token. */
  readonly operations: OperationsFacts | undefined;
  /** The header that names data spaces, in a sandbox. */
  readonly spaceHeader: string | undefined;
}

export interface OperationsFacts {
  readonly url: string;
  readonly link: string;
  /** The file that stores the token. */
  readonly file?: string;
  /** The environment variable that holds the token. */
  readonly variable?: string;
  /** Whether the reader of the output may see the token. */
  readonly isLinked: boolean;
}

export interface UnsetSecret {
  readonly variable: string;
  readonly line: number;
}

export function greeting({
  model,
  origin,
  file,
  store,
  seeded,
  aboutStore,
  curl,
  unsetSecrets,
  sendsMail,
  operations,
  spaceHeader,
}: GreetingFacts): string {
  const where = storeKind(store) === "memory" ? "memory (nothing is kept)" : storeLabel(store);
  const lines = [
    `${model.name} at ${origin}${model.endpointsPart.basePath.text.replace(/\/$/, "")}`,
    ...(operations ? [consoleLine(operations)] : []),
    `  ${count(model.endpoints.length, "endpoint")} and ${count(model.resources.length, "resource")} from ${file}, stored in ${where}`,
  ];
  if (aboutStore !== undefined) lines.push(`  ${aboutStore}`);
  const gaps = model.ledger.filter((entry) => entry.answer === "not shown" || entry.answer === "silent");
  const placesNotShown = model.ledger.reduce((sum, entry) => sum + entry.smallerGaps.length, 0);
  const smaller = placesNotShown + unsaidAllowed(model).length;
  if (gaps.length > 0) lines.push(`  ${count(gaps.length, "gap")} of 26:`, ...gapLines(gaps));
  if (smaller > 0) lines.push(`  ${count(smaller, "smaller gap")}; \`ninefold check ${file}\` lists them`);
  if (gaps.length + placesNotShown > 0)
    lines.push(`  \`ninefold next ${file}\` lists the open questions, with answers to accept`);
  const open = openWords(openEndpoints(model));
  if (open !== undefined)
    lines.push(`  ${open}; \`ninefold serve ${file} --routes\` lists who may call each`);
  for (const { variable, line } of unsetSecrets)
    lines.push(
      `  ${variable} (line ${line}) is not set: tokens are signed with a generated key, which the store keeps`,
    );
  const [notification] = model.events.notifications;
  if (notification && !sendsMail)
    lines.push(
      `  notifications (line ${notification.position.start.line}) are not sent: no --smtp names a mail server`,
    );
  if (seeded !== null) lines.push(`  seeded with ${count(seeded, "record")}`);
  if (spaceHeader !== undefined)
    lines.push(`  a sandbox: the header ${spaceHeader} names data spaces; operations at ${operations?.url}`);
  if (operations) lines.push(`  documentation, OpenAPI and schemas at ${operations.url}/docs/`);
  if (curl !== undefined) lines.push("", "Try:", `  ${curl}`);
  return `${lines.join("\n")}\n\n`;
}

/**
 * On a terminal, the line has the link with the token; elsewhere it only says where the token is.
 */
function consoleLine({ url, link, file, variable, isLinked }: OperationsFacts): string {
  if (isLinked) return `Console: ${link}`;
  const holder = file ?? variable;
  return holder === undefined
    ? `Console: ${url} (its token is shown only on a terminal; set ${tokenVariable} to choose it)`
    : `Console: ${url} (its token is in ${holder})`;
}

/** The gaps by part, each with its line. */
function gapLines(gaps: Model["ledger"]): readonly string[] {
  return partNames.flatMap((part) => {
    const own = gaps.filter((entry) => entry.part === part);
    if (own.length === 0) return [];
    const items = own.map((entry) => `${entry.item} (line ${entry.position.start.line})`);
    return [`    ${partTitles[part]}: ${items.join(", ")}`];
  });
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
