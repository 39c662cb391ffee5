/**
 * The names that each version has: those of the document, with the changes of all later versions undone. A change speaks of the
 * version in which it was made, and a field that it names may have been renamed again, or removed, since then.
 */
import type { Type } from "../../../expressions/type.ts";
import type { BuildContext } from "../any-part/context.ts";

export interface VersionNames {
  /** Is it a resource or shape of the document? */
  isSubject(subject: string): boolean;
  readonly subjects: readonly string[];
  /** Fields and keys of a resource or shape as they are in the version at hand. */
  namesOf(subject: string): ReadonlySet<string>;
  /** Of these, the ones that a caller of the version at hand gets to see. */
  shownBy(subject: string): ReadonlySet<string>;
  /** What a field is in the version at hand, or what a key of a shape holds; undefined where that isn't known. */
  typeOf(subject: string, name: string): Type | undefined;
  /** May the subject have names that aren't known, because its shape is open or not shown? */
  isOpen(subject: string): boolean;
  /** Goes back to the version before: `name` isn't there yet, `before` is, and is of that type. */
  undo(subject: string, name: string | undefined, before: string | undefined, type?: Type): void;
}

interface Names {
  readonly all: Set<string>;
  readonly shown: Set<string>;
  /** Of those that aren't what the document says under that name. */
  readonly types: Map<string, Type | undefined>;
}

export function createVersionNames({ declarations }: BuildContext): VersionNames {
  const { resources, shapes, vocabulary } = declarations;
  const known = new Map<string, Names>();
  const shapeType = (subject: string): Type | undefined => vocabulary.shape(subject)?.type();
  const read = (subject: string): Names => {
    const fields = [...(vocabulary.resource(subject)?.fields.values() ?? [])];
    const type = shapeType(subject);
    const keys =
      type?.kind === "object" ? Object.keys(type.fields).map((key) => key.replace(/\?$/, "")) : undefined;
    const visible = fields.filter((field) => !field.hidden).map((field) => field.name);
    return {
      all: new Set([...fields.map((field) => field.name), ...(keys ?? [])]),
      // A shape takes the place of the standing one, so that a field may be kept and yet be no longer shown.
      shown: new Set(keys ?? (type ? [] : visible)),
      types: new Map(),
    };
  };
  const of = (subject: string): Names => {
    const names = known.get(subject) ?? read(subject);
    known.set(subject, names);
    return names;
  };
  return {
    isSubject: (subject) => resources.has(subject) || shapes.has(subject),
    subjects: [...new Set([...resources.keys(), ...shapes.keys()])],
    namesOf: (subject) => of(subject).all,
    shownBy: (subject) => of(subject).shown,
    typeOf(subject, name) {
      const { types } = of(subject);
      if (types.has(name)) return types.get(name);
      const field = vocabulary.resource(subject)?.fields.get(name);
      if (field) return field.type;
      const type = shapeType(subject);
      return type?.kind === "object" && Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
    },
    isOpen(subject) {
      if (resources.get(subject)?.gap) return true;
      const type = shapeType(subject);
      return type !== undefined && (type.kind !== "object" || type.open === true);
    },
    undo(subject, name, before, type) {
      const { all, shown, types } = of(subject);
      for (const names of [all, shown]) {
        if (name !== undefined) names.delete(name);
        if (before !== undefined) names.add(before);
      }
      if (before !== undefined) types.set(before, type);
    },
  };
}
