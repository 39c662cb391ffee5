/**
 * Client of a running service's operations API, for commands. The token comes from the link if a
 * link is given, else from the environment, else from the file in which the service recorded it for
 * this user.
 */
import { hostName, isLoopback } from "../../engine/http/loopback.ts";
import type { Json } from "../../support/json.ts";
import { CliError, WrongUsage } from "../command.ts";
import { runningAt } from "./registry.ts";
import { tokenOfEnvironment, tokenVariable } from "./token.ts";

export const defaultOperations = "http://127.0.0.1:4546";

/** Longer than moving the clock may take. */
const answerMsMax = 60_000;

export interface ClientRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** False for operations on all data spaces. */
  readonly isOfOneSpace?: boolean;
  readonly body?: { readonly [field: string]: Json | undefined };
}

/** The service has rejected the request, with this message. */
export class Refused extends Error {
  override name = "Refused";
  /** The message without its list of positions. */
  readonly detail: string;
  /** What to write instead. */
  readonly hints: readonly string[];
  constructor(message: string, detail: string = message, hints: readonly string[] = []) {
    super(message);
    this.detail = detail;
    this.hints = hints;
  }
}

export interface Client {
  /** @throws CliError | Refused */
  send(request: ClientRequest): Promise<unknown>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Creates a client of the operations address. @throws WrongUsage */
export function createClient(
  operations: string,
  space: string | undefined,
  environment: Environment,
  whenUnreachable = "Start a sandbox with `ninefold serve FILE --sandbox`, or name its address with --operations URL.",
): Client {
  if (!URL.canParse(operations) || !/^https?:$/.test(new URL(operations).protocol))
    throw new WrongUsage(`--operations takes an address such as ${defaultOperations}, not "${operations}".`);
  const token = tokenFor(new URL(operations), environment);
  const send = async (request: ClientRequest): Promise<unknown> => {
    const url = new URL(request.path, operations);
    const ofSpace = request.isOfOneSpace === false ? {} : { space };
    appendQuery(url, { ...request.query, ...ofSpace });
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(url, {
        method: request.method,
        redirect: "error",
        signal: AbortSignal.timeout(answerMsMax),
        headers: {
          ...((await token) === undefined ? {} : { Authorization: `Bearer ${await token}` }),
          ...(request.body ? { "Content-Type": "application/json" } : {}),
        },
        ...(request.body ? { body: JSON.stringify(request.body) } : {}),
      });
      text = await answer.text();
    } catch (error) {
      const { message, cause } = error as Error & { cause?: { message?: string } };
      throw new CliError(
        `No service responds at ${operations} (${cause?.message ?? message}). ${whenUnreachable}`,
      );
    }
    return readAnswer(answer.status, text, operations);
  };
  return { send };
}

export function appendQuery(url: URL, query: ClientRequest["query"] = {}): void {
  for (const [name, value] of Object.entries(query))
    for (const text of value === undefined ? [] : [value].flat()) url.searchParams.append(name, text);
}

async function tokenFor(
  { hash, hostname, port }: URL,
  environment: Environment,
): Promise<string | undefined> {
  if (hash.startsWith("#t=")) return hash.slice("#t=".length);
  const given = tokenOfEnvironment(environment);
  // A service on another machine has recorded no token here.
  if (given !== undefined || !isLoopback(hostName(hostname))) return given;
  return (await runningAt(Number(port || 80), environment))?.token;
}

/** The content of a response. @throws CliError | Refused */
export function readAnswer(status: number, text: string, operations: string): unknown {
  if (status === 403)
    throw new CliError(
      `The server at ${operations} rejected the token. Set ${tokenVariable} to the one it was started with, or give its whole link (…/#t=…) with --operations.`,
    );
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new CliError(`The server at ${operations} is not an operations API.`);
  }
  if (status === 200) return json;
  const { detail, errors = [] } = json as { detail?: unknown; errors?: readonly ErrorBody[] };
  if (typeof detail !== "string") throw new CliError(`The server at ${operations} is not an operations API.`);
  if (status >= 500 && status !== 501) throw new CliError(detail);
  const further = errors.map(({ line, column, field, message, hint }) => {
    const place = field === undefined ? `${line}:${column}` : `${field}:`;
    return `\n  ${place} ${message}${hint === undefined ? "" : ` ${hint}`}`;
  });
  const hints = errors.flatMap(({ hint }) => (hint === undefined ? [] : [hint]));
  throw new Refused(detail + further.join(""), detail, hints);
}

interface ErrorBody {
  readonly line?: number;
  readonly column?: number;
  readonly field?: string;
  readonly message: string;
  readonly hint?: string;
}
