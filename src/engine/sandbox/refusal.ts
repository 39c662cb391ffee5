/**
 * Sandbox refusals: problem details of the sandbox itself, outside the document. They state what to
 * do instead.
 */
import type { HeaderLine, ServiceResponse } from "../http/message.ts";

export class SandboxRefusal extends Error {
  override name = "SandboxRefusal";
  readonly status: number;
  readonly title: string;
  /** Members of the response besides title and detail. */
  readonly more: Readonly<Record<string, unknown>>;
  readonly headers: readonly HeaderLine[];

  constructor(
    status: number,
    title: string,
    detail: string,
    further: {
      readonly more?: Readonly<Record<string, unknown>>;
      readonly headers?: readonly HeaderLine[];
    } = {},
  ) {
    super(detail);
    this.status = status;
    this.title = title;
    this.more = further.more ?? {};
    this.headers = further.headers ?? [];
  }
}

export function refusalAnswer(refusal: SandboxRefusal): ServiceResponse {
  const { status, title, message, more, headers } = refusal;
  return {
    status,
    headers: [["Content-Type", "application/problem+json"], ["Cache-Control", "no-store"], ...headers],
    body: JSON.stringify({ type: "about:blank", title, status, detail: message, sandbox: true, ...more }),
  };
}
