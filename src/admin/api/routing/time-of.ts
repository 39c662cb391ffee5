/** Timestamp input of the operations API. */
import { readRfc3339 } from "../../../fields/types/timestamp.ts";
import { badRequest } from "./refusal.ts";

/** Parses a timestamp to milliseconds since 1970. @throws OperationRefusal */
export function timeOf(field: string, text: string): number {
  const read = readRfc3339(text);
  const message = `"${field}" is a timestamp such as 2026-12-01T00:00:00Z.`;
  if (read === undefined) throw badRequest(message, [{ field, message }]);
  return Date.parse(read);
}
