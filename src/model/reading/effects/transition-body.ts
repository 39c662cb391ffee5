/**
 * Type of `body` in a transition: the body inputs of all endpoints that fire it, and the names of
 * every `do … with name = …`. A `with` may read the `body` of another transition, so the types are
 * computed in rounds until nothing changes.
 */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { join } from "../../../expressions/relations.ts";
import type { Vocabulary } from "../../../expressions/scope.ts";
import type { Type } from "../../../expressions/type.ts";

/** A use of a transition, and the content of `body` there. */
export interface TransitionUse {
  readonly resource: string;
  readonly transition: string;
  /** Names and types. Absent if they are unknown, because the body is not shown. */
  readonly inputs?: Readonly<Record<string, Type>>;
}

/** Finds uses. It may bind expressions, so it runs silently, and again in every round. */
export type TransitionUses = () => readonly TransitionUse[];

export interface TransitionBodies {
  add(uses: readonly TransitionUses[]): void;
  bodyOf(resource: string, transition: string): Type;
}

/**
 * A chain of `with`s that read each other is resolved after as many rounds as it is long. Longer
 * chains keep the types found so far.
 */
const roundsMax = 5;

/** A body of which nothing is known, so that every name may be read. */
const unknownBody: Type = { kind: "object", fields: {}, open: true };

export function createTransitionBodies(reporter: Reporter, vocabulary: Vocabulary): TransitionBodies {
  const uses: TransitionUses[] = [];
  let bodies: ReadonlyMap<string, Type> = new Map();
  let isCurrent = true;

  const resolve = (): void => {
    // Set first, because uses that bind expressions need the types of the previous round.
    isCurrent = true;
    reporter.silently(() => {
      for (let round = 0; round < roundsMax; round += 1) {
        const next = mergeUses(
          uses.flatMap((find) => find()),
          vocabulary,
        );
        const same =
          next.size === bodies.size && [...next].every(([name, type]) => sameType(type, bodies.get(name)));
        bodies = next;
        if (same) return;
      }
    });
  };

  return {
    add(more) {
      if (more.length === 0) return;
      uses.push(...more);
      isCurrent = false;
    },
    bodyOf(resource, transition) {
      if (!isCurrent) resolve();
      return bodies.get(`${resource}.${transition}`) ?? unknownBody;
    },
  };
}

function mergeUses(uses: readonly TransitionUse[], vocabulary: Vocabulary): ReadonlyMap<string, Type> {
  const bodies = new Map<string, { readonly fields: Map<string, Type>; open: boolean }>();
  for (const { resource, transition, inputs } of uses) {
    const name = `${resource}.${transition}`;
    const body = bodies.get(name) ?? { fields: new Map<string, Type>(), open: false };
    bodies.set(name, body);
    if (!inputs) body.open = true;
    for (const [input, type] of Object.entries(inputs ?? {})) {
      const known = body.fields.get(input);
      body.fields.set(input, known ? join(known, type, vocabulary) : type);
    }
  }
  return new Map([...bodies].map(([name, body]) => [name, objectOf(body.fields, body.open)]));
}

/** An open body may contain any name that it doesn't list. */
function objectOf(fields: ReadonlyMap<string, Type>, open: boolean): Type {
  return { kind: "object", fields: Object.fromEntries(fields), ...(open ? { open } : {}) };
}

/** Whether two types are equal. Types are small plain data whose members have a fixed order. */
function sameType(a: Type, b: Type | undefined): boolean {
  return b !== undefined && (a === b || JSON.stringify(a) === JSON.stringify(b));
}
