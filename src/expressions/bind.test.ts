/** Expression binder: unit tests. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sequenceOf } from "./special-functions.ts";
import { bind, mistakesOf, nodeOf, scope } from "./testing/fixtures.ts";
import { type Type, types } from "./type.ts";

/** Asserts the mistakes of each text, as `from-to code` in columns. */
function refuses(cases: Readonly<Record<string, readonly string[]>>): void {
  for (const [text, expected] of Object.entries(cases)) assert.deepEqual(mistakesOf(text), expected, text);
}

function takes(...texts: readonly string[]): void {
  for (const text of texts) assert.deepEqual(mistakesOf(text), [], text);
}

function hintOf(text: string, expected?: Type): string | undefined {
  return bind(text, expected).diagnostics[0]?.hint;
}

describe("reading expressions", () => {
  it("reports the unreadable character and what to write", () => {
    refuses({
      "body.n = 1": ["8-9 expressions/unreadable"],
      "body.b and body.c": ["8-11 expressions/unreadable"],
      "body.b & body.c": ["8-9 expressions/unreadable"],
      "body.s == “x”": ["11-12 expressions/unreadable"],
      'body.s == "\\q"': ["12-14 expressions/unreadable"],
    });
    assert.equal(hintOf("body.n = 1"), "Write `==` to compare.");
    assert.equal(hintOf("body.b or body.c"), "Write `||` for or.");
  });

  it("reports the last character of an incomplete expression", () => {
    refuses({
      "(1 + ": ["4-5 expressions/unfinished"],
      "[1, 2": ["5-6 expressions/unfinished"],
      "": ["1-1 expressions/missing"],
    });
    assert.equal(hintOf("(1 + 2"), "Add the closing `)` at its end.");
  });

  it("reports the quote that opens an unclosed text", () => {
    refuses({
      'body.s == "abc': ["11-12 expressions/open-text"],
      'body.s == "ab\ncd"': ["11-12 expressions/open-text"],
    });
  });

  it("rejects the parts of CEL that the notation lacks", () => {
    refuses({
      "1u": ["1-3 expressions/not-supported"],
      'b"x"': ["1-5 expressions/not-supported"],
      '"a\\u0000"': ["1-10 expressions/not-supported"],
      '{"a\\u0000": 1}': ["2-11 expressions/not-supported"],
      "body.?n": ["6-7 expressions/unreadable"],
      "body[?0]": ["6-7 expressions/unreadable"],
    });
  });

  it("stays within its bounds for any depth and length", () => {
    refuses({
      ["(".repeat(5000)]: ["49-50 expressions/too-deep"],
      ["!".repeat(5000)]: ["17-18 expressions/too-deep"],
      [`${"-".repeat(30)}1`]: ["17-18 expressions/too-deep"],
      ["x".repeat(20_000)]: ["1-20001 expressions/too-long"],
      ["[".repeat(60)]: ["49-50 expressions/too-deep"],
    });
    assert.equal(mistakesOf(`1${"+1".repeat(3000)}`).length, 1);
    takes(`1${"+1".repeat(300)}`, `"${"!".repeat(100)}"`);
  });

  it("keeps comments and several lines", () => takes("body.n // so many\n  + 1"));
});

