/**
 * Refusals of the operations API: problem details whose `detail` says what is wrong and what to do,
 * with the fields concerned.
 */
import type { HeaderLine, RequestRefusal, ServiceResponse } from "../../../engine/http/message.ts";
import { ChangedMeanwhile, FieldsRefused, WrongQuestion } from "../../../engine/admin/refusals.ts";
import type { SandboxRefusal } from "../../../engine/sandbox/refusal.ts";
import {
  toSandboxRefusal as sandboxInWords,
  refusalOf as sandboxRefusalOf,
} from "../../../engine/sandbox/refusal-of.ts";
import { StatementTimedOut, WriteTimedOut } from "../../../store/errors.ts";

/** A wrong field of a body, such as `address.line`, or a wrong parameter of a query. */
export interface FieldError {
  readonly field: string;
  /** A complete sentence. */
  readonly message: string;
}

/** A mistake at a position of a sent text. */
export interface TextError {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

export class OperationRefusal extends Error {
  override name = "OperationRefusal";
  readonly status: number;
  readonly title: string;
  readonly errors: readonly (FieldError | TextError)[];
  readonly headers: readonly HeaderLine[];
  /** Additional members of the response. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    title: string,
    detail: string,
    further: {
      readonly errors?: readonly (FieldError | TextError)[];
      readonly headers?: readonly HeaderLine[];
      readonly more?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(detail);
    this.status = status;
    this.title = title;
    this.errors = further.errors ?? [];
    this.headers = further.headers ?? [];
    this.more = further.more ?? {};
  }
}

export function badRequest(detail: string, errors: readonly FieldError[] = []): OperationRefusal {
  return new OperationRefusal(400, "Bad request", detail, { errors });
}

/** The refusal of a request that only a sandbox supports. */
export function onlyInSandboxes(): OperationRefusal {
  return new OperationRefusal(
    409,
    "No sandbox",
    "Clock, snapshots, resets and data spaces need a sandbox. Serve the document with --sandbox.",
  );
}

export function refusalResponse({
  status,
  title,
  message,
  errors,
  headers,
  more,
}: OperationRefusal): ServiceResponse {
  const reported = errors.length === 0 ? {} : { errors };
  return {
    status,
    headers: [["Content-Type", "application/problem+json"], ...headers],
    body: JSON.stringify({ type: "about:blank", title, status, detail: message, ...reported, ...more }),
  };
}

/** Converts a refusal of the engine or the store. Undefined for a fault. */
export function refusalOf(error: unknown): OperationRefusal | undefined {
  if (error instanceof OperationRefusal) return error;
  if (error instanceof WrongQuestion) return badRequest(error.message);
  if (error instanceof FieldsRefused)
    return new OperationRefusal(422, "Invalid record", `${error.message}. Nothing was changed.`, {
      errors: error.errors,
    });
  if (error instanceof ChangedMeanwhile)
    return new OperationRefusal(409, "Changed meanwhile", error.message, {
      more: error.now ? { now: error.now } : {},
    });
  if (error instanceof StatementTimedOut || error instanceof WriteTimedOut)
    return new OperationRefusal(
      503,
      "The query takes too long",
      `${error.message} Filter or search by fields that have an index.`,
    );
  const refusal = sandboxRefusalOf(error);
  return refusal && fromSandbox(refusal);
}

/** Describes a request that the server can't accept as sent. */
export function describeRefusal(refusal: RequestRefusal): OperationRefusal {
  return fromSandbox(sandboxInWords(refusal));
}

function fromSandbox({ status, title, message, more, headers }: SandboxRefusal): OperationRefusal {
  return new OperationRefusal(status, title, message, { more, headers });
}
