/** A migration plan as text. */
import { basename } from "node:path";
import type { PlanLine, PlanStep, StorePlan, DryRunPlan } from "../../store/index.ts";
import { formatApproximateSize } from "../../support/quantity.ts";
import { mismatchAdvice } from "../open-service.ts";

export interface PlanFacts {
  readonly file: string;
  readonly store: string;
}

/** The whole plan, with what to do next. */
export function planText(plan: DryRunPlan, facts: PlanFacts): string {
  const { file } = facts;
  const blocks = [heading(plan, facts), ...stepBlocks(plan, file), ...warningBlock(plan)];
  if (plan.refused) blocks.push(refusedBlock(plan.refused));
  else if (plan.steps.length > 0) blocks.push(nextStepText(plan, file));
  return `${blocks.join("\n\n")}\n`;
}

function nextStepText(plan: DryRunPlan, file: string): string {
  const isKept = plan.steps.every(({ kind }) => kind === "safe");
  const copy = plan.copiesFirst
    ? plan.copy !== null && `The store is copied first: ${plan.copy}`
    : !isKept && "Databases are not copied first. Use pg_dump.";
  return [cost(plan), ...(copy === false ? [] : [copy]), actorText(plan, file)].join("\n");
}

function actorText({ served }: DryRunPlan, file: string): string {
  const does = `\`ninefold migrate ${file} --apply\` applies this, and so does the next start`;
  if (served === undefined) return `${does}.`;
  if ("by" in served)
    return `The store is being served (process ${served.by}) and keeps running: the next start applies this, or \`ninefold migrate ${file} --apply\` once that process is stopped.`;
  const are = served.instances === 1 ? "1 instance serves it" : `${served.instances} instances serve it`;
  return served.keepRunning
    ? `${does}. ${are}, and can keep running meanwhile.`
    : `${does}. ${are}. Running instances stop for this, respond with 503, and have to be replaced by instances of this document.`;
}

function heading(plan: StorePlan, { file, store }: PlanFacts): string {
  const changes = plan.steps.filter(({ name }) => name !== null).length;
  if (plan.refused) return `${store} can't be migrated to ${basename(file)}. Nothing was changed.`;
  if (plan.steps.length === 0) return `${store} matches ${basename(file)}: nothing to do.`;
  if (changes === 0) {
    const isSafe = plan.steps.every(({ kind }) => kind === "safe");
    return `${store}: no stored change is needed${isSafe ? ", and no data is lost" : ""}`;
  }
  return `${store}: ${changes === 1 ? "1 stored change" : `${changes} stored changes`} to apply`;
}

/** Each step with its effect, and a few of the records. */
function stepBlocks({ steps }: StorePlan, file: string): readonly string[] {
  return steps.map((step) => [stepHeading(step, file), ...step.lines.flatMap(lineOf)].join("\n"));
}

function stepHeading({ name, line, kind }: PlanStep, file: string): string {
  return name === null
    ? `part 2 of ${basename(file)}, no stored change needed   ${kind}`
    : `${name} (${basename(file)}:${line})   ${kind}`;
}

function lineOf({ text, examples, hasMore }: PlanLine): readonly string[] {
  const width = Math.max(0, ...examples.map(({ record }) => record.length));
  return [
    `  ${text}`,
    ...examples.map(({ record, before, after }) => {
      const words = [before, after].filter((candidate) => candidate !== undefined).join(" → ");
      return `    ${record.padEnd(width)}${words === "" ? "" : `  ${words}`}`.trimEnd();
    }),
    ...(hasMore ? ["    …"] : []),
  ];
}

export function warningBlock({ warnings }: StorePlan): readonly string[] {
  return warnings.length === 0 ? [] : [warnings.map((line) => `Note: ${line}`).join("\n")];
}

export function refusedBlock(refused: NonNullable<StorePlan["refused"]>): string {
  const { losses, obstacles } = refused;
  const list = (words: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`impossible: ${words}`, ...lines.map((line) => `  ${line}`), ""];
  return [
    ...list("the stored records don't fit the document", obstacles),
    ...list("data would be lost, and the document does not state that it may be deleted", losses),
    mismatchAdvice(refused),
  ].join("\n");
}

/**
 * Factors on the time measured with the copy, which has no other readers; the upper one also allows
 * for a busy machine.
 */
const [minimumText, maximumText] = [0.6, 3];

function cost({ ms, room, copy, served }: DryRunPlan): string {
  const [minSeconds, maxSeconds] = [(minimumText * ms) / 1000, (maximumText * ms) / 1000];
  const time =
    maxSeconds < 1
      ? "less than a second"
      : `${Math.max(1, Math.floor(minSeconds))} to ${Math.ceil(maxSeconds)} s`;
  const free = room.free === null ? "" : `; ${formatApproximateSize(room.free)} are free`;
  const disk =
    copy === null || room.needed === null
      ? ""
      : ` Needs ${formatApproximateSize(room.needed)} of disk temporarily${free}.`;
  const isOnline = served !== undefined && "keepRunning" in served && served.keepRunning;
  return `Takes ${time}${isOnline ? "" : ", while the service is down"}.${disk}`;
}
