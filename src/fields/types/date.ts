/** `date`: a calendar day, `2026-11-20`. */
import { isCalendarDay } from "./calendar.ts";
import { textType } from "./scalar-type.ts";

const form = /^(\d{4})-(\d\d)-(\d\d)$/;

function readDate(text: string): string | undefined {
  const match = form.exec(text);
  return match && isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3])) ? text : undefined;
}

export const date = textType(
  "date",
  {
    refusal: "must be a date such as 2026-11-20",
    sentence: "a day",
    schema: { type: "string", format: "date" },
  },
  readDate,
);
