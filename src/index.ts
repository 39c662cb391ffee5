/**
 * The public library: a document in, a service out, for test suites and Node servers that embed it.
 *
 *   const { model, diagnostics } = compile(text, { file: "parcels.md" });
 *   const service = await openService(model, { store: ":memory:" });
 *   const answer = await service.fetch(createRequest({ method: "GET", target: "/v1/parcels" }));
 */
import type { HandlerModule } from "./engine/handlers/module.ts";
import { createService, type Service } from "./engine/service.ts";
import { type Ports, silentLog, systemClock } from "./engine/ports.ts";
import { createMeaning } from "./model/meaning.ts";
import type { Model } from "./model/model.ts";
import { openStore } from "./store/index.ts";
import { createRandomPool } from "./support/random-pool.ts";

export { compile, type Compilation } from "./compile.ts";
export type { Diagnostic } from "./diagnostics/diagnostic.ts";
export {
  type Handler,
  type HandlerModule,
  type HandlerTransaction,
  Refused,
} from "./engine/handlers/module.ts";
export { createHttpServer } from "./engine/http/server.ts";
export { createRequest, type ServiceRequest, type ServiceResponse } from "./engine/http/message.ts";
export { createMovableClock, type Clock, type Log, type MovableClock, type Ports } from "./engine/ports.ts";
export { createService, type Service, type ServiceOptions } from "./engine/service.ts";
export type { LedgerEntry, Model } from "./model/model.ts";
export { openStore, StoreMismatch, StoreRefused, StoreUnavailable } from "./store/index.ts";
export type { Store } from "./store/store.ts";

export interface OpenOptions extends Partial<Ports> {
  /** The store's file, made if it isn't there; `:memory:` keeps nothing. */
  readonly store: string;
  /** How much of the file is read as memory, in bytes (`StoreOptions.mappedBytes`). */
  readonly mappedBytes?: number;
  /** Public address without a final slash. */
  readonly origin?: string;
  /** Secrets by the names that the document gives them (`secret env JWT_SECRET`). */
  readonly secret?: (name: string) => string | undefined;
  /** The module beside the document, imported by whoever embeds the service: `import * as handlers from "./parcels.ts"`. */
  readonly handlers?: HandlerModule;
}

/**
 * A service with a store of its own, which closes with it.
 * @throws StoreRefused | StoreMismatch
 */
export async function openService(model: Model, options: OpenOptions): Promise<Service> {
  const store = await openStore(model, createMeaning(model), {
    path: options.store,
    ...(options.mappedBytes === undefined ? {} : { mappedBytes: options.mappedBytes }),
  });
  const ports: Ports = {
    clock: options.clock ?? systemClock,
    log: options.log ?? silentLog,
    randomBytes: options.randomBytes ?? createRandomPool(),
  };
  const origin = options.origin ?? "http://localhost";
  const service = await createService(model, {
    store,
    ports,
    origin: () => origin,
    ...(options.secret ? { secret: options.secret } : {}),
    ...(options.handlers ? { handlers: options.handlers } : {}),
  });
  return {
    ...service,
    async close() {
      await service.close();
      await store.close();
    },
  };
}
