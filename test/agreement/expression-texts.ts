/**
 * Random expressions of a given type over the zoo (`zoo.md`), as text, so that a failing one can be
 * read.
 */
import { functions } from "../../src/expressions/functions/index.ts";
import type { Type } from "../../src/expressions/type.ts";

export type Wanted =
  | "boolean"
  | "integer"
  | "number"
  | "decimal"
  | "string"
  | "timestamp"
  | "date"
  | "duration"
  | "strings"
  | "integers"
  | "map"
  | "json";

type Random = () => number;

/** Creates a sequence of numbers from 0 to 1 that depends on a seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const wantedTypes: readonly Wanted[] = [
  "boolean",
  "boolean",
  "integer",
  "number",
  "decimal",
  "string",
  "timestamp",
  "date",
  "duration",
  "strings",
  "integers",
  "map",
  "json",
];

/** The names of records and lists in an expression under construction. */
interface Names {
  readonly animals: readonly string[];
  readonly cages: readonly string[];
  readonly keepers: readonly string[];
  readonly pens: readonly string[];
  readonly feedings: readonly string[];
  readonly meals: readonly string[];
  readonly texts: readonly string[];
  readonly integers: readonly string[];
  readonly macros: number;
}

const outside: Names = {
  animals: ["this", "this", "this", "this.mother", "old"],
  cages: ["this.cage", "cage", "this.mother.cage"],
  keepers: ["caller", "this.cage.keeper", "caller.boss", "cage.keeper"],
  pens: ["this.pen", "pen", "this.pen.next", "this.fed.pen"],
  feedings: ["this.fed", "feeding", "this.mother.fed", "this.fed.last", "body.feeding"],
  meals: ["this.meal", "body.meal"],
  texts: ["body.text", "query.tag"],
  integers: ["body.number"],
  macros: 0,
};

/**
 * Creates an expression.
 * @param number the number of the expression; the first ones use every signature of every function
 * once, whatever the seed
 */
