/** Invariant of pages: without changes, a client that reads page by page sees no record twice. */
import { identifierOf } from "../../tenancy/requests.ts";
import type { HttpRequest } from "../requests.ts";
import type { Played } from "../documents.ts";
import type { Answer } from "../world.ts";

/** Sends a request. Undefined if the world is idle and no response has arrived. */
export type Requesting = (request: HttpRequest) => Promise<Answer | undefined>;

/** The maximum number of pages read of one list. */
const pagesMax = 6;

/**
 * Reads a list in pages of one record each, and returns repeated records. The cursor of such a page
 * points to that record, so the next page must have another one.
 * @param answerTo sends the list request, without a cursor
 */
export async function repeatedOf(
  { model }: Played,
  request: HttpRequest,
  answerTo: Requesting,
): Promise<readonly string[]> {
  const endpoint = model.endpoints[request.endpoint];
  const { pagination } = endpoint ?? {};
  if (pagination?.kind !== "cursor" && pagination?.kind !== "identifier") return [];
  const { size } = pagination;
  const behind = pagination.after ?? ("at" in pagination ? pagination.at : undefined);
  if (size === undefined || behind === undefined) return [];
  const key = identifierOf(model, endpoint?.resource ?? "");
  if (key === undefined) return [];
  let requested = withQuery(request, { [size]: "1" });
  let shown = onlyOf(await answerTo(requested), key);
  for (let page = 0; shown && page < pagesMax; page += 1) {
    const former = shown;
    shown = undefined;
    for (const mark of pagination.kind === "identifier" ? [former.id] : former.marks) {
      requested = withQuery(request, { [size]: "1", [behind]: mark });
      const next = onlyOf(await answerTo(requested), key);
      if (next?.id === former.id)
        return [`${request.who} is shown ${former.id} again by GET ${requested.target}`];
      shown ??= next;
    }
  }
  return [];
}

function withQuery(request: HttpRequest, values: Readonly<Record<string, string>>): HttpRequest {
  const [path, query] = request.target.split("?");
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(values)) all.set(name, value);
  return { ...request, target: `${path}?${all}` };
}

interface Shown {
  readonly id: string;
  readonly marks: readonly string[];
}

/** The only record of a page, and its possible cursor. */
function onlyOf(answer: Answer | undefined, key: string): Shown | undefined {
  if (answer?.status !== 200 || answer.body === "") return undefined;
  const body: unknown = JSON.parse(answer.body);
  const items = Array.isArray(body) ? body : Object.values(body as object).find(Array.isArray);
  const id: unknown = items?.length === 1 ? items[0]?.[key] : undefined;
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  const links = answer.headers.filter(([name]) => name.toLowerCase() === "link").map(([, value]) => value);
  const marks = `${answer.body} ${links.join(" ")}`.match(/[\w-]{40,}={0,2}/g) ?? [];
  return { id: String(id), marks: marks.filter((mark) => mark !== id) };
}
