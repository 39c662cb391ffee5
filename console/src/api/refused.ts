/** What the operations API refuses, as an error with its words: RFC 9457 problems, with what is wrong at single fields. */

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

export class Refused extends Error {
  /** 0 without a response. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  /** All that the answer says, for refusals that say more. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    const text = (name: string) => (typeof problem[name] === "string" ? problem[name] : "");
    super(text("detail") || text("title") || String(status));
    this.name = "Refused";
    this.status = status;
    this.title = text("title");
    this.detail = text("detail");
    this.errors = (Array.isArray(problem["errors"]) ? problem["errors"] : []) as readonly FieldError[];
    this.problem = problem;
  }
}
