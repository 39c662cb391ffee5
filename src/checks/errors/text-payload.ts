/**
 * Part 7: a media type other than JSON needs a payload that is a text. A map, or problem details,
 * would be JSON under another name.
 */
import { isJsonType, parseMediaType } from "../../model/endpoints/media-type.ts";
import type { ErrorRow, Model } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const textPayload: Check = (model, reporter) => {
  const { errors } = model;
  const reported = new Set<string>();
  for (const row of errors.rows) {
    const mediaType = row.mediaType ?? errors.mediaType;
    if (mediaType === undefined || isJsonType(parseMediaType(mediaType)?.type ?? "")) continue;
    if (row.empty || (errors.empty && row.payload === undefined) || isText(model, row)) continue;
    const position = row.mediaType === undefined ? (errors.payload?.position ?? row.position) : row.position;
    const key = `${position.start.offset} ${mediaType}`;
    if (reported.has(key)) continue;
    reported.add(key);
    reporter.report("errors/text-payload", position, { mediaType });
  }
};

function isText({ errors, shapes }: Model, row: ErrorRow): boolean {
  const bodyOf = (name: string) => shapes.find((shape) => shape.name === name)?.body.node;
  const stated = errors.payload?.node;
  const node =
    row.payload === undefined
      ? stated?.op === "shape"
        ? bodyOf(stated.shape)
        : stated
      : bodyOf(row.payload);
  const kind = node?.type.kind;
  // A value of unknown type may be a text.
  return kind === "string" || kind === "any";
}
