/**
 * What a description says of limits without stating one: headers of responses, and numbers in the
 * descriptions of these headers and of 429. A comment of part 8 keeps it.
 */
import type { Files } from "./files.ts";
import type { Operation } from "./operations.ts";
import { member, plainOf, textOf } from "./values.ts";

/** Maximum number of characters of a description that are searched. */
const searchedMax = 4000;
/** Maximum number of names and of phrases that are listed. */
const listedMax = 12;

/** The evidence, as the texts of one comment. Empty without any. */
export function seenLimits(files: Files, operations: readonly Operation[]): readonly string[] {
  const counts = new Map<string, number>();
  const names = new Map<string, string>();
  const rates = new Set<string>();
  const examples = new Set<string>();
  for (const { answers } of operations) {
    const own = new Set<string>();
    for (const { code, description, node } of answers) {
      if (code === "429") for (const rate of ratesIn(description)) rates.add(rate);
      for (const [name, written] of Object.entries(plainOf(node["headers"]))) {
        if (!isLimitHeader(name)) continue;
        const header = files.follow(written);
        const low = name.toLowerCase();
        own.add(low);
        if (!names.has(low)) names.set(low, name);
        for (const rate of ratesIn(textOf(member(header, "description")) ?? "")) rates.add(rate);
        if (
          low === "x-ratelimit-reset" &&
          /\b(epoch|unix)\b/i.test(textOf(member(header, "description")) ?? "")
        )
          examples.add("X-RateLimit-Reset is a Unix time");
        const value = member(header, "example") ?? member(member(header, "schema"), "example");
        if (/limit$/i.test(name) && Number.isSafeInteger(value))
          examples.add(`${name} example ${String(value)}`);
      }
    }
    for (const low of own) counts.set(low, (counts.get(low) ?? 0) + 1);
  }
  const byCount = Map.groupBy([...names].slice(0, listedMax), ([low]) => counts.get(low) ?? 0);
  return [
    ...[...byCount].map(
      ([count, found]) =>
        `${count} of ${operations.length} operations have ${found.map(([, name]) => name).join(", ")}`,
    ),
    ...[...examples].slice(0, listedMax),
    ...[...rates].slice(0, listedMax).map((rate) => `a description has "${rate}"`),
  ];
}

function isLimitHeader(name: string): boolean {
  return (
    /^[\w-]{1,64}$/.test(name) && (/^(x-)?rate-?limit(-[a-z]+)*$/i.test(name) || /^retry-after$/i.test(name))
  );
}

/** `5000 per hour` of "5,000 requests per hour". */
function ratesIn(text: string): readonly string[] {
  const found = text
    .slice(0, searchedMax)
    .matchAll(
      /(?<![\d,.])(\d[\d,]{0,11}) (?:(?:api )?(?:requests?|calls?) )?(?:per|an?|every) (second|minute|hour|day)\b/gi,
    );
  return [...found].map(
    ([, count = "", unit = ""]) => `${count.replaceAll(",", "")} per ${unit.toLowerCase()}`,
  );
}
