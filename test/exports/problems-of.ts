/**
 * Exchange problems: the violations of a document's exchanges by the OpenAPI files of its versions.
 */
import type { Model } from "../../src/model/model.ts";
import type { Recorded, Run } from "./documents.ts";
import type { Judge } from "./openapi-judge.ts";
import { exporter, versionsOf } from "./versions-of.ts";

export function problemsOf(model: Model, { exchanges }: Run, exportedBy = exporter): readonly string[] {
  const versions = versionsOf(model, exportedBy);
  return exchanges.flatMap((exchange) => wrongWith(versions.of(exchange.request), exchange));
}

function wrongWith(judges: readonly Judge[], { scenario, request, response }: Recorded): readonly string[] {
  // A preflight request belongs to no operation.
  if (request.method === "OPTIONS") return [];
  // A rejected request may violate a rule that no schema expresses. An accepted request must match
  // the schema.
  const sent = response.status < 400 ? least(judges, (judge) => judge.request(request)) : [];
  const answered = least(judges, (judge) => judge.response(request, response));
  return [...sent, ...answered].map(
    (problem) => `${scenario}: ${request.method} ${request.target}: ${problem}`,
  );
}

/** Returns the fewest violations, over all versions that the request may use. */
function least(
  judges: readonly Judge[],
  sendRequest: (judge: Judge) => readonly string[],
): readonly string[] {
  const reported = judges.map(sendRequest);
  return reported.find((problems) => problems.length === 0) ?? reported[0] ?? [];
}