describe("names", () => {
  it("suggests the nearest name, field or function", () => {
    refuses({
      "ths.id": ["1-4 expressions/unknown-name"],
      "this.wieght": ["6-12 expressions/unknown-field"],
      "body.zzz": ["6-9 expressions/unknown-field"],
      "sise(body.s)": ["1-5 expressions/unknown-function"],
      'body.s.startWith("a")': ["8-17 expressions/unknown-function"],
      "this.shop.naem": ["11-15 expressions/unknown-field"],
      "ths.id == thus.id": ["1-4 expressions/unknown-name", "11-15 expressions/unknown-name"],
    });
    assert.equal(hintOf("this.wieght"), "Did you mean `weight`?");
    assert.equal(hintOf('body.s.startWith("a")'), "Did you mean `startsWith`?");
    assert.equal(hintOf("weight > 1"), "Write `this.weight` for the field.");
    assert.equal(hintOf("Now()"), "Write `now` without brackets: it is a value.");
    assert.equal(hintOf("HttpDate(now)"), "Did you mean `httpDate`?");
    assert.match(hintOf("Zulu(now)") ?? "", /to part 4: `- Functions: Zulu\(…\): string`/);
    assert.equal(hintOf("Brief"), "Write `Brief(…)` around a record: Brief is a shape.");
  });

  it("names the value without the field, also a long one", () => {
    const messageOf = (text: string) => bind(text).diagnostics[0]?.message;
    assert.equal(messageOf("this.wieght"), 'Unknown field "wieght" of Parcel.');
    assert.equal(messageOf('{"a": 1}.b'), 'Unknown field "b" of {"a": 1}.');
    assert.equal(messageOf('{"a":\n 1}.b'), 'Unknown field "b" of an object.');
    const long = '[{"a": body.s}, {"a": body.s}, {"a": body.t}].first()';
    assert.equal(messageOf(`${long}.b`), 'Unknown field "b" of an object.');
  });

  it("proposes only fields that correct the expression", () => {
    const field = (...texts: readonly string[]) =>
      `Write ${texts.map((text) => `\`${text}\``).join(" or ")} for the field.`;
    assert.equal(hintOf("Parcel.exists(p, weight > 3)"), field("p.weight", "this.weight"));
    // One that the expression names already would be compared with itself.
    assert.equal(hintOf("Parcel.exists(p, p.weight == weight)"), field("this.weight", "p.weight"));
    // A number is no text.
    assert.equal(hintOf('weight == "a"'), 'Put a text in quotes: `"weight"`.');
    assert.equal(
      hintOf("delivery.attempts > 1"),
      "Move it to where `delivery` exists: in part 6: in the items of webhooks and notifications.",
    );
  });

  it("allows the words that CEL reserves as names", () => {
    refuses({
      "package.name": ["1-8 expressions/unknown-name"],
      "if(body.b)": ["1-3 expressions/unknown-function"],
      "this.for": ["6-9 expressions/unknown-field"],
      "body.s.import()": ["8-14 expressions/unknown-function"],
      "this.in": ["6-8 expressions/unreadable"],
      'this["in"]': ["6-10 expressions/unknown-field"],
    });
    const node = nodeOf("body.list.map(package, package + 1)");
    assert.equal(node.op === "macro" && node.variable, "package");
    assert.deepEqual(nodeOf(`"""a " package 'if' """`), {
      op: "literal",
      value: `a " package 'if' `,
      type: types.string,
    });
    assert.deepEqual(nodeOf(`"if // let" + r'\\for'`).type, types.string);
  });

  it("never finds inherited properties of JavaScript objects", () => {
    refuses({
      constructor: ["1-12 expressions/unknown-name"],
      "body.constructor": ["6-17 expressions/unknown-field"],
      "toString(body.s)": ["1-9 expressions/unknown-function"],
    });
  });

  it("reads a resource's name as all its records, but not a value's", () => {
    assert.deepEqual(nodeOf("Parcel").type, { kind: "collection", resource: "Parcel" });
    refuses({ "Line.count()": ["1-5 expressions/value-resource"] });
  });

  it("lets a macro's variable hide an outer name", () => {
    assert.equal(nodeOf("body.list.map(shop, shop + 1)").type.kind, "list");
  });

  it("reads headers in lower case", () => {
    const node = nodeOf('headers["X-Event"]');
    assert.deepEqual(node.op === "index" && node.index, {
      op: "literal",
      value: "x-event",
      type: types.string,
    });
    const eventScope = {
      ...scope,
      fixed: { ...scope.fixed, event: { kind: "map", of: types.string } as Type },
    };
    const bound = bind('event["X-Event"]', undefined, eventScope).node;
    assert.equal(bound?.op === "index" && bound.index.op === "literal" && bound.index.value, "X-Event");
  });

  it("has the members of records beyond their table", () => {
    takes("this.deleted", "caller.claims.role");
    refuses({ "shop.deleted": ["6-13 expressions/unknown-field"] });
  });
});

