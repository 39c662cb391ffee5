/**
 * Gaps that make an endpoint unanswerable (notation, "The 26 items"): it responds with 501 and
 * names the gap.
 */
import { positionIn } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { ItemName } from "../../../syntax/nodes.ts";
import type { Endpoint, Gap } from "../../model.ts";
import type { FieldType } from "../../../fields/type.ts";
import type { BuildContext } from "../any-part/context.ts";
import { doesAny, onlyStreams } from "./does.ts";
import { type EndpointItem, itemsWithGap, type PartItem, partItems } from "./items.ts";
import { partGap } from "./part.ts";
import type { EndpointReading } from "./reading.ts";
import type { ReadReturns } from "./responses/returns.ts";

/**
 * Reports the gaps of an endpoint. Returns the first that makes it unanswerable, and whether that
 * leaves enough to check a request.
 */
export function endpointGap(
  reading: EndpointReading,
  answers: ReadReturns,
  ctx: BuildContext,
): Pick<Endpoint, "gap" | "checksFirst"> {
  const { deeds, openBody, plan, name } = reading;
  const ofPart = partGaps(reading, answers, ctx);
  const ofDeeds = deedsGap(reading, ctx);
  const ofRequest = [
    ...ofPart,
    deeds.resource?.gap,
    plan.headings.find((heading) => heading.gap)?.gap,
    plan.records.find((record) => record.resource.gap)?.resource.gap,
    openBody && ctx.ledger.gap("endpoints", "payload shapes", openBody.subject, openBody.position),
    reading.openRow,
    ...openItems(reading, itemsWithGap("needed").filter(isNeededBy(reading)), ctx),
  ].filter((gap) => gap !== undefined);
  const ofOutcome = [
    reading.inputs.find((input) => input.gapOfAll)?.gapOfAll,
    ...openItems(reading, itemsWithGap("outcome"), ctx),
    answerGap(reading, answers, ctx),
  ];
  openItems(reading, itemsWithGap("dispensable"), ctx);
  const gap = [ofPart[0], ofDeeds, ofRequest[0], ...ofOutcome].find((found) => found !== undefined);
  if (!gap) return optionalGap(faultGap(reading, answers, name));
  return {
    gap,
    ...(ofRequest.length > 0 || deeds.faulty || reading.faultyInputs ? {} : { checksFirst: true }),
  };
}

function optionalGap(gap: Gap | undefined): Pick<Endpoint, "gap"> {
  return gap ? { gap } : {};
}

/** `Accepts` is needed if the endpoint has a body. */
function isNeededBy({ inputs, openBody }: EndpointReading): (key: EndpointItem) => boolean {
  const takesBody = openBody !== undefined || inputs.some(({ input }) => input.in === "body");
  return (key) => key !== "accepts" || takesBody;
}

/** Items of the part that are not shown and that reaching, reading or responding depends on. */
function partGaps(reading: EndpointReading, { returns }: ReadReturns, ctx: BuildContext): Gap[] {
  const { openPart, inputs } = reading;
  if (openPart.size === 0) return [];
  const answers = returns.some(({ kind }) => kind !== "nothing" && kind !== "error");
  const hasInput = (...places: readonly string[]) => inputs.some(({ input }) => places.includes(input.in));
  const hasTimes = [...ctx.declarations.resources.values()].some(({ fields }) =>
    [...fields.values()].some(({ type }) => holdsTimes(type)),
  );
  const required: Partial<Record<PartItem, boolean>> = {
    "base path": true,
    "media type": answers || hasInput("body"),
    "empty inputs": hasInput("body", "query"),
    "null fields": answers,
    timestamps: (answers && hasTimes) || inputs.some(({ input }) => holdsTimes(input.type)),
  };
  return partItemKeys.flatMap((key) => {
    const item = openPart.get(key);
    return item && required[key] ? [partGap(item, key, ctx)] : [];
  });
}

const partItemKeys = [...partItems.keys()];

function holdsTimes(type: FieldType): boolean {
  if (type.kind === "list" || type.kind === "map") return holdsTimes(type.of);
  return (
    type.kind === "timestamp" || (type.kind === "object" && type.parts.some((part) => holdsTimes(part.type)))
  );
}

/** The gap of a reported mistake in what the endpoint does or returns. It can't respond until the mistake is corrected. */
function faultGap({ deeds, section }: EndpointReading, answers: ReadReturns, name: string): Gap | undefined {
  if (!deeds.faulty && !answers.faulty) return undefined;
  const item = deeds.faulty ? "methods" : "payload shapes";
  return { part: "endpoints", item, subject: `${name} has a mistake`, position: positionIn(section.heading) };
}

function openItems(
  { items, stated, name }: EndpointReading,
  keys: readonly EndpointItem[],
  ctx: BuildContext,
): Gap[] {
  return keys.flatMap((key) =>
    items
      .all(key)
      .filter((item) => !stated(key).includes(item))
      .map((item) => {
        const ownerName = items.isOwn(key) ? name : "the endpoints";
        return ctx.ledger.gap(
          "endpoints",
          "methods",
          `"${item.key.text}" of ${ownerName}`,
          positionIn(item.value),
        );
      }),
  );
}

function deedsGap({ deeds, items, name, section }: EndpointReading, ctx: BuildContext): Gap | undefined {
  if (deeds.open) return ctx.ledger.gap("endpoints", "methods", deeds.open.subject, deeds.open.position);
  if (deeds.does.length > 0 || items.all("does").length > 0) return undefined;
  return silentGap(
    "methods",
    `what ${name} does`,
    positionIn(section.heading),
    "endpoints/silent-does",
    name,
    ctx,
  );
}

function answerGap(
  { items, deeds, name, section }: EndpointReading,
  answers: ReadReturns,
  ctx: BuildContext,
): Gap | undefined {
  const [first] = items.all("returns");
  const whole = first && answers.returns.length === 0 && !answers.faulty && !answers.open;
  const open = answers.open ?? (whole ? first.value : undefined);
  const subject = `the response of ${name}`;
  const sends = items.all("sends").length > 0;
  if (onlyStreams(deeds.does) && sends) return undefined;
  if (doesAny(deeds.does, "stream") && !sends) {
    return silentGap(
      "payload shapes",
      `what ${name} sends`,
      positionIn(section.heading),
      "endpoints/silent-sends",
      name,
      ctx,
    );
  }
  if (open) return ctx.ledger.gap("endpoints", "payload shapes", subject, positionIn(open));
  if (first) return undefined;
  return silentGap(
    "payload shapes",
    subject,
    positionIn(section.heading),
    "endpoints/silent-returns",
    name,
    ctx,
  );
}

/**
 * A gap that the text doesn't mention: the report has the line to add instead of the ledger's
 * message.
 */
function silentGap(
  item: ItemName,
  subject: string,
  position: Position,
  code: "endpoints/silent-does" | "endpoints/silent-returns" | "endpoints/silent-sends",
  endpoint: string,
  { ledger, reporter }: BuildContext,
): Gap {
  const { value } = reporter.silently(() => ledger.gap("endpoints", item, subject, position));
  reporter.report(code, position, { endpoint });
  return value;
}
