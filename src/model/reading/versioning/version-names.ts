/**
 * Names of each version: those of the document with the changes of all later versions undone. A
 * change refers to the version in which it was made, and a field that it names may have been
 * renamed again, or removed, since.
 */
import { type Type, types } from "../../../expressions/type.ts";
import { nonNull } from "../../../support/non-null.ts";
import { pathOf } from "../../versions/changes.ts";
import type { BuildContext } from "../any-part/context.ts";

interface Names {
  readonly all: Set<string>;
  readonly visible: Set<string>;
  /** The types that differ from the document, by path. Undefined if the path no longer exists. */
  readonly changed: Map<string, Type | undefined>;
}

export class VersionNames {
  readonly #declarations: BuildContext["declarations"];
  readonly #known = new Map<string, Names>();
  readonly subjects: readonly string[];

  constructor({ declarations }: BuildContext) {
    this.#declarations = declarations;
    this.subjects = [...new Set([...declarations.resources.keys(), ...declarations.shapes.keys()])];
  }

  /** Whether it is a resource or a shape of the document. */
  isSubject(subject: string): boolean {
    return this.#declarations.resources.has(subject) || this.#declarations.shapes.has(subject);
  }

  /** The fields and keys of a resource or shape in this version. */
  namesOf(subject: string): ReadonlySet<string> {
    return this.#of(subject).all;
  }

  /** Whether responses of this version have a field or a part of that name. */
  isVisible(subject: string, name: string): boolean {
    const [first, ...parts] = pathOf(name);
    const isVisibleName = this.#of(subject).visible.has(first);
    if (!isVisibleName || parts.length === 0) return isVisibleName;
    // What isn't shown may or may not exist.
    const type = this.#typeIn(subject, [first, ...parts], this.#shapeType(subject) ? "shape" : "fields");
    return type !== undefined && type.kind !== "any";
  }

  /** The type of a field, of a part (`lines[].sku`) or of a key of a shape in this version. Undefined if it doesn't exist. */
  typeOf(subject: string, name: string): Type | undefined {
    const path = pathOf(name);
    return this.#typeIn(subject, path, "fields") ?? this.#typeIn(subject, path, "shape");
  }

  /** Whether the subject may have unknown names, because its shape is open or not shown. */
  isOpen(subject: string): boolean {
    if (this.#declarations.resources.get(subject)?.gap) return true;
    const type = this.#shapeType(subject);
    return type !== undefined && (type.kind !== "object" || type.open === true);
  }

  /** Goes back to the previous version, which has `before` with that type and doesn't have `name`. */
  undo(subject: string, name: string | undefined, before: string | undefined, type: Type = types.any): void {
    const { all, visible, changed } = this.#of(subject);
    for (const names of [all, visible]) {
      if (name !== undefined) names.delete(name);
      if (before !== undefined) names.add(before);
    }
    const now = name === undefined ? undefined : pathOf(name).join(".");
    const then = before === undefined ? undefined : pathOf(before).join(".");
    if (now !== undefined) {
      for (const [path, type] of [...changed]) {
        if (!path.startsWith(`${now}.`)) continue;
        changed.delete(path);
        if (then !== undefined) changed.set(then + path.slice(now.length), type);
      }
      changed.set(now, undefined);
    }
    if (then !== undefined) changed.set(then, type);
  }

  #shapeType(subject: string): Type | undefined {
    return this.#declarations.vocabulary.shape(subject)?.type();
  }

  #read(subject: string): Names {
    const fields = [...(this.#declarations.vocabulary.resource(subject)?.fields.values() ?? [])];
    const type = this.#shapeType(subject);
    const keys =
      type?.kind === "object" ? Object.keys(type.fields).map((key) => key.replace(/\?$/, "")) : undefined;
    const visible = fields.filter((field) => !field.hidden).map((field) => field.name);
    return {
      all: new Set([...fields.map((field) => field.name), ...(keys ?? [])]),
      // A shape replaces the default representation, so a field may be stored without being returned.
      visible: new Set(keys ?? (type ? [] : visible)),
      changed: new Map(),
    };
  }

  #of(subject: string): Names {
    const names = this.#known.get(subject) ?? this.#read(subject);
    this.#known.set(subject, names);
    return names;
  }

  #inShape(subject: string, path: readonly string[]): Type | undefined {
    const type = this.#shapeType(subject);
    return type?.kind === "object" ? typeWithin(type, path) : undefined;
  }

  #inFields(subject: string, [first = "", ...rest]: readonly string[]): Type | undefined {
    const field = this.#declarations.vocabulary.resource(subject)?.fields.get(first);
    return field && typeWithin(field.type, rest);
  }

  /** The type in this version. The most recent change decides. */
  #typeIn(subject: string, path: readonly string[], from: "fields" | "shape"): Type | undefined {
    const { changed } = this.#of(subject);
    for (let at = path.length; at > 0; at -= 1) {
      const outer = path.slice(0, at).join(".");
      if (!changed.has(outer)) continue;
      const type = changed.get(outer);
      return type && typeWithin(type, path.slice(at));
    }
    return from === "shape" ? this.#inShape(subject, path) : this.#inFields(subject, path);
  }
}

/** The type at a path within a value, including lists. The parts of a value are the fields of its resource. */
function typeWithin(type: Type, [first, ...rest]: readonly string[]): Type | undefined {
  if (first === undefined || type.kind === "any") return type;
  if (type.kind === "list") return typeWithin(type.of, [first, ...rest]);
  if (type.kind !== "object") return undefined;
  const part = [first, `${first}?`].find((key) => Object.hasOwn(type.fields, key));
  if (part !== undefined) return typeWithin(nonNull(type.fields[part]), rest);
  return type.open === true ? types.any : undefined;
}