export function randomExpression(random: Random, number: number): string {
  const every = [...callables.values()].flat();
  // Each signature is used more than once, because not every expression can be bound.
  const callable = number < 3 * every.length ? every[number % every.length] : undefined;
  if (callable) return new Writer(random).call(callable, outside, 1);
  const wanted = pick(random, wantedTypes);
  return new Writer(random).write(wanted, 3, outside);
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

type Form = (names: Names, depth: number) => string;

/** Functions with their own syntax, and functions whose result differs each time. */
const ownForms: ReadonlySet<string> = new Set([
  "or",
  "merge",
  "pick",
  "min",
  "max",
  "same",
  "token",
  "hash credential",
]);

interface Callable {
  readonly name: string;
  readonly parameters: readonly Type[];
}

/**
 * Every signature of every function, by its result type. A new function is included without a
 * change here.
 */
const callables = new Map<string, Callable[]>();
for (const { name, deterministic, signatures } of functions) {
  if (!deterministic || ownForms.has(name)) continue;
  for (const { parameters, optional = 0, result } of signatures) {
    if (typeof result === "function") continue;
    // Optional parameters are omitted every other time.
    for (const left of optional > 0 ? [0, optional] : [0]) {
      const known = callables.get(result.kind) ?? [];
      known.push({ name, parameters: parameters.slice(0, parameters.length - left) });
      callables.set(result.kind, known);
    }
  }
}

/** Arguments that must be literals. */
const literals: Readonly<Record<string, Readonly<Record<number, readonly string[]>>>> = {
  matches: { 1: ['"^a"', '"[A-Z]"', '"😀$"', '"^$"'] },
  startOf: {
    0: ["year", "quarter", "month", "week", "day", "hour", "minute", "second"].map((unit) => `"${unit}"`),
  },
  hash: { 0: ['"sha1"', '"sha256"', '"sha512"', '"md5"'] },
  hmac: { 0: ['"sha1"', '"sha256"', '"sha512"'] },
  normalize: { 1: ['"NFC"', '"NFD"', '"NFKC"', '"NFKD"'] },
  fixed: { 1: ["0", "2", "7"] },
};

class Writer {
  readonly #random: Random;
  #variables = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  write(wanted: Wanted, depth: number, names: Names): string {
    const forms = depth > 0 && this.#random() < 0.8 ? this.#inner[wanted] : this.#leaves[wanted];
    return pick(this.#random, forms)(names, depth - 1);
  }

  #one<T>(from: readonly T[]): T {
    return pick(this.#random, from);
  }

  #w(wanted: Wanted): Form {
    return (names, depth) => this.write(wanted, depth, names);
  }

  #variable(): string {
    this.#variables += 1;
    return `v${this.#variables}`;
  }

  #animal = (names: Names) => this.#one(names.animals);
  #cage = (names: Names) => this.#one(names.cages);
  #keeper = (names: Names) => this.#one(names.keepers);
  #pen = (names: Names) => this.#one(names.pens);
  #feeding = (names: Names) => this.#one(names.feedings);
  #meal = (names: Names) => this.#one(names.meals);

  readonly #leaves: Readonly<Record<Wanted, readonly Form[]>> = {
    boolean: [
      (n) => `${this.#animal(n)}.tame`,
      () => "true",
      () => "false",
      (n) => `${this.#cage(n)}.deleted`,
      () => "body.flag",
      (n) => `${this.#meal(n)}.heavy`,
    ],
    integer: [
      (n) => `${this.#animal(n)}.${this.#one(["legs", "big", "age", "legs"])}`,
      () => this.#one(["0", "1", "2", "-3", "7", "9007199254740991"]),
      (n) => this.#one(n.integers),
      (n) => `${this.#cage(n)}.${this.#one(["size", "count", "revision"])}`,
      (n) => `${this.#keeper(n)}.salary`,
      (n) => `${this.#pen(n)}.${this.#one(["number", "number", "size", "animals"])}`,
      (n) => `${this.#feeding(n)}.pen.number`,
      (n) => `${this.#meal(n)}.grams`,
      (n) => `${this.#animal(n)}.counts.a`,
      (n) => `${this.#animal(n)}.scores[${this.#one(["0", "1", "5"])}]`,
    ],
    number: [
      (n) => `${this.#animal(n)}.weight`,
      () => this.#one(["0.5", "-1.25", "3.0", "1e3"]),
      (n) => `${this.#animal(n)}.ratios[0]`,
    ],
    decimal: [
      (n) => `${this.#animal(n)}.price`,
      () => this.#one(['decimal("1.50")', 'decimal("-0.001")', 'decimal("100")']),
      (n) => `${this.#meal(n)}.price`,
    ],
    string: [
      (n) =>
        `${this.#animal(n)}.${this.#one(["name", "nick", "pet", "id", "line", "kind", "mail", "link", "code"])}`,
      () => this.#one(['""', '"a"', '"A"', '"😀"', '"x-1"', '"q\\"uo"', '"ab"']),
      (n) => this.#one(n.texts),
      (n) => `${this.#cage(n)}.${this.#one(["code", "copy", "label"])}`,
      (n) => `${this.#one([this.#pen(n), `${this.#feeding(n)}.pen`])}.cage.${this.#one(["code", "label"])}`,
      (n) => `${this.#feeding(n)}.by.name`,
      (n) => `${this.#keeper(n)}.${this.#one(["name", "email"])}`,
      (n) => `${this.#meal(n)}.what`,
      (n) => `${this.#animal(n)}.names["a"]`,
      (n) => `${this.#animal(n)}.tags[0]`,
    ],
    timestamp: [
      (n) => `${this.#animal(n)}.born`,
      () => "now",
      (n) => `${this.#cage(n)}.opened`,
      () => 'timestamp("2026-11-20T10:00:00Z")',
      (n) => `${this.#meal(n)}.at`,
    ],
    date: [(n) => `${this.#animal(n)}.day`, () => 'date("2024-02-29")', (n) => `${this.#feeding(n)}.day`],
    duration: [(n) => `${this.#animal(n)}.nap`, () => 'duration("90m")', () => 'duration("1s")'],
    strings: [(n) => `${this.#animal(n)}.tags`, () => '["a", "b", "😀"]', () => "body.list", () => "[]"],
    integers: [(n) => `${this.#animal(n)}.scores`, () => "[3, 1, 2]", () => "body.numbers"],
    map: [(n) => `{"a": ${this.#animal(n)}.name}`, (n) => `${this.#animal(n)}.names`],
    json: [
      (n) => `${this.#animal(n)}.extra`,
      (n) => this.#meal(n),
      (n) => `${this.#animal(n)}.meals`,
      (n) => `${this.#animal(n)}.cage`,
      (n) => `${this.#animal(n)}.friends`,
      (n) => `${this.#animal(n)}.${this.#one(["rivals", "feasts"])}`,
      (n) => this.#one([this.#pen(n), this.#feeding(n), `${this.#pen(n)}.cage`]),
      (n) => `${this.#animal(n)}.${this.#one(["grid", "prices", "visits", "ratios", "counts"])}`,
    ],
  };

  #compared = (form: string): Form => {
    const types: readonly Wanted[] = [
      "integer",
      "number",
      "string",
      "timestamp",
      "date",
      "duration",
      "decimal",
    ];
    return (n, d) => {
      const type = this.#one(types);
      return `(${this.write(type, d, n)} ${form === "order" ? this.#one(["<", "<=", ">", ">="]) : this.#one(["==", "!="])} ${this.write(type, d, n)})`;
    };
  };

  /**
   * Returns a collection or a list, the index of the variable among the names, and the text before
   * the macro.
   */
  #through(
    names: Names,
    depth: number,
  ): { readonly of: string; readonly variable: string; readonly inner: Names } {
    const variable = this.#variable();
    const inner = { ...names, macros: names.macros + 1 };
    const filter = (of: string, within: Names) =>
      this.#random() < 0.4 && within.macros < 4
        ? `${of}.filter(${variable}, ${this.write("boolean", Math.min(depth, 1), within)})`
        : of;
    const kinds: readonly (() => { of: string; within: Names })[] = [
      () => ({ of: "Animal", within: { ...inner, animals: [variable, variable, ...names.animals] } }),
      () => ({
        of: `Animal.filter(${variable}, ${variable}.cage == ${this.#cage(names)})`,
        within: { ...inner, animals: [variable, variable, ...names.animals] },
      }),
      () => ({ of: "Cage", within: { ...inner, cages: [variable, variable, ...names.cages] } }),
      () => ({ of: "Pen", within: { ...inner, pens: [variable, variable, ...names.pens] } }),
      () => ({ of: "Feeding", within: { ...inner, feedings: [variable, variable, ...names.feedings] } }),
      () => ({
        of: `${this.#animal(names)}.feasts`,
        within: { ...inner, feedings: [variable, variable, ...names.feedings] },
      }),
      () => ({ of: "Keeper", within: { ...inner, keepers: [variable, variable, ...names.keepers] } }),
      () => ({
        of: `${this.#animal(names)}.meals`,
        within: { ...inner, meals: [variable, variable, ...names.meals] },
      }),
      () => ({
        of: `${this.#animal(names)}.friends`,
        within: { ...inner, animals: [variable, variable, ...names.animals] },
      }),
      () => ({
        of: `${this.#animal(names)}.tags`,
        within: { ...inner, texts: [variable, variable, ...names.texts] },
      }),
      () => ({
        of: this.write("strings", Math.min(depth, 1), names),
        within: { ...inner, texts: [variable, variable, ...names.texts] },
      }),
      () => ({
        of: this.write("integers", Math.min(depth, 1), names),
        within: { ...inner, integers: [variable, variable, ...names.integers] },
      }),
      () => ({
        of: `${this.#animal(names)}.counts`,
        within: { ...inner, texts: [variable, variable, ...names.texts] },
      }),
    ];
    const { of, within } = this.#one(kinds)();
    return { of: filter(of, within), variable, inner: within };
  }

  #macro(
    names: Names,
    depth: number,
    write: (of: string, variable: string, inner: Names) => string,
    otherwise: Wanted,
  ): string {
    if (names.macros >= 3) return this.write(otherwise, 0, names);
    const { of, variable, inner } = this.#through(names, depth);
    return write(of, variable, inner);
  }

  #extreme =
    (wanted: Wanted): Form =>
    (n, d) =>
      this.#macro(
        n,
        d,
        (of, x, inner) => `${of}.${this.#one(["min", "max"])}(${x}, ${this.write(wanted, d, inner)})`,
        wanted,
      );

  #sum =
    (wanted: Wanted): Form =>
    (n, d) =>
      this.#macro(n, d, (of, x, inner) => `${of}.sum(${x}, ${this.write(wanted, d, inner)})`, wanted);

  /** Returns a call of any function with that result type. */
  #call =
    (kind: string): Form =>
    (n, d) =>
      this.call(this.#one(callables.get(kind) as Callable[]), n, d);

  call({ name, parameters }: Callable, names: Names, depth: number): string {
    const args = parameters.map((type, at) => {
      const given = literals[name]?.[at];
      return given ? this.#one(given) : this.#argument(type, names, depth);
    });
    return `${name}(${args.join(", ")})`;
  }

  #argument(type: Type, names: Names, depth: number): string {
    switch (type.kind) {
      case "list":
        return this.write(
          this.#one(["strings", "strings", type.of.kind === "any" ? "integers" : "strings"]),
          depth,
          names,
        );
      case "map":
        return this.write("map", depth, names);
      case "bytes":
        return depth > 0 ? this.#call("bytes")(names, depth - 1) : `bytes(${this.write("string", 0, names)})`;
      case "password":
        return `${this.#animal(names)}.pass`;
      case "any":
        return this.write(this.#one(wantedTypes), depth, names);
      default:
        return this.write(type.kind as Wanted, depth, names);
    }
  }

  #choice =
    (wanted: Wanted): Form =>
    (n, d) =>
      `(${this.write("boolean", d, n)} ? ${this.write(wanted, d, n)} : ${this.write(wanted, d, n)})`;

  #either =
    (wanted: Wanted): Form =>
    (n, d) =>
      `or(${this.write(wanted, d, n)}, ${this.write(wanted, d, n)})`;

  #list =
    (wanted: Wanted): Form =>
    (n, d) =>
      this.#macro(
        n,
        d,
        (of, x, inner) => {
          const type = wanted === "strings" ? "string" : "integer";
          const sorted =
            this.#random() < 0.4
              ? `.sort(${x}, ${this.write(this.#one(["integer", "string", "timestamp", "decimal", "number"]), Math.min(d, 1), inner)})`
              : "";
          const after = this.#one([
            "",
            "",
            ".distinct()",
            ".sort()",
            ".distinct().sort()",
            `.filter(y, y ${this.#one(["!=", "==", "<"])} ${type === "string" ? '"ab"' : "3"})`,
          ]);
          return `${of}${sorted}.map(${x}, ${this.write(type, d, inner)})${inner.macros < 4 ? after : ""}`;
        },
        wanted,
      );

  readonly #inner: Readonly<Record<Wanted, readonly Form[]>> = {
    boolean: [
      this.#call("boolean"),
      this.#compared("equal"),
      this.#compared("order"),
      this.#compared("order"),
      (n, d) => `(${this.write("boolean", d, n)} && ${this.write("boolean", d, n)})`,
      (n, d) => `(${this.write("boolean", d, n)} || ${this.write("boolean", d, n)})`,
      (n, d) => `!(${this.write("boolean", d, n)})`,
      (n) => `(${this.#cage(n)} ${this.#one(["==", "!="])} ${this.#cage(n)})`,
      (n) => `(${this.#animal(n)} ${this.#one(["==", "!="])} ${this.#one(["null", this.#animal(n)])})`,
      (n, d) =>
        `(${this.write(this.#one(["string", "integer", "decimal", "strings", "number"]), d, n)} ${this.#one(["==", "!="])} null)`,
      (n, d) => `(${this.write("string", d, n)} in ${this.write("strings", d, n)})`,
      (n, d) => `(${this.write("integer", d, n)} in ${this.write("integers", d, n)})`,
      (n, d) => `(${this.write("string", d, n)} in ["a", "A", "x-1"])`,
      (n) => `("a" in ${this.#animal(n)}.names)`,
      (n, d) => `(${this.#animal(n)}.key ${this.#one(["==", "!="])} ${this.write("string", d, n)})`,
      (n) => `(${this.#animal(n)}.code == ${this.#animal(n)}.code)`,
      (n) => `(${this.#animal(n)} in ${this.#animal(n)}.friends)`,
      (n, d) => `(${this.write("decimal", d, n)} in ${this.#animal(n)}.prices)`,
      (n, d) =>
        `${this.write("string", d, n)}.${this.#one(["contains", "startsWith", "endsWith"])}(${this.write("string", d, n)})`,
      (n, d) => {
        const type = this.#one(["string", "integer", "timestamp", "decimal", "boolean"] as const);
        return `same(${this.write(type, d, n)}, ${this.write(type, d, n)})`;
      },
      (n, d) => `${this.write("string", d, n)}.matches("${this.#one(["^a", "[A-Z]", "😀$", "^$"])}")`,
      (n) => `has(${this.#animal(n)}.name)`,
      (n) => `has(${this.#meal(n)}.what)`,
      (n, d) =>
        this.#macro(
          n,
          d,
          (of, x, inner) =>
            `${of}.${this.#one(["exists", "all", "exists_one", "exists", "all"])}(${x}, ${this.write("boolean", d, inner)})`,
          "boolean",
        ),
      (n) => `(${this.#meal(n)} == ${this.#meal(n)})`,
      (n) => `(${this.#animal(n)}.tags == ${this.#animal(n)}.tags)`,
      (n) => `(${this.#animal(n)}.best == ${this.#animal(n)}.best)`,
      (n) => `Pair.exists(p, p == ${this.#animal(n)}.best)`,
      (n) => `(${this.#animal(n)}.best.one == ${this.#animal(n)})`,
      (n) =>
        `(${this.#pen(n)} ${this.#one(["==", "!="])} ${this.#one(["null", this.#pen(n), this.#pen(n)])})`,
      (n) => `(${this.#feeding(n)} ${this.#one(["==", "!="])} ${this.#feeding(n)})`,
      (n) => `(${this.#feeding(n)}.pen == ${this.#pen(n)})`,
      (n) => `(${this.#feeding(n)} in ${this.#animal(n)}.feasts)`,
      (n) => `(${this.#pen(n)} in [${this.#pen(n)}, ${this.#pen(n)}])`,
      (n) => `(${this.#pen(n)} in [{"cage": ${this.#cage(n)}, "number": 1}, ${this.#pen(n)}])`,
      (n) => `({"one": ${this.#animal(n)}, "other": ${this.#animal(n)}} in ${this.#animal(n)}.rivals)`,
      (n) => `has(${this.#pen(n)}.${this.#one(["number", "size", "cage"])})`,
      (n) =>
        `(${this.#pen(n)} == {"cage": ${this.#cage(n)}, "number": ${this.#one(["1", "2", "body.number"])}})`,
      (n) =>
        `(${this.#feeding(n)} == {"day": ${this.#feeding(n)}.day, "pen": {"number": 1, "cage": ${this.#cage(n)}}})`,
      this.#choice("boolean"),
    ],
    integer: [
      this.#call("integer"),
      (n, d) =>
        `(${this.write("integer", d, n)} ${this.#one(["+", "-", "*", "/", "%"])} ${this.write("integer", d, n)})`,
      (n, d) =>
        `(-${this.write("integer", 0, n).replace(/^-/, "")})`.replace(
          "(-",
          this.#random() < 0.9 || d < 0 ? "(0 - " : "(-",
        ),
      (n) => `(-${this.#animal(n)}.legs)`,
      (n, d) => `size(${this.write(this.#one(["string", "strings", "integers"]), d, n)})`,
      (n, d) =>
        this.#macro(
          n,
          d,
          (of, x, inner) => `${of}.count(${x}, ${this.write("boolean", d, inner)})`,
          "integer",
        ),
      (n, d) => this.#macro(n, d, (of) => `${of}.count()`, "integer"),
      this.#sum("integer"),
      this.#extreme("integer"),
      (n, d) => `${this.#one(["round", "floor", "ceil"])}(${this.write("number", d, n)})`,
      (n, d) => `abs(${this.write("integer", d, n)})`,
      (n, d) =>
        `${this.#one(["min", "max"])}(${this.write("integer", d, n)}, ${this.write("integer", d, n)})`,
      (n, d) => `int(${this.write(this.#one(["timestamp", "duration", "string", "number"]), d, n)})`,
      (n, d) =>
        `${this.write("timestamp", d, n)}.${this.#one(["getFullYear", "getMonth", "getHours", "getDayOfWeek", "getMilliseconds"])}()`,
      this.#choice("integer"),
      this.#either("integer"),
      (n, d) =>
        `Animal.${this.#one(["first", "last"])}(f, f.tame == ${this.write("boolean", Math.min(d, 1), n)}).legs`,
      (n, d) =>
        `${this.write("integers", d, n)}.${this.#one(["first()", "last()", "max()", "min()", "sum()"])}`,
      (n, d) => `${this.write("integers", d, n)}[${this.write("integer", 0, n)}]`,
    ],
    number: [
      this.#call("number"),
      (n, d) =>
        `(${this.write("number", d, n)} ${this.#one(["+", "-", "*", "/"])} ${this.write(this.#one(["number", "integer"]), d, n)})`,
      (n, d) => `double(${this.write(this.#one(["integer", "decimal", "string", "timestamp"]), d, n)})`,
      (n, d) => `abs(${this.write("number", d, n)})`,
      this.#sum("number"),
      this.#extreme("number"),
      this.#choice("number"),
      (n) => `${this.#animal(n)}.ratios.sum()`,
    ],
    decimal: [
      this.#call("decimal"),
      (n, d) =>
        `(${this.write("decimal", d, n)} ${this.#one(["+", "-", "*", "/"])} ${this.write(this.#one(["decimal", "integer"]), d, n)})`,
      (n, d) => `round(${this.write("decimal", d, n)})`,
      this.#sum("decimal"),
      this.#extreme("decimal"),
      this.#choice("decimal"),
      this.#either("decimal"),
      (n) => `${this.#animal(n)}.prices.${this.#one(["sum()", "min()", "max()", "first()"])}`,
    ],
    string: [
      this.#call("string"),
      (n, d) => `(${this.write("string", d, n)} + ${this.write("string", d, n)})`,
      (n, d) =>
        `${this.#one(["lower", "upper", "trim", "string", "urlEncode", "base64", "hex"])}(${this.write("string", d, n)})`,
      (n, d) =>
        `string(${this.write(this.#one(["integer", "number", "decimal", "boolean", "timestamp", "date", "duration"]), d, n)})`,
      (n, d) => `${this.write("string", d, n)}.replace("a", ${this.write("string", d, n)})`,
      (n, d) => `${this.write("string", d, n)}.substring(0, ${this.#one(["1", "2"])})`,
      (n, d) => `${this.write("strings", d, n)}.join("-")`,
      (n, d) => `fixed(${this.write(this.#one(["decimal", "number"]), d, n)}, 2)`,
      (n, d) => `hex(${this.#one(["hash", "hash"])}("sha256", ${this.write("string", d, n)}))`,
      (n, d) => `hex(hmac("sha1", "key", ${this.write("string", d, n)}))`,
      this.#extreme("string"),
      this.#choice("string"),
      this.#either("string"),
      (n, d) =>
        `Cage.${this.#one(["first", "last"])}(c, c.size != ${this.write("integer", Math.min(d, 1), n)}).label`,
      (n, d) =>
        this.#macro(
          n,
          d,
          (of, x, inner) =>
            `${of}.sort(${x}, ${this.write(this.#one(["integer", "string"]), Math.min(d, 1), inner)}).map(${x}, ${this.write("string", Math.min(d, 1), inner)})[${this.#one(["0", "1"])}]`,
          "string",
        ),
      (n) => `${this.#animal(n)}.best.note`,
      (n) => `${this.#animal(n)}.best.other.name`,
      (n, d) => `slug(${this.write("string", d, n)})`,
    ],
    timestamp: [
      this.#call("timestamp"),
      (n, d) => `(${this.write("timestamp", d, n)} ${this.#one(["+", "-"])} ${this.write("duration", d, n)})`,
      (n, d) =>
        `startOf("${this.#one(["year", "month", "week", "day", "hour"])}", ${this.write("timestamp", d, n)})`,
      (n, d) => `timestamp(${this.write(this.#one(["integer", "string"]), d, n)})`,
      this.#extreme("timestamp"),
      this.#choice("timestamp"),
      this.#either("timestamp"),
    ],
    date: [
      this.#call("date"),
      (n, d) => `(${this.write("date", d, n)} + ${this.write("duration", d, n)})`,
      (n, d) => `date(${this.write("timestamp", d, n)})`,
      this.#extreme("date"),
      this.#choice("date"),
    ],
    duration: [
      this.#call("duration"),
      (n, d) => `(${this.write("timestamp", d, n)} - ${this.write("timestamp", d, n)})`,
      (n, d) => `(${this.write("duration", d, n)} ${this.#one(["+", "-"])} ${this.write("duration", d, n)})`,
      (n, d) => `(${this.write("duration", d, n)} ${this.#one(["*", "/"])} ${this.write("integer", d, n)})`,
      this.#sum("duration"),
      this.#extreme("duration"),
      this.#choice("duration"),
    ],
    strings: [
      this.#list("strings"),
      this.#list("strings"),
      (n, d) => `[${this.write("string", d, n)}, ${this.write("string", d, n)}]`,
      (n, d) => `(${this.write("strings", d, n)} + ${this.write("strings", d, n)})`,
      (n, d) => `${this.write("string", d, n)}.split("${this.#one(["-", ""])}")`,
      (n, d) => `${this.write("strings", d, n)}.${this.#one(["distinct", "sort"])}()`,
      () => "Animal.map(m, m.tags).flatten().distinct()",
      (n) => `Animal.filter(m, m.mother == ${this.#animal(n)}).map(m, m.tags).flatten()`,
      () => "Animal.map(m, m.mother.tags).flatten()",
      this.#choice("strings"),
    ],
    integers: [
      this.#list("integers"),
      this.#list("integers"),
      (n, d) => `[${this.write("integer", d, n)}, ${this.write("integer", d, n)}]`,
      (n) => `${this.#animal(n)}.grid.flatten()`,
      (n, d) => `${this.write("integers", d, n)}.${this.#one(["distinct", "sort"])}()`,
      this.#choice("integers"),
    ],
    map: [
      (n, d) =>
        `{"a": ${this.write("json", d, n)}, "b?": ${this.write(this.#one(["string", "integer", "boolean", "timestamp"]), d, n)}, "c": ${this.write("duration", d, n)}}`,
      (n, d) => `{"x?": ${this.write("string", d, n)}, "y?": ${this.write("decimal", d, n)}}`,
      (n) => `merge({"a": 1, "b": 2}, {"b?": ${this.#animal(n)}.legs})`,
      (n, d) => `pick({"a": ${this.write("timestamp", d, n)}, "b": 2, "c": null}, ["c", "a"])`,
      (n, d) => `pick(CageCard(${this.#cage(n)}), ${this.write("strings", d, n)})`,
      (n, d) => `${this.write("strings", d, n)}.toMap(t, t, size(t))`,
      () => "Animal.toMap(m, m.name, m.legs)",
      (n) => `${this.#one(["Card", "Long", "Animal"])}(${this.#animal(n)})`,
      (n) => `CageCard(${this.#cage(n)})`,
      (n) => `${this.#one([`Pen(${this.#pen(n)})`, `Feeding(${this.#feeding(n)})`])}`,
      (n, d) => `merge(CageCard(${this.#cage(n)}), ${this.write("map", d, n)})`,
      this.#choice("map"),
    ],
    json: [
      this.#w("map"),
      (n, d) =>
        this.#macro(
          n,
          d,
          (of, x, inner) => `${of}.map(${x}, ${this.write("map", Math.min(d, 1), inner)})`,
          "json",
        ),
      (n, d) =>
        this.#macro(
          n,
          d,
          (of, x, inner) =>
            `${of}.map(${x}, ${this.write(this.#one(["decimal", "number", "timestamp", "boolean", "duration", "json"]), Math.min(d, 1), inner)})`,
          "json",
        ),
      (n, d) => `[${this.write("json", d, n)}, ${this.write("boolean", d, n)}]`,
      (n, d) => this.#macro(n, d, (of) => `${of}.${this.#one(["first()", "last()", "distinct()"])}`, "json"),
      () => "token(this)",
      (n, d) =>
        this.#macro(
          n,
          d,
          (of, x, inner) =>
            `${of}.map(${x}, ${this.write("map", Math.min(d, 1), inner)}).${this.#one(["distinct()", "first()", "last()", "filter(m, m != null)", "count()"])}`,
          "json",
        ),
      (n, d) =>
        this.#macro(
          n,
          d,
          (of, x, inner) =>
            `${of}.map(${x}, {"token": token(this), "of": ${this.write("json", Math.min(d, 1), inner)}})`,
          "json",
        ),
      (n) => `shape(${this.#cage(n)})`,
      (n) => `shape(${this.#animal(n)}.best)`,
      (n) => `${this.#animal(n)}.best`,
      () => "Pair.first()",
      (n) => `or(${this.#pen(n)}, ${this.#pen(n)})`,
      () => `Animal.map(m, m.${this.#one(["pen", "fed", "best"])}).distinct()`,
      (n) => `Animal.filter(m, m.pen == ${this.#pen(n)}).map(m, {"pen": m.pen, "fed": m.fed.last})`,
      (n) => `${this.#animal(n)}.extra.a`,
      (n) => `${this.#animal(n)}.mother.cage.keeper.boss`,
    ],
  };
}
