/**
 * Client for a document's records: through the operations address of the process that serves the
 * store, or in this process if none does. Both use the same operations API, so that a command
 * doesn't depend on which one responds.
 */
import { basename } from "node:path";
import { RequestJournal } from "../../engine/observability/request-journal.ts";
import type { ServiceRequest } from "../../engine/http/message.ts";
import { validateHead } from "../../engine/http/strict-request.ts";
import { silentLog, systemClock } from "../../engine/ports.ts";
import type { Model } from "../../model/model.ts";
import { type Api, createApi } from "../../admin/api/api.ts";
import { storeOwner, type StoreOwner } from "../../store/index.ts";
import { CliError } from "../command.ts";
import { loadHandlers } from "../load-handlers.ts";
import { loadModel, openModelStore, openService, cliErrorOfStore as storeInWords } from "../open-service.ts";
import {
  appendQuery,
  type ClientRequest,
  type Client,
  createClient,
  readAnswer,
} from "../operations/client.ts";
import type { Terminal } from "../terminal.ts";
import { ownVersion } from "../version.ts";
import { adminOfService } from "../../admin/create-context.ts";

export interface RecordsClient extends Client {
  /** The process that serves the store; absent where this process opened it. */
  readonly servedBy?: number;
  close(): Promise<void>;
}

const hintIfInUse =
  "That process has no operations address (--no-operations): stop it first. If it is a sandbox, its records are added and listed while it runs: `ninefold sandbox add` and `ninefold sandbox list`.";

/** @throws CliError | DocumentFailed */
export async function openRecordsClient(
  file: string,
  store: string,
  terminal: Terminal,
): Promise<RecordsClient> {
  return (await connectToOwner(store, terminal)) ?? (await openLocally(file, store, terminal));
}

/** Undefined if no process with an operations address serves the store. */
async function connectToOwner(store: string, terminal: Terminal): Promise<RecordsClient | undefined> {
  const { operations, token, pid } = ownerKnown(store) ?? {};
  if (operations === undefined || pid === undefined || pid === process.pid) return undefined;
  const client = createClient(
    `${operations}/#t=${token}`,
    undefined,
    terminal.environment,
    "The process that serves the store has just stopped. Run the command again.",
  );
  try {
    await client.send({ method: "GET", path: "/api/served" });
  } catch (error) {
    // The process was killed, and another may use its port: the lock on the store shows whether the
    // store is in use.
    if (error instanceof CliError) return undefined;
    throw error;
  }
  return { ...client, servedBy: pid, close: async () => {} };
}

function ownerKnown(store: string): StoreOwner | undefined {
  try {
    return storeOwner(store);
  } catch (error) {
    throw storeInWords(error);
  }
}

async function openLocally(file: string, path: string, terminal: Terminal): Promise<RecordsClient> {
  const { model, text, diagnostics } = await loadModel(file, terminal);
  const handlers = await loadHandlers(file, model, terminal);
  const store = await openModelStore(model, path, terminal, { hintIfInUse });
  try {
    const origin = () => "http://localhost";
    const service = await openService(
      model,
      store,
      { clock: systemClock, log: silentLog },
      { origin, ...(handlers ? { handlers } : {}) },
    );
    const served = {
      document: { file: basename(file), text, diagnostics },
      seed: [],
      origin,
      log: silentLog,
      ninefold: ownVersion(),
    };
    const api = createApi(adminOfService(service, new RequestJournal(model as Model), served));
    return clientOfApi(api, path, async () => {
      await service.close();
      await store.close();
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** An operations API in this process. @param place its name in messages when it can't respond */
export function clientOfApi(api: Api, place: string, close: () => Promise<void>): RecordsClient {
  return {
    async send(message) {
      const request = requestOf(message);
      const { head, refusal } = validateHead(request);
      const answer = refusal ? api.refuse(refusal) : await api.fetch(request, head);
      return readAnswer(answer.status, answer.body as string, place);
    },
    close,
  };
}

function requestOf({ method, path, query, body }: ClientRequest): ServiceRequest {
  const url = new URL(path, "http://localhost");
  appendQuery(url, query);
  const bytes = new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body));
  return {
    method,
    target: url.pathname + url.search,
    rawHeaders: ["Host", "localhost", "Content-Type", "application/json"],
    remoteAddress: "127.0.0.1",
    isBodyComplete: true,
    body: () => bytes,
    signal: new AbortController().signal,
  };
}
