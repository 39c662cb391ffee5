/**
 * `duration`: a length of time in CEL's notation, `1m30s`; at run time a number of milliseconds.
 */
import { textType } from "./scalar-type.ts";

const form = /^([+-]?)((?:\d{1,15}(?:\.\d{1,9})?(?:h|ms|m|s|us|µs|ns))+)$/;
const partForm = /(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g;

/**
 * In nanoseconds, because the sum of the parts must be exact before it is tested for full
 * milliseconds.
 */
const unitsNs: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1000n,
  µs: 1000n,
  ns: 1n,
};

const millisecondNs = 1_000_000n;

/** Maximum length of a duration's text: nine parts with all digits. */
const lengthMax = 256;

/** Milliseconds. Undefined for an invalid duration or a finer fraction. */
function readDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const match = text.length <= lengthMax ? form.exec(text) : undefined;
  if (!match) return undefined;
  let sumNs = 0n;
  for (const [, amount, unit] of (match[2] as string).matchAll(partForm)) {
    const [integerPart = "0", fraction = ""] = (amount as string).split(".");
    const billionths = BigInt(integerPart) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"));
    const scaled = billionths * (unitsNs[unit as string] as bigint);
    if (scaled % 1_000_000_000n !== 0n) return undefined;
    sumNs += scaled / 1_000_000_000n;
  }
  if (sumNs % millisecondNs !== 0n) return undefined;
  const milliseconds = Number(sumNs / millisecondNs);
  if (!Number.isSafeInteger(milliseconds)) return undefined;
  return match[1] === "-" && milliseconds !== 0 ? -milliseconds : milliseconds;
}

export const duration = textType(
  "duration",
  {
    refusal: "must be a duration in whole milliseconds, such as 1m30s",
    sentence: "a length of time",
    schema: { type: "string", pattern: "^[+-]?(\\d+(\\.\\d+)?(h|m|s|ms|us|ns))+$" },
  },
  readDuration,
);