describe("types", () => {
  it("rejects a value that the enum doesn't have", () => {
    refuses({
      'this.status == "lost"': ["16-22 expressions/not-one-of"],
      '"delivred" != this.status': ["1-11 expressions/not-one-of"],
      'this.status in ["registered", "lost"]': ["31-37 expressions/not-one-of"],
      'startOf("mont", now)': ["9-15 expressions/not-one-of"],
    });
    assert.equal(hintOf('this.status == "delivred"'), 'Did you mean `"delivered"`?');
  });

  it("reads a text literal as the type of the other operand", () => {
    const node = nodeOf('this.created_at > "2026-01-01T02:00:00+02:00"');
    assert.deepEqual(node.op === "binary" && node.right, {
      op: "literal",
      value: "2026-01-01T00:00:00.000Z",
      type: types.timestamp,
    });
    const exact = nodeOf("this.cost * 1.190");
    assert.deepEqual(exact.op === "binary" && exact.right, {
      op: "literal",
      value: "1.190",
      type: types.decimal,
    });
    refuses({
      'this.created_at > "yesterday"': ["19-30 expressions/not-of-form"],
      'this.day == "2026-02-30"': ["13-25 expressions/not-of-form"],
      'duration("5x")': ["10-14 expressions/argument-value"],
      'timestamp("soon")': ["11-17 expressions/argument-value"],
      'body.s.matches("(")': ["16-19 expressions/argument-value"],
    });
  });

  it("rejects operands of different types, and names the conversion", () => {
    refuses({
      'this.weight + "g"': ["1-18 expressions/operand"],
      "body.b + 1": ["1-11 expressions/operand"],
      "now > this.day": ["1-15 expressions/operand"],
      "now + 5": ["1-8 expressions/operand"],
      "body.x % 2": ["1-11 expressions/operand"],
      "-body.s": ["1-8 expressions/sign"],
      "body.n && body.b": ["1-7 expressions/not-a-condition"],
      "body.s ? 1 : 2": ["1-7 expressions/not-a-condition"],
      "!body.n": ["2-8 expressions/not-a-condition"],
      'body.s in "abc"': ["1-16 expressions/operand"],
      "shop < shop": ["1-12 expressions/operand"],
    });
    assert.equal(hintOf('this.weight + "g"'), "Convert the integer: `string(…)`.");
    assert.equal(hintOf("now > this.day"), "Convert the date: `timestamp(…)`.");
    assert.equal(hintOf('body.s in "abc"'), "Write `text.contains(part)` to search in a text.");
  });

  it("rejects values that can never be equal", () => {
    refuses({
      'body.n == "1"': ["1-14 expressions/never-equal"],
      "this.shop == this": ["1-18 expressions/never-equal"],
      "body.n in this.tags": ["1-7 expressions/never-equal"],
      "this.tags == body.list": ["1-23 expressions/never-equal"],
      "this == Parcel": ["1-15 expressions/never-equal"],
    });
  });

  it("compares a reference with its identifier", () => {
    takes(
      "this.shop == path.shop_id",
      "step == path.number",
      "this.shop in body.names",
      "this.shop == caller",
    );
    refuses({ "step == path.id": ["1-16 expressions/never-equal"] });
  });

  it("accepts null and unknown types everywhere", () => {
    takes(
      "this.weight == null",
      "this.weight + null",
      "this.extra && body.b",
      "this.extra.deep[0] == 1",
      "size(this.extra)",
      "int(this.extra.deep[0]) + 1",
    );
  });

  it("warns of an operand or an argument of unknown type, unless the expression decides by its type", () => {
    refuses({
      "this.extra.deep[0] + 1": ["1-19 expressions/unknown-operand"],
      "1 < this.extra": ["5-15 expressions/unknown-operand"],
      "lower(this.extra)": ["7-17 expressions/unknown-operand"],
      "this.extra.split(body.s)": ["1-11 expressions/unknown-operand"],
    });
    takes(
      'type(this.extra) == "number" ? this.extra < 3 : false',
      "or(this.extra, 1) == 1",
      "string(this.extra) == body.s",
    );
    assert.equal(hintOf("this.extra.deep[0] + 1"), "Write `int(this.extra.deep[0])`.");
    assert.equal(hintOf("lower(this.extra)"), "Write `string(this.extra)`.");
  });

  it("checks the expression against the type that its place expects", () => {
    assert.deepEqual(mistakesOf("body.s", types.integer), ["1-7 expressions/wrong-type"]);
    assert.deepEqual(mistakesOf("body.b ? 1 : body.s", types.integer), ["14-20 expressions/wrong-type"]);
    assert.deepEqual(mistakesOf('["a", 2]', { kind: "list", of: types.string }), [
      "7-8 expressions/wrong-type",
    ]);
    assert.deepEqual(mistakesOf('{"sku": 1, "amont": 2}', { kind: "value", resource: "Line" }), [
      "9-10 expressions/wrong-type",
      "21-22 expressions/unknown-field",
    ]);
    assert.deepEqual(mistakesOf('"2999-01-01T20:00:00Z"', types.timestamp), []);
    assert.deepEqual(nodeOf("body.n", types.decimal), {
      op: "call",
      function: "decimal",
      args: [nodeOf("body.n")],
      type: types.decimal,
    });
    // Decimals are exact texts, so that each integer that becomes one is converted.
    const choice = nodeOf("body.b ? body.n : body.m", types.decimal);
    assert.deepEqual(choice.op === "if" && choice.then, nodeOf("body.n", types.decimal));
    const call = nodeOf("fixed(body.b ? body.n : body.m, 2)");
    assert.deepEqual(call.op === "call" && call.args[0], choice);
    const decimals: Type = { kind: "list", of: types.decimal };
    assert.deepEqual(mistakesOf("body.list", decimals), ["1-10 expressions/wrong-type"]);
    assert.deepEqual(mistakesOf("body.b ? body.list : []", decimals), ["10-19 expressions/wrong-type"]);
    assert.deepEqual(mistakesOf("body.list.map(x, decimal(x))", decimals), []);
    assert.equal(hintOf("body.list", decimals), "Write `.map(x, decimal(x))` after it.");
    assert.deepEqual(mistakesOf("shop", { kind: "record", resource: "Shop" }), []);
    assert.deepEqual(mistakesOf("step", { kind: "record", resource: "Shop" }), [
      "1-5 expressions/wrong-type",
    ]);
    assert.deepEqual(mistakesOf("path.shop_id", { kind: "record", resource: "Shop" }), []);
    assert.deepEqual(mistakesOf("this.shop", types.string), ["1-10 expressions/wrong-type"]);
  });

  it("names the conversion from the given to the expected type, if there is one", () => {
    const shop: Type = { kind: "record", resource: "Shop" };
    assert.equal(hintOf("Shop", shop), "Write `.first()` after it for one record.");
    assert.equal(hintOf("Shop", types.integer), "Write `.count()` after it.");
    assert.equal(hintOf("body.list", types.integer), "Write `[0]` or `.first()` after it for one element.");
    assert.equal(hintOf("this.shop", types.string), "Write `.id` after it for its identifier.");
    assert.equal(hintOf("body.n", shop), "Write a Shop.");
    assert.equal(hintOf(`this.shop == {"id": "shp_1"}`), "Compare values of one type.");
  });

  it("reads a UUID in either case, and rejects any other text", () => {
    const uuid: Type = { kind: "uuid" };
    assert.deepEqual(nodeOf('"0190B2A4-7f3c-7c3e-8b6a-3f1d2c4b5a69"', uuid), {
      op: "literal",
      value: "0190b2a4-7f3c-7c3e-8b6a-3f1d2c4b5a69",
      type: uuid,
    });
    assert.deepEqual(mistakesOf('"0190b2a4"', uuid), ["1-11 expressions/not-of-form"]);
  });

  it("lets an object have further keys only where its type is open", () => {
    const fields = { a: types.integer };
    assert.deepEqual(mistakesOf('{"a": 1, "b": 2}', { kind: "object", fields, open: true }), []);
    assert.deepEqual(mistakesOf('{"a": 1, "b": 2}', { kind: "object", fields }), [
      "15-16 expressions/unknown-field",
    ]);
    const given: Type = { kind: "object", fields: { a: types.integer, b: types.integer } };
    const within = { ...scope, fixed: { ...scope.fixed, event: given } };
    const codesOf = (expected: Type) =>
      bind("event", expected, within).diagnostics.map(({ code }) => code as string);
    assert.deepEqual(codesOf({ kind: "object", fields, open: true }), []);
    assert.deepEqual(codesOf({ kind: "object", fields }), ["expressions/wrong-type"]);
    const either = { ...scope, named: { one: { kind: "object", fields, open: true }, two: given } as const };
    const joined = bind("body.b ? one : two", undefined, either).node?.type;
    assert.equal(joined?.kind === "object" && joined.open, true);
    const closed = bind("body.b ? two : two", undefined, either).node?.type;
    assert.equal(closed?.kind === "object" && closed.open === true, false);
  });

  it("rejects integers that JSON can't represent", () => {
    takes("9007199254740991", "-9007199254740991");
    refuses({ "9007199254740992": ["1-17 expressions/integer-too-large"] });
  });

  it("gives a map its keys", () => {
    refuses({
      "{body.s: 1}": ["2-8 expressions/key-not-text"],
      "{body: 1}": ["2-6 expressions/key-not-text"],
      "{1: 2}": ["2-3 expressions/key-not-text"],
      '{"a": 1, "a?": 2}': ["10-14 expressions/duplicate-key"],
      '{"__proto__": 1}': ["2-13 expressions/forbidden-key"],
    });
    assert.deepEqual(nodeOf('{"a": 1, "b?": body.s}').type, {
      kind: "object",
      fields: { a: types.integer, b: types.string },
    });
  });

  it("reports one mistake once", () => {
    assert.equal(mistakesOf("(ths.a + 1).size() == unknown(2)").length, 2);
  });
});

