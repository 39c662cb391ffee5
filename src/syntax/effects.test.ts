/** Effect grammar: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReporter } from "../diagnostics/diagnostic.ts";
import { type Phrase, phraseOf, positionIn } from "../source/phrase.ts";
import { createSource } from "../source/source.ts";
import { type EffectSyntax, parseEffects } from "./effects.ts";

function parse(text: string) {
  const source = createSource("effects.md", text);
  const reporter = createReporter(source);
  const effects = parseEffects(phraseOf(source, 0, text.length), reporter);
  const reported = reporter.diagnostics.map(({ code, position, hint }) => ({
    code,
    text: text.slice(position.start.offset, position.end.offset),
    hint,
  }));
  return { effects, reported: reported };
}

/** Phrases as their texts, so that a whole effect can be compared. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if ("source" in value) return (value as Phrase).text;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (key === "phrase" ? [] : [[key, plain(inner)]])),
  );
}

function onlyEffect(text: string): unknown {
  const { effects, reported } = parse(text);
  assert.deepEqual(reported, []);
  assert.equal(effects.length, 1);
  return plain(effects[0]);
}

test("effects are separated by semicolons outside brackets and quotes, with or without backticks", () => {
  const { effects, reported } = parse('`a = "x; y"; b = now`; `c = [1, 2]`;');
  assert.deepEqual(reported, []);
  assert.deepEqual(
    effects.map((effect) => effect.phrase.text),
    ['a = "x; y"', "b = now", "c = [1, 2]"],
  );
});

test("the left side of an assignment is a field or a path, and may be called like a verb", () => {
  assert.deepEqual(onlyEffect("send = true when this.due"), {
    kind: "assign",
    path: ["send"],
    value: "true",
    when: "this.due",
  });
  assert.deepEqual(onlyEffect("charge.refund.amount = 2"), {
    kind: "assign",
    path: ["charge", "refund", "amount"],
    value: "2",
  });
  assert.deepEqual(onlyEffect('a = b == "c"'), { kind: "assign", path: ["a"], value: 'b == "c"' });
});

test("create has fields, a name, a list to iterate over, and a condition", () => {
  assert.deepEqual(
    onlyEffect("create Refund with amount = sum(a, b), by = caller as refund when body.refund"),
    {
      kind: "create",
      resource: "Refund",
      fields: [
        { name: "amount", value: "sum(a, b)" },
        { name: "by", value: "caller" },
      ],
      as: "refund",
      when: "body.refund",
    },
  );
  assert.deepEqual(onlyEffect("create Seat with row = s.row for s in body.seats.filter(s, s.free)"), {
    kind: "create",
    resource: "Seat",
    fields: [{ name: "row", value: "s.row" }],
    for: { variable: "s", list: "body.seats.filter(s, s.free)" },
  });
  assert.deepEqual(onlyEffect("create Ping"), { kind: "create", resource: "Ping", fields: [] });
});

test("do has a condition, a count with an order, and the values of the transition's body", () => {
  assert.deepEqual(
    onlyEffect("do take on Place where this.free, first hold.count by rank descending, id with hold = hold"),
    {
      kind: "do",
      transition: "take",
      resource: "Place",
      where: "this.free",
      first: "hold.count",
      by: [
        { by: "rank", descending: true },
        { by: "id", descending: false },
      ],
      with: [{ name: "hold", value: "hold" }],
    },
  );
  assert.deepEqual(onlyEffect("do end on Hold where true, by id"), {
    kind: "do",
    transition: "end",
    resource: "Hold",
    where: "true",
    by: [{ by: "id", descending: false }],
    with: [],
  });
});

test("the effects update, delete and send are read", () => {
  assert.deepEqual(onlyEffect("update Stock where this.sku == sku set count = this.count - 1, at = now"), {
    kind: "update",
    resource: "Stock",
    where: "this.sku == sku",
    set: [
      { name: "count", value: "this.count - 1" },
      { name: "at", value: "now" },
    ],
  });
  assert.deepEqual(onlyEffect("delete Hold where this.show == show"), {
    kind: "delete",
    resource: "Hold",
    where: "this.show == show",
  });
  assert.deepEqual(onlyEffect("send parcel.lost when this.lost"), {
    kind: "send",
    event: "parcel.lost",
    when: "this.lost",
  });
});

test("line breaks count as blanks", () => {
  assert.deepEqual(onlyEffect("update Stock\n  where this.a\n  set count = 0"), {
    kind: "update",
    resource: "Stock",
    where: "this.a",
    set: [{ name: "count", value: "0" }],
  });
});

test("every phrase has its position", () => {
  const text = "  `a = 1; create Refund with amount = body.amount`";
  const [, create] = parse(text).effects as [EffectSyntax, Extract<EffectSyntax, { kind: "create" }>];
  const { start, end } = positionIn((create.fields[0] as { value: Phrase }).value);
  assert.equal(text.slice(start.offset, end.offset), "body.amount");
});

test("an unreadable effect is reported at its position, and the others are kept", () => {
  const { effects, reported } = parse("a = 1; remove b; delete Hold; c = 2");
  assert.equal(effects.length, 2);
  assert.deepEqual(
    reported.map(({ code, text }) => [code, text]),
    [
      ["states/unreadable", "remove b"],
      ["states/unreadable", "delete Hold"],
    ],
  );
});

test("any text is read or reported, and never throws", () => {
  for (const text of [
    "",
    ";;",
    "=",
    "a =",
    "create",
    "do",
    "do on where",
    "update where set",
    "create X with",
    "create X for",
    "a = (",
    "do x on Y where z,",
    "do x on Y where z, first",
    '"',
    "`",
  ]) {
    assert.doesNotThrow(() => parse(text), text);
  }
});
