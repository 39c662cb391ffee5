/**
 * Gap responses: the response to a request that needs something that the document does not show, by
 * default 501.
 */
import { partTitles, type PartName } from "../../syntax/nodes.ts";
import type { ServiceResponse } from "../http/message.ts";
import type { NotShown } from "../problem.ts";

export interface GapAnswer {
  readonly requestId: string;
  readonly file: string;
  readonly status: number;
}

/**
 * Creates the response to a gap. It is always RFC 9457 problem details, because it comes from the
 * engine and not from the document. `X-Should-Retry: false` means that the same request gets the
 * same response.
 */
export function notShownResponse(gap: NotShown, { requestId, file, status }: GapAnswer): ServiceResponse {
  const line = gap.position.start.line;
  const part = partTitles[gap.part as PartName] ?? gap.part;
  const { title, detail } = notShownText(gap, `(part "${part}", line ${line})`, file);
  const body = JSON.stringify({
    type: "about:blank",
    title,
    status,
    detail,
    part,
    item: gap.item,
    file,
    line,
    request_id: requestId,
  });
  return {
    status,
    headers: [
      ["Content-Type", "application/problem+json"],
      ["X-Should-Retry", "false"],
    ],
    body,
  };
}

function notShownText(
  { subject, ofModule }: NotShown,
  location: string,
  file: string,
): { readonly title: string; readonly detail: string } {
  if (ofModule) {
    const module = file.replace(/^.*[\\/]/, "").replace(/\.md$/i, ".ts");
    const why = ofModule.isThere
      ? `\`${ofModule.under}\` of ${module} next to the document doesn't export it`
      : `it has no module: export it from ${module} next to the document`;
    return {
      title: ofModule.under === "handlers" ? "No handler" : "No function",
      detail: `The document requires ${subject} ${location}, but ${why}.`,
    };
  }
  return {
    title: "Not shown",
    detail: `The document does not show ${subject} ${location}. Nothing is made up for it.`,
  };
}
