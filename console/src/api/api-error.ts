/**
 * Error responses of the operations API as exceptions: RFC 9457 problems, with the errors of single
 * fields.
 */

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

export class ApiError extends Error {
  /** 0 without a response. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  /** The whole problem, for errors with further members. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    const text = (name: string) => (typeof problem[name] === "string" ? problem[name] : "");
    super(text("detail") || text("title") || String(status));
    this.name = "ApiError";
    this.status = status;
    this.title = text("title");
    this.detail = text("detail");
    this.errors = (Array.isArray(problem["errors"]) ? problem["errors"] : []) as readonly FieldError[];
    this.problem = problem;
  }
}

/** @throws any other error */
export function asApiError(error: unknown): ApiError {
  if (!(error instanceof ApiError)) throw error;
  return error;
}
