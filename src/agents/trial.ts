/**
 * Trial service: the document as a service in this process with a store in memory, for an agent to
 * call. It restarts when the document changes, and touches no other store.
 */
import { reasonSentence } from "../admin/requests/serialize-request.ts";
import { GivenRejected } from "../engine/given.ts";
import { RequestJournal } from "../engine/observability/request-journal.ts";
import type { Model } from "../model/model.ts";
import { readGivenItems } from "../model/reading/read-given.ts";
import { createLocalTarget, type LocalTarget } from "../scenarios/local-target.ts";
import { machine } from "../support/machine.ts";
import type { SentRequest } from "../verify/scenario-failure.ts";
import { diagnosticLine, ToolRefused } from "./document-file.ts";

/** Maximum number of requests and records of one trial, so that an agent's loop ends. */
const usesMax = 2000;

/** How long one request may take, in milliseconds. */
const requestMsMax = 10_000;

/** The response that a client receives, and the console's explanation of it. */
export interface TrialResponse {
  readonly status: number;
  /** `Content-Type: application/json`, one line each. */
  readonly headers: readonly string[];
  readonly body: string;
  /**
   * Why the request was refused, as a sentence with the rule that decided; null if it wasn't
   * refused.
   */
  readonly why: string | null;
}

export interface TrialService {
  /** The running service of this model. @throws ToolRefused */
  use(model: Model): Promise<LocalTarget>;
  /** The response of the service, and why it refused the request. @throws ToolRefused */
  call(model: Model, request: SentRequest): Promise<TrialResponse>;
  /**
   * Creates records from the texts of `Given` items, and returns their identifiers. @throws
   * ToolRefused
   */
  createGiven(model: Model, given: readonly string[]): Promise<readonly unknown[]>;
  reset(): Promise<void>;
}

export function createTrial(): TrialService {
  let running:
    | { readonly model: Model; readonly target: LocalTarget; readonly journal: RequestJournal }
    | undefined;
  let uses = 0;
  /** The resources of the records that the `Given` items named. */
  const names = new Map<string, string>();
  const reset = async (): Promise<void> => {
    const { target } = running ?? {};
    running = undefined;
    uses = 0;
    names.clear();
    await target?.close();
  };
  const started = async (model: Model) => {
    if (running?.model !== model) {
      await reset();
      const journal = new RequestJournal(model);
      const target = await createLocalTarget(model, { printError: () => {} }, undefined, {
        onAnswered: (answered) => journal.note(answered),
      });
      running = { model, target, journal };
    }
    uses += 1;
    if (uses > usesMax)
      throw new ToolRefused(`This trial had ${usesMax} uses. Call the tool reset to start a new one.`);
    return running;
  };
  const use = async (model: Model): Promise<LocalTarget> => (await started(model)).target;
  return {
    use,
    reset,
    async call(model, request) {
      const { target, journal } = await started(model);
      const { status, headers, body } = await withinTimeLimit(target.send(request, () => true));
      const noted = journal.all().at(-1);
      return {
        status,
        headers: headers.map(([name, value]) => `${name}: ${value}`),
        body,
        why: noted ? reasonSentence(model, journal.mask(noted.endpoint), noted, []) : null,
      };
    },
    async createGiven(model, given) {
      const target = await use(model);
      const items = given.map((text) => `- Given: \`${text.replaceAll("`", "").replace(/\s*\n\s*/g, " ")}\``);
      const { steps, diagnostics } = readGivenItems(model, "given", items.join("\n"), names);
      const [error] = diagnostics.filter(({ severity }) => severity === "error");
      if (error) throw new ToolRefused(`A record can't be read: ${diagnosticLine(error)}`);
      const identifiers: unknown[] = [];
      for (const step of steps) {
        identifiers.push(await target.given(step).catch((error: unknown) => refuse(error, identifiers)));
        if (step.as !== undefined) names.set(step.as, step.resource);
      }
      return identifiers;
    },
  };
}

/** @throws ToolRefused for a record that breaks a rule of its resource */
function refuse(error: unknown, created: readonly unknown[]): never {
  if (!(error instanceof GivenRejected)) throw error;
  const before =
    created.length === 0 ? "No record was created." : `Created before it: ${created.join(", ")}.`;
  throw new ToolRefused(`Record ${created.length + 1} can't be created: ${error.message}. ${before}`);
}

/** The result of a request, or a refusal when it takes too long. @throws ToolRefused */
export function withinTimeLimit<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timeoutError = new ToolRefused(`The request took longer than ${requestMsMax / 1000} seconds.`);
    const stopClock = machine.after(requestMsMax, () => reject(timeoutError), true);
    work.then(resolve, reject).finally(stopClock);
  });
}