describe("a record with several identifying fields", () => {
  it("is written as a map of those fields where such a record is expected", () => {
    takes(
      'like == {"parcel": this, "shop": "shp_1"}',
      '{"shop": this.shop, "parcel": this} != like',
      'like in [{"parcel": this, "shop": "shp_1"}]',
      '{"parcel": this, "shop": "shp_1"} in [like]',
      'Like.exists(l, l == {"parcel": body.a, "shop": caller})',
    );
    const named = nodeOf('{"shop": "shp_1", "parcel": this}', { kind: "record", resource: "Like" });
    assert.equal(named.op, "key");
    assert.deepEqual(named.op === "key" && named.parts.map((part) => part.op), ["fixed", "literal"]);
  });

  it("rejects other keys, other types, and records with one identifying field", () => {
    refuses({
      'like == {"parcel": this}': ["1-25 expressions/never-equal"],
      'like == {"parcel": this, "shop": "a", "more": 1}': ["1-49 expressions/never-equal"],
      'like == {"parcel": this, "shop": 7}': ["34-35 expressions/wrong-type"],
      'this.shop == {"id": "shp_1"}': ["1-29 expressions/never-equal"],
      'like == "a"': ["1-12 expressions/never-equal"],
    });
    assert.equal(
      hintOf('like == {"parcel": this}'),
      'Write its identifier: `{"parcel": …, "shop": …}`, or compare values of one type.',
    );
  });
});

