/** The endpoints of a document as a table: route, operation, access rule and line. */
import type { Allowed, Endpoint, Model } from "../../model/model.ts";
import { needsCaller } from "../../model/authentication/caller-type.ts";
import { columns } from "../sandbox/describe.ts";
import { createPaint } from "../../diagnostics/formats/paint.ts";
import { doesText } from "../../model/endpoints/does.ts";

export function routesTable(model: Model, { colour }: { readonly colour: boolean }): string {
  const paint = createPaint(colour);
  const base = model.endpointsPart.basePath.text.replace(/\/$/, "");
  const rows = model.endpoints.map((endpoint) => [
    endpoint.method,
    base + endpoint.path.text,
    endpoint.gap ? "not shown" : endpoint.does.map(doesText).join(" or "),
    openAccessSubject(model, endpoint),
    failures(endpoint),
    `line ${endpoint.position.start.line}`,
  ]);
  if (rows.length === 0) return "The document shows no endpoint.\n";
  const [head = "", ...lines] = columns([
    ["Method", "Path", "Does", "Allowed", "Fails", "At"],
    ...rows,
  ]).split("\n");
  return [paint("dim", head), ...lines].join("\n");
}

/**
 * The `Fails` lines of the part, of the path's records and of the endpoint, in the order of
 * evaluation.
 */
function failures({ records, fails }: Endpoint): string {
  const all = [...records.flatMap((record) => record.fails), ...fails];
  return all.map(({ code, when }) => `${code} when ${when.text}`).join("; ");
}

/**
 * Conditions as the author wrote them, each with its line: of the endpoint, its path or the part.
 */
function openAccessSubject(model: Model, endpoint: Endpoint): string {
  const all = endpoint.allowed.map((allowed: Allowed) => {
    const text = allowed.kind === "condition" ? allowed.condition.text : allowed.kind;
    return `${text} (line ${allowed.position.start.line})`;
  });
  return all.length > 0 ? all.join(" and ") : needsCaller(model, endpoint) ? "any caller" : "anyone";
}
