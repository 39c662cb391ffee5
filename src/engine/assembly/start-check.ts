/**
 * Start check: applies start records inside of a migration's transaction, which rolls them back. It
 * has no handlers' module, so rows that need one are checked when the service starts.
 */
import type { Model } from "../../model/model.ts";
import type { StartCheck } from "../../store/start-check.ts";
import type { Ports } from "../ports.ts";
import { NotShown } from "../problem.ts";
import { checkStartRecords, startSettings } from "../records/start-records.ts";
import { SharedPasswordQueue } from "../secrets/password-queue.ts";
import { createSecrets } from "../secrets/secrets.ts";
import { ownKeyIn } from "../secrets/signing-keys.ts";
import { assembleContext } from "./context.ts";

/** The check of a document's start records; undefined if it has none. */
export function startCheckOf(model: Model, ports: Ports): StartCheck | undefined {
  const settings = startSettings(model);
  if (settings.size === 0) return undefined;
  return {
    settings,
    async apply(store, transaction) {
      const own = Buffer.from(await ownKeyIn(transaction, ports), "base64url");
      const queue = new SharedPasswordQueue(ports.machine ?? ports.clock);
      const options = { store, ports, origin: () => "http://localhost" };
      const secrets = createSecrets(own, queue, ports);
      const { context, frameAt } = assembleContext(model, options, ports, secrets);
      await checkStartRecords(context, transaction, () => frameAt(ports.clock.now()), needsModule);
    },
  };
}

function needsModule(error: unknown): boolean {
  return error instanceof NotShown && error.ofModule !== undefined;
}