describe("calls", () => {
  it("checks arguments", () => {
    refuses({
      "size()": ["1-5 expressions/argument-count"],
      "size(body.n)": ["6-12 expressions/argument-type"],
      "random(0)": ["8-9 expressions/argument-value"],
      "merge(this, {})": ["7-11 expressions/argument-type"],
      "min(1, body.s)": ["8-14 expressions/argument-type"],
      "token(body.s)": ["7-13 expressions/argument-type"],
      "route(1)": ["7-8 expressions/wrong-type"],
      "has(body)": ["5-9 expressions/has-argument"],
      "route()": ["1-6 expressions/argument-count"],
      "route(body.s, body.t)": ["1-6 expressions/argument-count"],
    });
    takes("route(body.s)", "has(body.n)", "min(1, 2.5, body.n)", "or(body.shop, caller)");
  });

  it("accepts sequence() only as the whole expression", () => {
    takes("sequence()", "sequence(shop)");
    refuses({ '"a" + string(sequence())': ["14-22 expressions/sequence-alone"] });
    assert.deepEqual(sequenceOf(nodeOf("sequence()")), {});
    assert.deepEqual(sequenceOf(nodeOf("sequence(shop)")), { within: nodeOf("shop") });
    assert.equal(sequenceOf(nodeOf("size(body.s)")), undefined);
  });

  it("evaluates conversions of literal texts", () => {
    assert.deepEqual(nodeOf('duration("1m30s")'), { op: "literal", value: 90_000, type: types.duration });
  });

  it("applies shapes to values of their resource", () => {
    takes("Brief(this)", "shape(shop)", "Page()", "Parcel(this)");
    refuses({
      "Brief(shop)": ["7-11 expressions/shape-argument"],
      "Brief(page.items)": ["7-17 expressions/shape-argument"],
      "Brief()": ["1-6 expressions/argument-count"],
    });
    assert.equal(hintOf("Brief(page.items)"), "Write `.map(x, Brief(x))` to apply it to each element.");
  });

  it("never compares a stored secret with a text", () => {
    const password = nodeOf("this.secret == body.password");
    assert.equal(password.op === "binary" && password.left.op === "call" && password.left.function, "verify");
    const key = nodeOf("this.key == body.key");
    assert.equal(key.op === "binary" && key.right.op === "call" && key.right.function, "hash credential");
    refuses({ "hash credential": ["6-16 expressions/unreadable"] });
  });

  it("rejects any use of a stored password except a comparison or a test for null", () => {
    takes(
      "this.secret == null",
      "this.secret != old.secret",
      "same(this.secret, old.secret)",
      "verify(this.secret, body.s)",
      "or(this.secret, old.secret) != null",
      "(body.b ? this.secret : old.secret) == body.password",
    );
    refuses({
      "this.secret": ["1-12 expressions/password-carried"],
      "string(this.secret)": ["8-19 expressions/password-carried"],
      '{"a": this.secret}': ["7-18 expressions/password-carried"],
      "[this.secret] == []": ["2-13 expressions/password-carried"],
      "body.b ? this.secret : null": ["10-21 expressions/password-carried"],
      "body.password in [this.secret]": ["19-30 expressions/password-carried"],
      "this.secret in [body.password]": ["1-12 expressions/password-carried"],
      "or(this.secret, old.secret)": [
        "4-15 expressions/password-carried",
        "17-27 expressions/password-carried",
      ],
    });
  });
});

