/** Native functions of PostgreSQL: those with exactly the notation's meaning. */
import type { Form } from "../../sql/form.ts";
import { type Sql, sql, textOf } from "../../sql/fragment.ts";
import { codePoints } from "./forms.ts";
import type { Native, Natives } from "../../sql/natives.ts";
import { textFunction, standardDialect } from "../../sql/standard-dialect.ts";
import { lowerFunction, upperFunction } from "./functions.ts";

export const natives: Natives = {
  ...standardDialect.natives,
  size: textFunction((text) => sql`length(${text})::bigint`),
  string: ([value], [form]) => textOfForm(value, form),
  contains: textFunction((text, part) => sql`(strpos(${text}, ${part}) > 0)`),
  startsWith: textFunction((text, part) => sql`starts_with(${text}, ${part})`),
  endsWith: textFunction((text, part) => sql`(right(${text}, length(${part})) = ${part})`),
  lower: textFunction((text) => sql`(${lowerFunction}(${text}) ${codePoints})`),
  upper: textFunction((text) => sql`(${upperFunction}(${text}) ${codePoints})`),
  substring: ([text, from, to], [form]) => (form === "text" ? substring(text, from, to) : undefined),
  int: ([value], [form]) => wholeOf(value, form),
  timestamp: ([value], [form]) =>
    form === "timestamp"
      ? value
      : form === "date"
        ? sql`((${value})::timestamp AT TIME ZONE 'UTC')`
        : undefined,
  date: ([value], [form]) =>
    form === "date" ? value : form === "timestamp" ? sql`(${inUtc(value)})::date` : undefined,
  duration: ([value], [form]) => (form === "duration" ? value : undefined),
  startOf: ([unit, at], [, form]) => startOf(unit, at, form),
  getFullYear: part("extract(year FROM #)"),
  getMonth: part("extract(month FROM #) - 1"),
  getDate: part("extract(day FROM #)"),
  getDayOfMonth: part("extract(day FROM #) - 1"),
  getDayOfWeek: part("extract(dow FROM #)"),
  getDayOfYear: part("extract(doy FROM #) - 1"),
  getHours: part("extract(hour FROM #)", "/ 3600000"),
  getMinutes: part("extract(minute FROM #)", "/ 60000"),
  getSeconds: part("floor(extract(second FROM #))", "/ 1000"),
  getMilliseconds: part("extract(milliseconds FROM #) % 1000", "% 1000"),
};

/**
 * Null if the range is outside the text. The notation counts positions from 0, PostgreSQL from 1.
 */
function substring(text: Sql, from: Sql, to: Sql | undefined): Sql {
  const last = to ?? sql`length(${text})::bigint`;
  return sql`(CASE WHEN ${from} >= 0 AND ${from} <= ${last} AND ${last} <= length(${text})
    THEN substr(${text}, ${place(from)} + 1, ${place(sql`${last} - ${from}`)}) END ${codePoints})`;
}

/**
 * Converts a position to an integer within the range of `substr`. The bounds prevent an error:
 * PostgreSQL evaluates constant operands before the condition that guards them.
 */
function place(value: Sql): Sql {
  return sql`(least(greatest(${value}, 0), 1000000000)::integer)`;
}

/**
 * Extracts a part of a moment, date or duration.
 * @param ofMoment SQL in which `#` is the value in UTC
 * @param ofDuration SQL after the duration; undefined if a duration doesn't have the part
 */
function part(ofMoment: string, ofDuration?: string): Native {
  const [before, after] = ofMoment.split("#") as [string, string];
  return ([value], [form]) => {
    if (form === "duration") return ofDuration === undefined ? undefined : sql`(${value} ${ofDuration})`;
    if (form !== "timestamp" && form !== "date") return undefined;
    return sql`(${before}${form === "timestamp" ? inUtc(value) : value}${after})::bigint`;
  };
}

function inUtc(timestamp: Sql): Sql {
  return sql`(${timestamp}) AT TIME ZONE 'UTC'`;
}

const unitForm = /^'(?:year|quarter|month|week|day|hour|minute|second)'::text$/;

function startOf(unit: Sql, at: Sql, form: Form): Sql | undefined {
  // A unit that comes from a request may be invalid.
  if (!unitForm.test(textOf(unit))) return undefined;
  if (form === "timestamp") return sql`(date_trunc(${unit}, ${inUtc(at)}) AT TIME ZONE 'UTC')`;
  return form === "date" ? sql`(date_trunc(${unit}, (${at})::timestamp))::date` : undefined;
}

function wholeOf(value: Sql, form: Form): Sql | undefined {
  switch (form) {
    case "integer":
      return value;
    case "duration":
      return sql`(${value} / 1000)`;
    case "timestamp":
      return sql`floor(extract(epoch FROM ${inUtc(value)}))::bigint`;
    default:
      return undefined;
  }
}

/** The text of a value, as `string` returns it; undefined if PostgreSQL can't write it. */
export function textOfForm(value: Sql, form: Form): Sql | undefined {
  switch (form) {
    case "text":
    case "decimal":
      return value;
    case "integer":
      return sql`((${value})::text ${codePoints})`;
    case "timestamp":
      return sql`(${isoTimestamp(value, `.MS"Z"`)} ${codePoints})`;
    case "date":
      return sql`(to_char(${value}, 'YYYY-MM-DD') ${codePoints})`;
    default:
      return undefined;
  }
}

/** A moment in standard form: up to the second, and then the fraction in `end`. */
export function isoTimestamp(timestamp: Sql, end: string): Sql {
  return sql`to_char(${timestamp} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS${end}')`;
}
