/** SQL fragments: parameters, quoting and size limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newFrame } from "../../expressions/evaluate.ts";
import { finishStatement, joined, parameter, parametersMax, quoted, quotedText, sql } from "./fragment.ts";
import { StatementTooLarge } from "../errors.ts";

const frame = newFrame({ now: () => 0 } as never, { now: "2026-11-20T10:00:00.000Z" });
const place = (number: number) => `?${number}`;

test("a parameter that occurs twice is bound once", () => {
  let statement = 0;
  const id = parameter("id", "text", () => {
    statement += 1;
    return "a";
  });
  const second = parameter("other", "integer", () => 2);
  const { text, bind } = finishStatement(sql`SELECT ${id} WHERE x = ${second} AND y = ${id}`, place);
  assert.equal(text, "SELECT ?1 WHERE x = ?2 AND y = ?1");
  assert.deepEqual(bind(frame), ["a", 2]);
  assert.equal(statement, 1);
});

test("names and texts of the document are quoted", () => {
  assert.equal(quoted('a"b'), '"a""b"');
  assert.equal(quotedText("O'Hara"), "'O''Hara'");
});

test("a statement with too many parameters is rejected", () => {
  const many = Array.from({ length: parametersMax + 1 }, (_, at) => parameter(`p${at}`, "integer", () => at));
  assert.throws(() => finishStatement(sql`SELECT ${joined(many, ", ")}`, place), StatementTooLarge);
});
