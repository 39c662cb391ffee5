/** Expression functions: unit tests of compiled expressions. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setDefault } from "./input-defaults.ts";
import {
  compileFunction,
  compileMixed,
  CostExceeded,
  jointlyIdentified,
  newFrame,
  readsStore,
  unanswerable,
  unanswerableInAnswer,
  unanswerableOfRecords,
} from "./evaluate.ts";
import { bind, frameOf, meaning, nodeOf, parcel, ports, scope, shop } from "./testing/fixtures.ts";
import type { Type } from "./type.ts";
import type { Frame, Value } from "./value.ts";
import { compileJson } from "./write-json.ts";

type Given = Partial<Omit<Frame, "ports">>;

function resultOf(text: string, given: Given = {}, expected?: Type): Value {
  return compileFunction(nodeOf(text, expected), meaning)(frameOf(given));
}

/** Asserts the value of each text. All of them may read the same `body`. */
function gives(cases: Readonly<Record<string, Value>>, given: Given = {}): void {
  for (const [text, expected] of Object.entries(cases))
    assert.deepEqual(plain(resultOf(text, given)), expected, text);
}

/** A value with ordinary prototypes. Values have none, and the tests are written with literals. */
function plain(value: Value): unknown {
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

describe("null", () => {
  it("is the value of anything absent, and of a dot, an index or a call on null", () => {
    gives({
      "body.n": null,
      "this.shop": null,
      "body.list[0]": null,
      "body.list[-1]": null,
      "size(body.s)": null,
      "body.s.contains(body.t)": null,
      "this.extra.deep.er[3]": null,
      "Brief(this)": null,
      "body.list.map(x, x)": null,
    });
    gives({ "body.list[1]": 2, "body.list[7]": null, "body.list[-1]": null }, { body: { list: [1, 2] } });
  });

  it("is equal to nothing but the literal null, and different from everything", () => {
    gives({
      "body.n == body.m": false,
      "body.n != body.m": true,
      "body.n == 1": false,
      "body.n != 1": true,
      "body.n == null": true,
      "null == body.n": true,
      "body.n != null": false,
      "null == null": true,
      "this.shop == caller": false,
    });
  });

  it("makes comparisons false and arithmetic null", () => {
    gives({
      "body.n < 1": false,
      "body.n >= body.n": false,
      "body.n in [1, 2]": false,
      "1 in body.list": false,
      "body.n + 1": null,
      "-body.n": null,
      'body.s + "x"': null,
      "now + body.span": null,
    });
  });

  it("counts as false in a condition", () => {
    gives({
      "!body.b": true,
      "body.b && true": false,
      "body.b || true": true,
      "body.b || body.c": false,
      "body.b ? 1 : 2": 2,
      "[1, 2].filter(x, body.b)": [],
    });
  });

  it("is distinguished by has from a sent value", () => {
    gives({ "has(body.n)": true, "has(body.m)": false, "has(body.s)": true }, { body: { n: null, s: "" } });
    gives({ "has(body.n)": false });
    const body: Record<string, Value> = { a: { sent: 1 } };
    setDefault(body, "n", 5);
    gives({ "body.n": 5, "has(body.n)": false, "has(body.a.sent)": true, "has(body.a.n)": false }, { body });
    gives(
      { "has(this.weight)": true, "has(this.rate)": false, "has(this.price)": true },
      { this: parcel({ rate: null }) },
    );
  });
});

describe("a frame", () => {
  it("has null for every missing name", () => {
    for (const [name, value] of Object.entries(newFrame(ports))) assert.notEqual(value, undefined, name);
    gives({ "path.id": null, 'headers["x"]': null, "request.id": null, "page.items": null, old: null });
  });
});

describe("numbers", () => {
  it("overflow and division by zero are null", () => {
    gives({
      "9007199254740991 + 1": null,
      "-9007199254740991 - 1": null,
      "3037000500 * 3037000500": null,
      "1 / 0": null,
      "1 % 0": null,
      "1.0 / 0.0": null,
      "1e308 * 10.0": null,
      'decimal("1") / decimal("0")': null,
      "int(1e300)": null,
      'int("9007199254740992")': null,
    });
  });

  it("integers divide toward zero and stay integers", () => {
    gives({ "-body.n": -7, "-body.x": 0.5 }, { body: { n: 7, x: -0.5 } });
    gives({ "7 / 2": 3, "-7 / 2": -3, "-7 % 3": -1, "7 / 2.0": 3.5, "1 / -2": 0, "0 * -1": 0 });
  });

  it("decimals are exact", () => {
    gives(
      {
        "body.d + body.e": "0.3",
        "body.d * 3": "0.3",
        "body.d == 0.1": true,
        "body.d < body.x": true,
        'decimal("1.10") == decimal("1.1")': true,
        'decimal("1") / 3': "0.333333333333333333",
        'decimal("10") > decimal("9")': true,
        "-body.d": "-0.1",
        "body.d < body.n": true,
        "body.d < body.a": true,
        "body.a <= body.d": false,
        "string(body.d - body.d)": "0",
        "body.n <= body.d": false,
        'fixed(decimal("2.345"), 2)': "2.35",
        "fixed(body.d, 0 - 1)": null,
        "fixed(body.d, 15)": "0.100000000000000",
        "fixed(body.d, body.n + 11)": null,
        "fixed(body.d, body.a)": null,
        "fixed(1.005, 2)": "1.01",
        "fixed(2, 2)": "2.00",
        'round(decimal("-2.5"))': "-3",
        'string(decimal("12.50"))': "12.50",
        "body.n + body.d": "5.1",
      },
      { body: { d: "0.1", e: "0.2", x: 0.25, n: 5, a: 0.5 } },
    );
  });

  it("are compared by min and max of several values, without nulls", () => {
    gives(
      {
        "max(1, 3, 2)": 3,
        "min(2, body.n, 1.5)": 1.5,
        "min(body.n, body.n)": null,
        'max(decimal("9"), 10)': "10",
        'min("b", "a")': "a",
      },
      { body: { n: null } },
    );
  });

  it("are rounded away from zero at halves", () => {
    gives({
      "round(2.5)": 3,
      "round(-2.5)": -3,
      "floor(-2.5)": -3,
      "ceil(-2.5)": -2,
      "round(-0.2)": 0,
      "abs(-3)": 3,
      "int(-2.9)": -2,
      "double(3)": 3,
      'int("12")': 12,
      'int("1.5")': null,
      'double("1e3")': 1000,
      'bool("true")': true,
      'bool("yes")': null,
    });
  });
});

describe("texts", () => {
  it("are ordered and measured by code points", () => {
    gives({
      '"\\U0001F600" > "\\uFF5E"': true,
      '"a" < "b"': true,
      'size("h\\U0001F600")': 2,
      '"a\\U0001F600b".substring(1, 2)': "\u{1F600}",
      '"abc".substring(1)': "bc",
      '"abc".substring(2, 9)': null,
    });
  });

  it("have the functions of the notation and of CEL", () => {
    gives({
      '"a-b-c".split("-")': ["a", "b", "c"],
      '"a-b-c".split("-", 2)': ["a", "b-c"],
      '["a", "b"].join("+")': "a+b",
      '"aXbX".replace("X", "y")': "ayby",
      '"aXbX".replace("X", "y", 1)': "aybX",
      '"a😀".replace("", "-")': "-a-😀-",
      '"a😀".replace("", "-", 2)': "-a-😀",
      '"".replace("", "-")': "-",
      '" a ".trim()': "a",
      'lower("ÀB")': "àb",
      'upper("straße")': "STRASSE",
      '"abc".startsWith("ab") && "abc".endsWith("bc")': true,
      '"abc".matches("^b")': false,
      '"abc".matches("b")': true,
      'slug("How to Train Your Dragon?")': "how-to-train-your-dragon",
      'slug("  Crème Brûlée — it\'s good  ")': "creme-brulee-its-good",
      'slug("日本語")': "日本語",
      'slug("!!!")': "untitled",
      'urlEncode("a b/(c)")': "a%20b%2F%28c%29",
      'base64("hi?>")': "aGk/Pg==",
      'base64url("hi?>")': "aGk_Pg",
      'hex("hi")': "6869",
      'hex(hash("sha1", "abc"))': "a9993e364706816aba3e25717850c26c9cd0d89d",
      'hex(hmac("sha256", "key", "The quick brown fox jumps over the lazy dog"))':
        "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8",
      'string(bytes("é"))': "é",
      'size(bytes("é"))': 2,
    });
  });

  it("compare past ASCII case where a field says so", () => {
    const given = { caller: shop({ name: "ADA É" }), body: { names: ["x", "ada É"], s: "ada é" } };
    gives(
      {
        'caller.name == "ada É"': true,
        "caller.name == body.s": false,
        "caller.name in body.names": true,
        'caller.name < "b"': true,
      },
      given,
    );
  });

  it("stop a text that grows beyond the limit", () => {
    const given = { body: { s: "a".repeat(100_000), t: "b".repeat(100_000) } };
    assert.throws(() => resultOf('body.s.replace("a", body.t)', given), CostExceeded);
    const longest = { body: { s: "ab".repeat(2 ** 20), t: "abc" } };
    assert.equal(String(resultOf('body.s.replace("b", body.t)', longest)).length, 4 * 2 ** 20);
    assert.throws(() => resultOf('("a" + body.s).replace("b", body.t)', longest), CostExceeded);
  });
});

describe("lists and maps", () => {
  it("are equal if all of their parts are equal", () => {
    const body = { list: [1, 2], lists: [[1], [2, null]], a: { x: 1, y: ["b"] }, n: 1 };
    gives(
      {
        "body.list == [1, 2]": true,
        "body.list == [1, 2, 3]": false,
        "body.list == [1]": false,
        "[2] in body.lists": false,
        "[1] in body.lists": true,
        'body.a == {"y": ["b"], "x": 1}': true,
        'body.a == {"y": ["b"], "z": 1}': false,
        'body.a == {"x": 1}': false,
        "body.a == [1]": false,
        "body.list == body.a": false,
        'bytes("a") == bytes("a")': true,
        'bytes("a") == bytes("b")': false,
        '[decimal("1.50")] == [decimal("1.5")]': true,
        '[decimal("1.50")] == [decimal("1.51")]': false,
      },
      { body },
    );
  });

  it("contain values that are equal to an element, and never null", () => {
    gives(
      {
        "2 in body.list": true,
        "3 in body.list": false,
        "body.n in body.list": false,
        "body.d in [1.5, 2.5]": true,
        "body.d in [2.5]": false,
      },
      { body: { list: [null, 2], n: null, d: "1.50" } },
    );
  });
});

describe("times", () => {
  it("are added and subtracted", () => {
    gives(
      {
        'now + duration("1h30m")': "2026-11-20T11:30:00.000Z",
        'now - duration("24h") < now': true,
        'now - timestamp("2026-11-20T09:58:30Z") == duration("90s")': true,
        'string(now - timestamp("2026-11-20T09:58:30Z"))': "1m30s",
        'body.day + duration("24h")': "2026-03-01",
        "int(now)": 1795168800,
        "timestamp(1795168800)": "2026-11-20T10:00:00.000Z",
        "date(now)": "2026-11-20",
        "timestamp(body.day)": "2026-02-28T00:00:00.000Z",
        'timestamp("9999-12-31T23:59:59Z") + duration("1h")': null,
        "timestamp(body.s)": null,
        "duration(90)": 90_000,
        'duration("1h") * 2 == duration("2h")': true,
        "string(duration(body.t))": "-1.5s",
      },
      { body: { day: "2026-02-28", s: "soon", t: "-1500ms" } },
    );
  });

  it("have parts, in UTC", () => {
    gives({
      "now.getFullYear()": 2026,
      "now.getMonth()": 10,
      "now.getDate()": 20,
      "now.getDayOfMonth()": 19,
      "now.getDayOfWeek()": 5,
      "now.getDayOfYear()": 323,
      "now.getHours()": 10,
      'duration("90m").getMinutes()': 90,
      'duration("1h").getSeconds()': 3600,
      'startOf("month", now)': "2026-11-01T00:00:00.000Z",
      'startOf("week", now)': "2026-11-16T00:00:00.000Z",
      'startOf("quarter", now)': "2026-10-01T00:00:00.000Z",
      'startOf("hour", now)': "2026-11-20T10:00:00.000Z",
    });
  });
});

describe("records", () => {
  it("are equal by their identifier, at hand or referred to", () => {
    const given = {
      this: parcel(),
      caller: shop(),
      path: { shop_id: "shp_1" },
      named: { like: { "#row": 1, "#revision": 1, parcel: "pcl_1", shop: "shp_1" } },
    };
    gives(
      {
        "this.shop == caller": true,
        "this.shop == path.shop_id": true,
        "this.shop.id": "shp_1",
        "this.shop in [caller]": true,
        "caller in this.reviewers": false,
        "this == like.parcel": true,
        "this.deleted": false,
      },
      given,
    );
  });

  it("equal no record without an identifier, and differ by case", () => {
    gives(
      { "this == old": false, "this.shop == caller": false, 'this.shop == "SHP_1"': true },
      { this: { shop: "SHP_1" }, old: {}, caller: shop() },
    );
  });

  it("are identified by several fields together, whether loaded, referenced or written as a map", () => {
    const like = { "#row": 1, "#revision": 1, parcel: "pcl_1", shop: "shp_1" };
    const given = { this: parcel(), caller: shop(), old: parcel({ id: "pcl_2" }), named: { like } };
    gives(
      {
        'like == {"parcel": this, "shop": "shp_1"}': true,
        'like == {"shop": caller, "parcel": old}': false,
        '{"parcel": "pcl_1", "shop": "shp_1"} in [like]': true,
        'like != {"parcel": this, "shop": this.shop}': false,
        '[like].filter(l, l == {"parcel": this, "shop": caller}).size()': 1,
        'like == {"parcel": this, "shop": body.shop}': false,
        "like.parcel == this": true,
      },
      { ...given, body: {} },
    );
    const key = '["pcl_1","shp_1"]';
    gives(
      {
        "like.shop": "shp_1",
        "like.parcel == this": true,
        "has(like.shop)": true,
        "[like, like].distinct()": [key],
      },
      { ...given, named: { like: key } },
    );
  });

  it("may refer to each other in their identifiers, which terminates", () => {
    const circle = (name: string) => ({ kind: "record", resource: name }) as const;
    const fields = { Hen: circle("Egg"), Egg: circle("Hen") };
    const resource = (name: string) => {
      const words = scope.vocabulary.resource("Shop");
      const type = fields[name as keyof typeof fields];
      const field = { name: "other", type, computed: false, hidden: false, anyCase: false };
      return words && { ...words, name, identifier: ["other"], fields: new Map([["other", field]]) };
    };
    assert.equal(jointlyIdentified("Hen", { ...scope.vocabulary, resource }), undefined);
    assert.equal(jointlyIdentified("Like", scope.vocabulary), "Like");
    assert.equal(jointlyIdentified("Shop", scope.vocabulary), undefined);
  });

  it("have computed fields, on every record", () => {
    const given = { this: parcel({ weight: 1200 }), old: parcel({ weight: 100 }) };
    gives(
      { "this.price": 670, "old.price": 505, "this.twin_price": 1340, "this.price - old.price": 165 },
      given,
    );
    gives({ "this.price": null });
  });

  it("are serialized by shapes, without optional keys that are null", () => {
    gives(
      {
        "Brief(this)": { id: "pcl_1", weight: 1200 },
        "Full(this)": { id: "pcl_1", weight: 1200, price: 670, shop: "shp_1" },
        "page.items.map(p, Brief(p))": [{ id: "pcl_2", weight: 1 }],
        "page.items.map(p, page.items.map(q, [Brief(q).weight, p.weight]))": [[[1, 1]]],
      },
      { this: parcel({ extra: null }), page: { items: [parcel({ id: "pcl_2", weight: 1 })] } },
    );
    gives({ "shape(caller)": { id: "shp_1", name: "Ada & Co", owner: null } }, { caller: shop() });
    gives({ "shape(caller)": { id: "shp_1", name: null, owner: null } }, { caller: { id: "shp_1" } });
  });

  it("contain trees of values of any stored depth", () => {
    const line = { sku: "a", parts: [{ sku: "b", parts: [] }] };
    gives(
      { "Tree(body.lines[0])": { sku: "a", parts: [{ sku: "b", parts: [] }] } },
      { body: { lines: [line] } },
    );
    assert.throws(() => resultOf("Loop(this)", { this: parcel() }), CostExceeded);
    const tree = (depth: number): Value => ({ sku: "a", parts: depth > 1 ? [tree(depth - 1)] : [] });
    const rendered = (depth: number) => resultOf("Tree(body.lines[0])", { body: { lines: [tree(depth)] } });
    assert.deepEqual(plain(rendered(64)), tree(64));
    assert.throws(() => rendered(65), CostExceeded);
  });
});

describe("macros over lists", () => {
  it("read computed fields of values in a list that may be missing", () => {
    const lines = [{ sku: "a", amount: 2 }];
    gives({ "or(this.lines, []).map(l, l.total)": [4] }, { this: parcel({ lines }) });
    gives({ "or(this.lines, []).map(l, l.total)": [] }, { this: parcel({ lines: null }) });
  });

  const body = { list: [3, 1, null, 2, 1], names: ["b", "a"], lists: [[1], null, [2, 3]] };
  it("exclude nulls from sums and extremes, and sort them last", () => {
    gives(
      {
        "body.list.sum()": 7,
        "body.list.min()": 1,
        "max(body.list)": 3,
        "body.list.sort()": [1, 1, 2, 3, null],
        "body.list.sort(x, -x)": [3, 2, 1, 1, null],
        "body.list.distinct()": [3, 1, null, 2],
        "body.list.count()": 5,
        "body.list.count(x, x > 1)": 2,
        "body.list.exists(x, x == 2)": true,
        "body.list.exists_one(x, x == 1)": false,
        "body.list.all(x, x > 0)": false,
        "body.list.first()": 3,
        "body.list.first(x, x < 3)": 1,
        "body.list.last(x, x > 1)": 2,
        "body.list.filter(x, x != null).map(x, x * x)": [9, 1, 4, 1],
        "body.list.map(x, x != null, x + 1)": [4, 2, 3, 2],
        "body.lists.flatten()": [1, 2, 3],
        "body.names.sort()": ["a", "b"],
        "body.list.map(x, body.names.map(y, y + string(x)))[1]": ["b1", "a1"],
      },
      { body },
    );
    gives(
      {
        "body.list.sum()": 0,
        "body.list.min()": null,
        "body.list.all(x, false)": true,
        "body.list.first()": null,
      },
      { body: { list: [] } },
    );
  });

  it("return the first of the values that are equal without case", () => {
    gives(
      {
        "[caller, shop].max(s, s.name)": "ADA",
        "[caller, shop].min(s, s.name)": "ADA",
        "[caller, shop].sort(s, s.name).map(s, s.id)": ["a", "b"],
      },
      { caller: shop({ id: "a", name: "ADA" }), named: { shop: shop({ id: "b", name: "ada" }) } },
    );
  });

  it("sum exactly", () => {
    gives(
      { "body.list.sum()": 1 },
      { body: { list: [9007199254740991, 9007199254740991, -9007199254740991, -9007199254740991, 1] } },
    );
    gives({ "body.list.sum()": null }, { body: { list: [9007199254740991, 1] } });
    gives({ "body.names.sum(x, decimal(x))": "0.3" }, { body: { names: ["0.1", "0.2"] } });
  });

  it("are stopped if nested macros multiply", () => {
    const list = Array.from({ length: 200 }, (_, at) => at);
    assert.throws(
      () =>
        resultOf("body.list.all(x, body.list.all(y, body.list.all(z, x + y + z >= 0)))", { body: { list } }),
      CostExceeded,
    );
    assert.equal(resultOf("body.list.all(x, body.list.all(y, x + y >= 0))", { body: { list } }), true);
  });

  it("are stopped inside a computed field, too", () => {
    assert.throws(() => resultOf("body.box.pairings", { body: { box: {} } }), CostExceeded);
  });
});

describe("the ceiling", () => {
  it("applies to one evaluation, not to many", () => {
    const write = compileJson(nodeOf("body.lines"), meaning, { timestamps: "milliseconds", nulls: true });
    const price = compileFunction(nodeOf("this.price"), meaning);
    const frame = frameOf({
      this: parcel(),
      body: { lines: Array.from({ length: 100 }, () => ({ amount: 1 })) },
    });
    for (let round = 0; round < 1100; round += 1) write(frame);
    for (let round = 0; round < 100_100; round += 1) price(frame);
  });
});

describe("values of an open type", () => {
  it("are used by their actual type, or give null", () => {
    const given = { this: parcel({ extra: { n: 1, s: "a", l: [1], t: true, k: ["n"] } }) };
    gives(
      {
        "this.extra.n + 1": 2,
        "this.extra.s + 1": null,
        'this.extra.s + "b"': "ab",
        "size(this.extra.l)": 1,
        "size(this.extra.n)": null,
        "size(this.extra)": 5,
        "this.extra.s == 1": false,
        'this.extra["n"]': 1,
        "this.extra.constructor": null,
        '"n" in this.extra': true,
        "this.extra.t && true": true,
        "this.extra.s && true": false,
        "string(this.extra.n)": "1",
        "this.extra.s < 5": false,
        "this.extra.n <= true": false,
        "this.extra.t <= true": true,
        "this.extra.t >= false": true,
        "this.extra.l < this.extra.s": false,
        "this.extra.s > this.extra.n": false,
        "-this.extra.n": -1,
        "-this.extra.s": null,
        "size(this.extra.t)": null,
        'hex(hash("sha256", this.extra.s))':
          "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
        'hash("sha256", this.extra.n)': null,
        "fixed(this.extra.n, 2)": "1.00",
        "fixed(2.5, this.extra.n)": "2.5",
        "fixed(2, this.extra.n)": "2.0",
        "toJson(this.extra.l)": "[1]",
        "now + this.extra.n": "2026-11-20T10:00:00.001Z",
        "now - this.extra.s": null,
        'duration("1h") * this.extra.n == duration("1h")': true,
        'fixed(decimal("2.55"), this.extra.n)': "2.6",
        "fixed(2.5, this.extra.s)": null,
        "type(this.extra)": "map",
        "type(this.extra.l)": "list",
        'merge({"n": 2}, this.extra).n': 1,
        'merge({"n": 2}, this.extra.l)': null,
        'merge(this.extra.s, {"n": 2})': null,
        'merge({"n": 2}, this.extra.n)': null,
        "toJson(pick(this.extra, this.extra.k))": '{"n":1}',
        'toJson(pick({"n": 2, "m": 3}, this.extra.k))': '{"n":2}',
        "pick(this.extra, this.extra.n)": null,
      },
      given,
    );
  });
});

describe("functions of the ports", () => {
  it("take randomness, tokens and hashes from the ports", () => {
    gives({ "random(4)": "AlMx", "size(random(20))": 20, "size(randomBytes(5))": 5, 'route("x")': "via x" });
    gives({ "uuid()": "00254a6f-94b9-4e03-a84d-7297bce1062b" });
    assert.match(String(resultOf("uuidv7()")), /^01a1f866-0d00-7/);
    gives(
      {
        "token(this)": "token of Parcel pcl_1",
        "token(this.shop)": "token of Shop shp_1",
        "this.secret == body.password": true,
        "this.key == body.key": true,
        "this.key != null": true,
      },
      { this: parcel({ secret: "hash of pw", key: "keyed sk" }), body: { password: "pw", key: "sk" } },
    );
    gives(
      { "this.secret == body.password": false, "this.secret != body.password": true },
      { this: parcel({ secret: null }), body: { password: "pw" } },
    );
  });
});

describe("the part for the store", () => {
  const reads = (text: string) => readsStore(nodeOf(text), meaning);

  it("is everything that reads beyond the loaded records", () => {
    for (const text of [
      "Parcel.count()",
      "this.shop.name",
      "this.siblings",
      "Neighbour(this)",
      "Brief(body.lines == null ? null : Parcel.first())",
      "this.reviewers.map(r, r.name)",
      "shape(this.shop)",
      "[this.shop].map(s, s.name)",
      "[1].map(x, this.shop).map(s, s.name)",
      "or(this.reviewers, [caller]).map(r, r.name)",
      "(body.b ? this.reviewers : []).map(r, r.name)",
      "([caller] + this.reviewers).last().name",
      "this.reviewers.last().name",
      "this.reviewers[0].name",
      "or(this.shop, caller).name",
      "body.b ? caller.name : this.shop.name",
      "has(this.shop.name)",
      "caller == this.shop.owner",
      "[this.shop.name]",
      '{"a": this.shop.name}',
      "!(this.shop.name == null)",
      "size(this.shop.name)",
    ]) {
      assert.equal(reads(text), true, text);
    }
    for (const text of [
      "this.shop",
      "this.shop.id",
      "this.price",
      "Full(this)",
      "caller.name",
      "page.items.map(p, p.price)",
      "this.reviewers.map(r, r.id)",
      "[caller].map(s, s.name)",
      "step.parcel.id",
      "or(caller, shop).name",
      "page.items.first().weight",
      "page.items.last().weight",
      "page.items[0].weight",
      "page.items.filter(p, p.fragile).map(p, p.weight)",
      "or(page.items, []).map(p, p.weight)",
      "[1].map(x, caller).map(c, c.name)",
      "(body.b ? [caller] : [shop]).map(s, s.name)",
      "(body.b ? caller : shop).name",
      "this.lines.map(l, shape(l))",
      "shape(this.lines[0])",
    ]) {
      assert.equal(reads(text), false, text);
    }
    const inLoop = {
      ...scope,
      locals: [{ name: "one", type: { kind: "record", resource: "Shop" } as Type }],
    };
    const node = bind("one.name + body.list.map(x, one.name)[0]", undefined, inLoop).node;
    assert.ok(node && !readsStore(node, meaning), "the record of a `for` is at hand");
  });

  it("is separated from functions that only the engine has", () => {
    const split = (text: string, results: readonly Value[], given: Given = {}) => {
      const mixed = compileMixed(nodeOf(text), meaning);
      return [mixed.queries.length, plain(mixed.evaluate(frameOf(given), results))];
    };
    assert.deepEqual(split("Parcel.count()", [3]), [1, 3]);
    assert.deepEqual(
      split('{"t": token(this), "n": Parcel.count(), "m": this.weight + 1}', [3], { this: parcel() }),
      [1, { t: "token of Parcel pcl_1", n: 3, m: 1201 }],
    );
    assert.deepEqual(split("Signed(this)", [4], { this: parcel() }), [
      1,
      { id: "pcl_1", token: "token of Parcel pcl_1", others: 4 },
    ]);
    assert.deepEqual(split("random(Parcel.count() + 1)", [3]), [1, "AlM"]);
    const stamped = split("Stamped(this)", [4], { this: parcel(), caller: shop() });
    assert.deepEqual(stamped, [
      1,
      { by: "shp_1", at: "2026-11-20T10:00:00.000Z", token: "token of Parcel pcl_1", others: 4 },
    ]);
    assert.deepEqual(split('Parcel.filter(p, random(1) == "A")', [["pcl_1", "pcl_2"]]), [
      1,
      ["pcl_1", "pcl_2"],
    ]);
    assert.deepEqual(
      split('Parcel.map(p, {"id": p.id, "via": route(p.shop.name)})', [
        [
          { 0: "a", 1: "x" },
          { 0: "b", 1: null },
        ],
      ]),
      [
        1,
        [
          { id: "a", via: "via x" },
          { id: "b", via: "via null" },
        ],
      ],
    );
  });

  it("rejects what neither side can evaluate", () => {
    assert.equal(unanswerable(nodeOf('Parcel.filter(p, route(p.id) == "x").count()'), meaning), "route");
    assert.equal(unanswerable(nodeOf("Parcel.map(p, token(p))"), meaning), undefined);
    assert.equal(unanswerable(nodeOf("Parcel.sort(p, route(p.id)).first()"), meaning), "route");
    assert.equal(unanswerable(nodeOf("Parcel.count(p, p.id == route(body.s))"), meaning), undefined);
    assert.equal(unanswerable(nodeOf("this.reviewers.map(r, route(r.name))"), meaning), undefined);
    assert.throws(() => compileFunction(nodeOf("Parcel.count()"), meaning), /reads stored data/);
  });

  it("evaluates engine functions for each stored record, but never selects or sorts by them", () => {
    const unanswerableIn = (text: string) => unanswerableInAnswer(nodeOf(text), meaning);
    assert.equal(unanswerableIn('Parcel.map(p, {"via": route(p.shop.name)})'), undefined);
    assert.equal(
      unanswerableIn("Parcel.map(p, Step.filter(s, s.parcel == p).map(s, route(s.parcel.id)))"),
      undefined,
    );
    assert.equal(unanswerableIn('Parcel.filter(p, route(p.id) == "x").map(p, p.id)'), "route");
    assert.equal(unanswerableIn("Parcel.sort(p, route(p.id)).map(p, p.id)"), "route");
    assert.equal(unanswerableIn("Parcel.first(p, token(p) != null)"), "token");
    const picked = (text: string) => unanswerableOfRecords(nodeOf(text), meaning);
    assert.equal(picked("route(this.id) == body.s"), "route");
    assert.equal(picked("this.id == route(body.s)"), undefined);
    assert.equal(picked("this.id == random(4)"), "random");
  });
});
