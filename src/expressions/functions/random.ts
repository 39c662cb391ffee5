/**
 * Functions with a new result at each call: random texts, identifiers, tokens. Their randomness
 * comes from the ports.
 */
import { Fault } from "../../support/invariant.ts";
import { types } from "../type.ts";
import type { ExpressionPorts, RecordValue, Value } from "../value.ts";
import { type FunctionDefinition, type LiteralMistake, signature } from "./definition.ts";

const { string, integer, bytes, any } = types;

/** Maximum number of characters or bytes of a call. */
const countMax = 1024;

const alphabet = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", (letter) =>
  letter.charCodeAt(0),
);

export const randomFunctions: readonly FunctionDefinition[] = [
  {
    name: "random",
    form: "function",
    deterministic: false,
    isNewEachTime: true,
    sentence: "This many random alphanumeric characters, with 5.95 bits each.",
    example: `"pcl_" + random(20)`,
    literals: count,
    signatures: [
      signature([integer], string, ([n], { ports }) => (isCount(n) ? randomText(n, ports) : null)),
    ],
  },
  {
    name: "randomBytes",
    form: "function",
    deterministic: false,
    isNewEachTime: true,
    sentence: "This many random bytes.",
    example: `"whsec_" + base64(randomBytes(24))`,
    literals: count,
    signatures: [signature([integer], bytes, ([n], { ports }) => (isCount(n) ? ports.randomBytes(n) : null))],
  },
  {
    name: "uuid",
    form: "function",
    deterministic: false,
    isNewEachTime: true,
    sentence: "A random UUID (version 4).",
    example: "uuid()",
    signatures: [signature([], { kind: "uuid" }, (_, { ports }) => uuidOf(ports.randomBytes(16), 4))],
  },
  {
    name: "uuidv7",
    form: "function",
    deterministic: false,
    isNewEachTime: true,
    sentence: "A UUID that starts with the time (version 7), so that later ones sort after earlier ones.",
    example: "uuidv7()",
    signatures: [signature([], { kind: "uuid" }, (_, { ports }) => timedUuid(ports))],
  },
  {
    name: "sequence",
    form: "function",
    deterministic: false,
    sentence:
      "1, 2, 3 … without gaps and never reused; with a record, a sequence of its own within that record.",
    example: "sequence(this.repository)",
    types: ([within]) => notRecord(within),
    signatures: [
      {
        parameters: [any],
        optional: 1,
        result: integer,
        // `bind.ts` accepts it only as a complete expression, so that the engine recognizes it and counts in the
        // store.
        evaluate: () => {
          throw new Fault("only the store can evaluate sequence()");
        },
      },
    ],
  },
  {
    name: "token",
    form: "function",
    deterministic: false,
    sentence: "A signed token that identifies a record, by the authentication scheme.",
    example: "token(this)",
    types: ([record]) => notRecord(record),
    signatures: [
      signature([any], string, ([record], { ports }, [type]) =>
        type?.kind === "record" ? ports.token(type.resource, record as RecordValue) : null,
      ),
    ],
  },
];

function notRecord(type: { readonly kind: string } | undefined): LiteralMistake | undefined {
  if (!type || type.kind === "record" || type.kind === "any" || type.kind === "null") return undefined;
  return { argument: 0, expected: "a record" };
}

function count([n]: readonly (Value | undefined)[]): LiteralMistake | undefined {
  if (typeof n !== "number" || isCount(n)) return undefined;
  return { argument: 0, expected: `a number from 1 to ${countMax}` };
}

function isCount(n: Value | undefined): n is number {
  return typeof n === "number" && Number.isInteger(n) && n >= 1 && n <= countMax;
}

/** A random text. Bytes from 248 on are discarded, because 248 is a multiple of 62, so that all characters are equally likely. */
export function randomText(length: number, ports: Pick<ExpressionPorts, "randomBytes">): string {
  // Built in one step: a text that grows by single characters would be a chain of strings.
  const characters: number[] = [];
  while (characters.length < length) {
    for (const byte of ports.randomBytes(length - characters.length + 8)) {
      if (byte < 248 && characters.length < length) characters.push(alphabet[byte % 62] as number);
    }
  }
  return String.fromCharCode(...characters);
}

/** By clock: the millisecond of the last UUID of version 7, and its counter within that millisecond. */
const lastTimed = new WeakMap<ExpressionPorts["now"], { ms: number; number: number }>();
/** Maximum of the 12 bits after the version, which count within a millisecond (RFC 9562, section 6.2, method 1). */
const countedMax = 0xfff;
const borrowedMsMax = 10;

/**
 * Later identifiers sort after earlier ones within a millisecond too: the number increases from a
 * random start.
 */
function timedUuid(ports: ExpressionPorts): string {
  const random = Uint8Array.from(ports.randomBytes(16));
  const now = Math.max(0, Math.trunc(ports.now()));
  const last = lastTimed.get(ports.now) ?? { ms: -1, number: 0 };
  // After the last counter of a millisecond, UUIDs continue with those of the next one.
  const isSame = now <= last.ms && last.ms - now <= borrowedMsMax;
  const isFull = isSame && last.number === countedMax;
  const first = (((random[6] as number) & 0x07) << 8) | (random[7] as number);
  last.ms = isSame ? last.ms + (isFull ? 1 : 0) : now;
  last.number = isSame && !isFull ? last.number + 1 : first;
  lastTimed.set(ports.now, last);
  let time = last.ms;
  for (let at = 5; at >= 0; at -= 1) {
    random[at] = time % 256;
    time = Math.floor(time / 256);
  }
  random[6] = last.number >> 8;
  random[7] = last.number & 0xff;
  return uuidOf(random, 7);
}

/** Sixteen bytes as a UUID of a version, RFC 9562. */
function uuidOf(random: Uint8Array, version: 4 | 7): string {
  const octets = Uint8Array.from(random);
  octets[6] = ((octets[6] as number) & 0x0f) | (version << 4);
  octets[8] = ((octets[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(octets, (octet) => octet.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
