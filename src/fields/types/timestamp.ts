/**
 * `timestamp`: an instant, in the form that `Timestamps` of part 4 names. RFC 3339 is accepted with
 * any offset. Leap seconds and years after 9999 are rejected, because databases don't support them.
 * Digits beyond milliseconds are cut off.
 */
import type { Value } from "../../expressions/value.ts";
import { isWithoutZone } from "../../expressions/writing/wire.ts";
import type { Json } from "../../support/json.ts";
import { isCalendarDay, startOfDayMs, timestampOfMs } from "./calendar.ts";
import { Refusal, type ReadForm, type ScalarType } from "./scalar-type.ts";

const noRfc3339 = new Refusal("must be a timestamp such as 2026-11-20T10:00:00Z");
const noRfc2822 = new Refusal("must be a timestamp such as Fri, 20 Nov 2026 10:00:00 +0000");
const noZone = new Refusal("must be a timestamp such as 2026-11-20T10:00:00");
const noSeconds = new Refusal("must be a timestamp in whole seconds since 1970");
const noMilliseconds = new Refusal("must be a timestamp in whole milliseconds since 1970");

const rfc3339Form =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,20}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** The run-time form of an RFC 3339 text, or undefined. */
export function readRfc3339(text: string): string | undefined {
  const match = rfc3339Form.exec(text);
  if (!match) return undefined;
  const part = (index: number) => Number(match[index] ?? 0);
  if (!isCalendarDay(part(1), part(2), part(3)) || !isTimeOfDay(part(4), part(5), part(6))) return undefined;
  const offset = offsetMinutes(match[8], part(9), part(10));
  if (offset === undefined) return undefined;
  const fraction = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const minutes = part(4) * 60 + part(5) - offset;
  return timestampOfMs(
    startOfDayMs(part(1), part(2), part(3)) + minutes * 60_000 + part(6) * 1000 + fraction,
  );
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const rfc2822Form =
  /^(?:[A-Za-z]{3}, )?(\d{1,2}) ([A-Za-z]{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))? (?:GMT|UT|([+-])(\d\d)(\d\d))$/;

function readRfc2822(text: string): string | undefined {
  const match = rfc2822Form.exec(text);
  if (!match) return undefined;
  const part = (index: number) => Number(match[index] ?? 0);
  const month = months.indexOf((match[2] as string).toLowerCase()) + 1;
  if (!isCalendarDay(part(3), month, part(1)) || !isTimeOfDay(part(4), part(5), part(6))) return undefined;
  const offset = offsetMinutes(match[7], part(8), part(9));
  if (offset === undefined) return undefined;
  const minutes = part(4) * 60 + part(5) - offset;
  return timestampOfMs(startOfDayMs(part(3), month, part(1)) + minutes * 60_000 + part(6) * 1000);
}

function isTimeOfDay(hours: number, minutes: number, seconds: number): boolean {
  return hours <= 23 && minutes <= 59 && seconds <= 59;
}

function offsetMinutes(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (hours * 60 + minutes);
}

function readUnix(json: Json, unitMs: number, refusal: Refusal): Value | Refusal {
  if (typeof json !== "number" || !Number.isSafeInteger(json)) return refusal;
  return timestampOfMs(json * unitMs) ?? refusal;
}

function read(json: Json, form: ReadForm): Value | Refusal {
  if (form.timestamps === "unix seconds") return readUnix(json, 1000, noSeconds);
  if (form.timestamps === "unix milliseconds") return readUnix(json, 1, noMilliseconds);
  if (form.timestamps === "RFC 2822") {
    // Services that write RFC 2822 also accept RFC 3339, because the two forms can't be confused.
    return (typeof json === "string" ? (readRfc2822(json) ?? readRfc3339(json)) : undefined) ?? noRfc2822;
  }
  if (isWithoutZone(form.timestamps)) {
    // A text without a zone is in UTC. Another zone can be stated.
    return (typeof json === "string" ? (readRfc3339(`${json}Z`) ?? readRfc3339(json)) : undefined) ?? noZone;
  }
  return (typeof json === "string" ? readRfc3339(json) : undefined) ?? noRfc3339;
}

/** RFC 3339, whose zone may be absent. `date-time` requires one. */
const zoneOptional = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})?$";

const integerText = /^-?\d{1,16}$/;

export const timestamp: ScalarType = {
  kind: "timestamp",
  sentence: "a moment",
  read,
  readText: (text, form) =>
    read(form.timestamps.startsWith("unix") && integerText.test(text) ? Number(text) : text, form),
  schema: (form) => {
    if (form.timestamps.startsWith("unix")) return { type: "integer", format: "int64" };
    if (form.timestamps === "RFC 2822") return { type: "string" };
    return isWithoutZone(form.timestamps)
      ? { type: "string", pattern: zoneOptional }
      : { type: "string", format: "date-time" };
  },
};
