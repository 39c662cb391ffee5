/** Inputs of `zoo.md`'s expressions, and the report of a disagreement. */
import { createReporter } from "../../src/diagnostics/diagnostic.ts";
import { bindExpression } from "../../src/expressions/bind.ts";
import type { Node } from "../../src/expressions/node.ts";
import type { Scope } from "../../src/expressions/scope.ts";
import { type Type, types } from "../../src/expressions/type.ts";
import { phraseOf } from "../../src/source/phrase.ts";
import { createSource } from "../../src/source/source.ts";
import type { Disagreement } from "./cases.ts";
import type { World } from "./world.ts";

/** Binds an expression; undefined if it has mistakes. */
export function boundIn(scope: Scope, text: string): Node | undefined {
  const source = createSource("random", text);
  return bindExpression(phraseOf(source, 0, text.length), scope, createReporter(source))?.node;
}

export function zooScope(world: World): Scope {
  const record = (resource: string): Type => ({ kind: "record", resource });
  const list = (of: Type): Type => ({ kind: "list", of });
  const { string, integer, boolean } = types;
  const body: Type = {
    kind: "object",
    fields: {
      text: string,
      number: integer,
      flag: boolean,
      list: list(string),
      numbers: list(integer),
      meal: { kind: "value", resource: "Meal" },
      feeding: record("Feeding"),
    },
  };
  return {
    fixed: {
      this: record("Animal"),
      old: record("Animal"),
      caller: record("Keeper"),
      body,
      query: { kind: "object", fields: { tag: string } },
      now: types.timestamp,
    },
    named: { cage: record("Cage"), pen: record("Pen"), feeding: record("Feeding") },
    locals: [],
    vocabulary: world.meaning.vocabulary,
  };
}

export function reported(text: string, disagreement: Disagreement): string {
  const [sql, functions] = [disagreement.fromSql, disagreement.fromFunctions].map((value) =>
    JSON.stringify(value),
  );
  return `${text}\n  ${disagreement.way}, row ${disagreement.row}\n  SQL       ${sql}\n  functions ${functions}\n  ${disagreement.sql}`;
}
