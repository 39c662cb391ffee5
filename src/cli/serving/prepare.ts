/**
 * Prepares a document for serving: reads and checks everything before the service opens a port or a
 * store.
 */
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { GivenStep } from "../../engine/given.ts";
import type { HandlerModule } from "../../engine/handler-module.ts";
import type { Model } from "../../model/model.ts";
import { loadHandlersAt } from "../load-handlers.ts";
import { loadModel } from "../open-service.ts";
import { scenarioSeed } from "../sandbox/open-sandbox.ts";
import { readSeed } from "../seed.ts";
import type { Terminal } from "../terminal.ts";
import { readCertificate, warnOfExpiry } from "./sockets/certificates.ts";
import { judgeSecrets, refuseOpenGap } from "./exposure.ts";
import { type TracingSettings, tracingSettings } from "./tracing/settings.ts";
import type { ServeOptions } from "./options.ts";

export interface Prepared {
  readonly model: Model;
  /** The document as it was read. */
  readonly text: string;
  /** The diagnostics of `check`. */
  readonly diagnostics: readonly Diagnostic[];
  readonly handlers: HandlerModule | undefined;
  /** The URL that another thread loads the handlers from. */
  readonly handlersAddress: string | undefined;
  /** The target of traces, if requested. */
  readonly tracing: TracingSettings | undefined;
  /** The seed's items. */
  readonly given: readonly GivenStep[];
}

/** @throws CliError | DocumentFailed | WrongUsage */
export async function prepare(options: ServeOptions, terminal: Terminal): Promise<Prepared> {
  const { model, text, diagnostics } = await loadModel(options.file, terminal);
  refuseOpenGap(model, options.host);
  judgeSecrets(model, options.host, terminal);
  if (options.tls) warnOfExpiry(options.tls, readCertificate(options.tls).validTo, terminal);
  const tracing = tracingSettings(terminal.environment, model.name);
  const handlers = await loadHandlersAt(options.file, model, terminal);
  return {
    model,
    text,
    diagnostics,
    handlers: handlers?.module,
    handlersAddress: handlers?.address,
    tracing,
    given: await seedOf(model, options, terminal),
  };
}

async function seedOf(
  model: Model,
  { seed, sandbox }: ServeOptions,
  terminal: Terminal,
): Promise<readonly GivenStep[]> {
  if (seed !== undefined) return readSeed(model, seed, terminal);
  return sandbox?.scenario === undefined ? [] : scenarioSeed(model, sandbox.scenario);
}
