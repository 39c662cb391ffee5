/**
 * Client of the operations API. Every request has the token and, in a sandbox, the data space. An
 * error response is thrown as `ApiError`. The routes type the responses:
 * `call<OverviewResponse>("GET", "/api/overview")` with `import type` from `src/admin/api/`.
 */
import { t } from "../words/words.ts";
import { ApiError } from "./api-error.ts";
import { space } from "./space.ts";
import { isTokenRejected, token } from "./token.ts";

export type QueryParameters = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

export interface CallOptions {
  readonly query?: QueryParameters | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** @throws ApiError */
export async function call<Answer>(
  method: string,
  path: string,
  { query = {}, body, signal, headers }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(path + queryText({ space: space.value, ...query }), {
    method,
    headers: {
      ...authorization(),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, { title: t("parts.unreachable"), detail: t("parts.unreachableDetail") });
  });
  if (response.status === 401 || response.status === 403) isTokenRejected.value = true;
  const text = await response.text();
  if (!response.ok) throw new ApiError(response.status, problemOf(response.status, text));
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

export function authorization(): Readonly<Record<string, string>> {
  return token.value === undefined ? {} : { Authorization: `Bearer ${token.value}` };
}

export function queryText(query: QueryParameters): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === "") continue;
    for (const element of typeof value === "object" ? value : [value]) search.append(name, String(element));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

function problemOf(status: number, text: string): Readonly<Record<string, unknown>> {
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem !== null) return problem as Record<string, unknown>;
  } catch {
    // A proxy has responded with its own text.
  }
  return { title: t("parts.refused", { status: String(status) }), detail: text.slice(0, 500) };
}