describe("macros", () => {
  it("have the types of their results", () => {
    assert.deepEqual(nodeOf("Parcel.filter(p, p.weight > 1)").type, {
      kind: "collection",
      resource: "Parcel",
    });
    assert.deepEqual(nodeOf("Parcel.map(p, p.weight)").type, { kind: "list", of: types.integer });
    assert.deepEqual(nodeOf("Parcel.sum(p, p.cost)").type, types.decimal);
    assert.deepEqual(nodeOf("Parcel.first()").type, { kind: "record", resource: "Parcel" });
    assert.deepEqual(nodeOf("body.lists.flatten()").type, { kind: "list", of: types.integer });
    assert.deepEqual(nodeOf("Parcel.toMap(p, string(p.weight), p.cost)").type, {
      kind: "map",
      of: types.decimal,
    });
    assert.deepEqual(nodeOf("max(body.list)").type, types.integer);
    assert.deepEqual(nodeOf('merge({"a": 1, "b": 2}, {"b": "x"})').type, {
      kind: "object",
      fields: { a: types.integer, b: types.string },
    });
    assert.deepEqual(nodeOf("merge(this.labels, this.labels)").type, { kind: "map", of: types.string });
    assert.deepEqual(nodeOf('merge(this.extra, {"a": 1})').type, types.any);
    assert.equal(nodeOf("size(Parcel)").op, "macro");
    assert.equal(nodeOf("this in Parcel.filter(p, p.fragile)").op, "macro");
  });

  it("counts depths from the outermost", () => {
    const node = nodeOf("body.lists.map(x, x.map(y, x))");
    const inner = node.op === "macro" ? node.body : undefined;
    assert.deepEqual(inner?.op === "macro" && [inner.depth, inner.body], [
      1,
      { op: "local", name: "x", depth: 0, type: { kind: "list", of: types.integer } },
    ]);
  });

  it("rejects wrong forms", () => {
    refuses({
      "body.n.map(x, x)": ["1-7 expressions/not-a-list"],
      "body.list.map(x)": ["11-14 expressions/argument-count"],
      "body.list.filter(x, x + 1)": ["21-26 expressions/not-a-condition"],
      "body.names.sum()": ["1-11 expressions/wrong-type"],
      "body.list.map(1, 2)": ["15-16 expressions/unreadable"],
      "Parcel.sum()": ["8-11 expressions/argument-count"],
      "Parcel.sort(p, p.shop)": ["16-22 expressions/wrong-type"],
      "Parcel.weight": ["8-14 expressions/unknown-field"],
      "Parcel[0]": ["1-7 expressions/not-indexed"],
      "body.list.flatten()": ["1-10 expressions/wrong-type"],
      "filter(body.list, x, x > 1)": ["1-7 expressions/unknown-function"],
      "body.lists.max()": ["1-11 expressions/wrong-type"],
      "body.lists.min()": ["1-11 expressions/wrong-type"],
      "body.lists.sort()": ["1-11 expressions/wrong-type"],
      "body.list.sort(x)": ["11-15 expressions/argument-count"],
      "body.list.distinct(x, x)": ["11-19 expressions/argument-count"],
      "body.list.toMap(x, string(x))": ["11-16 expressions/argument-count"],
      "body.list.toMap(x, x, x)": ["20-21 expressions/wrong-type"],
      "body.list.toMap(1, string(1), 2)": ["17-18 expressions/macro-variable"],
      'body.list.toMap(x, "a", Parcel)': ["25-31 expressions/wrong-type"],
      'body.n.toMap(x, "a", x)': ["1-7 expressions/not-a-list"],
    });
    takes("body.lists.first()", "body.lists.count()", "body.lists.distinct()");
    assert.equal(hintOf("body.list.filter(x)"), "Write it as in `list.filter(x, condition)`.");
    assert.equal(hintOf("body.list.toMap(x)"), "Write it as in `list.toMap(x, key, value)`.");
    assert.equal(hintOf("body.list.all(x)"), "Write it as in `list.all(x, condition)`.");
    assert.equal(hintOf("body.list.sort(x)"), "Write it as in `list.sort(x, …)`.");
    assert.equal(hintOf("body.list.distinct(x, x)"), "Write it as in `list.distinct()`.");
    assert.equal(
      hintOf("Parcel.weight"),
      "Write `.map(x, x.weight)` for the value of every Parcel, or `.first().weight` for one.",
    );
  });

  it("has the element type of a list that may be replaced by an empty one", () => {
    for (const text of ["or(this.lines, [])", "this.fragile ? [] : this.lines", "[] + this.lines"])
      assert.deepEqual(nodeOf(text).type, { kind: "list", of: { kind: "value", resource: "Line" } }, text);
    assert.deepEqual(nodeOf("or(this.lines, []).sum(l, l.amount)").type, types.integer);
    refuses({ "or(this.lines, []).map(l, l.amuont)": ["29-35 expressions/unknown-field"] });
    takes("[].map(x, x.y)", "this.lines == []", "[] == [1]", "1 in []", "[].sum() + 1", "[].first().name");
  });

  it("rejects more than four nested macros", () => {
    const nested = (depth: number) =>
      Array.from({ length: depth }).reduce<string>((inner, _, at) => `body.list.map(x${at}, ${inner})`, "1");
    takes(nested(4));
    assert.equal(mistakesOf(nested(5))[0]?.split(" ")[1], "expressions/too-many-macros");
  });
});

describe("a caller that may be a record of several resources", () => {
  const several = {
    ...scope,
    fixed: { ...scope.fixed, caller: types.any },
    several: { caller: ["Shop", "Step"] },
  };
  const codesOf = (text: string) =>
    bind(text, undefined, several).diagnostics.map((diagnostic) => diagnostic.code);

  it("is determined by the fields that are read, or by the compared value", () => {
    for (const text of ["caller == this.shop", "caller in this.reviewers", "caller.name", "caller != null"])
      assert.deepEqual(codesOf(text), [], text);
  });

  it("is rejected if nothing determines its resource, or if no resource is possible", () => {
    for (const text of ["caller", "[caller]", "caller == caller"])
      assert.ok(codesOf(text).includes("expressions/several-callers"), text);
    assert.deepEqual(codesOf("caller == this"), ["expressions/never-equal"]);
    assert.deepEqual(codesOf("caller == step.parcel"), ["expressions/never-equal"]);
    assert.deepEqual(codesOf("caller.zzz"), ["expressions/unknown-field"]);
  });
});
