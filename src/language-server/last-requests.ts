/** The last requests to an endpoint of a running service, from its operations address. */
import type { RequestsResponse } from "../admin/api/requests/requests.ts";
import { machine } from "../support/machine.ts";
import type { Outcome } from "./run.ts";

/** The operations address of a service. */
export interface ServedAt {
  /** `http://127.0.0.1:9464` */
  readonly url: string;
  readonly token: string | undefined;
}

/** Maximum number of requests in an answer. */
const shownMax = 10;

/** The timeout of the service's response, in milliseconds. */
const timeoutMs = 5000;

/** @param endpoint the text of its heading: `POST /parcels` */
export async function lastRequests({ url, token }: ServedAt, endpoint: string): Promise<Outcome> {
  const [method = ""] = endpoint.split(" ", 1);
  const timeout = new AbortController();
  const stopClock = machine.after(timeoutMs, () => timeout.abort(), true);
  try {
    const response = await fetch(new URL(`/api/requests?method=${method}&limit=100`, url), {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      signal: timeout.signal,
    });
    if (response.status === 401)
      return failed(
        `${url} requires the token in NINEFOLD_OPERATIONS_TOKEN. Set it where the editor starts.`,
      );
    const answer: unknown = response.ok ? await response.json() : undefined;
    if (!isRequests(answer))
      return failed(`${url} answered ${response.status}. Write the operations address of a service.`);
    const own = answer.requests.filter((row) => row.endpoint === endpoint).slice(0, shownMax);
    if (own.length === 0) return { isPassed: true, text: `${endpoint} had no request so far.` };
    return { isPassed: true, text: own.map(describe).join("\n") };
  } catch (error) {
    return failed(`${url} can't be reached: ${error instanceof Error ? error.message : String(error)}.`);
  } finally {
    stopClock();
  }
}

function isRequests(answer: unknown): answer is RequestsResponse {
  return (
    typeof answer === "object" && answer !== null && "requests" in answer && Array.isArray(answer.requests)
  );
}

function failed(text: string): Outcome {
  return { isPassed: false, text };
}

function describe({
  time,
  method,
  path,
  status,
  condition,
  line,
}: RequestsResponse["requests"][number]): string {
  const reason = condition === null ? "" : `  ${condition}${line === null ? "" : `, line ${line}`}`;
  return `${time}  ${method} ${path}  ${status}${reason}`;
}
