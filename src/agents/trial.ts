/**
 * Trial: the document as a service in this process, with a store in memory, for an agent to call. It
 * starts anew when the document changes. Nothing that is stored elsewhere is touched.
 */
import type { Model } from "../model/model.ts";
import { readGivenItems } from "../model/read-given.ts";
import { createLocalTarget, type LocalTarget } from "../scenarios/local-target.ts";
import { machine } from "../support/machine.ts";
import { diagnosticLine, ToolRefused } from "./document-file.ts";

/** Requests and records of one trial, so that a loop of an agent ends. */
const usesMax = 2000;

/** How long one request may take, in milliseconds. */
const requestMsMax = 10_000;

export interface Trial {
  /** The running service of this model. @throws ToolRefused */
  use(model: Model): Promise<LocalTarget>;
  /** Creates records from `Given` texts, and returns their identifiers. @throws ToolRefused */
  give(model: Model, given: readonly string[]): Promise<readonly unknown[]>;
  reset(): Promise<void>;
}

export function createTrial(): Trial {
  let running: { readonly model: Model; readonly target: LocalTarget } | undefined;
  let uses = 0;
  /** The resources of the records that `Given` texts named. */
  const names = new Map<string, string>();
  const reset = async (): Promise<void> => {
    const { target } = running ?? {};
    running = undefined;
    uses = 0;
    names.clear();
    await target?.close();
  };
  const use = async (model: Model): Promise<LocalTarget> => {
    if (running?.model !== model) {
      await reset();
      running = { model, target: await createLocalTarget(model, { printError: () => {} }) };
    }
    uses += 1;
    if (uses > usesMax)
      throw new ToolRefused(`This trial had ${usesMax} uses. Call the tool reset to start a new one.`);
    return running.target;
  };
  return {
    use,
    reset,
    async give(model, given) {
      const target = await use(model);
      const items = given.map((text) => `- Given: \`${text.replaceAll("`", "").replace(/\s*\n\s*/g, " ")}\``);
      const { steps, diagnostics } = readGivenItems(model, "given", items.join("\n"), names);
      const [error] = diagnostics.filter(({ severity }) => severity === "error");
      if (error) throw new ToolRefused(`A record can't be read: ${diagnosticLine(error)}`);
      const identifiers: unknown[] = [];
      for (const step of steps) {
        identifiers.push(await target.given(step));
        if (step.as !== undefined) names.set(step.as, step.resource);
      }
      return identifiers;
    },
  };
}

/** The result of a request, or a refusal when it takes too long. @throws ToolRefused */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = new ToolRefused(`The request took longer than ${requestMsMax / 1000} seconds.`);
    const stopClock = machine.after(requestMsMax, () => reject(late), true);
    work.then(resolve, reject).finally(stopClock);
  });
}
