/** The difference between two checks under `--watch`: new and fixed diagnostics. */
import { formatText } from "../../diagnostics/formats/text.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { createSource } from "../../source/source.ts";
import { printable } from "../../source/printable.ts";
import { type Checked, countsOf, verdictLine } from "./verdict.ts";

export function whatChanged(before: Checked, now: Checked, { colour }: { readonly colour: boolean }): string {
  const old = before.compilation.diagnostics;
  const found = now.compilation.diagnostics;
  const added = without(found, old);
  const repaired = without(old, found);
  const mistakes = added.filter(({ kind }) => kind === "mistake");
  const blocks = [
    formatText(mistakes, createSource(now.file, now.text), { colour }),
    added.filter(({ kind }) => kind === "gap").map((gap) => line("new gap", gap)),
    repaired.map((diagnostic) => line("repaired", diagnostic)),
  ].flat();
  return `${blocks.filter((block) => block !== "").join("")}${differences(before, now)}${verdictLine(now.file, now.verdict)}`;
}

/**
 * Diagnostics of the first list that the second lacks. They are compared by code and message,
 * because edits above may have moved them.
 */
function without(diagnostics: readonly Diagnostic[], known: readonly Diagnostic[]): readonly Diagnostic[] {
  const left = new Map<string, number>();
  for (const diagnostic of known) left.set(keyOf(diagnostic), (left.get(keyOf(diagnostic)) ?? 0) + 1);
  return diagnostics.filter((diagnostic) => {
    const count = left.get(keyOf(diagnostic)) ?? 0;
    left.set(keyOf(diagnostic), count - 1);
    return count <= 0;
  });
}

function keyOf({ code, message }: Diagnostic): string {
  return `${code} ${message}`;
}

function line(what: string, { code, message, position }: Diagnostic): string {
  return `${what}: line ${position.start.line} ${code} ${printable(message)}\n`;
}

/** `gaps −3, errors +1` */
function differences(before: Checked, now: Checked): string {
  const old = new Map(countsOf(before.verdict));
  const changed = countsOf(now.verdict).flatMap(([name, count]) => {
    const by = count - (old.get(name) ?? 0);
    return by === 0 ? [] : [`${name}s ${by > 0 ? "+" : "−"}${Math.abs(by)}`];
  });
  return changed.length === 0 ? "" : `${changed.join(", ")}\n`;
}
