/**
 * Random expressions (CEL) of a requested type, over the names available at their place. An
 * expression may be invalid; lines in which `check` reports a mistake are removed from the
 * document.
 */
import { functions } from "../../src/expressions/functions/index.ts";
import { type Draft, type FieldDraft, resourceNamed, weighed } from "./draft.ts";

/** The names that an expression may use: the path, and the type at its end. */
export interface Named {
  readonly path: string;
  readonly field: FieldDraft;
}

export interface Place {
  readonly named: readonly Named[];
  /** Whether collections of records may be queried. */
  readonly hasStore: boolean;
}

export const recordOf = (path: string, resource: string): Named => ({
  path,
  field: { name: path, kind: "reference", type: resource, resource },
});

export const scalarOf = (path: string, kind: string): Named => ({
  path,
  field: { name: path, kind, type: kind },
});

const texts: ReadonlySet<string> = new Set(["string", "enum", "state", "uuid", "email", "uri", "credential"]);
const comparable = ["string", "integer", "number", "decimal", "timestamp", "date", "duration"] as const;

interface Callable {
  readonly name: string;
  readonly parameters: readonly string[];
}

/** Every function from plain values to a plain value, by the type of its result. */
const callables = new Map<string, Callable[]>();
for (const { name, deterministic, signatures } of functions) {
  if (
    !deterministic ||
    name.includes(" ") ||
    ["token", "verify", "fixed", "startOf", "matches", "normalize"].includes(name)
  )
    continue;
  for (const { parameters, result } of signatures) {
    if (typeof result === "function") continue;
    const known = callables.get(result.kind) ?? [];
    known.push({ name, parameters: parameters.map((parameter) => parameter.kind) });
    callables.set(result.kind, known);
  }
}

export function expression(draft: Draft, place: Place, kind: string, depth = 2): string {
  return new Writer(draft).write(kind, place, depth);
}

