/**
 * Language coverage of random expressions: every kind of node, operator, macro and type, and every
 * signature of every function.
 */
import { functionNamed, functions, signatureFor } from "../../src/expressions/functions/index.ts";
import type { BinaryOperator, MacroName, Node } from "../../src/expressions/node.ts";
import { partsOfNode } from "../../src/expressions/nodes.ts";
import type { Vocabulary } from "../../src/expressions/scope.ts";
import { plainKinds, type Type } from "../../src/expressions/type.ts";

/** Functions that are not evaluated, each with its reason. */
const unasked: Readonly<Record<string, string>> = {
  random: "differs each time",
  randomBytes: "differs each time",
  uuid: "differs each time",
  uuidv7: "differs each time",
  sequence: "counts at each call, and is only evaluated for a record that is being created",
  "hash credential": "the engine's own, around what a credential is compared with",
  "map of entries": "our own, behind `toMap` (test/coverage/expressions.md, on both databases)",
  "map of keys":
    "our own, around maps that callers of older versions are shown (test/versions/shown.test.ts)",
};

/** Complete by its type: the compiler reports a new operator until it is in the list. */
const operators: Readonly<Record<BinaryOperator, true>> = {
  "+": true,
  "-": true,
  "*": true,
  "/": true,
  "%": true,
  "==": true,
  "!=": true,
  "<": true,
  "<=": true,
  ">": true,
  ">=": true,
  in: true,
};
const macros: Readonly<Record<MacroName, true>> = {
  filter: true,
  map: true,
  sort: true,
  first: true,
  last: true,
  exists: true,
  exists_one: true,
  all: true,
  count: true,
  sum: true,
  min: true,
  max: true,
  distinct: true,
  flatten: true,
};
/** Only the engine creates parameters. */
const ops: Readonly<Record<Exclude<Node["op"], "parameter">, true>> = {
  literal: true,
  fixed: true,
  named: true,
  local: true,
  field: true,
  index: true,
  has: true,
  not: true,
  negate: true,
  and: true,
  or: true,
  if: true,
  binary: true,
  list: true,
  map: true,
  call: true,
  key: true,
  collection: true,
  macro: true,
  shape: true,
  representation: true,
};
const furtherKinds: Readonly<Record<Exclude<Type["kind"], (typeof plainKinds)[number]>, true>> = {
  null: true,
  any: true,
  bytes: true,
  password: true,
  credential: true,
  enum: true,
  list: true,
  map: true,
  object: true,
  record: true,
  value: true,
  collection: true,
};

export interface Coverage {
  note(node: Node): void;
  /** Returns the parts of the language that no expression has used yet. */
  missing(): readonly string[];
}

export function createCoverage(words: Vocabulary): Coverage {
  const reached = new Set<string>();
  const note = (node: Node): void => {
    reached.add(`node ${node.op}`);
    reached.add(`type ${node.type.kind}`);
    if (node.op === "binary") reached.add(`operator ${node.operator}`);
    if (node.op === "macro") reached.add(`macro ${node.macro}`);
    if (node.op === "call") {
      const definition = functionNamed(node.function);
      const given = node.args.map((arg) => arg.type);
      const signature = definition && signatureFor(definition, given, words);
      if (definition && signature)
        reached.add(`${node.function} ${definition.signatures.indexOf(signature)}`);
    }
    for (const part of partsOfNode(node)) note(part);
  };
  return {
    note,
    missing() {
      const wanted = [
        ...Object.keys(ops).map((name) => `node ${name}`),
        ...[...plainKinds, ...Object.keys(furtherKinds)].map((name) => `type ${name}`),
        ...Object.keys(operators).map((name) => `operator ${name}`),
        ...Object.keys(macros).map((name) => `macro ${name}`),
        ...functions
          .filter(({ name }) => unasked[name] === undefined)
          .flatMap(({ name, signatures }) => signatures.map((_, at) => `${name} ${at}`)),
      ];
      return wanted.filter((key) => !reached.has(key));
    },
  };
}