class Writer {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  get #draw() {
    return this.#draft.draw;
  }

  write(kind: string, place: Place, depth: number): string {
    if (depth <= 0 || this.#draw.happens(35)) return this.#leaf(kind, place);
    return this.#compound(kind, place, depth - 1);
  }

  #leaf(kind: string, place: Place): string {
    const paths = this.#paths(kind, place);
    if (paths.length > 0 && this.#draw.happens(75)) return this.#draw.oneOf(paths);
    return this.#literal(kind);
  }

  #paths(kind: string, place: Place): readonly string[] {
    const found: string[] = [];
    const visit = ({ path, field }: Named, depth: number): void => {
      if (fitsKind(field.kind, kind)) found.push(path);
      if (depth === 0) return;
      if (field.kind === "reference" || field.kind === "value")
        for (const part of resourceNamed(this.#draft, field.resource ?? "").fields)
          visit({ path: `${path}.${part.name}`, field: part }, depth - 1);
      if (field.kind === "object")
        for (const part of field.parts ?? []) visit({ path: `${path}.${part.name}`, field: part }, depth - 1);
      if (field.kind === "list" && field.of) visit({ path: `${path}[0]`, field: field.of }, depth - 1);
      if (field.kind === "map" && field.of) visit({ path: `${path}["k1"]`, field: field.of }, depth - 1);
    };
    for (const item of place.named) visit(item, 3);
    return found;
  }

  #literal(kind: string): string {
    const { oneOf } = this.#draw;
    switch (kind) {
      case "boolean":
        return oneOf(["true", "false"]);
      case "integer":
        return oneOf(["0", "1", "2", "-3", "7", "100"]);
      case "number":
        return oneOf(["0.5", "-1.25", "3.0", "1e3", "0.1"]);
      case "decimal":
        return oneOf(['decimal("1.50")', 'decimal("-0.001")', 'decimal("100")']);
      case "timestamp":
        return oneOf(["now", 'timestamp("2030-01-01T00:00:30Z")', 'now + duration("90s")']);
      case "date":
        return oneOf(['date("2024-02-29")', "date(now)"]);
      case "duration":
        return oneOf(['duration("90m")', 'duration("1s")', 'duration("0s")']);
      case "uuid":
        return "uuid()";
      case "strings":
        return oneOf(['["a", "b"]', '["hidden1"]', "[]"]);
      case "integers":
        return oneOf(["[3, 1, 2]", "[1]"]);
      case "json":
        return oneOf(['{"a": 1}', '["x", 2]', "3", '"t"', "0.1", "true"]);
      default:
        return oneOf(['"a"', '""', '"Zed"', '"ß"', '"😀"', '"x-1"', '"red"']);
    }
  }

  #compound(kind: string, place: Place, depth: number): string {
    const w = (of: string, where = place) => this.write(of, where, depth);
    const { draw } = { draw: this.#draw };
    const choice = (): string => `(${w("boolean")} ? ${w(kind)} : ${w(kind)})`;
    const common: (readonly [number, () => string])[] = [
      [1, choice],
      [1, () => `or(${w(kind)}, ${w(kind)})`],
      [2, () => this.#call(kind, place, depth)],
    ];
    if (place.hasStore) common.push([2, () => this.#ofCollection(kind, place, depth)]);
    const own: (readonly [number, () => string])[] = [];
    const compared = draw.oneOf(comparable);
    switch (kind) {
      case "boolean":
        own.push(
          [6, () => `${w(compared)} ${draw.oneOf(["==", "!=", "<", "<=", ">", ">="])} ${w(compared)}`],
          [2, () => `(${w("boolean")} ${draw.oneOf(["&&", "||"])} ${w("boolean")})`],
          [1, () => `!(${w("boolean")})`],
          [2, () => `${this.#leaf(compared, place)} ${draw.oneOf(["==", "!="])} null`],
          [1, () => `${w("string")} in ${w("strings")}`],
          [1, () => `${w("string")}.matches("${draw.oneOf(["^a", "[A-Z]", "^$", "1$"])}")`],
          [1, () => `same(${w(compared)}, ${w(compared)})`],
          [2, () => this.#recordsCompared(place)],
        );
        break;
      case "integer":
      case "number":
      case "decimal":
        own.push([4, () => `(${w(kind)} ${draw.oneOf(["+", "-", "*", "/"])} ${w(kind)})`]);
        own.push([1, () => `${draw.oneOf(["min", "max"])}(${w(kind)}, ${w(kind)})`]);
        break;
      case "timestamp":
        own.push([2, () => `${w("timestamp")} ${draw.oneOf(["+", "-"])} ${w("duration")}`]);
        own.push([
          1,
          () => `startOf("${draw.oneOf(["year", "month", "week", "day", "hour"])}", ${w("timestamp")})`,
        ]);
        break;
      case "duration":
        own.push([1, () => `(${w("timestamp")} - ${w("timestamp")})`]);
        break;
      case "string":
        own.push([3, () => `(${w("string")} + ${w("string")})`]);
        own.push([2, () => `string(${w(draw.oneOf(comparable))})`]);
        own.push([1, () => `fixed(${w("number")}, ${draw.oneOf(["0", "2"])})`]);
        break;
      case "json":
        return draw.happens(50)
          ? `{"a": ${w(compared)}, "b": ${w(draw.oneOf(comparable))}}`
          : draw.happens(50)
            ? this.write(draw.oneOf(["strings", "integers", ...comparable, "boolean"]), place, depth)
            : `[${w(compared)}, ${w(compared)}]`;
      default:
        break;
    }
    return weighed(draw, own.length > 0 && draw.happens(65) ? own : common)();
  }

  #recordsCompared(place: Place): string {
    const paths = this.#recordPaths(place);
    if (paths.length < 2) return "true";
    const item = this.#draw.oneOf(paths);
    const same = paths.filter(({ field }) => field.resource === item.field.resource);
    return `${item.path} ${this.#draw.oneOf(["==", "=="])} ${this.#draw.oneOf(same).path}`;
  }

  #recordPaths(place: Place): readonly Named[] {
    const found: Named[] = [];
    const visit = (item: Named, depth: number): void => {
      if (item.field.kind !== "reference") return;
      found.push(item);
      if (depth === 0) return;
      for (const field of resourceNamed(this.#draft, item.field.resource ?? "").fields)
        visit({ path: `${item.path}.${field.name}`, field }, depth - 1);
    };
    for (const item of place.named) visit(item, 1);
    return found;
  }

  #call(kind: string, place: Place, depth: number): string {
    const all = callables.get(kind === "strings" ? "list" : kind);
    if (!all) return this.#leaf(kind, place);
    const { name, parameters } = this.#draw.oneOf(all);
    const args = parameters.map((parameter) =>
      parameter === "list"
        ? this.write("strings", place, depth)
        : parameter === "map" || parameter === "any"
          ? this.write("json", place, depth)
          : name === "hash" || name === "hmac"
            ? '"sha256"'
            : parameter === "bytes"
              ? `bytes(${this.write("string", place, depth)})`
              : this.write(parameter, place, depth),
    );
    if (name === "hash") return `hash("sha256", ${this.write("string", place, depth)})`;
    if (name === "hmac") return `hmac("sha256", "k", ${this.write("string", place, depth)})`;
    return `${name}(${args.join(", ")})`;
  }

  /** An expression over the records of a resource, or over an available list. */
  #ofCollection(kind: string, place: Place, depth: number): string {
    this.#draft.variables += 1;
    const x = `v${this.#draft.variables}`;
    const { draw } = { draw: this.#draw };
    const lists = this.#lists(place);
    const list = lists.length > 0 && draw.happens(30) ? draw.oneOf(lists) : undefined;
    const resources = this.#draft.resources.filter((resource) => !resource.isValue);
    const resource = draw.oneOf(resources).name;
    const of = list?.path ?? resource;
    const element: Named = list?.field.of ? { path: x, field: list.field.of } : recordOf(x, resource);
    const inner: Place = { named: [element, element, ...place.named], hasStore: false };
    const w = (written: string) => this.write(written, inner, Math.min(depth, 1));
    // Most conditions compare a reference with an available value.
    const condition = (): string => {
      const own = list
        ? []
        : resourceNamed(this.#draft, resource).fields.filter((part) => part.kind === "reference");
      const field = own.length > 0 && draw.happens(60) ? draw.oneOf(own) : undefined;
      const there =
        field && this.#recordPaths(place).filter((path) => path.field.resource === field.resource);
      return field && there && there.length > 0
        ? `${x}.${field.name} == ${draw.oneOf(there).path}`
        : w("boolean");
    };
    const filtered = draw.happens(50) ? `${of}.filter(${x}, ${condition()})` : of;
    switch (kind) {
      case "boolean":
        return `${of}.${draw.oneOf(["exists", "exists", "all", "exists_one"])}(${x}, ${condition()})`;
      case "integer":
        return draw.happens(50)
          ? `${of}.count(${x}, ${condition()})`
          : `${filtered}.${draw.oneOf(["sum", "min", "max"])}(${x}, ${w("integer")})`;
      case "strings":
        return `${filtered}.map(${x}, ${w("string")})${draw.oneOf(["", ".distinct()", ".sort()"])}`;
      case "integers":
        return `${filtered}.map(${x}, ${w("integer")})`;
      case "number":
      case "decimal":
      case "duration":
        return `${filtered}.${draw.oneOf(["sum", "min", "max"])}(${x}, ${w(kind)})`;
      case "json":
        return `${filtered}${draw.oneOf(["", `.sort(${x}, ${w("string")})`])}.map(${x}, {"a": ${w("string")}, "b": ${w("integer")}})`;
      default: {
        const fields = list
          ? []
          : resourceNamed(this.#draft, resource).fields.filter((part) => fitsKind(part.kind, kind));
        return fields.length > 0 && draw.happens(60)
          ? `${of}.${draw.oneOf(["first", "last"])}(${x}, ${condition()}).${draw.oneOf(fields).name}`
          : `${filtered}.${draw.oneOf(["min", "max"])}(${x}, ${w(kind)})`;
      }
    }
  }

  #lists(place: Place): readonly Named[] {
    return place.named.flatMap(({ path, field }) => {
      if (field.kind === "list") return [{ path, field }];
      if (field.kind !== "reference" && field.kind !== "value") return [];
      return resourceNamed(this.#draft, field.resource ?? "")
        .fields.filter((part) => part.kind === "list")
        .map((part) => ({ path: `${path}.${part.name}`, field: part }));
    });
  }
}

function fitsKind(kind: string, wanted: string): boolean {
  if (kind === wanted) return true;
  if (wanted === "string") return texts.has(kind);
  if (wanted === "number") return kind === "integer";
  if (wanted === "strings") return kind === "list";
  if (wanted === "json")
    return ["list", "map", "object", "value", "reference", "json", "either"].includes(kind);
  return false;
}
